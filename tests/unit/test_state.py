"""What a snapshot puts back in place, and what it says it cannot."""

from __future__ import annotations

import io
import itertools
import os
import types
from typing import Any

import pytest

from mazurka.program.python.isolation.state import Snapshot


class _Owner:
    counter: Any = None

    def __init__(self, counter: Any) -> None:
        self.counter = counter


class _Slotted:
    __slots__ = ("counter",)

    def __init__(self, counter: Any) -> None:
        self.counter = counter


def _module(**values: Any) -> Any:
    module = types.ModuleType("program")
    vars(module).update(values)
    return module


def _closure(counter: Any) -> Any:
    def ask() -> int:
        return int(next(counter))

    ask.__module__ = "program"
    return ask


def test_counters_count_from_where_they_stood() -> None:
    kept = itertools.count(5, 2)
    next(kept)
    module = _module(
        plain=itertools.count(),
        bound=itertools.count(3).__next__,
        owner=_Owner(itertools.count(-4, -1)),
        slotted=_Slotted(itertools.count()),
        closure=_closure(itertools.count(8)),
        twice=kept,
        alias=kept,
    )
    del kept

    def ask() -> list[int]:
        next(module.plain)
        asked = [next(module.plain), module.bound(), next(module.owner.counter), next(module.slotted.counter)]
        return [*asked, module.closure(), next(module.twice), next(module.alias)]

    snapshot = Snapshot([module])
    assert not snapshot.obstacles
    for _ in range(3):
        assert ask() == [1, 3, -4, 0, 8, 7, 9]
        assert snapshot.restore() > 0
        assert snapshot.restore() == 0
    assert module.twice is module.alias


@pytest.mark.parametrize(
    "values",
    [
        lambda: {"one": [itertools.count()]},
        lambda: {"one": itertools.count(0.5)},
        lambda: {"one": (shared := itertools.count()), "other": {"hidden": [shared]}},
        lambda: {"one": (shared := itertools.count()), "other": map(str, shared)},
    ],
    ids=["in a list", "not of integers", "in a list as well", "within another iterator"],
)
def test_counters_that_others_hold_are_named(values: Any) -> None:
    assert any("itertools.count" in each for each in Snapshot([_module(**values())]).obstacles)


def test_streams_in_memory_are_put_back() -> None:
    module = _module(text=io.StringIO("ab", newline="\r\n"), data=io.BytesIO(b"abc"), gone=io.StringIO())
    module.text.seek(1)
    module.gone.close()
    snapshot = Snapshot([module])
    assert not snapshot.obstacles
    for _ in range(2):
        assert module.text.read() == "b"
        module.text.write("cd")
        module.data.close()
        assert snapshot.restore() == 2
        assert (module.text.getvalue(), module.text.tell()) == ("ab", 1)
        assert (module.data.getvalue(), module.data.tell()) == (b"abc", 0)


def test_files_are_obstacles_unless_nothing_is_kept_there(tmp_path: Any) -> None:
    with open(os.devnull, "w") as null, open(tmp_path / "log", "w") as log:
        assert not Snapshot([_module(null=null)]).obstacles
        assert Snapshot([_module(log=log)]).obstacles == ["program.log is a TextIOWrapper"]
