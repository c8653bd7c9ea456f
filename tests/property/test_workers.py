"""Pools with fewer workers than tasks, whose tasks wait: on random programs the outcomes are those of CPython's own
code, and reduced searches reach those of whole ones. See tests/oracle/worker_programs.py."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.oracle.shown_outcomes import compare_bounded, compare_dpor, explored
from tests.oracle.worker_programs import drawn_with_workers

from mazurka.program.python.primitives import executors, thread_pools

_LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
_PROGRAMS = 300 if _LONG else 6
_WHOLE = 4 * _PROGRAMS  # most of these have too many orders for a search without reductions


def _programs(folder: Path, first: int, count: int) -> Iterator[tuple[int, Path]]:
    for number in range(first, first + count):
        path = folder / f"workers_{number}.py"
        path.write_text(drawn_with_workers(number))
        yield number, path


def _outcomes(path: Path, strategy: str) -> tuple[set[tuple[str, bool]], bool, int]:
    """What executions print, and whether threads are stuck, under whatever names: CPython's workers have others."""
    shown, outcome = explored(path, strategy)
    return {(output, bool(failures)) for output, failures in shown}, outcome.complete, outcome.executions


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["dpor", "mcr"])
def test_the_outcomes_are_those_of_cpythons_own_code(
    strategy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = before = after = 0
    for number, path in _programs(tmp_path, 1_000, _PROGRAMS):
        shown, is_complete, by_model = _outcomes(path, strategy)
        with monkeypatch.context() as patched:
            patched.setattr(executors, "_pool_of", lambda executor, models: None)
            patched.setattr(thread_pools, "_is_covered", lambda pool, models, initializer: False)
            all_shown, is_decided, by_cpython = _outcomes(path, "dpor")
        assert all_shown <= shown or not is_complete, number
        if is_decided:
            assert is_complete, number
            assert shown == all_shown, number
        compared, before, after = compared + is_complete, before + by_cpython, after + by_model
    assert compared > _PROGRAMS // 2
    assert after < before / 2


@pytest.mark.slow
def test_dpor_reaches_all_outcomes(tmp_path: Path) -> None:
    compared, _, _ = compare_dpor(_programs(tmp_path, 10_000, _WHOLE))
    assert compared > 0


@pytest.mark.slow
def test_bounded_search_reaches_all_outcomes(tmp_path: Path) -> None:
    assert compare_bounded(_programs(tmp_path, 20_000, _WHOLE)) > 1
