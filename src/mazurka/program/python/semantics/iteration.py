"""The hooks at loops: each step of an iteration over a container reads the next element.

An iterable is wrapped in a `map` of two arguments: a generator that visits before each step, and the native
iterator, whose element the map hands on by a builtin. So no frame of ours lies between the program and the iterator.
:mod:`views` determines the containers that iterators read; a list, by far the most frequent one, is handled separately.

Cost: a microsecond for each element of a list while several threads exist, about three elsewhere.
"""

from __future__ import annotations

import gc
import itertools
import types
from collections.abc import Iterator
from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python import activation
from mazurka.program.python.semantics import calls, deep_access, operators
from mazurka.program.python.semantics.class_shapes import operation
from mazurka.program.python.semantics.classification import find
from mazurka.program.python.semantics.gathering import is_seen
from mazurka.program.python.semantics.locations import emit_reads, perform
from mazurka.program.python.semantics.native_objects import state_of
from mazurka.program.python.semantics.objects import number
from mazurka.program.python.semantics.shapes import Handler
from mazurka.program.python.semantics.views import Cursor, begin_reads, cursors, reads_of_step
from mazurka.trace.event import Op
from mazurka.trace.targets import ITEM, STRUCTURE, Target

_READ: Final = Op.READ
_iter: Final = iter  # programs may replace the builtin

# The method `get` of this dictionary, called with a tick and an element, returns the element: a tick is no key of it.
# As a builtin it adds no frame.
_NO_ITEMS: Final[dict[Any, Any]] = {}
second: Final = _NO_ITEMS.get
_ENDLESS: Final = frozenset({itertools.count, itertools.cycle, itertools.repeat, type(iter(int, 1))})

#: Numbers of lists -> for each index the further access of a step that reads it. The same numbers occur in each run.
_item_reads: dict[int, list[tuple[Access]]] = {}
_MOST_LISTS: Final = 512
_MOST_ITEMS: Final = 256


def iterate(thing: Any, site: int) -> Any:
    """``thing`` is about to be iterated: the result enters the runtime before each native step."""
    run = activation.active
    if run is None:
        return thing
    kind = type(thing)
    if kind is list:
        return map(second, _list_ticks(thing, site), thing)
    if kind in _ENDLESS and (run.solo or run.is_recording):
        return map(second, _passes(), thing)
    if kind in _CALLING and not run.is_recording and not run.solo:
        if any(each is second for each in gc.get_referents(thing)):
            return thing  # a wrapper of ours, which reports its steps
        thing = _with_calls(thing, site)
    found = cursors(thing)
    if not found:
        if not run.solo:
            operators.may_get_on(run, thing)
        looks = operation(thing, "__iter__")
        if looks is not None:
            if not run.solo:
                operators.begin(run, thing, site)
            return map(second, _looks(looks, thing, site), thing)
        return thing if run.is_recording or kind in _FIXED else _stepped(thing, site)
    if not run.solo and (begun := begin_reads(found)):
        emit_reads(run, [container for container, _ in found], begun, site)
    native = _iter(thing)
    if native is thing and not run.solo:
        operators.may_get_on(run, thing)
    return map(second, _ticks(cursors(native), site, native if native is thing else None), native)


#: Iterables that never change during the iteration.
_FIXED: Final = frozenset({str, bytes, tuple, frozenset, range})

#: Iterators that call a function for each element.
_CALLING: Final = frozenset({map, filter, itertools.starmap})


def _stepped(thing: Any, site: int) -> Any:
    """An iterator over an object without a model: each step accesses its state; classes of the program report their own
    steps."""
    kind = type(thing)
    run = activation.active
    if not state_of(kind):
        return thing
    if not hasattr(kind, "__next__"):
        if run is not None and not run.solo:
            operators.begin(run, thing, site)
        found = find(kind, "__iter__") or find(kind, "__getitem__")
        if found is None or type(found[1]) is types.FunctionType:
            return thing
        native = _iter(thing)
        return native if native is thing or type(native) in _FIXED_ITERATORS else iterate(native, site)
    return map(second, _state_ticks(thing, site), thing)


def iterate_unpacking(thing: Any, nested: bool, site: int) -> Any:
    """The elements of ``thing``, which is already wrapped for the iteration, are about to be unpacked, each when it
    comes."""
    if activation.active is None:
        return thing

    def unpacked(element: Any) -> Any:
        run = activation.active
        if run is not None and not run.solo and (nested or type(element) is not tuple):
            _unpack(run, element, nested, site)
        return element

    return map(unpacked, thing)


def _unpack(run: Any, element: Any, nested: bool, site: int) -> None:
    if type(element) in deep_access.PLAIN:
        return
    if type(element) is not tuple:
        operators.go_through(run, element, site)
    for each in deep_access.elements(element) if nested else ():
        _unpack(run, each, True, site)


def returned(thing: Any, site: int) -> Any:
    """The result of the program's ``__iter__``, which will be iterated."""
    run = activation.active
    if run is None or run.is_recording or not hasattr(type(thing), "__next__") or not state_of(type(thing)):
        return thing
    return thing if type(thing) is types.GeneratorType else iterate(thing, site)


_FIXED_ITERATORS: Final = frozenset({type(iter(())), type(iter("")), type(iter(b"")), type(iter(range(0)))})


def _state_ticks(thing: Any, site: int) -> Iterator[None]:
    while True:
        run = activation.active
        if run is not None:
            if type(thing) in _ENDLESS:
                run.passed_loop()
            if not run.solo:
                operators.get_on(run, thing, site)
        yield None


def _with_calls(thing: Any, site: int) -> Any:
    """An iterator that calls a function in C for each element, such that the calls are reported."""
    parts = [each for each in gc.get_referents(thing) if each is not type(thing)]
    if type(thing) is map:
        sources = [source for each in parts if type(each) is tuple for source in each]  # in order: no holes here
    else:
        sources = [each for each in parts if hasattr(type(each), "__next__")][:1]
    functions = [each for each in parts if type(each) is not tuple and all(each is not source for source in sources)]
    function = functions[0] if functions else None
    if type(thing) is filter and function is None:
        function = bool
    if function is None or not sources or is_seen(function) or any(function is each for each in _LOOKING_AT_NOTHING):
        return thing
    return _calling(type(thing), function, sources, site, type(thing) is map and len(thing.__reduce__()) > _LENIENT)


#: The length of the result of `map.__reduce__`, unless the map is strict (Python 3.14).
_LENIENT: Final = 2

#: Functions that don't read the content of their arguments.
_LOOKING_AT_NOTHING: Final = (id, type, callable, ord, chr, float)


def _calling(kind: type, function: Any, sources: list[Any], site: int, strict: bool) -> Iterator[Any]:
    elements: Any = iterate(sources[0], site) if kind is not map or len(sources) == 1 else None
    packed = zip(*[iterate(each, site) for each in sources], strict=strict) if elements is None else elements
    for each in packed:
        args = tuple(each) if kind is itertools.starmap or elements is None else (each,)
        run = activation.active
        if run is not None and not run.solo:
            calls.announce(run, function, site, args, {})
        if kind is filter:
            if function(*args):
                yield each
        else:
            yield function(*args)


def _passes() -> Iterator[None]:
    while True:
        run = activation.active
        if run is not None:
            run.passed_loop()
        yield None


def _looks(look: Handler, thing: Any, site: int) -> Iterator[None]:
    """Visits before each step of an iteration over a container of the library, whose handler reads all of it."""
    while True:
        run = activation.active
        if run is not None and not run.solo:
            look(run, thing, site, ())
        yield None


def _ticks(found: list[Cursor], site: int, shared: Any = None) -> Iterator[None]:
    """Visits before each native step; ``shared`` is an iterator that other threads may have."""
    containers = [container for container, _ in found]
    while True:
        run = activation.active
        if run is not None and not run.solo:
            perform(run, site, _tick, containers, found, site, shared)
        yield None


def _tick(run: Any, containers: list[Any], found: list[Cursor], site: int, shared: Any = None) -> None:
    reads = reads_of_step(found)
    if shared is not None and not run.is_recording:
        reads += operators.moved(run, shared, site)
    emit_reads(run, containers, reads, site)


def _list_ticks(items: list[Any], site: int) -> Iterator[None]:
    """Visits before each step of an iterator over a list that no other thread has: its position is that of this
    generator."""
    n = 0  # the list's number, once other threads may access it
    structure: Target = ()
    for index in itertools.count():
        run = activation.active
        if run is not None and not run.solo:
            if not n:
                n = number(items)
                structure = (STRUCTURE, n)
            if not run.is_recording and site in run.points:
                perform(run, site, _list_tick, items, structure, index, site)
            elif index >= len(items) and not (run.detail and run.shows(site)):
                run.visit(_READ, structure, site)
            else:
                _list_tick(run, items, structure, index, site)
        yield None


def _list_tick(run: Any, items: list[Any], structure: Target, index: int, site: int) -> None:
    more: tuple[Access, ...] = ()
    n = structure[1]
    if index < len(items):
        known = _item_reads.get(n, ())
        more = known[index] if index < len(known) else _item_read(n, index)
    if run.detail and run.shows(site):
        emit_reads(run, [items], [Access(_READ, structure), *more], site)
    else:
        run.visit(_READ, structure, site, None, more)


def _item_read(n: int, index: int) -> tuple[Access]:
    read = (Access(_READ, (ITEM, n, index)),)
    if index == 0 and len(_item_reads) < _MOST_LISTS:
        _item_reads[n] = []
    known = _item_reads.get(n)
    if known is not None and len(known) == index < _MOST_ITEMS:
        known.append(read)
    return read


def step(thing: Any, site: int) -> Any:
    """``next(thing)`` is about to be called."""
    run = activation.active
    if run is not None and not run.solo:
        found = cursors(thing)
        if found:
            run.current.silent += 1  # the advance of an iterator is no step
            perform(run, site, _tick, [container for container, _ in found], found, site, thing)
        else:
            operators.get_on(run, thing, site)
    return thing
