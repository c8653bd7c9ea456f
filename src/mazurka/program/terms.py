"""Terms: computations of a program from the values it reads, as far as they are plain arithmetic, and their values.

A term is a nested tuple: ``("value", v)``, ``("read", site)`` for the value that a step at that place in the source
reads, ``("given", name)`` for the argument that the function was given under a name, ``("apply", operator, term...)``,
``("all", term...)`` and ``("any", term...)`` for conjunctions and disjunctions, ``("choose", test, then, otherwise)``,
``("get", term, default)`` for a look-up that has an answer for a missing element, and ``UNKNOWN_TERM`` for everything
else. A front end makes them of its language (program/python/analysis/checks.py).

Values are those that runs record as keys (``Plan.values``), see :func:`value_of`: numbers, short texts, None, tuples of
these; :data:`MISSING` for an absent value; a :class:`Thing` for any other object, of which only the identity is known.
A value that is not certain is :data:`UNKNOWN`, so no answer is a guess.

Cost: that of the arithmetic; numbers and texts that could grow large are unknown.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any, Final

from mazurka.lazy_dataclass import dataclass

Term = tuple[Any, ...]

#: Gives the value that the step at a source location read, and the argument of the function under a name.
Reads = Callable[[int | str], Any]


class Special(Enum):
    """Special values: an absent one, and an unknown one."""

    UNKNOWN = "unknown"
    MISSING = "missing"


UNKNOWN: Final = Special.UNKNOWN
MISSING: Final = Special.MISSING

UNKNOWN_TERM: Final[Term] = ("unknown",)


@dataclass(frozen=True, slots=True)
class Thing:
    """An object of which only the identity is known."""

    number: int


_SCALARS: Final = frozenset({"int", "bool", "str", "bytes", "NoneType"})
_LARGE: Final = 1 << 64

_OPERATORS: Final[dict[str, Callable[..., Any]]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "&": operator.and_, "|": operator.or_, "^": operator.xor, "neg": operator.neg,
}  # fmt: skip


def value_of(key: Any) -> Any:
    """The value that a key stands for."""
    if type(key) is tuple and len(key) == 2 and type(key[0]) is str:  # as most are
        kind, value = key
        if kind in _SCALARS:
            return value
        if kind == "object" and type(value) is int:
            return Thing(value)
    match key:
        case (str(kind), value) if kind in _SCALARS:
            return value
        case ("float", str(text)):
            return float(text)
        case ("tuple", *parts):
            values = tuple(map(value_of, parts))
            return UNKNOWN if UNKNOWN in values else values
        case ("missing",):
            return MISSING
        case ("object", int(number)):
            return Thing(number)
    return UNKNOWN


def evaluate(term: Term, reads: Reads) -> Any:
    """The value of a term; :data:`UNKNOWN`, too, where computing it would be an error."""
    match term:
        case ("value", value):
            return value
        case ("read" | "given", int() | str() as place):
            return reads(place)
        case ("get", inner, default):
            found = evaluate(inner, reads)
            return evaluate(default, reads) if found is MISSING else found
        case ("choose", test, then, otherwise):
            decided = truth(test, reads)
            return UNKNOWN if decided is None else evaluate(then if decided else otherwise, reads)
        case ("apply", "tuple", *parts):
            values = tuple([evaluate(part, reads) for part in parts])
            return UNKNOWN if UNKNOWN in values or MISSING in values else values
        case ("apply", str(name), *parts):
            return _apply(name, [evaluate(part, reads) for part in parts])
        case ("all" | "any", *parts):
            return _last_looked_at(parts, term[0] == "any", reads)
    return UNKNOWN


def _last_looked_at(parts: list[Term], stops: bool, reads: Reads) -> Any:
    """``and`` and ``or`` give the operand that decides."""
    value: Any = UNKNOWN
    for part in parts:
        value = evaluate(part, reads)
        decided = _truth_of(value)
        if decided is None:
            return UNKNOWN
        if decided is stops:
            return value
    return value


def _apply(name: str, values: list[Any]) -> Any:
    if UNKNOWN in values:
        return UNKNOWN
    match name:
        case "is missing":
            return values[0] is MISSING
        case "is" | "is not":
            return _is(*values) if name == "is" else _negated(_is(*values))
        case "not":
            decided = _truth_of(values[0])
            return UNKNOWN if decided is None else not decided
    if any(isinstance(value, Thing | Special) or _is_large(value) for value in values):
        return UNKNOWN
    if name in "*%" and not all(isinstance(value, int | float) for value in values):
        return UNKNOWN
    try:
        return _OPERATORS[name](*values)
    except (TypeError, ArithmeticError, KeyError):
        return UNKNOWN


def _is(one: Any, other: Any) -> Any:
    """Whether two values are identical, of kinds that surely have an identity: None, truth values, objects."""
    single = (type(None), bool, Thing, Special)
    if isinstance(one, single) or isinstance(other, single):
        return type(one) is type(other) and one == other
    return UNKNOWN


def _negated(value: Any) -> Any:
    return value if value is UNKNOWN else not value


def _is_large(value: Any) -> bool:
    return isinstance(value, int) and not -_LARGE < value < _LARGE


def truth(term: Term, reads: Reads) -> bool | None:
    """Whether a term is true; None if that is not known."""
    match term:
        case ("all" | "any", *parts):
            stops: bool = term[0] == "any"
            decided = [truth(part, reads) for part in parts]
            if stops in decided:
                return stops
            return None if None in decided else not stops
        case ("apply", "not", inner):
            inside = truth(inner, reads)
            return None if inside is None else not inside
    return _truth_of(evaluate(term, reads))


def _truth_of(value: Any) -> bool | None:
    return None if isinstance(value, Thing | Special) else bool(value)


def read_in(term: Term) -> Iterator[int]:
    """The places whose reads a term looks at."""
    if term[0] == "read":
        yield term[1]
    else:
        for part in term[1:]:
            if isinstance(part, tuple) and part and isinstance(part[0], str) and term[0] != "value":
                yield from read_in(part)
