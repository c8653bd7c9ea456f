"""Generated programs with fences and indivisible updates reach, under each memory model, the outcomes of the oracle's
abstract machine. ``make test-long`` takes 5,000 programs per model, the suite fifty.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.drawn import some_of
from tests.oracle.drive import reach
from tests.oracle.enumerate import Everything, TooLarge, everything
from tests.oracle.generate import random_program
from tests.oracle.language import SmallProgram
from tests.oracle.program import OracleProgram
from tests.oracle.translate import to_python

from mazurka.explore.explorer import Explorer
from mazurka.explore.outcome import Verified, Violation
from mazurka.program.memory import MemoryModel
from mazurka.program.protocol import Failure, FailureKind, Plan, TailPolicy
from mazurka.program.python.entry import Function
from mazurka.program.python.program import Isolation, ProgramSettings, PythonProgram
from mazurka.workflows.certifying import examined

_PROGRAMS = {"long": 5_000}.get(os.environ.get("HYPOTHESIS_PROFILE", ""), 50)
_SHARE = 50
_STATES = 15_000
_WITNESSED = {"long": 300}.get(os.environ.get("HYPOTHESIS_PROFILE", ""), some_of(10))

MODELS = pytest.mark.parametrize("model", MemoryModel, ids=lambda model: model.value)


def _program(number: int) -> SmallProgram:
    return random_program(number, conditions=number % 3 == 0, atomics=True)


def _known(number: int, model: MemoryModel) -> tuple[SmallProgram, Everything] | None:
    program = _program(number)
    try:
        return program, everything(program, _STATES, model)
    except TooLarge:
        return None


@MODELS
@pytest.mark.parametrize("first", range(0, _PROGRAMS, _SHARE))
def test_mcr_reaches_what_the_machine_does(first: int, model: MemoryModel) -> None:
    used = 0
    for number in range(first, first + _SHARE):
        known = _known(number, model)
        if known is not None:
            program, answer = known
            reached = reach(program, "mcr", model=model)
            assert reached.everything == answer, number
            assert reached.strategy.incompleteness_reason() == "", number
            used += 1
    assert used > _SHARE * 0.8


@pytest.mark.sampled
@MODELS
@pytest.mark.parametrize("strategy", ["dpor", "dpor-rf", "icb-dpor"])
def test_other_complete_strategies_reach_it_too(strategy: str, model: MemoryModel) -> None:
    used = 0
    for number in range(40):
        known = _known(number, model)
        if known is not None and len(OracleProgram(known[0], model=model).execute(Plan()).schedule()) <= 9:
            assert reach(known[0], strategy, model=model).everything == known[1], number
            used += 1
    assert used > 8


@MODELS
def test_dfs_and_the_verdict_agree(model: MemoryModel) -> None:
    used = 0
    for number in range(50):
        known = _known(number, model)
        if known is None:
            continue
        program, answer = known
        runner = OracleProgram(program, model=model)
        if len(runner.execute(Plan()).schedule()) > 8:
            continue
        assert reach(program, "dfs", model=model).everything == answer
        wrong = any(any(final[2]) or final[3] for final in answer.finals)
        outcome = Explorer(OracleProgram(program, model=model), "mcr", stop_at_first=False).run()
        assert isinstance(outcome.verdict, Violation if wrong else Verified)
        used += 1
    assert used > 8


@pytest.mark.parametrize("model", [MemoryModel.TSO, MemoryModel.PSO], ids=lambda model: model.value)
def test_the_witness_checker_believes_every_run_of_python(model: MemoryModel, tmp_path: Path) -> None:
    """Values included: what is read is what was last written, or the thread's own store."""
    checked = 0
    for number in range(_WITNESSED):
        path = tmp_path / f"witnessed_{model.value}_{number}.py"
        path.write_text(to_python(_program(number)))
        settings = ProgramSettings(roots=(str(tmp_path),), isolation=Isolation.RESTORE, memory=model)
        program = PythonProgram(Function(str(path), "program"), settings)
        try:
            for seed in range(6):
                program.execute(Plan(tail=TailPolicy.RANDOM, seed=seed))  # learn the shared locations
                run = program.execute(Plan(tail=TailPolicy.RANDOM, seed=seed, detail=True))
                if run.divergence is None:
                    late = Failure(FailureKind.ASSERTION, "so far", "0", None, step=len(run.log) - 1)
                    for failure in run.failures or [late]:
                        witness = examined(run, failure)
                        assert witness is not None
                        assert witness.checked, witness.contradictions
                        checked += 1
        finally:
            program.close()
    assert checked > 4 * _WITNESSED
