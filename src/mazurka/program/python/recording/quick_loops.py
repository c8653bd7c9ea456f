"""The quick hooks of recordings (quick.py) at loops over containers: the reads of each step, see iteration.py."""

from __future__ import annotations

import gc
import itertools
from _thread import get_ident
from collections.abc import Callable, Iterator
from typing import Any, Final

from mazurka.program.python.recording.event_sink import EventSink
from mazurka.program.python.recording.raw import MORE, OFFSETS
from mazurka.program.python.semantics import iteration
from mazurka.program.python.semantics.keys import key_of
from mazurka.program.python.semantics.locations import MANY
from mazurka.program.python.semantics.objects import number, numbers
from mazurka.trace.event import Op

_ITEM: Final = Op.READ + OFFSETS["i"]
_STRUCTURE: Final = Op.READ + OFFSETS["s"]
_VALUES: Final = Op.READ + OFFSETS["v"]

#: Iterables without any content that changes.
FIXED: Final = frozenset({str, bytes, tuple, range, frozenset})

_DICT: Final[dict[Any, Any]] = {}
_SHOWING_KEYS: Final = frozenset({dict, set, type(_DICT.keys())})
_SHOWING_VALUES: Final = frozenset({type(_DICT.values()), type(_DICT.items())})
_LIST_ITERATOR: Final[type] = type(iter([]))
_NO_MORE: Final = object()

_Add = Callable[[tuple[Any, ...]], None]


def _list_ticks(add: _Add, items: list[Any], start: int, site: int) -> Iterator[None]:
    n = number(items)
    for index in itertools.count(start):
        me = get_ident()
        if index < len(items):
            add((me, n, _STRUCTURE, site, None, MORE, me, n, _ITEM, site, index, MORE))
        else:
            add((me, n, _STRUCTURE, site, None, MORE))
        yield None


def _key_ticks(add: _Add, n: int, site: int) -> Iterator[None]:
    while True:
        add((get_ident(), n, _STRUCTURE, site, None, MORE))
        yield None


def _value_ticks(add: _Add, space: dict[Any, Any], n: int, site: int) -> Iterator[None]:
    """Ticks for the values of a dictionary, while its number of keys stays the same; after a change the program's own
    iterator fails."""
    for place in itertools.count():
        add((get_ident(), n, _STRUCTURE, site, None, MORE))
        if len(space) > MANY:
            add((get_ident(), n, _VALUES, site, None, MORE))
        else:
            key = next(itertools.islice(space, place, None), _NO_MORE)
            if key is not _NO_MORE:
                add((get_ident(), n, _ITEM, site, key_of(key), MORE))
        yield None


def _list_behind(iterator: Any) -> list[Any] | None:
    """The list that an iterator iterates over, if it is one."""
    if type(iterator) is _LIST_ITERATOR:
        for items in gc.get_referents(iterator):  # none once the iterator is at its end
            if type(items) is list:
                return items
    return None


def _going_over(add: _Add, thing: Any, site: int) -> Iterator[None] | None:
    """Ticks that report each step of an iteration over an object, if it is of one of the most frequent kinds."""
    kind: Any = type(thing)
    if kind is list:
        return _list_ticks(add, thing, 0, site)
    if kind in _SHOWING_KEYS or kind in _SHOWING_VALUES:
        container = thing if kind is dict or kind is set else gc.get_referents(thing)[0]
        if (type(container) is dict or kind is set) and (n := number(container)) > 0:  # not that of an instance
            add((get_ident(), n, _STRUCTURE, site, None, MORE))
            return _value_ticks(add, container, n, site) if kind in _SHOWING_VALUES else _key_ticks(add, n, site)
    elif kind is enumerate:
        native: Any = gc.get_referents(thing)[0]
        items = _list_behind(native)
        if items is not None:
            return _list_ticks(add, items, len(items) - native.__length_hint__(), site)
    return None


def loop_hooks(run: EventSink) -> dict[str, Callable[..., Any]]:
    """The hooks at loops, by the names under which instrumented code calls them."""
    add = run.buffer.extend

    def iterate(thing: Any, site: int) -> Any:
        if type(thing) in FIXED:
            return thing
        ticks = _going_over(add, thing, site)
        return iteration.iterate(thing, site) if ticks is None else map(iteration.second, ticks, thing)

    def step(thing: Any, site: int) -> Any:
        items = _list_behind(thing)
        if items is None:
            return iteration.step(thing, site)
        n = numbers.get(id(items)) or number(items)
        add((get_ident(), n, _STRUCTURE, site, None, MORE))
        left = thing.__length_hint__()
        if left:
            add((get_ident(), n, _ITEM, site, len(items) - left, MORE))
        return thing

    return {"__mz_it__": iterate, "__mz_n__": step}
