"""Every prediction of a kind, of the model's or of SeqCheck's: all candidates are asked about, those that others imply,
too. The predictors for users look for each place once (:mod:`mazurka.predict.engines`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mazurka.predict.kinds.definition import Rows
from mazurka.predict.kinds.registry import definition
from mazurka.predict.questions import Questions, Verdict
from mazurka.predict.seqcheck.engine import SeqCheck
from mazurka.trace.trace import Trace
from mazurka.witness.witness import Claim


def by_the_model(trace: Trace, kind: str, window: int | None = None) -> Iterator[tuple[Rows, Verdict]]:
    """The verdict of the maximal causal model on each."""
    return _answers(trace, kind, Questions(trace, window).ask)


def by_seqcheck(trace: Trace, kind: str) -> Iterator[tuple[Rows, Verdict]]:
    """The verdict of SeqCheck, or of the complete solver where SeqCheck does not decide."""
    return _answers(trace, kind, SeqCheck(trace).prove)


def _answers(trace: Trace, kind: str, ask: Callable[[Claim], Verdict]) -> Iterator[tuple[Rows, Verdict]]:
    known = definition(kind)
    for rows in known.candidates(trace, True):
        yield rows, ask(known.claim(rows))
