"""Accesses that may come between two consecutive ones of a place by another thread, so that no serial order explains
the three: read-write-read, write-write-read, read-write-write and write-read-write (Lucia et al., ISCA 2008).

Whether the code between the two was meant to be indivisible the trace does not tell. An order in which all three
happen like that is for the model to find.

Cost: the number of pairs of consecutive accesses times that of other threads' accesses of the place, at most
``nearest`` to each side per thread.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

import numpy as np

from mazurka.predict.conflicts import is_data
from mazurka.trace.columns import columns_of
from mazurka.trace.event import WRITES, Op
from mazurka.trace.trace import Trace

#: The kind of a finding.
INTRUSION: Final = "atomicity"

_DATA: Final = (int(Op.READ), int(Op.WRITE), int(Op.RMW))

#: Which of the three write.
_UNSERIALISABLE: Final = {(False, True, False), (True, True, False), (False, True, True), (True, False, True)}


def intrusions_of(trace: Trace, nearest: int | None = None) -> Iterator[tuple[int, int, int]]:
    """(first, between, last)."""
    thread, op, target, _, _ = columns_of(trace)
    writes = [WRITES[each] for each in op.tolist()]
    rows = np.flatnonzero(np.isin(op, _DATA))
    by_place: dict[int, dict[int, list[int]]] = {}
    for row, t, x in zip(rows.tolist(), thread[rows].tolist(), target[rows].tolist(), strict=True):
        by_place.setdefault(x, {}).setdefault(t, []).append(row)
    for x, by_thread in by_place.items():
        if len(by_thread) > 1 and is_data(trace.targets[x]):
            for own in by_thread.values():
                others = [theirs for theirs in by_thread.values() if theirs is not own]
                yield from _between(own, others, writes, nearest)


def _between(
    own: list[int], others: list[list[int]], writes: list[bool], nearest: int | None
) -> Iterator[tuple[int, int, int]]:
    for first, last in pairwise(own):
        for theirs in others:
            here = bisect_left(theirs, last)
            near = theirs if nearest is None else theirs[max(0, here - nearest) : here + nearest]
            for between in near:
                if (writes[first], writes[between], writes[last]) in _UNSERIALISABLE:
                    yield first, between, last
