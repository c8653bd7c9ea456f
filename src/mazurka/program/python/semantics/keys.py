"""Keys in targets: the class of all keys that equal one another.

Two keys may equal each other without being the same object, nor of the same type: ``1``, ``1.0``, ``True``,
``Decimal(1)`` and ``Fraction(1)`` are one key, and so are two ``UUID`` of the same digits: uses of either are uses of
one location.

A key whose equality is decided by code of the program is *unknown* (:data:`UNKNOWN`): that code is not run, since it
might keep state, for instance a hash. All unknown keys count as one, so that all their uses conflict. But they are not
known to be equal, so no value is ever recorded for them; and whether one is in a container is only known if that very
object is found there. Whether an unknown key equals a known one is not tracked.

Cost: a set look-up for text, integers and None; about a microsecond for other keys.
"""

from __future__ import annotations

import types
import weakref
from collections.abc import Callable
from typing import Any, Final

from mazurka.program.python.semantics import key_fields
from mazurka.program.python.semantics.harmless import BUILTIN_METHODS
from mazurka.program.python.semantics.objects import MISSING, SCALARS, is_a, number, peek_attribute
from mazurka.symbolic.values import SymbolicInt

#: Stands for all keys whose equality is unknown.
UNKNOWN: Final = ("object", 0)

#: Types of keys that stand for themselves.
PLAIN: Final = frozenset({int, str, bytes, type(None)})
_BOUND: Final = (types.MethodType, *BUILTIN_METHODS, types.MethodWrapperType)


def key_of(key: Any) -> Any:
    """The key's part in a target: equal keys give equal results, and no code of the program runs."""
    kind: Any = type(key)
    if kind in PLAIN:
        return key
    if kind in SCALARS:
        return _number_of(key)
    if kind is SymbolicInt:
        return key.definite()
    if issubclass(kind, tuple) and kind.__eq__ is tuple.__eq__:
        plain = True
        for part in tuple.__iter__(key):
            if type(part) not in PLAIN:
                plain = False
        if plain and kind is tuple:
            return key
        parts = [part if type(part) in PLAIN else key_of(part) for part in tuple.__iter__(key)]
        return UNKNOWN if UNKNOWN in parts else tuple(parts)
    if issubclass(kind, str) and kind.__eq__ is str.__eq__ and kind.__hash__ is str.__hash__:
        return str.__str__(key)
    if issubclass(kind, int) and kind.__eq__ is int.__eq__ and kind.__hash__ is int.__hash__:
        return int.__int__(key)
    if issubclass(kind, frozenset) and kind.__eq__ is frozenset.__eq__:
        parts = [key_of(part) for part in frozenset.__iter__(key)]
        return UNKNOWN if UNKNOWN in parts else ("frozenset", *sorted(parts, key=repr))
    if kind.__eq__ is object.__eq__ or kind is types.FunctionType or issubclass(kind, type):
        return ("object", number(key))
    if kind in _BOUND:
        inner = getattr(key, "__func__", None)
        return ("method", key_of(inner) if inner is not None else key.__name__, number(key.__self__))
    if issubclass(kind, weakref.ref):
        for look in references:
            look(key)
    return _of_the_library(key, kind)


#: Functions to call with weak references that are keys: as long as their objects live, they may equal others.
references: Final[list[Callable[[Any], None]]] = []


def is_quiet(key: Any) -> bool:
    """Whether hashing and comparing a key runs no code of the program."""
    kind: Any = type(key)
    if kind is tuple or kind is frozenset:
        return all(map(is_quiet, key))
    return not (_is_of_the_program(kind.__hash__) or _is_of_the_program(kind.__eq__))


def _is_of_the_program(method: Any) -> bool:
    """Whether a method is written in Python, and is not one of the models."""
    return is_a(method, types.FunctionType) and not str(method.__globals__.get("__name__")).startswith("mazurka.")


def _number_of(key: Any) -> Any:
    """The integer that a number equals, or else the number as the simplest kind that can hold it."""
    if type(key) is complex:
        if key.imag:
            return key
        key = key.real
    if type(key) is float:
        return int(key) if key.is_integer() else key
    return int(key)


def _of_the_library(key: Any, kind: Any) -> Any:
    """The part for a key of the library's types whose equality is known, though it is not that of a builtin."""
    module, name = kind.__module__, kind.__name__
    if module == "numpy":
        plain = key.item() if hasattr(kind, "item") and not is_a(key, (list, dict)) else key
        return key_of(plain) if type(plain) in SCALARS else UNKNOWN
    how = _KNOWN.get((module, name))
    if how is not None:
        return how(key)
    return _of_fields(key, kind)


def _of_fields(key: Any, kind: Any) -> Any:
    """The part for a key of a data class, if it compares its fields and nothing else."""
    names = key_fields.compared_by(kind)
    if names is None:
        return UNKNOWN
    values = [peek_attribute(key, name) for name in names]
    if any(each is MISSING for each in values):
        return UNKNOWN
    key_fields.note(key, names)
    parts = [key_of(each) for each in values]
    return UNKNOWN if UNKNOWN in parts else ("dataclass", number(kind), *parts)


def _exact(key: Any) -> Any:
    """The part for an exact number: the float that it equals, or its numerator and denominator."""
    try:
        above, below = key.as_integer_ratio()
    except OverflowError:
        return float(key)
    except ValueError:
        return UNKNOWN  # not a number
    if below == 1:
        return int(above)
    try:
        near = above / below
    except OverflowError:
        return ("number", above, below)
    return near if near.as_integer_ratio() == (above, below) else ("number", above, below)


def _moment(key: Any) -> Any:
    """The part for a date with a time, or a time: its text, unless it belongs to a time zone."""
    return (type(key).__name__, repr(key)) if key.tzinfo is None else UNKNOWN


_KNOWN: Final[dict[tuple[str, str], Callable[[Any], Any]]] = {
    ("decimal", "Decimal"): _exact,
    ("fractions", "Fraction"): _exact,
    ("datetime", "date"): lambda key: ("date", key.toordinal()),
    ("datetime", "datetime"): _moment,
    ("datetime", "time"): _moment,
    ("datetime", "timedelta"): lambda key: ("timedelta", key.days, key.seconds, key.microseconds),
    ("datetime", "timezone"): lambda key: ("timezone", repr(key.utcoffset(None))),
    ("uuid", "UUID"): lambda key: ("uuid", key.int),
    ("builtins", "range"): lambda key: ("range", len(key), key[0] if len(key) else 0, key[1] if len(key) > 1 else 0),
    **{
        (module, name): lambda key: ("path", str(key))
        for module in ("pathlib", "pathlib._local")
        for name in ("PosixPath", "PurePosixPath")
    },
    **{
        ("ipaddress", f"IPv{version}{kind}"): lambda key: ("address", str(key))
        for version in (4, 6)
        for kind in ("Address", "Network")
    },
}
