"""Traces as columns, and the faults of impossible traces."""

from __future__ import annotations

from typing import Any

from tests.oracle.generate import random_program
from tests.oracle.program import OracleProgram

from mazurka.program.protocol import Access, Plan, Step
from mazurka.trace.event import Location, Op
from mazurka.trace.trace import NO_VALUE, trace_of
from mazurka.trace.wellformed import defects


def step(task: int, op: Op, *target: Any, value: Any = None, more: tuple[Access, ...] = ()) -> Step:
    return Step(task, op, target, 7, True, value, more)


def whats(tasks: list[str], log: list[Step]) -> list[str]:
    return [defect.description for defect in defects(trace_of(tasks, log))]


def test_columns_and_indexes() -> None:
    released = Access(Op.RELEASE, ("lock", "l"))
    log = [
        step(0, Op.WRITE, "var", "x", value=[1]),
        step(1, Op.WAIT, "cond", "c", more=(released,)),
        step(0, Op.READ, "var", "x", value=[1]),
    ]
    trace = trace_of(["0", "0.1"], log)
    assert len(trace) == 4
    assert trace.step.tolist() == [0, 1, 1, 2]
    assert trace.value[0] == trace.value[3] != NO_VALUE == trace.value[1]
    assert [rows.tolist() for rows in trace.rows_of_thread] == [[0, 3], [1, 2]]
    assert trace.rows_of_target[trace.target[0]].tolist() == [0, 3]
    first = next(trace.events(lambda site: Location("f.py", site)))
    assert (first.thread, first.op, first.target, first.value) == ("0", Op.WRITE, "var x", "'[1]'")
    assert str(first.location) == "f.py:7"


def test_the_empty_trace() -> None:
    trace = trace_of([], [])
    assert len(trace) == 0
    assert defects(trace) == []


def test_runs_of_the_oracle_are_well_formed() -> None:
    for number in range(60):
        run = OracleProgram(random_program(number)).execute(Plan())
        assert defects(trace_of(run.tasks, run.log)) == []


def test_lock_taken_while_held() -> None:
    log = [step(0, Op.ACQUIRE, "lock"), step(1, Op.ACQUIRE, "lock")]
    assert whats(["0", "0.1"], log) == ["('lock',) is taken while thread 0 has it"]
    assert whats(["0"], [step(0, Op.ACQUIRE, "lock")] * 2) == []


def test_lock_given_back() -> None:
    held_before = [step(0, Op.RELEASE, "lock")]
    assert whats(["0"], held_before) == []
    assert whats(["0"], held_before * 2) == ["('lock',) is released though no thread holds it"]


def test_life_of_a_thread() -> None:
    child = ("thread", "0.1")
    early = [step(0, Op.FORK, *child), step(1, Op.READ, "x"), step(1, Op.BEGIN, *child)]
    assert whats(["0", "0.1"], early) == ["thread 0.1 does something before it begins"]
    late = [step(1, Op.END, *child), step(1, Op.READ, "x")]
    assert whats(["0", "0.1"], late) == ["thread 0.1 goes on after its end"]
    assert whats(["0", "0.1"], [step(0, Op.JOIN, *child)]) == ["thread 0.1 is joined before its end"]
    twice = [step(0, Op.FORK, *child), step(0, Op.FORK, *child)]
    assert whats(["0", "0.1"], twice) == ["thread 0.1 is started twice, or after it began"]
    begun = [step(1, Op.BEGIN, *child), step(1, Op.BEGIN, *child)]
    assert whats(["0", "0.1"], begun) == ["thread 0.1 begins twice"]
