"""Data races: two conflicting accesses of different threads that can both be next.

Candidates are the pairs that the fast path (fast_path.py) does not exclude: they have no common lock and are not weakly
ordered. The later access comes last.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mazurka.causal.question import Question
from mazurka.predict.fast_path import candidates_of
from mazurka.predict.kinds.definition import Doing, Rows
from mazurka.trace.ids import StepIndex
from mazurka.trace.trace import Trace
from mazurka.witness.witness import Claim, Races


def candidates(trace: Trace, thorough: bool) -> Iterable[Rows]:  # none of them implies another
    """See :class:`~mazurka.predict.kinds.registry.Definition`."""
    found = candidates_of(trace)
    return ((partner, found.row[number]) for number in range(len(found)) for partner in found.partners(number))


def claim(rows: Rows) -> Claim:
    """The claim that both accesses are next."""
    return Races(*map(StepIndex, rows))


def question(rows: Rows, trace: Trace) -> Question:  # the same for any trace
    """Whether both can be next."""
    return Question(next=rows)


def sentence(events: Sequence[Doing]) -> str:
    """The words of the finding: the threads and the variable."""
    return (
        f"nothing orders accesses of {events[0].target} by {', '.join(dict.fromkeys(each.thread for each in events))}"
    )


def ending(events: Sequence[Doing]) -> str:  # of all races
    """How the order ends."""
    return "then both accesses are enabled"
