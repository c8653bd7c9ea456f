"""The hooks at what is done with objects: calls, operators, and builtins that look at or into containers.

What a call or an operator reads and writes is decided in :mod:`calls`; an operation that may run code of the program on
its way is announced to :mod:`amid`.
"""

from __future__ import annotations

from functools import partial
from types import BuiltinMethodType, MethodType
from typing import Any

from mazurka.program.python import amid, calls, kernel
from mazurka.program.python.containers import GOING_THROUGH, operation, read_all
from mazurka.program.python.iteration import iterate
from mazurka.program.python.locations import perform
from mazurka.program.python.views import keys_only, view_of


def method(thing: Any, name: str, site: int, *args: Any) -> Any:
    """``thing.name(*args)`` is about to be called, ``name`` being a method that containers have."""
    run = kernel.active
    if run is None or run.solo:
        return thing
    calls.method(run, thing, name, site, args)
    return thing


def call(function: Any, site: int, /, *args: Any, **named: Any) -> Any:
    """``function(*args, **named)`` is about to be called; it may be anything."""
    run = kernel.active
    if run is not None and not run.solo:
        calls.announce(run, function, site, args, named)
        amid.count_silent(run, site, (*args, *named.values()))
    return function


def call_parts(function: Any, site: int, /, *args: Any, **named: Any) -> tuple[Any, ...]:
    """The same, handing on function and arguments for `operator.call`."""
    run = kernel.active
    if run is not None and not run.solo:
        calls.announce(run, function, site, args, named)
        amid.count_silent(run, site, (*args, *named.values()))
        if type(function) in (BuiltinMethodType, MethodType) and function.__name__ in GOING_THROUGH:
            args = amid.accompanied(run, function.__self__, site, args)
    if named:
        return (partial(function, *args, **named),)
    return (function, *args)


def use(thing: Any, site: int) -> Any:
    """All of ``thing`` is about to be looked at."""
    run = kernel.active
    if run is not None and not run.solo:
        calls.use(run, thing, site)
    return thing


def consume(thing: Any, site: int) -> Any:
    """A builtin is about to go through ``thing``."""
    run = kernel.active
    if run is None or run.solo:
        return thing
    if type(thing) in (map, filter):  # they run code of the program on the way
        return iterate(thing, site)
    calls.go_through(run, thing, site)
    return thing


def measure(thing: Any, site: int) -> Any:
    """The length of ``thing`` is about to be taken."""
    run = kernel.active
    if run is not None and not run.solo:
        calls.measure(run, thing, site)
    return thing


def begin(thing: Any, site: int) -> Any:
    """An iterator over ``thing`` is about to be made."""
    run = kernel.active
    if run is not None and not run.solo:
        calls.begin(run, thing, site)
    return thing


def contains(thing: Any, key: Any, site: int) -> Any:
    """``key in thing`` is about to be decided."""
    run = kernel.active
    if run is None or run.solo:
        return thing
    handler = operation(thing, "__contains__")
    if handler is not None:
        perform(run, site, handler, thing, site, (key,))
    else:
        shown = view_of(thing)
        if shown is not None and keys_only(thing):
            contains(shown, key, site)
        elif shown is not None:
            read_all(run, shown, site)
    return thing


def contains_pair(key: Any, thing: Any, site: int) -> tuple[Any, Any]:
    """The same, handing on both for `operator.contains`."""
    contains(thing, key, site)
    return thing, key


def combine(right: Any, left: Any, site: int) -> Any:
    """Two operands are about to be compared or combined."""
    run = kernel.active
    if run is not None and not run.solo:
        calls.combine(run, left, right, site)
    return right


def combine_pair(left: Any, right: Any, site: int) -> tuple[Any, Any]:
    """The same, handing on both."""
    run = kernel.active
    if run is not None and not run.solo:
        calls.combine(run, left, right, site)
    return left, right


def augment(right: Any, left: Any, name: str, site: int) -> Any:
    """``left`` is about to be combined with ``right`` in place by method ``name``."""
    run = kernel.active
    if run is not None and not run.solo:
        calls.augment(run, left, right, name, site)
        (right,) = amid.accompanied(run, left, site, (right,))
    return right


def augment_pair(left: Any, right: Any, name: str, site: int) -> tuple[Any, Any]:
    """The same, handing on both."""
    run = kernel.active
    if run is not None and not run.solo:
        calls.augment(run, left, right, name, site)
        (right,) = amid.accompanied(run, left, site, (right,))
    return left, right
