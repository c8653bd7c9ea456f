"""The locks that a thread holds at an event: those that it has acquired before, in the trace, and not released since.

In any reordering it holds the same locks there, since it has done the same. A thread that waits does not hold the locks
that it releases right after the wait (:mod:`mazurka.trace.waits`).

Cost: for each thread that is asked about a pass over its events, and 8 bytes for each acquire or release; then a pass
over these since the locks were acquired.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mazurka.trace.columns import columns_of
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.indexes import order_by
from mazurka.trace.trace import Trace

#: The number of events looked back at first; then eight times as many.
_NEAR: Final = 1 << 5

#: Operations of a thread that may come between its wait and the event with which it goes on.
_GIVING_UP: Final = [op is Op.RELEASE or not (READS[op] or WRITES[op]) for op in Op]


class Held(NamedTuple):
    """A lock, as the number of a target, and the row that acquired it (first, if it is re-entrant)."""

    lock: int
    since: int


class _Sections(NamedTuple):
    """The rows of a thread that enter and leave its outermost critical sections, and the number of open ones after
    each."""

    rows: NDArray[np.int32]
    depth: NDArray[np.int32]


class Holding:
    """Answers for one trace, whose locks are held by one thread at a time."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._columns = columns_of(trace)
        self._sections: dict[int, _Sections] = {}

    def at(self, row: int) -> tuple[Held, ...]:
        """The locks that the thread of a row holds before it, in the order of their acquires."""
        thread = int(self._columns.thread[row])
        if thread not in self._sections:
            self._sections[thread] = self._sections_of(thread)
        rows, depth = self._sections[thread]
        end = int(np.searchsorted(rows, np.int32(self._stands_before(row))))
        many, last, found = int(depth[end - 1]) if end else 0, _NEAR, list[Held]()
        while len(found) < many:
            found = self._open(rows[max(0, end - last) : end])
            if last >= end:
                break
            last *= 8
        return tuple(found)

    def _sections_of(self, thread: int) -> _Sections:
        op, target = self._columns.op, self._columns.target
        rows = np.asarray(self._trace.rows_of_thread[thread], np.int32)
        rows = rows[(op[rows] == Op.ACQUIRE) | (op[rows] == Op.RELEASE)]
        by_lock = rows[order_by(target[rows])]
        change = np.where(op[by_lock] == Op.ACQUIRE, 1, -1)
        after = np.cumsum(change)  # each lock begins where the last one ended: acquires without release stay
        begins = np.append(True, target[by_lock[1:]] != target[by_lock[:-1]])[: len(rows)]
        number = np.maximum.accumulate(np.where(begins, np.arange(len(rows)), 0))
        after -= (after - change)[number]
        outermost = np.where(change > 0, after == 1, after == 0)
        order = np.argsort(by_lock[outermost])
        return _Sections(by_lock[outermost][order], np.cumsum(change[outermost][order], dtype=np.int32))

    def _open(self, rows: NDArray[np.int32]) -> list[Held]:
        """Locks acquired and not released in some rows, with the rows."""
        entered: dict[int, int] = {}
        op, target = self._columns.op[rows].tolist(), self._columns.target[rows].tolist()
        for row, done, lock in zip(rows.tolist(), op, target, strict=True):
            if done == Op.ACQUIRE:
                entered[lock] = row
            else:
                entered.pop(lock, None)
        return [Held(lock, since) for lock, since in sorted(entered.items(), key=lambda each: each[1])]

    def _stands_before(self, row: int) -> int:
        """The row itself; for a wait the thread's next row after the releases that belong to it."""
        if self._columns.op[row] != Op.WAIT:
            return row
        own = self._trace.rows_of_thread[self._columns.thread[row]]
        after = int(np.searchsorted(own, row)) + 1
        while after < len(own) and _GIVING_UP[self._columns.op[own[after]]]:
            after += 1
        return int(own[after]) if after < len(own) else len(self._trace)
