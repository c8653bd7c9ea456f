"""Prefers, among the possible executions, the first in which one place in the source reads the write of another.

A thread fails because of the values it has read: ``None`` where an object was, a key that is gone, a stale count. So,
before any new run, each possible execution is judged by the values that it makes a step read (dissertation ch. 3.1.3,
where the property is asked of the model: "can this read give this value?"). The effect of another value on a step is
not known before it has been executed; but each pair of a reading and a writing place in the source is a chance of its
own, and further executions for the same pair mostly show the same. So the first candidate for a pair is *promising*.

Invariant: a pair is promising once. There are finitely many, so no execution is postponed for ever.

Departure from the source: there properties are stated by hand (checks.py finds and predicts properties in the program's
source). Two variants were tried. A preference for reads of ``None``, of deleted objects and of zero finds failures no
sooner on the whole, and later where zero is an ordinary value. Leaving out the pairs that runs have shown by themselves
is worse than no preference for some programs. Figures: benchmarks/prediction.py. Pairs of locations as a measure of
coverage: Yu, Narayanasamy, Pereira, Pokam, OOPSLA 2012 ("Maple").

Cost: a set look-up for each possible execution.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from mazurka.causal.history import INITIAL
from mazurka.trace.targets import is_data

#: The place of the site in a step, as :meth:`.Run.entries` has it.
_SITE: Final = 3


class CoverageHeuristic:
    """Keeps the pairs that have been promising."""

    def __init__(self) -> None:
        self.promised: set[tuple[int, Any]] = set()

    def promises(self, log: Sequence[Any], step: int, reads: Iterable[tuple[Any, int]]) -> bool:
        """Whether an execution is the first in which the place of a step of the log (-1: of no step) reads from the
        places of the writes in ``reads``, as (target, source)."""
        if step < 0:
            return False
        pairs = {
            (log[step][_SITE], _origin(log, target, source))
            for target, source in reads
            if is_data(target) and source < len(log)
        }
        new = not pairs <= self.promised
        self.promised |= pairs
        return new


def _origin(log: Sequence[Any], target: Any, source: int) -> Any:
    """The writing site; for an initial value the location, without its object's number in this run."""
    if source != INITIAL:
        return log[source][_SITE]
    return (target[0], *target[2:]) if len(target) > 2 else target
