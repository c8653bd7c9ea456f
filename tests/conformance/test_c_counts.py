"""The benchmark programs as C: the strategies take as many executions as there are classes, as for Python."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.oracle.benchmarks import REFERENCES, Reference
from tests.oracle.front_c import reached

_MOST = 100_000 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 600

PROGRAMS = {name: each for name, each in REFERENCES.items() if each.maz is not None and each.maz < _MOST}


@pytest.mark.parametrize("name", PROGRAMS)
def test_dpor_takes_one_execution_for_each_trace(name: str, tmp_path: Path) -> None:
    reference: Reference = PROGRAMS[name]
    assert reference.maz is not None
    found = reached(reference.make(), tmp_path / "program.c", "dpor", limit=100_000, times=2)
    assert found.executions == reference.maz
