"""Generated programs, run as C through the whole front end, reach the outcomes that the oracle gives, under each memory
model. ``make test-long`` takes 3,000 programs.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.drawn import some_of
from tests.oracle.enumerate import TooLarge
from tests.oracle.front import expected
from tests.oracle.front_c import reached
from tests.oracle.generate import random_program
from tests.oracle.language import Read, SmallProgram, Update, Write
from tests.oracle.translate_c import to_c

from mazurka.explore.outcome import Inconclusive
from mazurka.program.memory import MemoryModel
from mazurka.program.protocol import FailureKind
from mazurka.symbolic.input_classes import Z3InputSolver

_LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
_PROGRAMS = 3_000 if _LONG else some_of(10)
_SHARE = some_of(10)
_RELAXED = 3_000 if _LONG else some_of(6)
_RELAXED_SHARE = some_of(6)
_UNKNOWN = 1_000 if _LONG else some_of(10)
_MOST_EXECUTIONS = 3_000 if _LONG else 400


def _check(seed: int, path: Path, model: MemoryModel = MemoryModel.SC) -> bool:
    """Whether the program was small enough to be compared."""
    relaxed = model is not MemoryModel.SC
    program = random_program(
        seed, conditions=not relaxed or seed % 3 == 0, atomics=relaxed, semaphores=not relaxed and seed % 5 == 0
    )
    try:
        answer = expected(program, model)
    except TooLarge:
        return False
    for strategy in ("dpor", "mcr", "se-mcr"):
        found = reached(program, path, strategy, model, _MOST_EXECUTIONS)
        if found.executions >= _MOST_EXECUTIONS:
            return False
        assert found.outcomes == answer, f"seed {seed}, {strategy}, {model}:\n{to_c(program)[0]}"
        stuck = any(outcome[3] for outcome in answer)
        assert stuck == bool(found.kinds & {FailureKind.DEADLOCK, FailureKind.BLOCKED}), f"seed {seed}, {strategy}"
    return True


_INPUT = "extern unsigned __VERIFIER_nondet_uint(void);\n"
_ASKED = "int main(void) {\n    shared_x = __VERIFIER_nondet_uint() & 3;\n"


def _reached_by_inputs(program: SmallProgram, path: Path, strategy: str, model: MemoryModel) -> tuple[set[Any], int]:
    """The outcomes with all initial values of x from 0 to 3, and the number of searches that found them."""
    text, _ = to_c(program)
    solver, outcomes, searches = Z3InputSolver(), set(), 0
    inputs: dict[str, int] | None = {}
    while inputs is not None:
        found = reached(
            program, path, strategy, model, 400, inputs=inputs, text=_INPUT + text.replace("int main(void) {\n", _ASKED)
        )
        if found.executions >= 400:
            raise TooLarge(400)
        for value in range(4):
            if found.holds(given := {"nondet_uint()": value}):
                outcomes |= {outcome(given) for outcome in found.later}
        searches += 1
        solver.exclude(found.conditions)
        inputs = solver.next_inputs(None)
    return outcomes, searches


@pytest.mark.parametrize("strategy", ["mcr", "dpor", "se-mcr"])
@pytest.mark.parametrize("first", range(0, _UNKNOWN, _SHARE))
def test_unknown_initial_values(first: int, strategy: str, tmp_path: Path) -> None:
    compared = 0
    for seed in range(first, first + _SHARE):
        model = list(MemoryModel)[seed % 3]
        program = random_program(seed, conditions=False, atomics=seed % 2 == 0)
        if "shared_x" not in to_c(program)[0]:
            continue
        try:
            answer = {
                each
                for value in range(4)
                for each in expected(replace(program, initial={**program.initial, "x": value}), model)
            }
            outcomes, searches = _reached_by_inputs(program, tmp_path / "unknown.c", strategy, model)
        except TooLarge:
            continue
        compared += 1
        assert outcomes == answer, (seed, strategy, model)
        assert searches <= 4
    assert compared > _SHARE * 0.3


@pytest.mark.parametrize("first", range(0, _PROGRAMS, _SHARE))
def test_generated_programs_reach_what_the_oracle_says(first: int, tmp_path: Path) -> None:
    compared = sum(_check(seed, tmp_path / "generated.c") for seed in range(first, first + _SHARE))
    assert compared > _SHARE * 0.5


@pytest.mark.parametrize("first", range(0, _PROGRAMS, _SHARE))
def test_threads_that_outlive_main(first: int, tmp_path: Path) -> None:
    """Main returns, which ends the program, or leaves by ``pthread_exit``, and the program waits for all threads."""
    compared = 0
    for seed in range(first, first + _SHARE):
        program = random_program(seed, conditions=seed % 3 > 0, semaphores=seed % 3 == 2, endings=True)
        program = replace(program, daemons=frozenset(range(len(program.threads)) if seed % 2 else ()))
        try:
            answer = expected(program)
        except TooLarge:
            continue
        for strategy in ("mcr", "se-mcr", "unfolding"):
            found = reached(program, tmp_path / "generated.c", strategy, limit=_MOST_EXECUTIONS)
            if found.executions < _MOST_EXECUTIONS:
                compared += 1
                assert found.outcomes == answer, f"seed {seed}, {strategy}:\n{to_c(program)[0]}"
                assert not isinstance(found.verdict, Inconclusive), f"seed {seed}, {strategy}"
    assert compared > _SHARE


@pytest.mark.parametrize("first", range(0, _PROGRAMS, _SHARE))
def test_atomic_sections(first: int, tmp_path: Path) -> None:
    compared = 0
    for seed in range(first, first + _SHARE):
        program = random_program(seed, conditions=False, compounds=True)
        try:
            answer = expected(program, MemoryModel.SC)
        except TooLarge:
            continue
        for strategy in ("dpor", "mcr", "se-mcr", "dfs"):
            found = reached(program, tmp_path / "sections.c", strategy, MemoryModel.SC, _MOST_EXECUTIONS)
            if found.executions < _MOST_EXECUTIONS:
                assert found.outcomes == answer, f"seed {seed}, {strategy}:\n{to_c(program)[0]}"
                compared += 1
    assert compared > _SHARE


def test_a_step_that_reads_and_keeps_what_it_read(tmp_path: Path) -> None:
    """The values that a step writes to locations of its thread alone depend on those that it reads."""
    program = random_program(114, conditions=True, compounds=True)
    found = reached(program, tmp_path / "kept.c", "se-mcr")
    assert found.outcomes == expected(program)


@pytest.mark.parametrize("model", [MemoryModel.TSO, MemoryModel.PSO])
@pytest.mark.parametrize("first", range(0, _RELAXED, _RELAXED_SHARE))
def test_generated_programs_under_relaxed_memory(first: int, model: MemoryModel, tmp_path: Path) -> None:
    compared = sum(_check(seed, tmp_path / "generated.c", model) for seed in range(first, first + _RELAXED_SHARE))
    assert compared > _RELAXED_SHARE * 0.5


@pytest.mark.parametrize("model", list(MemoryModel))
@pytest.mark.parametrize("strategy", ["mcr", "se-mcr", "dpor-rf"])
def test_a_store_that_arrives_before_an_update(strategy: str, model: MemoryModel, tmp_path: Path) -> None:
    program = SmallProgram(((Read("b", "z"),), (Write("z", "1"), Update("u", "z", "u + 1"))), main_forks=True)
    found = reached(program, tmp_path / "updated.c", strategy, model)
    assert found.outcomes == expected(program, model)
    assert len(found.outcomes) == 3


@pytest.mark.parametrize("model", list(MemoryModel))
@pytest.mark.parametrize("strategy", ["mcr", "se-mcr", "dpor-rf"])
def test_an_exchange_that_changes_nothing_is_a_read(strategy: str, model: MemoryModel, tmp_path: Path) -> None:
    """Whether it is one depends on the order; the value before the first one that changes something is the initial
    value."""
    threads = ((Update("u", "z", "1"),), (Read("b", "z"), Write("z", "b + 1")), (Write("z", "1"),))
    program = SmallProgram(threads, after=(Read("rz", "z"),), main_forks=True)
    found = reached(program, tmp_path / "exchanged.c", strategy, model)
    assert found.outcomes == expected(program, model)
