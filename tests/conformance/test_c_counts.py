"""The benchmark programs as C: the strategies take as many executions as there are classes, as for Python."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.oracle.benchmarks import REFERENCES, Reference
from tests.oracle.front_c import reached

from mazurka.program.memory import MemoryModel

_MOST = 100_000 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 600

PROGRAMS = {name: each for name, each in REFERENCES.items() if each.maz is not None and each.maz < _MOST}


@pytest.mark.sampled
@pytest.mark.parametrize("name", PROGRAMS)
def test_dpor_takes_one_execution_for_each_trace(name: str, tmp_path: Path) -> None:
    reference: Reference = PROGRAMS[name]
    assert reference.maz is not None
    found = reached(reference.make(), tmp_path / "program.c", "dpor", limit=100_000, times=2)
    assert found.executions == reference.maz


_FEW = _MOST if _MOST > 600 else 40


@pytest.mark.sampled
@pytest.mark.parametrize("name", [name for name, each in PROGRAMS.items() if each.rf is not None and each.rf < _FEW])
def test_dpor_rf_takes_one_execution_for_each_reads_from_class(name: str, tmp_path: Path) -> None:
    reference: Reference = PROGRAMS[name]
    found = reached(reference.make(), tmp_path / "program.c", "dpor-rf", limit=100_000, times=2)
    assert found.executions == reference.rf


@pytest.mark.sampled
@pytest.mark.parametrize("name", [name for name, each in PROGRAMS.items() if (each.maz or 0) < _FEW])
def test_unfolding_takes_one_execution_for_each_trace(name: str, tmp_path: Path) -> None:
    """None of these programs comes back to a state, so that no execution is cut off."""
    reference: Reference = PROGRAMS[name]
    found = reached(reference.make(), tmp_path / "program.c", "unfolding", limit=100_000, times=2)
    assert found.executions == reference.maz


#: Executions under SC, TSO and PSO, as Nidhugg counts traces.
RELAXED = {"StoreBuffering": (3, 4, 4), "MessagePassing": (3, 3, 4)}


@pytest.mark.parametrize("strategy", ["dpor", "dpor-rf", "mcr", "se-mcr"])
@pytest.mark.parametrize("name", RELAXED)
def test_late_stores_add_as_many_executions_as_published(name: str, strategy: str, tmp_path: Path) -> None:
    made = REFERENCES[name].make()
    path = tmp_path / "program.c"
    counts = tuple(reached(made, path, strategy, model, times=2).executions for model in MemoryModel)
    assert counts == RELAXED[name]
