"""The reads of iteration: the containers behind views, iterators, `enumerate`, `zip` and their like.

A *cursor* is a container with the native iterator that goes over it, so that each step can name the element it takes.
The garbage collector gives the container of an iterator, without running code of the program.

Cost: about a microsecond to look behind a view or an iterator.
"""

from __future__ import annotations

import gc
import itertools
import types
from collections import OrderedDict, deque
from collections.abc import Callable
from itertools import islice
from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python.semantics.locations import BASES, MANY, bases, contents, item, length
from mazurka.program.python.semantics.objects import is_a, number
from mazurka.trace.event import Op
from mazurka.trace.targets import ITEM, STRUCTURE

_READ: Final = Op.READ
_CONTAINERS: Final = (list, dict, set, deque, bytearray)

_DICT: Final[dict[Any, Any]] = {}
_ORDERED: Final[OrderedDict[Any, Any]] = OrderedDict()
_LIST: Final[list[Any]] = []
_VIEWS: Final[tuple[type, ...]] = (
    type(_DICT.keys()),
    type(_DICT.values()),
    type(_DICT.items()),
    type(_ORDERED.keys()),
    type(_ORDERED.values()),
    type(_ORDERED.items()),
)
_EXAMPLES: Final[tuple[Any, ...]] = (
    iter(_LIST),
    reversed(_LIST),
    iter(_DICT),
    iter(_DICT.values()),
    iter(_DICT.items()),
    reversed(_DICT),
    reversed(_DICT.values()),
    reversed(_DICT.items()),
    iter(set(_LIST)),
    iter(deque(_LIST)),
    reversed(deque(_LIST)),
    iter(bytearray()),
    iter(_ORDERED),
)
_ITERATORS: Final[frozenset[type]] = frozenset(map(type, _EXAMPLES))
_COMBINATORS: Final = frozenset(
    {enumerate, zip, map, filter, reversed}
    | {getattr(itertools, name) for name in "accumulate compress dropwhile filterfalse islice pairwise starmap".split()}
    | {itertools.chain, itertools.takewhile, itertools.zip_longest}
)
#: Those of these types that may take several elements for one, or one element ahead.
_SKIPPING: Final = frozenset(
    {filter} | {getattr(itertools, name) for name in "compress dropwhile filterfalse islice pairwise".split()}
)
#: Types that keep their iterables in a tuple, or in an iterator over a tuple.
_KEEPING: Final = frozenset({zip, map, itertools.zip_longest})
_TUPLE_ITERATOR: Final[type] = type(iter(()))

#: Types whose objects iterate over another object.
LAZY: Final = frozenset({*_VIEWS, *_ITERATORS, *_COMBINATORS})
_LIST_ITERATOR: Final[type] = type(iter(_LIST))
_DICT_ITERATORS: Final[frozenset[type]] = frozenset({type(iter(_DICT.values())), type(iter(_DICT.items()))})
_KEYS: Final[frozenset[type]] = frozenset(
    {_VIEWS[0], _VIEWS[3], type(iter(_DICT)), type(reversed(_DICT)), type(iter(set(_LIST)))}
)
_NOTHING: Final = frozenset({int, str, tuple, float, bool, type(None), bytes, types.FunctionType, type})

Cursor = tuple[Any, Any]


def cursors(thing: Any) -> list[Cursor]:
    """The containers that an iteration over ``thing`` reads, each with its view or iterator, or itself."""
    kind = type(thing)
    if kind in _NOTHING:
        return []
    if kind in LAZY:
        found: list[Cursor] = []
        for each in gc.get_referents(thing):
            if type(each) is _TUPLE_ITERATOR and kind is itertools.chain:
                each = next((kept for kept in gc.get_referents(each) if type(kept) is tuple), ())
                for part in gc.get_referents(each):
                    found += cursors(part)
            elif type(each) is tuple and kind in _KEEPING:
                for part in gc.get_referents(each):  # the tuple may have holes, which only the collector steps over
                    found += cursors(part)
            elif type(each) in LAZY:
                inner = cursors(each)
                found += [(container, thing) for container, _ in inner] if kind in _SKIPPING else inner
                if kind is itertools.chain:
                    for container, _ in inner:
                        for part in _members(container):
                            found += cursors(part)
            elif is_a(each, _CONTAINERS):
                found.append((each, thing))
        return found
    return [(thing, thing)] if is_a(thing, _CONTAINERS) and _iterates_natively(kind) else []


def _members(container: Any) -> list[Any]:
    if is_a(container, dict):
        return [*dict.keys(container), *dict.values(container)]
    kind = next(each for each in (list, set, deque, bytearray) if is_a(container, each))
    return [*kind.__iter__(container)]


def takes_unseen(thing: Any) -> bool:
    """Whether `chain.from_iterable` goes over iterables from another iterator, which may be any objects."""
    if type(thing) is not itertools.chain:
        return False
    source = next((each for each in gc.get_referents(thing) if not is_a(each, type)), None)
    return type(source) not in (type(None), _TUPLE_ITERATOR) and type(source) not in _ITERATORS


def sources(thing: Any) -> list[Any]:
    """The containers that an iteration over ``thing`` reads."""
    return [container for container, _ in cursors(thing)]


def iterators(thing: Any) -> list[Any]:
    """The iterators, in C or generators, that an iteration over ``thing`` advances: itself, and those behind it."""
    return _behind(thing)[0]


#: The function that reports the iterators that consuming an iterator advances (:mod:`calls`).
moving: Final[list[Callable[[Any, Any, int], list[Access]]]] = []


def moved(run: Any, thing: Any, site: int) -> list[Access]:
    """The effects of an iteration over ``thing`` beside reads of containers: on iterators that other threads have, and
    of functions in C that are called for each element."""
    if run.is_recording or not hasattr(type(thing), "__next__"):
        return []
    return [access for report in moving for access in report(run, thing, site)]


def reached(thing: Any) -> list[Any]:
    """The containers that iterators of any kind behind ``thing`` iterate over."""
    return sources(thing) or _behind(thing)[1]


def others(thing: Any) -> list[Any]:
    """Other objects that iterators behind ``thing`` iterate over, or hold: arrays, memory, functions ..."""
    return _behind(thing)[2]


def _behind(thing: Any) -> tuple[list[Any], list[Any], list[Any]]:
    found: list[Any] = []
    containers: list[Any] = []
    rest: list[Any] = []
    if type(thing) in _NOTHING:
        return found, containers, rest
    if is_a(thing, _CONTAINERS):
        return found, [thing], rest  # its class may define the iteration, which code in C goes past
    waiting, seen = [thing], {0}
    while waiting and len(seen) < _MOST_ITERATORS:
        each = waiting.pop()
        kind = type(each)
        if id(each) in seen:
            continue
        seen.add(id(each))
        if kind is types.GeneratorType:
            found.append(each)
        elif is_a(each, _CONTAINERS):
            containers.append(each)
        elif kind in LAZY or is_native_iterator(kind):
            if hasattr(kind, "__next__"):
                found.append(each)
            waiting += _chained(each) if kind is itertools.chain else []
            for held in gc.get_referents(each):
                waiting += gc.get_referents(held) if type(held) is tuple else [held]
        elif each is not thing and kind not in _NOTHING:
            rest.append(each)
    return found, containers, rest


def _chained(chain: Any) -> list[Any]:
    """The iterators in a container that `chain.from_iterable` goes through."""
    inside = [container for each in gc.get_referents(chain) if type(each) in _ITERATORS for container in sources(each)]
    return [each for container in inside for each in _members(container) if hasattr(type(each), "__next__")]


_MOST_ITERATORS: Final = 16


def is_native_iterator(kind: type) -> bool:
    """Whether ``__next__`` of a class is in C; the class may be made at run time, too, like the iterator of `array`."""
    method = next((each.__dict__["__next__"] for each in bases(kind) if "__next__" in each.__dict__), None)
    return kind.__module__ == "itertools" or type(method) is types.WrapperDescriptorType


def _iterates_natively(kind: type) -> bool:
    if kind in BASES:
        return True
    return next((each in BASES for each in bases(kind) if "__iter__" in each.__dict__), False)


def view_of(thing: Any) -> Any:
    """The dictionary a view shows, or None."""
    if type(thing) in _VIEWS:
        return next((each for each in gc.get_referents(thing) if is_a(each, dict)), None)
    return None


def keys_only(thing: Any) -> bool:
    """Whether an iteration reads keys (or elements of a set), not values."""
    return type(thing) in _KEYS or is_a(thing, (dict, set))


def begin_reads(found: list[Cursor]) -> list[Access]:
    """The reads of making an iterator: the size of a hash table, or the state of a deque, by which it notices later
    changes."""
    return [
        Access(_READ, (STRUCTURE, number(container)))
        for container, over in found
        if type(over) not in _ITERATORS and is_a(container, (dict, set, deque))
    ]


def reads_of_step(found: list[Cursor]) -> list[Access]:
    """The reads of taking the next element of each; one that is there twice goes on by more than an element."""
    overs = [id(over) for _, over in found]
    if len(overs) > 1 and len(set(overs)) < len(overs):
        return [access for container, over in found for access in contents(container, keys_only(over))]
    return [access for each in found for access in next_reads(each)]


def next_reads(cursor: Cursor) -> list[Access]:
    """The reads of taking the next element."""
    container, over = cursor
    kind = type(over)
    if kind is _LIST_ITERATOR and is_a(container, list):
        n = number(container)
        reads = [Access(_READ, (STRUCTURE, n))]
        index = list.__len__(container) - over.__length_hint__()
        return [*reads, Access(_READ, (ITEM, n, index))] if over.__length_hint__() else reads
    if kind in _DICT_ITERATORS and ((n := number(container)) < 0 or length(container) <= MANY):
        position = length(container) - over.__length_hint__()  # behind the last one if the size has changed
        return [
            Access(_READ, (STRUCTURE, n)),
            *(Access(_READ, item(n, key)) for key in islice(dict.keys(container), position, position + 1)),
        ]
    return contents(container, keys_only(over))
