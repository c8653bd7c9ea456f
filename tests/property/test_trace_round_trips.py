"""Traces drawn at random, our own runs among them, are the same after having been written and read."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracle.generate import random_program
from tests.oracle.program import OracleProgram
from tests.oracle.traces import random_log

from mazurka.program.protocol import Plan, Step
from mazurka.trace.columns import Parts, assemble, parts_of
from mazurka.trace.event import Event, Location, Op
from mazurka.trace.formats.format import named
from mazurka.trace.locations import location_of, text_of
from mazurka.trace.reading import read_trace
from mazurka.trace.trace import Trace, trace_of
from mazurka.trace.writing import write_trace

EVERYTHING = ("parquet", "csv")


def with_places(trace: Trace, rows: int) -> Parts:
    """In parts of so many rows, at places of all kinds."""
    places = [Location("a.py", 3), Location("a.py", 4, 7), Location("b c.py", 5, 0, "f.<locals>.g"), Location("162", 0)]
    parts = parts_of(trace, rows)
    names = parts.names.__class__(parts.names.threads, parts.names.targets, parts.names.values, places)
    return Parts(names, (part._replace(site=part.target % 5 - 1) for part in parts.rows))


def told(trace: Trace, *without: str) -> list[Event]:
    lacking = dict.fromkeys(without)
    return [Event(**{name: getattr(event, name) for name in event.__slots__} | lacking) for event in trace.events()]


@pytest.mark.parametrize("seed", range(25))
def test_random_traces(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    log = random_log(rng, 30, 4, valued=True, branching=True)
    trace = trace_of(["0", "1", "2", "3"], log)
    whole = assemble(with_places(trace, 1 << 20))
    for kind in EVERYTHING:
        path = tmp_path / f"trace.{kind}"
        assert write_trace(with_places(trace, rng.randrange(1, 9)), path, named(kind)) == []
        assert told(read_trace(path)) == told(whole)


@pytest.mark.parametrize("seed", range(10))
def test_runs_of_our_own(tmp_path: Path, seed: int) -> None:
    """Their targets are tuples of any length, and locks are read by attempts that fail."""
    run = OracleProgram(random_program(seed)).execute(Plan())
    trace = trace_of(run.tasks, run.log)
    for kind in EVERYTHING:
        path = tmp_path / f"trace.{kind}"
        write_trace(parts_of(trace, 7), path, named(kind))
        again = read_trace(path)
        assert told(again, "value", "location") == told(assemble(parts_of(trace)), "value", "location")
        assert write_trace(parts_of(again), tmp_path / "again", named(kind)) == []
        assert told(read_trace(tmp_path / "again", kind)) == told(again)


def test_different_names_stay_different() -> None:
    log = [
        Step(0, Op.WRITE, target, 1, True, value, ())
        for target in (("v", "a b"), ("v", "a", "b"))
        for value in (1, "1")
    ]
    names = parts_of(trace_of(["0"], log)).names
    assert len(set(names.targets)) == len(set(names.values)) == 2


@given(st.text())
def test_any_text_is_a_location(text: str) -> None:
    assert text_of(location_of(text)) == text
