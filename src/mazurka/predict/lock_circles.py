"""Circles of threads each of which may wait for a lock that the next one holds.

A *dependency* is an acquire inside sections of other locks. Dependencies of different threads make a circle if each
takes a lock that the next one holds, and no lock is held in two of them: a common lock would keep them apart (such a
*guard* makes the circle harmless). An acquire that must come before another (quick.py) is none
that can be waited for with it. Whether the threads can get there at once is for the model to say.

Dependencies that are alike in thread, lock, held locks and location are searched as one. Each circle is found once,
from its lowest thread, short ones first.

Cost: one pass over acquires and releases; then exponential at worst in the number of threads of a circle, so that the
search is given up after a number of steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np

from mazurka.predict.quick import needs_of
from mazurka.trace.columns import columns_of
from mazurka.trace.event import Op
from mazurka.trace.trace import Trace

#: The kind of a finding.
DEADLOCK: Final = "deadlock"

#: Steps that the search for circles may take.
_LIMIT: Final = 2_000_000

_LOCKING: Final = (int(Op.ACQUIRE), int(Op.RELEASE))


class _Dependency(NamedTuple):
    thread: int
    lock: int
    held: frozenset[int]
    mask: int  # the same, as bits
    site: int


def circles_of(trace: Trace) -> Iterator[tuple[int, ...]]:
    """The acquires of each circle: each waits for the thread of the next, the last for that of the first."""
    return iter(LockCircles(trace))


def patterns_of(trace: Trace) -> Iterator[list[list[int]]]:
    """Circles that are alike as one: the acquires that each place of theirs can be taken by, ascending."""
    return LockCircles(trace).patterns()


@dataclass(slots=True)
class LockCircles:
    """The circles of a trace, the shortest first. ``complete`` turns false once the search is given up because of the
    steps that it takes."""

    trace: Trace
    limit: int = _LIMIT
    complete: bool = True
    _steps: int = 0
    _longest: int = 0
    _place: dict[int, int] = field(default_factory=dict)  # all acquires of dependencies
    _needs: Any = None  # by their places, and thread

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        for pattern in self.patterns():
            yield from self._apart(pattern, [])

    def patterns(self) -> Iterator[list[list[int]]]:
        """Circles that are alike as one."""
        rows_of = _dependencies(self.trace)
        every = sorted(row for rows in rows_of.values() for row in rows)
        if not every:
            return
        self._place = {row: place for place, row in enumerate(every)}
        self._needs = needs_of(self.trace, every)
        holding: dict[int, list[_Dependency]] = {}
        for each in rows_of:
            for lock in each.held:
                holding.setdefault(lock, []).append(each)
        for length in range(2, len({each.thread for each in rows_of}) + 1):
            for first in rows_of:
                for circle in self._closing([first], first.mask, length, holding, rows_of):
                    yield [rows_of[each] for each in circle]
            if self._longest < length:
                return

    def _closing(
        self,
        path: list[_Dependency],
        held: int,
        length: int,
        holding: dict[int, list[_Dependency]],
        rows_of: dict[_Dependency, list[int]],
    ) -> Iterator[list[_Dependency]]:
        """The circles of so many dependencies that a path is the start of; ``held`` are its locks as bits."""
        self._longest = max(self._longest, len(path))
        closed = path[0].mask >> path[-1].lock & 1
        if len(path) == length or closed:
            if len(path) == length and closed:
                yield list(path)
            return
        for each in holding.get(path[-1].lock, ()):
            self._steps += 1
            self.complete &= self._steps <= self.limit
            if not self.complete:
                return
            if each.thread > path[0].thread and not held & each.mask:
                rows = rows_of[each]
                if all(self._may_be_apart(each.thread, rows, one.thread, rows_of[one]) for one in path):
                    path.append(each)
                    yield from self._closing(path, held | each.mask, length, holding, rows_of)
                    path.pop()

    def _may_be_apart(self, thread: int, rows: list[int], other: int, others: list[int]) -> bool:
        """Whether neither thread's last of some acquires must come before the other's first."""
        return thread != other and rows[-1] > self._need(others[0], thread) and others[-1] > self._need(rows[0], other)

    def _need(self, row: int, thread: int) -> int:
        """The latest row of a thread that must come before an acquire."""
        return int(self._needs[self._place[row], thread])

    def _apart(self, pattern: list[list[int]], chosen: list[int]) -> Iterator[tuple[int, ...]]:
        """Choices of one acquire for each place of which none needs another."""
        if len(chosen) == len(pattern):
            yield tuple(chosen)
            return
        for row in pattern[len(chosen)]:
            thread = int(self.trace.thread[row])
            if all(
                row > self._need(one, thread) and one > self._need(row, int(self.trace.thread[one])) for one in chosen
            ):
                yield from self._apart(pattern, [*chosen, row])


def _dependencies(trace: Trace) -> dict[_Dependency, list[int]]:
    """Outermost acquires of a thread that holds other locks, by what they are."""
    thread, op, target, _, site = columns_of(trace)
    rows = np.flatnonzero(np.isin(op, _LOCKING))
    depths: list[dict[int, int]] = [{} for _ in trace.threads]
    found: dict[_Dependency, list[int]] = {}
    columns = (column[rows].tolist() for column in (thread, op, target, site))
    for row, t, done, lock, place in zip(rows.tolist(), *columns, strict=True):
        held = depths[t]
        if done == Op.ACQUIRE:
            if held and lock not in held:
                found.setdefault(
                    _Dependency(t, lock, frozenset(held), sum(1 << other for other in held), place), []
                ).append(row)
            held[lock] = held.get(lock, 0) + 1
        elif held.get(lock, 0) > 1:
            held[lock] -= 1
        else:
            held.pop(lock, None)
    return found
