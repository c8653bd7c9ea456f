"""The hooks at operations that may be property events, which perform the operation themselves.

A hook first calls the ordinary hook of the operation, which may let other threads go first; then it performs the
operation, so that nothing can come between the step, the operation and its events. Events before an operation that is
one step are reported when it is over, which no other thread can distinguish. An operation that runs code of the
program, such as ``next`` of a generator, has its events before that code, and after it.

An instrumented function reports itself when it is entered and left, so calls of it are no events at the call.

Cost: some microseconds more than the operation, twenty with an event; nothing without properties, since no code calls
these hooks then.
"""

from __future__ import annotations

import _operator
import builtins
import gc
import sys
import types
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from mazurka.program.python import activation
from mazurka.program.python.instrument import sites
from mazurka.program.python.primitives.locks import Lock
from mazurka.program.python.property_events.callees import (
    CONSUMERS,
    CONSUMING,
    LAZY,
    access,
    describe,
    handed_on,
    is_entered,
    method,
    of_block,
)
from mazurka.program.python.property_events.emission import Emitter, marked
from mazurka.program.python.property_events.pointcuts import Described, Firing
from mazurka.program.python.semantics.iteration import second
from mazurka.program.python.semantics.objects import MISSING, peek_attribute
from mazurka.program.python.semantics.per_run import per_run
from mazurka.properties.property import PointcutKind

_hooks: Final = vars(builtins)

#: The properties that are active, or None.
active: Emitter | None = None

#: Operands of augmented assignments between their load and their store.
_augmented: Final[dict[tuple[int, int], tuple[Any, ...]]] = per_run({})

_GENERATORS: Final = (types.GeneratorType, types.AsyncGeneratorType, types.CoroutineType)


def activate(emitter: Emitter | None) -> None:
    """Hold the runs from now on to these properties."""
    global active
    active = emitter


# -- performing ------------------------------------------------------------------------------------------------------


def _mark() -> int:
    """The mark before an operation, and before its ordinary hook."""
    run = activation.active
    return marked(run) if run is not None and active is not None else 0


def _mark_before_store(described: list[Described]) -> int:
    """The mark before a store, whose value a pointcut may be about."""
    run = activation.active
    if run is None or active is None:
        return 0
    if run.is_recording:
        active.guard(run, described)
    return marked(run)


def _perform(
    described: list[Described],
    site: int,
    mark: int,
    is_one_step: bool,
    operation: Callable[..., Any],
    /,
    *args: Any,
    **named: Any,
) -> Any:
    """Perform an operation whose ordinary hook has been called since the mark, with its events."""
    run, emitter = activation.active, active
    if run is None or emitter is None:
        return operation(*args, **named)
    firings = [firing for each in described for firing in emitter.pointcuts.firings(each)]
    if not firings:
        return operation(*args, **named)
    before = emitter.begun(firings)
    if not is_one_step:
        emitter.emit(run, before, site, mark)
        before = []
    try:
        result = operation(*args, **named)
    except BaseException as error:
        if run.is_recording or not run.aborting:
            emitter.emit(run, before, site, mark)
            emitter.emit_end(run, firings, error, True, site, mark)
            _move(emitter, run)
        raise
    emitter.emit(run, before, site, mark)
    emitter.emit_end(run, firings, result, False, site, mark)
    _move(emitter, run)
    return result


def _move(emitter: Emitter, run: Any) -> None:
    if emitter.has_pairs and not run.is_recording:
        emitter.move(run)


def _stand(described: list[Described], site: int, can_wait: bool = False) -> None:
    """An operation is about to be made, and its ordinary hook has not been called yet."""
    run, emitter = activation.active, active
    if run is None or emitter is None or not emitter.has_pairs or run.is_recording:
        return
    emitter.stand(run, [firing for each in described for firing in emitter.pointcuts.firings(each)], site, can_wait)


def _is_in_steps(function: Any) -> bool:
    """Whether a callee may go on in several steps, or wait amid them: a method of a model of a primitive. Those of a
    lock that is not reentrant are one step: a thread that waits for it stands before that step."""
    inner = function.__func__ if type(function) is types.MethodType else function
    is_model = type(inner) is types.FunctionType and str(inner.__module__).startswith("mazurka.")
    return is_model and inner not in vars(Lock).values()


def _has_pairs() -> bool:
    return active is not None and active.has_pairs


def _is_one_step(function: Any, args: tuple[Any, ...]) -> bool:
    """Whether a call is one step: of a function in C that runs no generator, or of a model."""
    kind = type(function)
    if kind is types.MethodType:
        function = function.__func__
        kind = type(function)
    if kind is types.FunctionType:
        return str(function.__module__).startswith("mazurka.")
    if kind is types.BuiltinFunctionType or kind is types.MethodWrapperType:
        owner = function.__self__
        return type((*args, None)[0] if type(owner) is types.ModuleType else owner) not in _GENERATORS
    if isinstance(function, type):
        return not is_defined(function, "__init__") and not is_defined(function, "__new__")
    return not is_defined(kind, "__call__")


# -- calls -----------------------------------------------------------------------------------------------------------


def call(function: Any, site: int, announced: bool, /, *args: Any, **named: Any) -> Any:
    """``function(*args, **named)``."""
    if _has_pairs():
        _stand(describe(function, args, named), site, _is_in_steps(function))
    mark = _mark()
    if announced:
        called, *given = _hooks["__mz_cp__"](function, site, *args, **named)
        more: dict[str, Any] = {}
    else:
        called, given, more = function, list(args), named
    if active is None or activation.active is None:
        return called(*given, **more)
    result = _perform(describe(function, args, named), site, mark, _is_one_step(function, args), called, *given, **more)
    _goes_through(function, args, result, site, mark)
    return result


def _goes_through(function: Any, args: tuple[Any, ...], result: Any, site: int, mark: int) -> None:
    """A builtin has gone through its arguments, or will."""
    if isinstance(function, type) or type(function) in _HANDED_ON:
        if any(function is each for each in CONSUMERS):
            for each in args[:1]:
                _consumed(each, site, mark)
        elif any(function is each for each in LAZY):
            for each in _sources(result):
                if all(each is not thing for thing in args):
                    _begun(each, site, mark)
        elif type(function) is types.BuiltinFunctionType and function.__name__ in CONSUMING and args:
            for each in args:
                _consumed(each, site, mark)


def call_method(thing: Any, name: str, site: int, /, *args: Any, **named: Any) -> Any:
    """``thing.name(*args, **named)``."""
    if _has_pairs():
        found = peek_attribute(thing, name)
        bound = found.__get__(thing) if type(found) in _HANDED_ON and type(found) is not types.MethodType else found
        described = [*describe(bound, args, named), *handed_on(thing, name, args, named)]
        _stand(described if found is not MISSING else [], site, _is_in_steps(bound))
    mark = _mark()
    function = getattr(_hooks["__mz_m__"](thing, name, site, *args, **named), name)
    if active is None or activation.active is None:
        return function(*args, **named)
    described = [*describe(function, args, named), *handed_on(thing, name, args, named)]
    result = _perform(described, site, mark, _is_one_step(function, args), function, *args, **named)
    _goes_through(function, args, result, site, mark)
    return result


def taken(function: Any, site: int) -> Any:
    """A method or function is used as a value: calls of it by code that is not instrumented are not seen."""
    run, emitter = activation.active, active
    if run is None or emitter is None or type(function) not in _HANDED_ON:
        return function
    if type(function) in _UNBOUND:
        described = [Described(PointcutKind.CALL, function.__name__, function.__objclass__, None, (), {})]
    else:
        described = describe(function, (), {})
    if any(map(emitter.pointcuts.are_any, described)):
        _count(run, f"calls of {function.__qualname__}, which is used as a value, as events of properties", site)
    return function


_UNBOUND: Final = (types.MethodDescriptorType, types.WrapperDescriptorType)
_HANDED_ON: Final = frozenset(
    (*_UNBOUND, types.BuiltinFunctionType, types.MethodWrapperType, types.MethodType, types.FunctionType)
)


def unseen(site: int) -> None:
    """Operations may be events here that are not seen."""
    run = activation.active
    if run is not None and active is not None:
        _count(run, "operations that may be events of a property", site)


def _count(run: Any, words: str, site: int) -> None:
    where = sites.location(site)
    place = f"{words} at {where.file}:{where.line}" if where is not None else words
    run.untracked[place] = run.untracked.get(place, 0) + 1


# -- attributes and items --------------------------------------------------------------------------------------------


def get(thing: Any, name: str, site: int) -> Any:
    """``thing.name``."""
    described = [access(PointcutKind.GET, thing, name, (thing,))]
    _stand(described, site)
    mark = _mark()
    found = _hooks["__mz_ra__"](thing, name, site)
    return _perform(described, site, mark, is_plain_attribute(thing, name), getattr, found, name)


def is_plain_attribute(thing: Any, name: str) -> bool:
    """Whether an access to an attribute runs no code of the program."""
    kind = type(thing)
    if is_defined(kind, "__getattribute__") or is_defined(kind, "__getattr__"):
        return False
    found = next((vars(each)[name] for each in kind.__mro__ if name in vars(each)), None)
    return type(found) is not property


def item(thing: Any, key: Any, site: int) -> Any:
    """``thing[key]``."""
    _stand_special("__getitem__", thing, (thing, key), site)
    mark = _mark()
    _hooks["__mz_rp__"](thing, key, site)
    return _special("__getitem__", thing, (thing, key), site, mark, _operator.getitem, thing, key)


def _stand_special(name: str, thing: Any, operands: tuple[Any, ...], site: int) -> None:
    if _has_pairs() and not is_entered(type(thing), name):
        _stand([method(thing, name, operands)], site)


def _special(
    name: str,
    thing: Any,
    operands: tuple[Any, ...],
    site: int,
    mark: int,
    operation: Callable[..., Any],
    /,
    *args: Any,
    also: Sequence[Described] = (),
) -> Any:
    """An operation that is a special method, and ``also`` other calls; an instrumented one reports itself."""
    kind = type(thing)
    described = [] if is_entered(kind, name) else [method(thing, name, operands), *also]
    return _perform(described, site, mark, not is_defined(kind, name), operation, *args)


def is_defined(kind: type, name: str) -> bool:
    """Whether the program, or a library in Python, defines a special method of a class."""
    for each in kind.__mro__:
        found = vars(each).get(name)
        if found is not None:
            module = str(getattr(found, "__module__", each.__module__))  # a model's class has its original's
            return type(found) in _IN_PYTHON and not module.startswith("mazurka.")
    return False


_IN_PYTHON: Final = (types.FunctionType, staticmethod, classmethod, property)


class _Target:
    """Stands in for an object at the target of a store or deletion, which it performs."""

    __slots__ = ("site", "thing")

    def __init__(self, thing: Any, site: int) -> None:
        _set(self, "thing", thing)
        _set(self, "site", site)

    def __setattr__(self, name: str, value: Any) -> None:
        thing, site = _get(self, "thing"), _get(self, "site")
        described = [access(PointcutKind.SET, thing, name, (thing, value))]
        _stand(described, site)
        mark = _mark_before_store(described)
        _hooks["__mz_wa__"](thing, name, site)
        _perform(described, site, mark, is_plain_attribute(thing, name), setattr, thing, name, value)

    def __delattr__(self, name: str) -> None:
        thing, site = _get(self, "thing"), _get(self, "site")
        described = [access(PointcutKind.DELETE, thing, name, (thing,))]
        _stand(described, site)
        mark = _mark()
        _hooks["__mz_da__"](thing, name, site)
        _perform(described, site, mark, is_plain_attribute(thing, name), delattr, thing, name)

    def __setitem__(self, key: Any, value: Any) -> None:
        thing, site = _get(self, "thing"), _get(self, "site")
        _stand_special("__setitem__", thing, (thing, key, value), site)
        mark = _mark_before_store([method(thing, "__setitem__", (thing, key, value))])
        _hooks["__mz_wi__"](thing, key, site)
        _special("__setitem__", thing, (thing, key, value), site, mark, _operator.setitem, thing, key, value)

    def __delitem__(self, key: Any) -> None:
        thing, site = _get(self, "thing"), _get(self, "site")
        _stand_special("__delitem__", thing, (thing, key), site)
        mark = _mark()
        _hooks["__mz_dp__"](thing, key, site)
        _special("__delitem__", thing, (thing, key), site, mark, _operator.delitem, thing, key)


_set: Final = object.__setattr__
_get: Final = object.__getattribute__


def target(thing: Any, site: int) -> Any:
    """``thing`` in ``thing.name = value``, ``thing[key] = value`` or a deletion."""
    return _Target(thing, site)


def load_attribute(thing: Any, name: str, site: int) -> Any:
    """``thing.name`` of ``thing.name += value``."""
    _augmented[id(sys._getframe(1)), site] = (thing,)
    return get(thing, name, site)


def load_item(thing: Any, key: Any, site: int) -> Any:
    """``thing[key]`` of ``thing[key] += value``."""
    _augmented[id(sys._getframe(1)), site] = (thing, key)
    return item(thing, key, site)


def stored_in(site: int) -> Any:
    """The object whose attribute or item an augmented assignment stores."""
    return _Target(_augmented[id(sys._getframe(1)), site][0], site)


def stored_key(site: int) -> Any:
    """The key of the item that an augmented assignment stores."""
    return _augmented.pop((id(sys._getframe(1)), site))[1]


# -- operators -------------------------------------------------------------------------------------------------------


def contains(key: Any, thing: Any, site: int) -> bool:
    """``key in thing``."""
    _stand_special("__contains__", thing, (thing, key), site)
    mark = _mark()
    _hooks["__mz_inp__"](key, thing, site)
    return bool(_special("__contains__", thing, (thing, key), site, mark, _operator.contains, thing, key))


def combine(left: Any, right: Any, name: str, site: int) -> Any:
    """An operator or comparison; ``name`` is that of the function of `operator`."""
    _stand_special(f"__{name.strip('_')}__", left, (left, right), site)
    mark = _mark()
    _hooks["__mz_op__"](left, right, site)
    return _special(f"__{name.strip('_')}__", left, (left, right), site, mark, getattr(_operator, name), left, right)


def combine_in_place(left: Any, right: Any, name: str, site: int) -> Any:
    """An augmented assignment's operator, by the name of its function of `operator`."""
    mark = _mark()
    _hooks["__mz_ap__"](left, right, f"__{name}__", site)
    method_name = f"__{name}__" if hasattr(type(left), f"__{name}__") else f"__{name[1:]}__"
    return _special(method_name, left, (left, right), site, mark, getattr(_operator, name), left, right)


def tests(thing: Any, site: int) -> Any:
    """``thing`` is about to be tested for truth: its ``__bool__`` or ``__len__`` is called after this."""
    mark = _mark()
    _hooks["__mz_b__"](thing, site)
    kind = type(thing)
    for name in ("__bool__", "__len__"):
        if any(name in vars(each) for each in kind.__mro__):
            if not is_defined(kind, name):
                _perform([method(thing, name, (thing,))], site, mark, True, bool, thing)
            break
    return thing


# -- iteration -------------------------------------------------------------------------------------------------------


class _Steps:
    """An iterator that reports its steps as calls of ``__next__``; ``inner`` are the program's iterators behind it."""

    def __init__(self, steps: Iterator[Any], inner: list[Any], site: int) -> None:
        self._steps = steps
        self._inner = inner
        self._site = site

    def __iter__(self) -> _Steps:
        return self

    def __next__(self) -> Any:
        inner = self._inner
        described = [method(each, "__next__", (each,)) for each in inner if not is_entered(type(each), "__next__")]
        _stand(described, self._site)
        mark = _mark()
        is_one_step = not any(type(each) in _GENERATORS or is_defined(type(each), "__next__") for each in inner)
        return _perform(described, self._site, mark, is_one_step, next, self._steps)


def iterate(thing: Any, site: int) -> Any:
    """``thing`` is about to be iterated by a loop."""
    run = activation.active
    if run is None or active is None:
        return _hooks["__mz_it__"](thing, site)
    mark = _mark()
    steps = iter(_hooks["__mz_it__"](thing, site))
    inner = _behind(steps)
    if not is_entered(type(thing), "__iter__"):
        _perform([method(thing, "__iter__", (thing,))], site, mark, True, _constant, inner[0])
    return _Steps(steps, inner, site)


def _constant(thing: Any) -> Any:
    return thing


def _behind(steps: Any) -> list[Any]:
    """The iterator that a loop steps, without our wrapper, and those behind it."""
    if type(steps) is map and any(each is second for each in gc.get_referents(steps)):
        (sources,) = [each for each in gc.get_referents(steps) if type(each) is tuple]
        steps = sources[-1]
    return [steps, *_sources(steps)]


def _sources(steps: Any) -> list[Any]:
    """The iterators that an iterator of a builtin advances."""
    if type(steps) not in LAZY:
        return []
    parts = gc.get_referents(steps)
    parts += [each for part in parts if type(part) is tuple for each in part]
    return [each for part in parts if hasattr(type(part), "__next__") for each in _behind(part)]


def delegate(steps: Any, site: int) -> Any:
    """The operand of ``yield from``, which the ordinary hook has wrapped."""
    if active is None or activation.active is None or type(steps) in _GENERATORS or hasattr(type(steps), "send"):
        return steps
    mark = _mark()
    native = iter(steps)
    inner = [each for each in _behind(native) if type(each) not in LAZY] or [native]
    if inner[0] is not steps:
        _begun(inner[0], site, mark)
    return _Steps(native, inner, site)


def _begun(iterator: Any, site: int, mark: int) -> None:
    """An iterator has been made: a call of ``__iter__`` of the container behind it."""
    for container in gc.get_referents(iterator):
        if type(container) in _CONTAINERS:
            _perform([method(container, "__iter__", (container,))], site, mark, True, _constant, iterator)


_CONTAINERS: Final[frozenset[type]] = frozenset(
    {list, dict, set, frozenset, tuple, deque, type({}.keys()), type({}.values()), type({}.items())}
)


def go_through(thing: Any, site: int) -> Any:
    """All elements of ``thing`` are about to be read, in one step: it is unpacked."""
    mark = _mark()
    found = _hooks["__mz_us__"](thing, site)
    _consumed(thing, site, mark)
    return found


def _consumed(thing: Any, site: int, mark: int) -> None:
    """All elements of ``thing`` are read in one step: an iterator is made, and used up."""
    run, emitter = activation.active, active
    if run is None or emitter is None or type(thing) in (str, bytes, range):
        return
    kind = type(thing)
    if kind in _CONTAINERS or any(issubclass(kind, each) and not is_defined(kind, "__iter__") for each in _CONTAINERS):
        steps = iter(thing)
        _perform([method(thing, "__iter__", (thing,))], site, mark, True, _constant, steps)
        _perform([method(steps, "__next__", (steps,))], site, mark, True, _constant, None)
    elif hasattr(kind, "__next__"):
        for each in _behind(thing):
            if not is_entered(type(each), "__next__"):
                _perform([method(each, "__next__", (each,))], site, mark, True, _constant, None)
    elif not is_entered(kind, "__iter__"):
        described = (method(thing, "__iter__", (thing,)), method(thing, "__next__", (thing,)))
        if any(map(emitter.pointcuts.are_any, described)):
            _count(run, f"iterators over a {kind.__name__} that C code makes, as events of properties", site)


# -- managers --------------------------------------------------------------------------------------------------------


class _Manager:
    """Stands in for a context manager, whose methods it calls."""

    def __init__(self, thing: Any, site: int) -> None:
        self._thing = thing
        self._site = site

    def _stand(self, name: str, *operands: Any) -> None:
        kind = type(self._thing)
        if _has_pairs() and not is_entered(kind, name):
            described = [method(self._thing, name, operands), *of_block(self._thing, name)]
            _stand(described, self._site, _is_in_steps(getattr(kind, name)))

    def __enter__(self) -> Any:
        thing = self._thing
        self._stand("__enter__", thing)
        mark = _mark()
        also, enter = of_block(thing, "__enter__"), type(thing).__enter__
        return _special("__enter__", thing, (thing,), self._site, mark, enter, thing, also=also)

    def __exit__(self, *raised: object) -> Any:
        thing = self._thing
        self._stand("__exit__", thing, *raised)
        mark = _mark()
        also, leave = of_block(thing, "__exit__"), type(thing).__exit__
        return _special("__exit__", thing, (thing, *raised), self._site, mark, leave, thing, *raised, also=also)


def manage(thing: Any, site: int) -> Any:
    """``thing`` in ``with thing``."""
    kind = type(thing)
    if active is None or activation.active is None or not (hasattr(kind, "__enter__") and hasattr(kind, "__exit__")):
        return thing
    return _Manager(thing, site)


# -- functions -------------------------------------------------------------------------------------------------------


class _EnteredCall:
    """The time that a function is entered, until it is left; :data:`_open` has it meanwhile."""

    __slots__ = ("firings", "frame", "mark", "result", "site")

    def __init__(self, firings: list[Firing], frame: int, site: int) -> None:
        self.firings = firings
        self.frame = frame
        self.site = site
        self.mark = 0
        self.result: Any = None

    def __enter__(self) -> None:
        if self.firings:
            _open[self.frame] = self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if not self.firings:
            return
        if _open.get(self.frame) is self:
            del _open[self.frame]
        run, emitter = activation.active, active
        if run is None or emitter is None or (run.aborting and not run.is_recording):
            return
        result, self.result = (self.result if error is None else error), None
        emitter.emit_end(run, self.firings, result, error is not None, self.site, marked(run))


#: By identity of a frame the call that it executes.
_open: Final[dict[int, _EnteredCall]] = per_run({})

_NOTHING: Final = _EnteredCall([], 0, 0)


def enter(site: int, name: str, args: tuple[Any, ...], named: dict[str, Any], optional: int) -> _EnteredCall:
    """A function is entered, with its positional and other parameters; the result is a manager for its time."""
    run, emitter = activation.active, active
    if run is None or emitter is None:
        return _NOTHING
    frame = sys._getframe(1)
    code, module = frame.f_code, frame.f_globals.get("__name__", "?")
    described = [Described(PointcutKind.CALL, name, None, code, args, named, optional, module, False)]
    if args and (owner := _owner_of(args[0], code, name)) is not None:
        described.append(Described(PointcutKind.CALL, name, owner, None, args, named, optional, "", False))
    firings: list[Firing] = []
    for each in described:
        known = {id(firing.rule) for firing in firings}
        firings += [firing for firing in emitter.pointcuts.firings(each) if id(firing.rule) not in known]
    if not firings:
        return _NOTHING
    if emitter.has_pairs and not run.is_recording:
        emitter.stand(run, firings, site, False)
    emitter.emit(run, emitter.begun(firings), site, marked(run))
    _move(emitter, run)
    return _EnteredCall(firings, id(frame), site)


def _owner_of(first: Any, code: types.CodeType, name: str) -> type | None:
    """The class by which a function with this code is found as a method of an object, or of a class."""
    for kind in (first, type(first)):
        if isinstance(kind, type):
            for each in kind.__mro__:
                found = vars(each).get(name)
                inner: Any = found.__func__ if isinstance(found, (staticmethod, classmethod)) else found
                while type(inner) is types.FunctionType:
                    if inner.__code__ is code:
                        return kind
                    inner = inner.__dict__.get("__wrapped__")
    return None


def leave(value: Any) -> Any:
    """A function is about to return this value."""
    call = _open.get(id(sys._getframe(1)))
    if call is not None:
        call.result = value
    return value


HOOKS: Final[dict[str, Any]] = {
    "__mz_ev_call__": call,
    "__mz_ev_m__": call_method,
    "__mz_ev_taken__": taken,
    "__mz_ev_unseen__": unseen,
    "__mz_ev_get__": get,
    "__mz_ev_item__": item,
    "__mz_ev_to__": target,
    "__mz_ev_ga__": load_attribute,
    "__mz_ev_gi__": load_item,
    "__mz_ev_in_to__": stored_in,
    "__mz_ev_key__": stored_key,
    "__mz_ev_in__": contains,
    "__mz_ev_op__": combine,
    "__mz_ev_iop__": combine_in_place,
    "__mz_ev_b__": tests,
    "__mz_ev_it__": iterate,
    "__mz_ev_yf__": delegate,
    "__mz_ev_all__": go_through,
    "__mz_ev_with__": manage,
    "__mz_ev_fn__": enter,
    "__mz_ev_ret__": leave,
}
