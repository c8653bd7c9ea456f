"""The search that leaves out the orders in which threads look at the clock.

Each reading of the clock is no less than the one before it, by any thread. So `n` readings of one thread and `m` of
another have `(n + m)! / (n! m!)` orders, which most programs can't distinguish: threads compare times of their own. If
threads read the clock, and the first search has not ended in half of its time, or in a quarter when at its pace it
can't go through these orders, a second search treats the readings of different threads as independent
(``CLOCKS_APART`` in program/runtime/task.py), unless these orders are too few to save time: a time is still never less
than those of readings that happened before it, and two unordered ones are the same, or nearly so. The first search is
resumed when the program is checked again.

Proofs of the second search rest on an assumption, which the first line of the verdict states. A failure that it finds
is as real as any other.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import comb
from typing import Final

from mazurka.explore.coverage import Coverage
from mazurka.explore.outcome import Inconclusive, Outcome, Verified, Violation
from mazurka.program.protocol import Run
from mazurka.program.runtime.task import CLOCK_POINTS, CLOCKS_APART
from mazurka.trace.event import Op
from mazurka.trace.targets import CLOCK
from mazurka.workflows.timing import merged

#: The assumption if these orders were left out.
ASSUMPTION: Final = "nothing depends on which of several threads looks at the clock first"

#: With no more orders of looks than these, the second search makes half as many runs or more, and has half of the time:
#: the first may end as soon.
_FEW: Final = 2


def leaves_rest(
    points: set[int], doubts: bool, seconds: float, limit: float | None, executions: int, last: Run | None
) -> bool:
    """Whether a search with these points is to leave the rest of its time to one without these orders; not if there are
    ``doubts``, with which that can't prove anything either. ``executions`` have been made, ``last`` is one of them."""
    if limit is None or seconds <= limit / 4 or doubts or not is_wanted(points):
        return False
    orders = orders_of_looks(last) if last is not None else 0
    return orders > (_FEW if seconds > limit / 2 else 2 * executions * limit / seconds)


def _larger(before: Coverage, after: Coverage) -> Coverage:
    """The coverage with the higher bound; that of the search without these orders rests on the assumption."""
    bounds = [-1 if each.bounded is None else each.bounded.preemptions for each in (before, after)]
    return replace(after, assuming=ASSUMPTION) if bounds[1] > bounds[0] else before


def orders_of_looks(run: Run) -> int:
    """The number of orders of a run's readings of the clock, as if no other steps ordered them."""
    orders, total = 1, 0
    for count in Counter(
        step.task for step in run.log if step.point and (step.op, step.target) == (Op.RMW, CLOCK)
    ).values():
        total += count
        orders *= comb(total, count)
    return orders


def is_wanted(points: set[int]) -> bool:
    """Whether several threads read the clock, and the order of the readings counts."""
    return CLOCK_POINTS in points and CLOCKS_APART not in points


def joined(before: Outcome, after: Outcome) -> Outcome:
    """The joint result of a search that did not end, and of the one without these orders after it."""
    both = replace(merged(before, after), coverage=_larger(before.coverage, after.coverage))
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
