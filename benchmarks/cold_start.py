"""From a cold start: how long until a ten-line program with a bug is explained, and until the version is printed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.row import SRC, Row, Settings, middle

_PROGRAM: Final = """\
import threading

total = 0
def add(amount):
    global total
    total += amount
threads = [threading.Thread(target=add, args=(amount,)) for amount in (1, 2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert total == 3
"""


def measure(settings: Settings) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "ten_lines.py").write_text(_PROGRAM)
        for figure, limit, status, arguments in (
            ("ten lines explained", 1.0, 1, ["check", "ten_lines.py", "--fresh", "--no-save"]),
            ("--version", 0.15, 0, ["--version"]),
        ):
            seconds = [_time(folder, arguments, status) for _ in range(settings.repetitions)]
            yield Row(figure, f"under {limit} s", *middle(seconds, " s"), holds=min(seconds) < limit)


def _time(folder: str, arguments: list[str], status: int) -> float:
    environment = {**os.environ, "PYTHONPATH": str(SRC)}
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "mazurka", *arguments], cwd=folder, env=environment, capture_output=True, check=False
    )
    seconds = time.perf_counter() - begun
    if done.returncode != status:
        raise SystemExit(f"mazurka {' '.join(arguments)} ended with {done.returncode}: {done.stderr.decode()}")
    return seconds
