"""The values of terms: a value that is not certain is unknown."""

from __future__ import annotations

from typing import Any

import pytest

from mazurka.program.terms import MISSING, UNKNOWN, Term, Thing, evaluate, read_in, truth, value_of

_X: Term = ("read", 1)
_Y: Term = ("read", 2)
_NONE: Term = ("value", None)


def _reads(x: Any = UNKNOWN, y: Any = UNKNOWN) -> Any:
    return {1: x, 2: y}.get


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (("int", 3), 3),
        (("NoneType", None), None),
        (("float", "-0.0"), 0.0),
        (("tuple", ("int", 1), ("str", "a")), (1, "a")),
        (("missing",), MISSING),
        (("object", 17), Thing(17)),
        (("str", 400, b"digest"), UNKNOWN),
        (("tuple", ("complex", "1j")), UNKNOWN),
        (None, UNKNOWN),
    ],
)
def test_values_of_keys(key: Any, value: Any) -> None:
    assert value_of(key) == value


@pytest.mark.parametrize(
    ("term", "x", "y", "value"),
    [
        (("apply", "+", _X, ("value", 1)), 2, UNKNOWN, 3),
        (("apply", "<", _X, _Y), 2, 3, True),
        (("apply", "<", _X, _Y), 2, UNKNOWN, UNKNOWN),
        (("apply", "<", _X, _Y), 2, None, UNKNOWN),
        (("apply", "//", _X, _Y), 2, 0, UNKNOWN),
        (("apply", "*", _X, _X), 1 << 65, 0, UNKNOWN),
        (("apply", "*", _X, ("value", 1000)), "a", 0, UNKNOWN),
        (("apply", "==", _X, _Y), Thing(1), Thing(1), UNKNOWN),
        (("apply", "is", _X, _NONE), Thing(1), 0, False),
        (("apply", "is not", _X, _NONE), Thing(1), 0, True),
        (("apply", "is", _X, _Y), 300, 300, UNKNOWN),
        (("apply", "is missing", _X), MISSING, 0, True),
        (("get", _X, ("value", 7)), MISSING, 0, 7),
        (("get", _X, ("value", 7)), 2, 0, 2),
        (("any", _X, _Y), 0, 5, 5),
        (("all", _X, _Y), 0, UNKNOWN, 0),
        (("choose", _X, ("value", 1), ("value", 2)), 0, 0, 2),
        (("apply", "tuple", _X, _Y), 1, 2, (1, 2)),
        (("unknown",), 1, 2, UNKNOWN),
    ],
)
def test_evaluate(term: Term, x: Any, y: Any, value: Any) -> None:
    assert evaluate(term, _reads(x, y)) == value


@pytest.mark.parametrize(
    ("term", "x", "y", "value"),
    [
        (("any", _X, _Y), UNKNOWN, 1, True),
        (("all", _X, _Y), UNKNOWN, None, False),
        (("all", _X, _Y), UNKNOWN, 1, None),
        (("apply", "not", ("all", _X, _Y)), UNKNOWN, 0, True),
        (_X, Thing(1), 0, None),
        (_X, "", 0, False),
    ],
)
def test_truth(term: Term, x: Any, y: Any, value: bool | None) -> None:
    assert truth(term, _reads(x, y)) is value


def test_reads_of_a_term() -> None:
    assert list(read_in(("all", ("apply", "<", _X, ("value", ("read", 9))), ("get", _Y, _NONE)))) == [1, 2]
