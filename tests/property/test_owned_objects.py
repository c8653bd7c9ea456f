"""Searches that leave out accesses of objects that no other thread can notice find the same as those that make steps of
all accesses. ``make test-long`` takes 2,000 programs.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.drawn import some_of
from tests.oracle.objects_c import random_objects
from tests.unit.c_programs import opened

from mazurka.explore.explorer import Budget, Explorer
from mazurka.explore.outcome import Outcome
from mazurka.program.protocol import Run

_PROGRAMS = 2_000 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else some_of(40)
_SHARE = some_of(20)
_MOST_EXECUTIONS = 1_500


def _searched(folder: Path, text: str, strategy: str, *, owned: bool) -> tuple[Outcome, set[str]]:
    """A search, and the output of the executions without failures."""
    program = opened(folder, text)
    program.prepare()
    assert program.machine is not None
    program.machine.memory.keeps_owned = owned
    printed = set()

    def look(run: Run) -> None:
        if not run.failures and not run.blocked:
            printed.add(run.output)

    budget = Budget(_MOST_EXECUTIONS)
    return Explorer(program, strategy, stop_at_first=False, budget=budget, postcondition=look).run(), printed


def _failures(outcome: Outcome) -> set[tuple[str, ...]]:
    return {found.failure.identity for found in outcome.found}


@pytest.mark.parametrize("first", range(0, _PROGRAMS, _SHARE))
def test_searches_find_the_same_without_steps_that_none_can_notice(first: int, tmp_path: Path) -> None:
    executions = [0, 0]
    for seed in range(first, first + _SHARE):
        text = random_objects(seed)
        wanted, printed = _searched(tmp_path, text, "dfs", owned=False)
        if not wanted.complete:
            continue
        found, also_printed = _searched(tmp_path, text, "dfs", owned=True)
        assert (found.complete, also_printed) == (True, printed), seed
        assert (type(found.verdict), _failures(found)) == (type(wanted.verdict), _failures(wanted)), seed
        reduced, _ = _searched(tmp_path, text, "dpor", owned=True)
        assert (type(reduced.verdict), _failures(reduced)) == (type(wanted.verdict), _failures(wanted)), seed
        executions[0] += wanted.executions
        executions[1] += found.executions
    assert executions[1] < executions[0] / 2
