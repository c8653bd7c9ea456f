"""What a search that was stopped has covered: pairs of accesses in both orders, and the bound of samplers."""

from __future__ import annotations

import pytest

from mazurka.explore.coverage import OrderedPairs
from mazurka.explore.mixed_sampling import MixedSampling
from mazurka.program.protocol import Plan, Run, Step, TailPolicy
from mazurka.trace.event import Op
from mazurka.trace.ids import SiteNumber, ThreadIndex
from mazurka.trace.targets import GLOBAL, Kind, Target

X: Target = (GLOBAL, "m", "x")
LOCK: Target = (Kind.LOCK.tag, 1)


def _run(*steps: tuple[int, Op, Target, int]) -> Run:
    log = [Step(ThreadIndex(task), op, target, SiteNumber(site), True) for task, op, target, site in steps]
    return Run(["0", "0.1", "0.2"], log, [])


def _pairs(*runs: Run) -> OrderedPairs:
    pairs = OrderedPairs()
    for run in runs:
        pairs.look(run)
    return pairs


def test_conflicting_accesses() -> None:
    one = _run((1, Op.READ, X, 10), (1, Op.WRITE, X, 11), (2, Op.READ, X, 10), (2, Op.WRITE, X, 11))
    conflicts = _pairs(one).coverage().conflicts
    assert conflicts is not None
    assert (conflicts.shown, conflicts.in_both_orders) == (2, 1)  # write and write at 11 look alike either way
    assert conflicts.in_one_order == ((11, 10),)
    other = _run((1, Op.READ, X, 10), (2, Op.READ, X, 10), (1, Op.WRITE, X, 11), (2, Op.WRITE, X, 11))
    both = _pairs(one, other).coverage().conflicts
    assert both is not None
    assert (both.shown, both.in_both_orders, both.in_one_order) == (2, 2, ())


def test_reads_do_not_conflict() -> None:
    conflicts = _pairs(_run((1, Op.READ, X, 10), (2, Op.READ, X, 12))).coverage().conflicts
    assert conflicts is not None
    assert conflicts.shown == 0


def test_critical_sections() -> None:
    steps = [(1, Op.ACQUIRE, LOCK, 5), (1, Op.RELEASE, LOCK, 6), (2, Op.ACQUIRE, LOCK, 8), (2, Op.RELEASE, LOCK, 9)]
    coverage = _pairs(_run(*steps)).coverage()
    assert coverage.sections is not None
    assert coverage.conflicts is not None
    assert (coverage.sections.shown, coverage.sections.in_one_order) == (1, ((5, 8),))
    assert coverage.conflicts.shown == 0  # locks are no data


def test_samplers_take_turns_and_bound_what_they_may_have_missed() -> None:
    samplers = MixedSampling(seed=7)
    tails = []
    for _ in range(400):
        seed = samplers.next_seed()
        assert isinstance(seed.plan, Plan)
        tails.append(seed.plan.tail)
        samplers.observe(seed, _run(*[(task, Op.READ, X, 1) for task in (0, 1, 2) for _ in range(5)]))
    assert tails[:4] == [TailPolicy.POS, TailPolicy.RANDOM, TailPolicy.POS, TailPolicy.PCT]
    assert tails.count(TailPolicy.PCT) == 25 + 38
    assert tails[100:].count(TailPolicy.POS) == 262
    assert samplers.probability() == pytest.approx(1 - (1 - 1 / (3 * 15)) ** (25 + 38))
    longer = samplers.next_seed()
    samplers.observe(longer, _run(*[(0, Op.READ, X, 1)] * 16))
    assert samplers.probability() == 0  # of executions of sixteen points none was sampled


def test_samplers_go_on_where_they_were_stopped() -> None:
    samplers = MixedSampling()
    for _ in range(9):
        seed = samplers.next_seed()
        samplers.observe(seed, _run((1, Op.READ, X, 1), (2, Op.WRITE, X, 2)))
    resumed = MixedSampling()
    resumed.restore(samplers.records())
    assert resumed.coverage() == samplers.coverage()
    assert resumed.next_seed() == samplers.next_seed()
