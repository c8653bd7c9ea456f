"""The benchmark programs as ordinary Python take as many executions as published; `make bench` measures all of them."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from benchmarks.__main__ import MEASUREMENTS
from benchmarks.counts import published
from benchmarks.search import Search, search

_ROOT = Path(__file__).resolve().parents[2]
_PUBLISHED = published()

#: Of each program the first row that says how many reads-from classes there are, if these are few.
_ROWS = {
    name: row
    for name, rows in _PUBLISHED["programs"].items()
    for row in rows[:1]
    if row["rf"] is not None and row["rf"] < 1000 and "note" not in row
}


@pytest.mark.parametrize("name", _ROWS)
def test_mcr_runs_as_many_as_published(name: str) -> None:
    row = _ROWS[name]
    made = search("mcr", f"{name}.py", *row["arguments"])
    assert isinstance(made, Search), made
    assert made.complete
    assert made.last == row["rf"]


def test_every_program_has_its_counts() -> None:
    files = {path.stem for path in _ROOT.joinpath("benchmarks", "programs").glob("*.py")}
    assert files == set(_PUBLISHED["programs"])
    assert files >= {*_PUBLISHED["bugs"], *_PUBLISHED["violated"]}
    assert all(set(_PUBLISHED["units"]) >= set(row) - {"arguments", "note"} for row in _rows())


def _rows() -> list[Any]:
    return [row for rows in _PUBLISHED["programs"].values() for row in rows]


@pytest.mark.parametrize("name", MEASUREMENTS)
def test_a_measurement_yields_rows(name: str) -> None:
    module = importlib.import_module(f"benchmarks.{MEASUREMENTS[name]}")
    assert inspect.isgeneratorfunction(module.measure)


def test_the_table_is_printed() -> None:
    command = [sys.executable, "-m", "benchmarks", "switches", "cold", "--repetitions", "1"]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.stderr == ""
    assert "greenlet switch" in done.stdout
    assert done.stdout.endswith("demands are not met\n") or "NOT MET" in done.stdout
