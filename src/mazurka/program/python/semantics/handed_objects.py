"""Objects handed to code that is not instrumented: its accesses to them, and the uses by other threads meanwhile.

Such code may change all objects that its arguments lead to. It does so in several steps, so if another thread uses the
same objects during the lifetime of the calling thread, or changes an object that such code holds or looks at
(:mod:`definitions`, :mod:`consulted`), the call is counted as untracked at the end of the run.

Cost: a microsecond for each object reached; at the end of a run one pass over its log, if anything was handed over.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics import (
    consulted,
    deep_access,
    definitions,
    equal_appends,
    harmless,
    native_objects,
    objects,
    private_classes,
    reads_in_parts,
    untracked,
)
from mazurka.program.python.semantics.class_shapes import shape_of, unseen_methods
from mazurka.program.python.semantics.dictionaries import mixed_keys
from mazurka.program.python.semantics.harmless import BUILTIN_METHODS
from mazurka.program.python.semantics.locations import BASES
from mazurka.program.python.semantics.native_objects import FOREIGN, NOTHING, state_of
from mazurka.program.python.semantics.objects import is_a
from mazurka.program.python.semantics.per_run import per_run
from mazurka.program.python.semantics.reads_in_parts import Operation, Place
from mazurka.program.python.semantics.steps_in_order import StepInOrder, is_unordered, steps_in_order
from mazurka.program.python.semantics.views import sources
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.program.runtime.task import PRIVATE_POINTS
from mazurka.trace.event import WRITES, Op
from mazurka.trace.targets import Kind, Target, of_kinds

_READ, _RMW = Op.READ, Op.RMW


def arrays_in(given: tuple[Any, ...]) -> list[Any]:
    """The arguments, and the elements of lists and tuples among them."""
    return [*given, *[inner for each in given if (type(each) is list or type(each) is tuple) for inner in each]]


def _with_array(thing: Any, looks: bool) -> list[Access]:
    """The accesses of a function of NumPy to an argument."""
    if looks and type(thing).__name__ == "ndarray" and type(thing).__module__ == "numpy" and thing.dtype != object:
        return native_objects.accesses(thing, _READ)
    return anything_with(thing)


def anything_with(thing: Any) -> list[Access]:
    """The accesses that uninstrumented code may make to an object that it is given: the object's state changes, and its
    content is read; so for containers in containers, and all objects that an object of a class that is not instrumented
    leads to."""
    if type(thing) in BUILTIN_METHODS:
        thing = thing.__self__
    if type(thing) in deep_access.PLAIN:
        return []
    found: list[Access] = []
    waiting, seen = [thing], {id(thing)}
    while waiting and len(seen) < _MOST_REACHED:
        each = waiting.pop()
        found += _with(each)
        for inner in _inside(each):
            if id(inner) not in seen and type(inner) not in deep_access.PLAIN:
                seen.add(id(inner))
                waiting.append(inner)
    if waiting:
        native_objects.count_cut(thing)
    return found


#: At most so many objects that an object leads to are looked at; the others are untracked.
_MOST_REACHED: Final = 1_000


#: Number of an object passed to uninstrumented code -> the threads that passed it, each with the counter of the call.
_handed: dict[int, dict[int, Callable[[], None]]] = per_run({})
objects.known_elsewhere.extend((_handed, definitions.held, definitions.looked_at, consulted.held))


def handed_over(run: Any, given: tuple[Any, ...], count: Callable[[], None]) -> list[Access]:
    """The accesses of a call that may change its arguments in any way: their content is changed. It may also add items
    to them that other threads look for; whether one does is determined at the end (:func:`count_at_end`)."""
    found = [access for each in given for access in anything_with(each)]
    if has_concurrent_threads(run):
        hand(run, found, count)
        for each in given:
            if n := objects.numbers.get(id(each)):  # for instance, an object without attributes
                _handed.setdefault(abs(n), {}).setdefault(run.current.index, count)
    return [Access(_RMW, access.target) for access in found]


def hand(run: Any, accesses: Iterable[Access], count: Callable[[], None]) -> None:
    """Note accesses of uninstrumented code in several steps: ``count`` is called if other threads use the same objects
    at the same time."""
    if has_concurrent_threads(run):
        for access in accesses:
            if _is_inside(access.target) and type(access.target[1]) is int:
                _handed.setdefault(abs(access.target[1]), {}).setdefault(run.current.index, count)


#: Whether a location is part of an object, whose number, or name, is the key if others hold or look at the object.
_is_inside: Final = of_kinds(Kind.ATTRIBUTE, Kind.ITEM, Kind.STRUCTURE, Kind.VALUES)
_is_whole: Final = of_kinds(Kind.STRUCTURE, Kind.OBJECT)
_has_name: Final = of_kinds(Kind.ATTRIBUTE, Kind.GLOBAL)


def count_at_end(run: Any) -> None:
    """A run has ended: count calls whose arguments other threads used during the lifetime of the calling thread."""
    for text in unseen_methods():
        run.untracked[text] = run.untracked.get(text, 0) + 1
    untracked.count_at_end()
    private_classes.count_at_end(run)
    if objects.shared_dictionaries():
        run.untracked["a __dict__ that instances share"] = 1
    if mixed := mixed_keys(run):
        run.untracked["keys with equality defined by the program, beside other keys"] = mixed
    _count_reads_in_parts(run)
    owners = _owners()
    _look_for_unlogged(run, owners)
    equal_appends.look_at_end(run, owners)
    found = _uses_by_others(run.log, owners)
    if not found:
        return
    everything = [*definitions.held.values(), *consulted.held.values()]
    since = [(index, each) for one in everything for index, all_ in one.items() for each in all_]
    after = [(run.log[position][0], position + 1) for position in found] if since else []
    had = definitions.locks_at(run, [*since, *after]) if since else {}
    for step in steps_in_order(run, found):
        index, op, target, _site, _point, _value, more = step.entry
        mine = had.get((index, step.position + 1), frozenset())
        for how, each, _ in ((op, target, None), *more):
            if _is_inside(each) and type(each[1]) is int and (givers := _handed.get(abs(each[1]))):
                count_others(run, givers, step)
            if _is_whole(each) and WRITES[how] and (holders := definitions.held.get(each[1])):
                count_others(run, _without_common_lock(holders, had, mine), step)
            if WRITES[how] and _is_inside(each) and type(each[1]) is int:
                holders = consulted.held.get(abs(each[1]), {})
                count_others(run, _without_common_lock(holders, had, mine), step)
            if (enders := definitions.ended.get(each)) is not None:
                count_others(run, enders, step)
            if _has_name(each) and WRITES[how] and (lookers := definitions.looked_at.get(each[1])):
                count_others(run, lookers, step)


def _key_of(target: Target) -> Any:
    """The object, or the name, of a location, which is its key in tables of objects."""
    return target[1] if len(target) > 1 else target


def _owners() -> dict[Any, int]:
    """The keys of all objects that code which is not instrumented has, holds or looks at -> the thread that gave it the
    object, by index, or -1 for several."""
    found: dict[Any, int] = {}

    def add(key: Any, indexes: Iterable[int]) -> None:
        for index in indexes:
            if found.setdefault(key, index) != index:
                found[key] = -1

    for table in (_handed, definitions.held, definitions.looked_at, consulted.held):
        for key, entries in table.items():
            add(key, entries)
            if type(key) is int:  # as the dictionary of an instance, the object has another sign
                add(-key, entries)
    for target, enders in definitions.ended.items():
        add(_key_of(target), enders)
    return found


def _look_for_unlogged(run: Any, owners: Mapping[Any, int]) -> None:
    """From now on log all accesses, if some by other threads than those in ``owners`` are missing in the log, or if the
    program has come to notice the ends of objects."""
    accessed_by = run.sharing.private.accessed_by
    for key, index in owners.items():
        if type(key) is int and accessed_by(abs(key)) not in (None, index):
            run.sharing.learn((PRIVATE_POINTS,))
    late = run.leaves_out_private and sites.is_in_program(sites.finalizing, sites.referring_weakly)
    if late or (run.leaves_out_own and sites.is_in_program(sites.looking_at_tracebacks, sites.looking_at_frames)):
        run.sharing.learn((PRIVATE_POINTS,))


def _uses_by_others(log: Sequence[Any], owners: Mapping[Any, int]) -> frozenset[int]:
    """The positions of steps that access a location of another thread's, by :func:`_key_of`."""
    if not owners:
        return frozenset()
    found = []
    get = owners.get
    for position, (index, _op, target, _site, _point, _value, more) in enumerate(log):
        if get(target[1] if len(target) > 1 else target, index) != index or (
            more and any(get(_key_of(each.target), index) != index for each in more)
        ):
            found.append(position)
    return frozenset(found)


def _count_reads_in_parts(run: Any) -> None:
    """Count operations between whose parts writes of other threads may have come."""
    if not (operations := reads_in_parts.noted):
        return
    owners: dict[Place, int] = {}
    for operation in operations:
        for place in operation.places:
            if owners.setdefault(place, operation.index) != operation.index:
                owners[place] = -1
    written = _writes_by_others(run.log, owners)
    concerned = frozenset().union(*written.values())
    some = [each for each in operations if not each.places.isdisjoint(concerned)]
    if some:
        _note_writes(run, some, written)
    for each in some:
        if each.is_torn():
            each.count()
    operations.clear()  # they hold objects


def _writes_by_others(log: Sequence[Any], owners: Mapping[Place, int]) -> dict[int, frozenset[Place]]:
    """The steps that write a place of another thread's, by position, each with all places that it writes."""
    found = {}
    for position, (index, op, target, _site, _point, _value, more) in enumerate(log):
        if more or WRITES[op]:
            places = reads_in_parts.places_of(each.target for each in (Access(op, target), *more) if WRITES[each.op])
            if any(owners.get(place, index) != index for place in places):
                found[position] = places
    return found


def _note_writes(run: Any, operations: Sequence[Operation], written: dict[int, frozenset[Place]]) -> None:
    """Note the writes of other threads to the places of operations, if no lock, start or end orders the two."""
    before = [(each.index, each.since) for each in operations]
    had = definitions.locks_at(run, [*before, *[(run.log[position][0], position + 1) for position in written]])
    for step in steps_in_order(run):
        index, position = step.entry[0], step.position
        for each in operations:
            if each.index == index:
                if position < each.since:
                    each.known = frozenset(step.joined)
            elif common := each.places & written.get(position, frozenset()):
                locked = had[each.index, each.since] & had[index, position + 1]
                if not locked and is_unordered(run, each.index, step):
                    each.written.append((index, position, common))


def _without_common_lock(
    holders: dict[int, dict[int, Callable[[], None]]], had: dict[tuple[int, int], frozenset[Any]], mine: frozenset[Any]
) -> dict[int, Callable[[], None]]:
    """The threads that hold an object without any lock in common with the thread that changes it, each with its
    counter."""
    return {
        index: count
        for index, each in holders.items()
        for since, count in each.items()
        if since < 0 or not had.get((index, since), frozenset()) & mine
    }


def count_others(run: Any, givers: dict[int, Callable[[], None]], step: StepInOrder) -> None:
    """Count the calls, by index of their thread, of threads that a step is not ordered with."""
    for giver in [each for each in givers if is_unordered(run, each, step)]:
        givers.pop(giver)()


def _inside(thing: Any) -> list[Any]:
    """The objects that uninstrumented code reaches directly from an object."""
    if is_a(thing, (type, types.ModuleType, types.FunctionType, bytearray)):  # bytes lead to no objects
        return []
    if shape_of(type(thing)).base is not None or is_a(thing, (tuple, frozenset)):
        return deep_access.elements(thing)
    return native_objects.attributes_of(thing) if state_of(type(thing)) is FOREIGN else []


def _with(thing: Any) -> list[Access]:
    kind = type(thing)
    if harmless.is_value_type(kind):
        return []
    base = shape_of(kind).base
    if base is not None and base not in BASES:
        return native_objects.accesses(thing, _RMW)
    if base is not None or sources(thing):
        found = deep_access.contents_of(thing)
        return [Access(_RMW, found[0].target), *found[1:]] if found else []
    if state_of(kind) is not NOTHING:
        return native_objects.accesses(thing, _RMW)
    if kind.__flags__ & 1 << 9 and not is_a(thing, (type, types.FunctionType)):
        return deep_access.instance_accesses(thing)
    return []


def accesses_of_arrays(given: tuple[Any, ...], looks: Any) -> list[Access]:
    """The accesses of a function of NumPy to its arguments; ``looks``: it only reads arrays."""
    return [access for each in given for access in _with_array(each, looks)]
