"""The cost of a live page to the check that it shows: processor time with `--live` and an open page, and without.

Both make the same executions of two threads that count, one after the other in each repetition. The time is that of the
check's processes; the server is not among them. The page is open: a thread here asks for events until the end.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.row import SRC, Row, Settings, middle

_EXECUTIONS: Final = 4_000

#: The most that the page may cost.
_MOST: Final = 1.1

_PROGRAM: Final = """
import threading

total = 0

def add():
    global total
    for _ in range(6):
        value = total
        total = value + 1

threads = [threading.Thread(target=add) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def measure(settings: Settings) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "app.py").write_text(_PROGRAM)
        ratios, seconds = [], []
        for _ in range(settings.repetitions):
            without, with_page = _seconds(folder), _seconds(folder, "--live")
            ratios.append(with_page / without)
            seconds.append(without)
        median, spread = middle(ratios, "x")
        note = f"{_EXECUTIONS:,} executions, {statistics.median(seconds):.2f} s without"
        holds = statistics.median(ratios) <= _MOST
        yield Row("check with an open live page: processor time", f"<= {_MOST}x", median, spread, note, holds)


def _seconds(folder: str, *options: str) -> float:
    """Seconds of processor time of a check, and of its processes."""
    command = [sys.executable, "-m", "mazurka", "check", "app.py", "--strategy", "dfs", "--jobs", "1", "--no-save"]
    process = subprocess.Popen(
        [*command, "--max-executions", str(_EXECUTIONS), *options],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(SRC)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    with process.stderr as messages:
        if options:
            address = messages.readline().split()[-1]
            threading.Thread(target=_look, args=(address,)).start()
        messages.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def _look(address: str) -> None:
    number, over = 0, False
    while not over:
        with urllib.request.urlopen(f"{address}events?after={number}") as answer:
            got = json.load(answer)
        number, over = got["next"], got["over"]
