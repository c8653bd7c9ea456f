"""Faults of a trace from elsewhere, found in one pass; the trace may have any length.

The rules are those of plain locks and threads (:mod:`mazurka.trace.wellformed` checks logs of our own front ends, which
have further operations): a lock is acquired only while it is free, and released once, by its holder; a thread is
started once, before its first event, begins with that, and does nothing after its end or after it was joined.

A trace may be checked in parts (:class:`Checking`); the state after a part consists of the holder of each lock and the
living threads. Faults of locks and of threads are kept apart, since a row can have one of each. Cost: 10 ns a row
compiled (from :data:`COMPILED_FROM` rows on), 2 microseconds otherwise; 13 bytes per target.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from enum import IntEnum
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mazurka.jit.compile import jit, pays
from mazurka.lazy_dataclass import dataclass
from mazurka.trace.columns import Columns, Names, Parts
from mazurka.trace.event import Op
from mazurka.trace.targets import THREAD

#: For parts of at least so many rows importing a compiler pays.
COMPILED_FROM: Final = 50_000

#: The number of rows that are kept of each fault.
SHOWN: Final = 10


class Fault(IntEnum):
    """A fault of a trace; ``words`` describe it."""

    NONE = 0
    TAKEN_AGAIN = 1
    GIVEN_BACK_INNER = 2
    TAKEN_WHILE_HELD = 3
    NOT_HELD = 4
    HELD_TO_THE_END = 5
    STARTED_TWICE = 6
    STARTED_LATE = 7
    BEGAN_EARLY = 8
    BEGINS_LATE = 9
    AFTER_END = 10
    AFTER_JOIN = 11
    NEVER_STARTED = 12
    WAITED_WITH_LOCK = 13

    @property
    def words(self) -> str:
        """Completes "the thread ..."."""
        return _WORDS[self]

    @property
    def is_odd(self) -> bool:
        """Whether the fault makes a trace not well-formed. Threads without a start do not: there has to be a first one.
        Nor do waits that give up no lock: there are conditions without locks."""
        return self not in (Fault.NONE, Fault.GIVEN_BACK_INNER, Fault.NEVER_STARTED, Fault.WAITED_WITH_LOCK)

    @property
    def is_reported(self) -> bool:
        """Whether the fault is reported."""
        return self not in (Fault.NONE, Fault.GIVEN_BACK_INNER)


_WORDS: Final = {
    Fault.NONE: "",
    Fault.TAKEN_AGAIN: "takes a lock that it has",
    Fault.GIVEN_BACK_INNER: "gives back a lock that it keeps",
    Fault.TAKEN_WHILE_HELD: "takes a lock that another thread has",
    Fault.NOT_HELD: "gives back a lock that it does not have",
    Fault.HELD_TO_THE_END: "takes a lock that is never given back",
    Fault.STARTED_TWICE: "starts a thread for the second time",
    Fault.STARTED_LATE: "starts a thread that has done something",
    Fault.BEGAN_EARLY: "starts a thread that has begun",
    Fault.BEGINS_LATE: "begins, but not with its first event",
    Fault.AFTER_END: "goes on after its end",
    Fault.AFTER_JOIN: "goes on after it was joined",
    Fault.NEVER_STARTED: "shows without having been started",
    Fault.WAITED_WITH_LOCK: "goes on after a wait that does not say which lock was given up",
}


class FaultState(NamedTuple):
    """For each lock: its holder, how often it was acquired, and the row of the first acquire. For each thread: its
    operations as bits, its first row, how many locks it holds, its last operation, and whether that was a wait that has
    given up none of them so far."""

    holder: Any
    depth: Any
    taken: Any
    life: Any
    first: Any
    holds: Any
    last: Any
    waits: Any


@dataclass(frozen=True, slots=True)
class Findings:
    """The number of rows with each fault, and the first of these rows with their targets in words."""

    counts: Counter[Fault]
    first: dict[Fault, list[int]]
    words: dict[int, str]

    @property
    def is_odd(self) -> bool:
        """Whether the trace has a fault that makes it not well-formed."""
        return any(fault.is_odd for fault, count in self.counts.items() if count)


_STATE: Final = (np.int32, np.int32, np.int64, np.int8, np.int64, np.int32, np.int8, np.int8)

# The history of a thread, as bits.
_ACTED, _BEGAN, _MORE, _STARTED, _ENDED, _JOINED = (1 << bit for bit in range(6))
_ACQUIRE, _RELEASE, _FORK, _JOIN, _BEGIN, _END = (
    int(op) for op in (Op.ACQUIRE, Op.RELEASE, Op.FORK, Op.JOIN, Op.BEGIN, Op.END)
)
_WAIT, _REQUEST, _BRANCH, _RMW = int(Op.WAIT), int(Op.REQUEST), int(Op.BRANCH), int(Op.RMW)
_AGAIN, _INNER, _WHILE_HELD, _NOT_HELD, _WITH_LOCK = (
    int(fault)
    for fault in (
        Fault.TAKEN_AGAIN,
        Fault.GIVEN_BACK_INNER,
        Fault.TAKEN_WHILE_HELD,
        Fault.NOT_HELD,
        Fault.WAITED_WITH_LOCK,
    )
)
_TWICE, _LATE, _EARLY, _BEGINS_LATE, _AFTER_END, _AFTER_JOIN = (
    int(fault)
    for fault in (
        Fault.STARTED_TWICE,
        Fault.STARTED_LATE,
        Fault.BEGAN_EARLY,
        Fault.BEGINS_LATE,
        Fault.AFTER_END,
        Fault.AFTER_JOIN,
    )
)


class Checking:
    """A check that is given a trace part by part, in order."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._rows = 0
        self._counts: Counter[Fault] = Counter()
        self._first: dict[Fault, list[int]] = {}
        self._words: dict[int, str] = {}
        self._threads_of: list[int] = []
        self.state = FaultState(*(np.zeros(0, dtype) for dtype in _STATE))

    def part(self, rows: Columns) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """For each row its fault of locks, and its fault of threads."""
        self._grow()
        locks, lives = np.zeros(rows.rows, np.int8), np.zeros(rows.rows, np.int8)
        threads_of = np.array(self._threads_of, np.int32)
        check_of_locks, check_of_threads = _check_for(rows.rows)
        check_of_locks(rows.thread, rows.op, rows.target, self._rows, self.state, locks)
        check_of_threads(rows.thread, rows.op, rows.target, threads_of, self._rows, self.state, lives)
        for found in (locks, lives):
            for fault, count in enumerate(np.bincount(found).tolist()):
                if fault and count:
                    self._found(Fault(fault), np.flatnonzero(found == fault), rows)
        self._rows += rows.rows
        return locks, lives

    def findings(self) -> Findings:
        """The findings in all parts."""
        counts, first, words = self._counts.copy(), dict(self._first), dict(self._words)
        for fault, found in self._at_the_end():
            counts[fault] = len(found)
            first[fault] = [row for row, _ in found[:SHOWN]]
            for row, text in found[:SHOWN]:
                words.setdefault(row, text)  # the fault of the row itself is more precise
        return Findings(counts, first, words)

    def _found(self, fault: Fault, odd: NDArray[np.int64], rows: Columns) -> None:
        """Enter rows of a part that have a fault."""
        self._counts[fault] += len(odd)
        kept = self._first.setdefault(fault, [])
        for row in odd[: SHOWN - len(kept)].tolist():
            kept.append(self._rows + row)
            kind, name = self._names.targets[int(rows.target[row])]
            self._words[self._rows + row] = f"{self._names.threads[int(rows.thread[row])]}: {kind} {name}".rstrip()

    def _at_the_end(self) -> Iterator[tuple[Fault, list[tuple[int, str]]]]:
        state, names = self.state, self._names
        held = [
            (int(state.taken[lock]), f"{names.threads[int(state.holder[lock])]}: {' '.join(names.targets[lock])}")
            for lock in np.flatnonzero(state.depth > 0).tolist()
        ]
        yield Fault.HELD_TO_THE_END, sorted(held)
        unstarted = [
            (int(state.first[thread]), names.threads[thread])
            for thread in np.flatnonzero((state.life & (_ACTED | _STARTED)) == _ACTED).tolist()
        ]
        yield Fault.NEVER_STARTED, sorted(unstarted)[1:]

    def _grow(self) -> None:
        """Make room for names that are new since the last part."""
        names = self._names
        numbers = {name: number for number, name in enumerate(names.threads)}
        self._threads_of += [
            numbers.get(name, -1) if kind == THREAD else -1 for kind, name in names.targets[len(self._threads_of) :]
        ]
        targets, threads = len(names.targets), len(names.threads)
        sizes = FaultState(targets, targets, targets, *[threads] * 5)
        self.state = FaultState(
            *(
                np.concatenate([old, np.zeros(size - len(old), old.dtype)])
                for old, size in zip(self.state, sizes, strict=True)
            )
        )


def findings_of(parts: Parts) -> Findings:
    """All faults of a trace."""
    checking = Checking(parts.names)
    for rows in parts.rows:
        checking.part(rows)
    return checking.findings()


def _check_for(rows: int) -> tuple[Callable[..., None], Callable[..., None]]:
    return _compiled() if pays(rows, COMPILED_FROM) else (check_locks, check_threads)


@cache
def _compiled() -> tuple[Callable[..., None], Callable[..., None]]:
    return jit(check_locks), jit(check_threads)


# ``before`` is the number of a part's first row. Both functions are compiled for large parts, hence the plain code.


def check_locks(thread, op, target, before, state, faults) -> None:  # type: ignore[no-untyped-def]
    """Enter into ``faults`` [rows] the code of each row's fault of locks; compiled for long traces."""
    holder, depth, taken, holds, last, waits = (
        state.holder,
        state.depth,
        state.taken,
        state.holds,
        state.last,
        state.waits,
    )
    for row in range(len(thread)):
        t, lock, done = thread[row], target[row], op[row]
        if done == _REQUEST or (done >= _BRANCH and done != _RMW):  # touches nothing shared
            continue
        if waits[t] and done != _RELEASE:
            faults[row] = _WITH_LOCK
        waits[t] = done == _WAIT and last[t] != _RELEASE and holds[t] > 0
        last[t] = done
        if done == _ACQUIRE:
            if depth[lock] > 0 and holder[lock] == t:
                faults[row] = _AGAIN
                depth[lock] += 1
                continue
            if depth[lock] > 0:
                faults[row] = _WHILE_HELD
                holds[holder[lock]] -= 1
            holds[t] += 1
            holder[lock], depth[lock], taken[lock] = t, 1, before + row
        elif done == _RELEASE:
            if depth[lock] == 0 or holder[lock] != t:
                faults[row] = _NOT_HELD
                continue
            depth[lock] -= 1
            if depth[lock] > 0:
                faults[row] = _INNER
            else:
                holds[t] -= 1


def check_threads(thread, op, target, threads_of, before, state, faults) -> None:  # type: ignore[no-untyped-def]
    """Enter into ``faults`` [rows] the code of each row's fault of threads; compiled for long traces."""
    life, first = state.life, state.first
    for row in range(len(thread)):
        t, done = thread[row], op[row]
        bits = life[t]
        if bits & _ENDED:
            faults[row] = _AFTER_END
        elif bits & _JOINED:
            faults[row] = _AFTER_JOIN
        elif done == _BEGIN and bits & _ACTED:
            faults[row] = _BEGINS_LATE
        if not bits & _ACTED:
            first[t] = before + row
        life[t] |= _ACTED | (_BEGAN if done == _BEGIN else _MORE) | (_ENDED if done == _END else 0)
        other = threads_of[target[row]]
        if done == _JOIN and other >= 0:
            life[other] |= _JOINED
        elif done == _FORK:
            bits = life[other]
            if bits & _STARTED:
                faults[row] = _TWICE
            elif bits & _MORE:
                faults[row] = _LATE
            elif bits & _BEGAN:
                faults[row] = _EARLY
            life[other] |= _STARTED
