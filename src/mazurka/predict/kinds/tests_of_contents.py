"""Containers that another thread changes between a test of their contents and the next use: ``if jobs: jobs.pop()``.
They are triples of the container's structure, candidates for atomicity violations.

A recording has the truth test of a container as a read of its structure at a place with a line and no column. Of each
thread only the first test of a place counts, with its next access of that structure: later ones are alike. Where that
is a test again, as in a loop, the thread relies on the second one.

Cost: a pass over the accesses of structures.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mazurka.predict.kinds.iterations import between, places_of_tests
from mazurka.trace.columns import columns_of
from mazurka.trace.event import Op
from mazurka.trace.targets import Kind, kind_of
from mazurka.trace.trace import Trace


def outdated_tests_of(trace: Trace) -> Iterator[tuple[int, int, int]]:
    """(a test, a change by another thread, the next access by the thread that tested)."""
    structures = [x for x, name in enumerate(trace.targets) if kind_of(name) is Kind.STRUCTURE]
    columns = columns_of(trace)
    rows = np.flatnonzero(np.isin(columns.target, structures)) if structures else np.zeros(0, np.int64)
    tests = places_of_tests(trace)
    tested: set[tuple[int, int, int]] = set()  # by thread, target and site
    pending: dict[tuple[int, int], int] = {}  # by thread and target: the test that no access has followed yet
    pairs: list[tuple[int, int, int]] = []
    changes: dict[int, list[int]] = {}
    thread, op, target, site = (
        column[rows].tolist() for column in (columns.thread, columns.op, columns.target, columns.site)
    )
    for row, t, done, x, where in zip(rows.tolist(), thread, op, target, site, strict=True):
        first = pending.pop((t, x), None)
        if first is not None and where not in tests:
            pairs.append((first, row, x))
        if done == Op.RMW:
            changes.setdefault(x, []).append(row)
        elif where in tests and (t, x, where) not in tested:
            tested.add((t, x, where))
            pending[t, x] = row
    yield from between(trace, pairs, changes)
