"""The names of objects in property events. Two objects have one name if and only if they are equal as keys are, or are
one object: a binding of a property compares names.

A number or text has the name of its value, equal ones of different classes (``1``, ``True``, ``1.0``) the same. A long
name is shortened, with a digest of all of it. A tuple has the names of its elements, a method those of its function and
its object, since it is made anew at each look-up; any other object has its class and its number in the run.
"""

from __future__ import annotations

from hashlib import blake2b
from types import MethodType
from typing import Any, Final

from mazurka.program.python import activation
from mazurka.program.python.semantics.objects import number
from mazurka.program.python.semantics.per_run import per_run

#: Longer names of values are shortened.
_LONG: Final = 80

#: By number of an object its name in this run.
_named: Final[dict[int, str]] = per_run({})
_counts: Final[dict[str, int]] = per_run({})

#: The forms of objects in events of recordings: by number, by name, and by those of their parts.
OBJECT: Final = "object"
VALUE: Final = "value"
TUPLE: Final = "tuple"


class OpenCondition:
    """In the place of an object: a condition on it, whose text is the name."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def value_name(thing: Any) -> str | None:
    """The name of a plain value; None for any other object."""
    kind = type(thing)
    if kind is bool:
        return repr(int(thing))
    if kind is OpenCondition:
        return str(thing.text)
    if kind is complex:
        return value_name(thing.real) if thing.imag == 0 else _of_number(thing)
    if kind is float:
        if thing != thing:
            return None  # equal to nothing
        return _short(hex(int(thing))) if thing.is_integer() and abs(thing) >= 1e15 else _of_number(thing)
    if kind is int:
        return repr(thing) if abs(thing) < 10**15 else _short(hex(thing))
    if kind is str or kind is bytes or thing is None:
        return _short(repr(thing))
    if kind is tuple:
        parts = [value_name(part) for part in thing]
        return None if None in parts else tuple_name([str(part) for part in parts])
    return None


def tuple_name(parts: list[str]) -> str:
    """The name of a tuple of objects of these names."""
    return _short(f"({', '.join(parts)}{',' if len(parts) == 1 else ''})")


def _of_number(thing: complex) -> str:
    if isinstance(thing, float) and thing.is_integer():
        return repr(int(thing))
    return repr(thing)


def _short(text: str) -> str:
    if len(text) <= _LONG:
        return text
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"{text[: _LONG // 2]}...{digest}"


def name_of(thing: Any) -> str:
    """The name of an object in a controlled run."""
    known = value_name(thing)
    if known is not None:
        return known
    if type(thing) is tuple:
        return tuple_name([name_of(part) for part in thing])
    if type(thing) is MethodType:
        return tuple_name([name_of(thing.__func__), name_of(thing.__self__)])
    n = number(thing)
    found = _named.get(n)
    if found is None:
        run = activation.active
        kind = f"{called(thing)}#{run.current.name if run is not None else '0'}"
        count = _counts[kind] = _counts.get(kind, 0) + 1
        found = _named[n] = f"{kind}.{count}"
    return found


def called(thing: Any) -> str:
    """The name of an object's class; for a class "class" and its own name."""
    kind = type(thing)
    name: str = type.__dict__["__name__"].__get__(kind)
    if issubclass(kind, type):
        return f"class {type.__dict__['__name__'].__get__(thing)}"
    return name


def recorded(thing: Any) -> tuple[Any, ...]:
    """An object in a recording, whose numbers get names when it is finished."""
    known = value_name(thing)
    if known is not None:
        return (VALUE, known)
    if type(thing) is MethodType:
        return (TUPLE, recorded(thing.__func__), recorded(thing.__self__))
    return (TUPLE, *map(recorded, thing)) if type(thing) is tuple else (OBJECT, number(thing))
