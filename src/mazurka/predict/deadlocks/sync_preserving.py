"""Sync-preserving deadlocks: those that show without sections of a lock changing places.

Definition (Tunc, Mathur, Pavlogiannis, Viswanathan, "Sound Dynamic Deadlock Prediction in Linear Time", PLDI 2023). A
deadlock pattern is a circle of acquires of different threads, each of a lock that the thread of the next one holds, no
lock being held at two of them (:mod:`mazurka.predict.deadlocks.lock_cycles`). It is a sync-preserving deadlock if the
smallest sync-preserving ideal that contains what precedes each acquire in its thread contains none of them
(:mod:`mazurka.order.ideals`): taken in the order of the trace it is a correct reordering after which all stand before
their acquires. So a circle that forks, joins or what is read from whom keep apart is none, and each one found is real;
but who is woken by whom is not looked at, so that a trace with waits needs the witnesses checked.

Acquires that are alike (thread, lock, locks held, place) are one abstract acquire; of each circle of those the first
deadlock is found, in one ideal that only grows, whatever the number of acquires. Of any number of threads; deadlocks
that need sections in another order are left to the other engines.

Cost: linear in the trace, and for each circle of abstract acquires linear in the sections and links of its ideal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from mazurka.order.sync_preserving import SyncPreserving
from mazurka.predict.deadlocks.lock_cycles import patterns_of
from mazurka.predict.kinds.registry import DEADLOCK
from mazurka.predict.predictor import PredictedBug
from mazurka.trace.ids import Row, StepIndex
from mazurka.trace.trace import Trace
from mazurka.witness.witness import Deadlocks


@dataclass(slots=True)
class SyncDeadlockPredictor:
    """A :class:`~mazurka.predict.predictor.Predictor`; ``patterns`` counts the circles of abstract acquires met."""

    patterns: int = 0
    kind: str = field(default=DEADLOCK, init=False)

    def predict(self, trace: Trace) -> Iterator[PredictedBug]:
        asked: SyncPreserving | None = None
        for pattern in patterns_of(trace):
            asked = asked or SyncPreserving(trace)
            self.patterns += 1
            rows = asked.first_of(pattern)
            if rows is None:
                continue
            witness = asked.witness(Deadlocks(tuple(StepIndex(int(trace.step[row])) for row in rows)), *rows)
            if witness is not None:
                yield PredictedBug(DEADLOCK, tuple(map(Row, rows)), witness)
