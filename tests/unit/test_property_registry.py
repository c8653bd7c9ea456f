"""Properties by name, and those that are ready: all can be read, and their names are those of CPython."""

from __future__ import annotations

import builtins
import concurrent.futures.process
import concurrent.futures.thread
import ftplib
import imaplib
import inspect
import mmap
import multiprocessing.connection
import multiprocessing.queues
import pathlib
import pkgutil
import poplib
import queue
import re
import selectors
import shelve
import smtplib
import sqlite3
import tarfile
import zipfile
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from mazurka.errors import MazurkaError
from mazurka.predict.kinds.registry import KINDS
from mazurka.program.protocol import FailureKind
from mazurka.properties import checks
from mazurka.properties.parsing import parsed
from mazurka.properties.property import Property
from mazurka.properties.registry import files, find, ready

#: Imported so that their classes are there.
_MODULES = [
    concurrent.futures.process,
    concurrent.futures.thread,
    ftplib,
    imaplib,
    mmap,
    multiprocessing.connection,
    multiprocessing.queues,
    pathlib,
    poplib,
    queue,
    selectors,
    shelve,
    smtplib,
    sqlite3,
    tarfile,
    zipfile,
]
_PAGE = Path(__file__).parents[2] / "docs" / "reference" / "properties.md"

#: Names that depend on the platform or the version of Python.
_ELSEWHERE = {"queue.*Queue.shutdown", "function.__call__", "method.__call__"}


def test_a_name_of_the_library() -> None:
    assert [each.name for each in find("unsafe-iteration")] == ["unsafe-iteration", "unsafe-view-iteration"]
    assert [each.name for each in find("unsafe-view-iteration")] == ["unsafe-view-iteration"]


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "own.mzp"
    path.write_text("property p:\n    event e: f\n    pattern: e\n\nproperty q:\n    event e: f\n    pattern: e\n")
    assert [each.name for each in find(str(path))] == ["p", "q"]
    (q,) = find(f"{path}:q")
    assert (q.name, q.path) == ("q", str(path))


def test_names_that_are_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.mzp").write_text("property pool:\n    event e: f\n    pattern: e\n")
    (tmp_path / "plain").write_text("")
    expected = {
        "unsafe-iteratoin": "there is no property unsafe-iteratoin; did you mean unsafe-iteration?",
        "zzz": f"there is no property zzz; there are {', '.join(files())}, and files FILE.mzp",
        "own.mzp:pol": "own.mzp: there is no property pol; did you mean pool?",
        "own.mzp:zzz": "own.mzp: there is no property zzz; own.mzp states pool",
        "other.mzp": "other.mzp: can't be read: No such file or directory",
        "plain": "there is no property plain; if the file is meant, write ./plain, or let its name end with .mzp",
    }
    for name, message in expected.items():
        with pytest.raises(MazurkaError) as raised:
            find(name)
        assert (raised.value.slug, str(raised.value)) == ("no-such-property", message)


def _all() -> list[Property]:
    return [each for _, stated in ready() for each in stated]


def test_all_that_are_ready_have_names_of_their_own_and_texts() -> None:
    names = [each.name for each in _all()]
    assert len(names) == len(set(names)) > 25
    for file, stated in ready():
        assert file == stated[0].name or file not in names
        for each in stated:
            assert each.description
            assert parsed(str(each)) == (each,)


def test_no_property_has_the_name_of_another_kind_of_bug() -> None:
    failures = {each.value for each in FailureKind}
    assert failures | {name for name, kind in KINDS.items() if kind.property is None} == checks.KINDS
    assert checks.KINDS.isdisjoint(each.name for each in _all())


def test_each_has_a_section() -> None:
    headings = set(re.findall(r"^### `([a-z-]+)`", _PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert headings == set(files())
    for each in _all():
        assert f"`{each.name}`" in _PAGE.read_text(encoding="utf-8")


def _classes(kind: type = object) -> Iterator[type]:
    yield kind
    for each in type.__subclasses__(kind) if kind is not type else ():
        yield from _classes(each)


def _found(name: str, classes: dict[str, type]) -> list[object]:
    if "*" in name:
        return [kind for each, kind in classes.items() if fnmatchcase(each, name)]
    try:
        return [getattr(builtins, name) if hasattr(builtins, name) else pkgutil.resolve_name(name)]
    except (AttributeError, ImportError):
        return [classes[name]] if name in classes else []


def test_names_are_those_of_cpython() -> None:
    """Each class is there, and each method is one of some class of its pointcut; templates (``*.close``) have none."""
    assert all(map(inspect.ismodule, _MODULES))
    classes = {f"{each.__module__}.{each.__qualname__}".removeprefix("builtins."): each for each in _classes()}
    for stated in _all():
        for pointcut in (pointcut for event in stated.events for pointcut in event.pointcuts):
            members: dict[str, bool] = {}
            for name in pointcut.names:
                if name in _ELSEWHERE or name.startswith("*"):
                    continue
                owner, _, member = name.rpartition(".")
                found = _found(owner, classes) if owner else [builtins]
                assert found, f"{stated.name}: {owner}"
                is_there = any(hasattr(each, member) for each in found) or bool(_found(name, classes))
                members[member] = members.get(member, False) or is_there or owner == "threading.Lock"
            missing = [member for member, is_there in members.items() if not is_there]
            assert not missing, f"{stated.name}: {pointcut}: {missing}"
