"""What calls of functions read and write, for functions that are not instrumented themselves.

Methods of containers and the builtins that look at containers are accesses to them (:mod:`containers`). ``getattr``
and its like are attribute accesses. Functions known to change their first argument (``heapq.heappush``) change it.
Any other function that is not tracked is *opaque*: what is shared among the containers and instances it is given
counts as read, and the call is counted in ``untracked``, so that nobody takes the result for complete.

Cost: half a microsecond for a call of the program's own functions.
"""

from __future__ import annotations

import types
from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python import attributes, sites
from mazurka.program.python.attributes import (
    HARMLESS,
    MODELLED,
    classify,
    count_untracked,
    instance_accesses,
    root_of,
)
from mazurka.program.python.containers import OPERATIONS, operation, read_structure
from mazurka.program.python.locations import bases, contents, emit_reads
from mazurka.program.python.objects import adopt_dictionary, dictionary, is_a
from mazurka.program.python.views import cursors, keys_only, sources
from mazurka.trace.event import Op

_READ, _WRITE, _RMW = Op.READ, Op.WRITE, Op.RMW

#: Going through one of these leaves it as it was.
_IDLE: Final = frozenset({str, bytes, tuple, range, frozenset, int, type(None), dict, list, float, bool})

_BOUND: Final = (types.BuiltinMethodType, types.MethodWrapperType)

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
        ("_operator", "setitem"),
        ("_operator", "delitem"),
    }
)

#: Functions that read their arguments and no more: nothing about them is untracked.
_WHOLE: Final = frozenset(
    {("copy", "copy"), ("copy", "deepcopy"), ("json", "dumps"), ("json", "dump"), ("_pickle", "dumps")}
)

_SAFE_FUNCTIONS: Final = (HARMLESS | {"posix", "nt", "_socket", "_ssl", "_stat", "_struct", "_random"}) - frozenset(
    {"ast", "asyncio", "array", "copy", "random", "builtins", "collections"}
)


def method(run: Any, thing: Any, name: str, site: int, args: tuple[Any, ...]) -> None:
    """``thing.name(*args)``."""
    handler = operation(thing, name)
    if handler is not None:
        handler(run, thing, site, args)
        return
    if type(thing) is super:
        _bound(run, getattr(thing, "__self__", None), name, site, args, thing)
        return
    how = classify(type(thing), name)
    if how is not attributes.NONE:
        attributes.read(run, thing, name, site, how)


def _bound(run: Any, owner: Any, name: str, site: int, args: tuple[Any, ...], parent: Any = None) -> None:
    """A builtin's method, called past what the class of ``owner`` makes of it."""
    if parent is not None:
        found = getattr(parent, name, None)
        if type(found) not in _BOUND:
            return
    for base in bases(type(owner)):
        if base in OPERATIONS:
            handler = OPERATIONS[base].get(name)
            if handler is not None:
                handler(run, owner, site, args)
            return


def announce(run: Any, function: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """``function(*args, **named)``."""
    kind = type(function)
    if kind is types.FunctionType:
        if function.__code__.co_filename not in sites.instrumented:
            _python(run, function, site, args, named)
    elif kind is types.MethodType:
        inner = function.__func__
        if type(inner) is not types.FunctionType:
            announce(run, inner, site, (function.__self__, *args), named)
        elif inner.__code__.co_filename not in sites.instrumented:
            _python(run, inner, site, args, named)
    elif kind in _BOUND:
        owner = function.__self__
        if owner is None or type(owner) is types.ModuleType:
            _builtin(run, function, site, args, named)
        elif kind is types.BuiltinMethodType or sources(owner):
            _bound(run, owner, function.__name__, site, args)
            if not sources(owner) and not is_a(owner, (str, bytes, int, tuple, float)):
                run.current.effects += 1  # a file that was read from, say
    elif kind is type:
        _class(run, function, site, args, named)


def _class(run: Any, kind: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    if kind in _READERS:
        _read(run, site, args)
    elif kind.__flags__ & 1 << 9:
        init = getattr(kind, "__init__", None)
        if type(init) is types.FunctionType and init.__code__.co_filename not in sites.instrumented:
            _python(run, init, site, args, named)
    elif kind not in (super, type, enumerate, zip, map, filter, reversed, object):
        _read(run, site, args)


def _builtin(run: Any, function: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    if function in _READERS:
        _read(run, site, args)
        if function is print:
            run.current.effects += 1
    elif function is len and args:
        measure(run, args[0], site)
    elif function is getattr or function is hasattr:
        _attribute(run, args, site, _READ)
    elif function is setattr or function is delattr:
        _attribute(run, args, site, _WRITE)
    elif function is vars and args:
        space = dictionary(args[0])
        if type(space) is dict:
            adopt_dictionary(args[0], space)
    elif root_of(function.__module__) not in MODELLED:
        run.current.effects += 1
        if root_of(function.__module__) not in _SAFE_FUNCTIONS:
            _opaque(run, function, site, args, named)


def _attribute(run: Any, args: tuple[Any, ...], site: int, op: Op) -> None:
    if len(args) < 2 or not is_a(args[1], str):
        return
    thing, name = args[0], args[1]
    how = classify(type(thing), name)
    if op is _READ:
        attributes.read(run, thing, name, site, how)
    else:
        attributes.write(run, thing, name, site, how)


def _python(run: Any, function: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    root = root_of(function.__module__)
    if root not in MODELLED:
        run.current.effects += 1
        if root not in _SAFE_FUNCTIONS:
            _opaque(run, function, site, args, named)


def _opaque(run: Any, function: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """Something untracked gets these: what is shared among them is read, or changed."""
    identity = (getattr(function, "__module__", None), getattr(function, "__name__", "?"))
    if identity in _CHANGERS:
        if args and sources(args[0]):
            handler = operation(args[0], "clear")
            if handler is not None:
                handler(run, args[0], site, ())
        return
    reads: list[Access] = []
    for each in (*args, *named.values()):
        accesses = _all_of(each)
        if any(run.touched.get(access.target, (run.current.index,))[0] != run.current.index for access in accesses):
            if identity not in _WHOLE:
                owner = type(each).__name__
                count_untracked(run, f"{identity[0] or 'builtins'}.{identity[1]}({owner})", site)
            reads += accesses
        elif identity in _WHOLE:
            reads += accesses
    if reads:
        run.visit(reads[0].op, reads[0].target, site, None, tuple(reads[1:]))


def _all_of(thing: Any) -> list[Access]:
    """Reads of everything directly in a container or instance."""
    found = [access for container in sources(thing) for access in contents(container)]
    if not found and type(thing).__flags__ & 1 << 9 and not is_a(thing, (type, types.FunctionType)):
        if root_of(type(thing).__module__) not in HARMLESS:
            found = instance_accesses(thing)
    return found


def _read(run: Any, site: int, args: tuple[Any, ...]) -> None:
    """All of each argument is looked at."""
    found = [container for each in args for container in sources(each)]
    if found:
        emit_reads(run, found, [access for each in found for access in contents(each)], site)


def use(run: Any, thing: Any, site: int) -> None:
    """All of ``thing`` is looked at, values included."""
    _read(run, site, (thing,))


def go_through(run: Any, thing: Any, site: int) -> None:
    """``thing`` is gone through in one step: of a dictionary that shows the keys."""
    found = cursors(thing)
    if found:
        reads = [access for each, over in found for access in contents(each, keys_only(over))]
        emit_reads(run, [each for each, _ in found], reads, site)
    if not found or hasattr(type(thing), "__next__"):
        may_get_on(run, thing)


def may_get_on(run: Any, thing: Any) -> None:
    """Going through an iterator uses it up: a loop that does is not idle."""
    if type(thing) not in _IDLE:
        run.current.effects += 1


def measure(run: Any, thing: Any, site: int) -> None:
    """How many there are is looked at."""
    if operation(thing, "__len__") is not None:
        read_structure(run, thing, site)
    else:
        for container in sources(thing):
            read_structure(run, container, site)


def combine(run: Any, left: Any, right: Any, site: int) -> None:
    """Both operands are looked at."""
    if left is not right:
        _read(run, site, (left, right))


def augment(run: Any, left: Any, right: Any, name: str, site: int) -> None:
    """``left`` is changed in place, if it is a container that can be; else both are looked at."""
    handler = operation(left, name)
    if handler is not None:
        handler(run, left, site, (right,))
    else:
        combine(run, left, right, site)
