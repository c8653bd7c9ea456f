"""`mazurka spec`: what it prints, its status, and files that specify nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

from mazurka.cli import run

HEAD = """from mazurka.commute import SharedType, Step

class Cell(SharedType):
    initials = (0,)
    scope = {"v": (0, 1, 2)}

    def read(self, s: int) -> Step:
        return s, s

    def write(self, s: int, v: int) -> Step:
        return v, None

"""


def table(variant: str, *lines: str) -> str:
    return "\n".join([f'    {variant} = """', *(f"        {line}" for line in lines), '    """', ""])


SOUND = table("coarse", "read || read : True", "write || write : v1 == v2")
UNSOUND = table("coarse", "read || read : True", "read || write : r1 == v2")
EXACT = table("fine", "read || read : True", "read || write : s == v2", "write || write : v1 == v2")


def spec(capsys: pytest.CaptureFixture[str], *arguments: object, status: int) -> str:
    ended = run(["spec", *map(str, arguments)])
    said = capsys.readouterr()
    assert ended == status, said.err
    return said.out + said.err


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "cell.py"


def test_a_sound_condition_and_what_it_misses(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(HEAD + SOUND)
    said = spec(capsys, "check", file, status=0)
    assert said.splitlines() == [
        "cell, coarse (L2): 3 pairs in 3 states",
        "  read || write : False",
        "    sound: holds for 0 of the 3 cases that commute",
        "    missed in state 0:",
        "      (1) read() = 0, then (2) write(0) = None, leads to 0",
        "      (2) write(0) = None, then (1) read() = 0, leads to 0",
        "  sound; 2 pairs exact, holds for 12 of the 15 cases that commute",
    ]
    assert "exact: 9 of 27 cases commute" in spec(capsys, "check", file, "--all", status=0)


def test_an_unsound_condition_has_a_counterexample(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(HEAD + UNSOUND)
    said = spec(capsys, "check", file, status=1)
    assert "  read || write : r1 == v2\n    unsound: it holds for calls that do not commute,\n    in state 0:" in said
    assert "(1) read() = 0, then (2) write(1) = None, leads to 1" in said
    assert said.endswith("  unsound: 1 pair of 3\n")


def test_both_variants(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(HEAD + EXACT + SOUND)
    said = spec(capsys, "check", file, status=0)
    assert "cell, fine (L1): 3 pairs in 3 states\n  sound; exact\n" in said
    assert "cell, coarse (L2)" in said


def test_access_points_or_why_there_are_none(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(HEAD + EXACT)
    said = spec(capsys, "show", file, status=0)
    assert "not translated: read || write, because `v2 == s` looks at a state" in said
    said = spec(capsys, "show", "concurrent_set", status=0)
    assert "add of v1 if r1 or remove of v1 if r1; conflicts with" in said
    assert "priority_queue" in spec(capsys, "list", status=0)
    assert "compares the two calls by something else" in spec(capsys, "show", "priority_queue", status=0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no type in this file"),
        ("x = (\n", "cell.py:1: SyntaxError: '(' was never closed"),
        ("\n1 / 0\n", "cell.py:2: ZeroDivisionError: division by zero"),
        (HEAD, "cell.py:3: neither `fine` nor `coarse` conditions"),
        (HEAD + SOUND.replace("write ||", "wirte ||"), "cell.py:15: there is no method wirte; did you mean write?"),
        (HEAD + SOUND.replace("v1 ==", "v1 <"), "cell.py:15: write || write is not symmetric"),
        (HEAD.replace("v, None", "v") + SOUND, "cell.py:3: the model fails: write(0) in state 0: TypeError"),
    ],
)
def test_files_that_specify_nothing(file: Path, capsys: pytest.CaptureFixture[str], text: str, said: str) -> None:
    file.write_text(text)
    shown = spec(capsys, "check", file, status=2)
    assert said in shown
    assert "mazurka explain specification" in shown


def test_neither_file_nor_type(capsys: pytest.CaptureFixture[str]) -> None:
    assert "lits: there is no such file" in spec(capsys, "check", "lits", status=2)
