"""Metadata of a run's steps beyond its log: values and stacks for reports, versions of locations, clocks.

Kept from its first use on, since most runs need none of it (:attr:`Runtime.careful`): comparisons of two versions of a
location do not depend on earlier ones. In runs that record values, a written value is looked up after the operation,
when its thread enters the runtime next.

Cost: half a microsecond a step; with values, also the time that it takes to make their words or keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple, Protocol

from mazurka.program.protocol import OPAQUE, Access
from mazurka.program.runtime.task import Task
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.ids import StepIndex
from mazurka.trace.targets import CLOCK, Kind, Target, is_primitive, kind_of

#: Operations that a thread undoes by another one: it takes a lock (1) and releases it (-1), or parks and leaves.
_UNDONE: Final = {Op.ACQUIRE: 1, Op.RELEASE: -1, Op.WAIT: 1}

#: RMWs with which a thread whose wait has run out leaves a condition, and with which it parks at an event, where no
#: step tells that it leaves.
_PARKING: Final = {Kind.CONDITION: -1, Kind.PARKED: 0}


class Section(NamedTuple):
    """Stands among the targets of a pass for the critical sections of a lock, see loops.py; no step has it."""

    lock: Target


class Logged(Protocol):
    """The run whose steps are logged, as the metadata sees it."""

    detail: bool  # values are recorded, with `keyed` as keys
    keyed: bool
    keyed_at_points: bool
    timed: bool
    points: set[int]
    log: list[tuple[int, Op, Target, int, bool, Any, tuple[Access, ...]]]
    snapshot_stack: Callable[[], Any]
    arguments: Callable[[int], dict[str, Any]] | None
    is_opaque: Callable[[], bool]

    def look_up(self, value: Callable[[], Any]) -> Any:
        """Call ``value`` such that accesses on its way are no steps of the run."""
        ...


class StepMetadata:
    """The metadata of one run; ``stacks`` and ``given`` (the arguments of the running function) are indexed by step."""

    __slots__ = ("first", "given", "stacks", "stamps", "unsettled", "versions")

    def __init__(self) -> None:
        self.versions: dict[Target, int] = {}  # how often each location was written
        self.stamps: dict[Target, float] = {}  # the latest clock of the threads that wrote the location
        self.first: dict[Target, Any] = {}  # keys of the values of targets before they were written
        self.stacks: dict[int, Any] = {}
        self.given: dict[StepIndex, dict[str, Any]] = {}
        self.unsettled: list[tuple[int, Callable[[], Any]]] = []  # steps whose values are known after the write

    def take(
        self, run: Logged, task: Task, op: Op, target: Target, site: int, value: Any, more: tuple[Access, ...]
    ) -> Any:
        """Keep the metadata of a step that is about to be logged; returns the value to log."""
        if run.detail and (value is not None or self.unsettled or not run.keyed_at_points or is_primitive(target)):
            value = self._value(run, op, target, site, value)
        self._count(task, op, target)
        if more:
            self.take_more(task, more)
        if run.timed:
            self._synchronise_clock(task, op, target)
        return value

    def take_more(self, task: Task, more: Iterable[Access]) -> None:
        """Keep the metadata of a step's further accesses."""
        for access in more:
            self._count(task, access.op, access.target)

    def begin_section(self, task: Task, lock: Target) -> None:
        """A thread has taken a lock of an object of the standard library, whose code reads and writes the object."""
        section = Section(lock)
        version = self.versions.get(section, 0)
        self.versions[section] = version + 1
        task.effects += 1
        if task.loops:
            task.reads.append((section, version))
            task.lock_steps.append((section, 0))

    def settle(self, run: Logged) -> None:
        """Look up the values that operations since performed have written."""
        while self.unsettled:
            index, value = self.unsettled.pop()
            entry = run.log[index]
            run.log[index] = (*entry[:5], run.look_up(value), entry[6])

    def record_value(self, run: Logged, value: object) -> None:
        """Record the state of a primitive after the step just passed."""
        step = run.log[-1]
        if step[5] is not OPAQUE:
            run.log[-1] = (*step[:5], ("shown", value) if run.keyed else value, step[6])

    def _value(self, run: Logged, op: Op, target: Target, site: int, value: Any) -> Any:
        if self.unsettled:
            self.settle(run)
        number = len(run.log)
        if not run.keyed:
            self.stacks[number] = run.snapshot_stack()
        elif READS[op] and run.arguments is not None and site in run.points and (given := run.arguments(site)):
            self.given[StepIndex(number)] = given
        if callable(value):
            if WRITES[op]:
                if run.keyed and target not in self.first:
                    self.first[target] = run.look_up(value)
                self.unsettled.append((number, value))
                value = None
            else:
                value = run.look_up(value)
        if run.keyed and is_primitive(target) and run.is_opaque():
            return OPAQUE
        return value

    def _count(self, task: Task, op: Op, target: Target) -> None:
        if WRITES[op]:
            task.effects += 1
            if task.loops and (change := _changes(op, target)) is not None:
                task.lock_steps.append((target, change))
            if target is not CLOCK:
                task.clock_reads = 0
            self.versions[target] = self.versions.get(target, 0) + 1
        elif task.loops and READS[op]:  # a sleep, say, sees no location
            task.reads.append((target, self.versions.get(target, 0)))

    def _synchronise_clock(self, task: Task, op: Op, target: Target) -> None:
        """Advance the clock of a thread that sees an effect to that of the cause."""
        if READS[op] and (stamp := self.stamps.get(target, 0.0)) > task.clock:
            task.clock = stamp
            if target is not CLOCK:
                task.clock_reads = 0
        if WRITES[op]:
            self.stamps[target] = max(task.clock, self.stamps.get(target, 0.0))


def _changes(op: Op, target: Target) -> int | None:
    """By how much an operation changes a lock, or the threads that are parked; None: it is none of those that a thread
    undoes."""
    return _PARKING.get(kind_of(target)) if op is Op.RMW else _UNDONE.get(op)
