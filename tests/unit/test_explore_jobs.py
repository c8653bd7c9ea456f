"""One search in several processes: the same outcome, whatever happens to the processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from tests.oracle.enumerate import TooLarge, everything, interleavings, reads_from_classes
from tests.oracle.generate import random_program
from tests.oracle.language import Assert, Read, SmallProgram, Write
from tests.oracle.program import OracleProgram

from mazurka.api import explore
from mazurka.errors import UsageError
from mazurka.explore.batch import BatchLimits, Worker, WorkItem, WorkResult, work
from mazurka.explore.explorer import Budget, Explorer
from mazurka.explore.outcome import Inconclusive, Outcome, Verified, Violation
from mazurka.explore.parallel.worker_pool import ForkPool
from mazurka.explore.registry import make_strategy
from mazurka.explore.search_journal import SearchJournal, open_journal
from mazurka.program.protocol import Failure, FailureKind, Plan, Run

INCREMENT = (Read("t", "v"), Write("v", "t + 1"))
RACY = SmallProgram((INCREMENT,) * 3, after=(Read("r", "v"),))
WRONG = replace(RACY, after=(Read("r", "v"), Assert("r > 1")))
MEDIUM = SmallProgram((INCREMENT * 2, INCREMENT, INCREMENT), after=(Read("r", "v"),))
LONGER = SmallProgram((INCREMENT * 2, INCREMENT * 2, INCREMENT), after=(Read("r", "v"),))
Carry = Callable[[WorkItem], WorkResult]


def told(run: Run) -> Failure:
    """Makes the outcome of a run a failure of its own, so that it is reported from any process."""
    return Failure(FailureKind.INVARIANT, "", "0", None, exception=repr(run.result[0]))


def searched(
    program: OracleProgram,
    jobs: int,
    strategy: str = "mcr",
    *,
    learned: set[int] | None = None,
    carry: Callable[[Carry], Carry] = lambda carry: carry,
    journal: SearchJournal | None = None,
    postcondition: Callable[[Run], Failure | None] | None = None,
    **arguments: Any,
) -> Outcome:
    learned = set() if learned is None else learned
    leave = journal.leave if journal is not None else lambda: None
    pool = ForkPool(carry(Worker(program, learned, postcondition)), jobs, leave) if jobs > 1 else None
    explorer = Explorer(
        program, strategy, learned=learned, pool=pool, journal=journal, postcondition=postcondition, **arguments
    )
    return explorer.run()


def sums(outcome: Outcome) -> tuple[Any, ...]:
    """The figures that must not depend on the number of processes."""
    failures = {found.failure.identity for found in outcome.found}
    return type(outcome.verdict), outcome.complete, outcome.executions, failures, outcome.threads, outcome.points


@pytest.mark.sampled
@pytest.mark.parametrize("strategy", ["dpor-rf", "dfs", "random", "pct"])
@pytest.mark.parametrize("program", [RACY, WRONG, MEDIUM])
def test_the_outcome_is_the_same(program: SmallProgram, strategy: str) -> None:
    budget = Budget(executions=200) if strategy in ("random", "pct") else None
    outcomes = [
        searched(OracleProgram(program), jobs, strategy, postcondition=told, stop_at_first=False, budget=budget)
        for jobs in (1, 2, 3)
    ]
    assert sums(outcomes[1]) == sums(outcomes[2]) == sums(outcomes[0])
    assert [outcome.verdict for outcome in outcomes if isinstance(outcome.verdict, Inconclusive)] == []


def test_what_is_found_is_the_same_though_processes_repeat_values() -> None:
    alone, several = [
        searched(OracleProgram(MEDIUM), jobs, "mcr", postcondition=told, stop_at_first=False) for jobs in (1, 2)
    ]
    assert alone.executions < several.executions == reads_from_classes(MEDIUM)
    assert _without_count(alone) == _without_count(several)


def _without_count(outcome: Outcome) -> tuple[Any, ...]:
    return tuple([each for number, each in enumerate(sums(outcome)) if number != 2])


def _known(number: int) -> tuple[SmallProgram, set[tuple[str, ...]]] | None:
    program = random_program(number)
    try:
        answer, count = everything(program, 5_000), interleavings(program, 5_000)
    except (TooLarge, RecursionError):
        return None
    outcomes = {("invariant", repr(final), "None") for final in answer.finals}
    return (program, outcomes) if 20 <= count <= 300 else None


def test_generated_programs_end_as_the_oracle_says() -> None:
    wanted = 100 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 12
    known = filter(None, map(_known, range(100_000)))
    for _, (program, outcomes) in zip(range(wanted), known, strict=False):
        for strategy in ("mcr", "dfs"):
            for jobs in (2, 3):
                outcome = searched(OracleProgram(program), jobs, strategy, postcondition=told, stop_at_first=False)
                assert outcome.complete
                assert {
                    i for i in (found.failure.identity for found in outcome.found) if i[0] == "invariant"
                } == outcomes


@pytest.mark.parametrize("strategy", ["random", "pct"])
def test_the_first_failing_sample_is_the_same(strategy: str) -> None:
    outcomes = [searched(OracleProgram(WRONG), jobs, strategy, budget=Budget(executions=2000)) for jobs in (1, 2, 3)]
    first = [outcome.found for outcome in outcomes]
    assert isinstance(outcomes[0].verdict, Violation)
    assert [(found.seed, found.schedule) for (found,) in first] == [(first[0][0].seed, first[0][0].schedule)] * 3
    assert outcomes[0].executions > 1


def test_a_known_failure_is_news_if_it_comes_earlier() -> None:
    """Whoever has the later numbers may be quicker."""

    def found(terms: BatchLimits) -> dict[tuple[str, ...], int]:
        seen = work(OracleProgram(WRONG), make_strategy("random"), terms).statistics
        return {identity: each.seed for identity, each in seen.found.items()}

    ((identity, seed),) = found(BatchLimits(60.0, 2_000)).items()
    assert found(BatchLimits(60.0, seed + 1, {identity: seed + 256})) == {identity: seed}
    assert found(BatchLimits(60.0, seed + 1, {identity: seed})) == {}


@pytest.mark.parametrize("strategy", ["mcr", "dfs", "random", "pct"])
def test_the_budget_is_kept_to(strategy: str) -> None:
    outcome = searched(OracleProgram(LONGER), 3, strategy, budget=Budget(executions=50))
    assert outcome.executions == 50
    assert outcome.verdict == Inconclusive("the limit of 50 executions was reached")
    timed = searched(OracleProgram(LONGER), 2, strategy, budget=Budget(seconds=0.05))
    assert timed.verdict == Inconclusive("the time limit of 0.05 s was reached")


def test_an_interruption_is_heard() -> None:
    answers = iter([False, False, True])
    outcome = searched(OracleProgram(LONGER), 2, "random", interrupted=lambda: next(answers))
    assert outcome.verdict == Inconclusive("interrupted")


@dataclass
class Learning(OracleProgram):
    """A program with two sites that turn out to need points, in runs with a certain outcome."""

    program: SmallProgram
    learned: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__(self.program)

    def execute(self, plan: Plan) -> Run:
        run = super().execute(plan)
        site = {1: 1, 2: 2}.get(dict(run.result[0][0])["v"])
        if site is not None and site not in self.learned:
            self.learned.add(site)
            run.found_new_points = True
        return run


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_what_one_process_learns_all_know(jobs: int) -> None:
    program = Learning(RACY)
    outcome = searched(program, jobs, learned=program.learned, postcondition=told, stop_at_first=False)
    assert program.learned == {1, 2}
    assert outcome.restarts in (1, 2)  # two processes may learn at once
    assert outcome.complete
    assert {found.points for found in outcome.found} <= {frozenset(), frozenset({1}), frozenset({2}), frozenset({1, 2})}
    assert outcome.found[0].points == frozenset()


# -- whatever happens -------------------------------------------------------------------------------------------------


def test_killed_workers_lose_nothing(tmp_path: Path) -> None:
    def mortal(carry: Carry) -> Carry:
        def carry_out(order: WorkItem) -> WorkResult:
            report = carry(order)
            if len(list(tmp_path.iterdir())) < 6:
                (tmp_path / str(os.getpid())).touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return report

        return carry_out

    for strategy in ("dpor-rf", "dfs"):
        for path in tmp_path.iterdir():
            path.unlink()
        outcome = searched(OracleProgram(LONGER), 2, strategy, carry=mortal, postcondition=told, stop_at_first=False)
        assert len(list(tmp_path.iterdir())) == 6
        alone = searched(OracleProgram(LONGER), 1, strategy, postcondition=told, stop_at_first=False)
        assert outcome.executions >= alone.executions  # two processes may come to run one class
        assert sums(replace(outcome, executions=alone.executions)) == sums(alone)
        assert outcome.notes == ()


def test_a_search_whose_workers_always_die_goes_on_alone() -> None:
    def dying(carry: Carry) -> Carry:
        return lambda order: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[return-value]  # it does not

    outcome = searched(OracleProgram(RACY), 2, carry=dying)
    assert isinstance(outcome.verdict, Verified)
    assert outcome.notes == ("processes that ran the program ended unexpectedly; this one went on alone",)


def test_an_error_in_a_worker_is_told() -> None:
    def wrong(carry: Carry) -> Carry:
        return lambda order: carry(replace(order, strategy="best"))

    with pytest.raises(UsageError, match="no strategy 'best'"):
        searched(OracleProgram(RACY), 2, carry=wrong)
    with pytest.raises(RuntimeError, match="in a worker"):
        searched(OracleProgram(RACY), 2, carry=lambda carry: lambda order: carry(order.nothing))  # type: ignore[attr-defined]


def _search_until_killed(folder: Path, ready: Any) -> None:
    journal = open_journal(folder, "program", "dfs")

    def stopped() -> bool:
        if explorer.seen.executions > 400:
            explorer._write(force=True)
            ready.set()
            signal.pause()
        return False

    program = OracleProgram(LONGER)
    pool = ForkPool(Worker(program, set()), 2, journal.leave)
    explorer = Explorer(program, "dfs", journal=journal, pool=pool, interrupted=stopped)
    explorer.run()


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")  # other tests' libraries
def test_a_killed_search_leaves_no_process_and_goes_on(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    ready = context.Event()
    alive, held = os.pipe()  # everybody who descends from here holds it
    process = context.Process(target=_search_until_killed, args=(tmp_path, ready))
    process.start()
    os.close(held)
    assert ready.wait(20)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert os.read(alive, 1) == b""  # they are all gone
    os.close(alive)
    journal = open_journal(tmp_path, "program", "dfs")
    assert journal.executions > 400
    outcome = searched(OracleProgram(LONGER), 2, "dfs", journal=journal)
    assert outcome.complete
    assert outcome.executions == interleavings(LONGER)


# -- Python programs, and executors ------------------------------------------------------------------------------------

SCENARIO = """
import threading

class Box:
    value = 0

def two_threads():
    box = Box()
    def add():
        seen = box.value
        box.value = seen + 1
    threads = [threading.Thread(target=add) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert box.value > {least}
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Any]:
    monkeypatch.syspath_prepend(str(tmp_path))

    def make(least: int) -> Any:
        name = f"scenario_{least}_in_{tmp_path.name}"  # a module of its own
        (tmp_path / f"{name}.py").write_text(SCENARIO.format(least=least))
        return __import__(name)

    return make


@pytest.mark.parametrize("isolation", ["restore", "fork"])
def test_processes_of_this_machine(module: Callable[[int], Any], isolation: str) -> None:
    one, two = (explore(module(0).two_threads, jobs=jobs, isolation=isolation, strategy="dfs") for jobs in (1, 2))
    assert (two.verdict, two.executions, two.report.scope) == (one.verdict, one.executions, one.report.scope)
    failing = [
        explore(module(1).two_threads, jobs=jobs, isolation=isolation, strategy="random").failures for jobs in (1, 2)
    ]
    assert failing[0][0].token == failing[1][0].token


def test_a_strategy_that_cannot_be_divided_says_so(module: Callable[[int], Any]) -> None:
    result = explore(module(0).two_threads, jobs=2, strategy="dpor")
    assert result.report.notes == ("dpor makes all executions in one process",)


def test_processes_of_an_executor(module: Callable[[int], Any]) -> None:
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=spawned) as executor:
        sound = explore(module(0).two_threads, executor=executor, jobs=2, strategy="dpor-rf")
        broken = explore(module(1).two_threads, executor=executor, jobs=2)
    alone = explore(module(0).two_threads, jobs=1, strategy="dpor-rf")
    assert (sound.verdict, sound.executions) == (alone.verdict, alone.executions)
    assert [failure.failure.kind for failure in broken.failures] == [FailureKind.ASSERTION]


def test_threads_of_an_executor(module: Callable[[int], Any]) -> None:
    with ThreadPoolExecutor(1) as executor:
        result = explore(
            module(1).two_threads, executor=executor, strategy="random", all_failures=True, max_executions=64
        )
    assert (result.executions, len(result.failures)) == (64, 1)


def test_what_an_executor_cannot_import(module: Callable[[int], Any]) -> None:
    with ThreadPoolExecutor(1) as executor, pytest.raises(UsageError, match="can't import") as error:
        explore(lambda: module(0).two_threads(), executor=executor)
    assert error.value.slug == "not-importable"
