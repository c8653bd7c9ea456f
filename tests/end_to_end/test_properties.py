"""`mazurka properties`: its list, a property of the library, and files of a user."""

from __future__ import annotations

from pathlib import Path

import pytest

from mazurka.cli import run
from mazurka.properties.parsing import parsed


def _properties(capsys: pytest.CaptureFixture[str], *arguments: str, status: int) -> str:
    ended = run(["properties", *arguments])
    output = capsys.readouterr()
    assert ended == status, output.err
    return output.out + output.err


def test_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    lines = _properties(capsys, status=0).splitlines()
    assert "unsafe-iteration:" in lines
    assert "  use-after-close              {r} is used after it has been closed." in lines


def test_one_of_the_library(capsys: pytest.CaptureFixture[str]) -> None:
    text = _properties(capsys, "double-release", status=0)
    assert [each.name for each in parsed(text)] == ["double-release", "double-return"]


def test_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "own.mzp"
    path.write_text("property p(o):\n  event e(o): {a,b}.f(o)\n  pattern: e\n")
    expected = "property p(o):\n    event e(o): call {a, b}.f(o)\n\n    pattern: e\n"
    assert _properties(capsys, str(path), status=0) == expected
    path.write_text("property p(o):\n  event e(o): f(o)\n  pattern: f\n")
    assert _properties(capsys, str(path), status=2) == (
        f"mazurka: error: {path}:3:12: no event f is declared; the property declares e\n"
        "    pattern: f\n"
        "             ^\n"
        "  (property-name: see `mazurka explain property-name`)\n"
    )


def test_an_unknown_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean unsafe-iteration?" in _properties(capsys, "unsafe-iterator", status=2)
