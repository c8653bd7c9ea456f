"""Loops that wait for a condition: a thread stands before one until the loop would end.

    with condition:
        while not ready: condition.wait()

or ``condition.wait_for(lambda: ready)``. A *pass* of such a loop takes the lock, finds the test true, and waits again.
Whether the thread has passed or still stands before the lock, the next ``notify_all`` finds it, or leaves it, before
the lock; so an execution is as good without the pass. In searches that know steps by their conflicts alone
(``Plan.relates``) a thread therefore takes the lock, at the ``with`` or after a notification, once it is free *and* the
test is false, as in Hoare's conditional critical regions. Each such execution is one of the program as well: a thread
just is not chosen at some points.

The test is evaluated where the thread stands, by :class:`_Test`, which knows plain operations on plain objects and
runs no code of the program.

What must hold for a condition with such loops, in all executions of the search (:func:`finish`):

1. its lock is only taken and released, by code that is instrumented, and never tested; nothing has a time limit, or
   sleeps;
2. waiting threads are woken by ``notify_all`` only;
3. a step that writes what the test of a loop reads is made under the lock, and ``notify_all`` is called under it, too,
   before the lock is released; unless the thread has just left such a loop, and all threads have the same test;
4. what the test only goes through, to get at what it reads (``self.items`` in ``len(self.items)``), is not written;
5. there is a thread that can move whenever one stands before such a loop, and none does at the end.

Where an execution shows anything else, this is learnt for the condition, and the search begins again without it. The
proof is in docs/explanation/wait-loops.md.

Cost: the test is evaluated at each point while a thread stands before its loop, some microseconds.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import json
import operator
import sys
import threading
from abc import ABC
from collections import deque
from collections.abc import Callable, Iterable
from functools import lru_cache
from types import CodeType, FrameType, FunctionType
from typing import Any, Final, Generic
from zlib import crc32

from mazurka.program.protocol import Access
from mazurka.program.python.instrument import sites
from mazurka.program.python.primitives.run import Models, PrimitiveState, current, model_of
from mazurka.program.python.semantics.locations import bases
from mazurka.program.python.semantics.objects import dictionary, number
from mazurka.program.runtime.runtime import Runtime
from mazurka.program.runtime.task import MISUSE_POINTS
from mazurka.trace.event import WRITES, Op
from mazurka.trace.targets import ATTRIBUTE, AWAITED, CONDITION, Kind, Target, kind_of

_SCALARS: Final = frozenset({int, float, bool, str, bytes, type(None)})
_CONTAINERS: Final = frozenset({list, dict, set, frozenset, tuple, deque})

#: Code that may see the dictionary of its local variables, which looking at them refreshes.
_SHOWING: Final = frozenset("locals vars dir eval exec".split())

#: Bases whose methods store no attributes, and the names that methods of threads store or read.
_HARMLESS: Final = frozenset({object, ABC, Generic})
_OF_THREADS: Final = frozenset(
    name
    for method in vars(threading.Thread).values()
    if isinstance(method, FunctionType)
    for name in method.__code__.co_names
)

#: Containers with more elements are not searched.
_MOST: Final = 64

_COMPARISONS: Final[dict[type[ast.cmpop], Callable[[Any, Any], Any]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_SUMS: Final[dict[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


#: The method of conditions that calls that of their locks (set by conditions.py).
_ENTERING: CodeType | None = None


#: That which calls ``wait``.
_WAITING: Final = threading.Condition.wait_for.__code__


def enters_through(code: CodeType) -> None:
    """Set the code of the method by which ``with condition`` enters the lock."""
    global _ENTERING
    _ENTERING = code


#: The namespace of a class, past a metaclass.
_namespace: Final[Callable[[type], Any]] = type.__dict__["__dict__"].__get__


class _Unknown(Exception):
    """The value of an expression can't be told without running code."""


class _Reads:
    """The locations that evaluations have read: their values, and those that were only gone through."""

    def __init__(self) -> None:
        self.values: set[Target] = set()
        self.bases: set[Target] = set()
        self.owners: set[int] = set()  # the numbers of the owners of these attributes
        self.containers: set[int] = set()
        self.globals: dict[str, bool] = {}  # by name: whether it was gone through
        self.cells = self.cell_bases = False
        #: The tests, with the values of the variables that no other thread has, and the globals.
        self.tests: set[tuple[Any, ...]] = set()

    def is_one_test(self) -> bool:
        """Whether all threads have evaluated the same test, in which nothing differs."""
        return len(self.tests) == 1 and not self.cells

    def change(self, target: Target) -> tuple[bool, bool]:
        """Whether a write of a location changes a value that was read, or what was gone through."""
        kind = kind_of(target)
        if kind is Kind.ATTRIBUTE:
            return target in self.values, target in self.bases
        if kind is Kind.GLOBAL:
            return target[-1] in self.globals, self.globals.get(target[-1], False)
        if kind is Kind.CELL:
            return self.cells, self.cell_bases
        whole = abs(target[1]) if len(target) > 1 and type(target[1]) is int else 0
        return whole in self.containers, whole in self.owners


class _Test:
    """An expression in a frame, evaluated without running code: names, attributes of plain objects, ``len``, items,
    comparisons and arithmetic of plain values. All operands are evaluated, also those that decide nothing."""

    def __init__(self, frame: FrameType, reads: _Reads | None = None) -> None:
        code = frame.f_code
        self._locals, self._globals = frame.f_locals, frame.f_globals
        if self._locals is not self._globals:
            if not code.co_flags & inspect.CO_OPTIMIZED:
                raise _Unknown  # the body of a class
            shown, self._locals = self._locals, dict(self._locals)
            if type(shown) is dict:
                shown.clear()  # the frame keeps it, and with it objects that the program may let go of
        self._captured = {*code.co_freevars, *code.co_cellvars}
        self.own: set[tuple[str, Any]] = set()  # the variables that no other thread has, with their values
        self._reads = reads

    def truth(self, node: ast.expr) -> bool:
        """Whether the value of an expression is true."""
        value = self.value(node)
        kind = type(value)
        if kind in _CONTAINERS:
            return len(self._content(node)) > 0
        if kind in _SCALARS:
            return bool(value)
        if any(name in _namespace(base) for base in bases(kind) for name in ("__bool__", "__len__")):
            raise _Unknown
        return True

    def value(self, node: ast.expr, base: bool = False) -> Any:  # one case for each kind of expression
        """The value of an expression; ``base``: it is only gone through."""
        match node:
            case ast.Constant(value) if type(value) in _SCALARS:
                return value
            case ast.Name(name):
                return self._variable(name, base)
            case ast.Attribute(ast.Name() | ast.Attribute() as inner, name):
                return self._attribute(self.value(inner, True), name, base)
            case ast.UnaryOp(ast.Not(), inner):
                return not self.truth(inner)
            case ast.UnaryOp(ast.USub(), inner):
                return -self._number(inner)
            case ast.BoolOp(how, parts):
                decides = isinstance(how, ast.Or)
                found = [(self.truth(each), self.value(each)) for each in parts]
                return next((value for true, value in found[:-1] if true is decides), found[-1][1])
            case ast.Compare(left, [how], [right]):
                return self._compared(left, how, right)
            case ast.BinOp(left, how, right) if type(how) in _SUMS:
                return self._guarded(_SUMS[type(how)], self._number(left), self._number(right))
            case ast.Subscript(container, key):
                return self._item(self._content(container), self._scalar(key))
            case ast.Call(ast.Name("len"), [container], []):
                if "len" in self._globals or "len" in self._locals or builtins.len is not len:
                    raise _Unknown
                return len(self._content(container))
        raise _Unknown

    @staticmethod
    def _guarded(function: Callable[..., Any], *args: Any) -> Any:
        try:
            return function(*args)
        except Exception as error:
            raise _Unknown from error

    def _variable(self, name: str, base: bool) -> Any:
        if name in self._locals and self._locals is not self._globals:
            if name in self._captured and self._reads is not None:
                self._reads.cells = True
                self._reads.cell_bases |= base
            elif self._reads is not None:
                found = self._locals[name]
                self.own.add((name, (type(found), found) if type(found) in _SCALARS else number(found)))
            return self._locals[name]
        if name not in self._globals or name in self._captured or name.startswith("__"):
            raise _Unknown
        if self._reads is not None:
            self._reads.globals[name] = self._reads.globals.get(name, False) or base
        return self._globals[name]

    def _attribute(self, owner: Any, name: str, base: bool) -> Any:
        space, of_class = dictionary(owner), [_namespace(each) for each in bases(type(owner))]
        if type(space) is not dict or name not in space or name.startswith("__"):
            raise _Unknown
        if any(type(each.get(name)) not in _SCALARS for each in of_class):
            raise _Unknown  # it may be a descriptor
        if not all(self._is_stored_by_program(each, name) for each in bases(type(owner))):
            raise _Unknown
        if any("__getattribute__" in each for each in of_class[:-1]):
            raise _Unknown
        if self._reads is not None:
            place = number(owner)
            (self._reads.bases if base else self._reads.values).add((ATTRIBUTE, place, name))
            self._reads.owners.add(abs(place))
        return space[name]

    def _is_stored_by_program(self, kind: type, name: str) -> bool:
        """Whether only code that is instrumented stores an attribute for methods of a class."""
        module = _namespace(kind).get("__module__")
        if kind in _HARMLESS or module == self._globals.get("__name__"):
            return True
        if kind is threading.Thread:
            return name not in _OF_THREADS
        return getattr(sys.modules.get(module), "__file__", None) in sites.instrumented

    def _content(self, node: ast.expr) -> Any:
        """A container, the value of an expression that is a name or an attribute; its elements are read."""
        if not isinstance(node, (ast.Name, ast.Attribute)):
            raise _Unknown
        found = self.value(node, True)
        if type(found) not in _CONTAINERS:
            raise _Unknown
        if self._reads is not None:
            self._reads.containers.add(abs(number(found)))
        return found

    def _scalar(self, node: ast.expr) -> Any:
        found = self.value(node)
        if type(found) not in _SCALARS:
            raise _Unknown
        return found

    def _number(self, node: ast.expr) -> Any:
        found = self.value(node)
        if type(found) not in (int, bool, float):
            raise _Unknown
        return found

    def _item(self, container: Any, key: Any) -> Any:
        if type(container) in (set, frozenset) or (type(container) is dict and not _are_plain(container)):
            raise _Unknown
        return self._guarded(lambda: container[key])

    def _compared(self, left: ast.expr, how: ast.cmpop, right: ast.expr) -> bool:
        if isinstance(how, (ast.Is, ast.IsNot)):
            values = self.value(left), self.value(right)
            if all(type(each) in (int, float, str, bytes) for each in values):
                raise _Unknown  # equal numbers and texts may be several objects
            return (values[0] is values[1]) is isinstance(how, ast.Is)
        if isinstance(how, (ast.In, ast.NotIn)):
            container = self._content(right)
            if not _are_plain(container):
                raise _Unknown
            return (self._scalar(left) in container) is isinstance(how, ast.In)
        if isinstance(how, (ast.Eq, ast.NotEq)) and type(self.value(left)) in _CONTAINERS:
            first, second = self._content(left), self._content(right)
            if dict in (type(first), type(second)) or not (_are_plain(first) and _are_plain(second)):
                raise _Unknown
            return (first == second) is isinstance(how, ast.Eq)
        return bool(self._guarded(_COMPARISONS[type(how)], self._scalar(left), self._scalar(right)))


def _are_plain(elements: Iterable[Any]) -> bool:
    """Whether these are few, and known to compare themselves without code of the program."""
    return len(elements) <= _MOST and all(type(each) in _SCALARS for each in elements)  # type: ignore[arg-type]


@lru_cache(maxsize=256)
def _parsed(text: str) -> tuple[ast.expr, ast.expr]:
    """The condition and the test of a loop, as the rewriter has noted them."""
    condition, test = json.loads(text)
    return ast.parse(condition, mode="eval").body, ast.parse(test, mode="eval").body


class WaitLoop:
    """A loop that a thread stands before."""

    def __init__(self, state: PrimitiveState, lock: Any, frame: FrameType, named: ast.expr, test: ast.expr) -> None:
        self.state = state
        self.lock = lock
        self.runtime = state.models.runtime
        self.ready: Callable[[], bool] = bool  # whether the thread could take the lock
        self._frame: FrameType | None = frame
        self._named = named
        self._test = test

    def can_move(self) -> bool:
        """Whether the thread can take the lock, and would leave the loop then."""
        return self.ready() and self.ends()

    def is_held(self) -> bool:
        """Whether the thread could take the lock, and would wait again."""
        return self.ready() and not self.ends()

    def ends(self) -> bool:
        """Whether a thread that takes the lock now would leave the loop; true where the loops of this condition are
        not known."""
        if self.mark() in self.runtime.points:
            return True
        try:
            return self._frame is None or not _Test(self._frame).truth(self._test)
        except _Unknown:
            self.give_up()
            return True

    def passed(self) -> None:
        """The thread has taken the lock: note the locations that the test reads."""
        self.runtime.wait_loops.pop(self.runtime.current.index, None)
        known = _conditions(self.state.models)
        reads = known.setdefault(self.state.target, (self, _Reads()))[1]
        try:
            assert self._frame is not None
            evaluated = _Test(self._frame, reads)
            evaluated.value(self._named, True)
            evaluated.truth(self._test)
            reads.tests.add((id(self._frame.f_globals), ast.unparse(self._test), *sorted(evaluated.own, key=repr)))
        except _Unknown:
            self.give_up()
        self._frame = None  # which would keep the objects of local variables

    def give_up(self) -> None:
        """Take no more loops of this condition for such ones, in all runs; the present one does not count."""
        self.runtime.need_points(self.mark())

    def mark(self) -> int:
        """The mark among points that loops of this condition are not known."""
        return _mark(self.state)


def _mark(state: PrimitiveState) -> int:
    return -1 - (crc32(f"wait loops {state.target[1]}".encode()) | 1 << 39)


def _conditions(models: Models) -> dict[Target, tuple[WaitLoop, _Reads]]:
    """The conditions of which threads have passed loops in a run: a loop, and what their tests read."""
    return models.wait_loops


def take(
    lock: Any,
    models: Models,
    frame: FrameType,
    ready: Callable[[], bool],
    waiting_for: Any,
    condition: Any = None,
    more: tuple[Access, ...] = (),
) -> None:
    """Wait until a lock can be taken (``ready``), and pass that step. If a ``with``, or ``condition.wait()``, does so
    before a loop that waits, wait until the loop would end. ``frame`` is that of the caller."""
    runtime = models.runtime
    loop = None
    if runtime.relates and sites.wait_loops:
        if frame.f_code is (_ENTERING if condition is None else _WAITING) and frame.f_back is not None:
            frame = frame.f_back
        if condition is None and frame.f_code.co_filename not in sites.instrumented:
            models.foreign_locks.add(lock._target)
        loop = _before(lock, models, frame, condition)
    if loop is None:
        runtime.block(lock._taking, lock._target, ready, waiting_for=waiting_for, more=more)
        return
    loop.ready = ready
    runtime.wait_loops[runtime.current.index] = loop
    more = (*more, Access(Op.READ, (AWAITED, loop.state.target[1])))
    runtime.block(Op.ACQUIRE, lock._target, loop.can_move, waiting_for=waiting_for, more=more)
    loop.passed()


def _before(lock: Any, models: Models, frame: FrameType, condition: Any) -> WaitLoop | None:
    """The loop that a thread is about to enter, or go on with, when it takes a lock."""
    runtime = models.runtime
    if runtime.solo or type(runtime) is not Runtime or not models.has_loops or runtime.aborting:
        return None
    code = frame.f_code
    kind = sites.WITH_LOOP if condition is None else sites.WAIT_LOOP
    text = sites.wait_loops.get(code.co_filename, {}).get((kind, frame.f_lineno))
    if text is None or runtime.current.pool is not None or not _SHOWING.isdisjoint(code.co_names):
        return None
    named, test = _parsed(text)
    try:
        found = _Test(frame).value(named)
    except _Unknown:
        return None
    if type(found) is not threading.Condition or (condition is not None and found is not condition):
        return None
    if "wait_for" in found.__dict__ or found.__dict__["_lock"] is not lock or lock._taking is not Op.ACQUIRE:
        return None
    loop = WaitLoop(model_of(found, models, CONDITION), lock, frame, named, test)
    return None if loop.mark() in runtime.points else loop


# -- what must hold ----------------------------------------------------------------------------------------------------


def finish(runtime: Runtime) -> None:
    """A run has ended: look whether it has shown that loops of some condition are not as they have to be."""
    models = current()
    if models is None or runtime.divergence is not None or runtime.truncated:
        return
    if not runtime.failures:
        for loop in runtime.wait_loops.values():
            loop.give_up()
    for target, (loop, reads) in models.wait_loops.items():
        lock = loop.lock._target
        unknown = runtime.untracked or runtime.uncontrolled or runtime.limited or runtime.timed
        unknown = unknown or MISUSE_POINTS in runtime.points or lock in models.foreign_locks
        if unknown or _breaks(runtime, target, lock, reads):
            loop.give_up()


class _Section:
    """What a thread has done under a lock."""

    def __init__(self) -> None:
        self.changes = self.notifies = False
        self.follows = False  # it began with the end of a loop

    def is_quiet(self, one_test: bool) -> bool:
        """Whether threads that wait may not learn of its changes."""
        return self.changes and not self.notifies and not (self.follows and one_test)


def _breaks(runtime: Runtime, condition: Target, lock: Target, reads: _Reads) -> bool:
    """Whether a run breaks a rule about steps."""
    sections: dict[int, _Section] = {}
    awaited, one_test = (AWAITED, condition[1]), reads.is_one_test()
    for task, op, target, _, _, _, more in runtime.log:
        released = False
        for each, touched in ((op, target), *[(access.op, access.target) for access in more]):
            if touched == lock:
                if each is Op.ACQUIRE:
                    sections[task] = _Section()
                elif each is Op.RELEASE and task in sections:
                    released = True
                else:
                    return True
            elif touched == condition:
                if each is Op.NOTIFY_ALL and task in sections:
                    sections[task].notifies = True
                elif each is not Op.WAIT:
                    return True
            elif WRITES[each]:
                changes, moves = reads.change(touched)
                if moves or (changes and task not in sections):
                    return True
                if changes:
                    sections[task].changes = True
            elif touched == awaited:
                sections[task].follows = True
        if released and sections.pop(task).is_quiet(one_test):
            return True
    return any(section.is_quiet(one_test) for section in sections.values()) and not runtime.failures
