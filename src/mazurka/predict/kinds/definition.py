"""What the file of a kind of bugs has: which rows may make up such a bug, what is claimed of them, how it is worded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from mazurka.causal.question import Question
    from mazurka.trace.event import Op
    from mazurka.trace.trace import Trace
    from mazurka.witness.witness import Claim

#: Rows of a trace that may make up a bug, or do.
Rows = tuple[int, ...]


class Doing(NamedTuple):
    """One of the events that make up a bug, as sentences name it."""

    thread: str
    op: Op
    target: str


class Definition(Protocol):
    """What the file of a kind has."""

    @staticmethod
    def candidates(trace: Trace, thorough: bool) -> Iterable[Rows]:
        """Rows that may make up such a bug; ``thorough``: also those that others at the same places imply."""
        ...

    @staticmethod
    def claim(rows: Rows) -> Claim:
        """What is claimed of them."""
        ...

    @staticmethod
    def question(rows: Rows, trace: Trace) -> Question:
        """What the trace's causal model is asked about that."""
        ...

    @staticmethod
    def sentence(events: Sequence[Doing]) -> str:
        """What goes wrong, in a sentence."""
        ...

    @staticmethod
    def ending(events: Sequence[Doing]) -> str:
        """Where the order that shows the bug leads to."""
        ...
