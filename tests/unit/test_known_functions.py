"""The functions of a file are found wherever they are held, and whichever generation of the collector they are in."""

from __future__ import annotations

import contextlib
import gc
import io
import json
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mazurka.program.python.instrument import known_functions
from mazurka.program.python.isolation.state import hold_collector
from mazurka.program.python.semantics import objects

_FILE = "/somewhere/functions_of_a_test.py"


def _made() -> types.FunctionType:
    space: dict[str, Any] = {}
    exec(compile("def made(): pass", _FILE, "exec"), space)
    function = space.pop("made")
    assert isinstance(function, types.FunctionType)
    return function


def _found(file: str = _FILE) -> set[int]:
    found = list(map(id, known_functions.of([file])[file]))
    assert len(set(found)) == len(found)
    return set(found)


def _there_are(file: str) -> set[int]:
    there = objects.existing((types.FunctionType,))
    return {id(each) for each in there if each.__code__.co_filename == file}


def _collect_young() -> None:
    gc.collect(1)


def _freeze_and_back() -> None:
    gc.freeze()
    gc.unfreeze()


def _check() -> None:
    undo = hold_collector()
    gc.collect(1)
    undo()


def _find() -> None:
    _found()


def _check_that_freezes() -> None:
    undo = hold_collector()
    gc.collect(1)
    gc.freeze()
    undo()


_MEANWHILE: list[Callable[[], object]] = [
    gc.collect,
    _collect_young,
    _freeze_and_back,
    _check,
    _check_that_freezes,
    _find,
]


@pytest.mark.sampled
@pytest.mark.parametrize("first", _MEANWHILE)
@pytest.mark.parametrize("second", _MEANWHILE)
def test_functions_are_found_in_every_generation(first: Callable[[], object], second: Callable[[], object]) -> None:
    _find()
    kept = [_made(), _made()]
    first()
    kept.append(_made())
    second()
    kept.append(_made())
    assert _found() == set(map(id, kept)) == _there_are(_FILE)
    del kept[1:3]
    gc.collect()
    assert _found() == set(map(id, kept))


class _Log(io.FileIO):
    pass


class _LaterLog(_Log):
    pass


@pytest.mark.sampled
@pytest.mark.parametrize("first", _MEANWHILE)
@pytest.mark.parametrize("second", _MEANWHILE)
def test_open_files_are_found_in_every_generation(
    first: Callable[[], object], second: Callable[[], object], tmp_path: Path
) -> None:
    def found() -> set[int]:
        files = [id(each) for each in known_functions.open_files() if str(each.name).startswith(str(tmp_path))]
        assert len(set(files)) == len(files)
        return set(files)

    with contextlib.ExitStack() as opened:
        kept: list[io.FileIO] = []
        for number, (kind, change) in enumerate([(io.FileIO, found), (_Log, first), (_LaterLog, second)]):
            kept.append(opened.enter_context(kind(tmp_path / str(number), "w")))
            change()
        kept.append(opened.enter_context(io.FileIO(tmp_path / "last", "w")))
        assert found() == set(map(id, kept))
        kept.pop(1).close()
        gc.collect()
        assert found() == set(map(id, kept))


def test_functions_are_found_while_the_collector_is_held() -> None:
    kept = [_made()]
    undo = hold_collector()
    try:
        kept.append(_made())
        assert _found() == set(map(id, kept))
        gc.collect(1)
        kept.append(_made())
        assert _found() == set(map(id, kept))
    finally:
        undo()
    kept.append(_made())
    assert _found() == set(map(id, kept))


def test_many_functions_of_one_file_of_which_most_are_dead() -> None:
    kept = []
    for number in range(2000):
        function = _made()
        if not number % 100:
            kept.append(function)
            gc.collect(1)
            assert _found() >= set(map(id, kept))
    del function
    gc.collect()
    assert _found() == set(map(id, kept))


def test_functions_of_the_library() -> None:
    for _ in range(2):
        assert _found(json.__file__) == _there_are(json.__file__) != set()


def test_a_program_sees_no_callback_of_ours() -> None:
    _find()
    before = [each for each in gc.callbacks if "mazurka" not in each.__module__]
    undo = hold_collector()
    assert gc.callbacks == before
    undo()
