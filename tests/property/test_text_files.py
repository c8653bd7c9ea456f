"""Random calls of a text file and of its buffer give the results, and leave the sizes, that CPython gives by itself."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.outside_programs import explored

from mazurka.report.check_report import Verdict

_CALLS = (
    "f.write('ab')",
    "f.writelines(['c\\n', 'd'])",
    "f.readline()",
    "next(f, 1)",
    "f.read(1)",
    "f.read()",
    "f.readlines()",
    "f.seek(0)",
    "f.seek(0, 2)",
    "f.tell()",
    "f.flush()",
    "f.truncate()",
    "f.buffer.write(b'z')",
    "f.buffer.read1(2)",
    "f.buffer.read(1)",
    "f.buffer.readline()",
    "f.buffer.peek(1)[:1]",
    "f.buffer.seek(1)",
)

_PROGRAM = """\
import os
import threading

seen = []
calls = [{calls}]


def call(f, number):
    try:
        seen.append(repr(calls[number](f)))
    except Exception as error:
        seen.append(repr(error))
    seen.append(os.fstat(f.fileno()).st_size)


def work():
    for path, mode, numbers in {cases!r}:
        with open(path, "w") as f:
            f.write("x\\ny\\nz\\n" * 3)
        with open(path, mode) as f:
            for each in numbers:
                call(f, each)


thread = threading.Thread(target=work)
thread.start()
thread.join()
"""


def _cases(folder: Path, seed: int) -> list[tuple[str, str, list[int]]]:
    """For each of 40 files: its path, the mode to open it in, and the numbers of calls."""
    chance = random.Random(seed)
    return [
        (
            str(folder / f"file {number}"),
            chance.choice(("w+", "r+", "a+")),
            chance.choices(range(len(_CALLS)), k=chance.randint(3, 6)),
        )
        for number in range(40)
    ]


@pytest.mark.parametrize("seed", range(3))
def test_calls_do_what_they_do_elsewhere(tmp_path: Path, seed: int) -> None:
    calls = ", ".join(f"lambda f: {each}" for each in _CALLS)
    text = _PROGRAM.format(cases=_cases(tmp_path, seed), calls=calls)
    real = subprocess.run(
        [sys.executable, "-c", text + "print(repr(seen))"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    result = explored(tmp_path, f"{text}assert repr(seen) == {real.stdout.strip()!r}, seen", strategy="dfs")
    assert result.verdict is Verdict.VERIFIED, str(result)
    assert result.executions == 1
