"""What calls of functions read and write, for functions that are not instrumented themselves.

Methods of containers and the builtins that look at containers are accesses to them (:mod:`containers`). ``getattr``
and its like are attribute accesses. Functions known to change their first argument (``heapq.heappush``) change it.
Any other function that is not tracked is *opaque*: what is shared among the containers and instances it is given
counts as read, and the call is counted in ``untracked``, so that nobody takes the result for complete.

Cost: half a microsecond for a call of the program's own functions.
"""

from __future__ import annotations

import functools
import types
from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python import attributes, natives, sites, wholes
from mazurka.program.python.attributes import (
    HARMLESS,
    MODELLED,
    classify,
    count_untracked,
    root_of,
)
from mazurka.program.python.containers import SLOTS, operation, read_structure
from mazurka.program.python.locations import BASES, contents, emit_reads, perform
from mazurka.program.python.objects import adopt_namespace, is_a
from mazurka.program.python.views import begin_reads, cursors, keys_only, sources
from mazurka.trace.event import Op

#: Going through one of these leaves it as it was.
_IDLE: Final = frozenset({str, bytes, tuple, range, frozenset, int, type(None), dict, list, float, bool})

_BOUND: Final = (types.BuiltinMethodType, types.MethodWrapperType)
_UNBOUND: Final = (types.MethodDescriptorType, types.WrapperDescriptorType)
VALUES: Final = frozenset({int, str, float, bool, bytes, type(None)})

#: Builtins that run code which is not instrumented.
_EVALUATING: Final = frozenset({exec, eval})

#: Builtins that look at everything in their arguments.
_READERS: Final = frozenset(
    {
        list,
        tuple,
        set,
        frozenset,
        dict,
        sorted,
        sum,
        min,
        max,
        any,
        all,
        str,
        repr,
        bytes,
        bytearray,
        print,
        format,
        ascii,
    }
)

#: Functions that change their first argument, by module and name.
_CHANGERS: Final = frozenset(
    {
        *(("_heapq", name) for name in ("heappush", "heappop", "heapify", "heapreplace", "heappushpop")),
        *(("_bisect", name) for name in ("insort_left", "insort_right")),
        *(("random", name) for name in ("shuffle",)),
        *(("heapq", name) for name in ("heappush", "heappop", "heapify", "heapreplace", "heappushpop")),
        *(("bisect", name) for name in ("insort", "insort_left", "insort_right")),
        ("_struct", "pack_into"),
    }
)

#: Functions that read their arguments and no more: nothing about them is untracked.
_WHOLE: Final = frozenset(
    {
        *(("copy", name) for name in ("copy", "deepcopy")),
        *(("json", name) for name in ("dumps", "dump")),
        *(("_pickle", name) for name in ("dumps", "dump")),
        *(("_bisect", name) for name in ("bisect_left", "bisect_right")),
        *(("heapq", name) for name in ("nlargest", "nsmallest")),
        *(("random", name) for name in ("choice", "choices", "sample")),
    }
)

_SAFE_FUNCTIONS: Final = (HARMLESS | {"posix", "nt", "_socket", "_ssl", "_stat", "_struct", "_random"}) - frozenset(
    {"ast", "asyncio", "array", "copy", "random", "builtins", "collections"}
)


def method(run: Any, thing: Any, name: str, site: int, args: tuple[Any, ...]) -> None:
    """``thing.name(*args)``."""
    handler = operation(thing, name)
    if handler is not None:
        perform(run, site, handler, thing, site, args)
        return
    kind = type(thing)
    if kind is super:
        found = getattr(thing, name, None)
        if type(found) in _BOUND:
            natives.native_method(run, getattr(thing, "__self__", None), name, site, args)
        return
    if kind in (str, bytes):
        wholes.read(run, args, site)
        return
    if kind is type and args and type(getattr(thing, name, None)) in _UNBOUND:
        natives.native_method(run, args[0], name, site, args[1:])
        return
    how = classify(kind, name)
    if how is not attributes.NONE:
        attributes.read(run, thing, name, site, how)


def announce(run: Any, function: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """``function(*args, **named)``."""
    kind = type(function)
    if kind is types.FunctionType:
        if function.__code__.co_filename not in sites.instrumented:
            _foreign(run, function, site, args, named)
    elif kind is types.MethodType:
        inner = function.__func__
        if type(inner) is not types.FunctionType:
            announce(run, inner, site, (function.__self__, *args), named)
        elif inner.__code__.co_filename not in sites.instrumented:
            handler = operation(function.__self__, inner.__name__)
            if handler is not None:
                perform(run, site, handler, function.__self__, site, args)
            else:
                _foreign(run, inner, site, args, named)
    elif kind in _BOUND:
        _bound(run, function, site, args, named)
    elif kind is type:
        _class(run, function, site, args, named)
    else:
        _other(run, function, kind, site, args, named)


def _bound(run: Any, function: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    owner, name = function.__self__, function.__name__
    if owner is None or type(owner) is types.ModuleType:
        _builtin(run, function, site, args, named)
    elif type(function) is types.BuiltinMethodType or name in SLOTS or sources(owner):
        given = (*args, named) if named and name == "update" else args
        natives.native_method(run, owner, name, site, given)
        if type(owner) not in BASES and not is_a(owner, (str, bytes, int, tuple, float)) and not sources(owner):
            run.current.silent += 1  # a file that was read from, say


def _other(run: Any, function: Any, kind: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """What can be called and is neither a function nor a class."""
    if kind in _UNBOUND and args:
        natives.native_method(run, args[0], function.__name__, site, args[1:])
    elif kind is functools.partial:
        announce(run, function.func, site, (*function.args, *args), {**function.keywords, **named})
    elif kind in natives.GETTERS:
        natives.get(run, function, site, args)
    elif kind is natives.CACHED:
        natives.cached(run, function, site)


def _class(run: Any, kind: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    if kind in _READERS:
        _read(run, site, args)
    elif kind.__flags__ & 1 << 9:
        init = getattr(kind, "__init__", None)
        if type(init) is types.FunctionType and init.__code__.co_filename not in sites.instrumented:
            _foreign(run, init, site, args, named)
    elif kind not in (super, type, enumerate, zip, map, filter, reversed, object):
        _read(run, site, args)


def _builtin(run: Any, function: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    if function in _READERS:
        _read(run, site, args)
        if function is print:
            run.current.silent += 1
    elif function is len and args:
        measure(run, args[0], site)
    elif function is getattr or function is hasattr:
        natives.by_name(run, args, site, Op.READ)
    elif function is setattr:
        natives.by_name(run, args, site, Op.WRITE)
    elif function is delattr:
        natives.by_name(run, args, site, Op.RMW)
    elif function is vars and args:
        adopt_namespace(args[0])
    elif function in _EVALUATING:
        count_untracked(run, f"{function.__name__}()", site)
    elif function.__module__ == "_operator":
        natives.operate(run, function.__name__, site, args)
    else:
        _foreign(run, function, site, args, named)


def _foreign(run: Any, function: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """A function that is not instrumented."""
    root = root_of(function.__module__)
    if root in MODELLED:
        return
    run.current.silent += 1
    if root in _SAFE_FUNCTIONS:
        wholes.read(run, (*args, *named.values()), site)
    else:
        _opaque(run, function, site, args, named)


def _opaque(run: Any, function: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """Something untracked gets these: what is shared among them is read, or changed."""
    identity = (getattr(function, "__module__", None), getattr(function, "__name__", "?"))
    if identity in _CHANGERS:
        changed = next((each for each in args if sources(each)), None)
        handler = operation(changed, "clear")
        if handler is not None:
            perform(run, site, handler, changed, site, ())
        return
    given = [each for each in (*args, *named.values()) if type(each) not in wholes.PLAIN]
    if identity in _WHOLE:
        wholes.read(run, given, site, copying=identity[0] in ("copy", "json", "_pickle"))
        return
    reads: list[Access] = []
    for each in given:
        accesses = _all_of(each)
        reads += accesses
        if any(run.touched.get(access.target, (run.current.index,))[0] != run.current.index for access in accesses):
            count_untracked(run, f"{identity[0] or 'builtins'}.{identity[1]}({type(each).__name__})", site)
    if reads:
        run.visit(reads[0].op, reads[0].target, site, None, tuple(reads[1:]))


def _all_of(thing: Any) -> list[Access]:
    """Reads of everything directly in a container or instance."""
    found = [access for container in sources(thing) for access in contents(container)]
    if not found and type(thing).__flags__ & 1 << 9 and not is_a(thing, (type, types.FunctionType)):
        if root_of(type(thing).__module__) not in HARMLESS:
            found = wholes.instance_accesses(thing)
    return found


def _read(run: Any, site: int, args: tuple[Any, ...]) -> None:
    """All of each argument is looked at."""
    perform(run, site, _read_once, site, args)


def _read_once(run: Any, site: int, args: tuple[Any, ...]) -> None:
    found = [container for each in args for container in sources(each)]
    if found:
        emit_reads(run, found, [access for each in found for access in contents(each)], site)


def use(run: Any, thing: Any, site: int) -> None:
    """All of ``thing`` is looked at, and what is in it."""
    wholes.read(run, (thing,), site)


def go_through(run: Any, thing: Any, site: int) -> None:
    """``thing`` is gone through in one step: of a dictionary that shows the keys."""
    found = cursors(thing)
    if found:
        reads = [access for each, over in found for access in contents(each, keys_only(over))]
        emit_reads(run, [each for each, _ in found], reads, site)
    if not found or hasattr(type(thing), "__next__"):
        may_get_on(run, thing)
    looks = operation(thing, "__iter__")
    if looks is not None:
        looks(run, thing, site, ())


def may_get_on(run: Any, thing: Any) -> None:
    """Going through an iterator uses it up: a loop that does is not idle."""
    if type(thing) not in _IDLE:
        run.current.silent += 1


def begin(run: Any, thing: Any, site: int) -> None:
    """An iterator over ``thing`` is about to be made."""
    found = cursors(thing)
    begun = begin_reads(found)
    if begun:
        emit_reads(run, [container for container, _ in found], begun, site)


def measure(run: Any, thing: Any, site: int) -> None:
    """How many there are is looked at."""
    handler = operation(thing, "__len__")
    if handler is not None:
        handler(run, thing, site, ())
    else:
        for container in sources(thing):
            read_structure(run, container, site)


def combine(run: Any, left: Any, right: Any, site: int) -> None:
    """Both operands are looked at."""
    if left is not right and type(left) not in VALUES and type(right) not in VALUES:
        wholes.read(run, (left, right), site)


def augment(run: Any, left: Any, right: Any, name: str, site: int) -> None:
    """``left`` is changed in place, if it is a container that can be; else both are looked at."""
    handler = operation(left, name)
    if handler is not None:
        perform(run, site, handler, left, site, (right,))
    elif type(left) is not tuple or type(right) is not tuple:  # what is in them is handed on unseen
        combine(run, left, right, site)
