"""Traces small enough to be judged by reading them: findings that follow from their events, and others that do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.oracle.predictable import Predictable

from mazurka.causal.solver import Infeasible
from mazurka.predict.questions import Questions
from mazurka.predict.seqcheck.engine import SeqCheck
from mazurka.report.prediction_report import PredictionReport
from mazurka.trace.held_locks import Holding
from mazurka.trace.reading import read_trace
from mazurka.witness.check import objections
from mazurka.witness.witness import Races, Witness
from mazurka.workflows.predicting import Numbered, Request, predict

#: ``reader`` may go round in a loop if it reads x before ``writer`` has written it: no branch is recorded, so any read
#: may be followed by one. Then ``main`` never gets past its join.
_WAITS_FOR_A_WRITE = """\
writer|w(y)|1
writer|w(y)|2
writer|w(x)|3
reader|r(x)|4
main|join(reader)|5
main|r(y)|6
"""

#: The same with locks: ``main`` has l when it joins ``writer``, who would need it, only if ``reader`` has ended.
_JOINS_WITH_A_LOCK = """\
writer|acq(l)|1
writer|w(x)|2
writer|rel(l)|3
reader|r(x)|4
main|join(reader)|5
main|acq(l)|6
main|join(writer)|7
main|rel(l)|8
"""


def _predicted(path: Path, engine: str, *kinds: str) -> PredictionReport:
    report = predict(Numbered(read_trace(str(path))), Request(str(path), engine, kinds))
    assert report.refused == []
    return report


@pytest.mark.parametrize("engine", ["auto", "maximal", "seqcheck"])
def test_a_thread_that_read_something_else_may_not_end(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "trace.std"
    path.write_text(_WAITS_FOR_A_WRITE)
    assert _predicted(path, engine, "atomicity").findings == []
    path.write_text(_WAITS_FOR_A_WRITE + "main|branch|7\n")  # now branches are recorded, and reader has none
    (found,) = _predicted(path, engine, "atomicity").findings
    assert [event.number for event in found.events] == [0, 5, 1]


@pytest.mark.parametrize("engine", ["auto", "maximal"])
def test_nor_be_joined_by_one_who_then_takes_a_lock(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "trace.std"
    path.write_text(_JOINS_WITH_A_LOCK)
    assert _predicted(path, engine, "deadlock").findings == []
    path.write_text(_JOINS_WITH_A_LOCK.replace("reader|r(x)", "reader|w(z)"))
    (found,) = _predicted(path, engine, "deadlock").findings
    assert [event.number for event in found.events] == [0, 6]


def test_what_is_far_away_gets_between_as_well(tmp_path: Path) -> None:
    """Ten accesses of another thread lie between, in the trace, each of them in a place of its own."""
    path = tmp_path / "trace.std"
    other = "".join(f"b|r(x)|{line}\n" for line in range(10, 20))
    path.write_text(f"a|w(x)|1\nb|w(x)|9\n{other}a|w(x)|2\n")
    found = _predicted(path, "auto", "atomicity").findings
    assert {event.number for each in found for event in each.events if event.number in range(2, 12)} == set(
        range(2, 12)
    )
    assert len([each for each in found if [event.number for event in each.events][::2] == [0, 12]]) == 10


def test_each_use_of_what_is_not_ready_is_told(tmp_path: Path) -> None:
    path = tmp_path / "trace.std"
    path.write_text("a|w(x)|1\nb|w(x)|2\n" + "".join(f"b|r(x)|{line}\n" for line in range(10, 20)))
    found = _predicted(path, "auto", "order-violation").findings
    assert {tuple(event.number for event in each.events) for each in found} == {(row, 0) for row in range(1, 12)}


def test_the_locks_that_threads_hold_are_told(tmp_path: Path) -> None:
    """Taken twice, given back out of order, and given up by waiting."""
    path = tmp_path / "trace.std"
    path.write_text(
        "a|acq(l)|1\na|acq(m)|2\na|acq(l)|3\na|rel(m)|4\na|rel(l)|5\na|acq(k)|6\na|w(x)|7\n"
        "b|acq(n)|8\nb|wait(c)|9\nb|rel(n)|9\nb|acq(n)|9\nb|rel(n)|10\nb|w(x)|11\n"
    )
    trace = read_trace(str(path))
    holding = Holding(trace)
    held = [[(trace.targets[lock][1], since) for lock, since in holding.at(row)] for row in range(len(trace))]
    assert held[:7] == [
        [],
        [("l", 0)],
        [("l", 0), ("m", 1)],
        [("l", 0), ("m", 1)],
        [("l", 0)],
        [("l", 0)],
        [("l", 0), ("k", 5)],
    ]
    assert held[7:] == [[], [], [("n", 7)], [], [("n", 10)], []]


def test_a_lock_is_known_however_long_it_is_held(tmp_path: Path) -> None:
    path = tmp_path / "trace.std"
    path.write_text("a|acq(l)|1\n" + "a|acq(m)|2\na|rel(m)|3\n" * 3000 + "a|w(x)|4\n")
    assert [tuple(held) for held in Holding(read_trace(str(path))).at(6001)] == [(0, 0)]


@pytest.mark.parametrize("engine", ["auto", "maximal", "seqcheck"])
def test_an_update_is_not_taken_to_have_read_what_it_wrote(tmp_path: Path, engine: str) -> None:
    """b's update, which wrote 2, could also read a 2: that is not what it read."""
    path, events = tmp_path / "trace.csv", ("a,rmw,x,1", "b,read,x,1", "c,write,x,2", "a,write,x,0", "b,rmw,x,2")
    lines = (f"{event},{number}\n" for number, event in enumerate(events))
    path.write_text("thread,op,target,value,location\n" + "".join(lines))
    found = _predicted(path, engine, "atomicity").findings
    assert (1, 2, 4) in {tuple(event.number for event in each.events) for each in found}


def test_a_thread_that_does_nothing_is_started_before_it_is_joined(tmp_path: Path) -> None:
    """By way of it the first write comes before the last, however the question is asked."""
    path = tmp_path / "trace.std"
    path.write_text("a|w(x)|1\na|fork(c)|2\nb|join(c)|3\nb|w(x)|4\n")
    trace, race = read_trace(str(path)), Races(0, 3)
    assert isinstance(SeqCheck(trace).prove(race), Infeasible)
    assert isinstance(Questions(trace).ask(race), Infeasible)
    assert objections(trace, Witness((2,), claim=race)) == ["step 2 joins a thread before it is started"]
    assert Predictable(trace).races() == set()
