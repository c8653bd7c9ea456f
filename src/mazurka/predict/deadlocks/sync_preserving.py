"""Sync-preserving deadlocks: deadlocks in reorderings that keep the order of the sections of each lock.

Definition (Tunc, Mathur, Pavlogiannis, Viswanathan, "Sound Dynamic Deadlock Prediction in Linear Time", PLDI 2023). A
deadlock pattern is a cycle of acquires of different threads, each of a lock that the thread of the next one holds, no
lock being held at two of them (:mod:`mazurka.predict.deadlocks.lock_cycles`). It is a sync-preserving deadlock if the
smallest sync-preserving ideal that contains the predecessors of each acquire in its thread contains none of the
acquires (:mod:`mazurka.order.ideals`): in the order of the trace it is a correct reordering after which all threads
stand before their acquires. So cycles that forks, joins or reads make impossible are excluded, and each deadlock found
is real; but notifications are not matched with waits, so that witnesses of traces with waits have to be checked.

Acquires with the same thread, lock, locks held and place are one abstract acquire; for each cycle of these the first
deadlock is found, in one ideal that only grows, for any number of acquires and threads. Other engines look for
deadlocks that need sections in another order.

Cost: linear in the trace, and for each cycle of abstract acquires linear in the sections and links of its ideal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from mazurka.lazy_dataclass import dataclass
from mazurka.order.sync_preserving import SyncPreserving
from mazurka.predict.deadlocks.lock_cycles import patterns_of
from mazurka.predict.kinds.registry import DEADLOCK
from mazurka.predict.predictor import PredictedBug
from mazurka.trace.ids import Row, StepIndex
from mazurka.trace.trace import Trace
from mazurka.witness.witness import Deadlocks


@dataclass(slots=True)
class SyncDeadlockPredictor:
    """A :class:`~mazurka.predict.predictor.Predictor`; ``patterns`` counts the cycles of abstract acquires."""

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
