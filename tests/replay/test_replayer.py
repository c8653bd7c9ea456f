"""A schedule replays on the program it was made from, and a program that does something else is caught at that step."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.oracle.language import Assert, Lock, Read, SmallProgram, Unlock, Write
from tests.oracle.program import OracleProgram

from mazurka.errors import MazurkaError
from mazurka.program.protocol import Plan, TailPolicy
from mazurka.replay.codec import from_json, from_token, to_json, to_token
from mazurka.replay.replayer import Ending, replay, same_step
from mazurka.replay.schedule import SavedStep, Schedule, record_schedule

_ADD = (Read("seen", "x"), Write("x", "seen+1"))
_CHECK = (Read("end", "x"), Assert("end==2"))
_SMALL = SmallProgram(threads=(_ADD, _ADD), after=_CHECK)


def _recorded(small: SmallProgram = _SMALL) -> tuple[OracleProgram, Schedule]:
    program = OracleProgram(small)
    for seed in range(1000):
        run = program.execute(Plan(tail=TailPolicy.RANDOM, seed=seed))
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


_STEP = SavedStep("0.1", "read", "bank.accounts['anna'].v", "app/bank.py", 7, "pay", "account.v += 1", 1)


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({}, True),
        ({"line": 9}, True),
        ({"line": 9, "text": "account.v -= 1"}, False),
        ({"file": "/elsewhere/bank.py"}, True),
        ({"file": "app/shop.py"}, False),
        ({"function": "take"}, False),
        ({"function": "<listcomp>"}, True),
        ({"thread": "0.2"}, False),
        ({"operation": "write"}, False),
        ({"target": "account.v"}, True),
        ({"target": "bank.accounts['anna'].w"}, False),
    ],
    ids=str,
)
def test_what_makes_a_step_the_recorded_one(change: dict[str, Any], same: bool) -> None:
    assert same_step(_STEP, replace(_STEP, **change)) is same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("d['a']", "d['b']", False),
        ("d (keys)", "d (values)", False),
        ("dict#0.1.2 (keys)", "table (keys)", True),
        ("cache['/tmp/x1/m.py']", "cache['/tmp/y2/m.py']", True),
    ],
)
def test_targets_are_compared_by_what_is_touched_of_them(one: str, other: str, same: bool) -> None:
    assert same_step(replace(_STEP, target=one), replace(_STEP, target=other)) is same


def test_the_standard_library_of_another_python_may_differ() -> None:
    step = replace(_STEP, file="lib/python/queue.py", target="queue")
    other = replace(step, line=99, text="with self.mutex:", function="put_nowait")
    assert not same_step(step, other)
    assert same_step(step, other, same_python=False)
    assert not same_step(_STEP, replace(_STEP, text="other"), same_python=False)


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
