"""The hooks at uses of objects: calls, operators, and builtins that read objects or containers.

:mod:`calls` and :mod:`operators` determine the accesses; an operation that may run code of the program is announced to
:mod:`reentrant`.
"""

from __future__ import annotations

import sys
from collections import deque
from functools import partial
from itertools import chain, starmap
from operator import itemgetter
from types import AsyncGeneratorType, CoroutineType, FunctionType, GeneratorType, MemberDescriptorType, MethodType
from typing import Any, Final
from weakref import finalize, ref

from mazurka.program.python import activation
from mazurka.program.python.instrument import sites
from mazurka.program.python.primitives.captured import REAL, model_of, replaced
from mazurka.program.python.semantics import (
    additions,
    attributes,
    calls,
    chained,
    classification,
    consulted,
    context_calls,
    deep_access,
    ends_of_objects,
    executed_code,
    native_objects,
    natives,
    operators,
    private_classes,
    raising,
    reentrant,
    untracked,
)
from mazurka.program.python.semantics.class_shapes import operation, shape_of
from mazurka.program.python.semantics.classification import CONTAINER, INSTANCE, NONE, classify
from mazurka.program.python.semantics.containers import GOING_THROUGH
from mazurka.program.python.semantics.gathering import is_seen
from mazurka.program.python.semantics.harmless import BUILTIN_METHODS
from mazurka.program.python.semantics.iteration import iterate
from mazurka.program.python.semantics.locations import perform
from mazurka.program.python.semantics.objects import peek_attribute
from mazurka.program.python.semantics.per_run import per_run
from mazurka.program.python.semantics.shapes import shapes
from mazurka.program.python.semantics.views import keys_only, view_of
from mazurka.program.runtime.concurrency import has_concurrent_threads


def method(thing: Any, name: str, site: int, /, *args: Any, **named: Any) -> Any:
    """``thing.name(*args, **named)`` is about to be called."""
    run = activation.active
    if run is None:
        return thing
    kind = type(thing)
    if id(kind) in REAL and not run.is_recording:
        thing = model_of(thing)
        kind = type(thing)
    if run.solo:
        return thing
    try:
        shape = shapes[id(kind)]
        how = shape.attributes[name]
    except KeyError:
        how = None  # not known yet
    if how is NONE:
        return thing
    if how is CONTAINER and not named and id(kind) in _USUAL and _are_values(args):
        natives.operation_of(run, thing, name, shape.operations[name], site, args)
        return thing
    called = calls.method(run, thing, name, site, args, named)
    if (args or named) and not context_calls.is_entering(thing, name):
        reentrant.count_silent(run, site, (*args, *named.values()))
    if called is not None:
        return _Found(called)
    return _Called(thing, site, computed=True) if classification.is_computed(thing, name) else thing


def method_of(thing: Any, name: str, site: int) -> Any:
    """``thing.name`` is about to be called with arguments that are not known yet: where only the call can be reported,
    this returns a stand-in that reports it."""
    run = activation.active
    if run is None:
        return thing
    kind = type(thing)
    if id(kind) in REAL and not run.is_recording:
        thing = model_of(thing)
        kind = type(thing)
    if run.solo:
        return thing
    try:
        how = shapes[id(kind)].attributes[name]
    except KeyError:
        how = classify(kind, name)
    if how is NONE and kind not in _REPORTED_AT_CALL and operation(thing, name) is None:
        return thing
    if how is INSTANCE:
        attributes.read(run, thing, name, site, how)
        found = peek_attribute(thing, name)
        inner = found.__func__ if type(found) is MethodType else found
        if type(inner) is FunctionType and inner.__code__.co_filename in sites.instrumented:
            return thing
    return _Called(thing, site, classification.is_computed(thing, name))


#: Identities of classes of containers whose methods, with plain values, have exactly the accesses that their handlers
#: report.
_USUAL = frozenset(map(id, (list, dict, deque, set)))


def _are_values(things: tuple[Any, ...]) -> bool:
    for each in things:  # `all` would take twice as long
        if type(each) not in operators.VALUES:
            return False
    return True


#: Classes whose methods read their arguments.
_REPORTED_AT_CALL = frozenset({str, bytes, super, MemberDescriptorType})


class _Found:
    """Stands in for an object whose attribute has been looked up already."""

    __slots__ = ("found",)

    def __init__(self, found: Any) -> None:
        self.found = found

    def __getattribute__(self, name: str) -> Any:
        return _own(self, "found")


class _Called:
    """Stands in for an object for as long as it takes to look up a method."""

    __slots__ = ("computed", "site", "thing")

    def __init__(self, thing: Any, site: int, computed: bool) -> None:
        self.thing = thing
        self.site = site
        self.computed = computed  # whether only a look-up shows the callee

    def __getattribute__(self, name: str) -> Any:
        thing, site, computed = _own(self, "thing"), _own(self, "site"), _own(self, "computed")
        function = getattr(thing, name)
        if computed and is_seen(function):
            return function

        def announced(*args: Any, **named: Any) -> Any:
            run = activation.active
            if run is not None and not run.solo:
                if computed:
                    calls.announce(run, function, site, args, named)
                else:
                    instead = calls.method(run, thing, name, site, args, named)
                    if context_calls.is_entering(thing, name):
                        return instead(*args, **named)
                called = _name_in_c(function) or name
                reentrant.count_silent(run, site, (*args, *named.values()), called in reentrant.GONE_THROUGH)
                args = reentrant.accompanied_by_state(run, site, called, args)
            try:
                return function(*args, **named)
            finally:
                del args, named  # otherwise an exception among them would be part of a cycle

        return announced


_own = object.__getattribute__


def _name_in_c(function: Any) -> str:
    """The name of a method in C, which an attribute may hold under another name, as in ``concat = "".join``; or ""."""
    if type(function) not in BUILTIN_METHODS:
        return ""
    name: str = function.__name__
    return reentrant.JOIN if name == "join" and type(function.__self__) in _TEXTS else name


#: Types whose method ``join`` iterates over its argument, and keeps no reference to it.
_TEXTS: Final = frozenset({str, bytes, bytearray})


def call(function: Any, site: int, /, *args: Any, **named: Any) -> Any:
    """``function(*args, **named)`` is about to be called; ``function`` may be any object."""
    run = activation.active
    if (function is exec or function is eval) and args:
        untracked.note_executed(args[0], args[1] if len(args) > 1 else sys._getframe(1).f_globals)
    if run is not None and not run.is_recording:
        function = replaced(function)
    if run is not None and (not run.solo or _is_reported_early(function)):
        calls.announce(run, function, site, args, named)
        reentrant.count_silent(run, site, (*args, *named.values()))
        if function is type:
            return private_classes.made_by(run, function, len(args))
        if type(function) is type and getattr(run, "replacing_runs_code", False):
            return ends_of_objects.maker(function)
    return function


def _is_reported_early(function: Any) -> bool:
    """Whether a call is reported even before there are threads, since its result, or an object that it exposes, is used
    without hooks."""
    return function is ref or function is vars or function is finalize or function is FunctionType


def is_own_method(method: MethodType) -> bool:
    """Whether a method is a function of the program, which announces its own accesses, under a name that says nothing
    about its arguments."""
    inner = method.__func__
    if type(inner) is not FunctionType or inner.__code__.co_filename not in sites.instrumented:
        return False
    return inner.__name__ not in reentrant.GONE_THROUGH and inner.__name__ not in GOING_THROUGH


def call_parts(function: Any, site: int, /, *args: Any, **named: Any) -> tuple[Any, ...]:
    """``function(*args, **named)`` is about to be called: returns function and arguments for `operator.call`."""
    run = activation.active
    if type(function) is MethodType and not named and is_own_method(function):
        return (function, *args)
    if (function is exec or function is eval) and args:
        args = executed_code.instrumented(function, args)
        untracked.note_executed(args[0], args[1] if len(args) > 1 else sys._getframe(1).f_globals)
    if run is not None and not run.is_recording:
        function = replaced(function)
    if run is not None and (not run.solo or _is_reported_early(function)):
        calls.announce(run, function, site, args, named)
        name = function.__name__ if type(function) is MethodType else _name_in_c(function)
        reentrant.count_silent(run, site, (*args, *named.values()), name in reentrant.GONE_THROUGH)
        if name in GOING_THROUGH:
            args = reentrant.accompanied(run, function.__self__, site, args)
        else:
            args = reentrant.accompanied_by_state(run, site, name, args)
        if function is type:
            function = private_classes.made_by(run, function, len(args))
        elif type(function) is type and getattr(run, "replacing_runs_code", False):
            function = ends_of_objects.maker(function)
    if named:
        return (partial(function, *args, **named),)
    return (function, *args)


def use(thing: Any, site: int) -> Any:
    """The whole content of ``thing`` is about to be read."""
    run = activation.active
    if run is not None and not run.solo:
        operators.use(run, thing, site)
    return thing


def consume(thing: Any, site: int) -> Any:
    """A builtin is about to iterate over ``thing``."""
    run = activation.active
    if run is None or run.solo:
        return thing
    kind = type(thing)
    if kind is tuple or kind is str:
        return thing  # they never change
    if kind is map or kind is filter or kind is starmap:  # they run code of the program on the way
        return iterate(thing, site)
    operators.consume(run, thing, site)
    return thing


def measure(thing: Any, site: int) -> Any:
    """The length of ``thing`` is about to be taken."""
    run = activation.active
    if run is not None and not run.solo:
        operators.measure(run, thing, site)
    return thing


def begin(thing: Any, site: int) -> Any:
    """An iterator over ``thing`` is about to be made."""
    run = activation.active
    if run is not None and not run.solo:
        operators.begin(run, thing, site)
    return thing


def begin_later(thing: Any, site: int) -> Any:
    """An iterator over ``thing`` is about to be made that is kept, and consumed later."""
    run = activation.active
    if run is not None and not run.solo and not run.is_recording and not hasattr(type(thing), "__next__"):
        operators.begin(run, thing, site)
    return thing


def contains(thing: Any, key: Any, site: int) -> Any:
    """``key in thing`` is about to be decided."""
    run = activation.active
    if run is None or run.solo:
        return thing
    handler = operation(thing, "__contains__")
    kind = type(thing)
    if (kind is dict or kind is set) and type(key) in operators.VALUES:  # hashed elements never change
        assert handler is not None
        perform(run, site, handler, thing, site, (key,))
    elif handler is not None:
        natives.operation_of(run, thing, "__contains__", handler, site, (key,))
    elif kind is str or kind is bytes or kind is range:
        operators.combine(run, key, thing, site)  # the key may be a bytearray, or compare itself
    elif kind is tuple or kind is frozenset:
        deep_access.read(run, [key, *deep_access.elements(thing)], site)
    else:
        shown = view_of(thing)
        if shown is None:
            operators.search(run, thing, key, site)
        if shown is not None and keys_only(thing):
            contains(shown, key, site)
        elif shown is not None:
            operators.consume(run, thing, site)
    return thing


def contains_pair(key: Any, thing: Any, site: int) -> tuple[Any, Any]:
    """``key in thing`` is about to be decided: returns both operands for `operator.contains`."""
    contains(thing, key, site)
    return thing, key


def raised(thing: Any, site: int) -> Any:
    """``thing`` is about to be raised: it keeps the place of the raise, and the exception that is being handled."""
    run = activation.active
    if run is not None and not run.solo:
        raising.raised(run, thing, site)
    return thing


def operand(thing: Any, site: int) -> Any:
    """The only operand that may be more than a plain value is about to be used."""
    run = activation.active
    if run is not None and not run.solo and type(thing) not in deep_access.PLAIN:
        operators.combine(run, thing, None, site)
    return thing


def operand_kept(thing: Any, site: int) -> Any:
    """``thing`` is about to be read, and again later without a hook."""
    run = activation.active
    if run is None or run.solo or type(thing) in deep_access.PLAIN:
        return thing
    operators.use(run, thing, site)
    if is_container(thing) and deep_access.reads_shared(run, (thing,), site) and has_concurrent_threads(run):
        untracked.count_untracked(run, f"{type(thing).__name__} looked at while other threads may change it", site)
    return thing


def is_container(thing: Any) -> bool:
    """Whether operators read the content of ``thing`` without a hook."""
    kind = type(thing)
    return (
        (kind is tuple or kind is frozenset) or shape_of(kind).base is not None or bool(native_objects.state_of(kind))
    )


def combine(right: Any, left: Any, site: int) -> Any:
    """Two operands are about to be compared or combined."""
    run = activation.active
    if run is not None and not run.solo and not (type(left) in deep_access.PLAIN and type(right) in deep_access.PLAIN):
        operators.combine(run, left, right, site)
    return right


def combine_pair(left: Any, right: Any, site: int) -> tuple[Any, Any]:
    """Two operands are about to be compared or combined: returns both."""
    run = activation.active
    if run is not None and not run.solo and not (type(left) in deep_access.PLAIN and type(right) in deep_access.PLAIN):
        operators.combine(run, left, right, site)
    return left, right


def augment(right: Any, left: Any, name: str, site: int) -> Any:
    """``left`` is about to be combined with ``right`` in place by method ``name``."""
    run = activation.active
    if run is not None and not run.solo and not (type(left) in deep_access.PLAIN and type(right) in deep_access.PLAIN):
        operators.augment(run, left, right, name, site)
        (right,) = reentrant.accompanied(run, left, site, (right,))
    return right


def augment_pair(left: Any, right: Any, name: str, site: int) -> tuple[Any, Any]:
    """``left`` is about to be combined with ``right`` in place by method ``name``: returns both."""
    run = activation.active
    if run is None or run.solo:
        return left, right
    if type(left) is int and type(right) is int:
        additions.note(run, name, site)
    elif not (type(left) in deep_access.PLAIN and type(right) in deep_access.PLAIN):
        operators.augment(run, left, right, name, site)
        (right,) = reentrant.accompanied(run, left, site, (right,))
    return left, right


def enter(manager: Any, site: int) -> Any:
    """``with manager`` is about to begin."""
    run = activation.active
    if run is None or run.is_recording:
        return manager
    kind = type(manager)
    if id(kind) in REAL:
        manager = model_of(manager)
        kind = type(manager)
    if run.solo:
        return manager
    try:
        known = shapes[id(kind)].attributes
        seen = known["__enter__"] is NONE and known["__exit__"] is NONE
    except KeyError:
        seen = classify(kind, "__enter__") is NONE and classify(kind, "__exit__") is NONE
    if seen:
        if _managed:
            _managed.pop((id(sys._getframe(1)), site), None)
        return manager
    _managed[id(sys._getframe(1)), site] = manager
    calls.method(run, manager, "__enter__", site, ())
    return manager


def leave(site: int) -> None:
    """... and to end, in any way."""
    if not _managed:
        return
    manager = _managed.pop((id(sys._getframe(1)), site), None)
    run = activation.active
    if manager is not None and run is not None and not run.solo and not run.aborting:
        calls.method(run, manager, "__exit__", site, (None, None, None))


#: Context managers in use that are in C, or not instrumented, by the frame and the site of their statement.
_managed: dict[tuple[int, int], Any] = per_run({})


def decorator(function: Any, site: int) -> Any:
    """``function`` is about to be called with the object of a definition."""
    run = activation.active
    if run is None or run.solo or run.is_recording or is_seen(function):
        return function

    def decorated(thing: Any) -> Any:
        calls.announce(run, function, site, (thing,), {})
        return function(thing)

    return decorated


def yielding(value: Any, site: int) -> Any:
    """A generator is about to yield ``value``."""
    run = activation.active
    if run is not None and not run.solo:
        frame = sys._getframe(1)
        consulted.given(run, frame.f_code, value)
        chained.yielded(run, frame, value)
        native_objects.leaves(run, frame, site)
    return value


#: Types of objects that `await`, or ``async for``, runs itself.
_AWAITED = frozenset({CoroutineType, GeneratorType, AsyncGeneratorType})


def awaits(thing: Any, site: int) -> Any:
    """``thing`` is about to be awaited, or iterated over by ``async for``."""
    run = activation.active
    if run is not None and not run.solo and not run.is_recording and type(thing) in _AWAITED:
        native_objects.drive(run, thing, site)
    return thing


def yield_from(things: Any, site: int) -> Any:
    """A generator is about to yield the elements of another one, or of any iterable."""
    run = activation.active
    if run is None or run.is_recording:
        return things
    frame = sys._getframe(1)
    kind = type(things)
    if kind is GeneratorType:
        native_objects.delegate(frame, things)
        if not run.solo:
            native_objects.drive(run, things, site)
        return things
    if kind is CoroutineType or (native_objects.is_in_python(kind) and shape_of(kind).base is None):
        return things
    return map(itemgetter(0), zip(iterate(things, site), _leaving(frame, site), strict=False))


def _leaving(frame: Any, site: int) -> Any:
    """Ticks, each of which follows an element that the generator of a frame is about to yield."""
    while True:
        run = activation.active
        if run is not None and not run.solo:
            native_objects.leaves(run, frame, site)
        yield None


def yielded(things: Any, site: int) -> Any:
    """The iterable of a generator expression: at its end, the generator ends."""
    run = activation.active
    if run is None or run.is_recording:
        return things
    return chain(things, _at_end(site))


def _at_end(site: int) -> Any:
    run = activation.active
    if run is not None and not run.solo:
        frame = sys._getframe(1)  # the expression's: `chain` has none
        native_objects.leaves(run, frame, site)
    yield from ()
