"""A runtime in which calls of marked objects are one step each.

A thread stops before the call, and then makes it without interruption: its reads and writes inside are no steps. The
step is logged when the call is over, since its value is the outcome of the call.

This is right as long as nothing but calls of an object touches the object. The object *owns* the objects that were
first touched within its calls (or when it was made), and all objects that can be reached from it at the end of a run.
If code elsewhere touches an owned object, or a call touches one that is not owned and that other threads may change, or
a call has to wait, then the type's calls are no single steps: a mark says so (:mod:`.marks`), and the search begins
again. In the run that shows it, the rest of the call is ordinary code.

Cost: a call takes as long as its code under hooks; at the end of each run all steps, and all objects that marked
objects lead to, are looked at.
"""

from __future__ import annotations

import gc
import types
import weakref
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import field
from typing import Any, Final

from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import Access
from mazurka.program.python.invocations.marks import ObstacleReason, are_any_inside, inside, ordinary
from mazurka.program.python.semantics import objects
from mazurka.program.python.semantics.locations import bases
from mazurka.program.runtime.runtime import Runtime
from mazurka.program.runtime.task import Task
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.targets import INVOKED, OBJECTS, Target, is_of_object

#: Objects that a class, a module or a function refers to belong to the program, not to an object that refers to it.
_PROGRAM: Final = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.CodeType)

#: At most so many objects that are reached from one are looked at; an object that leads to more is explored as ordinary
#: code.
_MOST: Final = 20_000

_OPERATIONS: Final = {**{op: False for op in Op if READS[op]}, **{op: True for op in Op if WRITES[op]}}


class StateUnknown(Exception):
    """The class's ``state`` function would have to wait."""


@dataclass(slots=True)
class OpenCall:
    """A call that a thread is in, with the number of its object; ``counted`` is how many objects the thread had
    numbered, ``kept`` is the state that is put back at its end."""

    name: str
    receiver: int
    counted: int
    kept: tuple[bool, int, int, int, int]
    making: bool = False  # the call makes the object
    owned: list[int] = field(default_factory=list)  # objects that were first touched within it


class InvokingRuntime(Runtime):
    """See the module."""

    within: OpenCall | None = None

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.owned: dict[int, int] = {}  # number of an object -> that of the marked object whose calls alone touch it
        self.receivers: dict[int, tuple[str, Callable[[], Any]]] = {}  # by number: the type, and the object if it lives
        self.states: dict[int, str] = {}  # by number: the abstract state after the latest call
        self.containers: dict[int, str] = {}  # by number: the thread that used it first, and how many it had used
        self.counts: Counter[str] = Counter()  # by thread: how many containers it was the first to use

    # -- calls --------------------------------------------------------------------------------------------------------

    def knows(self, name: str, thing: Any) -> int:
        """The number of a marked object."""
        number = objects.number(thing)
        if self.detail:
            objects.label(self, (INVOKED, number), thing)
        if number not in self.receivers:
            self.receivers[number] = name, weakref.ref(thing) if objects.can_be_watched(thing) else lambda: thing
        return number

    def container(self, number: int) -> str:
        """A name for a container that has this number in the run; the same in every run of one schedule."""
        if number not in self.containers:
            thread = self.current.name
            self.containers[number] = f"{thread} {self.counts[thread]}"
            self.counts[thread] += 1
        return self.containers[number]

    def enter(self, name: str, number: int) -> OpenCall | None:
        """Stop before a call, and begin it; None where it is part of another call, or there is one thread only."""
        if self.solo or self.aborting:
            return None
        target = (INVOKED, number)
        if self.within is not None and self._is_inside(self.within, (Access(Op.RMW, target),)):
            return None
        task = self.current
        if self.let_go is not None:
            self._let_go(task)
        self._stop_before(task, Op.RMW, target, 0)
        task.doubts = False
        return self._begin(name, number, making=False)

    def make(self, name: str, number: int) -> OpenCall | None:
        """Begin to make a marked object: no step, since no other thread has it yet."""
        if self.solo or self.aborting or self.within is not None:
            return None
        return self._begin(name, number, making=True)

    def _begin(self, name: str, number: int, making: bool) -> OpenCall:
        task = self.current
        kept = (self.values, len(task.reads), len(task.lock_steps), task.effects, task.silent)
        call = self.within = OpenCall(name, number, objects.numbered(task.index), kept, making)
        self.values = False  # passes of loops inside are no steps
        return call

    def leave(self, call: OpenCall, op: Op, value: Any) -> None:
        """End a call; ``op`` and ``value`` are those of its step."""
        self._put_back(call)
        if not call.making and not self.aborting:
            self._record(self.current, op, (INVOKED, call.receiver), 0, True, value, ())

    def has_leaked(self, call: OpenCall) -> bool:
        """Whether a call has touched an object that still exists and that can't be reached from the call's own
        object."""
        if not call.owned:
            return False
        thing = self.receivers[call.receiver][1]()
        reachable = {abs(objects.numbers.get(each, 0)) for each in _behind(thing)}
        strange = set(call.owned) - reachable
        return bool(strange) and not strange.isdisjoint(objects.referred())

    def give_up(self, name: str, reason: ObstacleReason) -> None:
        """Calls of a type are no single steps; the rest of the present one is ordinary code."""
        call = self.within
        if call is not None:
            self.leave(call, Op.RMW, None)
        self.sharing.learn((ordinary(name, reason),))

    def _put_back(self, call: OpenCall) -> None:
        """Put back the thread's state: steps inside the call do not count for the loops that the thread is in."""
        self.within, task = None, self.current
        self.values, reads, locks, task.effects, task.silent = call.kept
        if task.loops:
            del task.reads[reads:], task.lock_steps[locks:]

    # -- operations inside a call -------------------------------------------------------------------------------------

    def visit(
        self,
        op: Op,
        target: Target,
        site: int,
        value: Any = None,
        more: tuple[Access, ...] = (),
        point: bool | None = None,
    ) -> None:
        call = self.within
        if call is None or self.solo or self.aborting or not self._is_inside(call, (Access(op, target), *more)):
            super().visit(op, target, site, value, more, point)
        else:
            self.current.doubts = False

    def block(self, op: Op, target: Target, ready: Callable[[], bool], **how: Any) -> bool:
        call = self.within
        if call is not None and not (self.solo or self.aborting):
            if ready() and self._is_inside(call, (Access(op, target), *how.get("more", ()))):
                return True
            self._may_wait()
        return super().block(op, target, ready, **how)

    def attempt(
        self,
        op: Op,
        target: Target,
        succeeds: Callable[[], bool],
        more: Any = (),
        look: Callable[[], Any] | None = None,
    ) -> bool:
        call = self.within
        if call is None or self.solo or self.aborting or not self._is_inside(call, (Access(op, target),)):
            return super().attempt(op, target, succeeds, more, look)
        done = succeeds()
        self._is_inside(call, more)
        return done

    def widen(self, accesses: Iterable[Access]) -> bool:
        call, accesses = self.within, tuple(accesses)
        return call is not None and self._is_inside(call, accesses) or super().widen(accesses)

    def fork(self, *body: Any, **how: Any) -> Task:
        self._may_wait()
        return super().fork(*body, **how)

    def join(self, task: Task, *how: Any, **more: Any) -> bool:
        self._may_wait()
        return super().join(task, *how, **more)

    def sleep(self, seconds: float, site: int = 0) -> None:
        self._may_wait()
        super().sleep(seconds, site)

    def _stop_before(self, task: Task, op: Op, target: Target, site: int, point: bool = True) -> None:
        if self.within is not None and self.solo:
            raise StateUnknown
        self._may_wait()
        super()._stop_before(task, op, target, site, point)

    def record_value(self, value: object, *, whole: bool = False) -> None:
        if self.within is None:
            super().record_value(value, whole=whole)

    def _may_wait(self) -> None:
        if self.within is not None and not self.aborting:
            self.give_up(self.within.name, ObstacleReason.WAITS)

    def _is_inside(self, call: OpenCall, accesses: Iterable[Access]) -> bool:
        """Whether accesses within a call are to its object alone; if not, the call is given up."""
        if self.within is not call:
            return False
        accesses = tuple(accesses)
        if not all(self._belongs(call, op, target) for op, target, _ in accesses):
            self.give_up(call.name, ObstacleReason.SHARED)
            return False
        if self.careful:
            self.accounts.take_more(self.current, accesses)
        return True

    def _belongs(self, call: OpenCall, op: Op, target: Target) -> bool:
        """Whether an access is to a location that the object of a call owns, or to a part of the program, which is then
        marked."""
        if op not in _OPERATIONS:
            return True
        number = _number_in(target)
        if number == call.receiver or self.owned.get(number) == call.receiver:
            return True
        if number and number not in self.owned and self._is_new(call, number):
            self.owned[number] = call.receiver
            call.owned.append(number)
            return True
        things = objects.living() if number else {}
        if number and not objects.is_a(things.get(number), _PROGRAM):
            return False
        writes = _OPERATIONS[op]
        self.sharing.learn((inside(target, things, writes),))
        return True

    def _is_new(self, call: OpenCall, number: int) -> bool:
        """Whether an object was touched for the first time since the call began."""
        index, count = divmod(number, OBJECTS)
        return index == self.current.index + 1 and count > call.counted

    # -- operations elsewhere -----------------------------------------------------------------------------------------

    def look_back(self) -> None:
        """At the end of the run: look whether code elsewhere has touched objects that belong to marked objects."""
        if not self.receivers:
            return
        outside: dict[Target, bool] = {}  # whether it is written
        for _, op, target, _, _, _, more in self.log:
            for how, where in ((op, target), *[(access.op, access.target) for access in more]):
                if where[0] != INVOKED and how in _OPERATIONS:
                    outside[where] = outside.get(where, False) or _OPERATIONS[how]
        if are_any_inside(self.points):
            self._look_for_marks(outside)
        self._look_at_owned({number for target in outside if (number := _number_in(target))})

    def _look_for_marks(self, outside: dict[Target, bool]) -> None:
        """Look whether calls, of this run or others, touch a location that code elsewhere touches, and one of the two
        writes it."""
        things = objects.living()
        for target, written in outside.items():
            if _number_in(target) and not objects.is_a(things.get(_number_in(target)), _PROGRAM):
                continue
            if inside(target, things, True) in self.points or written and inside(target, things, False) in self.points:
                for name in {name for name, _ in self.receivers.values()}:
                    self.give_up(name, ObstacleReason.SHARED)

    def _look_at_owned(self, outside: set[int]) -> None:
        for number in outside:
            owner = self.owned.get(number, number)
            if owner in self.receivers:
                self.give_up(self.receivers[owner][0], ObstacleReason.SHARED)
        for name, living in self.receivers.values():
            thing = living()
            if thing is not None and not _is_apart(thing, outside):
                self.give_up(name, ObstacleReason.SHARED)


def _number_in(target: Target) -> int:
    """The number of the object that a target is part of; 0 if it is part of none."""
    part = target[1] if len(target) > 1 else 0
    known = type(part) is int and abs(part) >= OBJECTS and is_of_object(target)
    return abs(part) if known else 0


def _is_no_part(thing: Any) -> bool:
    """Whether an object has no state of its own, or is one of our models, which know the whole run."""
    kind = type(thing)
    return kind in objects.SCALARS or objects.is_a(thing, _PROGRAM) or kind.__module__.startswith("mazurka.")


def _is_apart(thing: Any, touched: set[int]) -> bool:
    """Whether none of the objects that are reached from an object have one of these numbers."""
    behind, numbers = _behind(thing), objects.numbers
    return len(behind) < _MOST and not any(abs(numbers[each]) in touched for each in behind if each in numbers)


def _behind(thing: Any) -> set[int]:
    """The identities of an object and of all objects that are reached from it, or from attributes of its classes."""
    kinds = bases(type(thing))
    waiting = [thing, *[value for kind in kinds for value in vars(kind).values() if not _is_no_part(value)]]
    seen = set(map(id, waiting))
    while waiting and len(seen) < _MOST:
        for inner in gc.get_referents(waiting.pop()):
            if id(inner) not in seen and not _is_no_part(inner):
                seen.add(id(inner))
                waiting.append(inner)
    return seen
