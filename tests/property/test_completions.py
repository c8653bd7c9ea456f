"""``as_completed`` by its abstract model: on random programs the outcomes are those of CPython's own code, and ``dpor``
reaches those of ``dfs``. See tests/oracle/completed_programs.py."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.oracle.completed_programs import drawn_with_completions
from tests.oracle.shown_outcomes import compare_dpor, explored

from mazurka.program.python.primitives import completions

_LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
_PROGRAMS = 600 if _LONG else 16


def _programs(folder: Path, first: int) -> Iterator[tuple[int, Path]]:
    for number in range(first, first + _PROGRAMS):
        path = folder / f"completions_{number}.py"
        path.write_text(drawn_with_completions(number))
        yield number, path


@pytest.mark.slow
def test_the_outcomes_are_those_of_cpythons_own_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = before = after = 0
    for number, path in _programs(tmp_path, 0):
        shown, by_model = explored(path, "dpor")
        with monkeypatch.context() as patched:
            patched.setattr(completions, "begin", lambda waiter: False)
            all_shown, by_cpython = explored(path, "dpor")
        if by_cpython.complete:
            assert by_model.complete, number
            assert shown.keys() == all_shown.keys(), number
            compared, before, after = compared + 1, before + by_cpython.executions, after + by_model.executions
    assert compared > _PROGRAMS // 3
    assert after < before / 2


@pytest.mark.slow
def test_dpor_reaches_all_outcomes(tmp_path: Path) -> None:
    compared, _, _ = compare_dpor(_programs(tmp_path, 10_000))
    assert compared > _PROGRAMS // 6
