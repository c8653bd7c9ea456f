"""Rules suppress the failures that they name, and lines that are no rules are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from mazurka.errors import UsageError
from mazurka.predict.suppressions import read_suppressions

_PLACES = ("cache.py:40 in get", "cache.py:52")
_FUNCTIONS = ("get < lookup < main", "")
_VARIABLES = ("hits", "hits")


def _matches(folder: Path, line: str, kind: str = "race") -> bool:
    (folder / "known").write_text(f"# a comment\n\n{line}\n")
    (rule,) = read_suppressions(str(folder / "known"))
    assert rule.line == 3
    return rule.matches(kind, _PLACES, _FUNCTIONS, _VARIABLES)


@pytest.mark.parametrize(
    "line",
    [
        "location cache.py:52",
        "location cache.py:*",
        "location cache.py:40* cache.py:52",
        "location cache.py:52 cache.py:40*  # either way",
        "variable h?ts",
        "stack get",
        "stack get look*",
        "race: variable hits",
    ],
)
def test_a_rule_keeps_back_what_it_names(tmp_path: Path, line: str) -> None:
    assert _matches(tmp_path, line)


@pytest.mark.parametrize(
    "line",
    [
        "location cache.py:40",
        "location cache.py:52 cache.py:52",
        "variable hit",
        "stack lookup",
        "stack get main",
        "deadlock: variable hits",
    ],
)
def test_a_rule_keeps_back_nothing_else(tmp_path: Path, line: str) -> None:
    assert not _matches(tmp_path, line)


@pytest.mark.parametrize("line", ["place x", "location", "variable a b", "location a b c", "leak: variable a", "race:"])
def test_a_line_that_is_no_rule_is_an_error_that_names_it(tmp_path: Path, line: str) -> None:
    with pytest.raises(UsageError, match=r"known:3: "):
        _matches(tmp_path, line)


def test_a_file_that_is_none_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        read_suppressions(str(tmp_path / "nowhere"))
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError):
        read_suppressions(str(tmp_path / "binary"))
