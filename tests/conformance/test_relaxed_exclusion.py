"""Algorithms that do without locks are right or wrong under each memory model exactly as is published."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.oracle.drive import reach
from tests.oracle.enumerate import everything, mazurkiewicz_classes
from tests.oracle.exclusion import CASES, Case, Fences, message_passing, peterson, store_buffering
from tests.oracle.front import expected, reached
from tests.oracle.program import OracleProgram

from mazurka.explore.explorer import Explorer
from mazurka.explore.outcome import Verified, Violation
from mazurka.program.memory import MemoryModel

#: As real Python all of them take a minute.
_FEW = (message_passing, store_buffering)
_AS_PYTHON = CASES if os.environ.get("HYPOTHESIS_PROFILE") == "long" else [c for c in CASES if c.make in _FEW]

EACH = pytest.mark.parametrize("case", CASES, ids=str)
MODELS = pytest.mark.parametrize("model", MemoryModel, ids=lambda model: model.value)


def test_peterson_is_the_program_that_is_counted() -> None:
    assert mazurkiewicz_classes(peterson(Fences.NONE)) == 20


@MODELS
@EACH
def test_verdict(case: Case, model: MemoryModel) -> None:
    outcome = Explorer(OracleProgram(case.program(), model=model)).run()
    assert isinstance(outcome.verdict, Violation if model in case.wrong else Verified)


@pytest.mark.sampled
@MODELS
@EACH
def test_mcr_reaches_what_the_machine_does(case: Case, model: MemoryModel) -> None:
    assert reach(case.program(), model=model).everything.reads == everything(case.program(), model=model).reads


@MODELS
@pytest.mark.parametrize("case", _AS_PYTHON, ids=str)
def test_real_python_reaches_what_the_machine_does(case: Case, model: MemoryModel, tmp_path: Path) -> None:
    name = f"exclusion_{CASES.index(case)}_{model.value}"
    answer = expected(case.program(), model, 500_000)
    assert reached(case.program(), tmp_path, name, model=model).outcomes == answer
