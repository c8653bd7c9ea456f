"""Whatever fails in a generated program can be saved, shrunk, replayed and explained."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracle.generate import programs
from tests.oracle.language import SmallProgram
from tests.oracle.program import OracleProgram

from mazurka.program.protocol import Failure, Plan, Run, TailPolicy
from mazurka.replay.codec import from_json, from_token, to_json, to_token
from mazurka.replay.replayer import Ending, replay
from mazurka.replay.schedule import record_schedule
from mazurka.replay.shrink import Shrunk, shrink
from mazurka.replay.switches import steps_until
from mazurka.report.check_report import CheckReport, Verdict
from mazurka.report.explain import describe
from mazurka.report.finding import Row
from mazurka.report.render import FORMATS, is_binary, rendered

_LINES = 30


def _first_failure(program: OracleProgram) -> tuple[Run, Failure] | None:
    for seed in range(30):
        run = program.execute(Plan(tail=TailPolicy.RANDOM, seed=seed))
        if run.failures:
            return run, run.failures[0]
    return None


def _shrunk(program: OracleProgram) -> Shrunk | None:
    found = _first_failure(program)
    if found is None:
        return None
    run, failure = found
    shrunk = shrink(program, Plan(run.schedule()), failure.identity)
    assert shrunk is not None
    assert shrunk.failure.identity == failure.identity
    assert shrunk.after <= shrunk.before
    return shrunk


@given(programs())
def test_every_failure_replays_from_file_and_token(small: SmallProgram) -> None:
    program = OracleProgram(small)
    shrunk = _shrunk(program)
    if shrunk is None:
        return
    schedule = record_schedule(shrunk.run, program, shrunk.failure, target="small")
    for read in (from_json(to_json(schedule)), from_token(to_token(schedule))):
        assert replay(program, read, times=2).ending is Ending.REPRODUCED


@given(programs())
def test_every_failure_is_explained_by_the_run_itself(small: SmallProgram) -> None:
    program = OracleProgram(small)
    shrunk = _shrunk(program)
    if shrunk is None:
        return
    run = shrunk.run
    finding = describe(run, shrunk.failure, program)
    assert [event.number for event in finding.execution] == list(range(1, steps_until(run, shrunk.failure) + 1))
    assert all(run.tasks[run.log[event.number - 1].task] == event.thread for event in finding.execution)
    explanation = finding.explanation
    rows = [row for row in explanation.rows if isinstance(row, Row)]
    assert rows[-1].failing
    assert [row.step for row in rows] == sorted(row.step for row in rows)
    assert {row.thread for row in rows} == {column.thread for column in explanation.columns}
    for row in rows:
        if not row.failing:
            assert run.tasks[run.log[row.step - 1].task] == row.thread


@pytest.mark.parametrize("form", FORMATS)
@given(small=programs(), seed=st.integers(0, 1000))
def test_any_failing_run_can_be_rendered(form: str, small: SmallProgram, seed: int) -> None:
    program = OracleProgram(small)
    run = program.execute(Plan(tail=TailPolicy.RANDOM, seed=seed, detail=True))
    findings = tuple(describe(run, failure, program, token="mz1-x") for failure in run.failures[:1])
    verdict = Verdict.VIOLATION if findings else Verdict.INCONCLUSIVE
    made = rendered(form, CheckReport("small", verdict, findings=findings))
    assert made if is_binary(form) else made.endswith(b"\n")
    assert form != "text" or len(made.splitlines()) <= _LINES
