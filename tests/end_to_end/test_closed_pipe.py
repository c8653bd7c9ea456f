"""The reader of the output goes, as `mazurka check ... | head -1` does: a command with a verdict keeps its status, any
other one ends as if SIGPIPE had ended it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

_PROGRAM: Final = """
import threading

n = 0
lock = threading.Lock()

def add():
    global n
    {add}

def main():
    threads = [threading.Thread(target=add) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert n == 2

main()
"""

_CLOSED: Final = 141


def _status(folder: Path, *arguments: str) -> int:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "mazurka", *arguments],
            cwd=folder,
            stdout=writing,
            stderr=subprocess.PIPE,
            check=False,
        )
    finally:
        os.close(writing)
    assert b"Traceback" not in done.stderr
    assert b"BrokenPipe" not in done.stderr
    return done.returncode


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pipe")
    (made / "right.py").write_text(_PROGRAM.format(add="with lock: n += 1"))
    (made / "wrong.py").write_text(_PROGRAM.format(add="n += 1"))
    return made


@pytest.mark.parametrize("form", ["text", "json", "html", "junit"])
def test_a_verdict_keeps_its_status(form: str, folder: Path) -> None:
    assert _status(folder, "check", "right.py", "--format", form) == 0


def test_a_failure_keeps_its_status(folder: Path) -> None:
    assert _status(folder, "check", "wrong.py") == 1
    assert _status(folder, "check", "right.py", "wrong.py") == 1


@pytest.mark.parametrize(
    "arguments", [("explain",), ("properties",), ("--help",), ("check", "--help"), ("spec", "list")]
)
def test_other_commands(arguments: tuple[str, ...], folder: Path) -> None:
    assert _status(folder, *arguments) == _CLOSED
