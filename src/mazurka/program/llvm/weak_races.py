"""Data races that the orderings of atomic operations leave, in an execution that is sequentially consistent.

Definition (C17, 5.1.2.4; C++20, 6.9.2). Two conflicting accesses of different threads race if at least one of them is
not atomic and neither *happens before* the other. Operations of primitives, forks and joins put threads in order, as do
atomic operations, but these only as far as their orderings say: an ``acquire`` comes after the ``release`` whose value
it reads. An update continues the release sequence of any thread. A store begins one, also where its own thread has made
the release before, as in C++20; C17 lets it continue, but compilers have one model for both languages. Later stores of
its thread publish the steps before a ``release`` fence, and an ``acquire`` fence acquires by earlier loads. The end of
an object's life conflicts with each of its uses.

A failed attempt to take a lock or a semaphore, at once or within a time, orders nothing (C17, 7.26.4.5; POSIX.1-2017,
4.12). So accesses may race that are adjacent in no execution: one before the lock was taken, one after the attempt.

An access without atomicity of a location that others access atomically is a plain one here, although it orders threads
in the search (layout.py). Races of two accesses that are adjacent in an execution are those of
:mod:`mazurka.trace.conflicts`: a plain conflict orders threads here, so that consequences of a first race are not
reported. Atomic operations of the library count as sequentially consistent.

Cost: one pass over a log, with a vector clock for each thread and location.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from mazurka.program.llvm.ir.module import Instruction
from mazurka.trace.conflicts import Shown
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.ids import StepIndex
from mazurka.trace.targets import Kind, Target, is_data, kind_of

#: The instructions that access memory themselves.
ACCESSING: Final = frozenset({"load", "store", "atomicrmw", "cmpxchg"})

_ACQUIRE: Final = frozenset({"acquire", "acq_rel", "seq_cst"})
_RELEASE: Final = frozenset({"release", "acq_rel", "seq_cst"})
_STRONGEST: Final = "seq_cst"

#: The lock that atomic sections hold.
_SECTIONS: Final[Target] = ("atomic sections",)

#: A fence: the steps logged before it, its thread, and its ordering.
Fence = tuple[int, int, str]

#: Of each thread, the number of its steps that happen before; 0 if it is missing.
_Clock = dict[int, int]


def weak_races(
    log: Sequence[Any],
    instructions: Mapping[int, Instruction],
    fences: Sequence[Fence] = (),
    sections: Collection[int] = (),
    unchanged: Collection[int] = (),
    failed: Collection[int] = (),
) -> Iterator[Shown]:
    """The races of a log of ``(task, op, target, site, point, value, more)``. ``instructions`` has, by their sites, the
    loads, stores, updates and exchanges of the program; ``sections`` are the steps that are atomic sections, which put
    threads in order as if they held a lock; ``unchanged`` those whose updates of memory are exchanges that fail;
    ``failed`` those of attempts to take a lock that fail."""
    if failed or any(kind_of(step.target) is Kind.ATOMIC for step in log):
        yield from _Pass(instructions).races(log, fences, sections, unchanged, failed)


def are_weak(instructions: Iterable[Instruction]) -> bool:
    """Whether atomic instructions of a program release or acquire less than they could. If none does, accesses that
    race are adjacent in some execution, since each read of a store puts threads in order."""
    for each in instructions:
        if each.orderings:
            writes, reads = each.opcode != "load", each.opcode != "store"
            if (writes and each.orderings[0] not in _RELEASE) or (reads and not _ACQUIRE.issuperset(each.orderings)):
                return True
    return False


class _Pass:
    """One pass over a log."""

    def __init__(self, instructions: Mapping[int, Instruction]) -> None:
        self._instructions = instructions
        self._clocks: defaultdict[int, _Clock] = defaultdict(dict)
        self._read: defaultdict[int, _Clock] = defaultdict(dict)  # by relaxed loads, for a fence to acquire
        self._fenced: defaultdict[int, _Clock] = defaultdict(dict)  # released by fences, for stores to publish
        self._published: dict[Target, _Clock] = {}  # by the last store, to those that read it
        self._orders: defaultdict[Target, tuple[_Clock, _Clock]] = defaultdict(lambda: ({}, {}))  # readers', writers'
        self._accesses: defaultdict[Target, _History] = defaultdict(_History)

    def races(
        self,
        log: Sequence[Any],
        fences: Sequence[Fence],
        sections: Collection[int],
        unchanged: Collection[int],
        failed: Collection[int],
    ) -> Iterator[Shown]:
        """See :func:`weak_races`."""
        waiting = list(reversed(fences))
        for number, step in enumerate(log):
            while waiting and waiting[-1][0] <= number:
                _, thread, ordering = waiting.pop()
                self._fence(thread, ordering)
            clock = self._clocks[step.task]
            clock[step.task] = clock.get(step.task, 0) + 1
            if number in sections:
                self._order(clock, Op.RMW, _SECTIONS)
            for op, target in ((step.op, step.target), *[(more.op, more.target) for more in step.more]):
                if op is Op.RMW and number in unchanged:
                    op = Op.READ
                kind = kind_of(target)
                is_cell = kind is Kind.ATOMIC and len(target) == 3
                if is_cell or kind is Kind.OBJECT or is_data(target):
                    instruction = self._instructions.get(step.site)
                    plain = not is_cell or (instruction is not None and not instruction.orderings)
                    yield from self._accesses[target].meet(number, step.task, op, target, clock, plain)
                    if not plain:
                        self._synchronise(step.task, op, target, instruction)
                elif (READS[op] or WRITES[op]) and number not in failed:
                    self._order(clock, op, target)
            if number in sections:
                self._order(clock, Op.RMW, _SECTIONS)

    def _order(self, clock: _Clock, op: Op, target: Target) -> None:
        """An operation of a primitive, a fork or a join comes after those that it conflicts with."""
        readers, writers = self._orders[target]
        _join(clock, writers)
        if WRITES[op]:
            _join(clock, readers)
            _join(writers, clock)
        else:
            _join(readers, clock)

    def _fence(self, thread: int, ordering: str) -> None:
        if ordering in _ACQUIRE:
            _join(self._clocks[thread], self._read[thread])
        if ordering in _RELEASE:
            self._fenced[thread] = dict(self._clocks[thread])

    def _synchronise(self, thread: int, op: Op, target: Target, instruction: Instruction | None) -> None:
        """An atomic operation acquires the clock that is published at its location, and publishes its own."""
        clock = self._clocks[thread]
        is_update = instruction is not None and instruction.opcode == "atomicrmw"
        ordering = _ordering(op, instruction)
        published = self._published.get(target, {})
        if READS[op]:
            _join(clock if ordering in _ACQUIRE else self._read[thread], published)
        if WRITES[op] or is_update:
            own = clock if ordering in _RELEASE else self._fenced[thread]
            continues = READS[op] or is_update
            self._published[target] = _joined(published, own) if continues else dict(own)


def _ordering(op: Op, instruction: Instruction | None) -> str:
    """The ordering of an atomic operation; an exchange that fails has another one."""
    if instruction is None or not instruction.orderings:
        return _STRONGEST
    fails = instruction.opcode == "cmpxchg" and not WRITES[op]
    return instruction.orderings[-1 if fails else 0]


class _History:
    """The last accesses of a location: those of each thread that read, and those that write; whether they are plain."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: dict[
            tuple[int, bool, bool], tuple[_Clock, int, Op]
        ] = {}  # thread, writes, plain -> its clock, step, op

    def meet(self, number: int, thread: int, op: Op, target: Target, clock: _Clock, plain: bool) -> Iterator[Shown]:
        """The races of an access with those before it. Conflicting ones of which one is plain come before it then, and
        so does all that comes before these."""
        earlier = [
            (other, past, step, before)
            for (other, wrote, was_plain), (past, step, before) in self._last.items()
            if other != thread and (wrote or WRITES[op]) and (plain or was_plain) and clock.get(other, 0) < past[other]
        ]
        for other, past, step, before in earlier:
            if all(later is past or later.get(other, 0) < past[other] for _, later, _, _ in earlier):
                yield Shown(StepIndex(step), StepIndex(number), (before, op), target)
        for _, past, _, _ in earlier:
            _join(clock, past)
        self._last[thread, WRITES[op], plain] = dict(clock), number, op


def _join(clock: _Clock, other: _Clock) -> None:
    for thread, time in other.items():
        if clock.get(thread, 0) < time:
            clock[thread] = time


def _joined(one: _Clock, other: _Clock) -> _Clock:
    made = dict(one)
    _join(made, other)
    return made
