"""The location of a key: equal keys have one location, unknown ones are neither equal nor different."""

from __future__ import annotations

import datetime
import enum
import ipaddress
import itertools
import pathlib
import uuid
from collections import Counter, OrderedDict, defaultdict
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest

from mazurka.program.python.semantics import objects
from mazurka.program.python.semantics.containers import positional
from mazurka.program.python.semantics.keys import UNKNOWN, key_of
from mazurka.program.python.semantics.objects import value_key
from mazurka.program.python.semantics.shown import is_shown


class Kind(enum.Enum):
    A = 1
    B = 2


@dataclass(frozen=True)
class Point:
    x: int
    y: Any = 0


class Pair(NamedTuple):
    x: int
    y: int


class Odd:
    def __eq__(self, other: object) -> bool:
        raise AssertionError("code of the program must not run")

    def __hash__(self) -> int:
        raise AssertionError("code of the program must not run")


class Text(str):
    pass


_KEYS: list[Any] = [
    0, 1, True, False, 1.0, 0.5, 0.1, float("inf"), 2**70, float(2**70), 1j, 1 + 0j,
    Decimal(1), Decimal("0.5"), Decimal("0.1"), Decimal("Infinity"), Fraction(1), Fraction(1, 2), Fraction(1, 3),
    np.int64(1), np.float64(0.5), np.float32(0.1), np.str_("a"), np.bool_(True),
    "a", "1", Text("a"), b"a", None, (1, "a"), (1.0, Text("a")), Pair(1, 2), (1, 2),
    Kind.A, Kind.B, Point(1), Point(1.0), Point(2), Point((1, 2)), Point(Pair(1, 2)),
    frozenset(), frozenset([1, 2]), frozenset([2.0, True]), frozenset(["a"]), frozenset([frozenset([1])]),
    uuid.UUID(int=1), uuid.UUID(hex="0" * 31 + "1"), uuid.UUID(int=2),
    datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1), datetime.date(2020, 1, 2), datetime.time(1),
    datetime.timedelta(days=1), datetime.timedelta(hours=24), datetime.UTC,
    pathlib.PurePosixPath("a/b"), pathlib.PurePosixPath("a//b"), pathlib.PosixPath("a/b"),
    ipaddress.ip_address("10.0.0.1"), ipaddress.ip_address(10 << 24 | 1), ipaddress.ip_address("10.0.0.2"),
    range(3), range(0, 3, 1), range(0), range(5, 5), len, Odd, Odd.__eq__, "".join, print,
]  # fmt: skip


def _are_one_key(one: Any, other: Any) -> bool | None:
    try:
        return other in {one: True}
    except TypeError:  # NumPy's comparison with some other things
        return None


def test_keys_are_one_if_and_only_if_they_are_equal() -> None:
    for one, other in itertools.combinations(_KEYS, 2):
        assert _are_one_key(one, other) in (None, key_of(one) == key_of(other)), (one, other)


@pytest.mark.parametrize(
    "key",
    [
        Odd(),
        (1, Odd()),
        Point(Odd()),  # type: ignore[arg-type]
        datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC),
        Decimal("NaN"),
    ],
    ids=lambda key: type(key).__name__,
)
def test_no_code_of_the_program_runs_for_a_key_that_has_some(key: Any) -> None:
    assert key_of(key) is UNKNOWN


def test_values_are_told_by_content_where_no_later_read_shows_it() -> None:
    day = datetime.date(2020, 1, 1)
    assert not is_shown(day)
    assert not is_shown((1, day))
    assert not is_shown(Fraction(1))
    assert not is_shown(iter([]))
    assert not is_shown([].append)
    for value in (1, "a", None, (1, "a"), [day], {1: day}, Odd(), Odd, len, frozenset([1]), Kind.A, OrderedDict()):
        assert is_shown(value), value
    assert value_key(frozenset([1, 2])) == value_key(frozenset([2, 1])) != value_key(frozenset([1]))
    assert value_key(Pair(1, 2)) == value_key(Pair(1, 2)) != value_key((1, 2))
    assert value_key(ValueError(1)) != value_key(ValueError(2))
    objects.restart()


@pytest.mark.parametrize(
    ("thing", "name", "args", "named", "expected"),
    [
        ({}, "update", (), {"a": 1}, ((("a", 1),),)),
        ({}, "update", ({2: 3},), {"a": 1}, ({2: 3}, (("a", 1),))),
        (defaultdict(int), "update", (), {"a": 1, "b": 2}, ((("a", 1), ("b", 2)),)),
        (Counter(), "update", (), {"a": 1}, (("a",),)),
        (Counter(), "subtract", (["b"],), {"a": 1}, (["b"], ("a",))),
        (Counter(), "most_common", (), {"n": 1}, (1,)),
        (OrderedDict(), "popitem", (), {"last": False}, (False,)),
        (OrderedDict(), "move_to_end", ("a",), {"last": False}, ("a", False)),
        (OrderedDict(), "move_to_end", (), {"last": False, "key": "a"}, ("a", False)),
        (OrderedDict(), "pop", (), {"key": "a", "default": 1}, ("a", 1)),
        (OrderedDict(), "setdefault", ("a",), {"default": 1}, ("a", 1)),
        ([], "sort", (), {"reverse": True}, (True,)),
        ([], "append", (1,), {}, (1,)),
        (object(), "update", (), {"a": 1}, (1,)),
    ],
)
def test_named_arguments_get_their_place(
    thing: Any, name: str, args: tuple[Any, ...], named: dict[str, Any], expected: tuple[Any, ...]
) -> None:
    assert positional(thing, name, args, named) == expected
