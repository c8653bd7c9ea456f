"""``se-mcr`` against the oracle: the classes that it runs once each, those that it leaves out, and that nothing is lost
by it."""

from __future__ import annotations

import os
import pickle
import random
from typing import Any

import pytest
from tests.oracle.drive import Reached, reach
from tests.oracle.enumerate import TooLarge, everything
from tests.oracle.generate import random_program
from tests.oracle.language import If, Lock, Read, SmallProgram, Unlock, Write
from tests.oracle.program import OracleProgram

from mazurka.explore.explorer import Budget, Explorer
from mazurka.explore.outcome import Inconclusive
from mazurka.explore.se_mcr import SwitchEquivalence
from mazurka.explore.strategy import JournalRecord
from mazurka.program.memory import MemoryModel

_STATES = 15_000

#: Programs per test; ``make test-long`` asks for more.
_PROGRAMS = {"long": 1_000}.get(os.environ.get("HYPOTHESIS_PROFILE", ""), 50)


def _all_classes(program: SmallProgram, joint: bool = False) -> Reached:
    return reach(program, lambda: SwitchEquivalence(classes=True), joint=joint)


def _lessons(program: SmallProgram, joint: bool = False) -> Reached:
    return reach(program, SwitchEquivalence, joint=joint)


def _failures(finals: frozenset[Any]) -> set[tuple[int, str]]:
    return {(thread, text) for final in finals for thread, text in enumerate(final[2]) if text}


def _histories(reads: frozenset[Any]) -> set[tuple[int, Any]]:
    return {(thread, row) for vectors, _ in reads for thread, row in enumerate(vectors)}


def _beginnings(histories: set[tuple[int, Any]]) -> set[tuple[int, Any]]:
    """A thread may be stuck after reads that a run makes on the way to more: no other run has to show that."""
    return {(thread, row[:count]) for thread, row in histories for count in range(len(row) + 1)}


@pytest.mark.sampled
@pytest.mark.parametrize("joint", [False, True], ids=["wake-then-lock", "wake-with-lock"])
@pytest.mark.parametrize("semaphores", [False, True], ids=["conditions", "semaphores"])
def test_generated_programs(semaphores: bool, joint: bool) -> None:
    used = 0
    for number in range(_PROGRAMS):
        program = random_program(number, semaphores=semaphores)
        try:
            answer = everything(program, _STATES)
        except TooLarge:
            continue
        used += 1
        classes, lessons = _all_classes(program, joint), _lessons(program, joint)
        assert classes.everything == answer, number
        assert lessons.everything.deadlocks == answer.deadlocks, number
        assert _failures(lessons.everything.finals) == _failures(answer.finals), number
        assert _beginnings(_histories(lessons.everything.reads)) >= _histories(answer.reads), number
        assert classes.strategy.incompleteness_reason() == lessons.strategy.incompleteness_reason() == "", number
        assert lessons.executions <= classes.executions
    assert used > _PROGRAMS * 0.9


@pytest.mark.parametrize("model", [MemoryModel.TSO, MemoryModel.PSO])
def test_stores_that_come_late(model: MemoryModel) -> None:
    used = 0
    for number in range(_PROGRAMS):
        program = random_program(number, conditions=number % 3 == 0, atomics=True)
        try:
            answer = everything(program, _STATES, model)
        except TooLarge:
            continue
        used += 1
        classes = reach(program, lambda: SwitchEquivalence(classes=True), model=model)
        lessons = reach(program, SwitchEquivalence, model=model)
        assert classes.everything == answer, number
        assert lessons.everything.deadlocks == answer.deadlocks, number
        assert _failures(lessons.everything.finals) == _failures(answer.finals), number
        assert classes.strategy.incompleteness_reason() == lessons.strategy.incompleteness_reason() == "", number
    assert used > _PROGRAMS * 0.9


@pytest.mark.parametrize("semaphores", [False, True], ids=["conditions", "semaphores"])
def test_threads_that_outlive_main(semaphores: bool) -> None:
    """No thread may read the variables at the end, so their last values need not be reached."""
    used = 0
    for number in range(_PROGRAMS // 2):
        program = random_program(number, semaphores=semaphores, endings=True)
        try:
            answer = everything(program, _STATES)
        except TooLarge:
            continue
        used += 1
        classes, lessons = _all_classes(program), _lessons(program)
        assert classes.everything.reads == answer.reads, number
        assert {final[1:] for final in classes.everything.finals} == {final[1:] for final in answer.finals}, number
        assert lessons.everything.deadlocks == answer.deadlocks, number
        assert _failures(lessons.everything.finals) == _failures(answer.finals), number
        assert _beginnings(_histories(lessons.everything.reads)) >= _histories(answer.reads), number
        assert classes.strategy.incompleteness_reason() == lessons.strategy.incompleteness_reason() == "", number
    assert used > _PROGRAMS // 4


def test_steps_of_several_accesses() -> None:
    """Which accesses they have depends on what they read."""
    used = 0
    for number in range(_PROGRAMS):
        program = random_program(number, conditions=False, compounds=True)
        try:
            answer = everything(program, _STATES)
        except TooLarge:
            continue
        used += 1
        classes, lessons = _all_classes(program), _lessons(program)
        assert classes.everything == answer, number
        assert _failures(lessons.everything.finals) == _failures(answer.finals), number
        assert _beginnings(_histories(lessons.everything.reads)) >= _histories(answer.reads), number
        assert classes.strategy.incompleteness_reason() == lessons.strategy.incompleteness_reason() == "", number
    assert used > _PROGRAMS * 0.7


def test_each_class_is_run_once() -> None:
    """Where nothing but variables and locks is touched: what conditions hold is told apart by how it came about."""
    used = 0
    for number in range(_PROGRAMS):
        program = random_program(number, conditions=False)
        try:
            answer = everything(program, _STATES)
        except TooLarge:
            continue
        used += 1
        classes = _all_classes(program)
        assert classes.executions == classes.followed == len(answer.reads), number
        assert _lessons(program).executions <= classes.executions
    assert used > _PROGRAMS * 0.9


def _program(*threads: Any) -> SmallProgram:
    return SmallProgram(threads)


_READ_X, _READ_Y, _READ_Z = Read("r1", "x"), Read("r2", "y"), Read("r3", "z")
_WRITE_X, _WRITE_Y, _WRITE_Z = Write("x", "1"), Write("y", "1"), Write("z", "1")


@pytest.mark.parametrize(
    ("program", "classes"),
    [
        (_program((_WRITE_X,), (_READ_X,), (_WRITE_Y,), (_READ_Y,)), 4),
        (_program((_WRITE_X,), (_READ_X,), (_WRITE_Y,), (Write("x", "2"), _READ_Y)), 6),
        (
            _program((_WRITE_X,), (Lock("l"), _READ_X, Unlock("l")), (_WRITE_Y,), (Lock("l"), _READ_Y, Unlock("l"))),
            4,
        ),
        (_program((_READ_X,), (_READ_Y,), (_READ_Z,), (_WRITE_X,), (_WRITE_Y,), (_WRITE_Z,)), 8),
    ],
    ids=["figure 3.2", "figure 5.3", "figure 5.5", "figure 5.6"],
)
def test_worked_examples(program: SmallProgram, classes: int) -> None:
    """Dissertation ch. 5: MCR runs 5 orders of the first and 16 of the last, SE-MCR 4 and 8."""
    assert len(everything(program).reads) == classes
    assert _all_classes(program).executions == classes
    assert _lessons(program).executions <= classes


def _executions(
    program: SmallProgram, records: list[JournalRecord], most: int
) -> tuple[list[JournalRecord], int, bool]:
    """Go on from ``records`` for ``most`` runs: the rows then, the runs made, whether that was all."""
    runner, search = OracleProgram(program), SwitchEquivalence(classes=True)
    search.restore(records)
    for made in range(most):
        seed = search.next_seed()
        if seed is None:
            return [*records, *search.records()], made, True
        search.observe(seed, runner.execute(seed.plan))
    return [*records, *search.records()], most, False


@pytest.mark.parametrize("number", [0, 6, 12, 18, 24])
def test_an_interrupted_search_goes_on_where_it_stopped(number: int) -> None:
    program = random_program(number)
    records: list[JournalRecord] = []
    total, finished = 0, False
    while not finished:
        records, made, finished = _executions(program, records, 3)
        total += made
    assert total == _all_classes(program).executions


@pytest.mark.parametrize("number", range(0, 40, 2))
def test_runs_made_elsewhere_come_to_the_same(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leases come back in any order, or not at all, or before all of their runs were made."""
    monkeypatch.setattr("mazurka.explore.se_mcr._WORTH", 0.0)
    program, chance = random_program(number), random.Random(number)
    answer = everything(program, _STATES)
    runner, search = OracleProgram(program), SwitchEquivalence(classes=True)
    results: list[Any] = []
    under_way: dict[int, tuple[list[JournalRecord], list[Any]] | None] = {}
    while True:
        for lease in search.grant_leases(3 - len(under_way)) if len(under_way) < 3 else []:
            under_way[lease.number] = (
                None if chance.random() < 0.2 else _carry_out(runner, lease.records, chance.randrange(6))
            )
        if under_way:
            lease_number = chance.choice(list(under_way))
            told = under_way.pop(lease_number)
            search.settle_lease(lease_number, None if told is None else told[0])
            results += [] if told is None else told[1]
        elif (seed := search.next_seed()) is not None:
            run = runner.execute(seed.plan)
            search.observe(seed, run)
            results.append(run)
        else:
            break
    ended = [run.result for run in results if run.divergence is None]
    assert {final for final, _ in ended} == answer.finals
    assert {(reads, final[3]) for final, reads in ended} == answer.reads
    assert search.incompleteness_reason() == ""


def _carry_out(runner: OracleProgram, records: list[JournalRecord], most: int) -> tuple[list[JournalRecord], list[Any]]:
    worker, runs = SwitchEquivalence(classes=True), []
    worker.restore(pickle.loads(pickle.dumps(records)))
    while len(runs) < most and (seed := worker.next_seed()) is not None:
        runs.append(runner.execute(seed.plan))
        worker.observe(seed, runs[-1])
    return worker.records(), runs


@pytest.mark.parametrize("number", range(0, 30, 3))
def test_thinking_bit_by_bit_comes_to_the_same(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be left at any time, and gone on with later."""
    monkeypatch.setattr("mazurka.explore.thread_models.state_space._SOME", 1)
    program = random_program(number)
    runner, search = OracleProgram(program), SwitchEquivalence()
    left = 0
    while True:
        while not search.advance(0.0):
            left += 1
        if (seed := search.next_seed()) is None:
            break
        search.observe(seed, runner.execute(seed.plan))
    assert left > runner.executions
    assert runner.executions == _lessons(program).executions
    assert search.incompleteness_reason() == ""


def test_one_run_shows_a_deadlock() -> None:
    """The value read before it makes another ending of it, but no other deadlock; where it happens does."""
    one = (Lock("l"), Write("x", "1"), Lock("m"), Unlock("m"), Unlock("l"))
    same = _program(one, (Lock("m"), Read("r", "x"), Lock("l"), Unlock("l"), Unlock("m")))
    assert _lessons(same).executions == 3
    assert _all_classes(same).executions == 4
    branches = (Lock("l"), Unlock("l")), (Lock("l"), Write("y", "1"), Unlock("l"))
    apart = _program(one, (Lock("m"), Read("r", "x"), If("r == 0", *branches), Unlock("m")))
    assert len(_lessons(apart).everything.deadlocks) == len(everything(apart).deadlocks) == 2


def test_the_time_limit_holds_while_it_thinks() -> None:
    readers = _program(*[(_READ_X,)] * 16, (_WRITE_X, _WRITE_Y))
    outcome = Explorer(OracleProgram(readers), "se-mcr", budget=Budget(seconds=0.2)).run()
    assert isinstance(outcome.verdict, Inconclusive)
    assert outcome.seconds < 20
