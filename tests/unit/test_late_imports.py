"""Modules of the program that threads import: counted if their code does more than define things, or is looked for."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from mazurka.program.python.instrument.late_imports import only_defines

PROGRAM = """
import sys, threading

def work():
    import part
    {look}

threads = [threading.Thread(target=work) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
"""


@pytest.mark.parametrize(
    ("part", "look", "word"),
    [
        ("size = 1\nclass Part: names = ()\n", "part.size", "verified"),
        ("names = []\nnames.append(1)\n", "part.names", "inconclusive"),
        ("size = 1\n", "sys.modules.get('part')", "inconclusive"),
    ],
    ids=["it only defines", "it acts", "somebody asks for it"],
)
def test_a_module_imported_by_threads(part: str, look: str, word: str, tmp_path: Path) -> None:
    (tmp_path / "part.py").write_text(part)
    (tmp_path / "program.py").write_text(PROGRAM.replace("{look}", look))
    command = [sys.executable, "-m", "mazurka", "check", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.startswith(word), done.stdout + done.stderr


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'''Text.'''\nimport os\nT = TypeVar('T')\ndef f(): g()\nclass C:\n    x: int = 1\n", True),
        ("register(1)\n", False),
        ("import os\nos.seen = 1\n", False),
        ("x = compute()\n", False),
        ("class C:\n    x = compute()\n", False),
    ],
)
def test_what_only_defines(text: str, expected: bool) -> None:
    assert only_defines(ast.parse(text).body) is expected
