"""Every exhaustive strategy reaches exactly the outcomes of a program according to the oracle; mcr, dpor and dpor-rf
run each of their classes once.

``make test-long`` draws thousands of programs, the suite a few hundred.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import assume, given
from tests.oracle.drive import reach
from tests.oracle.enumerate import (
    TooLarge,
    early_failures,
    everything,
    interleavings,
    mazurkiewicz_classes,
    reads_from_classes,
)
from tests.oracle.generate import programs, random_program
from tests.oracle.language import Compound, Down, If, Lock, Read, SmallProgram, TryLock, Unlock, Up, Write
from tests.oracle.program import OracleProgram

from mazurka.explore.bounded import ContextBounding
from mazurka.explore.bounded_dpor import BoundedReduction
from mazurka.explore.coverage import Bounded
from mazurka.explore.explorer import Explorer
from mazurka.explore.outcome import Verified, Violation
from mazurka.explore.registry import make_strategy
from mazurka.explore.strategy import JournalRecord
from mazurka.program.memory import MemoryModel

_LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
#: States the oracle may look at, and interleavings a program may have, to be used.
_STATES = 15_000
_INTERLEAVINGS = 3_000 if _LONG else 1_000
_NUMBERED = 1_000 if _LONG else 50


def _known(program: SmallProgram) -> Any:
    """The oracle's answer; programs that are too large for it are left out."""
    try:
        count = interleavings(program, _STATES, _INTERLEAVINGS)  # first, as it takes the least where there is too much
        answer = everything(program, _STATES)
    except (TooLarge, RecursionError):
        assume(False)
    return answer, count


@given(programs())
def test_mcr_and_dfs_and_the_oracle_agree(program: SmallProgram) -> None:
    answer, count = _known(program)
    mcr, dfs = reach(program, "mcr"), reach(program, "dfs")
    assert dfs.executions == count
    assert dfs.everything == answer
    assert mcr.everything == answer
    assert mcr.strategy.incompleteness_reason() == dfs.strategy.incompleteness_reason() == ""


@given(programs())
def test_reads_from_classes_are_run_once(program: SmallProgram) -> None:
    _known(program)
    reached = reach(program, "dpor-rf")
    assert reached.followed - reached.strategy.counters.repeated == reads_from_classes(program)


@given(programs(conditions=False, atomics=False))
def test_no_two_runs_of_mcr_read_the_same_values(program: SmallProgram) -> None:
    """Conditions, semaphores and indivisible updates tell more apart than what is read."""
    _known(program)
    mcr = reach(program, "mcr")
    assert mcr.followed == len(mcr.everything.reads) <= reads_from_classes(program)


@given(programs())
def test_dpor_runs_every_trace_once(program: SmallProgram) -> None:
    answer, _ = _known(program)
    dpor = reach(program, "dpor")
    assert dpor.everything == answer
    locks = {step.lock for thread in program.threads for step in thread if isinstance(step, Lock)}
    if locks:  # whose sections may commute; for each lock that turns out not to, the search begins once more
        classes = mazurkiewicz_classes(program)
        assert dpor.strategy.done <= classes
        assert dpor.executions <= classes * (1 + len(locks))
    else:
        assert dpor.followed == dpor.executions == mazurkiewicz_classes(program)
    assert dpor.strategy.incompleteness_reason() == ""


@given(programs(endings=True))
def test_threads_that_outlive_main(program: SmallProgram) -> None:
    """The program may end while daemons stand before any of their steps: it fails by the steps before that, and each
    such execution is the beginning of one whose end comes as late as it can."""
    answer, _ = _known(program)
    failures = {(thread, text) for final in answer.finals for thread, text in enumerate(final[2]) if text}
    assert early_failures(program, _STATES) <= failures
    for name in ("mcr", "dpor-rf", "dpor", "icb-dpor", "dfs"):
        reached = reach(program, name)
        assert reached.everything.reads == answer.reads, name
        assert {final[1:] for final in reached.everything.finals} == {final[1:] for final in answer.finals}, name
        assert reached.strategy.incompleteness_reason() == "", name


@given(programs(conditions=False, compounds=True))
def test_steps_of_several_accesses(program: SmallProgram) -> None:
    """Which accesses they have depends on what they read."""
    answer, _ = _known(program)
    _check_compounds(program, answer)


def _check_compounds(program: SmallProgram, answer: Any) -> None:
    for name in ("mcr", "dpor-rf", "mcr-s", "mcr-s+", "dpor", "icb-dpor", "dfs"):
        reached = reach(program, name)
        if name.startswith("mcr-s"):  # they leave out values that nothing depends on
            assert reached.everything.finals == answer.finals, name
        else:
            assert reached.everything == answer, name
        assert reached.strategy.incompleteness_reason() == "", name


@pytest.mark.sampled
@pytest.mark.parametrize(
    "number",
    [
        11,
        40,
        50,
        74,
        92,
        100,
        101,
        105,
        134,
        140,
        142,
        151,
        175,
        178,
        198,
        212,
        219,
        251,
        264,
        282,
        283,
        713,
        953,
        2352,
    ],
)
def test_steps_of_several_accesses_in_a_form_that_no_run_shows(number: int) -> None:
    """Each was found with a strategy certain of having covered all and something missing, or with a needless doubt.

    In the last but one two answers to a question had the same fingerprint.
    """
    program = random_program(number, conditions=False, compounds=True)
    answer = everything(program, _STATES)
    for name in ("mcr", "dpor-rf", "dpor"):
        reached = reach(program, name)
        assert reached.everything == answer, name
        assert reached.strategy.incompleteness_reason() == "", name


@pytest.mark.parametrize("semaphores", [False, True])
def test_steps_of_several_accesses_among_others(semaphores: bool) -> None:
    """Beside conditions, semaphores and indivisible updates."""
    for number in range(5_000, 5_000 + _NUMBERED // 10):
        program = random_program(
            number, conditions=semaphores, semaphores=semaphores, atomics=not semaphores, compounds=True
        )
        try:
            answer = everything(program, 4_000)
        except TooLarge:
            continue
        if len(answer.reads) < 80:
            reached = reach(program, "mcr")
            assert reached.everything == answer, number
            assert reached.strategy.incompleteness_reason() == "", number


def test_a_form_that_only_a_probe_shows() -> None:
    """Whether the second thread writes what the first reads is seen only where it comes first."""
    update = Compound((Read("u", "x"), Write("x", "u + 1")))
    once = Compound((Read("a", "x"), If("a == 0", (Write("x", "5"), Write("y", "1")))))
    program = SmallProgram(((update,), (once,), (once,)), after=(Read("r", "x"), Read("s", "y")))
    for name in ("mcr", "dpor-rf"):
        reached = reach(program, name)
        assert reached.everything == everything(program), name
        assert reached.strategy.incompleteness_reason() == "", name


def test_steps_of_several_accesses_under_a_lock() -> None:
    """The order of the lock decides what they read."""
    step = Compound((Read("a", "x"), If("a == 0", (Write("y", "1"),), (Write("z", "a"),)), Write("x", "a + 1")))
    locked = (Lock("l"), step, Unlock("l"))
    program = SmallProgram((locked, locked, locked), after=(Read("r", "x"), Read("s", "y"), Read("t", "z")))
    for name in ("mcr", "dpor-rf"):
        reached = reach(program, name)
        assert reached.everything == everything(program)
        assert reached.strategy.incompleteness_reason() == ""


def test_two_races_may_each_seem_to_cover_the_other() -> None:
    """Found with reversals that left out what came after the race: the attempt may fail before main writes, too."""
    first = (TryLock("t", "m"), If("t == 1", (Lock("l"), Write("z", "1"))))
    second = (Lock("l"), Lock("m"), Unlock("m"), Unlock("l"))
    program = SmallProgram((first, second, (Read("b", "z"),)), (Write("z", "1"),))
    assert reach(program, "dpor").executions == mazurkiewicz_classes(program)


@given(programs())
def test_bounds_lose_nothing(program: SmallProgram) -> None:
    """Of every number of preemptions: whatever some order with up to so many reaches, bounded reduction reaches."""
    answer, count = _known(program)
    assume(count <= 500)
    all_orders, reduced = _by_preemptions(program, "icb"), _by_preemptions(program, "icb-dpor")
    assert sum(runs for _, runs in all_orders) == count
    assert all_orders[-1][0] == reduced[-1][0] == answer.finals
    for level, (finals, _) in enumerate(all_orders):
        assert reduced[min(level, len(reduced) - 1)][0] == finals


def _by_preemptions(program: SmallProgram, name: str) -> list[tuple[set[Any], int]]:
    """By number of preemptions: the final states reached with up to so many, and the runs with just so many."""
    runner, strategy = OracleProgram(program), make_strategy(name)
    assert isinstance(strategy, ContextBounding | BoundedReduction)
    found: list[tuple[set[Any], int]] = []
    while (seed := strategy.next_seed()) is not None:
        level = strategy.levels.taken[seed.number][0]
        assert strategy.coverage().bounded == Bounded(level - 1, sum(runs for _, runs in found[:level]))
        while len(found) <= level:
            found.append((set(found[-1][0]) if found else set(), 0))
        run = runner.execute(seed.plan)
        strategy.observe(seed, run)
        found[-1][0].add(run.result[0])
        found[-1] = (found[-1][0], found[-1][1] + 1)
    assert strategy.incompleteness_reason() == ""
    return found


@pytest.mark.parametrize("strategy", ["dpor", "icb", "icb-dpor"])
@pytest.mark.parametrize(
    ("first", "compounds"), [(0, False), (10, False), (20, False), (30, False), (210, True), (250, True)]
)
def test_searches_go_on_from_their_rows(first: int, compounds: bool, strategy: str) -> None:
    """A search that is taken over by another after each third run, a run being lost in between, is the same search."""
    for number in range(first, first + 10):
        program = random_program(
            number, conditions=not compounds, semaphores=not compounds and number % 2 == 0, compounds=compounds
        )
        try:
            if interleavings(program, _STATES) > 300:
                continue
        except TooLarge:
            continue
        whole = reach(program, strategy)
        runner, made, done = OracleProgram(program), make_strategy(strategy), 0
        records: list[JournalRecord] = []
        finals: set[Any] = set()
        while (seed := made.next_seed()) is not None:
            done += 1
            run = runner.execute(seed.plan)
            if done % 4 == 3:
                made = make_strategy(strategy)
                made.restore(records)
                continue
            made.observe(seed, run)
            records += made.records()
            finals |= {run.result[0]} if run.divergence is None else set()
        assert finals == whole.everything.finals, number
        assert done - (done + 1) // 4 == whole.executions, number
        assert made.incompleteness_reason() == "", number


@pytest.mark.parametrize("model", [MemoryModel.TSO, MemoryModel.PSO], ids=lambda model: model.value)
def test_late_stores(model: MemoryModel) -> None:
    """Under weaker memory models the arrival of a store is a step like any other."""
    for number in range(30):
        program = random_program(number, conditions=False, atomics=True)
        try:
            answer, count = everything(program, 3_000, model), mazurkiewicz_classes(program, 3_000)
        except TooLarge:
            continue
        dpor = reach(program, "dpor", model=model)
        assert dpor.everything == answer, number
        assert dpor.strategy.incompleteness_reason() == "", number
        if count < 50:
            assert reach(program, "icb-dpor", model=model).everything == answer, number


@given(programs())
def test_waking_up_and_taking_the_lock_again_may_be_one_step(program: SmallProgram) -> None:
    answer, _ = _known(program)
    for strategy in ("mcr", "dpor"):
        assert reach(program, strategy, joint=True).everything == answer


@given(programs(semaphores=True))
def test_semaphores(program: SmallProgram) -> None:
    """What may have to wait and is no lock is learnt on the way: the search begins anew, and still reaches
    everything."""
    answer, _ = _known(program)
    for strategy in ("mcr", "dpor"):
        reached = reach(program, strategy)
        assert reached.everything == answer
        assert reached.strategy.incompleteness_reason() == ""


@given(programs())
def test_the_verdict_is_the_oracles(program: SmallProgram) -> None:
    answer, _ = _known(program)
    wrong = any(any(final[2]) or final[3] for final in answer.finals)
    for strategy in ("mcr", "dfs", "dpor"):
        outcome = Explorer(OracleProgram(program), strategy, stop_at_first=False).run()
        assert isinstance(outcome.verdict, Violation if wrong else Verified)
        assert outcome.complete


@pytest.mark.parametrize("semaphores", [False, True])
@pytest.mark.parametrize("first", range(0, _NUMBERED, 50))
def test_numbered_programs(first: int, semaphores: bool) -> None:
    """The same family drawn evenly: hypothesis prefers small programs."""
    used = 0
    for number in range(first, first + 50):
        program = random_program(number, semaphores=semaphores)
        try:
            answer = everything(program, _STATES)
        except TooLarge:
            continue
        used += 1
        mcr, dpor = reach(program, "mcr"), reach(program, "dpor")
        assert mcr.everything == dpor.everything == answer, number
        rf = reach(program, "dpor-rf")
        assert mcr.executions <= rf.executions, number
        if not semaphores:
            assert rf.strategy.counters.repeated <= rf.executions // 4, number
    assert used > 40


def test_a_semaphore_that_only_an_impossible_seed_shows_to_be_waited_for() -> None:
    """No run ends stuck: that ``Down`` may have to wait shows only where a seed could not be followed."""
    waiter = (Down("t"), Read("a", "x"))
    writer = (Down("s"), Write("x", "1"), Down("t"))
    giver = (Read("a", "x"), Up("t"), Up("s"))
    program = SmallProgram((waiter, writer, giver), main=(Down("s"),), semaphores={"s": 1, "t": 1})
    assert reach(program, "mcr").everything == everything(program)
