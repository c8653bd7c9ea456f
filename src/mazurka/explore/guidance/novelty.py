"""Which of the executions that are known to be possible may fail: the first in which one place reads another's write.

A thread fails because of the values it has read: ``None`` where an object was, a key that is gone, a stale count. So,
before any new run, each possible one is judged by the values that it makes a step read (dissertation ch. 3.1.3, where
the property is asked of the model: "can this read give this value?"). What a step does with another value is not known
before it has been run; but each pair of a reading and a writing place in the source is a chance of its own, and further
executions made for the same pair mostly show the same. So the first candidate for a pair is *promising*.

Invariant: a pair is promised once. There are finitely many, so nothing is put off for ever.

Departs from the source, whose properties are asked for by hand (checks.py finds such as can be read off the program,
and predicts them). Of novelties, preferring reads of ``None``, of deleted things and of zero was tried: it finds
failures no sooner on the whole, and later where zero is an ordinary value; so was leaving
out the pairs that runs have shown unasked, which is worse than no preference for some. Figures:
benchmarks/prediction.py. Pairs of locations as a measure of coverage: Yu, Narayanasamy, Pereira, Pokam,
OOPSLA 2012 ("Maple").

Cost: a set look-up for each execution wanted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from mazurka.causal.history import INITIAL
from mazurka.trace.targets import is_data


class CoverageHeuristic:
    """Remembers the pairs that were promised."""

    def __init__(self) -> None:
        self.promised: set[tuple[int, Any]] = set()

    def promises(self, log: Sequence[Any], step: int, reads: Iterable[tuple[Any, int]]) -> bool:
        """Whether an execution is the first wanted in which the place of a step of the log (-1: of none) gets what
        ``reads``, (target, source), say."""
        if step < 0:
            return False
        pairs = {
            (log[step].site, _origin(log, target, source))
            for target, source in reads
            if is_data(target) and source < len(log)
        }
        new = not pairs <= self.promised
        self.promised |= pairs
        return new


def _origin(log: Sequence[Any], target: Any, source: int) -> Any:
    """The writing site; for an initial value the location, without its object's number in this run."""
    if source != INITIAL:
        return log[source].site
    return (target[0], *target[2:]) if len(target) > 2 else target
