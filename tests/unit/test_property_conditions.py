"""Conditions of pointcuts: checked when they are read, and decided without running code of the program."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from typing import NoReturn

import pytest

from mazurka.program.python.property_events.shown_values import Undecided, holds
from mazurka.properties.conditions import Refused, checked, names_in


class Plain:
    """An object that is compared by identity."""


class Hostile:
    """An object of the program, each of whose methods would be noticed."""

    def _run(self, *_: object) -> NoReturn:
        raise AssertionError("code of the program has run")

    __eq__ = __ne__ = __lt__ = __gt__ = __contains__ = __len__ = __bool__ = __add__ = __radd__ = __neg__ = _run  # type: ignore[assignment]

    def __hash__(self) -> int:
        return hash("a")


class HostileDict(dict[str, int]):
    """A dictionary whose keys are looked up by code of the program."""

    def __contains__(self, _: object) -> NoReturn:
        raise AssertionError("code of the program has run")


_PLAIN = Plain()

_DECIDED: dict[str, tuple[object, object, bool | None]] = {
    "x is None": (None, 0, True),
    "x is not None": (Hostile(), 0, True),
    "x is y": (_PLAIN, _PLAIN, True),
    "x == y": (1, 1.0, True),
    "x != y": ("a", b"a", True),
    "not x == y": (_PLAIN, Plain(), True),
    "x == 1": (Hostile(), 0, None),
    "x < y": (1, 2, True),
    "1 < x <= y < 3": (2, 2, True),
    "1 <= x < y": (2, 2, False),
    "x > y": (1, "a", None),
    "x >= y": (Plain(), 1, None),
    "x + 1 == -y - 1": (0, -2, True),
    "x + y == 3": ("a", 3, None),
    "len(x) == 2": ("ab", 0, True),
    "len(x) == 1": (OrderedDict(a=1), 0, True),
    "len(x) == 3": (deque("abc"), 0, True),
    "len(x) == 0": (Hostile(), 0, None),
    "len(x) == 5": (5, 0, None),
    "x in y": ("a", {"a": 1}, True),
    "x not in y": ("b", Counter("a"), True),
    "x in (1, y)": (2, 2, True),
    "y in x": (_PLAIN, [_PLAIN], None),
    "x in y and True": (_PLAIN, [_PLAIN], True),
    "x in y or False": (_PLAIN, {_PLAIN}, True),
    "y in [x]": (Plain(), Plain(), False),
    "x in y or x == 1": ("a", {Hostile()}, None),
    "x in y or x == 2": ("a", [Hostile()], None),
    "x in y or x == 3": ("a", HostileDict(), None),
    "x in y or x == 4": ("a", Hostile(), None),
    "x in y or x == 5": ([], {"a"}, None),
    "x in y or x == 6": (1, "abc", None),
    "x": (Hostile(), 0, None),
    "x and y": (_PLAIN, [1], True),
    "x or y": ([], {}, False),
    "not x": ((), 0, True),
    "x and y == 1": (Hostile(), 2, None),
    "x or y == 1": (Hostile(), 1, None),
    "x or y == 2": (Hostile(), 1, None),
    "isinstance(x, int)": (True, 0, True),
    "isinstance(x, (str, bytes))": (b"", 0, True),
    "isinstance(x, dict)": (HostileDict(), 0, True),
    "isinstance(x, str)": (Hostile(), 0, False),
}


def _decided(condition: str, bound: dict[str, object]) -> bool | None:
    try:
        return holds(condition, bound)
    except Undecided:
        return None


@pytest.mark.parametrize("condition", _DECIDED)
def test_conditions_are_decided_or_left_undecided(condition: str) -> None:
    x, y, expected = _DECIDED[condition]
    assert _decided(checked(condition, ["x", "y"]), {"x": x, "y": y}) is expected


@pytest.mark.parametrize(
    "condition",
    [
        "x.y",
        "x[0] == 1",
        "f(x)",
        "len(x, y)",
        "len(*x)",
        "isinstance(x, y)",
        "isinstance(x, Plain)",
        "z",
        "x if x else y",
        "lambda: x",
        "[each for each in x]",
        "f'{x}'",
        "x ** 9",
        "x * 9",
        "x | y",
        "~x",
        "(x := 1)",
        "{x}",
        "x,",
        "*x",
        "x is 1",
        "x is (1, 2)",
        "...",
        "await x",
        "x y",
        ")",
        "x)(y",
        "",
        "not " * 100_000 + "x",
    ],
)
def test_all_else_is_refused(condition: str) -> None:
    with pytest.raises(Refused):
        checked(condition, ["x", "y"])


def test_a_function_that_a_name_hides_cannot_be_called() -> None:
    with pytest.raises(Refused):
        checked("len(x)", ["x", "len"])
    with pytest.raises(Refused):
        checked("isinstance(x, int)", ["x", "int"])


def test_names_and_normal_form() -> None:
    assert names_in("len(x) == y") >= {"x", "y"}
    assert names_in("") == frozenset()
    assert checked("( x==1  or\n y )", ["x", "y"]) == "x == 1 or y"
