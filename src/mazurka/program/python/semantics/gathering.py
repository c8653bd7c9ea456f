"""The accesses of calls that a function in C is about to make: for instance, of a key function in C for each element.

The rules of :mod:`calls` pass steps to the runtime. Here they pass them to a stand-in that keeps the accesses, so that
these become part of the one step of the function in C. A function that is instrumented reports its own steps.

Cost: that of announcing each call; no more than :data:`_MOST` are looked at one by one.
"""

from __future__ import annotations

import copy
import functools
import gc
import types
from collections import deque
from collections.abc import Callable
from itertools import accumulate, dropwhile, filterfalse, groupby, islice, starmap, takewhile
from operator import attrgetter, itemgetter
from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python import activation
from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics import harmless, native_objects
from mazurka.program.python.semantics.harmless import BUILTIN_METHODS
from mazurka.program.python.semantics.locations import bases, perform
from mazurka.trace.event import Op

#: Elements beyond these are taken to be like them.
_MOST: Final = 64

#: Types that can be looked at without using them up or running code of the program.
_PEEKED: Final = frozenset({list, tuple, str, bytes, dict, set, frozenset, range, deque})

#: Iterators whose copies go on from the same position.
_COPIED: Final = frozenset(map(type, (iter([]), iter(()), iter(range(0)), iter(""), iter({}), iter({}.items()))))

_CALLABLE_ITERATOR: Final = type(iter(int, 1))

#: Iterators that call a function for each element.
CALLING: Final = frozenset(
    (map, filter, accumulate, dropwhile, filterfalse, groupby, starmap, takewhile, _CALLABLE_ITERATOR)
)

#: The type of `functools.cmp_to_key`'s result: its call makes a key, which keeps its argument and calls no code.
KEY_MAKER: Final = type(functools.cmp_to_key(lambda one, other: 0))

#: Types that hold a function and call it: `functools.partial`, and the keys of `functools.cmp_to_key`.
_HOLDING: Final = (functools.partial, KEY_MAKER)

#: Functions that read their argument itself, if at all, and no other object.
_SIMPLE: Final = (len, repr, ord, chr, abs, hash, id, callable, bin, hex, oct, round, ascii)


class AccessCollector:
    """Stands in for the runtime: keeps the accesses of steps, and lets no other thread go first."""

    is_recording = False
    keyed = False
    aborting = False
    solo = False

    def __init__(self, running: Any) -> None:
        self.accesses: list[Access] = []
        self.value: Any = None  # the value that comes with the first access
        self.detail = False
        self.points: frozenset[int] = frozenset()
        self.touched = running.touched
        self.current = running.current
        self.live = running.live
        self.tasks = running.tasks
        self.sharing = running.sharing
        self.private: dict[int, Any] = {}
        self.leaves_out_private = self.leaves_out_own = False
        self.log = running.log
        self.ends = running.ends
        self.names: dict[Any, str] = {}
        self.additions: set[int] = set()  # not the run's: the last step is an earlier one
        self.untracked = running.untracked
        self.uncontrolled = running.uncontrolled

    def shows(self, _site: int) -> bool:
        """Like the runtime's method: the step may be a point."""
        return True

    def visit(
        self, op: Op, target: Any, _site: int, value: Any = None, more: tuple[Access, ...] = (), _point: Any = None
    ) -> None:
        """Like the runtime's method, but without a step: the access is added to those of the operation."""
        if not self.accesses:
            self.value = value
        self.accesses.append(Access(op, target))
        self.accesses += more


def in_one_step(run: Any, site: int, *parts: Callable[[Any], object]) -> None:
    """Pass one step with the accesses of several parts: each part is called with a collector in place of the run."""
    perform(run, site, pass_together, site, parts)


def pass_together(run: Any, site: int, parts: tuple[Callable[[Any], object], ...]) -> None:
    """Pass one step with the accesses of several parts, within the report of a step: the report is repeated if other
    threads move before the step."""
    gathered = AccessCollector(run)
    gathered.detail, gathered.names = run.detail, run.names
    for part in parts:
        part(gathered)
    if gathered.accesses:
        first, *more = dict.fromkeys(gathered.accesses)
        for each in more if run.detail else ():
            run.names.setdefault(each.target, "")
        run.visit(first.op, first.target, site, gathered.value, tuple(more))


def effects_of_calls(
    announce: Callable[..., None], function: Any, elements: Any, site: int, pairs: bool = False
) -> tuple[Access, ...]:
    """The accesses of calls of a function in C for each of some elements. ``pairs``: each call also gets the result of
    the one before, as in `reduce`."""
    running = activation.active
    if running is None or function is None or running.is_recording or is_seen(function):
        return ()
    stand_in = AccessCollector(running)
    if type(elements) in _COPIED:
        elements = _to_come(elements)
    elif type(elements) not in _PEEKED:
        _call_with_anything(stand_in, announce, function, site, 2 if pairs else 1, type(elements).__name__)
        return tuple(dict.fromkeys(stand_in.accesses))
    for each in islice(elements, _MOST):
        announce(stand_in, function, site, (each, each) if pairs else (each,), {})
    return tuple(dict.fromkeys(stand_in.accesses))


def _to_come(iterator: Any) -> list[Any]:
    """The next elements of an iterator in C, found without moving it."""
    try:
        return list(islice(copy.copy(iterator), _MOST))
    except RuntimeError:  # its container has changed: the iterator raises the same error before it calls any function
        return []


def effects_of_moving(announce: Callable[..., None], iterator: Any, site: int) -> tuple[Access, ...]:
    """The accesses of an iterator in C by the function in C that it calls for each element. An element that can't be
    looked at beforehand may be any object: then only functions are known that look at no other object."""
    if id(iterator) in _under_way:  # the iterator is an element of its own iterable
        return ()
    _under_way.add(id(iterator))
    try:
        return _effects_of_moving(announce, iterator, site)
    finally:
        _under_way.discard(id(iterator))


_under_way: Final[set[int]] = set()


def _effects_of_moving(announce: Callable[..., None], iterator: Any, site: int) -> tuple[Access, ...]:
    running = activation.active
    parts = [each for each in gc.get_referents(iterator) if each is not type(iterator)]
    functions = [each for each in parts if callable(each) and not hasattr(type(each), "__next__")]
    if running is None or running.is_recording or not functions or is_seen(functions[0]):
        return ()
    function, stand_in = functions[0], AccessCollector(running)
    behind = [inner for each in parts for inner in (each if type(each) is tuple else (each,))]
    over = [each for each in behind if each is not function and hasattr(type(each), "__next__")]
    if type(iterator) is _CALLABLE_ITERATOR:
        announce(stand_in, function, site, (), {})
    elif over and all(type(each) in _COPIED for each in over):
        for each in zip(*map(_to_come, over), strict=False):
            args = (*each, *each) if type(iterator) is accumulate else each
            if type(iterator) is starmap and type(each[0]) in (tuple, list):
                args = tuple(each[0])
            announce(stand_in, function, site, args, {})
    else:
        _call_with_anything(stand_in, announce, function, site, max(len(over), 1), type(iterator).__name__)
    return tuple(dict.fromkeys(stand_in.accesses))


def _call_with_anything(
    stand_in: AccessCollector, announce: Callable[..., None], function: Any, site: int, count: int, over: str
) -> None:
    """A function in C is called with arguments that can't be looked at beforehand."""
    if type(function) in BUILTIN_METHODS and not isinstance(function.__self__, types.ModuleType):
        announce(stand_in, function, site, (None,) * count, {})
    elif not is_simple(function):
        text = f"{getattr(function, '__name__', type(function).__name__)}(), called for the elements of a {over}"
        stand_in.untracked[text] = stand_in.untracked.get(text, 0) + 1


def is_simple(function: Any) -> bool:
    """Whether a function only reads its argument itself, if at all, or reports its own steps."""
    kind = type(function)
    if is_seen(function) or (kind is itemgetter or kind is attrgetter) or any(function is each for each in _SIMPLE):
        return True
    if kind in _HOLDING:
        held = [each for each in gc.get_referents(function) if callable(each) and each is not kind]
        return bool(held) and all(is_simple(each) for each in held)
    if issubclass(kind, type):
        return harmless.is_harmless_type(function) or native_objects.is_ours(function)
    if kind is types.MethodDescriptorType:
        return harmless.is_harmless_type(function.__objclass__)
    called = next((each.__dict__["__call__"] for each in bases(kind) if "__call__" in each.__dict__), None)
    return type(called) is types.FunctionType and is_seen(called)


def gives_containers(key: Any) -> bool:
    """Whether the results of a key function may be containers inside of its arguments, which are then compared: true if
    it is neither instrumented nor one of the simple ones, or if it gets attributes."""
    return key is not None and not is_seen(key) and (type(key) is attrgetter or not is_simple(key))


def is_seen(function: Any) -> bool:
    """Whether a function is instrumented, and reports its own steps."""
    inner = function.__func__ if type(function) is types.MethodType else function
    if type(inner) is types.FunctionType:  # no class can derive from it
        return inner.__code__.co_filename in sites.instrumented
    return False
