"""Deadlocks, atomicity violations and order violations by SeqCheck (Algorithm 5, its other loops).

Each kind has its candidates, and each candidate is a claim about an order (:mod:`mazurka.witness.witness`) that
SeqCheck proves or refutes. Departs from the source: deadlocks are of any number of threads, which have to stand
before their acquires at once (no sequence is picked for them); and all three-event patterns that no serial order
explains are asked about, not only write-write-read.

Cost: that of finding candidates, and some microseconds for each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from mazurka.causal.solver import Unknown
from mazurka.predict.kinds.registry import definition
from mazurka.predict.predictor import Prediction
from mazurka.predict.seqcheck.engine import SeqCheck
from mazurka.trace.trace import Trace
from mazurka.witness.witness import Witness


@dataclass(slots=True)
class SeqCheckKind:
    """Finds one of these kinds; ``undecided`` counts candidates of which nobody knows."""

    kind: str
    asked: int = field(default=0, init=False)
    undecided: int = field(default=0, init=False)

    def predict(self, trace: Trace) -> Iterator[Prediction]:
        """All there are."""
        check = SeqCheck(trace)
        kind = definition(self.kind)
        for rows in kind.candidates(trace, False):
            self.asked += 1
            answer = check.prove(kind.claim(rows))
            if isinstance(answer, Witness):
                yield Prediction(self.kind, rows, answer)
            self.undecided += isinstance(answer, Unknown)
