"""Generated programs, run as real Python through the whole front end, reach what the oracle says they can reach.

Each small program is printed as Python that uses ``threading``, imported instrumented, and explored with ``mcr`` (and
with ``dfs`` where all interleavings are few). What is compared: final shared values, every thread's locals (which are
the values it read), failed assertions, and for runs that got stuck, which threads were stuck in what.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.oracle.enumerate import TooLarge, everything, interleavings
from tests.oracle.generate import random_program
from tests.oracle.language import SmallProgram
from tests.oracle.translate import to_python

from mazurka.explore.explorer import Budget, Explorer
from mazurka.program.memory import MemoryModel
from mazurka.program.protocol import FailureKind, Plan, Run
from mazurka.program.python.entry import Function
from mazurka.program.python.program import Isolation, PythonProgram, Settings
from mazurka.trace.event import Op

#: Programs per test run; ``make test-long`` asks for more.
_PROGRAMS = {"long": 3000}.get(os.environ.get("HYPOTHESIS_PROFILE", ""), 60)
#: Programs per test, so that the tests can be spread over processes.
_SHARE = 60
#: The same for each memory model but the first, which has far more executions.
_RELAXED = {"long": 5_000}.get(os.environ.get("HYPOTHESIS_PROFILE", ""), 20)
_RELAXED_SHARE = 20
_MOST_INTERLEAVINGS = 600
_MOST_EXECUTIONS = 3_000
_STUCK_IN = {"lock": "acquire", "relock": "acquire", "wake": "acquire", "join": "join"}


class _Recorded(PythonProgram):
    """Notes the outcome of each run as the oracle would put it."""

    outcomes: set[Any]
    kinds: set[FailureKind]
    threads: int

    def execute(self, plan: Plan) -> Run:
        run = super().execute(plan)
        if run.divergence is None:
            assert not run.truncated
            self.outcomes.add(self._outcome(run))
            self.kinds |= {failure.kind for failure in run.failures}
        return run

    def _outcome(self, run: Run) -> Any:
        locals_of, failed = sys.modules[self._module()].__dict__["last"]
        visible = tuple(locals_of[i] for i in range(self.threads))
        failures = tuple(failed.get(i, "") for i in range(self.threads))
        stuck = frozenset((run.tasks[b.task], "join" if b.op is Op.JOIN else "acquire") for b in run.blocked)
        shared = run.result[0] if run.result and not failures[0] else ()
        return shared, visible, failures, stuck

    def _module(self) -> str:
        assert isinstance(self.entry, Function)
        return Path(self.entry.path).stem


def _expected(program: SmallProgram, model: MemoryModel) -> set[Any]:
    outcomes = set()
    for shared, visible, failed, stuck in everything(program, 30_000, model).finals:
        waiting = frozenset(
            ("0" if t == 0 else f"0.{t}", _STUCK_IN[program.code[t].instructions[pc][0]]) for t, pc in stuck
        )
        # A main that failed looks at the variables at once, not when all threads have ended.
        values = () if failed[0] else tuple((name, value) for name, value in shared if value != 0)
        outcomes.add((values, visible, tuple(failed), waiting))
    return outcomes


def _reached(
    program: SmallProgram, folder: Path, name: str, strategy: str, model: MemoryModel
) -> tuple[_Recorded, int]:
    path = folder / f"{name}.py"
    path.write_text(to_python(program))
    settings = Settings(roots=(str(folder),), isolation=Isolation.RESTORE, memory=model)
    subject = _Recorded(Function(str(path), "program"), settings)
    subject.outcomes, subject.kinds = set(), set()
    subject.threads = len(program.threads) + 1
    explorer = Explorer(subject, strategy, stop_at_first=False, budget=Budget(_MOST_EXECUTIONS))
    try:
        executions = explorer.run().executions
    finally:
        subject.close()
        sys.modules.pop(name, None)
    return subject, executions


def _check(seed: int, folder: Path, model: MemoryModel = MemoryModel.SC) -> bool:
    """Whether the program was small enough to be compared."""
    relaxed = model is not MemoryModel.SC
    program = random_program(seed, conditions=not relaxed or seed % 3 == 0, atomics=relaxed)
    try:
        expected = _expected(program, model)
        few = not relaxed and interleavings(program, 20_000) <= _MOST_INTERLEAVINGS
    except TooLarge:
        return False
    for strategy in ("mcr", "dfs") if few else ("mcr",):
        reached, executions = _reached(program, folder, f"generated_{seed}", strategy, model)
        if executions >= _MOST_EXECUTIONS:
            return False
        assert reached.outcomes == expected, f"seed {seed}, {strategy}, {model}:\n{to_python(program)}"
        stuck = any(outcome[3] for outcome in expected)
        assert stuck == bool(reached.kinds & {FailureKind.DEADLOCK, FailureKind.BLOCKED}), f"seed {seed}, {strategy}"
    return True


@pytest.mark.parametrize("first", range(0, _PROGRAMS, _SHARE))
def test_generated_programs_reach_what_the_oracle_says(first: int, tmp_path: Path) -> None:
    compared = sum(_check(seed, tmp_path) for seed in range(first, first + _SHARE))
    assert compared > _SHARE * 0.8


@pytest.mark.parametrize("model", [MemoryModel.TSO, MemoryModel.PSO])
@pytest.mark.parametrize("first", range(0, _RELAXED, _RELAXED_SHARE))
def test_generated_programs_under_relaxed_memory(first: int, model: MemoryModel, tmp_path: Path) -> None:
    compared = sum(_check(seed, tmp_path, model) for seed in range(first, first + _RELAXED_SHARE))
    assert compared > _RELAXED_SHARE * 0.8
