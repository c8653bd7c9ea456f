"""Calls of functions with a cache (`functools.lru_cache`), which are in C: each result is a location of its own.

A call looks its arguments up, computes the result if it is not there, and stores it. The look-up is a step, which the
hook of the call passes; it reads the location of these arguments. Whether there is a result is seen in the dictionary
that the function in C keeps. The store is a step, too, passed by a function that stands between the cache and the
function of the program: other threads may go before it.

Some calls take the whole cache for one location, which each call changes:

- of functions that were made before the program was loaded, without a function between them and their cache;
- with arguments whose equality the program defines, or that the hook was not given;
- all, once results are thrown out (`maxsize`), or the numbers of hits and misses are looked at. This is learnt: such a
  run has to be made again.

Calls of a function that only computes (:mod:`.pure_functions`), with plain arguments, are no steps: whether a result is
in the cache makes no difference then, but for time and the depth of the stack. So that a thread does the same in each
run, each thread has the results that it has computed itself, for ever. That the function passes no step, raises no
error, returns a plain value and does not call itself too deeply is checked where a thread computes a result; if one of
these fails, this is learnt, too. Since each thread computes each of its results once in each run, no run misses it.

Cost: two microseconds for a call by several threads.
"""

from __future__ import annotations

import functools
import gc
import types
import weakref
from typing import Any, Final
from zlib import crc32

from mazurka.program.protocol import Access
from mazurka.program.python import activation
from mazurka.program.python.semantics import foreign, objects, pure_functions
from mazurka.program.python.semantics.gathering import AccessCollector, is_seen
from mazurka.program.python.semantics.keys import UNKNOWN, is_quiet, key_of
from mazurka.program.python.semantics.objects import number
from mazurka.trace.event import Op
from mazurka.trace.targets import OBJECT, Kind, of_kinds

#: The class of functions that `lru_cache` makes.
CACHED: Final = type(functools.lru_cache(abs))

_RESULT: Final = Kind.CACHED.tag

_is_name: Final = of_kinds(Kind.CELL, Kind.GLOBAL)

#: Stands for the arguments of a call of a function that only computes.
_COMPUTES: Final = object()

#: Whether calls of functions count in this run, whatever they do: the program is held to properties.
_counts = False

#: A function that only computes may call itself so deeply: a result that is thrown out takes further calls.
_DEEPEST: Final = 40

_real: Final[Any] = vars(functools)["_lru_cache_wrapper"]

#: The caches by identity of their functions. They are forgotten when the functions die.
_caches: Final[dict[int, _Cache]] = {}
_watched: Final[dict[int, Any]] = {}


class _Cache:
    """The state of a cache: a few attributes of the function in C, and the calls under way."""

    __slots__ = (
        *("asked", "computed", "depths", "function", "mark", "maxsize", "owner", "results", "separator", "site"),
        *("steps", "typed", "under_way"),
    )

    def __init__(self, owner: Any, function: Any, maxsize: int | None, typed: bool) -> None:
        parts = gc.get_referents(owner)  # the function is new, so its only dictionary is that of the results
        self.owner = weakref.ref(owner)
        self.results: dict[Any, Any] = next(each for each in parts if type(each) is dict)
        self.separator: Any = next((each for each in parts if type(each) is object), None)
        self.maxsize = maxsize
        self.typed = typed
        digest = crc32(f"{function.__module__}.{function.__qualname__}".encode())
        self.mark = -1 - (digest | 1 << 38)
        self.steps = -1 - (digest | 1 << 41)  # the mark that calls are steps
        self.function = function
        self.computed: dict[int, dict[tuple[Any, ...], Any]] = {}  # by thread: results of a function that only computes
        self.depths: dict[tuple[Any, ...], int] = {}  # of its calls of itself, by arguments
        self.under_way: dict[int, list[int]] = {}  # by thread: these, so far, of calls that have not ended
        self.site = 1 << 59 | digest  # of calls that no hook has seen
        self.asked: dict[int, tuple[Any, int]] = {}  # thread -> the key that it looked up last, and the site of that

    def key(self, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, Any] | None:
        """The key of the arguments, and its representative in targets; None if it is not known."""
        given = (*args, *named.values())
        if not all(map(is_quiet, given)):
            return None
        stands_for = key_of((args, tuple(named.items()), tuple(map(type, given)) if self.typed else ()))
        if stands_for == UNKNOWN:
            return None
        if named and self.separator is None:
            return None
        if not named and not self.typed and len(args) == 1 and type(args[0]) in (int, str):
            return args[0], stands_for
        stored: list[Any] = [*args]
        if named:
            stored += [self.separator, *[part for item in named.items() for part in item]]
        if self.typed:
            stored += [type(each) for each in given]
        return tuple(stored), stands_for

    def is_whole(self, run: Any) -> bool:
        """Whether the cache counts as one location, or does from now on."""
        if self.mark in run.points or self.maxsize == 0:
            return True
        if self.maxsize is not None and len(self.results) >= self.maxsize:
            run.need_points(self.mark)
            return True
        return False

    def computes(self, run: Any, owner: Any) -> bool:
        """Whether calls are no steps, as far as is known."""
        if _counts or self.steps in run.points or self.mark in run.points:
            return False
        return pure_functions.is_pure(self.function, owner) and not objects.compares_identities()

    def compute(self, run: Any, args: tuple[Any, ...]) -> Any:
        """Compute a result in the running thread, and check that nobody notices."""
        me, before = run.current.index, len(run.log)
        calls = self.under_way.setdefault(me, [])
        calls.append(0)
        try:
            result = self.function(*args)
        except BaseException:
            if not run.aborting:
                run.need_points(self.steps)
            raise
        finally:
            depth = 1 + calls.pop()
        self.computed.setdefault(me, {})[args] = result
        self.depths[args] = depth
        self.enter(me, depth)
        reads = all(entry[0] == me and entry[1] is Op.READ and _is_name(entry[2]) for entry in run.log[before:])
        if not reads or depth > _DEEPEST or not (type(result) in pure_functions.PLAIN or type(result) is bool):
            run.need_points(self.steps)
        return result

    def enter(self, me: int, depth: int) -> None:
        """A call of this depth has been made by the call under way."""
        if calls := self.under_way.get(me):
            calls[-1] = max(calls[-1], depth)


def _is_plain(args: tuple[Any, ...], named: dict[str, Any]) -> bool:
    return not named and all(type(each) in pure_functions.PLAIN for each in args)


def _make(function: Any, maxsize: int | None, typed: bool, info: Any) -> Any:
    """The function that `lru_cache` makes of another, with the step of the store if the function is instrumented."""
    if not is_seen(function):
        return _real(function, maxsize, typed, info)

    def compute(*args: Any, **named: Any) -> Any:
        run = activation.active
        if run is None or run.solo or run.is_recording:
            return function(*args, **named)
        asked = cache.asked.pop(run.current.index, None)
        if _is_plain(args, named) and args in cache.computed.get(run.current.index, ()):
            return cache.computed[run.current.index][args]
        if asked is not None and asked[0] is _COMPUTES:
            return cache.compute(run, args)
        if (owner := cache.owner()) is not None and cache.computes(run, owner):
            run.need_points(cache.steps)  # no hook has seen the call, or its arguments
        result = function(*args, **named)
        _store(run, cache, asked, args, named)
        return result

    made = _real(compute, maxsize, typed, info)
    cache = _Cache(made, function, maxsize, typed)
    key = id(made)
    _caches[key] = cache
    _watched[key] = weakref.ref(made, lambda _dead: (_caches.pop(key, None), _watched.pop(key, None)))
    return made


def install() -> None:
    """Have the functions that are given a cache from now on pass steps."""
    vars(functools)["_lru_cache_wrapper"] = _make


def uninstall() -> None:
    """Make functions with a cache as Python does from now on."""
    vars(functools)["_lru_cache_wrapper"] = _real


def look_up(run: Any, owner: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """A function with a cache is about to be called. Returns whether the cached function may be called."""
    cache = _caches.get(id(owner))
    if cache is None:
        inner = objects.dictionary(owner).get("__wrapped__")
        if type(inner) is types.FunctionType and not is_seen(inner) and foreign.is_plain_reader(inner):
            run.current.silent += 1  # its result follows from its arguments
        else:
            run.visit(Op.RMW, (OBJECT, number(owner)), site)
        return True
    if not run.is_recording and type(run) is not AccessCollector and cache.computes(run, owner):
        if _is_plain(args, named):
            return _look_up_computed(run, cache, owner, site, args)
        run.need_points(cache.steps)
    whole = (OBJECT, number(owner))
    key = None if run.is_recording or type(run) is AccessCollector else cache.key(args, named)
    if key is None or cache.is_whole(run):
        cache.asked[run.current.index] = (None, site)
        run.visit(Op.RMW, whole, site)
        return True
    stored, stands_for = key
    target = (_RESULT, number(owner), stands_for)
    _label(run, target, owner)
    cache.asked[run.current.index] = (stands_for, site)
    run.visit(Op.READ, target, site, None, (Access(Op.READ, whole),))
    try:
        there = stored in cache.results
    except TypeError:  # one of them has no hash: the call will raise this error
        return True
    if there:
        cache.asked.pop(run.current.index, None)
    return not there


def _look_up_computed(run: Any, cache: _Cache, owner: Any, site: int, args: tuple[Any, ...]) -> bool:
    """A function that only computes is about to be called: returns whether the running thread has yet to compute the
    result, whatever others have computed."""
    me = run.current.index
    if args in cache.computed.get(me, ()):
        cache.enter(me, cache.depths[args])
        return False
    owner.cache_clear()
    cache.asked[me] = (_COMPUTES, site)
    return True


def _store(
    run: Any, cache: _Cache, asked: tuple[Any, int] | None, args: tuple[Any, ...], named: dict[str, Any]
) -> None:
    """A result has been computed, and is about to be stored."""
    owner = cache.owner()
    if owner is None or run.aborting:
        return
    key = cache.key(args, named)
    known, site = asked if asked is not None else (None, cache.site)
    if key is None or key[1] != known or cache.is_whole(run):
        if known is not None and (key is None or key[1] != known):
            run.need_points(cache.mark)  # the hook was given other arguments
        run.visit(Op.RMW, (OBJECT, number(owner)), site)
        return
    target = (_RESULT, number(owner), known)
    _label(run, target, owner)
    # A cache that throws results out looks again whether another call has stored a result by now.
    op = Op.WRITE if cache.maxsize is None else Op.RMW
    run.visit(op, target, site, None, (Access(Op.READ, (OBJECT, number(owner))),))


def asked_for_numbers(owner: Any) -> None:
    """The numbers of hits and misses are about to be looked at."""
    cache, run = _caches.get(id(owner)), activation.active
    if cache is not None and run is not None:
        run.need_points(cache.mark)  # calls are steps from then on


def restart() -> None:
    """A run begins."""
    global _counts
    _counts = False
    for cache in _caches.values():
        cache.asked.clear()
        cache.computed.clear()
        cache.depths.clear()
        cache.under_way.clear()


def count_calls() -> None:
    """In the run that begins, properties may be about calls of functions."""
    global _counts
    _counts = True


def _label(run: Any, target: Any, owner: Any) -> None:
    if run.detail:
        objects.label(run, target, owner, f"'s result for {target[2]}")
