"""How many executions prediction saves: until the first failure, by `mcr`, for the bugs of released libraries, of the
literature's programs, and of programs that fail for a value read amid much else (predicted.py).

Three searches of each, since each is deterministic: in the plain order; with preference for values that are read for
the first time (novelty.py of predict/promising/); and with checks predicted to fail as well (checks.py and goals.py
there), as it is by default. The module removes guidance that is not wanted in a process that is started as `python -m
benchmarks.prediction WHAT ...`; it then runs `mazurka`.
"""

from __future__ import annotations

import json
import os
import runpy
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.counts import published
from benchmarks.row import ROOT, SRC, Row, Settings

#: The guidance that is left out.
_EVERYTHING: Final = "everything"
_CHECKS: Final = "checks"
_NOTHING: Final = "nothing"


@dataclass(frozen=True, slots=True)
class _Search:
    """Executions to the first failure (None: none found), predicted failures, and those of them that were confirmed."""

    executions: int | None
    predicted: int
    confirmed: int


def measure(settings: Settings) -> Iterator[Row]:
    whole, now = [], []
    for name, arguments, path in _bugs(settings.seconds):
        made = {without: _search(without, arguments, path) for without in (_EVERYTHING, _CHECKS, _NOTHING)}
        found, plain, novel = made[_NOTHING], made[_EVERYTHING].executions, made[_CHECKS].executions
        note = f"{plain or 'not found'} without; {novel or 'not found'} without predicted checks"
        if found.predicted:
            note += f"; predicted {found.predicted}, confirmed {found.confirmed}"
        yield Row(name, "", f"{found.executions or 'not found'}", note=note, holds=found.executions is not None)
        now.append(found)
        if plain and novel and found.executions:
            whole.append((plain, novel, found.executions))
    yield from _sums(whole)
    predicted, confirmed = (sum(getattr(found, side) for found in now) for side in ("predicted", "confirmed"))
    yield Row("predicted failures confirmed", "", f"{confirmed} of {predicted}")


def _sums(whole: list[tuple[int, int, int]]) -> Iterator[Row]:
    """Of the executions without anything, without predicted checks, and as it is; where all three find the bug."""
    sides = list(zip(*whole, strict=True))
    plain, novel, now = map(statistics.median, sides)
    note = f"{plain:g} without; {novel:g} without predicted checks"
    yield Row("executions in the median", "", f"{now:g}", note=note)
    plain, novel, now = map(sum, sides)
    more = sum(after > before for before, _, after in whole)
    note = f"{now} of {plain} are left; {novel} without predicted checks; more in {more} of {len(whole)}"
    yield Row("executions saved", "", f"{plain - now}", note=note, holds=now < novel < plain)


def _bugs(seconds: float) -> Iterator[tuple[str, list[str], str]]:
    """Each bug: its name, how to look for it, and where Python finds the modules."""
    from tests.real.cases import BUGS, REPAIRED, python_path

    from benchmarks import predicted

    options = ["--format", "json", "--jobs", "1", "--no-save", "--time-limit", str(seconds)]
    for bug in BUGS:
        if bug.case not in REPAIRED:
            script = str(ROOT / "tests" / "real" / bug.case.script)
            yield str(bug), [script, *options, "--include", bug.case.include], python_path(bug.case.requirements)
    for name in published()["bugs"]:
        yield name, [f"{ROOT / 'benchmarks' / 'programs' / name}.py::bug", *options], str(SRC)
    for function in predicted.BUGS:
        yield function.__name__, [f"{ROOT / 'benchmarks' / 'predicted.py'}::{function.__name__}", *options], str(SRC)


def _search(without: str, arguments: list[str], path: str) -> _Search:
    environment = {**os.environ, "PYTHONPATH": f"{path}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", "benchmarks.prediction", without, "check", *arguments]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, env=environment, cwd=Path(folder), capture_output=True, text=True, check=False)
    if not done.stdout:
        raise SystemExit(done.stderr)
    report: Any = json.loads(done.stdout)
    predictions = report["predictions"]
    executions = int(report["executions"]) if report["failures"] else None
    return _Search(executions, predictions["predicted"], predictions["confirmed"])


def _run(without: str) -> None:
    """`mazurka` as it would be without."""
    from mazurka.explore.guidance.checks import PredictedChecks, Uses
    from mazurka.explore.reads_from.guidance import SearchGuidance

    if without == _EVERYTHING:
        SearchGuidance.reason = lambda *_: None  # type: ignore[method-assign]  # a search without it is measured
    elif without == _CHECKS:
        PredictedChecks.of = lambda *_: Uses()  # type: ignore[method-assign]  # the same
    runpy.run_module("mazurka", run_name="__main__")


if __name__ == "__main__":
    _run(sys.argv.pop(1))
