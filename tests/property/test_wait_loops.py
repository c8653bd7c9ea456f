"""Loops that wait for conditions, whose threads stand before them until the loops would end: on random programs
``dpor`` reaches the outcomes of ``dfs``, and ``icb-dpor`` those of ``icb`` up to each bound.

A part of the programs breaks the rules on which this rests; see tests/oracle/waiting_programs.py.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.oracle.shown_outcomes import compare_bounded, compare_dpor
from tests.oracle.waiting_programs import drawn_waiting, drawn_waking

_LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
_PROGRAMS = 3_000 if _LONG else 12


def _programs(folder: Path, first: int, drawn: Callable[[int], str]) -> Iterator[tuple[int, Path]]:
    for number in range(first, first + _PROGRAMS):
        path = folder / f"waiting_{number}.py"
        path.write_text(drawn(number))
        yield number, path


@pytest.mark.slow
@pytest.mark.parametrize(("drawn", "first"), [(drawn_waiting, 0), (drawn_waking, 24)])  # 24: some keep all rules
def test_dpor_reaches_all_outcomes(drawn: Callable[[int], str], first: int, tmp_path: Path) -> None:
    compared, before, after = compare_dpor(_programs(tmp_path, first, drawn))
    assert compared > _PROGRAMS // 3
    assert after < before / 2


@pytest.mark.slow
@pytest.mark.parametrize("drawn", [drawn_waiting, drawn_waking])
def test_bounded_search_reaches_the_outcomes_within_its_bound(drawn: Callable[[int], str], tmp_path: Path) -> None:
    assert compare_bounded(_programs(tmp_path, 3_000, drawn)) > _PROGRAMS // 3
