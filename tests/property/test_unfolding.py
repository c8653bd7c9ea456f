"""The unfolding has one complete configuration for each Mazurkiewicz class of the oracle, whatever the order of the
search, and its executions reach the oracle's outcomes.

``make test-long`` takes 3,000 programs of each family, the suite a few dozen.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import assume, given
from tests.drawn import some_of
from tests.oracle import front, front_c
from tests.oracle.drive import reach
from tests.oracle.enumerate import TooLarge, everything, mazurkiewicz_classes
from tests.oracle.generate import programs, random_program
from tests.oracle.language import SmallProgram
from tests.oracle.loops import circling, looping_program
from tests.oracle.program import OracleProgram

from mazurka.explore.outcome import Verified
from mazurka.explore.races import Execution
from mazurka.explore.strategy import JournalRecord
from mazurka.program.memory import MemoryModel
from mazurka.program.protocol import Plan
from mazurka.unfold.events import Configuration, Unfolding, UnfoldingEvent
from mazurka.unfold.extensions import events_of, extensions_of
from mazurka.unfold.searchers import SEARCHERS
from mazurka.unfold.strategy import UnfoldingSearch

_LONG: Final = os.environ.get("HYPOTHESIS_PROFILE") == "long"
#: States that the oracle may search, and classes that a program may have, to be used.
_STATES: Final = 15_000
_CLASSES: Final = 1_000 if _LONG else 100
_PROGRAMS: Final = 3_000 if _LONG else some_of(20)
_SHARE: Final = some_of(20)
_MOST_EXECUTIONS: Final = 1_500 if _LONG else 60

_FAMILIES: Final[dict[str, dict[str, bool]]] = {
    "conditions": {},
    "semaphores": {"semaphores": True},
    "atomics": {"conditions": False, "atomics": True},
    "compounds": {"conditions": False, "compounds": True},
    "endings": {"endings": True},
}


def _known(program: SmallProgram) -> tuple[Any, int] | None:
    """The oracle's outcomes and number of classes, if the program is small enough."""
    try:
        answer, classes = everything(program, _STATES), mazurkiewicz_classes(program, _STATES)
    except (TooLarge, RecursionError):
        return None
    return (answer, classes) if classes <= _CLASSES else None


def _check(program: SmallProgram, answer: Any, classes: int, order: str = "dfs", k: int | None = None) -> Any:
    reached = reach(program, lambda: UnfoldingSearch(order, k=k), limit=20 * classes + 50)
    assert reached.everything == answer
    assert reached.strategy.tree.explored == classes
    assert reached.strategy.incompleteness_reason() == ""
    return reached


@given(programs())
def test_every_class_is_one_configuration(program: SmallProgram) -> None:
    known = _known(program)
    assume(known is not None)
    assert known is not None
    assert _check(program, *known).executions == known[1]  # none is in vain


@pytest.mark.sampled
@pytest.mark.parametrize("first", range(0, _PROGRAMS, _SHARE))
@pytest.mark.parametrize("family", _FAMILIES)
def test_numbered_programs(family: str, first: int) -> None:
    used = 0
    for number in range(first, first + _SHARE):
        program = random_program(number, **_FAMILIES[family])
        known = _known(program)
        if known is not None:
            used += 1
            _check(program, *known)
    assert used >= _SHARE // 2


@pytest.mark.sampled
@pytest.mark.parametrize("family", _FAMILIES)
@pytest.mark.parametrize("order", SEARCHERS[1:])
def test_the_order_of_the_search_does_not_matter(order: str, family: str) -> None:
    for number in range(100, 106 if not _LONG else 400):
        program = random_program(number, **_FAMILIES[family])
        known = _known(program)
        if known is not None:
            reached = _check(program, *known, order)
            if family == "conditions":
                assert reached.executions == known[1]


@pytest.mark.parametrize("k", [1, 2])
def test_partial_alternatives_lose_nothing(k: int) -> None:
    """Executions may be in vain, though."""
    for number in range(100, 108 if not _LONG else 400):
        program = random_program(number)
        known = _known(program)
        if known is not None:
            _check(program, *known, k=k)


@pytest.mark.sampled
@pytest.mark.parametrize("order", SEARCHERS)
@pytest.mark.parametrize("family", _FAMILIES)
def test_searches_go_on_from_their_records(family: str, order: str) -> None:
    """A search that is taken over by another after each third run, a run being lost in between, is the same search."""
    for number in range(200, 204 if not _LONG else 300):
        program = random_program(number, **_FAMILIES[family])
        known = _known(program)
        if known is None or known[1] > 100:
            continue
        runner, made, done = OracleProgram(program), UnfoldingSearch(order), 0
        records: list[JournalRecord] = []
        finals: set[Any] = set()
        while (seed := made.next_seed()) is not None:
            done += 1
            run = runner.execute(seed.plan)
            if done % 4 == 3:
                made = UnfoldingSearch(order)
                made.restore(records)
                continue
            made.observe(seed, run)
            records += made.records()
            finals |= {run.result[0]} if run.divergence is None else set()
        assert finals == known[0].finals, number
        assert made.tree.explored == known[1], number


@pytest.mark.parametrize("number", [11, 79, 92, 123, 161, 205, 228, 757])
def test_steps_whose_locations_depend_on_values(number: int) -> None:
    """Each was found with a search certain of having covered all, and configurations missing."""
    program = random_program(number, conditions=False, compounds=True)
    answer, classes = everything(program, _STATES), mazurkiewicz_classes(program, _STATES)
    _check(program, answer, classes)


@pytest.mark.parametrize("model", [MemoryModel.TSO, MemoryModel.PSO], ids=lambda model: model.value)
def test_late_stores(model: MemoryModel) -> None:
    """Under weaker memory models the arrival of a store is a step like any other."""
    for number in range(8 if not _LONG else 1_000):
        program = random_program(number, conditions=False, atomics=True)
        try:
            answer, classes = everything(program, 3_000, model), mazurkiewicz_classes(program, 3_000)
        except TooLarge:
            continue
        for cutoffs in (False, True):
            reached = reach(program, partial(UnfoldingSearch, cutoffs=cutoffs), model=model, limit=500 * classes)
            assert reached.everything.finals == answer.finals, number
            assert reached.strategy.incompleteness_reason() == "", number
            if not cutoffs:
                assert reached.everything == answer, number


@pytest.mark.parametrize("model", MemoryModel, ids=lambda model: model.value)
def test_generated_programs_in_c(model: MemoryModel, tmp_path: Path) -> None:
    for number in range(5 if not _LONG else 1_000):
        relaxed = model is not MemoryModel.SC
        program = random_program(number, conditions=not relaxed, atomics=relaxed)
        try:
            answer = front.expected(program, model)
        except TooLarge:
            continue
        found = front_c.reached(program, tmp_path / "generated.c", "unfolding", model, _MOST_EXECUTIONS)
        if found.executions < _MOST_EXECUTIONS:
            assert found.outcomes == answer, number


@pytest.mark.sampled
@pytest.mark.parametrize("family", _FAMILIES)
def test_cutoffs_lose_no_state(family: str) -> None:
    for number in range(300, 306 if not _LONG else 1_300):
        program = random_program(number, **_FAMILIES[family])
        known = _known(program)
        if known is None:
            continue
        answer, classes = known
        reached = reach(program, lambda: UnfoldingSearch(cutoffs=True), limit=20 * classes + 50)
        assert reached.everything.finals == answer.finals, number
        assert reached.everything.deadlocks == answer.deadlocks, number
        assert reached.strategy.tree.explored <= classes, number
        assert reached.strategy.incompleteness_reason() == "", number


@pytest.mark.parametrize("front_end", ["c", "python"])
def test_programs_with_endless_loops_come_to_an_end(front_end: str, tmp_path: Path) -> None:
    """All final states are reached, and where threads may only go round, that is said."""
    for seed in range(12 if not _LONG else 1_000):
        program = looping_program(seed)
        try:
            answer = front.expected(program)
        except TooLarge:
            continue
        if front_end == "c":
            in_c = front_c.reached(program, tmp_path / "looping.c", "unfolding", limit=_MOST_EXECUTIONS)
            outcomes, executions, verdict = in_c.outcomes, in_c.executions, in_c.verdict
        else:
            found = front.reached(program, tmp_path, f"looping_{seed}", "unfolding", limit=_MOST_EXECUTIONS)
            outcomes, executions, verdict = found.outcomes, found.executions, found.verdict
        assert outcomes <= answer, seed
        if executions < _MOST_EXECUTIONS:
            assert outcomes == answer, seed
        if circling(program):
            assert not isinstance(verdict, Verified), seed


@given(programs(conditions=False))
def test_events_of_equal_histories_are_one(program: SmallProgram) -> None:
    """In a program's executions, thread by thread in different orders, each linearization of a configuration is an
    execution with the same events."""
    unfolding, runner = Unfolding(), OracleProgram(program)
    execution = Execution(runner.execute(Plan()))
    events = events_of(execution, unfolding)
    ordered = sorted(events, key=lambda event: (event.size, event.thread))
    again = Execution(runner.execute(Plan(tuple([event.thread for event in ordered]))))
    assert events_of(again, unfolding) == ordered
    configuration = Configuration(events)
    for extension in extensions_of(execution, events, unfolding):
        _check_extension(configuration, extension.event, extension.first)


def _check_extension(configuration: Configuration, event: UnfoldingEvent, first: UnfoldingEvent) -> None:
    """Its history is in the configuration, but it is not, since it is in conflict with ``first``."""
    assert event not in configuration
    assert first in configuration
    assert all(last in configuration for last in event.past.values())
    assert event.depends(first)
    assert not event.has_before(first)
    assert not first.has_before(event)
    assert configuration.to_reach(event) is None
