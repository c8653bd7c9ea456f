"""Traces whose columns are NumPy's: read in parts, indexed when asked for."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from mazurka.trace.columns import Columns, Names, Parts, assemble, columns_of, joined, parts_of
from mazurka.trace.event import Location, Op
from mazurka.trace.indexes import Rows
from mazurka.trace.trace import NO_VALUE, Trace
from mazurka.trace.wellformed import defects

THREADS = ["T0", "T1"]
TARGETS = [("thread", "T1"), ("var", "x"), ("lock", "L"), ("thread", "T9")]


def columns(rows: list[tuple[int, Op, int]]) -> Columns:
    """Columns of (thread, operation, target), without values, all at location 0."""
    count = len(rows)
    return Columns(
        np.array([row[0] for row in rows], np.int32),
        np.array([row[1] for row in rows], np.int8),
        np.array([row[2] for row in rows], np.int32),
        np.full(count, NO_VALUE, np.int32),
        np.zeros(count, np.int32),
    )


@pytest.fixture
def trace() -> Trace:
    first = columns([(0, Op.FORK, 0), (0, Op.WRITE, 1), (1, Op.BEGIN, 0)])
    second = columns([(1, Op.READ, 1), (1, Op.END, 0), (0, Op.JOIN, 0), (0, Op.JOIN, 3)])
    return assemble(Parts(Names(THREADS, TARGETS, (), [Location("a.c", 3)]), iter([first, second])))


def test_parts_are_joined(trace: Trace) -> None:
    assert len(trace) == 7
    assert columns_of(trace).op.tolist() == [8, 1, 10, 0, 11, 9, 9]
    assert columns_of(trace).thread is trace.thread
    assert [str(event.location) for event in trace.events()] == ["a.c:3"] * 7
    assert [event.target for event in trace.events()][:2] == ["thread T1", "var x"]
    assert defects(trace) == []


def test_a_trace_in_parts_is_the_same(trace: Trace) -> None:
    again = parts_of(trace, rows=3)
    assert again.names.targets == TARGETS
    parts = list(again.rows)
    assert [part.rows for part in parts] == [3, 3, 1]
    assert all(np.array_equal(a, b) for a, b in zip(joined(parts), columns_of(trace), strict=True))


def test_nothing_joined() -> None:
    assert joined([]).rows == 0


def test_rows_are_indexed_when_asked_for(trace: Trace) -> None:
    assert [rows.tolist() for rows in trace.rows_of_thread] == [[0, 1, 5, 6], [2, 3, 4]]
    assert [rows.tolist() for rows in trace.rows_of_target] == [[0, 2, 4, 5], [1, 3], [], [6]]
    assert trace.rows_of_target is trace.rows_of_target
    assert trace.rows_of_target[-1].tolist() == [6]
    assert [rows.tolist() for rows in trace.rows_of_target[1:3]] == [[1, 3], []]
    with pytest.raises(IndexError):
        trace.rows_of_target[4]
    assert len(Rows(np.zeros(0, np.int32), 0)) == 0


def test_targets_that_are_threads(trace: Trace) -> None:
    assert list(trace.thread_of_target) == [1, -1, -1, -1]


def test_checks_do_not_wait_for_numpy() -> None:
    told = "import sys, mazurka.trace.trace, mazurka.trace.wellformed; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", told], check=False).returncode == 0
