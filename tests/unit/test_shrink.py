"""Shrinking keeps the failure, never makes a schedule harder to read, and finds the simplest one of small programs."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracle.language import Assert, If, Lock, Read, SmallProgram, Unlock, Write
from tests.oracle.program import OracleProgram

from mazurka.program.protocol import Plan, TailPolicy
from mazurka.replay.shrink import draw_forward, hasten, put_off, shrink
from mazurka.replay.switches import cost_until, decode_blocks, encode_blocks

_ADD = (Read("seen", "x"), Write("x", "seen+1"))
_LOST = SmallProgram(threads=(_ADD * 3, _ADD * 3, _ADD), after=(Read("end", "x"), Assert("end==7")))
_CROSSED = SmallProgram(
    threads=(
        (Lock("a"), Lock("b"), Unlock("b"), Unlock("a")),
        (Lock("b"), Lock("a"), Unlock("a"), Unlock("b")),
        _ADD * 4,
    )
)
_NAMES = st.lists(st.sampled_from(["0", "0.1", "0.2"]), max_size=30).map(tuple)


def _failing(program: OracleProgram, seed: int) -> Plan:
    """A random plan that fails, drawn from ``seed`` on."""
    for at in range(seed, seed + 2000):
        plan = Plan(tail=TailPolicy.RANDOM, seed=at)
        run = program.execute(plan)
        if run.failures:
            return Plan(run.schedule())
    raise AssertionError("no random run fails")


@pytest.mark.parametrize(("small", "preemptions"), [(_LOST, 1), (_CROSSED, 1)], ids=["lost update", "deadlock"])
@pytest.mark.parametrize("seed", range(0, 200, 20))
def test_the_simplest_schedule_is_found(small: SmallProgram, preemptions: int, seed: int) -> None:
    program = OracleProgram(small)
    plan = _failing(program, seed)
    failure = program.execute(plan).failures[0]
    shrunk = shrink(program, plan, failure.identity)
    assert shrunk is not None
    assert shrunk.failure.identity == failure.identity
    assert shrunk.after <= shrunk.before
    assert shrunk.after.preemptions == preemptions


def test_the_result_replays_strictly_and_is_the_same_every_time() -> None:
    program = OracleProgram(_LOST)
    plan = _failing(program, 0)
    identity = program.execute(plan).failures[0].identity
    first, second = shrink(program, plan, identity), shrink(program, plan, identity)
    assert first is not None
    assert second is not None
    assert first.plan == second.plan
    run = program.execute(Plan(first.plan.prefix, strict=True))
    assert run.divergence is None
    assert run.failures[0].identity == identity
    assert cost_until(run, run.failures[0]) == first.after


@pytest.mark.parametrize("seed", range(0, 100, 20))
def test_a_thread_is_stopped_right_after_what_matters(seed: int) -> None:
    busy = (Read("seen", "x"), Write("y", "1"), Read("other", "y"), Write("y", "2"), Write("x", "seen+1"))
    program = OracleProgram(SmallProgram(threads=(busy, busy), after=(Read("end", "x"), Assert("end==2"))))
    plan = _failing(program, seed)
    shrunk = shrink(program, plan, program.execute(plan).failures[0].identity)
    assert shrunk is not None
    stopped = next(count for name, count in encode_blocks(shrunk.plan.prefix) if name != "0")
    assert stopped == 1  # it has read x, and done nothing else


@pytest.mark.parametrize("seed", range(0, 100, 20))
def test_a_thread_is_stopped_there_even_if_others_have_more_to_do_then(seed: int) -> None:
    """The first thread that comes makes what both use, in more points than it takes to use it; with a lock held it
    can't be stopped."""
    make = If("made==0", (Write("z", "1"), Write("z", "2"), Write("z", "3"), Write("made_", "1")))
    held = (Lock("l"), Read("made", "made_"), make, Unlock("l"))
    add = (Read("seen", "x"), *held, Write("x", "seen+1"))
    program = OracleProgram(SmallProgram(threads=(add, add), after=(Read("end", "x"), Assert("end==2"))))
    plan = _failing(program, seed)
    shrunk = shrink(program, plan, program.execute(plan).failures[0].identity)
    assert shrunk is not None
    stopped = next(count for name, count in encode_blocks(shrunk.plan.prefix) if name != "0")
    assert stopped == 1


def test_the_number_of_runs_is_bounded() -> None:
    program = OracleProgram(_LOST)
    plan = _failing(program, 0)
    identity = program.execute(plan).failures[0].identity
    before = program.executions
    shrunk = shrink(program, plan, identity, max_runs=3)
    assert shrunk is not None
    assert shrunk.runs <= 3
    assert program.executions - before <= 3 + 2  # the run it starts from, and the one with detail at the end


def test_a_plan_that_does_not_fail_is_not_shrunk() -> None:
    assert shrink(OracleProgram(_LOST), Plan(), ("assertion", "", "")) is None


@given(_NAMES)
def test_blocks_stand_for_the_prefix(prefix: tuple[str, ...]) -> None:
    blocks = encode_blocks(prefix)
    assert decode_blocks(blocks) == prefix
    assert all(one[0] != other[0] for one, other in itertools.pairwise(blocks))


@given(_NAMES, st.data())
def test_candidates_hold_no_point_that_was_not_there(prefix: tuple[str, ...], data: st.DataObject) -> None:
    blocks = encode_blocks(prefix)
    start = data.draw(st.integers(0, len(blocks)))
    end = data.draw(st.integers(start, len(blocks)))
    later = decode_blocks(put_off(blocks, start, end))
    assert all(later.count(name) <= prefix.count(name) for name in prefix)
    if start < len(blocks):
        drawn = decode_blocks(draw_forward(blocks, start))
        assert sorted(drawn) == sorted(prefix)


@given(_NAMES.filter(len), st.data())
def test_a_hastened_block_owes_its_points_to_its_thread(prefix: tuple[str, ...], data: st.DataObject) -> None:
    blocks = encode_blocks(prefix)
    index = data.draw(st.integers(0, len(blocks) - 1))
    name, passed = blocks[index]
    count = data.draw(st.integers(1, passed))
    hastened = hasten(blocks, index, count)
    assert hastened[:index] == blocks[:index]
    assert hastened[index] == (name, count)
    assert [other for other, _ in hastened] == [other for other, _ in blocks]
    follows = name in [other for other, _ in blocks[index + 1 :]]
    assert not follows or decode_blocks(hastened).count(name) >= prefix.count(name)
