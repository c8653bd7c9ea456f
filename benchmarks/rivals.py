"""The faults that the nearest tool has: each is absent here, by the tests that say so (tests/end_to_end)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from benchmarks.row import ROOT, SRC, Row, Settings


def measure(settings: Settings) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--basetemp={folder}/t"]
        done = subprocess.run(
            [*command, "tests/end_to_end/test_rivals.py"],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(SRC)},
            capture_output=True,
            text=True,
            check=False,
        )
    counts = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|error)", done.stdout)}
    passed, tried = counts.get("passed", 0), sum(counts.values())
    measured = f"{passed} of {tried}"
    yield Row("tests of the eight faults of rivals", "all pass", measured, holds=done.returncode == 0 and passed > 0)
