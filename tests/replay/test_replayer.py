"""A schedule replays on the program it was made from, and a program that does something else is caught at that step."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.oracle.language import Assert, Lock, Read, SmallProgram, Unlock, Write
from tests.oracle.program import OracleProgram

from mazurka.errors import MazurkaError
from mazurka.program.protocol import Continuation, Plan
from mazurka.replay.codec import from_json, from_token, to_json, to_token
from mazurka.replay.replayer import Ending, replay
from mazurka.replay.schedule import Schedule, record_schedule

_ADD = (Read("seen", "x"), Write("x", "seen+1"))
_CHECK = (Read("end", "x"), Assert("end==2"))
_SMALL = SmallProgram(threads=(_ADD, _ADD), after=_CHECK)


def _recorded(small: SmallProgram = _SMALL) -> tuple[OracleProgram, Schedule]:
    program = OracleProgram(small)
    for seed in range(1000):
        run = program.execute(Plan(then=Continuation.RANDOM, seed=seed))
        if run.failures:
            detailed = program.execute(Plan(run.schedule(), detail=True))
            return program, record_schedule(detailed, program, detailed.failures[0], target="small")
    raise AssertionError("no random run fails")


def test_the_failure_comes_back_every_time() -> None:
    program, schedule = _recorded()
    result = replay(program, schedule, times=20)
    assert (result.ending, result.reproduced, result.times) == (Ending.REPRODUCED, 20, 20)
    assert result.failure is not None
    assert not result.program_changed


def test_file_and_token_replay_alike() -> None:
    program, schedule = _recorded()
    for read in (from_json(to_json(schedule)), from_token(to_token(schedule))):
        assert replay(program, read).ending is Ending.REPRODUCED


def test_a_repaired_program_diverges_at_the_first_step_that_differs() -> None:
    _, schedule = _recorded()
    guarded = (Lock("m"), *_ADD, Unlock("m"))
    repaired = OracleProgram(SmallProgram(threads=(guarded, guarded), after=_CHECK))
    result = replay(repaired, schedule)
    assert result.ending is Ending.DIVERGED
    assert result.program_changed
    assert result.difference is not None
    assert result.difference.number == 1
    text = str(result.difference)
    assert "expected: thread 0.1, read of var x" in text
    assert "actual:   thread 0.1, acquire of lock m" in text


def test_a_run_that_ends_early_says_so() -> None:
    program, schedule = _recorded()
    longer = replace(schedule, prefix=(*schedule.prefix, "0.1"), steps=(*schedule.steps, schedule.steps[-1]))
    result = replay(program, longer)
    assert result.ending is Ending.DIVERGED
    assert result.difference is not None
    assert result.difference.number == len(longer.prefix)


def test_the_same_steps_without_the_failure() -> None:
    _, schedule = _recorded()
    harmless = OracleProgram(replace(_SMALL, after=(_CHECK[0], Assert("end>0"))))
    assert replay(harmless, schedule).ending is Ending.NO_FAILURE


def test_another_failure_is_not_taken_for_it() -> None:
    program, schedule = _recorded()
    other = replace(schedule, failure=replace(schedule.failure, fingerprint="0" * 16))
    assert replay(program, other).ending is Ending.OTHER_FAILURE


def test_a_moved_line_without_a_text_is_another_step() -> None:
    program, schedule = _recorded()
    moved = tuple(replace(step, line=step.line + 1) for step in schedule.steps)
    assert replay(program, replace(schedule, steps=moved)).ending is Ending.DIVERGED  # no text to go by


def test_a_token_is_not_replayed_on_another_program() -> None:
    _, schedule = _recorded()
    other = OracleProgram(SmallProgram(threads=(_ADD,)))
    with pytest.raises(MazurkaError, match="another program") as caught:
        replay(other, from_token(to_token(schedule)))
    assert caught.value.slug == "schedule-other-program"
