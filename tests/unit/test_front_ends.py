"""Who runs a program: as is said, or as its file's name or first line says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.oracle.language import SmallProgram, Write
from tests.oracle.program import OracleProgram

from mazurka.config import Options
from mazurka.errors import UsageError
from mazurka.program.front_ends import FRONT_ENDS, front_end_of
from mazurka.program.protocol import LearnsPoints, Plan, learned_points
from mazurka.workflows.program_spec import open_program, subject_of


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "pass"),
        ("a.pyw", "pass"),
        ("a", "pass"),
        ("run.in", "#!/usr/bin/env python3\npass"),
        ("missing.txt", None),
    ],
)
def test_python(tmp_path: Path, name: str, text: str | None) -> None:
    path = tmp_path / name
    if text is not None:
        path.write_text(text)
    assert front_end_of(str(path)).name == "python"
    assert front_end_of(f"{path}::main").name == "python"


@pytest.mark.parametrize("name", ["a.c", "a.i", "a.cc", "a.cpp", "a.cxx", "a.ii", "a.ll", "a.bc"])
def test_c(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("")
    assert front_end_of(str(path)).name == "c"


@pytest.mark.parametrize("text", ["fn main() {}", "#!/bin/sh\n", ""])
def test_what_nothing_runs(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.rs"
    path.write_text(text)
    known = r"python: .py, .pyw; c: .c, .i, .cc, .cpp, .cxx, .ii, .ll, .bc"
    with pytest.raises(UsageError, match=rf"end in .rs \({known}\); name the front end: --program python"):
        front_end_of(str(path))
    assert front_end_of(str(path), "python") is FRONT_ENDS["python"]


def test_what_was_said_is_what_opens_it(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("print('here')")
    subject = subject_of(str(path), (), Options(), "python")
    assert subject.loading == {"program": "python"}
    program = open_program(subject, Options())
    try:
        assert program.execute(Plan()).output == "here\n"
        assert isinstance(program, LearnsPoints)
        assert learned_points(program) is program.learned
        assert program.facts().isolation == "restore"
    finally:
        program.close()


def test_a_program_that_learns_nothing_has_nothing_to_be_taught() -> None:
    program = OracleProgram(SmallProgram(((Write("x", "1"),),)))
    assert not isinstance(program, LearnsPoints)
    assert learned_points(program).points == set()
    assert program.analysis().uses_of(1).checks == ()
    assert program.analysis().dependence(final=True).needless() == {}
    assert program.facts().sources == ()


#: In a process of its own: the library's globals depend on all that has used it before.
_TWICE = """
from mazurka.config import Options
from mazurka.program.protocol import Plan
from mazurka.workflows.program_spec import open_program, subject_of

program = open_program(subject_of("subject.py", (), Options(), "python"), Options())
try:
    print([program.execute(Plan()).failures for _ in range(2)], program.facts().isolation)
finally:
    program.close()
"""


def test_globals_of_the_library_are_put_back(tmp_path: Path) -> None:
    """An opener that stays from the first execution would have the others go another way."""
    (tmp_path / "subject.py").write_text(
        "import threading, urllib.request\n"
        "thread = threading.Thread(target=int)\n"
        "thread.start()\n"
        "assert urllib.request._opener is None\n"
        "assert urllib.request.urlopen('data:,x').read() == b'x'\n"
        "thread.join()\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    command = [sys.executable, "-c", _TWICE]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[[], []] restore\n", "")
