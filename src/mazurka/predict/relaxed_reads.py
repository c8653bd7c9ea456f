"""The reads of an order that return other values than in the trace: those that a witness lists as ``unread``.

A read gives what it gave if it takes its value from the write that it had in the trace, or one of an equal recorded
value, and nothing before that write in its thread gives something else (:mod:`mazurka.causal.model`).

Cost: one pass over the trace when made, one over each order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Final

from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.trace import NO_VALUE, Trace

_NOBODY: Final = -1
_DATA: Final = frozenset({Op.READ, Op.WRITE, Op.RMW})


class RelaxedReads:
    """Finds them for many orders of one trace whose rows are steps of their own."""

    def __init__(self, trace: Trace) -> None:
        self._thread, self._target, self._value = trace.thread.tolist(), trace.target.tolist(), trace.value.tolist()
        self._reads = [op in _DATA and READS[op] for op in trace.op.tolist()]
        self._writes = [op in _DATA and WRITES[op] for op in trace.op.tolist()]
        self._updates = frozenset(row for row, op in enumerate(trace.op.tolist()) if op == Op.RMW)
        self._initial: dict[int, int] = {}
        self._sources: dict[int, int] = {}
        self._written: dict[int, list[int]] = {}
        for row, target in enumerate(self._target):
            if self._reads[row]:
                self._sources[row] = source = self._written.get(target, [_NOBODY])[-1]
                if source == _NOBODY:
                    self._initial[target] = self._value[row]
            if self._writes[row]:
                self._written.setdefault(target, []).append(row)

    def of(self, order: Iterable[int], prefix: int = 0) -> frozenset[int]:
        """Those of an order of rows, after the first ``prefix`` of the trace."""
        last: dict[int, int] = {}
        found: set[int] = set()
        broken: set[int] = set()  # threads
        doubtful: set[int] = set()  # writes of something else
        for row in order:
            target = self._target[row]
            if self._reads[row]:
                source = last[target] if target in last else self._before(target, prefix)
                if source in doubtful or (source != self._sources[row] and not self._equal(row, source)):
                    found.add(row)
                    broken.add(self._thread[row])
            if self._writes[row]:
                last[target] = row
                if self._thread[row] in broken:
                    doubtful.add(row)
        return frozenset(found)

    def _before(self, target: int, row: int) -> int:
        """The last write of a target before a row of the trace."""
        written = self._written.get(target, [])
        number = bisect_left(written, row)
        return written[number - 1] if number else _NOBODY

    def _equal(self, row: int, source: int) -> bool:
        if row in self._updates:  # one value is recorded for their read and their write
            return False
        value = self._initial.get(self._target[row], NO_VALUE) if source == _NOBODY else self._value[source]
        return bool(value == self._value[row] != NO_VALUE)
