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
from benchmarks.generated import share
from benchmarks.readings import reading
from benchmarks.search import Search, search
from benchmarks.strategies import CLASSES

from mazurka.program.protocol import Run, Step
from mazurka.trace.event import Op

_ROOT = Path(__file__).resolve().parents[2]
_PUBLISHED = published()

#: Of each program the first row that says how many reads-from classes there are, if these are few.
_ROWS = {
    name: row
    for name, rows in _PUBLISHED["programs"].items()
    for row in rows[:1]
    if row["rf"] is not None and row["rf"] < 1000 and "note" not in row
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", _ROWS)
def test_dpor_rf_runs_as_many_as_published(name: str) -> None:
    row = _ROWS[name]
    made = search("dpor-rf", f"{name}.py", *row["arguments"])
    assert isinstance(made, Search), made
    assert made.complete
    assert made.last == row["rf"]


@pytest.mark.sampled
@pytest.mark.parametrize("strategy", ["mcr", CLASSES])
@pytest.mark.parametrize(
    ("name", "argument", "classes"),
    [
        ("counter", 2, 19),
        ("pingpong", 3, 19),
        ("casw", 2, 4),
        pytest.param("pingpong", 4, 65, marks=pytest.mark.slow),  # the initial value of a location is seen late
    ],
)
def test_no_two_executions_of_a_class(name: str, argument: int, classes: int, strategy: str) -> None:
    made = search(strategy, f"{name}.py", argument)
    assert isinstance(made, Search), made
    assert (made.last, made.repeats, made.complete) == (classes, 0, True)


def test_readings_are_equal_if_all_that_was_read_is() -> None:
    def read_by(name: str, thing: int, value: int) -> Run:
        step = Step(0, Op.READ, ("a", thing, "x"), 7, True, ("int", value))
        return Run([name], [step], [])

    one, other = 1 << 24, (1 << 24) + 1
    assert reading(read_by("0", one, -1)) == reading(read_by("0", other, -1))
    assert reading(read_by("0", one, -1)) != reading(read_by("0", one, -2))
    assert reading(read_by("0", one, -1)) != reading(read_by("0.1", one, -1))


@pytest.mark.parametrize("model", ["sc", "tso", "pso"])
def test_generated_programs_are_held_to_the_oracle(model: str) -> None:
    told = share(model, ("mcr", "dpor", CLASSES), 0, 12)
    assert told.least() + told.too_large == told.programs
    for name, tally in told.tallies.items():
        assert tally.differ == [], name
    assert told.tallies[CLASSES].executions < told.tallies["mcr"].executions


def test_every_program_has_its_counts() -> None:
    files = {path.stem for path in _ROOT.joinpath("benchmarks", "programs").glob("*.py")}
    assert files == set(_PUBLISHED["programs"])
    assert files >= {*_PUBLISHED["bugs"], *_PUBLISHED["violated"]}
    assert all(set(_PUBLISHED["units"]) >= set(row) - {"arguments", "note"} for row in _rows())


def _rows() -> list[Any]:
    return [row for rows in _PUBLISHED["programs"].values() for row in rows]


@pytest.mark.large
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
