"""Values of method calls, as texts in a trace and back: those that a specification can compute with.

A *value* is None, a truth value, a number, a text, bytes, a tuple or a frozen set of values, an :class:`Opaque` or a
:class:`Raised`. All are immutable and hashable. An object that is none of these is known by its identity alone.

The text of a value is a Python literal (``(1, 'a')``, ``frozenset({1, 2})``), or ``opaque('list#3')``, or
``raised('KeyError')``. Different values have different texts, also where Python compares them as equal (``1``,
``True``, ``1.0``); equal frozen sets have one text. Texts hold no control characters and no ``%``: every trace format
that has values carries them as they are.

Invariant: for any text, :func:`value_of` gives a value or raises ValueError; it executes nothing. Cost: some
microseconds a value.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from mazurka.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Opaque:
    """An object of which only the identity is known; ``name`` is stable across executions (``list#3``)."""

    name: str


@dataclass(frozen=True, slots=True)
class Raised:
    """The result of a call that an exception left; ``kind`` is the exception's class (``KeyError``)."""

    kind: str


Value: TypeAlias = "bool | int | float | str | bytes | tuple[Value, ...] | frozenset[Value] | Opaque | Raised | None"

#: Values nested deeper are not read.
_DEEPEST: Final = 50

#: Integers of more bits are written in hexadecimal, which takes linear time and has no limit.
_LONG: Final = 1024

_SCALARS: Final = (type(None), bool, int, float, str, bytes)


def plain(thing: object, identity: Callable[[object], str]) -> Value:
    """The value of a Python object: the object itself if it is a value, with objects in it that are no values replaced
    by their identities."""
    kind = type(thing)
    if kind in _SCALARS or kind in (Opaque, Raised):
        return thing  # type: ignore[return-value]
    if kind is tuple or kind is frozenset:
        try:
            return kind(plain(each, identity) for each in thing)  # type: ignore[attr-defined]
        except RecursionError:
            return Opaque(identity(thing))
    return Opaque(identity(thing))


def text_of(value: Value) -> str:
    """The text of a value."""
    match value:
        case bool() | None:
            return repr(value)
        case int():
            return hex(value) if value.bit_length() > _LONG else repr(value)
        case float():
            return repr(value)
        case str() | bytes():
            return repr(value).replace("%", "\\x25")
        case tuple():
            inner = ", ".join(map(text_of, value))
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        case frozenset():
            return f"frozenset({{{', '.join(sorted(map(text_of, value)))}}})" if value else "frozenset()"
        case Opaque():
            return f"opaque({text_of(value.name)})"
        case Raised():
            return f"raised({text_of(value.kind)})"


def words_of(value: Value) -> str:
    """A value as reports show it: an object by its name alone."""
    match value:
        case tuple():
            inner = ", ".join(map(words_of, value))
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        case frozenset() if value:
            return f"frozenset({{{', '.join(sorted(map(words_of, value)))}}})"
        case Opaque():
            return value.name
    return text_of(value)


def value_of(text: str) -> Value:
    """The value of a text; ValueError if there is none."""
    try:
        return _value(ast.parse(text, mode="eval").body, 0)
    except (SyntaxError, MemoryError, RecursionError, TypeError) as error:
        raise ValueError(f"no value: {text[:80]}") from error


def _value(node: ast.expr, depth: int) -> Value:
    if depth > _DEEPEST:
        raise ValueError("values nested too deep")
    match node:
        case ast.Constant(value) if type(value) in _SCALARS:
            return value  # type: ignore[return-value]
        case ast.Name("inf"):
            return math.inf
        case ast.Name("nan"):
            return math.nan
        case ast.UnaryOp(ast.USub(), operand):
            number = _value(operand, depth + 1)
            if type(number) in (int, float):
                return -number  # type: ignore[operator]
        case ast.Tuple(elements):
            return tuple(_value(each, depth + 1) for each in elements)
        case ast.Call(ast.Name(name), arguments, []):
            return _made(name, arguments, depth)
    raise ValueError(f"no value: {type(node).__name__.lower()}")


def _made(name: str, arguments: list[Any], depth: int) -> Value:
    match name, arguments:
        case "frozenset", []:
            return frozenset()
        case "frozenset", [ast.Set(elements)]:
            return frozenset(_value(each, depth + 1) for each in elements)
        case "opaque", [ast.Constant(str(identity))]:
            return Opaque(identity)
        case "raised", [ast.Constant(str(kind))]:
            return Raised(kind)
    raise ValueError(f"no value: a call of {name}")
