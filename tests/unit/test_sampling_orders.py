"""Samplers of orders: the orders that they make likely, and that a run's number determines it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from tests.oracle.language import Lock, Read, SmallProgram, Unlock, Write
from tests.oracle.program import OracleProgram

from mazurka.explore.registry import make_strategy
from mazurka.explore.sampling_orders import SelectiveUniformWalk, contended
from mazurka.explore.strategy import StrategySettings
from mazurka.program.protocol import Plan, TailPolicy
from mazurka.program.runtime.policy import Pending, make_policy
from mazurka.trace.event import Op

THREE_EACH = SmallProgram(((Write("x", "1"),) * 3, (Write("x", "2"),) * 3))

#: A write that has to come after all that two other threads do with something else.
LATE = SmallProgram(((Write("x", "1"),), (*(Write("y", "1"),) * 10, Read("a", "x")), (Read("b", "x"),)))


def _schedules(program: SmallProgram, strategy: str, runs: int) -> Counter[tuple[str, ...]]:
    runner, made = OracleProgram(program), make_strategy(strategy, StrategySettings(seed=5))
    found: Counter[tuple[str, ...]] = Counter()
    for _ in range(runs):
        seed = made.next_seed()
        assert seed is not None
        run = runner.execute(seed.plan)
        made.observe(seed, run)
        found[run.schedule()] += 1
    return found


def test_surw_makes_all_orders_equally_likely() -> None:
    uniform, walk = _schedules(THREE_EACH, "surw", 2000), _schedules(THREE_EACH, "random", 2000)
    assert len(uniform) == 20
    assert max(uniform.values()) < 2 * min(uniform.values())
    assert max(walk.values()) > 5 * min(walk.values())


def test_pos_lets_a_thread_of_many_steps_finish_before_one_of_few() -> None:
    def late(strategy: str) -> int:
        return sum(
            count
            for schedule, count in _schedules(LATE, strategy, 400).items()
            if schedule.index("0.1") > schedule.index("0.2") + 10
        )

    assert late("pos") > 15
    assert late("random") < 5


@pytest.mark.parametrize("strategy", ["pos", "surw"])
def test_a_number_determines_a_run(strategy: str) -> None:
    assert _schedules(LATE, strategy, 20) == _schedules(LATE, strategy, 20)


def test_the_profile_counts_what_several_threads_touch() -> None:
    body = (Lock("l"), Read("a", "x"), Unlock("l"), Write("x", "a + 1"))
    program = SmallProgram((body, body, (Read("b", "z"),)))
    profile = contended(OracleProgram(program).execute(Plan()))
    assert sorted(map(sorted, (weights.items() for weights in profile.values()))) == [
        [("0.1", 1), ("0.2", 1)],  # the lock
        [("0.1", 2), ("0.2", 2)],  # x
    ]


def _after_run_0() -> SelectiveUniformWalk:
    made = SelectiveUniformWalk(seed=3)
    seed = made.next_seed()
    assert seed is not None
    assert made.next_seed() is None  # the rest depends on it
    made.observe(seed, OracleProgram(THREE_EACH).execute(seed.plan))
    return made


def test_surw_goes_on_with_the_profile_it_had() -> None:
    made, again = _after_run_0(), SelectiveUniformWalk(seed=3)
    again.restore(made.records())
    assert again.next_seed() == made.next_seed()


def test_workers_know_the_profile() -> None:
    made = _after_run_0()
    (lease,) = made.grant_leases(1)
    worker = SelectiveUniformWalk(seed=3)
    worker.restore(lease.records)
    seed = worker.next_seed()
    assert seed is not None
    assert seed.plan == made.plan(seed.number)._replace(drawn=3 + seed.number)
    assert seed.plan.tail is TailPolicy.SURW
    made.settle_lease(lease.number, worker.records())


def test_a_lender_learns_the_profile_from_its_worker() -> None:
    made, worker = SelectiveUniformWalk(), SelectiveUniformWalk()
    (lease,) = made.grant_leases(1)
    worker.restore(lease.records)
    seed = worker.next_seed()
    assert seed is not None
    worker.observe(seed, OracleProgram(THREE_EACH).execute(seed.plan))
    made.settle_lease(lease.number, worker.records())
    assert made.profile == worker.profile


def test_surw_decides_anew_if_the_one_decided_on_can_not_move() -> None:
    target: Any = ("var", "x")
    focus = contended(OracleProgram(THREE_EACH).execute(Plan())).popitem()[0]
    policy = make_policy(Plan(tail=TailPolicy.SURW, focus=focus, weights=(("0.1", 9),)))
    assert policy is not None
    pending = [Pending(f"0.{number}", Op.WRITE, target) for number in (1, 2)]
    assert policy.choose(pending) == 0
    assert policy.choose(pending[1:]) == 0
