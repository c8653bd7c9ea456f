"""Checks whether the recorded values of steps are those of the writes before them.

A step records one value, that of its first access: the value read by a READ, written by a WRITE, and for a counter (a
semaphore, a queue) the count after it. A step may read other targets, too (the structure of a list whose element it
reads); if one of these was written since, the value may differ. An RMW of data records too little to predict the next
value.

A counter decreases by one, not below zero, or increases. A failed attempt found it at zero. A lock that other threads
than its holder release (``handed``) is a counter up to one, which means free; a release of a free one fails, and does
not change it.

Cost: one pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.targets import Kind, is_counter, kind_of
from mazurka.trace.trace import NO_VALUE, Trace


class Values:
    """The known values of targets between two steps."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.known: dict[int, tuple[int, int]] = {}  # target -> its value, and when that was recorded
        self.written: dict[int, int] = {}  # target -> when it was last written
        self.read: dict[tuple[int, int], int] = {}  # target, thread -> when the thread last read it
        self._now = 0

    def value(self, target: int) -> object:
        """The known value of a target; None if it is not known."""
        known = self.known.get(target)
        return None if known is None else self.trace.values[known[0]]

    def contradictions_of(self, rows: Sequence[int]) -> Iterator[str]:
        """Take one step, given by its rows; yields the value that contradicts the writes before."""
        trace = self.trace
        self._now += 1
        op, target, recorded = Op(trace.op[rows[0]]), trace.target[rows[0]], trace.value[rows[0]]
        number = is_counter(trace.targets[target])
        if recorded != NO_VALUE and target in self.known and self._contradicts(rows, target, op, recorded, number):
            yield (
                f"step {trace.step[rows[0]]} finds {trace.values[recorded]!r} in {trace.targets[target]}, "
                f"which had {self.value(target)!r}"
            )
        for row in rows:
            self._note(trace.target[row], trace.thread[row], Op(trace.op[row]))
        if recorded != NO_VALUE and (number or op is Op.READ or op is Op.WRITE):
            self.known[target] = (recorded, self._now)

    def _contradicts(self, rows: Sequence[int], target: int, op: Op, recorded: int, number: bool) -> bool:
        """Whether a recorded value contradicts the known one."""
        trace = self.trace
        before, when = self.known[target]
        if number:
            had, has = trace.values[before], trace.values[recorded]
            failed = any(trace.op[row] == Op.REQUEST for row in rows)
            if op is Op.RMW and kind_of(trace.targets[target]) is Kind.HANDED:
                return not (had == 1 or has == 1)
            return not (has == had - 1 >= 0 or has > had) if op is Op.RMW else has != had or (failed and has != 0)
        others = (trace.target[row] for row in rows[1:] if READS[trace.op[row]])
        return op is Op.READ and recorded != before and not any(self.written.get(other, 0) > when for other in others)

    def _note(self, target: int, thread: int, op: Op) -> None:
        if READS[op]:
            self.read[target, thread] = self._now
        if WRITES[op]:
            self.written[target] = self._now
            self.known.pop(target, None)
