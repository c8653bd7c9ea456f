"""Describes calls for pointcuts: the methods and functions that a call of any callable means.

A call of a builtin that performs an operation is that operation, too: ``len(d)`` is ``dict.__len__(d)``,
``operator.contains(d, k)`` is ``dict.__contains__(d, k)``, ``getattr(x, "a")`` gets an attribute. Instrumented
functions report themselves when they are entered, by whatever way they are called, so their calls are not described
here.
"""

from __future__ import annotations

import _operator
import functools
import sys
import types
from collections.abc import Mapping
from typing import Any, Final

from mazurka.program.python.property_events.pointcuts import Described
from mazurka.program.python.semantics.harmless import BUILTIN_METHODS
from mazurka.properties.property import PointcutKind

_CALL: Final = PointcutKind.CALL
_bases_of: Final[Any] = type.__dict__["__mro__"].__get__
_names_of: Final[Any] = type.__dict__["__dict__"].__get__

_UNBOUND: Final = (types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType)
_BOUND: Final = (*BUILTIN_METHODS, types.MethodWrapperType)

#: The hook that woven functions call when they are entered.
ENTERED: Final = "__mz_ev_fn__"

#: Builtins that perform an operation on their first argument.
OPERATIONS: Final[dict[Any, str]] = {
    len: "__len__",
    iter: "__iter__",
    next: "__next__",
    reversed: "__reversed__",
    hash: "__hash__",
    abs: "__abs__",
    **{
        function: f"__{name.rstrip('_')}__"
        for name, function in vars(_operator).items()
        if isinstance(function, types.BuiltinFunctionType)
        and name.rstrip("_")
        not in ("itemgetter", "attrgetter", "methodcaller", "index", "call", "truth", "length_hint")
        and not name.startswith("_")
    },
}

#: Builtins that go through their argument, and have done so when they return.
CONSUMERS: Final = (list, tuple, set, frozenset, dict, sorted, sum, min, max, any, all, bytes, bytearray)

#: Methods of builtin types that do so with their arguments.
CONSUMING: Final = frozenset(
    "join extend update union intersection difference symmetric_difference intersection_update difference_update "
    "symmetric_difference_update issubset issuperset isdisjoint fromkeys writelines executemany".split()
)

#: Those that return an iterator over their arguments.
LAZY: Final = (enumerate, zip, map, filter)

_ATTRIBUTES: Final[dict[Any, PointcutKind]] = {
    getattr: PointcutKind.GET,
    hasattr: PointcutKind.GET,
    setattr: PointcutKind.SET,
    delattr: PointcutKind.DELETE,
}


def describe(function: Any, args: tuple[Any, ...], named: Mapping[str, Any]) -> list[Described]:
    """The operations that a call is."""
    kind = type(function)
    if kind is staticmethod:  # as models of functions of the system are
        return describe(function.__func__, args, named)
    if kind is functools.partial:
        called = _method(function, "__call__", (function, *args), named)
        return [*describe(function.func, (*function.args, *args), {**function.keywords, **named}), called]
    if kind is types.MethodType:
        inner = function.__func__
        called = _method(function, "__call__", (function, *args), named)
        if type(inner) is not types.FunctionType:
            return [*describe(inner, (function.__self__, *args), named), called]
        if is_woven(inner):
            return [called]
        return [_method(function.__self__, inner.__name__, (function.__self__, *args), named), called]
    if kind in _BOUND:
        owner = function.__self__
        if owner is None or type(owner) is types.ModuleType:
            return [*_builtin(function, args, named), _function(function, args, named)]
        name = function.__name__
        found = [_method(owner, name, (owner, *args), named), *_attribute(name, owner, args)]
        if type(owner).__module__ != "builtins":  # as `random.random`, a method of an object that no code names
            found.append(_function(function, args, named))
        return found
    if kind in _UNBOUND:
        return (
            [_method(args[0], function.__name__, args, named), *_attribute(function.__name__, args[0], args[1:])]
            if args
            else []
        )
    if kind is types.FunctionType:
        called = _method(function, "__call__", (function, *args), named)
        if is_woven(function):
            return [called]
        found = [_function(function, args, named)]
        if not str(function.__module__).startswith("mazurka."):  # no model of a builtin
            found.append(called)
        if args and _is_method(args[0], function):
            found.append(_method(args[0], function.__name__, args, named))
        return found
    if isinstance(function, type):
        return [*_builtin(function, args, named), _function(function, args, named)]
    return [_method(function, "__call__", (function, *args), named)]


def is_woven(function: Any) -> bool:
    """Whether a function reports itself when it is entered."""
    while type(function) is types.FunctionType:
        if ENTERED in function.__code__.co_names:
            return True
        function = function.__dict__.get("__wrapped__")
    return False


def _function(function: Any, args: tuple[Any, ...], named: Mapping[str, Any]) -> Described:
    return Described(_CALL, function.__name__, None, function, args, named)


def _method(owner: Any, name: str, operands: tuple[Any, ...], named: Mapping[str, Any]) -> Described:
    kind = type(owner)
    return Described(
        _CALL, name, owner if issubclass(kind, type) and name not in _names(kind) else kind, None, operands, named
    )


def _names(kind: type) -> set[str]:
    return {name for each in _bases_of(kind) for name in _names_of(each)} - {"__init__", "__new__", "__call__"}


def _is_method(owner: Any, function: types.FunctionType) -> bool:
    return any(_names_of(each).get(function.__name__) is function for each in _bases_of(type(owner)))


def _attribute(name: str, owner: Any, args: tuple[Any, ...]) -> list[Described]:
    """``object.__setattr__(x, "a", value)`` and its like access an attribute."""
    operation = {
        "__getattribute__": PointcutKind.GET,
        "__setattr__": PointcutKind.SET,
        "__delattr__": PointcutKind.DELETE,
    }.get(name)
    return _access(operation, (owner, *args)) if operation is not None else []


def _access(operation: PointcutKind, args: tuple[Any, ...]) -> list[Described]:
    if len(args) < 2 or type(args[1]) is not str:
        return []
    operands = (args[0], *args[2:3]) if operation is PointcutKind.SET else args[:1]
    return [access(operation, args[0], args[1], operands)]


def access(operation: PointcutKind, thing: Any, name: str, operands: tuple[Any, ...]) -> Described:
    """An access to an attribute, whose name is the last operand."""
    operands = (*operands, name)
    owner = thing if isinstance(thing, type) else type(thing)
    may_lack = 2 if operation is PointcutKind.SET else 1  # the value, and the name
    if type(thing) is types.ModuleType:
        full = sys.intern(f"{thing.__name__}.{name}")
        return Described(operation, name, None, full, operands, {}, may_lack, thing.__name__)
    return Described(operation, name, owner, None, operands, {}, may_lack)


def _builtin(function: Any, args: tuple[Any, ...], named: Mapping[str, Any]) -> list[Described]:
    """The operation that a builtin performs."""
    try:
        operation, attribute = OPERATIONS.get(function), _ATTRIBUTES.get(function)
    except TypeError:  # it has no hash
        return []
    if attribute is not None:
        return _access(attribute, args)
    if operation is None or not args or (function is iter and len(args) > 1):
        return []
    return [method(args[0], operation, args if function is not next else args[:1], named)]


def method(thing: Any, name: str, operands: tuple[Any, ...], named: Mapping[str, Any] | None = None) -> Described:
    """An operation that is a special method of the class of an object."""
    return Described(_CALL, name, type(thing), None, operands, named or {})


def handed_on(thing: Any, name: str, args: tuple[Any, ...], named: Mapping[str, Any]) -> list[Described]:
    """A call ``thing.name(...)`` as one of ``thing``'s own methods, and of the object whose method it keeps in an
    attribute, as a Condition keeps its lock's ``acquire``; nothing for other calls."""
    owner = _kept(thing, name)
    return [] if owner is None else [method(each, name, (each, *args), named) for each in (thing, owner)]


def _kept(thing: Any, name: str) -> Any:
    """The object whose method an attribute of an instance is; None for other attributes."""
    try:
        found = object.__getattribute__(thing, "__dict__").get(name)
    except (AttributeError, TypeError):
        return None
    return found.__self__ if type(found) in _METHODS and not isinstance(thing, (type, types.ModuleType)) else None


_METHODS: Final = frozenset((types.MethodType, *BUILTIN_METHODS))

#: The methods of a lock that entering and leaving a ``with`` block calls, under other names.
_OF_BLOCKS: Final = {"__enter__": "acquire", "__exit__": "release"}


def of_block(thing: Any, name: str) -> list[Described]:
    """What entering or leaving a ``with`` block of a lock, semaphore or condition is beside the call of the special
    method ``name``: its acquire or release, and that of the lock that it keeps."""
    kind, called = type(thing), _OF_BLOCKS[name]
    if not all(_kept(thing, each) is not None or each in _names(kind) for each in _OF_BLOCKS.values()):
        return []
    found = {id(each): each for each in (thing, _kept(thing, called)) if each is not None}
    return [method(each, called, (each,)) for each in found.values()]


def is_entered(kind: type, name: str) -> bool:
    """Whether a special method of a class is an instrumented function, which reports itself."""
    for each in _bases_of(kind):
        found = _names_of(each).get(name)
        if found is not None:
            return type(found) is types.FunctionType and is_woven(found)
    return False
