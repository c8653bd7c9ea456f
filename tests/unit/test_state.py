"""The objects that a snapshot puts back in place, and those that it names as obstacles."""

from __future__ import annotations

import array
import io
import itertools
import os
import random
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
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
    with open(1, "w", closefd=False) as output, open(2, "wb", closefd=False) as errors:
        assert not Snapshot([_module(output=output, errors=errors)]).obstacles


def _overridden(base: Any, calls: list[str]) -> Any:
    """A class that derives from a container and notes each call of an inherited method."""

    def noting(name: str) -> Callable[..., Any]:
        def method(self: Any, *arguments: Any) -> Any:
            calls.append(f"{base.__name__}.{name}")
            return getattr(base, name)(self, *arguments)

        return method

    inherited = {name for name in dir(base) if callable(getattr(base, name))}
    of_c = {"__class_getitem__", "__buffer__", "__release_buffer__"}  # the last two are called in comparisons by C, too
    kept = set(vars(object)) - {"__eq__", "__repr__", "__getattribute__"} | of_c
    return type(f"Noting{base.__name__}", (base,), {name: noting(name) for name in inherited - kept})


def test_methods_of_containers_are_the_programs_business() -> None:
    calls: list[str] = []
    made = {
        base.__name__: _overridden(base, calls)(*arguments)
        for base, *arguments in [
            (list, "ab"), (dict, {"a": 1}), (set, "ab"), (deque, "ab"), (OrderedDict, {"a": 1}), (Counter, "ab"),
            (defaultdict, int), (bytearray, b"ab"), (array.array, "i", [1]), (random.Random, 1), (tuple, "ab"),
            (frozenset, "ab"),
        ]
    }  # fmt: skip
    calls.clear()
    snapshot = Snapshot([_module(**made)])
    before = random.Random.random(made["Random"])
    list.append(made["list"], "c")
    dict.clear(made["dict"])
    set.add(made["set"], "c")
    deque.pop(made["deque"])
    OrderedDict.__setitem__(made["OrderedDict"], "b", 2)
    dict.__setitem__(made["Counter"], "c", 1)
    dict.__setitem__(made["defaultdict"], "c", 1)
    bytearray.append(made["bytearray"], 1)
    array.array.append(made["array"], 2)
    assert snapshot.restore() == 10
    assert snapshot.restore() == 0
    assert calls == []
    assert [*list.__iter__(made["list"])] == ["a", "b"]
    assert [*dict.items(made["dict"])] == [("a", 1)]
    assert sorted(set.__iter__(made["set"])) == ["a", "b"]
    assert [*deque.__iter__(made["deque"])] == ["a", "b"]
    assert [*OrderedDict.items(made["OrderedDict"])] == [("a", 1)]
    assert [*dict.items(made["Counter"])] == [("a", 1), ("b", 1)]
    assert [*dict.items(made["defaultdict"])] == []
    assert bytearray.__eq__(made["bytearray"], b"ab")
    assert array.array.__len__(made["array"]) == 1
    assert random.Random.random(made["Random"]) == before
