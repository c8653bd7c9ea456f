"""Functions in C that code which is not instrumented may call because an object that it has leads to them.

A function has the objects in its closure; a function that was made from a text has the values of the globals that it
names; an object of a class that is not instrumented (an `ExitStack`, a `finalize`) has its attributes. Containers,
partials and other such functions lead further; functions that are instrumented report their own steps.

Cost: a microsecond for a function without a closure.
"""

from __future__ import annotations

import functools
import gc
import types
import weakref
from collections import deque
from typing import Any, Final

from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics import native_objects
from mazurka.program.python.semantics.harmless import BUILTIN_METHODS, is_transparent
from mazurka.program.python.semantics.objects import is_a

#: How many objects are looked at for one call.
_MOST: Final = 200


def methods_in_c(function: types.FunctionType, given: tuple[Any, ...]) -> list[Any]:
    """The bound methods in C that a call leads to: by its function, or by the object that it is a method of."""
    waiting = _behind_function(function)
    if given and not is_a(given[0], type) and _is_of_class(function, type(given[0])):
        waiting += _behind_object(given[0])
    return _methods_behind(waiting, function)


def _is_of_class(function: types.FunctionType, kind: type) -> bool:
    """Whether a function may be a method of a class, by the module of both, that does not report its own steps. What
    `contextmanager` and its like make only passes its arguments on to the function that it wraps."""
    while is_transparent(function) and type(inner := function.__dict__.get("__wrapped__")) is types.FunctionType:
        function = inner
    return function.__module__ == kind.__module__ and function.__code__.co_filename not in sites.instrumented


def called_by(thing: Any) -> list[Any]:
    """The callables that the code of a function names, if it was made from a text for a class of the program, or that
    the closure of a function, or an object, holds."""
    if is_a(thing, types.FunctionType):
        held = _behind_function(thing)
    else:
        held = native_objects.attributes_of(thing)
    return [each for part in held for each in (part if type(part) is tuple else (part,)) if callable(each)]


def methods_held(thing: Any) -> list[Any]:
    """The bound methods in C that an object in C leads to, which it may call."""
    return _methods_behind(gc.get_referents(thing), thing)


def _methods_behind(waiting: list[Any], start: Any) -> list[Any]:
    found: list[Any] = []
    seen: set[int] = set()
    while waiting and len(seen) < _MOST:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        kind = type(each)
        if kind in BUILTIN_METHODS or kind is types.MethodWrapperType:
            if each.__self__ is not None and not is_a(each.__self__, (types.ModuleType, type)):
                found.append(each)
        elif kind is types.MethodType and type(each.__func__) is not types.FunctionType:
            found.append(each)
        else:
            waiting += _further(each, kind)
    if waiting:
        native_objects.count_cut(start)
    return found


def _further(thing: Any, kind: type) -> list[Any]:
    """The objects that an object directly refers to."""
    if kind is types.FunctionType:
        return _behind_function(thing)
    if kind is types.MethodType:
        return [thing.__func__]
    if is_a(thing, functools.partial):
        return [thing.func, *thing.args, *thing.keywords.values()]
    if kind is functools.partialmethod:
        return [thing.func, *thing.args, *thing.keywords.values()]
    if kind is tuple or kind is list or kind is deque:
        return [*thing]
    if kind is dict or kind is types.MappingProxyType:
        return [*thing.values()]
    return native_objects.attributes_of(thing) if native_objects.state_of(kind) is native_objects.FOREIGN else []


def _behind_function(function: types.FunctionType) -> list[Any]:
    code = function.__code__
    if code.co_filename in sites.instrumented:
        return []
    found = [cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)]
    if code.co_filename.startswith("<") and not code.co_filename.startswith("<frozen"):
        space = function.__globals__
        found += [space[name] for name in code.co_names if name in space]
    return found


def _is_filled(cell: types.CellType) -> bool:
    try:
        return bool([cell.cell_contents])
    except ValueError:
        return False


def _behind_object(thing: Any) -> list[Any]:
    if is_a(thing, weakref.finalize):
        info: Any = weakref.finalize._registry.get(thing)  # type: ignore[attr-defined]
        return [info.func, info.args, info.kwargs] if info is not None else []
    return native_objects.attributes_of(thing)
