"""The protocol of a kind of bugs: the candidates, the claim, the question to the causal model, and the words. And what
makes candidates the same bug: the places of their rows."""

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


#: So many candidates of one signature are decided; if there are more, and none of these is a bug, it is undecided.
LIMIT: Final = 500


def place_of(trace: Trace, row: int) -> int:
    """The location of a row in the source; where the trace does not have it, that of the variable."""
    site = int(trace.site[row])
    return site if site >= 0 else -2 - int(trace.target[row])


class Doing(NamedTuple):
    """One of the events that make up a bug, as sentences name it. ``target`` of a call is the call; ``had`` is what it
    returned in the trace, ``gives`` what it does in the order that shows the bug."""

    thread: str
    op: Op
    target: str
    had: str = ""
    gives: str = ""


class Definition(Protocol):
    """The functions of a kind's file."""

    @staticmethod
    def candidates(trace: Trace, thorough: bool) -> Iterable[Rows]:
        """Rows that may make up such a bug; ``thorough``: also those that others at the same places imply."""
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
        """Where the order that shows the bug leads to."""
        ...
