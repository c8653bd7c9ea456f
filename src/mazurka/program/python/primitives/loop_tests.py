"""The tests of loops that wait (wait_loops.py), evaluated without running code of the program, and what they read.

Cost: some microseconds for an evaluation.
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
from math import inf
from types import FrameType, FunctionType
from typing import Any, Final, Generic

from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics.locations import bases
from mazurka.program.python.semantics.objects import dictionary, number
from mazurka.trace.targets import ATTRIBUTE, Kind, Target, kind_of

_SCALARS: Final = frozenset({int, float, bool, str, bytes, type(None)})
_CONTAINERS: Final = frozenset({list, dict, set, frozenset, tuple, deque})

#: Bases whose methods store no attributes, and the names that methods of threads store or read.
_HARMLESS: Final = frozenset({object, ABC, Generic})
_OF_THREADS: Final = frozenset(
    name
    for method in vars(threading.Thread).values()
    if isinstance(method, FunctionType)
    for name in method.__code__.co_names
)

#: What decides which function is called, and what it does, beside its name.
_OF_FUNCTIONS: Final = frozenset({"__code__", "__defaults__", "__class__", "__bases__"})

#: Containers with more elements are not searched, and calls that are nested more deeply not followed.
_MOST: Final = 64
_DEEPEST: Final = 8

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


#: The namespace of a class, past a metaclass.
_namespace: Final[Callable[[type], Any]] = type.__dict__["__dict__"].__get__


@lru_cache(maxsize=256)
def _parsed(text: str) -> tuple[str, list[str], ast.expr]:
    """The name of a function, its parameters, and what it returns, as the rewriter has noted them."""
    name, parameters, body = json.loads(text)
    return name, parameters, ast.parse(body, mode="eval").body


class Unknown(Exception):
    """The value of an expression can't be told without running code."""


class Reads:
    """The locations that evaluations have read: their values, and those that were only gone through."""

    def __init__(self) -> None:
        self.values: set[Target] = set()
        self.bases: set[Target] = set()
        self.owners: set[int] = set()  # the numbers of the owners of these attributes
        self.containers: set[int] = set()
        self.globals: dict[str, bool] = {}  # by name: whether it was gone through
        self.methods: set[str] = set()  # names of attributes that decide which functions were called
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
            return target in self.values, target in self.bases or target[-1] in self.methods
        if kind is Kind.GLOBAL:
            return target[-1] in self.globals, self.globals.get(target[-1], False)
        if kind is Kind.CELL:
            return self.cells, self.cell_bases
        whole = abs(target[1]) if len(target) > 1 and type(target[1]) is int else 0
        return whole in self.containers, whole in self.owners


class Test:
    """An expression in a frame, evaluated without running code: names, attributes of plain objects, ``len``, items,
    comparisons and arithmetic of plain values. All operands are evaluated, also those that decide nothing. A call of a
    function, method or property that only returns the value of an expression stands for that."""

    def __init__(self, frame: FrameType, reads: Reads | None = None) -> None:
        code, self._depth = frame.f_code, 0
        self._locals, self._globals = frame.f_locals, frame.f_globals
        if self._locals is not self._globals:
            if not code.co_flags & inspect.CO_OPTIMIZED:
                raise Unknown  # the body of a class
            shown, self._locals = self._locals, dict(self._locals)
            if type(shown) is dict:
                shown.clear()  # the frame keeps it, and with it objects that the program may let go of
        self._captured = {*code.co_freevars, *code.co_cellvars}
        self._given: set[str] = set()  # the parameters of a function that the test calls
        self.own: set[tuple[str, Any]] = set()  # the variables that no other thread has, with their values
        self._reads = reads

    @classmethod
    def _of_call(cls, function: FunctionType, given: dict[str, Any], caller: Test) -> Test:
        """The body of a function that is called with these arguments."""
        made = cls.__new__(cls)
        made._depth, made._reads, made._globals = caller._depth + 1, caller._reads, function.__globals__
        if made._depth > _DEEPEST:
            raise Unknown
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        try:
            made._locals = {**{name: cell.cell_contents for name, cell in cells.items()}, **given}
        except ValueError as error:
            raise Unknown from error  # one is empty
        made._captured, made._given, made.own = {*cells}, {*given}, set()
        return made

    def _called(self, node: ast.expr) -> tuple[Test, ast.expr] | None:
        """What an expression stands for if it is a call, or reads a property."""
        match node:
            case ast.Call(ast.Name(name), given, []) if name != "len":
                function, args = self._variable(name, True), []
            case ast.Call(ast.Attribute(inner, name), given, []):
                owner = self.value(inner, True)
                function, args = self._of_class(owner, name), [owner]
            case ast.Attribute(inner, name):
                owner, given = self.value(inner, True), []
                found = next((each[name] for each in map(_namespace, bases(type(owner))) if name in each), None)
                if type(found) is not property:
                    return None
                function, args = self._of_class(owner, name).fget, [owner]
            case _:
                return None
        if type(function) is not FunctionType:
            raise Unknown
        code = function.__code__
        text = sites.expressions.get((code.co_filename, code.co_firstlineno))
        args += [self.value(each, True) for each in given]
        if text is None or code.co_argcount != len(args) or function.__defaults__ or code.co_cellvars:
            raise Unknown
        function_name, names, body = _parsed(text)
        if code.co_name != function_name or len(names) != len(args):
            raise Unknown  # a lambda in a decorator, which begins on the same line
        if self._reads is not None:
            self._reads.methods |= _OF_FUNCTIONS
        return Test._of_call(function, dict(zip(names, args, strict=True)), self), body

    def _of_class(self, owner: Any, name: str) -> Any:
        """What the class of an object has under a name that no instrumented code ever stores."""
        of_class = [_namespace(each) for each in bases(type(owner))]
        space = dictionary(owner)
        if type(space) is not dict or name in space or name in sites.stored or name.startswith("__"):
            raise Unknown
        if any("__getattribute__" in each for each in of_class[:-1]):
            raise Unknown
        if self._reads is not None:
            self._reads.methods.add(name)
        return next((each[name] for each in of_class if name in each), None)

    def truth(self, node: ast.expr) -> bool:
        """Whether the value of an expression is true."""
        if called := self._called(node):
            return called[0].truth(called[1])
        value = self.value(node)
        kind = type(value)
        if kind in _CONTAINERS:
            return len(self._content(node)) > 0
        if kind in _SCALARS:
            return bool(value)
        if any(name in _namespace(base) for base in bases(kind) for name in ("__bool__", "__len__")):
            raise Unknown
        return True

    def key(self, node: ast.expr) -> tuple[Any, ...]:
        """What tells a test from others: its text, globals, and the values of the variables that no other thread
        has. It has to be evaluated with ``reads``."""
        self.truth(node)
        return (id(self._globals), ast.unparse(node), *sorted(self.own, key=repr))

    def narrow(self, node: ast.expr) -> None:
        """Keep only the variables that a test names, so that the objects of others may end."""
        if self._locals is not self._globals:
            named = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
            self._locals = {name: value for name, value in self._locals.items() if name in named}

    def room(self, node: ast.expr, sense: bool = True) -> float:
        """0 if the truth of an expression is ``sense``, otherwise a number above it: for how many threads a loop would
        end that waits as long as that is so, if each takes one of what there is. Items and units of numbers are
        counted, all else lets any number of threads go on."""
        match node:
            case ast.UnaryOp(ast.Not(), inner):
                return self.room(inner, not sense)
            case ast.BoolOp(how, parts):
                rooms = [self.room(each, sense) for each in parts]
                return max(rooms) if isinstance(how, ast.And) is sense else min(rooms)
        if called := self._called(node):
            return called[0].room(called[1], sense)
        if self.truth(node) is sense:
            return 0
        match node:
            case ast.Compare(left, [compared], [right]):
                low, high = self.value(left), self.value(right)
                if type(low) is int and type(high) is int:
                    if isinstance(compared, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
                        return abs(low - high) + (isinstance(compared, (ast.Lt, ast.Gt)) is sense)
                    if isinstance(compared, (ast.Eq, ast.NotEq)) and low != high:
                        return abs(low - high)
                return inf
        value = self.value(node)
        if not sense and type(value) in _CONTAINERS:
            return len(self._content(node))
        return abs(value) if type(value) is int and value else inf

    def value(self, node: ast.expr, base: bool = False) -> Any:  # one case for each kind of expression
        """The value of an expression; ``base``: it is only gone through."""
        if called := self._called(node):
            return called[0].value(called[1], base)
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
                    raise Unknown
                return len(self._content(container))
        raise Unknown

    @staticmethod
    def _guarded(function: Callable[..., Any], *args: Any) -> Any:
        try:
            return function(*args)
        except Exception as error:
            raise Unknown from error

    def _variable(self, name: str, base: bool) -> Any:
        if name in self._locals and self._locals is not self._globals:
            if name in self._captured and self._reads is not None:
                self._reads.cells = True
                self._reads.cell_bases |= base
            elif self._reads is not None and name not in self._given:
                found = self._locals[name]
                self.own.add((name, (type(found), found) if type(found) in _SCALARS else number(found)))
            return self._locals[name]
        if name not in self._globals or name in self._captured or name.startswith("__"):
            raise Unknown
        if self._reads is not None:
            self._reads.globals[name] = self._reads.globals.get(name, False) or base
        return self._globals[name]

    def _attribute(self, owner: Any, name: str, base: bool) -> Any:
        space, of_class = dictionary(owner), [_namespace(each) for each in bases(type(owner))]
        if type(space) is not dict or name not in space or name.startswith("__"):
            raise Unknown
        if any(type(each.get(name)) not in _SCALARS for each in of_class):
            raise Unknown  # it may be a descriptor
        if not all(self._is_stored_by_program(each, name) for each in bases(type(owner))):
            raise Unknown
        if any("__getattribute__" in each for each in of_class[:-1]):
            raise Unknown
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
        if called := self._called(node):
            return called[0]._content(called[1])
        if not isinstance(node, (ast.Name, ast.Attribute)):
            raise Unknown
        found = self.value(node, True)
        if type(found) not in _CONTAINERS:
            raise Unknown
        if self._reads is not None:
            self._reads.containers.add(abs(number(found)))
        return found

    def _scalar(self, node: ast.expr) -> Any:
        found = self.value(node)
        if type(found) not in _SCALARS:
            raise Unknown
        return found

    def _number(self, node: ast.expr) -> Any:
        found = self.value(node)
        if type(found) not in (int, bool, float):
            raise Unknown
        return found

    def _item(self, container: Any, key: Any) -> Any:
        if type(container) in (set, frozenset) or (type(container) is dict and not _are_plain(container)):
            raise Unknown
        return self._guarded(lambda: container[key])

    def _compared(self, left: ast.expr, how: ast.cmpop, right: ast.expr) -> bool:
        if isinstance(how, (ast.Is, ast.IsNot)):
            values = self.value(left), self.value(right)
            if all(type(each) in (int, float, str, bytes) for each in values):
                raise Unknown  # equal numbers and texts may be several objects
            return (values[0] is values[1]) is isinstance(how, ast.Is)
        if isinstance(how, (ast.In, ast.NotIn)):
            container = self._content(right)
            if not _are_plain(container):
                raise Unknown
            return (self._scalar(left) in container) is isinstance(how, ast.In)
        if isinstance(how, (ast.Eq, ast.NotEq)) and type(self.value(left)) in _CONTAINERS:
            first, second = self._content(left), self._content(right)
            if dict in (type(first), type(second)) or not (_are_plain(first) and _are_plain(second)):
                raise Unknown
            return (first == second) is isinstance(how, ast.Eq)
        return bool(self._guarded(_COMPARISONS[type(how)], self._scalar(left), self._scalar(right)))


def _are_plain(elements: Iterable[Any]) -> bool:
    """Whether these are few, and known to compare themselves without code of the program."""
    return len(elements) <= _MOST and all(type(each) in _SCALARS for each in elements)  # type: ignore[arg-type]
