"""Containers of the library that are no builtins, or views of another one: the reads and writes of operations on them.

Containers that keep their items in a builtin (`UserDict`, `ChainMap`, a view of a dictionary) stand for it, and views
of bytes for the whole object whose bytes these are. Weak collections, arrays and the environment have one location
each, their structure: any change of them changes it.

Cost: that of the container behind.
"""

from __future__ import annotations

import os
import types
import weakref
from array import array
from collections import ChainMap, UserDict, UserList
from collections.abc import ItemsView, KeysView, MappingView, ValuesView
from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python.semantics import deep_access, native_objects, natives, objects, untracked
from mazurka.program.python.semantics.class_shapes import know, operation
from mazurka.program.python.semantics.containers import change_all, read_all, read_structure
from mazurka.program.python.semantics.dictionaries import reads_of_arguments
from mazurka.program.python.semantics.gathering import AccessCollector, pass_together
from mazurka.program.python.semantics.locations import contents, emit, emit_reads
from mazurka.program.python.semantics.objects import dictionary, is_a, number
from mazurka.program.python.semantics.shapes import Handler
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.trace.event import Op
from mazurka.trace.targets import ATTRIBUTE, OBJECT, STRUCTURE

_LOOKING: Final = (
    "__contains__ __len__ __bool__ __iter__ __getitem__ __eq__ __ne__ __or__ __and__ __sub__ __xor__ __le__ __lt__ "
    "__ge__ __gt__ __repr__ __copy__ __deepcopy__ __add__ __radd__ __mul__ __rmul__ __ror__ __reversed__ __reduce_ex__ "
    "get copy keys values items union intersection difference issubset issuperset isdisjoint index count tolist "
    "tobytes symmetric_difference keyrefs valuerefs itervaluerefs buffer_info tofile tounicode cast hex toreadonly "
    "__sizeof__ __length_hint__ __str__ __format__ __hash__ __rsub__ __rand__ __rxor__ __reduce__ __getstate__"
).split()
_CHANGING: Final = (
    "__setitem__ __delitem__ __ior__ __iand__ __isub__ __ixor__ __iadd__ __imul__ add discard remove pop popitem clear "
    "update setdefault append extend insert reverse difference_update intersection_update "
    "symmetric_difference_update sort byteswap frombytes fromfile fromlist fromunicode release __exit__"
).split()

_WHOLE: Final[dict[str, Handler]] = {
    **dict.fromkeys(_LOOKING, read_structure),
    **dict.fromkeys(_CHANGING, change_all),
}


def _watching(name: str, handler: Handler) -> Handler:
    """A handler for a weak collection, which also watches the ends of its members: these change the collection."""

    def watching(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
        if not run.is_recording:
            natives.watch_members(run, thing, args if name in _ADDING else (), site, one=name in _ADDING_ONE)
            if name == "__setitem__" and len(args) == 1:
                natives.watch_stored(run, thing, args[0], site)
        handler(run, thing, site, args)

    return watching


#: Methods by which weak collections get members.
_ADDING: Final = frozenset("__setitem__ __ior__ __ixor__ add update setdefault symmetric_difference_update".split())

#: Those of these methods that iterate over none of their arguments.
_ADDING_ONE: Final = frozenset({"__setitem__", "add", "setdefault"})

_WEAK: Final[dict[str, Handler]] = {name: _watching(name, handler) for name, handler in _WHOLE.items()}


def _behind(thing: Any) -> Any:
    """The builtin that holds the items, or None."""
    if type(thing) is memoryview:
        return native_objects.owner_of_bytes(thing)
    return next(iter(deep_access.stood_for(thing)), None)


def _handed_on(name: str) -> Handler:
    def handler(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
        held = _behind(thing)
        inner = operation(held, name)
        if inner is not None:
            inner(run, held, site, args)
        elif name in _LOOKING and operation(held, "__len__") is not None:
            read_all(run, held, site)

    return handler


#: Objects in C that can't be closed, or grow, while there are views of their bytes.
_HELD_BY_VIEWS: Final = ("_BytesIOBuffer", "BytesIO", "mmap")


def _view_of_bytes(name: str) -> Handler:
    """An index of a view is no index of the object whose bytes it shows, so an operation touches all of them. The view
    itself can be released."""
    op = Op.READ if name in _LOOKING or name == "__enter__" else Op.RMW

    def handler(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
        if run.is_recording:
            _HANDED_ON.get(name, _look_with_arguments)(run, thing, site, args)
            return
        releases = name in ("release", "__exit__")
        found = [Access(Op.RMW if releases else Op.READ, (OBJECT, number(thing)))]
        owner = native_objects.owner_of_bytes(thing)
        if owner is not thing and not releases:
            found = native_objects.accesses(thing, op)
        elif owner is not thing and operation(owner, "append") is not None:
            found.append(Access(Op.RMW, (STRUCTURE, number(owner))))  # the owner may grow again
        elif owner is not thing and type(owner).__name__ in _HELD_BY_VIEWS:
            found += native_objects.accesses(owner, Op.RMW)
        native_objects.label(run, thing, found)
        run.visit(found[0].op, found[0].target, site, None, tuple(found[1:]))

    return handler


def _chain_read(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    maps = [each for each in dictionary(thing)["maps"] if is_a(each, dict)]
    if len(maps) < len(dictionary(thing)["maps"]) and has_concurrent_threads(run):
        text = "a ChainMap of mappings that are no dictionaries"
        run.untracked[text] = run.untracked.get(text, 0) + 1
    if maps:
        reads = [access for each in maps for access in contents(each)]
        emit_reads(run, maps, [*reads, *reads_of_arguments(run, args, site)], site)


def _chain_changed(name: str) -> Handler:
    def handler(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
        first = next(iter(deep_access.stood_for(thing)), None)
        inner = operation(first, name)
        if inner is not None:
            inner(run, first, site, args)

    return handler


_HANDED_ON: Final = {name: _handed_on(name) for name in (*_LOOKING, *_CHANGING)}
_VIEW: Final = {name: _view_of_bytes(name) for name in (*_LOOKING, *_CHANGING, "__enter__")}
_CHAIN: Final[dict[str, Handler]] = {
    **dict.fromkeys(_LOOKING, _chain_read),
    **{name: _chain_changed(name) for name in _CHANGING},
}


def _look_with_arguments(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
    emit(run, thing, site, Op.READ, (STRUCTURE, number(thing)), tuple(reads_of_arguments(run, args, site)))


def _initialise(run: Any, thing: Any, site: int, _args: tuple[Any, ...]) -> None:
    """A container that is initialised a second time stands for another one."""
    again = id(thing) in objects.numbers or any(name in dictionary(thing) for name in native_objects.KEPT_IN)
    if again and has_concurrent_threads(run) and not run.is_recording:
        untracked.count_untracked(run, f"{type(thing).__name__}.__init__()", site)


for _table in (_HANDED_ON, _CHAIN):
    _table["__init__"] = _initialise


def _by_attribute(name: str, handler: Handler) -> Handler:
    """A handler for a container that keeps the container it stands for in an attribute: the attribute may get another
    value, or, if it is a list, other elements."""

    def found(run: Any, thing: Any, site: int) -> None:
        n, held = number(thing), dictionary(thing).get(name)
        reads = [
            Access(Op.READ, (ATTRIBUTE, n, name)),
            *(contents(held) if name == "maps" and is_a(held, list) else ()),
        ]
        run.visit(reads[0].op, reads[0].target, site, None, tuple(reads[1:]))

    def by_attribute(run: Any, thing: Any, site: int, args: tuple[Any, ...]) -> None:
        if run.is_recording or run.solo:
            handler(run, thing, site, args)
            return
        if type(run) is AccessCollector:  # amid a step; a call of few frames, also near the limit of recursion
            found(run, thing, site)
            handler(run, thing, site, args)
            return
        pass_together(run, site, (lambda part: handler(part, thing, site, args), lambda part: found(part, thing, site)))

    return by_attribute


def _all_by_attribute(name: str, table: dict[str, Handler]) -> dict[str, Handler]:
    return {operation: _by_attribute(name, handler) for operation, handler in table.items()}


def _copy(run: Any, thing: Any, site: int, _args: tuple[Any, ...]) -> None:
    deep_access.read(run, (thing,), site, copying=True, shallow=True)  # with the attributes that a class adds


_BY_DATA: Final = _all_by_attribute("data", _HANDED_ON) | dict.fromkeys(("__copy__", "copy", *natives.COPYING), _copy)

TABLES: Final[dict[type, dict[str, Handler]]] = {
    weakref.WeakSet: _WEAK,
    weakref.WeakKeyDictionary: _WEAK,
    weakref.WeakValueDictionary: _WEAK,
    type(os.environ): _WHOLE,
    array: _WHOLE | dict.fromkeys(_LOOKING, _look_with_arguments),
    **dict.fromkeys((UserDict, UserList), _BY_DATA),
    types.MappingProxyType: _HANDED_ON,
    memoryview: _VIEW,
    **dict.fromkeys((MappingView, KeysView, ItemsView, ValuesView), _HANDED_ON),
    ChainMap: _all_by_attribute("maps", _CHAIN),
}


def install() -> None:
    """Register the handlers with the hooks; methods of a subclass are found along its bases."""
    know(TABLES)
