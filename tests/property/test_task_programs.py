"""Drawn programs of tasks: each strategy reaches the outcomes that exhaustive search does, and among these are those
that CPython's own loop shows when it is held up at random."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from tests.oracle import real_loops
from tests.oracle.shown_outcomes import explored
from tests.oracle.task_programs import program

from mazurka.program.protocol import FailureKind

_STRATEGIES: Final = ("dpor", "mcr", "icb-dpor", "auto")

#: Programs that the reference is done with in a few seconds.
_NUMBERS: Final = (3, 7, 8, 14, 24, 25, 32, 33, 34, 36, 55, 57, 58, 59)


@pytest.mark.sampled
@pytest.mark.parametrize("number", _NUMBERS)
def test_strategies_reach_all_outcomes(number: int, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(program(number))
    expected, reference = explored(path, "dfs")
    assert reference.complete
    for strategy in _STRATEGIES:
        found, outcome = explored(path, strategy)
        if outcome.complete:
            assert set(found) == set(expected), strategy
        else:
            assert strategy == "mcr", strategy  # which may take more executions than the limit
            assert set(found) <= set(expected)


@pytest.mark.sampled
@pytest.mark.parametrize("number", _NUMBERS)
def test_real_loops_show_nothing_else(number: int, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(program(number))
    found, outcome = explored(path, "dpor")
    assert outcome.complete
    shown = {real_loops.HANGS if _hangs(failures) else text for text, failures in found}
    command = [sys.executable, real_loops.__file__, str(path), "30", str(number)]
    real = json.loads(subprocess.run(command, capture_output=True, text=True, check=True, timeout=100).stdout)
    assert set(real) <= shown


def _hangs(failures: tuple[tuple[str, ...], ...]) -> bool:
    stuck = (FailureKind.BLOCKED.value, FailureKind.DEADLOCK.value)
    return any(identity[0] in stuck for identity in failures)
