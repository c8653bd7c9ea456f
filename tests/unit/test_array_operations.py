"""Operations of NumPy: two on one large array at the same time are untracked, looks and those under a lock are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.outside_programs import explored

from mazurka.report.check_report import Verdict

#: Operations of two threads on an array of a thousand elements that others see half done.
AT_THE_SAME_TIME = {
    "in place": ("values += 1", "values += 1"),
    "with a place for the result": ("np.add(values, 1, out=values)", "values.sum()"),
    "of a slice": ("values[:] = 1", "values[2:5]; values + 1"),
    "a sort": ("values.sort()", "values[0] = 1"),
    "a small product": ("small @ small", "small[0, 0] = 1"),
    "by way of a view": ("values[:600].fill(1)", "np.sum(values)"),
}

#: Operations that are single steps, or that only look.
APART = {
    "looks": ("values.sum(); values + 1; np.dot(values, values)", "values.mean(); np.sort(values)"),
    "of one element": ("values[0] += 1", "values[1]; values[2] = 3"),
    "of few elements": ("small += 1", "small * 2"),
    "under a lock": ("with lock: values += 1", "with lock: values.sum()"),
}

_PROGRAM = """
    import numpy as np
    values, small, lock = np.zeros(1000), np.zeros((2, 2)), threading.Lock()
    def first():
        nonlocal values, small
        {}
    def second():
        nonlocal values, small
        {}
    run(first, second)
"""


@pytest.mark.parametrize("name", AT_THE_SAME_TIME)
def test_at_the_same_time(tmp_path: Path, name: str) -> None:
    result = explored(tmp_path, _PROGRAM.format(*AT_THE_SAME_TIME[name]))
    assert result.verdict is Verdict.INCONCLUSIVE
    assert any("operations of NumPy on one array" in each for each in result.report.untracked)


@pytest.mark.parametrize("name", APART)
def test_apart(tmp_path: Path, name: str) -> None:
    assert explored(tmp_path, _PROGRAM.format(*APART[name])).verdict is Verdict.VERIFIED
