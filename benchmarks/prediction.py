"""How many executions it saves to run first what promises to fail (predict/novelty.py): until the first failure, by
`mcr`, with and without, for the bugs of released libraries and of the literature's programs.

Both are deterministic, so one search of each is enough. Without is what this module does to a process started as
`python -m benchmarks.prediction`: it takes the preference away and then runs the module named.
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
from pathlib import Path

from benchmarks.counts import published
from benchmarks.row import ROOT, SRC, Row, Settings


def measure(settings: Settings) -> Iterator[Row]:
    pairs = []
    for name, executions in _bugs(settings.seconds):
        before, after = executions
        if before and after:
            pairs.append((before, after))
        measured = f"{after or 'not found'}"
        yield Row(name, "", measured, note=f"{before or 'not found'} without", holds=after is not None)
    medians = [statistics.median(side) for side in zip(*pairs, strict=True)]
    totals = [sum(side) for side in zip(*pairs, strict=True)]
    saved = sum(before - after for before, after in pairs)
    yield Row("executions in the median", "", f"{medians[1]:g}", note=f"{medians[0]:g} without")
    more = sum(after > before for before, after in pairs)
    note = f"{totals[1]} of {totals[0]} are left; more in {more} of {len(pairs)}"
    yield Row("executions saved", "", str(saved), note=note, holds=saved > 0)


def _bugs(seconds: float) -> Iterator[tuple[str, tuple[int | None, int | None]]]:
    """Each bug, and the executions to it without and with."""
    from tests.real.cases import BUGS, REPAIRED, python_path

    for bug in BUGS:
        if bug.case not in REPAIRED:
            path = python_path(bug.case.requirements)
            script = str(ROOT / "tests" / "real" / bug.case.script)
            yield str(bug), _both(script, seconds, path, "--include", bug.case.include)
    for name in published()["bugs"]:
        yield name, _both(f"{ROOT / 'benchmarks' / 'programs' / name}.py::bug", seconds, str(SRC))


def _both(target: str, seconds: float, path: str, *options: str) -> tuple[int | None, int | None]:
    arguments = ["check", target, "--format", "json", "--jobs", "1", "--no-save", "--time-limit", str(seconds)]
    arguments += options
    without = _executions(["-m", "benchmarks.prediction", *arguments], path)
    return without, _executions(["-m", "mazurka", *arguments], path)


def _executions(arguments: list[str], path: str) -> int | None:
    """How many it took to the first failure; None if there was none."""
    environment = {**os.environ, "PYTHONPATH": f"{path}{os.pathsep}{ROOT}"}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, *arguments], env=environment, cwd=Path(folder), capture_output=True, text=True, check=False
        )
    if not done.stdout:
        raise SystemExit(done.stderr)
    report = json.loads(done.stdout)
    return int(report["executions"]) if report["failures"] else None


def _without() -> None:
    """`mazurka` as it would be if nothing promised anything."""
    from mazurka.predict.novelty import Novelty

    Novelty.promises = lambda *_: False
    runpy.run_module("mazurka", run_name="__main__")


if __name__ == "__main__":
    _without()
