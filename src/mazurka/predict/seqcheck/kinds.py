"""Deadlocks, atomicity violations and order violations by SeqCheck (Algorithm 5, its other loops).

Each kind has its candidates, and each candidate is a claim about an order (:mod:`mazurka.witness.witness`) that
SeqCheck proves or refutes. Departs from the source: deadlocks are of any number of threads, which have to stand
before their acquires at once (no sequence is picked for them); and all three-event patterns that no serial order
explains are asked about, not only write-write-read.

Cost: that of finding candidates, and some microseconds for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from mazurka.causal.solver import Unknown
from mazurka.predict.atomicity import ATOMICITY, atomicity_violations_of
from mazurka.predict.deadlocks.lock_cycles import DEADLOCK, circles_of
from mazurka.predict.order_violations import ORDER_VIOLATION, order_violations_of
from mazurka.predict.predictor import Prediction
from mazurka.predict.questions import steps_of
from mazurka.predict.seqcheck.engine import SeqCheck
from mazurka.trace.trace import Trace
from mazurka.witness.witness import AtomicityViolation, Claim, Deadlocks, OrderViolation, Witness

#: What is claimed of a trace, by kind.
CLAIMS: Final[dict[str, Callable[[Trace], Iterator[Claim]]]] = {
    DEADLOCK: lambda trace: map(Deadlocks, circles_of(trace)),
    ATOMICITY: lambda trace: (AtomicityViolation(*rows) for rows in atomicity_violations_of(trace)),
    ORDER_VIOLATION: lambda trace: (OrderViolation(*rows) for rows in order_violations_of(trace, implied=False)),
}


@dataclass(slots=True)
class SeqCheckKind:
    """Finds one of these kinds; ``undecided`` counts candidates of which nobody knows."""

    kind: str
    asked: int = field(default=0, init=False)
    undecided: int = field(default=0, init=False)

    def predict(self, trace: Trace) -> Iterator[Prediction]:
        """All there are."""
        check = SeqCheck(trace)
        for claim in CLAIMS[self.kind](trace):
            self.asked += 1
            answer = check.prove(claim)
            if isinstance(answer, Witness):
                yield Prediction(self.kind, steps_of(claim), answer)
            self.undecided += isinstance(answer, Unknown)
