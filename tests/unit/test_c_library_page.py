"""The page on the C library names each function that is known, and what it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.c_programs import executed

from mazurka.program.llvm.library import attributes, registry, threads

_PAGE = Path(__file__).parents[2] / "docs" / "reference" / "c-library.md"

#: Of functions that a row stands for, too: of numbers in other sizes, in a locale, and of streams and files.
_SUFFIXES = ("f", "l", "_l", "64", "_unlocked")

#: What the cell of a row begins with.
_KINDS = ("modelled", "harmless", "untracked", "refused")

#: Functions that programs do not call by these names: LLVM's, those of C++, and those behind macros.
_OURS = re.compile(r"llvm\.|_Z|__")


def _rows() -> Iterator[tuple[list[str], str]]:
    """The functions of each row, and what they are."""
    for line in _PAGE.read_text().splitlines():
        if line.startswith("| `"):
            names, meaning = line.strip("|").split(" | ", 1)
            yield [name for name in re.findall("`([^`]+)`", names) if name not in _SUFFIXES], meaning.strip()


def _named(*kinds: str) -> list[str]:
    return [name for names, meaning in _rows() if meaning.startswith(kinds) for name in names]


def _is_known(name: str) -> bool:
    return registry.LIBRARY.function(name) is not None


def _stems(name: str) -> set[str]:
    """The names by which a row may stand for a function."""
    return {name, *(name.removesuffix(each) for each in _SUFFIXES)}


def test_every_row_says_what_its_functions_are() -> None:
    assert [names for names, meaning in _rows() if not meaning.startswith(_KINDS)] == []
    every = _named(*_KINDS)
    assert sorted({name for name in every if every.count(name) > 1}) == []


def test_every_function_is_on_the_page() -> None:
    named = {*_named("modelled", "harmless", "untracked"), "_exit", "_Exit"}
    known = [name for name in registry._FUNCTIONS if not _OURS.match(name)]
    assert len(known) > 600
    assert [name for name in known if not _stems(name) & named] == []


def test_functions_that_are_refused_are_not_known() -> None:
    assert [name for name in _named("modelled", "harmless", "untracked") if not _is_known(name)] == []
    assert [name for name in _named("refused") if _is_known(name)] == []


def test_functions_without_effect_are_harmless() -> None:
    assert {*threads._WITHOUT_EFFECT} <= {*_named("harmless")}
    attributes_named = {*_named("modelled", "harmless")}
    assert {*attributes.FUNCTIONS} <= attributes_named


@pytest.mark.parametrize("name", ["fork", "shm_open", "sigwait", "pthread_getattr_np", "epoll_wait"])
def test_a_refused_function_cuts_the_execution(name: str, tmp_path: Path) -> None:
    assert name in _named("refused")
    run = executed(tmp_path, f"int {name}();\nint main(void) {{ {name}(); return 0; }}")
    assert f"calls {name}, of which nothing is known" in run.truncated
