"""`%%mazurka`: the result of a cell, and its errors. With a real kernel: `make test-notebook`."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import mazurka
from mazurka.api import Prediction, Result
from mazurka.errors import MazurkaError
from mazurka.notebook import CheckedCell, check_cell
from mazurka.program.python.program import default_roots
from mazurka.report.check_report import CheckReport, Verdict
from mazurka.report.prediction_report import PredictionReport
from mazurka.report.render_html import page

_SRC = str(Path(__file__).parents[2] / "src")

_CELL = """\
import threading
total = 0
def add():
    global total
    total += 1
threads = [threading.Thread(target=add) for _ in range(2)]
[each.start() for each in threads]
[each.join() for each in threads]
assert total == 2, "</iframe><script>"
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", _SRC)
    return tmp_path


class _Shell:
    """The part of IPython's shell that the extension uses."""

    def __init__(self) -> None:
        self.magics: dict[tuple[str, str], Callable[[str, str], Any]] = {}

    def register_magic_function(self, function: Callable[[str, str], Any], magic_kind: str, magic_name: str) -> None:
        self.magics[magic_kind, magic_name] = function


def test_the_extension_adds_the_magic() -> None:
    shell = _Shell()
    mazurka.load_ipython_extension(shell)
    assert list(shell.magics) == [("cell", "mazurka")]


def test_lines_are_those_of_the_cell(folder: Path) -> None:
    found = check_cell("--no-save --strategy dpor", _CELL, 7)
    assert found is not None
    assert found.verdict == "violation"
    (failure,) = found.failures
    assert failure["location"]["file"] == ".mazurka/cells/cell-7.py"
    assert failure["location"]["line"] == 10  # the magic is the first line
    assert found.data["strategy"] == "dpor"
    assert str(found).startswith("violation: AssertionError: </iframe><script>")
    assert (
        folder / ".mazurka" / "cells" / "cell-7.py"
    ).read_text() == f"# %%mazurka --no-save --strategy dpor\n{_CELL}"


def test_help_is_no_result(capsys: pytest.CaptureFixture[str]) -> None:
    assert check_cell("--help", _CELL, 1) is None
    assert "--all-failures" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "cell", "message"),
    [
        ("", "x = = 1\n", "cell-1.py:2: this Python cannot parse it"),
        ("--no-such", "", "No such option"),
        ("'", "", "No closing quotation"),
        ("--live=70000", _CELL, "70000"),
    ],
)
def test_errors(line: str, cell: str, message: str) -> None:
    with pytest.raises(MazurkaError, match=message):
        check_cell(line, cell, 1)


def test_the_folder_of_the_kernel_is_the_project(folder: Path) -> None:
    cell = folder / ".mazurka" / "cells" / "cell-1.py"
    assert default_roots(str(cell)) == (str(folder),)
    (folder / "app").mkdir()
    assert default_roots(str(folder / "app" / "x.py")) == (str(folder / "app"),)


_HOSTILE = '"></iframe><script>alert(1)</script>&quot;\u202e\x00<!--'


@pytest.mark.parametrize(
    "shown",
    [
        Result(CheckReport(_HOSTILE, Verdict.INCONCLUSIVE, _HOSTILE, notes=(_HOSTILE,))),
        Prediction(
            PredictionReport(
                _HOSTILE, "auto", 0, 0, ("race",), counts={"racy_events": 0, "race_pairs": 0, "race_locations": 0}
            )
        ),
        CheckedCell({}, _HOSTILE, page({"source": _HOSTILE})),
    ],
    ids=["result", "prediction", "cell"],
)
def test_results_are_pages_in_a_frame_of_their_own(shown: Any) -> None:
    made = shown._repr_html_()
    (sandbox, source) = re.findall(r'<iframe sandbox="([^"]*)" [^<>]*srcdoc="([^"]*)"></iframe>', made)[0]
    assert sandbox == "allow-scripts"  # with an origin of its own
    assert made.count("<iframe") == 1
    assert "<script" not in made
    assert "<!--" not in made
    (found,) = re.findall(r'id="data">(.*?)</script>', html.unescape(source), re.DOTALL)
    assert _HOSTILE in json.loads(found).values()

    written: list[str] = []
    shown._repr_pretty_(SimpleNamespace(text=written.append), False)
    assert written == [str(shown)]
