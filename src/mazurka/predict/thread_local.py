"""Rows that no other thread can observe: they are left out of a model and put back into its answers.

A thread's accesses of a location that no other thread touches give the same values if the thread's earlier reads do, so
that they add no constraints (nor does their absence). In an order they come as late as possible: right before their
thread's next other row. So the last row before a thread is joined is not among them. In traces of programs these are
mostly more than half of the rows.

Cost: some 20 ns a row when made, and as much for each row of an order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from mazurka.trace.columns import columns_of
from mazurka.trace.event import Op
from mazurka.trace.indexes import of_several, order_by
from mazurka.trace.trace import Trace

_ACCESSES: Final = np.isin(np.arange(len(Op)), (Op.READ, Op.WRITE, Op.RMW))


class ThreadLocalEvents:
    """The thread-local rows of one trace, each of whose rows is a step of its own."""

    def __init__(self, trace: Trace) -> None:
        self._thread, op, target, _, _ = columns_of(trace)
        kept = of_several(self._thread, target, len(trace.targets))[target] | ~_ACCESSES[op]
        kept[_last_before_joins(trace)] = True
        self._own = order_by(self._thread)
        self._place = np.empty(len(trace), np.int32)
        self._place[self._own] = np.arange(len(trace), dtype=np.int32)
        after = np.where(kept[self._own], np.arange(1, len(trace) + 1), 0)
        after = np.append(0, np.maximum.accumulate(after))[: len(trace)]
        starts = np.append(0, np.cumsum(np.bincount(self._thread, minlength=len(trace.threads))))
        self._since = np.maximum(after, starts[self._thread[self._own]])[self._place]  # by row: after the last kept one
        self._kept = kept
        self.others: Any = np.flatnonzero(kept).astype(np.int32)

    def are_others(self, rows: Iterable[int]) -> bool:
        """Whether none of ``rows`` is thread-local."""
        return all(bool(self._kept[row]) for row in rows)

    def put_back(self, order: Sequence[int], standing: Sequence[int]) -> tuple[int, ...]:
        """An order of other rows with the thread-local rows put back: before each of its rows, and before the rows in
        ``standing``, before which threads stand."""
        chosen = np.array([*order, *standing], np.int64)
        begin, end = self._since[chosen], self._place[chosen] + (np.arange(len(chosen)) < len(order))
        sizes = end - begin
        inside = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return tuple(self._own[np.repeat(begin, sizes) + inside].tolist())


def _last_before_joins(trace: Trace) -> list[int]:
    found = []
    _, op, target, _, _ = columns_of(trace)
    for row in np.flatnonzero(op == Op.JOIN).tolist():
        thread = int(trace.thread_of_target[target[row]])
        own: Any = trace.rows_of_thread[thread] if thread >= 0 else ()
        here = int(np.searchsorted(own, row))
        found += [int(own[here - 1])] if here else []
    return found
