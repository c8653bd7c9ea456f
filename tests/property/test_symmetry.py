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
from tests.oracle.shown_outcomes import explored

_LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
_PROGRAMS = 3_000 if _LONG else 24


def _programs(folder: Path, first: int) -> Iterator[tuple[int, Path]]:
    for number in range(first, first + _PROGRAMS):
        path = folder / f"alike_{number}.py"
        path.write_text(drawn_alike(number))
        yield number, path


@pytest.mark.slow
def test_dpor_reaches_all_outcomes(tmp_path: Path) -> None:
    compared = before = after = 0
    for number, path in _programs(tmp_path, 0):
        all_shown, by_dfs = explored(path, "dfs")
        if not by_dfs.complete:
            continue
        shown, by_dpor = explored(path, "dpor")
        if not by_dpor.complete:
            continue
        assert shown.keys() == all_shown.keys(), number
        compared, before, after = compared + 1, before + by_dfs.executions, after + by_dpor.executions
    assert compared > _PROGRAMS // 3
    assert after < before / 2


@pytest.mark.slow
def test_bounded_search_reaches_the_outcomes_within_its_bound(tmp_path: Path) -> None:
    compared = 0
    for number, path in _programs(tmp_path, 3_000):
        all_shown, by_icb = explored(path, "icb")
        if not by_icb.complete:
            continue
        compared += 1
        for bound in (0, 1, 2):
            shown, _ = explored(path, "icb-dpor", bound)
            wanted = {what for what, cost in all_shown.items() if cost <= bound}
            assert wanted <= shown.keys() <= all_shown.keys(), (number, bound)
    assert compared > _PROGRAMS // 3
