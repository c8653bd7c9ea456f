"""The quick hook of recordings (quick.py) at calls; calls.py handles the callees that it does not know.

The events of making an object follow from its class, and are determined once: none, where only instrumented code runs;
or reads of the arguments, where code in C makes the object, and where it initialises it.
"""

from __future__ import annotations

import types
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from mazurka.program.python.instrument import sites
from mazurka.program.python.recording.event_sink import EventSink
from mazurka.program.python.recording.library_calls import METHODS, recorded_function
from mazurka.program.python.recording.library_kinds import RECORDED
from mazurka.program.python.recording.quick import Reader, Tick
from mazurka.program.python.semantics import calls, deep_access, foreign, harmless
from mazurka.program.python.semantics.class_shapes import OPERATIONS, shape_of
from mazurka.program.python.semantics.classification import is_instrumented
from mazurka.program.python.semantics.harmless import BUILTIN_METHODS
from mazurka.program.python.semantics.locations import BASES, bases
from mazurka.program.python.semantics.shapes import shapes

#: Builtins that look at an object that may be a class, function or module, or that run code.
_BY_NAME: Final = frozenset({getattr, hasattr, setattr, delattr, vars, exec, eval})

#: Methods of immutable objects, called as functions: they look only at their arguments.
_LOOKING: Final = frozenset(
    kind.__dict__[name]
    for kind in (tuple, str, bytes, int, float)
    for name in ("__hash__", "__len__", "__eq__", "__ne__", "__getitem__", "__contains__", "__add__")
    if name in kind.__dict__
)

#: In place of a number of reads: calls.py has to report them.
_ELSE: Final = -1

#: In `Shape.own`, beside names of attributes: how often making an object reads its arguments.
_MAKING: Final = " making"


#: Modules some of whose methods in Python do more than read their arguments.
_DOING_MORE: Final = frozenset(
    "bisect contextlib heapq importlib.metadata linecache tokenize unittest.mock weakref".split()
)


def _is_silent(method: types.FunctionType, kind: type) -> bool:
    """Whether a call of a method that is not instrumented, of an object of this class, with plain arguments otherwise,
    has no effect to record: the method reads its arguments (foreign.py), and the object shows none of its state."""
    shape = shape_of(kind)
    found = shape.silent[method] = (
        deep_access.shows_nothing(shape, kind)
        and foreign.module_of(method) not in _DOING_MORE
        and method.__module__ not in _DOING_MORE
        and "__wrapped__" not in method.__dict__
        and not foreign.is_made(method)
        and not foreign.reads_hints(method)
        and not harmless.is_untraceable(foreign.module_of(method), method.__qualname__)
    )
    return found


#: Reports a call of a callee, at a site, with these arguments; returns whether all its effects are reported.
_Teller = Callable[[Any, int, tuple[Any, ...], dict[str, Any]], bool]
_Whole = Callable[[Any, int], None]


def caller(run: EventSink, tick: Tick, read_attribute: Reader, read_whole: _Whole) -> Callable[..., Any]:
    """The hook for calls of any callable."""
    give_way, instrumented, are_plain = run.give_way, sites.instrumented, deep_access.PLAIN.issuperset
    built_in, made = _built_in(run, read_attribute, read_whole), _made(run, read_whole)
    observer = run.observer

    def call(function: Any, site: int, /, *args: Any, **named: Any) -> Any:
        if tick():
            give_way()
        kind = type(function)
        inner = function.__func__ if kind is types.MethodType else function
        if type(inner) is types.FunctionType:
            if inner.__code__.co_filename in instrumented:
                return function
            if kind is types.MethodType and not named and are_plain(map(type, args)):
                owner = type(function.__self__)
                known = (shapes.get(id(owner)) or shape_of(owner)).silent.get(inner)
                if known or (known is None and _is_silent(inner, owner)):
                    return function
        elif kind is partial:
            call(function.func, site, *function.args, *args, **function.keywords, **named)
            return function
        if kind in BUILTIN_METHODS:
            recorded = built_in(function, site, args, named)
        elif (kind is types.FunctionType or kind is type) and not named and are_plain(map(type, args)):
            recorded = True  # with plain arguments only, the call has no effect to record
        elif issubclass(kind, type):
            recorded = made(function, site, args, named)
        else:
            recorded = (
                kind is types.WrapperDescriptorType and function in _LOOKING and not named and _hold_nothing(args)
            )
        if not recorded:
            calls.announce(run, function, site, args, named)
        if observer is not None and kind in METHODS and type(function.__self__) in RECORDED:
            return recorded_function(observer, function)
        return function

    return call


def _built_in(run: EventSink, read_attribute: Reader, read_whole: _Whole) -> _Teller:
    """The function that records calls of functions in C, and of methods of objects."""
    are_plain = deep_access.PLAIN.issuperset
    handlers: dict[tuple[int, str], Callable[..., None]] = {
        (id(kind), name): handler for kind in BASES for name, handler in OPERATIONS[kind].items()
    }
    handlers[id(str), "join"] = lambda _run, _text, site, args: read_whole(args[0], site)

    def record(function: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> bool:
        owner = function.__self__
        if function is getattr and len(args) > 1 and type(args[1]) is str:
            read_attribute(args[0], args[1], sites.named(site, args[1]))
            return True
        if type(owner) is types.ModuleType:
            return not named and function not in _BY_NAME and are_plain(map(type, args))
        handler = None if named else handlers.get((id(type(owner)), function.__name__))
        if handler is not None:
            handler(run, owner, site, args)
        return handler is not None

    return record


def _made(run: EventSink, read_whole: _Whole) -> _Teller:
    """The function that records calls of classes."""
    plain = deep_access.PLAIN

    def record(kind: type, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> bool:
        own = (shapes.get(id(kind)) or shape_of(kind)).own
        how = own.get(_MAKING)
        if how is None:
            how = own[_MAKING] = _making(kind)
        if how > 0:
            given = [each for each in (*args, *named.values()) if type(each) not in plain]
            shallow = issubclass(kind, BaseException)  # as in calls.py
            if len(given) == 1 and not shallow:
                for _ in range(how):
                    read_whole(given[0], site)
            else:
                deep_access.read(run, given, site, shallow=shallow, times=how)
        return bool(how >= 0)

    return record


def _hold_nothing(args: tuple[Any, ...]) -> bool:
    """Whether these arguments are plain values, and tuples of such values."""
    plain = deep_access.PLAIN
    return all(
        type(each) in plain or (issubclass(type(each), tuple) and plain.issuperset(map(type, tuple.__iter__(each))))
        for each in args
    )


def _making(kind: Any) -> int:
    """How often making an object of this class reads its arguments, or `_ELSE`."""
    shape = shape_of(kind)
    called = next((each.__dict__["__call__"] for each in bases(type(kind)) if "__call__" in each.__dict__), None)
    if shape.base is not None or kind is type or kind is types.FunctionType or issubclass(kind, type):
        return _ELSE
    if issubclass(kind, (weakref.ref, weakref.finalize)) or (
        type(called) is types.FunctionType and not is_instrumented(called)
    ):
        return _ELSE
    if kind.__flags__ & 1 << 9 == 0 and not issubclass(kind, BaseException):
        return _ELSE  # calls.py may have rules for the builtin
    looks = 0
    for name in ("__new__", "__init__"):
        owner = next(each for each in bases(kind) if name in each.__dict__)
        found = owner.__dict__[name]
        function = found.__func__ if type(found) is staticmethod else found
        if type(function) is types.FunctionType:
            if not is_instrumented(function):
                return _ELSE
        elif owner is not object:
            if shape_of(owner).base is not None or issubclass(kind, BaseException) > issubclass(owner, BaseException):
                return _ELSE
            looks += 1
    return looks


__all__ = ["caller"]
