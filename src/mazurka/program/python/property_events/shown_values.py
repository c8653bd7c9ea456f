"""The values that conditions of pointcuts look at, such that no code of the program runs.

Numbers and texts are compared as they are. Any other object is represented: its class is known, it is itself and no
other object, and if it is a builtin container, its length, and whether a plain value is in it, are known. Where a
condition needs more, :class:`Undecided` is raised.

Cost: microseconds, for lists in proportion to their length.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from mazurka.properties.conditions import evaluation

#: Values that are compared.
PLAIN: Final = frozenset({int, float, bool, str, bytes, complex, type(None)})

_HASHED: Final[tuple[Any, ...]] = (dict, set, frozenset, OrderedDict, defaultdict, type({}.keys()))
_ITEMS: Final[tuple[Any, ...]] = (list, tuple, deque)
_SIZED: Final[tuple[Any, ...]] = (*_HASHED, *_ITEMS, type({}.values()), type({}.items()))

_bases_of: Final[Any] = type.__dict__["__mro__"].__get__
_names_of: Final[Any] = type.__dict__["__dict__"].__get__


class Undecided(Exception):
    """A condition looks at more than plain values."""


def holds(condition: str, bound: Mapping[str, Any]) -> bool:
    """Whether a condition over objects holds; raises :class:`Undecided`."""
    known: dict[int, Any] = {}
    try:
        return _evaluation(condition)({name: _represented(thing, known) for name, thing in bound.items()})
    except Undecided:
        raise
    except Exception as error:  # a comparison of values of different kinds, for instance
        raise Undecided from error


_evaluation: Final = lru_cache(maxsize=1024)(evaluation)


def are_equal(one: Any, other: Any) -> bool:
    """Whether two objects are one, or equal plain values."""
    return one is other or (type(one) in PLAIN and type(other) in PLAIN and bool(one == other))


def _represented(thing: Any, known: dict[int, Any]) -> Any:
    if type(thing) in PLAIN or (type(thing) is tuple and all(type(each) in PLAIN for each in thing)):
        return thing
    return known.setdefault(id(thing), _Representation(thing))


def _defining(kind: type, name: str) -> Any:
    """The class that defines a special method of a class."""
    return next((each for each in _bases_of(kind) if name in _names_of(each)), None)


def _is_compared_by_identity(thing: Any) -> bool:
    return type(thing) in PLAIN or (
        _defining(type(thing), "__eq__") is object and _defining(type(thing), "__hash__") is object
    )


class _Representation:
    """Stands for an object in a condition."""

    __slots__ = ("_thing",)

    def __init__(self, thing: Any) -> None:
        self._thing = thing

    @property  # type: ignore[misc]  # it is only read, by `isinstance`
    def __class__(self) -> Any:
        return type(self._thing)

    def __bool__(self) -> bool:
        kind = type(self._thing)
        if _defining(kind, "__bool__") is None and _defining(kind, "__len__") is None:
            return True
        return len(self) > 0

    def __len__(self) -> int:
        owner = _defining(type(self._thing), "__len__")
        if owner not in _SIZED or _defining(type(self._thing), "__bool__") is not None:
            raise Undecided
        return int(owner.__len__(self._thing))

    def __contains__(self, key: Any) -> bool:
        thing = self._thing
        key = _own(key, "_thing") if type(key) is _Representation else key
        owner = _defining(type(thing), "__contains__")
        if not _is_compared_by_identity(key):
            raise Undecided
        if owner in _HASHED:
            return bool(owner.__contains__(thing, key))
        if owner in _ITEMS and all(map(_is_compared_by_identity, owner.__iter__(thing))):
            return any(are_equal(each, key) for each in owner.__iter__(thing))
        raise Undecided

    def __eq__(self, other: object) -> bool:
        if type(other) is _Representation:
            other = _own(other, "_thing")
        if other is self._thing:
            return True
        if _is_compared_by_identity(self._thing) and (_is_compared_by_identity(other)):
            return False
        raise Undecided

    __hash__ = None  # type: ignore[assignment]  # a condition has no use for it

    def _fail(self, _other: object) -> Any:
        raise Undecided

    __lt__ = __le__ = __gt__ = __ge__ = __add__ = __radd__ = __sub__ = __rsub__ = _fail


_own: Final = object.__getattribute__
