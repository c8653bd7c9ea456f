"""An elided run is the run that would have been made: with the same reads-from, stuck in the same
places. Each run that ``mcr`` elides is executed as well, in the same order.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from benchmarks.search import Search, search
from tests.oracle.drive import Unfinished, reach
from tests.oracle.enumerate import TooLarge, everything
from tests.oracle.generate import random_program
from tests.oracle.program import OracleProgram
from tests.unit.c_programs import explored, opened, started

from mazurka.causal.history import History
from mazurka.explore.thread_models.memoised import MemoisedExecutions
from mazurka.program.memory import MemoryModel
from mazurka.program.protocol import Plan, Run

_PROGRAMS = 600 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 30


@pytest.fixture
def elided(monkeypatch: pytest.MonkeyPatch) -> list[Run]:
    """The executions that are elided from now on."""
    found: list[Run] = []
    execution_of = MemoisedExecutions.execution_of

    def noted(self: MemoisedExecutions, prefix: tuple[str, ...], like: int = 0) -> Run | None:
        run = execution_of(self, prefix, like)
        found.extend([] if run is None else [run])
        return run

    monkeypatch.setattr(MemoisedExecutions, "execution_of", noted)
    return found


@pytest.mark.parametrize("model", MemoryModel)
def test_an_elided_execution_is_the_one_that_would_happen(model: MemoryModel, elided: list[Run]) -> None:
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


#: Two threads may notify a third one in any order, which ends its first or its second wait.
TWO_WAITS = """
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int n;
void *one(void *u) { %s pthread_cond_signal(&c); %s return 0; }
void *two(void *u) { %s pthread_cond_broadcast(&c); %s return 0; }
void *waits(void *u) {
    pthread_mutex_lock(&m);
    for (n = 0; n < 2; n++) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return 0;
}
""" + started("waits", "one", "two")
LOCKED = "pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"


@pytest.mark.parametrize("around", [("", ""), LOCKED], ids=["anywhere", "under the lock"])
def test_in_an_elided_execution_notifications_end_waits_as_they_come(
    around: tuple[str, str], elided: list[Run], tmp_path: Path
) -> None:
    program = opened(tmp_path, TWO_WAITS % (*around, *around))
    outcome = explored(program, "mcr")
    assert outcome.complete
    assert elided
    for run in elided:
        assert _shown(program.execute(Plan(run.schedule()))) == _shown(run)


def test_executions_of_a_service_hardly_ever_read_the_same_values() -> None:
    """Its objects are numbered anew in each execution, by whichever thread comes to them first."""
    found = search("mcr", "services/pipeline.py", "repaired", seconds=300)
    assert isinstance(found, Search)
    assert found.complete
    assert found.repeats is not None
    assert found.repeats < found.executions / 50


def _shown(run: Run) -> tuple[Any, ...]:
    history = History(run.tasks, run.log, run.blocked)
    stuck = sorted((run.tasks[each.task], int(each.op), each.target) for each in run.blocked)
    return history.signature(), stuck
