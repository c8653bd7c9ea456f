"""Threads that are alike, of which one order is executed: on random programs ``dpor`` reaches the outcomes of ``dfs``,
and ``icb-dpor`` those of ``icb`` up to each bound.

In a part of the programs something tells the threads apart; see tests/oracle/alike_programs.py.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.oracle.alike_programs import drawn_alike
from tests.oracle.shown_outcomes import compare_bounded, compare_dpor

_LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
_PROGRAMS = 3_000 if _LONG else 12


def _programs(folder: Path, first: int) -> Iterator[tuple[int, Path]]:
    for number in range(first, first + _PROGRAMS):
        path = folder / f"alike_{number}.py"
        path.write_text(drawn_alike(number))
        yield number, path


@pytest.mark.slow
def test_dpor_reaches_all_outcomes(tmp_path: Path) -> None:
    compared, before, after = compare_dpor(_programs(tmp_path, 0))
    assert compared > _PROGRAMS // 3
    assert after < before / 2


@pytest.mark.slow
def test_bounded_search_reaches_the_outcomes_within_its_bound(tmp_path: Path) -> None:
    assert compare_bounded(_programs(tmp_path, 3_000)) > _PROGRAMS // 4
