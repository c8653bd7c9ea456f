"""The loop around strategies: budgets, verdicts, restarts, and the state that survives a kill."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.oracle.enumerate import reads_from_classes
from tests.oracle.language import Assert, Lock, Read, SmallProgram, Unlock, Write
from tests.oracle.program import OracleProgram

from mazurka.errors import MazurkaError, UsageError
from mazurka.explore import explorer as explorer_module
from mazurka.explore import mcr
from mazurka.explore.dpor import OptimalReduction
from mazurka.explore.explorer import Budget, Explorer
from mazurka.explore.outcome import Inconclusive, Verified, Violation
from mazurka.explore.registry import STRATEGIES, make_strategy
from mazurka.explore.sampling import Priorities
from mazurka.explore.search_journal import open_journal
from mazurka.explore.strategy import StrategySettings
from mazurka.program.protocol import Access, Divergence, Failure, FailureKind, Plan, Run
from mazurka.program.source_analysis import NothingKnown
from mazurka.trace.event import Op
from mazurka.trace.ids import SiteNumber

INCREMENT = (Read("t", "v"), Write("v", "t + 1"))
RACY = SmallProgram((INCREMENT,) * 3, after=(Read("r", "v"),))
WRONG = replace(RACY, after=(Read("r", "v"), Assert("r == 3")))
DEADLOCK = SmallProgram(
    (
        (Lock("a"), Lock("b"), Unlock("b"), Unlock("a")),
        (Lock("b"), Lock("a"), Unlock("a"), Unlock("b")),
    )
)


class Altered(OracleProgram):
    """A program whose runs are changed before anybody sees them."""

    def __init__(self, program: SmallProgram, **changes: Any) -> None:
        super().__init__(program)
        self.changes = changes

    def execute(self, plan: Plan) -> Run:
        run = super().execute(plan)
        for name, value in self.changes.items():
            setattr(run, name, value(self.executions) if callable(value) else value)
        return run


@pytest.mark.parametrize("strategy", ["mcr", "dfs", "dpor", "icb", "icb-dpor"])
def test_verified(strategy: str) -> None:
    outcome = Explorer(OracleProgram(RACY), strategy).run()
    assert isinstance(outcome.verdict, Verified)
    assert outcome.complete
    assert (outcome.threads, outcome.points) == (4, 7)


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_violation_is_replayed_by_its_schedule(strategy: str) -> None:
    outcome = Explorer(OracleProgram(WRONG), strategy).run()
    assert isinstance(outcome.verdict, Violation)
    run = OracleProgram(WRONG).execute(Plan(outcome.verdict.first.schedule))
    assert [failure.identity for failure in run.failures] == [outcome.verdict.first.failure.identity]


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_deadlock_is_found(strategy: str) -> None:
    outcome = Explorer(OracleProgram(DEADLOCK), strategy, budget=Budget(executions=500)).run()
    assert isinstance(outcome.verdict, Violation)
    assert outcome.verdict.first.failure.kind is FailureKind.DEADLOCK


def test_stops_at_the_first_failure_or_collects() -> None:
    stopped = Explorer(OracleProgram(WRONG)).run()
    assert not stopped.complete
    collected = Explorer(OracleProgram(WRONG), stop_at_first=False).run()
    assert collected.complete
    assert collected.executions > stopped.executions
    assert len(collected.found) == 1  # the same bug, many ways


def test_budgets_forbid_verified() -> None:
    counted = Explorer(OracleProgram(RACY), budget=Budget(executions=3)).run()
    assert counted.verdict == Inconclusive("the limit of 3 executions was reached")
    assert counted.executions == 3
    timed = Explorer(OracleProgram(RACY), budget=Budget(seconds=0.0)).run()
    assert timed.verdict == Inconclusive("the time limit of 0 s was reached")


def test_interruption() -> None:
    outcome = Explorer(OracleProgram(RACY), interrupted=lambda: True).run()
    assert outcome.verdict == Inconclusive("interrupted")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"truncated": "the run was cut after 5 steps"}, "the run was cut after 5 steps"),
        ({"untracked": {"ctypes.memmove": 2}}, "not tracked: ctypes.memmove"),
        ({"uncontrolled": {"os.fork": 1}}, "not controlled: os.fork"),
    ],
)
def test_what_was_not_seen_forbids_verified(changes: dict[str, Any], reason: str) -> None:
    outcome = Explorer(Altered(RACY, **changes)).run()
    assert outcome.verdict == Inconclusive(reason)
    assert outcome.complete


def test_sampling_never_verifies() -> None:
    outcome = Explorer(OracleProgram(RACY), "random", budget=Budget(executions=50)).run()
    assert isinstance(outcome.verdict, Inconclusive)
    assert not outcome.complete


def test_a_program_that_does_not_repeat_is_not_verified() -> None:
    astray = Altered(RACY, divergence=lambda n: Divergence(0, "thread 0.1 moves", "it has ended") if n > 2 else None)
    for strategy in ("mcr", "dfs"):
        verdict = Explorer(astray, strategy).run().verdict
        assert isinstance(verdict, Inconclusive)
        assert "could not be followed" in verdict.reason


def test_starts_again_when_a_run_grew() -> None:
    outcome = Explorer(Altered(RACY, found_new_points=lambda n: n in (1, 4)), "dpor-rf").run()
    assert outcome.restarts == 2
    assert outcome.executions == 4 + reads_from_classes(RACY)
    assert isinstance(outcome.verdict, Verified)
    assert Explorer(Altered(RACY, found_new_points=True), "random", budget=Budget(executions=5)).run().restarts == 0


def test_random_runs_precede_another_search_after_a_long_one_in_vain() -> None:
    whole = Explorer(OracleProgram(RACY), "dfs").run().executions
    short = Explorer(Altered(RACY, found_new_points=lambda n: n == 15), "dfs").run()
    assert (short.restarts, short.executions) == (1, 15 + whole)
    long = Explorer(Altered(RACY, found_new_points=lambda n: n in (20, 23)), "dfs").run()
    assert (long.restarts, long.executions) == (1, 20 + 10 + whole)
    assert isinstance(long.verdict, Verified)
    cut = Altered(RACY, found_new_points=lambda n: n == 20, truncated=lambda n: "cut" if n == 21 else "")
    assert isinstance(Explorer(cut, "dfs").run().verdict, Verified)  # the search itself had no such run
    limited = Explorer(Altered(RACY, found_new_points=lambda n: n == 20), "dfs", budget=Budget(executions=23)).run()
    assert limited.executions == 23


def test_a_failure_of_a_random_run_counts_if_a_replay_repeats_it() -> None:
    failure = Failure(FailureKind.ASSERTION, "wrong", "0", None)

    def explored(*failing: int) -> Any:
        fails = {"failures": lambda n: [failure] if n in failing else [], "found_new_points": lambda n: n == 20}
        return Explorer(Altered(RACY, **fails), "dfs").run()

    assert isinstance(explored(21, 22).verdict, Violation)  # the second one is the replay
    once = explored(21)
    assert isinstance(once.verdict, Inconclusive)
    assert "a failure that did not come again: wrong" in once.verdict.reason
    assert not once.found


def test_dpor_keeps_its_knowledge_of_operations_when_it_begins_again() -> None:
    attempt = SmallProgram(((Read("t", "v"), Write("v", "t + 1")), (Read("u", "v"),)))
    run = OracleProgram(attempt).execute(Plan())
    earlier, later = (make_strategy("dpor", StrategySettings(), NothingKnown()) for _ in range(2))
    assert isinstance(earlier, OptimalReduction)
    assert isinstance(later, OptimalReduction)
    earlier.met.waited_for, earlier.met.varying = {"event"}, {SiteNumber(7)}
    later.begin_again(earlier)
    later.foresee(run)
    assert (later.met.waited_for, later.met.varying) == ({"event"}, {SiteNumber(7)})
    restored = make_strategy("dpor", StrategySettings(), NothingKnown())
    assert isinstance(restored, OptimalReduction)
    restored.restore(later.records())
    assert (restored.met.waited_for, restored.met.varying) == ({"event"}, {SiteNumber(7)})
    several = [step._replace(more=(Access(Op.READ, ("other",)),)) for step in run.log]
    once = replace(run, log=[step._replace(site=SiteNumber(9)) for step in run.log])
    later.foresee(once)
    later.foresee(replace(once, log=[step._replace(site=SiteNumber(9)) for step in several]))
    assert later.met.varying == {SiteNumber(7), SiteNumber(9)}


def test_abandoned_is_not_complete() -> None:
    explorer = Explorer(Altered(RACY, found_new_points=lambda n: n == 5), "dfs")
    for _ in explorer.progress():
        break
    assert explorer.outcome is not None
    assert explorer.outcome.verdict == Inconclusive("the exploration was abandoned")


def test_a_judge_names_failures() -> None:
    def lost(run: Run) -> Failure | None:
        shared = dict(run.result[0][0])
        return Failure(FailureKind.INVARIANT, "lost update", "0", None) if shared["v"] < 2 else None

    outcome = Explorer(OracleProgram(RACY), postcondition=lost).run()
    assert isinstance(outcome.verdict, Violation)
    assert outcome.verdict.first.failure.kind is FailureKind.INVARIANT


def test_progress_counts_and_estimates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer_module, "_HERE", 60.0)  # a slow machine shows progress in between otherwise
    explorer = Explorer(Altered(RACY, found_new_points=lambda n: n % 10 == 0), "random", budget=Budget(executions=90))
    assert {p.executions for p in explorer.progress()} == {10, 20, 30, 40, 50, 60, 70, 80, 90}


def test_dfs_estimates_the_whole() -> None:
    runner, strategy = OracleProgram(RACY), make_strategy("dfs")
    seen = []
    while (seed := strategy.next_seed()) is not None:
        strategy.observe(seed, runner.execute(seed.plan))
        seen.append(strategy.estimate())
    middle = seen[40]
    assert middle.waiting > 0
    assert middle.total is not None
    assert 30 <= middle.total <= 300
    assert seen[-1].total == 90


def test_pct_prints_its_bound() -> None:
    explorer = Explorer(OracleProgram(RACY), "pct", settings=StrategySettings(depth=2), budget=Budget(executions=10))
    assert explorer.run().notes == ("each run finds a bug of depth 2 with probability at least 1/(4 * 7^1) = 0.0357",)
    assert Priorities(0, 1).plan(0).changes == 0


def test_unknown_names() -> None:
    with pytest.raises(UsageError, match=r"mcr, .*dfs"):
        make_strategy("best")
    with pytest.raises(UsageError, match="search, closure, z3"):
        make_strategy("mcr", StrategySettings(solver="guess"))


# -- state that survives
# ----------------------------------------------------------------------------------------------------


def outcomes_until_complete(folder: Path, strategy: str, program: SmallProgram, step: int) -> tuple[set[Any], int]:
    """Explore in pieces of ``step`` executions, each by a new explorer; returns the outcomes reached, and the number of
    runs."""
    reached: set[Any] = set()
    made = limit = 0

    class Watched(OracleProgram):
        def execute(self, plan: Plan) -> Run:
            run = super().execute(plan)
            reached.add(run.result)
            return run

    while True:
        limit += step
        runner = Watched(program)
        journal = open_journal(folder, "program", strategy)
        outcome = Explorer(
            runner, strategy, budget=Budget(executions=limit), stop_at_first=False, journal=journal
        ).run()
        made += runner.executions
        if outcome.complete:
            return reached, made


@pytest.mark.parametrize("strategy", ["mcr", "dpor-rf", "dfs", "dpor", "icb", "icb-dpor"])
def test_an_interrupted_search_goes_on(strategy: str, tmp_path: Path) -> None:
    whole, once = outcomes_until_complete(tmp_path / "whole", strategy, RACY, 10_000)
    parts, together = outcomes_until_complete(tmp_path / "parts", strategy, RACY, 5)
    assert parts == whole
    assert together == once
    assert [path.suffix for path in (tmp_path / "parts").iterdir()] == [".lock"]


@pytest.mark.parametrize("portion", [1, 3])
def test_a_search_interrupted_before_all_is_offered_goes_on(
    portion: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcr, "_PORTION", portion)
    whole, once = outcomes_until_complete(tmp_path / "whole", "dpor-rf", RACY, 10_000)
    assert once == reads_from_classes(RACY)
    parts, together = outcomes_until_complete(tmp_path / "parts", "dpor-rf", RACY, 5)
    assert parts == whole
    assert together >= once  # a run that had not offered everything is made again


def test_what_has_been_begun_is_finished_first_when_much_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    program = replace(RACY, threads=(INCREMENT * 2, INCREMENT, INCREMENT))
    most = []
    for wide in (mcr._WIDE, 8):
        monkeypatch.setattr(mcr, "_WIDE", wide)
        monkeypatch.setattr(explorer_module, "_HERE", 0.0)
        runner = OracleProgram(program)
        most.append(max(progress.estimate.waiting for progress in Explorer(runner, "dpor-rf").progress()))
        assert runner.executions == reads_from_classes(program)
    assert most[1] < most[0]


def test_long_runs_offer_in_portions() -> None:
    long = SmallProgram((INCREMENT * 300, INCREMENT * 300))
    runner = OracleProgram(long)
    outcome = Explorer(runner, budget=Budget(executions=5)).run()
    assert outcome.executions == 5
    assert isinstance(outcome.verdict, Inconclusive)


def test_failures_of_an_interrupted_search_are_kept(tmp_path: Path) -> None:
    journal = open_journal(tmp_path, "program", "mcr")
    first = Explorer(OracleProgram(WRONG), journal=journal).run()
    assert isinstance(first.verdict, Violation)
    journal = open_journal(tmp_path, "program", "mcr")
    again = Explorer(OracleProgram(WRONG), journal=journal).run()
    assert isinstance(again.verdict, Violation)
    assert again.verdict.first.failure.identity == first.verdict.first.failure.identity
    assert again.executions == first.executions  # none but the failing one was run again


def test_sampling_goes_on_with_new_samples(tmp_path: Path) -> None:
    for total in (7, 12):
        journal = open_journal(tmp_path, "program", "pct")
        outcome = Explorer(OracleProgram(RACY), "pct", budget=Budget(executions=total), journal=journal).run()
        assert outcome.executions == total
    restored = make_strategy("pct")
    journal = open_journal(tmp_path, "program", "pct")
    restored.restore(journal.records())
    journal.close()
    seed = restored.next_seed()
    assert seed is not None
    assert seed.plan.seed == 12
    assert restored.estimate().done == 12


def _explore_until_killed(folder: Path, ready: Any) -> None:
    explorer_module._HERE = 0.0  # one run a batch

    class Killed(OracleProgram):
        def execute(self, plan: Plan) -> Run:
            if self.executions == 10:
                explorer._write(force=True)
            if self.executions == 14:
                ready.set()
                os.kill(os.getpid(), signal.SIGSTOP)
            return super().execute(plan)

    explorer = Explorer(Killed(RACY), "dfs", journal=open_journal(folder, "program", "dfs"))
    explorer.run()


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")  # other tests' libraries
def test_kill_loses_nothing(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    ready = context.Event()
    process = context.Process(target=_explore_until_killed, args=(tmp_path, ready))
    process.start()
    assert ready.wait(20)
    with pytest.raises(MazurkaError, match="another check") as refused:
        open_journal(tmp_path, "program", "dfs")
    assert refused.value.slug == "search-in-use"
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    runner = OracleProgram(RACY)
    journal = open_journal(tmp_path, "program", "dfs")
    assert journal.executions == 10
    outcome = Explorer(runner, "dfs", journal=journal).run()
    assert outcome.complete
    assert runner.executions == 80
    assert outcome.executions == 90


def test_a_damaged_search_is_named(tmp_path: Path) -> None:
    open_journal(tmp_path, "program", "mcr").close()
    path = next(tmp_path.glob("*.sqlite"))
    path.write_bytes(b"not a database" * 100)
    with pytest.raises(MazurkaError, match="can't be read") as error:
        open_journal(tmp_path, "program", "mcr")
    assert error.value.slug == "search-damaged"
    assert str(path) in str(error.value)
    path.unlink()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE learnt (something)")
    other.close()
    with pytest.raises(MazurkaError, match="can't be read"):
        open_journal(tmp_path, "program", "mcr")


def test_other_programs_and_settings_have_other_searches(tmp_path: Path) -> None:
    journals = [open_journal(tmp_path, p, s) for p in ("a", "b") for s in ("mcr", "dfs")]
    assert len({journal.path for journal in journals}) == 4
    for journal in journals:
        journal.close()


def test_going_on_without_a_disk(tmp_path: Path) -> None:
    journal = open_journal(tmp_path, "program", "mcr")
    journal._connection.execute("PRAGMA query_only = 1")
    outcome = Explorer(OracleProgram(RACY), journal=journal).run()
    assert isinstance(outcome.verdict, Verified)
    assert "goes on without" in outcome.notes[0]


def test_facts_are_remembered(tmp_path: Path) -> None:
    journal = open_journal(tmp_path, "program", "mcr")
    assert journal.get_meta("points") == ""
    journal.set_meta("points", "1 2 3")
    journal.close()
    again = open_journal(tmp_path, "program", "mcr")
    assert again.get_meta("points") == "1 2 3"
    again.close(finished=True)
