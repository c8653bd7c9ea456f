"""``auto`` against the oracle: nothing is lost, whichever of its strategies comes to an end first."""

from __future__ import annotations

import os
from math import inf
from pathlib import Path
from typing import Any

import pytest
from tests.oracle.drive import reach
from tests.oracle.enumerate import TooLarge, everything
from tests.oracle.generate import random_program
from tests.oracle.language import Assert, Read, SmallProgram, Write
from tests.oracle.program import OracleProgram

from mazurka.causal.solvers import make_solver
from mazurka.explore import portfolio
from mazurka.explore.batch import Worker
from mazurka.explore.dpor import OptimalReduction
from mazurka.explore.explorer import Budget, Explorer
from mazurka.explore.mcr import ReadsFromSearch
from mazurka.explore.outcome import Inconclusive, Outcome, Verified
from mazurka.explore.parallel.worker_pool import ForkPool
from mazurka.explore.portfolio import Portfolio
from mazurka.explore.se_mcr import SwitchEquivalence
from mazurka.explore.search_journal import open_journal
from mazurka.explore.strategy import StrategySettings
from mazurka.program.protocol import Plan, Run, TailPolicy
from mazurka.program.source_analysis import NothingKnown

_STATES = 15_000

#: Programs per test; ``make test-long`` asks for more.
_PROGRAMS = {"long": 1_000}.get(os.environ.get("HYPOTHESIS_PROFILE", ""), 50)

COUNTING = SmallProgram(((Read("t", "v"), Write("v", "t + 1")) * 2,) * 2 + ((Read("t", "v"), Write("v", "t + 1")),))
CHECKED = SmallProgram(COUNTING.threads, after=(Read("r", "v"), Assert("r > 1")))


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """All searches are there from the beginning."""
    monkeypatch.setattr(portfolio, "_LEADS", (0.0, 0.0))


class _Slow(ReadsFromSearch):
    """Comes to no decision after its first run."""

    def advance(self, seconds: float) -> bool:
        return self.counters.runs == 0 and super().advance(seconds)


class _InDoubt(SwitchEquivalence):
    def incompleteness_reason(self) -> str:
        return "no idea"


def _made(first: type[ReadsFromSearch] = ReadsFromSearch, second: type[SwitchEquivalence] = SwitchEquivalence) -> Any:
    return Portfolio(first(make_solver("search")), [second])


def _failures(finals: frozenset[Any]) -> set[tuple[int, str]]:
    return {(thread, text) for final in finals for thread, text in enumerate(final[2]) if text}


@pytest.mark.parametrize(
    ("first", "second", "winners"),
    [
        (ReadsFromSearch, SwitchEquivalence, {"mcr", "se-mcr"}),
        (_Slow, SwitchEquivalence, {"se-mcr"}),
        (ReadsFromSearch, _InDoubt, {"mcr"}),
    ],
    ids=["both", "the-first-does-not-end", "the-second-is-in-doubt"],
)
def test_generated_programs(first: type[ReadsFromSearch], second: type[SwitchEquivalence], winners: set[str]) -> None:
    won = set()
    for number in range(_PROGRAMS):
        program = random_program(number, semaphores=number % 2 == 0)
        try:
            answer = everything(program, _STATES)
        except TooLarge:
            continue
        reached = reach(program, lambda: _made(first, second))
        assert reached.everything.finals <= answer.finals, number
        assert reached.everything.deadlocks == answer.deadlocks, number
        assert _failures(reached.everything.finals) == _failures(answer.finals), number
        assert reached.strategy.incompleteness_reason() == "", number
        won.add(reached.strategy.name)
    assert won
    assert won <= winners  # who comes first is a matter of time


def test_steps_of_several_accesses(monkeypatch: pytest.MonkeyPatch) -> None:
    """``mcr`` is sure of them, and needs no second."""
    monkeypatch.setattr(portfolio, "_LEADS", (inf, inf))
    won = set()
    for number in range(_PROGRAMS):
        program = random_program(number, conditions=False, compounds=True)
        try:
            answer = everything(program, 3_000)
        except TooLarge:
            continue
        reached = reach(program, "auto")
        with_races = reach(program, lambda: Portfolio.make(StrategySettings(races=True), NothingKnown()))
        assert _failures(reached.everything.finals) == _failures(answer.finals), number
        assert with_races.everything == answer, number
        for each in (reached, with_races):
            assert each.strategy.incompleteness_reason() == "", number
            won.add(each.strategy.name)
    assert won == {"mcr"}


def test_both_in_doubt() -> None:
    class Doubting(ReadsFromSearch):
        def incompleteness_reason(self) -> str:
            return "not sure"

    reached = reach(COUNTING, lambda: _made(Doubting, _InDoubt))
    assert (reached.strategy.name, reached.strategy.incompleteness_reason()) == ("mcr", "not sure; no idea")


def test_a_third_decides_where_the_others_are_in_doubt() -> None:
    class Doubting(ReadsFromSearch):
        def incompleteness_reason(self) -> str:
            return "not sure"

    for number in range(_PROGRAMS):
        program = random_program(number, semaphores=number % 2 == 0)
        try:
            answer = everything(program, _STATES)
        except TooLarge:
            continue
        reached = reach(program, lambda: Portfolio(Doubting(make_solver("search")), [_InDoubt, OptimalReduction]))
        assert reached.everything.deadlocks == answer.deadlocks, number
        assert _failures(reached.everything.finals) == _failures(answer.finals), number
        assert (reached.strategy.name, reached.strategy.incompleteness_reason()) == ("dpor", ""), number


def _searched(program: SmallProgram, jobs: int = 1, **arguments: Any) -> Outcome:
    runner, learned = OracleProgram(program), set[int]()
    pool = ForkPool(Worker(runner, learned), jobs, lambda: None) if jobs > 1 else None
    return Explorer(runner, "auto", learned=learned, pool=pool, stop_at_first=False, **arguments).run()


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_other_processes(jobs: int) -> None:
    outcome = _searched(COUNTING, jobs)
    assert isinstance(outcome.verdict, Verified)
    assert outcome.strategy in ("mcr", "dpor", "se-mcr")
    failing = _searched(CHECKED, jobs)
    assert failing.complete
    assert len(failing.found) == 1


def test_it_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    executions, stops, saved = 0, 0, set()
    while True:
        journal = open_journal(tmp_path, "program", "auto")
        saved |= {row[0].startswith("second ") for row in journal.records()}
        outcome = _searched(COUNTING, journal=journal, budget=Budget(executions=executions + 10))
        assert outcome.executions > executions
        executions, stops = outcome.executions, stops + 1
        if outcome.complete:
            break
        assert isinstance(outcome.verdict, Inconclusive)
    assert isinstance(outcome.verdict, Verified)
    assert stops > 3
    assert saved == {True, False}  # both go on, not anew


def _beside(monkeypatch: pytest.MonkeyPatch, leads: tuple[float, ...] = (0.0, 0.0)) -> Portfolio:
    """After the first execution `dpor` makes two, then samplers two, and then bounded search joins."""
    monkeypatch.setattr(portfolio, "_ALONE", (1, 0.0))
    monkeypatch.setattr(portfolio, "_FIRST_TRIES", (2, inf))
    monkeypatch.setattr(portfolio, "_OPENING", (2, inf))
    monkeypatch.setattr(portfolio, "_LEADS", leads)
    made = Portfolio.make(StrategySettings(), NothingKnown())
    assert isinstance(made, Portfolio)
    return made


@pytest.mark.sampled
@pytest.mark.parametrize("leads", [(0.0, 0.0), (inf, inf)], ids=["all", "only-those-beside-mcr"])
def test_with_samplers_and_bounded_search(leads: tuple[float, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    won = set()
    for number in range(_PROGRAMS):
        program = random_program(number, semaphores=number % 2 == 0)
        try:
            answer = everything(program, _STATES)
        except TooLarge:
            continue
        reached = reach(program, lambda: _beside(monkeypatch, leads))
        assert reached.everything.finals <= answer.finals, number
        assert reached.everything.deadlocks == answer.deadlocks, number
        assert _failures(reached.everything.finals) == _failures(answer.finals), number
        assert reached.strategy.incompleteness_reason() == "", number
        won.add(reached.strategy.name)
    assert won <= {"mcr", "dpor", "se-mcr", "icb-dpor"}


def test_the_same_executions_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns follow from the work, not from time."""

    class Remembering(OracleProgram):
        def __init__(self, program: SmallProgram) -> None:
            super().__init__(program)
            self.plans: list[Plan] = []

        def execute(self, plan: Plan) -> Run:
            self.plans.append(plan)
            return super().execute(plan)

    def plans() -> list[Plan]:
        runner, made = Remembering(COUNTING), _beside(monkeypatch)
        while (seed := made.next_seed()) is not None:
            made.observe(seed, runner.execute(seed.plan))
        return runner.plans

    first = plans()
    assert {plan.tail for plan in first} >= {TailPolicy.STAY, TailPolicy.POS, TailPolicy.RANDOM}
    assert first == plans()


def test_coverage_of_a_search_that_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    runner, made = OracleProgram(COUNTING), _beside(monkeypatch)
    for _ in range(60):
        seed = made.next_seed()
        assert seed is not None
        made.observe(seed, runner.execute(seed.plan))
    coverage = made.coverage()
    assert coverage.bounded is not None
    assert coverage.bounded.preemptions >= 0
    assert coverage.sampled is not None
    assert coverage.sampled.executions > 2
    assert 0 < coverage.sampled.probability < 1
    assert coverage.conflicts is not None
    assert coverage.conflicts.shown >= coverage.conflicts.in_both_orders > 0
    assert 0 < sum(cause.share for cause in coverage.causes) <= 1


@pytest.mark.parametrize("stopped", [3, 10, 40])
def test_those_beside_it_go_on_where_they_were_stopped(stopped: int, monkeypatch: pytest.MonkeyPatch) -> None:
    runner, made = OracleProgram(COUNTING), _beside(monkeypatch)
    for _ in range(stopped):
        seed = made.next_seed()
        assert seed is not None
        made.observe(seed, runner.execute(seed.plan))
    resumed = _beside(monkeypatch)
    resumed.restore(made.records())
    before, after = made.coverage(), resumed.coverage()
    assert (after.bounded, after.sampled) == (before.bounded, before.sampled)
    while (seed := resumed.next_seed()) is not None:
        resumed.observe(seed, runner.execute(seed.plan))
    assert resumed.incompleteness_reason() == ""


def test_it_begins_with_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portfolio, "_LEADS", (inf, inf))

    def second() -> SwitchEquivalence:
        raise AssertionError("not wanted so soon")

    reached = reach(COUNTING, lambda: Portfolio(ReadsFromSearch(make_solver("search")), [second]))
    assert reached.executions == reach(COUNTING, "mcr").executions
    assert reached.strategy.name == "mcr"
