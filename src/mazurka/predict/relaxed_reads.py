"""The reads of an order that return other values than in the trace; a witness lists them as ``unread``.

A read gives the same value if it takes it from its source in the trace, or from a write of an equal recorded value, and
no read before that write in its thread gives another value (:mod:`mazurka.causal.model`).

Cost: one pass over the trace when made, one over each order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import Final

from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.trace import NO_VALUE, Trace

_INITIAL: Final = -1
_DATA: Final = frozenset({Op.READ, Op.WRITE, Op.RMW})


class RelaxedReads:
    """Finds such reads for many orders of one trace, each of whose rows is a step of its own."""

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
                self._sources[row] = source = self._written.get(target, [_INITIAL])[-1]
                if source == _INITIAL:
                    self._initial[target] = self._value[row]
            if self._writes[row]:
                self._written.setdefault(target, []).append(row)

    def of(self, order: Iterable[int], prefix: int = 0) -> frozenset[int]:
        """The relaxed reads of an order of rows, after the first ``prefix`` rows of the trace."""
        last: dict[int, int] = {}
        found: set[int] = set()
        broken: set[int] = set()  # threads that have read another value
        doubtful: set[int] = set()  # writes by such threads
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
        return written[number - 1] if number else _INITIAL

    def _equal(self, row: int, source: int) -> bool:
        if row in self._updates:  # one value is recorded for their read and their write
            return False
        value = self._initial.get(self._target[row], NO_VALUE) if source == _INITIAL else self._value[source]
        return bool(value == self._value[row] != NO_VALUE)
