"""How much memory a long search takes: a million executions of eight threads that count without a lock.

As `mazurka check` makes them, progress saved on disk, in one process; the figure is its greatest resident size.
Strategies: ``random``, ``dfs`` and ``mcr`` by default. ``--executions`` makes it shorter. The program has 4,782,969
reads-from classes, and far more interleavings.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from benchmarks.row import ROOT, SRC, Row, Settings
from benchmarks.strategies import chosen

_THREADS: Final = 8
_LIMIT: Final = 1_000  # megabytes


def measure(settings: Settings) -> Iterator[Row]:
    for strategy in chosen(settings, ("random", "dfs", "mcr")):
        yield _row(strategy, settings.executions)


def _row(strategy: str, executions: int) -> Row:
    program = ROOT / "benchmarks" / "programs" / "racyc.py"
    command = [sys.executable, "-m", "mazurka", "check", str(program), "--strategy", strategy, "--fresh", "--jobs", "1"]
    command += ["--max-executions", str(executions), "--time-limit", "0", "--format", "json", "--", str(_THREADS)]
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        output, megabytes = _run(command, folder)
        seconds = time.perf_counter() - begun
        saved = sum(each.stat().st_size for each in Path(folder).rglob("*") if each.is_file())
    made = json.loads(output)["executions"]
    note = f"{made:,} executions, {seconds:.0f} s, {saved / 1e6:.0f} MB on disk"
    holds = megabytes < _LIMIT and made == executions
    return Row(f"memory of a search, {strategy}", f"under {_LIMIT} MB", f"{megabytes:.0f} MB", note=note, holds=holds)


def _run(command: list[str], folder: str) -> tuple[Any, float]:
    """The output of a command, and the most memory that it had, in megabytes."""
    environment = {**os.environ, "PYTHONPATH": str(SRC)}
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
    return output, usage.ru_maxrss / 1024
