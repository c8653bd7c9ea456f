"""The search that leaves out the orders in which threads look at the clock.

Each look shows no less than the one before it, whichever thread makes it. So `n` looks of one thread beside `m` of
another have `(n + m)! / (n! m!)` orders, which most programs can't distinguish: threads compare times of
their own. Where the first search has not ended in half of its time, and threads look at the clock, another one takes
each thread's looks for its own (``CLOCKS_APART`` in program/runtime/task.py): a time is still never less than those of
the looks that happened before it, and two that nothing orders are the same, or nearly so. The first search goes on from
where it was when the program is checked again.

The second one's proofs are under an assumption, which the first line of the verdict says. A failure that it
finds is as real as any other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from mazurka.explore.outcome import Inconclusive, Outcome, Verified, Violation
from mazurka.program.runtime.task import CLOCK_POINTS, CLOCKS_APART
from mazurka.workflows.timing import merged

#: The assumption where these orders were left out.
ASSUMPTION: Final = "nothing depends on which of several threads looks at the clock first"


def leaves_half(points: set[int], doubts: bool, seconds: float, limit: float | None) -> bool:
    """Whether a search that knows these points is to leave the other half of its time to one without these orders;
    where there are ``doubts`` that can't prove anything either."""
    return limit is not None and seconds > limit / 2 and not doubts and is_wanted(points)


def is_wanted(points: set[int]) -> bool:
    """Whether several threads look at the clock, and the order in which they do so counts."""
    return CLOCK_POINTS in points and CLOCKS_APART not in points


def joined(before: Outcome, after: Outcome) -> Outcome:
    """The result of a search that did not end, and of the one without these orders after it."""
    both = merged(before, after)
    match after.verdict:
        case Violation():
            return replace(both, verdict=after.verdict, complete=False)
        case Verified():
            return replace(both, verdict=after.verdict, complete=True, waits=after.waits, assuming=ASSUMPTION)
        case Inconclusive(reason):
            if after.exhaustive and not after.complete:
                note = f"without the orders in which threads look at the clock, too: {reason}"
                return replace(both, notes=(*both.notes, note))
            return replace(both, verdict=after.verdict)
