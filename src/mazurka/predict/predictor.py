"""The protocol of predictors: from a trace to the bugs in its other orders.

A predictor takes a trace of any origin, and yields the bugs that its causal model proves reachable: each with its
witness, which :mod:`mazurka.witness` checks independently. With the program at hand, the witness is also executed
before the bug is reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from mazurka.lazy_dataclass import dataclass
from mazurka.trace.ids import Row
from mazurka.trace.trace import Trace
from mazurka.witness.witness import Witness


@dataclass(frozen=True, slots=True)
class PredictedBug:
    """A bug that another order of a trace shows: its kind, the rows of the trace that make it up, and its witness."""

    kind: str
    rows: tuple[Row, ...]
    witness: Witness


class Predictor(Protocol):
    """Finds one kind of bug in traces; see the module."""

    kind: str

    def predict(self, trace: Trace) -> Iterator[PredictedBug]:
        """The bugs that the trace proves reachable, computed one by one as the iterator advances."""
        ...
