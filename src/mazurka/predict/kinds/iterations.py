"""Containers that another thread resizes while a thread iterates over them, which raises RuntimeError. They are
read-write-read triples of the container's structure, candidates for atomicity violations.

A recording has a read of the structure where an iteration begins and at each of its steps, all of one place in the
source. It does not show where one iteration ends and the next begins; but the first two reads of a thread at a place
are of one iteration. A change between these two is a change during the iteration, so only these reads are considered.
An operation that resizes a container reads and writes its structure at once (RMW). Lists are left out: they are
iterated over by index.

No iteration are reads at a place without a column, those of truth tests; two between which the thread did something
else, such as a wait on a condition, since the first step follows the beginning at once; and two between which the trace
has a change, since the second would have failed.

Cost: a pass over the accesses of structures.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

import numpy as np

from mazurka.predict.fast_path import needs_of
from mazurka.trace.columns import Columns, columns_of
from mazurka.trace.event import Op
from mazurka.trace.targets import Kind, kind_of
from mazurka.trace.trace import Trace

#: Containers whose iterators raise an error after a change of size, as recordings name them.
RESIZED: Final = re.compile(r"(dict|set|deque|OrderedDict|defaultdict|Counter)#\d+")

#: The number of changes by another thread that are tried before an iteration, and after it: the nearest.
_NEAREST: Final = 8


def resizings_of(trace: Trace) -> Iterator[tuple[int, int, int]]:
    """(a read, a change by another thread, the next read of the iteration)."""
    places = [x for x, name in enumerate(trace.targets) if _may_be_resized(name)]
    columns = columns_of(trace)
    rows = np.flatnonzero(np.isin(columns.target, places)) if places else np.zeros(0, np.int64)
    begun: dict[tuple[int, int, int], int] = {}  # by thread, target and site: the first read; -1 once there were two
    pairs: list[tuple[int, int, int]] = []
    changes: dict[int, list[int]] = {}
    changed: dict[int, int] = {}  # by target: the row of its latest change
    tests = places_of_tests(trace)
    thread, op, target, site = (
        column[rows].tolist() for column in (columns.thread, columns.op, columns.target, columns.site)
    )
    for row, t, done, x, where in zip(rows.tolist(), thread, op, target, site, strict=True):
        if done == Op.RMW:
            changes.setdefault(x, []).append(row)
            changed[x] = row
        elif done == Op.READ and where >= 0 and where not in tests:
            first = begun.setdefault((t, x, where), row)
            if first >= 0 and first != row:
                begun[t, x, where] = -1
                if changed.get(x, -1) < first and _goes_on(columns, first, row):
                    pairs.append((first, row, x))
    yield from between(trace, pairs, changes)


def between(
    trace: Trace, pairs: list[tuple[int, int, int]], changes: dict[int, list[int]]
) -> Iterator[tuple[int, int, int]]:
    """The triples of two reads of an iteration and a possible change by another thread between them."""
    who = columns_of(trace).thread
    for first, last, x in pairs:
        theirs = [row for row in changes.get(x, ()) if who[row] != who[first]]
        here = bisect_left(theirs, last)
        near = np.array(theirs[max(0, here - _NEAREST) : here + _NEAREST], np.int32)
        needs = needs_of(trace, near) if len(near) else ()
        for number, row in enumerate(near.tolist()):
            if needs[number][who[first]] < last:  # otherwise the change comes after the iteration in every order
                yield first, row, last


def _goes_on(columns: Columns, first: int, last: int) -> bool:
    """Whether the rows of a thread between two of its reads are of the same place, and reads."""
    between = slice(first + 1, last)
    own = columns.thread[between] == columns.thread[first]
    others = (columns.site[between] != columns.site[first]) | (columns.op[between] != Op.READ)
    return not bool((own & others & ~np.isin(columns.op[between], (Op.BRANCH, Op.POINT))).any())


def places_of_tests(trace: Trace) -> frozenset[int]:
    """The places of truth tests, which have a line and no column."""
    return frozenset(number for number, each in enumerate(trace.locations) if each.line and not each.column)


def _may_be_resized(name: object) -> bool:
    return isinstance(name, tuple) and kind_of(name) is Kind.STRUCTURE and RESIZED.fullmatch(str(name[-1])) is not None
