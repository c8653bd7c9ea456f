"""Generated programs, run as real Python through the whole front end, reach the outcomes that the oracle gives.

Each small program is printed as Python that uses ``threading``, imported instrumented, and explored with ``mcr`` and
``se-mcr`` (and with ``dfs`` where all interleavings are few). :mod:`tests.oracle.front` says which parts are compared.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.drawn import some_of
from tests.oracle.enumerate import TooLarge, interleavings
from tests.oracle.front import expected, reached
from tests.oracle.generate import random_program
from tests.oracle.language import Read, SmallProgram, Update, Write
from tests.oracle.translate import Holder, to_python

from mazurka.explore.outcome import Inconclusive
from mazurka.program.memory import MemoryModel
from mazurka.program.protocol import FailureKind

#: Programs per test run; ``make test-long`` asks for more.
_LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
_PROGRAMS = 3000 if _LONG else some_of(20)
#: Programs per test, so that the tests can be spread over processes.
_SHARE = some_of(10)
#: The same for each memory model but the first, which has far more executions.
_RELAXED = 5_000 if _LONG else some_of(5)
_RELAXED_SHARE = some_of(5)
_HOLDING = 200 if _LONG else 2
_MOST_INTERLEAVINGS = 600 if _LONG else 200
_MOST_EXECUTIONS = 3_000 if _LONG else 300


def _check(seed: int, folder: Path, model: MemoryModel = MemoryModel.SC) -> bool:
    """Whether the program was small enough to be compared."""
    relaxed = model is not MemoryModel.SC
    program = random_program(seed, conditions=not relaxed or seed % 3 == 0, atomics=relaxed)
    try:
        answer = expected(program, model)
    except TooLarge:
        return False
    few = not relaxed and _are_few(program)
    strategies = ("mcr", "se-mcr", "dfs") if few else ("mcr", "se-mcr")
    for strategy in strategies:
        found = reached(program, folder, f"generated_{seed}", strategy, model, _MOST_EXECUTIONS)
        if found.executions >= _MOST_EXECUTIONS:
            return False
        assert found.outcomes == answer, f"seed {seed}, {strategy}, {model}:\n{to_python(program)}"
        stuck = any(outcome[3] for outcome in answer)
        assert stuck == bool(found.kinds & {FailureKind.DEADLOCK, FailureKind.BLOCKED}), f"seed {seed}, {strategy}"
    return True


def _are_few(program: SmallProgram) -> bool:
    try:
        return interleavings(program, 20_000, _MOST_INTERLEAVINGS) <= _MOST_INTERLEAVINGS
    except TooLarge:
        return False


@pytest.mark.parametrize("first", range(0, _PROGRAMS, _SHARE))
def test_generated_programs_reach_what_the_oracle_says(first: int, tmp_path: Path) -> None:
    compared = sum(_check(seed, tmp_path) for seed in range(first, first + _SHARE))
    assert compared > _SHARE * 0.5


def _outlives(program: SmallProgram, folder: Path, name: str) -> bool:
    """Whether the program was small enough to be compared."""
    try:
        answer = expected(program)
    except TooLarge:
        return False
    for strategy in ("mcr", "se-mcr"):
        found = reached(program, folder, name, strategy, limit=_MOST_EXECUTIONS)
        if found.executions >= _MOST_EXECUTIONS:
            return False
        assert found.outcomes == answer, f"{strategy}:\n{to_python(program)}"
        if strategy == "se-mcr":  # the other may doubt whether it knows the locations of steps
            assert not isinstance(found.verdict, Inconclusive), to_python(program)
    return True


@pytest.mark.parametrize("first", range(0, _PROGRAMS, _SHARE))
def test_threads_that_outlive_main(first: int, tmp_path: Path) -> None:
    programs = {
        seed: random_program(seed, conditions=seed % 2 == 0, endings=True) for seed in range(first, first + _SHARE)
    }
    compared = [_outlives(program, tmp_path, f"outliving_{seed}") for seed, program in programs.items()]
    assert sum(compared) > _SHARE * 0.5


@pytest.mark.parametrize("model", [MemoryModel.TSO, MemoryModel.PSO])
@pytest.mark.parametrize("first", range(0, _RELAXED, _RELAXED_SHARE))
def test_generated_programs_under_relaxed_memory(first: int, model: MemoryModel, tmp_path: Path) -> None:
    compared = sum(_check(seed, tmp_path, model) for seed in range(first, first + _RELAXED_SHARE))
    assert compared > _RELAXED_SHARE * 0.8


@pytest.mark.parametrize("model", list(MemoryModel))
@pytest.mark.parametrize("strategy", ["mcr", "se-mcr", "dpor-rf"])
def test_a_store_that_arrives_before_an_update(strategy: str, model: MemoryModel, tmp_path: Path) -> None:
    """The other thread may read the initial value, the stored one, or that of the update."""
    program = SmallProgram(((Read("b", "z"),), (Write("z", "1"), Update("u", "z", "u + 1"))), main_forks=True)
    found = reached(program, tmp_path, f"updated_{strategy}_{model.value}".replace("-", "_"), strategy, model)
    assert found.outcomes == expected(program, model)
    assert len(found.outcomes) == 3


@pytest.mark.sampled
@pytest.mark.parametrize("holder", Holder)
def test_whatever_holds_the_variables(holder: Holder, tmp_path: Path) -> None:
    compared = 0
    for seed in range(_HOLDING):
        program = random_program(seed, conditions=False, atomics=seed % 2 == 0)
        for model in MemoryModel:
            answer = expected(program, model)
            name = f"{holder.name.lower()}_{model.value}_{seed}"
            found = reached(program, tmp_path, name, "mcr", model, 500, holder)
            if found.executions < 500:
                assert found.outcomes == answer, f"seed {seed}, {holder}, {model}"
                compared += 1
    assert compared > _HOLDING * 2
