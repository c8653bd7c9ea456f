"""Loops that wait for a condition: a thread stands before one until the loop would end.

    with condition:
        while not ready: condition.wait()

or ``condition.wait_for(lambda: ready)``, perhaps with ``if closed: return`` before ``wait``.

A *pass* of such a loop takes the lock, finds the test true, and waits again.
Whether the thread has passed or still stands before the lock, the next ``notify_all`` finds it, or leaves it, before
the lock; so an execution is as good without the pass. In searches that know steps by their conflicts alone
(``Plan.relates``) a thread therefore takes the lock, at the ``with`` or after a notification, once it is free *and* the
test is false, as in Hoare's conditional critical regions. Each such execution is one of the program as well: a thread
just is not chosen at some points.

The test is evaluated where the thread stands, by :class:`Test`, which knows plain operations on plain objects and
runs no code of the program.

What must hold for a condition with such loops, in all executions of the search (:func:`finish`):

1. its lock is only taken and released, by code that is instrumented, and never tested; nothing has a time limit, or
   sleeps;
2. waiting threads are woken by ``notify_all``, or one by one: then all wait in such loops with the same test, and no
   section lets more threads go on than it wakes (:meth:`~.loop_tests.Test.room`);
3. a step that writes what the test of a loop reads is made under the lock, and ``notify_all`` is called under it, too,
   before the lock is released; unless the thread has just left such a loop, and all threads have the same test; or
   else the rule for threads that are woken one by one holds;
4. what the test only goes through, to get at what it reads (``self.items`` in ``len(self.items)``), is not written;
5. there is a thread that can move whenever one stands before such a loop, and none does at the end.

Where an execution shows anything else, this is learnt for the condition, and the search begins again without it. The
proof is in docs/explanation/wait-loops.md.

Cost: the test is evaluated once after each section while a thread stands before its loop, some ten microseconds; and
twice in each section if threads are woken one by one.
"""

from __future__ import annotations

import ast
import json
import threading
from collections.abc import Callable
from functools import lru_cache
from math import inf
from types import CodeType, FrameType
from typing import Any, Final
from zlib import crc32

from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import Access
from mazurka.program.python.instrument import sites
from mazurka.program.python.primitives.loop_tests import Reads, Test, Unknown
from mazurka.program.python.primitives.run import Models, PrimitiveState, current, model_of
from mazurka.program.runtime.runtime import Runtime
from mazurka.program.runtime.task import MISUSE_POINTS
from mazurka.trace.event import WRITES, Op
from mazurka.trace.targets import AWAITED, CONDITION, Target

#: Code that may see the dictionary of its local variables, which looking at them refreshes.
_SHOWING: Final = frozenset("locals vars dir eval exec".split())

#: The method of conditions that calls that of their locks (set by conditions.py).
_ENTERING: CodeType | None = None


#: The methods by which threads wait, with their code, and code that these go through (set by conditions.py).
_waiting: Final[dict[str, CodeType]] = {}
_WAITING: Final = {threading.Condition.wait_for.__code__}


def enters_through(code: CodeType) -> None:
    """Set the code of the method by which ``with condition`` enters the lock."""
    global _ENTERING
    _ENTERING = code


def waits_through(wait: CodeType, wait_for: CodeType) -> None:
    """Set the code of the methods by which threads wait for a condition."""
    _waiting.update(wait=wait, wait_for=wait_for)
    _WAITING.add(wait_for)


@lru_cache(maxsize=256)
def _parsed(text: str) -> tuple[ast.expr, ast.expr, ast.expr | None]:
    """The condition, the test, and the limit of a loop, as the rewriter has noted them."""
    condition, test, *limit = [ast.parse(each, mode="eval").body for each in json.loads(text)]
    return condition, test, limit[0] if limit else None


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
        self._mark = _mark(state.target)
        self._taken: Any = None  # when the lock was last taken, as of the last evaluation
        self._ends: bool | None = None  # its result

    def can_move(self) -> bool:
        """Whether the thread can take the lock, and would leave the loop then."""
        return self.ready() and self.ends()

    def is_held(self) -> bool:
        """Whether the thread could take the lock, and would wait again."""
        return self.ready() and not self.ends()

    def ends(self) -> bool:
        """Whether a thread that takes the lock now would leave the loop; true where the loops of this condition are
        not known."""
        if self._mark in self.runtime.points or self._frame is None:
            return True
        taken = self.lock._acquired
        if self._ends is None or taken is not self._taken:  # what the test reads changes only under the lock
            try:
                self._taken, self._ends = taken, not Test(self._frame).truth(self._test)
            except Unknown:
                self.give_up()
                return True
        return self._ends

    def passed(self) -> None:
        """The thread has taken the lock: note the locations that the test reads."""
        self.runtime.wait_loops.pop(self.runtime.current.index, None)
        known = _conditions(self.state.models)
        reads = known.setdefault(self.state.target, (self, Reads()))[1]
        try:
            assert self._frame is not None
            evaluated = Test(self._frame, reads)
            evaluated.value(self._named, True)
            evaluated.truth(self._test)
            reads.tests.add(evaluated.key(self._test))
        except Unknown:
            self.give_up()
        self._frame = None  # which would keep the objects of local variables

    def give_up(self) -> None:
        """Take no more loops of this condition for such ones, in all runs; the present one does not count."""
        self.runtime.need_points(self._mark)

    def is_of(self, condition: Target) -> bool:
        """Whether its thread waits for this condition."""
        return self.state.target == condition

    def is_given_up(self) -> bool:
        """Whether an execution has broken a rule, so that loops of its condition are not known."""
        return self._mark in self.runtime.points


def _mark(target: Target) -> int:
    """The mark among points that loops of a condition are not known."""
    return -1 - (crc32(f"wait loops {target[1]}".encode()) | 1 << 39)


@lru_cache(maxsize=1024)
def _measuring(lock: Target) -> int:
    """The mark among points that sections of a lock are measured."""
    return -1 - (crc32(f"measured {lock[1]}".encode()) | 1 << 39)


def _conditions(models: Models) -> dict[Target, tuple[WaitLoop, Reads]]:
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
        through = _WAITING if condition is not None else (_ENTERING,)
        while frame.f_code in through and frame.f_back is not None:
            frame = frame.f_back
        if condition is None and frame.f_code.co_filename not in sites.instrumented:
            models.foreign_locks.add(lock._target)
        loop = _before(lock, models, frame, condition)
    if loop is None:
        runtime.block(lock._taking, lock._target, ready, waiting_for=waiting_for, more=more)
    else:
        loop.ready = ready
        runtime.wait_loops[runtime.current.index] = loop
        more = (*more, Access(Op.READ, (AWAITED, loop.state.target[1])))
        runtime.block(Op.ACQUIRE, lock._target, loop.can_move, waiting_for=waiting_for, more=more)
        loop.passed()
    if _measuring(lock._target) in runtime.points:
        _begin_section(lock, models, frame)


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
    named, test, limit = _parsed(text)
    try:
        found = Test(frame).value(named)
        if limit is not None and Test(frame).value(limit) is not None:
            return None
    except Unknown:
        return None
    if type(found) is not threading.Condition or (condition is not None and found is not condition):
        return None
    if _has_own_methods(found) or found.__dict__["_lock"] is not lock or lock._taking is not Op.ACQUIRE:
        return None
    loop = WaitLoop(model_of(found, models, CONDITION), lock, frame, named, test)
    return None if loop.is_given_up() else loop


def _has_own_methods(condition: threading.Condition) -> bool:
    """Whether the program has replaced a method by which threads wait for a condition."""
    return not condition.__dict__.keys().isdisjoint(_waiting) or any(
        getattr(getattr(threading.Condition, name), "__code__", None) is not code for name, code in _waiting.items()
    )


# -- how many threads a notification has to wake -----------------------------------------------------------------------


@dataclass(slots=True)
class Measure:
    """For how many threads a loop would end, before a section of the condition's lock and after it."""

    node: ast.expr
    test: Test | None  # until the section ends
    before: float
    after: float | None = None  # None: not known


def _begin_section(lock: Any, models: Models, frame: FrameType) -> None:
    """A thread has taken a lock: measure the loops of its conditions, as far as the frame shows what they test."""
    runtime = models.runtime
    texts = sites.wait_loops.get(frame.f_code.co_filename)
    if not texts or not runtime.log or runtime.log[-1][:3] != (runtime.current.index, Op.ACQUIRE, lock._target):
        return
    found: dict[tuple[Target, Any], Measure] = {}
    for text in dict.fromkeys(texts.values()):
        named, node, _ = _parsed(text)
        try:
            test = Test(frame, Reads())
            condition = test.value(named)
            if type(condition) is not threading.Condition or condition.__dict__["_lock"] is not lock:
                continue
            test = Test(frame, Reads())
            key = test.key(node)
            test.narrow(node)
            measure = Measure(node, test, test.room(node))
        except Unknown:
            continue
        found[model_of(condition, models, CONDITION).target, key] = measure
    if found:
        models.measures[len(runtime.log) - 1] = models.measured[lock._target] = found


def end_section(lock: Any, models: Models) -> None:
    """A thread is about to release a lock."""
    for measure in models.measured.pop(lock._target, {}).values():
        assert measure.test is not None
        try:
            measure.after = measure.test.room(measure.node)
        except Unknown:
            measure.after = None
        measure.test = None  # which keeps objects


# -- what must hold ----------------------------------------------------------------------------------------------------


def finish(runtime: Runtime) -> None:
    """A run has ended: look whether it has shown that loops of some condition are not as they have to be."""
    models = current()
    if models is None or runtime.divergence is not None or runtime.truncated:
        return
    if not runtime.failures:
        for loop in runtime.wait_loops.values():
            loop.give_up()
    locks = {loop.lock._target for loop, _ in models.wait_loops.values()}
    not_measured = {lock for lock in locks if _measuring(lock) not in runtime.points}
    for target, (loop, reads) in models.wait_loops.items():
        lock = loop.lock._target
        unknown = runtime.untracked or runtime.uncontrolled or runtime.limited or runtime.timed
        unknown = unknown or MISUSE_POINTS in runtime.points or lock in models.foreign_locks
        measures = None
        wakes_single = any(step[1] is Op.NOTIFY and step[2] == target for step in runtime.log)
        if wakes_single or (reads.is_one_test() and _breaks(runtime, target, lock, reads, None)):
            if lock in not_measured:
                runtime.need_points(_measuring(lock))
                continue
            measures = models.measures
        if unknown or _breaks(runtime, target, lock, reads, measures):
            loop.give_up()


#: By the first step of a section, the condition, and the key of its test.
_Measures = dict[int, dict[tuple[Target, Any], Measure]]


class _Section:
    """What a thread has done under a lock."""

    def __init__(self, task: int, measure: Measure | None) -> None:
        self.task = task
        self.measure = measure
        self.changes = self.notifies = False
        self.follows = False  # it began with the end of a loop
        self.woken = 0  # by single notifications

    def is_quiet(self, one_test: bool) -> bool:
        """Whether threads that wait may not learn of its changes."""
        return self.changes and not self.notifies and not (self.follows and one_test)

    def wakes_too_few(self, following: set[int], unit: float) -> bool:
        """Whether it wakes less than its changes let go on, a thread that goes on itself was woken for that, and less
        than may wait: of ``following``, all others. Where the loop would end there is room for one thread for each
        item, or, if ``unit`` is infinite, for any number of threads."""
        if self.notifies or (self.measure is None and not (self.changes or self.follows)):
            return False
        if self.measure is None or self.measure.after is None:
            return True
        before, after = [room and room * unit for room in (self.measure.before, self.measure.after)]
        return self.woken < len(following - {self.task}) and after > max(before - self.follows, 0) + self.woken


class _Look:
    """A look at the steps of a run, for a condition."""

    def __init__(self, condition: Target, reads: Reads, standing: set[int]) -> None:
        self.condition = condition
        self.awaited: Target = (AWAITED, condition[1])
        self.reads = reads
        self.sections: dict[int, _Section] = {}  # by thread
        self.standing = standing  # threads that stand before loops at the end
        self.following = standing.copy()  # ... and those that have left loops
        self.waiting: set[int] = set()  # threads in waits that are not parts of loops, as far as is known

    def passes(self, task: int, op: Op, target: Target) -> bool:
        """Pass an access, but for one of the lock; returns whether it keeps the rules."""
        section = self.sections.get(task)
        if target == self.condition:
            if op is Op.WAIT:
                self.waiting.add(task)
            elif section is not None and op in (Op.NOTIFY, Op.NOTIFY_ALL):
                section.notifies |= op is Op.NOTIFY_ALL
                section.woken += op is Op.NOTIFY
            else:
                return False
        elif WRITES[op]:
            changes, moves = self.reads.change(target)
            if moves or (changes and section is None):
                return False
            if changes and section is not None:
                section.changes = True
        elif target == self.awaited:
            self.sections[task].follows = True
            self.following.add(task)
            self.waiting.discard(task)
        return True


def _breaks(runtime: Runtime, condition: Target, lock: Target, reads: Reads, measures: _Measures | None) -> bool:
    """Whether a run breaks a rule about steps. ``measures`` are those of sections, if threads are woken one by one."""
    if measures is not None and not reads.is_one_test():
        return True
    if any(any(reads.change(target)) for target in runtime.sharing.private.written()):
        return True
    test = next(iter(reads.tests), None)
    look = _Look(condition, reads, {task for task, loop in runtime.wait_loops.items() if loop.is_of(condition)})
    ended: list[_Section] = []
    for number, (task, op, target, _, _, _, more) in enumerate(runtime.log):
        released = False
        for each, touched in ((op, target), *[(access.op, access.target) for access in more]):
            if touched != lock:
                if not look.passes(task, each, touched):
                    return True
            elif each is Op.ACQUIRE:
                look.sections[task] = _Section(task, (measures or {}).get(number, {}).get((condition, test)))
            elif each is Op.RELEASE and task in look.sections:
                released = True
            else:
                return True
        if measures is not None and op is Op.ACQUIRE and target == lock and task in look.waiting:
            return True  # it has waited without a loop
        if released:
            ended.append(look.sections.pop(task))
    if not runtime.failures:
        ended += look.sections.values()
    if measures is None:
        return any(section.is_quiet(reads.is_one_test()) for section in ended)
    return not look.waiting <= look.standing or all(
        any(section.wakes_too_few(look.following, unit) for section in ended) for unit in (1, inf)
    )
