"""`mazurka spec`: its output, its status, and files that specify nothing."""

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
    assert "compares the two calls by a relation other than equality" in spec(
        capsys, "show", "priority_queue", status=0
    )


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


TOML = """\
# conditions of one's own
[bag]
model = "concurrent_set"

[bag.coarse]
"add || add" = "v1 != v2 or not r1 and not r2"
"contains, size || contains, size" = "True"
"add || contains" = "v1 != v2"
"""


def test_conditions_in_toml_for_a_model_of_the_library(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bag.toml").write_text(TOML)
    said = spec(capsys, "check", tmp_path / "bag.toml", "--all", status=0)
    assert "bag, coarse (L2): 21 pairs in 8 states" in said
    assert "add || add : v1 != v2 or not r1 and not r2\n    exact: " in said
    assert "add || contains : v1 != v2" in spec(capsys, "show", tmp_path / "bag.toml", status=0)
    (tmp_path / "bag.toml").write_text(TOML.replace("v1 != v2 or not r1 and not r2", "True"))
    assert "unsound: it holds for calls that do not commute" in spec(capsys, "check", tmp_path / "bag.toml", status=1)


def test_conditions_in_toml_for_a_model_beside_them(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(HEAD + SOUND)
    conditions = '[mine]\nmodel = "cell.py:Cell"\n[mine.fine]\n"read || write" = """\n  s ==\n  v2"""\n'
    (file.parent / "mine.toml").write_text(conditions)
    said = spec(capsys, "check", file.parent / "mine.toml", "--all", status=0)
    assert "read || write : s == v2\n    exact: " in said
    assert "mine, coarse" not in said


@pytest.mark.parametrize(
    ("old", "new", "where", "what"),
    [
        ('"v1 != v2"', '"v1 != w2"', "8:2", "there is no w2"),
        ('"add || contains"', '"add || contain"', "8:2", "there is no method contain; did you mean contains?"),
        ("concurrent_set", "concurrent_sets", "3:1", "did you mean concurrent_set?"),
        ("[bag.coarse]", "[bag.corse]", "5:1", "there is no key corse; did you mean coarse?"),
        ("or not r1 and not r2", "or r1", "6:2", "not symmetric"),
        ('= "True"', "= true", "7:2", "a condition is a text"),
        ("model = ", "model ", "3:7", "not valid TOML"),
        ('"v1 != v2"', '"v1 in s"', "8:2", "only `fine` conditions may"),
        ('"add || contains"', '"add"', "8:2", "no pair of methods"),
        ('model = "concurrent_set"', "", "2:1", "bag has no `model`"),
        ('"concurrent_set"', '"other.py:Bag"', "", "there is no such file"),
        (TOML, "", "", "no type in this file"),
        (TOML, "bag = 1", "1:1", "bag is no table"),
        ("[bag.coarse]", "[bag]", "5:5", "not valid TOML"),
    ],
)
def test_what_is_wrong_in_toml_is_told_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, where: str, what: str
) -> None:
    path = tmp_path / "bag.toml"
    assert old in TOML
    path.write_text(TOML.replace(old, new))
    said = spec(capsys, "check", path, status=2)
    assert what in said
    assert f"{path}:{where}: " in said or not where
