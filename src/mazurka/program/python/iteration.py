"""The hooks at loops over something: each step of going through a container reads what it is about to show.

What is gone through is wrapped in a `map` of two arguments: a generator that visits before each step, and the native
iterator, whose element the map hands on by a builtin. So no frame of ours lies between the program and what it goes
through. What iterators look at is found out in :mod:`views`; a list, by far the most frequent, has a way of its own.

Cost: a microsecond for each element of a list while several threads exist, about three elsewhere.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, Final

from mazurka.program.protocol import Access, Target
from mazurka.program.python import calls, kernel
from mazurka.program.python.containers import Handler, operation
from mazurka.program.python.locations import emit_reads, perform
from mazurka.program.python.objects import number
from mazurka.program.python.views import Cursor, begin_reads, cursors, next_reads
from mazurka.trace.event import Op

_READ: Final = Op.READ

# Called with a tick and an element it returns the element: a tick is no key of it. Being a builtin it adds no frame.
_NO_ITEMS: Final[dict[Any, Any]] = {}
second: Final = _NO_ITEMS.get
_ENDLESS: Final = frozenset({itertools.count, itertools.cycle, itertools.repeat, type(iter(int, 1))})

#: Numbers of lists -> for each index what reading it adds to a step. Numbers come again in each run.
_item_reads: dict[int, list[tuple[Access]]] = {}
_MOST_LISTS: Final = 512
_MOST_ITEMS: Final = 256


def iterate(thing: Any, site: int) -> Any:
    """``thing`` is about to be gone through: what is returned visits before each native step."""
    run = kernel.active
    if run is None:
        return thing
    if type(thing) is list:
        return map(second, _list_ticks(thing, site), thing)
    if type(thing) in _ENDLESS:
        return map(second, _passes(), thing)
    found = cursors(thing)
    if not found:
        if not run.solo:
            calls.may_get_on(run, thing)
        looks = operation(thing, "__iter__")
        return thing if looks is None else map(second, _looks(looks, thing, site), thing)
    if not run.solo and (begun := begin_reads(found)):
        emit_reads(run, [container for container, _ in found], begun, site)
    native = iter(thing)
    if native is thing and not run.solo:
        calls.may_get_on(run, thing)
    return map(second, _ticks(cursors(native), site), native)


def _passes() -> Iterator[None]:
    while True:
        run = kernel.active
        if run is not None:
            run.passed_loop()
        yield None


def _looks(look: Handler, thing: Any, site: int) -> Iterator[None]:
    """The same for containers of the library, of which nothing closer is known."""
    while True:
        run = kernel.active
        if run is not None and not run.solo:
            look(run, thing, site, ())
        yield None


def _ticks(found: list[Cursor], site: int) -> Iterator[None]:
    """Visits what each native step is about to read."""
    containers = [container for container, _ in found]
    while True:
        run = kernel.active
        if run is not None and not run.solo:
            perform(run, site, _tick, containers, found, site)
        yield None


def _tick(run: Any, containers: list[Any], found: list[Cursor], site: int) -> None:
    emit_reads(run, containers, [access for each in found for access in next_reads(each)], site)


def _list_ticks(items: list[Any], site: int) -> Iterator[None]:
    """The same for an iterator over a list that nobody else has: it is where this generator is."""
    n = 0  # the list's number, once somebody else could be interested
    structure: Target = ()
    for index in itertools.count():
        run = kernel.active
        if run is not None and not run.solo:
            if not n:
                n = number(items)
                structure = ("s", n)
            perform(run, site, _list_tick, items, structure, index, site)
        yield None


def _list_tick(run: Any, items: list[Any], structure: Target, index: int, site: int) -> None:
    more: tuple[Access, ...] = ()
    n = structure[1]
    if index < len(items):
        known = _item_reads.get(n, ())
        more = known[index] if index < len(known) else _item_read(n, index)
    if run.detail:
        emit_reads(run, [items], [Access(_READ, structure), *more], site)
    else:
        run.visit(_READ, structure, site, None, more)


def _item_read(n: int, index: int) -> tuple[Access]:
    read = (Access(_READ, ("i", n, index)),)
    if index == 0 and len(_item_reads) < _MOST_LISTS:
        _item_reads[n] = []
    known = _item_reads.get(n)
    if known is not None and len(known) == index < _MOST_ITEMS:
        known.append(read)
    return read


def step(thing: Any, site: int) -> Any:
    """``next(thing)`` is about to be called."""
    run = kernel.active
    if run is not None and not run.solo:
        run.current.silent += 1  # an iterator that gets on is not seen to
        found = cursors(thing)
        if found:
            perform(run, site, _tick, [container for container, _ in found], found, site)
    return thing
