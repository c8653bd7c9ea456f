"""Programs of `asyncio`: executions until a bug is found, and until the repaired program is verified.

    make bench ARGS=asyncio                        some minutes, beside detangle
    make bench ARGS="asyncio --frontrun PYTHON"    beside simloom, too, if that interpreter (of 3.12 or later) has both

Each file of ``programs/tasks`` is a natural use of a pool, a limiter, a lock, a queue or a condition with a bug of a
kind that released libraries had; with the argument ``repaired`` it has none. The bug has to be found, and the repaired
program verified, by the default search within 200 executions each. Beside it: the first of 200 runs of CPython's own
loop that fails, and what other explorers of `asyncio` say (``tasks_peers.py``), of both forms.

Then independent jobs in threads, whose executions should not grow with their number; the steps of tasks in a second of
the CPU; and a server with five clients.

CPU seconds are those of one process, from its start on.
"""

from __future__ import annotations

import fnmatch
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.row import ROOT, Row, Settings
from benchmarks.services import Checked, checked, first_failing_run

_TASKS: Final = ROOT / "benchmarks" / "programs" / "tasks"
_GROWING: Final = ROOT / "benchmarks" / "programs" / "growing"
_PEERS: Final = ROOT / "benchmarks" / "tasks_peers.py"

#: The most executions, runs of CPython's own loop, and the names of the other tools.
_MOST: Final = 200
_REAL_RUNS: Final = 200
_TOOLS: Final = ("detangle", "simloom")

#: Jobs in threads -> the most executions; steps of tasks in one execution, and in a second; seconds for the server.
_JOBS: Final = {1: 5, 2: 6, 3: 7}
_STEPS: Final = 5_000
_RATE: Final = 2_000
_SERVED: Final = 30.0


def measure(settings: Settings) -> Iterator[Row]:
    for path in sorted(_TASKS.glob("*.py")):
        if fnmatch.fnmatch(path.stem, settings.only):
            yield _row(path, "violation", settings)
            yield _row(path, "verified", settings)
    for number, most in _JOBS.items():
        said = checked(str(_GROWING / "jobs_in_threads.py"), str(number), seconds=settings.seconds)
        yield _made_row(f"{number} jobs in threads", "verified", said, most)
    yield _rate(checked(str(_GROWING / "task_steps.py"), seconds=settings.seconds))
    for argument, verdict in (("", "verified"), ("race", "violation")):
        said = checked(str(_GROWING / "echo.py"), argument, seconds=_SERVED)
        yield _made_row(f"server of five clients {argument}".rstrip(), verdict, said, _MOST)


def _row(path: Path, verdict: str, settings: Settings) -> Row:
    arguments = [] if verdict == "violation" else ["repaired"]
    said = checked(str(path), *arguments, seconds=settings.seconds)
    failing = first_failing_run(path, *arguments, runs=_REAL_RUNS)
    beside = [f"real loop: {'never' if failing is None else f'run {failing}'}"]
    beside += [f"{tool}: {_by(tool, path, arguments, settings.frontrun)}" for tool in _TOOLS if settings.frontrun]
    return _made_row(" ".join([path.stem, *arguments]), verdict, said, _MOST, "; ".join(beside))


def _made_row(figure: str, verdict: str, said: Checked | str, most: int, beside: str = "") -> Row:
    demanded = f"<= {most}"
    if isinstance(said, str):
        return Row(figure, demanded, "failed", note=said, holds=False)
    is_right = said.verdict == verdict
    note = f"{said.verdict}, {said.seconds:.1f} s; {beside}".removesuffix("; ")
    return Row(figure, demanded, f"{said.executions:,}", "executions", note, is_right and said.executions <= most)


def _rate(said: Checked | str) -> Row:
    figure, demanded = "steps of tasks a second", f">= {_RATE:,}"
    if isinstance(said, str):
        return Row(figure, demanded, "failed", note=said, holds=False)
    rate = _STEPS * said.executions / said.seconds
    return Row(figure, demanded, f"{rate:,.0f}", note=said.verdict, holds=rate >= _RATE and said.verdict == "verified")


def _by(tool: str, path: Path, arguments: list[str], python: str) -> str:
    done = subprocess.run(
        [python, str(_PEERS), tool, str(path), *arguments], capture_output=True, text=True, check=False, timeout=600
    )
    if done.returncode != 0:
        return f"ended with {(done.stderr.strip() or '?').splitlines()[-1][:90]}"
    said = json.loads(done.stdout.splitlines()[-1])
    if said["fails"] is None:
        return "not installed"
    return f"found in {said['executions']}" if said["fails"] else f"nothing in {said['executions']}"
