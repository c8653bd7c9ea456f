"""The values whose changes all show in steps, so that a key can stand for such a value in other runs, too.

A key (:func:`.objects.value_key`) identifies an object by its number; the reads of its parts
show its content. That is enough for containers, whose items are locations, and for instances
of the program's classes, whose attributes are; not for state that code in C or the standard library keeps in its own
objects (a date, a fraction, an iterator): two of them of one number may differ, and no later read shows it.

Cost: a quarter of a microsecond for plain values, some microseconds for instances of classes.
"""

from __future__ import annotations

import sys
import types
from collections import OrderedDict, defaultdict, deque
from struct import calcsize
from typing import Any, Final

from mazurka.program.python.semantics.harmless import BUILTIN_METHODS
from mazurka.program.python.semantics.shapes import shapes
from mazurka.symbolic.values import SymbolicInt

_SCALARS: Final = frozenset({int, float, bool, str, bytes, type(None), complex, SymbolicInt})
_PLAIN: Final = frozenset({list, dict, set, types.FunctionType, types.ModuleType})
_NATIVE_CONTAINERS: Final = frozenset({deque, defaultdict, OrderedDict})
_HEAP_TYPE: Final = 1 << 9
_WORD: Final = calcsize("P")

#: Packages of the standard library whose objects have their state in locations of their own.
_MODELLED: Final = frozenset({"_thread", "threading", "queue", "concurrent", "enum", "collections"})


def is_shown(value: Any) -> bool:
    """Whether all changes of a value show in steps, or in the count of untracked operations."""
    kind = type(value)
    if kind in _SCALARS or kind in _PLAIN or issubclass(kind, type):
        return True
    if kind is tuple or kind is frozenset:
        return all(map(is_shown, value))
    if kind in BUILTIN_METHODS:
        return type(value.__self__) is types.ModuleType
    if issubclass(kind, BaseException):
        return is_shown(value.args)
    if issubclass(kind, tuple):
        return _is_kept_in_locations(kind) and all(map(is_shown, tuple.__iter__(value)))
    return _is_kept_in_locations(kind)


def _is_kept_in_locations(kind: type) -> bool:
    """Whether all state of instances is in attributes, and in the items of the containers that the class derives from.
    Remembered with the shape of a class, if it has one."""
    shape = shapes.get(id(kind))
    if shape is None:
        return _keeps_to_locations(kind)
    found = shape.own.get(_IS_SHOWN)
    if found is None:
        found = shape.own[_IS_SHOWN] = _keeps_to_locations(kind)
    return bool(found)


#: In `Shape.own`, beside names of attributes.
_IS_SHOWN: Final = " shown"


def _keeps_to_locations(kind: type) -> bool:
    if not kind.__flags__ & _HEAP_TYPE or hasattr(kind, "__next__") or _is_array(kind):
        return kind.__module__.partition(".")[0] in _MODELLED and kind.__name__ in (
            "deque",
            "defaultdict",
            "OrderedDict",
        )
    return not any(_keeps_more(each) or _is_of_the_library(each) for each in kind.__mro__)


def _is_of_the_library(kind: type) -> bool:
    root = kind.__module__.partition(".")[0]
    return root in sys.stdlib_module_names and root not in _MODELLED and root != "builtins"


def _keeps_more(kind: type) -> bool:
    """Whether objects have more of a class than attributes take: state that code in C keeps there."""
    base = kind.__base__
    if base is None or kind in _PLAIN or kind in _SCALARS or kind is tuple or issubclass(kind, BaseException):
        return False
    slots = kind.__dict__.get("__slots__", ())
    names = {slots} if isinstance(slots, str) else set(slots)
    count = len(names - {"__dict__", "__weakref__"})
    count += kind.__dictoffset__ > 0 == base.__dictoffset__
    count += kind.__weakrefoffset__ > 0 == base.__weakrefoffset__
    return kind.__basicsize__ > base.__basicsize__ + count * _WORD


def _is_array(kind: type) -> bool:
    """Whether instances of a class are changed by item, and the class is not one of the program."""
    found = [each.__dict__["__setitem__"] for each in kind.__mro__ if "__setitem__" in each.__dict__]
    if not found or list in kind.__mro__ or dict in kind.__mro__:
        return False
    return not any(type(each) is types.FunctionType for each in found)
