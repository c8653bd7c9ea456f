"""Candidates for bugs of each kind in a trace, and the keys by which each bug is searched for only once.

Patent 003, "Maximal Causal Model With Control Flow" and "Implementation": candidates are the pairs that a quick check
(fast_path.py) does not exclude. No bug that the trace proves is missed if all of them are decided. If there are too
many of one signature, or altogether, some are not, which is reported.

*Signature pruning*: once a pair of locations is known to race, other events at the two are skipped
(:attr:`Once.LOCATIONS`). With :attr:`Once.EVENTS` one partner of each racy event is searched for. If the trace has no
locations, accesses of the same variable count as one location.

Cost: one pass.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from enum import Enum
from typing import Final

from mazurka.predict.deadlocks.lock_cycles import LockCycles
from mazurka.predict.kinds.definition import LIMIT, Rows, place_of
from mazurka.predict.kinds.registry import KINDS, definition
from mazurka.trace.trace import Trace

#: The largest number of candidates altogether.
_MOST: Final = 2_000_000


#: Candidates by signature.
Groups = dict[Hashable, list[Rows]]


class Once(Enum):
    """The unit for which one bug is searched for: a set of source locations, or a racy event."""

    LOCATIONS = "locations"
    EVENTS = "events"


def grouped(
    trace: Trace, kind: str, *once: Once, possible: Iterable[Rows] | None = None
) -> tuple[Groups, set[Hashable]]:
    """Candidates by signature; and the signatures with more candidates than are decided. ``possible`` are the
    candidates, if the caller has them already."""
    found: Groups = {}
    left: set[Hashable] = set()
    signatures = [Signatures(trace, kind, each) for each in once]
    possible = definition(kind).candidates(trace, False) if possible is None else possible
    for number, rows in enumerate(possible):
        if number >= _MOST:
            left.add(None)
            break
        for signature in signatures:
            several = found.setdefault(key := signature.of(rows), [])
            if len(several) < LIMIT:
                several.append(rows)
            else:
                left.add(key)
    if isinstance(possible, LockCycles) and not possible.complete:
        left.add(None)
    return found, left


class Signatures:
    """The signatures of rows that make up a bug: one bug is searched for of each signature."""

    def __init__(self, trace: Trace, kind: str, each: Once) -> None:
        self._kind, self._each = KINDS[kind], each
        self._trace = trace

    def of(self, rows: Rows) -> Hashable:
        """The deduplication key of rows: the later event, or the locations of all of them."""
        if self._each is Once.EVENTS:
            return rows[-1]
        places = tuple([place_of(self._trace, row) for row in rows])
        return places if self._kind.is_ordered else tuple(sorted(places))
