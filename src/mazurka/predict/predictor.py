"""The seam between a trace and what other orders of it would show.

A predictor takes a trace, whoever recorded it, and yields what its causal model proves reachable: each with the witness
that proves it, to be judged by :mod:`mazurka.witness`, which knows no predictor. Who has the program, too, runs the
witness before anything is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from mazurka.trace.ids import Row
from mazurka.trace.trace import Trace
from mazurka.witness.witness import Witness


@dataclass(frozen=True, slots=True)
class PredictedBug:
    """Something that another order of a trace shows: its kind, the rows of the trace that make it up, the order."""

    kind: str
    rows: tuple[Row, ...]
    witness: Witness


class Predictor(Protocol):
    """Finds one kind of bug in traces; see the module."""

    kind: str

    def predict(self, trace: Trace) -> Iterator[PredictedBug]:
        """What the trace proves reachable. Stop asking when enough is known: each answer is found when asked for."""
        ...
