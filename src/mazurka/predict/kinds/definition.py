"""The protocol of a kind of bugs: the candidates, the claim, the question to the causal model, and the words. And the
places of rows: candidates at the same places are the same bug."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

if TYPE_CHECKING:
    from mazurka.causal.question import Question
    from mazurka.trace.event import Op
    from mazurka.trace.trace import Trace
    from mazurka.witness.witness import Claim

#: Rows of a trace that may make up a bug, or do.
Rows = tuple[int, ...]


#: The most candidates of one signature that are decided; if there are more, and none of these is a bug, it is
#: undecided.
LIMIT: Final = 500


def place_of(trace: Trace, row: int) -> int:
    """The location of a row in the source; if the trace has none, a number that stands for the variable."""
    site = int(trace.site[row])
    return site if site >= 0 else -2 - int(trace.target[row])


class Doing(NamedTuple):
    """One of the events that make up a bug, as sentences name it. For a call ``target`` is the call; ``had`` is its
    result in the trace, ``gives`` its result in the order that shows the bug, both in words."""

    thread: str
    op: Op
    target: str
    had: str = ""
    gives: str = ""


class Definition(Protocol):
    """The functions of a kind's file."""

    @staticmethod
    def candidates(trace: Trace, thorough: bool) -> Iterable[Rows]:
        """Rows that may make up such a bug; ``thorough``: also candidates that others at the same places imply."""
        ...

    @staticmethod
    def claim(rows: Rows) -> Claim:
        """The claim about the rows."""
        ...

    @staticmethod
    def question(rows: Rows, trace: Trace) -> Question:
        """The question to the trace's causal model."""
        ...

    @staticmethod
    def sentence(events: Sequence[Doing]) -> str:
        """The error, in a sentence."""
        ...

    @staticmethod
    def ending(events: Sequence[Doing]) -> str:
        """The words for the end of the order that shows the bug."""
        ...
