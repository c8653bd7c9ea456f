"""The published litmus tests: which outcomes are allowed under SC, TSO and PSO.

The oracle's abstract machines are held to the published verdicts; then the explorers, which know nothing of memory
models, must reach exactly the outcomes of the machines, in the oracle's interpreter and in real Python.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.oracle.drive import reach
from tests.oracle.enumerate import everything, final_states
from tests.oracle.front import expected, reached
from tests.oracle.litmus import LITMUS, Litmus

from mazurka.program.memory import MemoryModel

#: As real Python most of those with four threads take seconds.
_LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
_AS_PYTHON = [litmus for litmus in LITMUS if _LONG or litmus.text.count("|") < 3 or "IRIW" in litmus.name]

EACH = pytest.mark.parametrize("litmus", LITMUS, ids=lambda litmus: litmus.name)
MODELS = pytest.mark.parametrize("model", MemoryModel, ids=lambda model: model.value)


@MODELS
@EACH
def test_the_oracle_allows_what_is_published(litmus: Litmus, model: MemoryModel) -> None:
    finals = final_states(litmus.program(), model=model)
    assert any(map(litmus.is_outcome, finals)) == (model in litmus.allowed)


@MODELS
@EACH
def test_mcr_reaches_what_the_machine_does(litmus: Litmus, model: MemoryModel) -> None:
    program = litmus.program()
    reached = reach(program, "mcr", model=model)
    assert reached.everything == everything(program, model=model)
    assert reached.strategy.counters.repeated == 0
    assert reached.followed == reached.executions


@pytest.mark.sampled
@pytest.mark.parametrize("model", [MemoryModel.TSO, MemoryModel.PSO], ids=lambda model: model.value)
@pytest.mark.parametrize("litmus", _AS_PYTHON, ids=lambda litmus: litmus.name)
def test_real_python_reaches_what_the_machine_does(litmus: Litmus, model: MemoryModel, tmp_path: Path) -> None:
    program = litmus.program()
    name = f"litmus_{abs(hash((litmus.text, model)))}"
    assert reached(program, tmp_path, name, "mcr", model).outcomes == expected(program, model)


@MODELS
@pytest.mark.parametrize("name", ["SB, iwp2.3.a, amd4", "MP, iwp2.1, amd1", "R+fence", "CoRR"])
def test_dfs_reaches_the_same(name: str, model: MemoryModel) -> None:
    program = next(litmus for litmus in LITMUS if litmus.name == name).program()
    assert reach(program, "dfs", model=model).everything == everything(program, model=model)
