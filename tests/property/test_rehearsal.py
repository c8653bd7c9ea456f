"""An elided run is the run that would have been made: with the same reads-from, stuck in the same
places. Each run that ``mcr`` elides is executed as well, in the same order.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
from tests.oracle.drive import Unfinished, reach
from tests.oracle.enumerate import TooLarge, everything
from tests.oracle.generate import random_program
from tests.oracle.program import OracleProgram

from mazurka.causal.history import History
from mazurka.explore.thread_models.memoised import MemoisedExecutions
from mazurka.program.memory import MemoryModel
from mazurka.program.protocol import Plan, Run

_PROGRAMS = 600 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 30


@pytest.mark.parametrize("model", MemoryModel)
def test_an_elided_execution_is_the_one_that_would_happen(model: MemoryModel, monkeypatch: pytest.MonkeyPatch) -> None:
    elided: list[Run] = []
    execution_of = MemoisedExecutions.execution_of

    def noted(self: MemoisedExecutions, prefix: tuple[str, ...]) -> Run | None:
        run = execution_of(self, prefix)
        elided.extend([] if run is None else [run])
        return run

    monkeypatch.setattr(MemoisedExecutions, "execution_of", noted)
    compared = 0
    for seed in range(_PROGRAMS):
        program = random_program(seed, conditions=seed % 3 == 0, semaphores=seed % 3 == 1, atomics=seed % 4 > 0)
        joint = seed % 2 == 1
        elided.clear()
        try:
            everything(program, 15_000, model)
            reach(program, "mcr", model=model, joint=joint, limit=1_000)
        except (TooLarge, Unfinished):
            continue
        for run in elided:
            made = OracleProgram(program, joint, model=model).execute(Plan(run.schedule()))
            assert made.divergence is None, f"program {seed}"
            assert _shown(made) == _shown(run), f"program {seed}"
        compared += len(elided)
    assert compared > _PROGRAMS


def _shown(run: Run) -> tuple[Any, ...]:
    history = History(run.tasks, run.log, run.blocked)
    stuck = sorted((run.tasks[each.task], int(each.op), each.target) for each in run.blocked)
    return history.signature(), stuck
