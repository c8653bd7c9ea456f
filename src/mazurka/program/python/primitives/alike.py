"""Threads that are alike: started by one thread, for calls of the same function with the same arguments.

Whichever of two such threads goes first, the other one would have done the same in its place (explore/symmetry.py).
That holds for Thread objects without a subclass or a ``run`` of their own: their functions are not given the Thread
object. Two arguments are the same if they are one object, or equal constants. Threads whose clocks differ at the start,
or that are given a context, are not alike; nor is a thread like one that has ended, of which no object may be left.
"""

from __future__ import annotations

import threading
from types import FunctionType, MethodType
from typing import Any, Final

from mazurka.program.python.primitives.contexts import INHERITS
from mazurka.program.python.primitives.run import Models
from mazurka.program.runtime.task import Task

_CONSTANTS: Final = frozenset({int, str, bytes, bool, float, type(None)})


def call_of(models: Models, thread: Any) -> tuple[Any, ...] | None:
    """A key for the call that a thread is about to be started for; None if it is like no other. Keys of two threads may
    be compared as long as the first one goes on, and so keeps its arguments."""
    space = thread.__dict__
    if type(thread) is not threading.Thread or "run" in space or INHERITS or space.get("_context") is not None:
        return None
    function, positional, named = space.get("_target"), space["_args"], space["_kwargs"]
    if function is None or type(positional) not in (tuple, list) or type(named) is not dict:
        return None
    parent = models.runtime.current
    key = parent.index, parent.clock, space["_daemonic"], _function(function), *map(_same, positional)
    return (*key, *[(name, _same(each)) for name, each in named.items()]) if named else key


def relate(models: Models, task: Task, call: tuple[Any, ...]) -> None:
    """Relate a thread that was started to the last one before it that is like it."""
    earlier = models.calls.get(call)
    models.calls[call] = task
    if earlier is not None and not earlier.done:
        models.runtime.relate(earlier, task)


def _function(function: Any) -> Any:
    if type(function) is MethodType:
        return _same(function.__self__), _function(function.__func__)
    if type(function) is not FunctionType or function.__dict__:
        return _same(function)
    defaults, closure, keywords = function.__defaults__, function.__closure__, function.__kwdefaults__
    if defaults is None and closure is None and keywords is None:
        return id(function.__code__), id(function.__globals__)
    return (
        id(function.__code__),
        id(function.__globals__),
        _same(defaults),
        *map(_same, closure or ()),
        *[(name, _same(each)) for name, each in (keywords or {}).items()],
    )


def _same(value: Any) -> Any:
    kind = type(value)
    if kind in _CONSTANTS:
        return kind, repr(value)  # 0.0 and -0.0 are equal
    if kind is tuple:
        return tuple(map(_same, value))
    return id(value)
