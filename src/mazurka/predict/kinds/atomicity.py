"""Accesses that may come between two consecutive accesses of a location by another thread, so that no serial order
explains the three: read-write-read, write-write-read, read-write-write and write-read-write (Lucia et al., ISCA 2008).

A trace does not show whether the code between the two was meant to be indivisible. The model decides whether the three
can happen in this order. Triples that can't are left out: if the first needs the access between, or that needs the last
(fast_path.py); or if one lock is held from the first to the last, and at the access between. Left out, too, are two
accesses between which the thread waits on a condition: it waits for the others to come between, as in ``while not
ready: condition.wait()``. A wait that is recorded as updates (with a time limit, for instance) is an update of a
primitive after which the thread gives up a lock in the same place of the source.

A change of a container's size while a thread iterates over it is a violation of this kind, too (iterations.py).

Triples of accesses that are near in the trace come first, so that the likely ones are decided if there is a limit.

Cost: a pass, and one more for each :data:`_ROOM` needs of accesses; and the candidates: there may be as many as pairs
of consecutive accesses times other threads' accesses of the location.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mazurka.causal.question import Question, in_order
from mazurka.predict.fast_path import needs_of
from mazurka.predict.kinds.definition import Doing, Rows
from mazurka.predict.kinds.iterations import RESIZED, resizings_of
from mazurka.predict.kinds.tests_of_contents import outdated_tests_of
from mazurka.trace.columns import columns_of
from mazurka.trace.event import WRITES, Op
from mazurka.trace.ids import StepIndex
from mazurka.trace.targets import is_data
from mazurka.trace.trace import Trace
from mazurka.witness.witness import AtomicityViolation, Claim

_DATA: Final = (int(Op.READ), int(Op.WRITE), int(Op.RMW))
_LOCKING: Final = (int(Op.ACQUIRE), int(Op.RELEASE))

#: For each kind of triple, which of the three accesses write.
_UNSERIALISABLE: Final = {(False, True, False), (True, True, False), (False, True, True), (True, False, True)}

#: Accesses of another thread count as near if there are at most so many on that side of the two consecutive ones.
_NEAREST: Final = 4

#: The most entries of needs that are held at a time; an access has a vector of one entry a thread.
_ROOM: Final = 20_000_000

#: The rows that access a location, by thread, ascending.
_Uses = dict[int, list[int]]

#: For each row of an access the locks held there, each with the row that acquired it.
_Held = dict[int, dict[int, int]]


class _ThreadAccesses(NamedTuple):
    """A thread's accesses of a location."""

    thread: int
    rows: list[int]
    needs: NDArray[np.int32]  # by access and thread: the latest row of the thread that the access needs, or -1


def candidates(trace: Trace, thorough: bool) -> Iterable[Rows]:  # none of them implies another
    """See :class:`~mazurka.predict.kinds.registry.Definition`."""
    return chain(atomicity_violations_of(trace), resizings_of(trace), outdated_tests_of(trace))


def claim(rows: Rows) -> Claim:
    """The claim that the second comes between the others."""
    return AtomicityViolation(*map(StepIndex, rows))


def question(rows: Rows, trace: Trace) -> Question:  # the same for any trace
    """Whether they can happen in this order."""
    return Question(happen=rows, constraints=in_order(rows))


def sentence(events: Sequence[Doing]) -> str:
    """The words of the finding: the threads, and the access between."""
    first, between, _ = events
    if RESIZED.fullmatch(first.target):
        return f"{between.thread} changes the size of {first.target} while {first.thread} iterates over it"
    return f"{between.thread} gets between two accesses of {first.target} by {first.thread}"


def ending(events: Sequence[Doing]) -> str:  # of all of them
    """How the order ends."""
    return "with the three in this order"


def atomicity_violations_of(trace: Trace) -> Iterator[tuple[int, int, int]]:
    """(first, between, last)."""
    writes = [WRITES[each] for each in columns_of(trace).op.tolist()]
    uses, held = _accesses(trace)
    waits = _waits(trace)
    places = [own for x, own in uses.items() if len(own) > 1 and is_data(trace.targets[x])]
    for together in _batches(places, _ROOM // max(len(trace.threads), 1)):
        known = _with_needs(trace, together)
        for near in (True, False):
            for place in known:
                for own in place:
                    others = [other for other in place if other is not own]
                    yield from _between(own, others, writes, held, waits[own.thread], near)


def _waits(trace: Trace) -> list[list[int]]:
    """By thread the rows at which it waits on conditions."""
    thread, op, target, _, site = columns_of(trace)
    data = np.array([is_data(name) for name in trace.targets], bool)
    updates = (op == Op.RMW) & ~data[target]
    waits: list[list[int]] = [[] for _ in trace.threads]
    for row in np.flatnonzero((op == Op.WAIT) | updates).tolist():
        own = trace.rows_of_thread[int(thread[row])]
        after = int(np.searchsorted(np.asarray(own), row)) + 1
        then = int(own[after]) if after < len(own) else row
        if op[row] == Op.WAIT or (op[then] == Op.RELEASE and site[then] == site[row]):
            waits[int(thread[row])].append(row)
    return waits


def _accesses(trace: Trace) -> tuple[dict[int, _Uses], _Held]:
    """The accesses by location, with the locks held."""
    thread, op, target, _, _ = columns_of(trace)
    by_place: dict[int, _Uses] = {}
    held: _Held = {}
    now: list[dict[int, int]] = [{} for _ in trace.threads]
    depth: dict[tuple[int, int], int] = {}
    rows = np.flatnonzero(np.isin(op, (*_DATA, *_LOCKING)))
    columns = (column[rows].tolist() for column in (thread, op, target))
    for row, t, done, x in zip(rows.tolist(), *columns, strict=True):
        if done not in _LOCKING:
            by_place.setdefault(x, {}).setdefault(t, []).append(row)
            held[row] = now[t]
            continue
        before = depth.get((t, x), 0)
        depth[t, x] = after = max(before + (1 if done == Op.ACQUIRE else -1), 0)
        if before == 0 and after:
            now[t] = {**now[t], x: row}
        elif before and after == 0:
            now[t] = {lock: since for lock, since in now[t].items() if lock != x}
    return by_place, held


def _batches(places: list[_Uses], most: int) -> Iterator[list[_Uses]]:
    """Groups of locations with at most ``most`` accesses together, or of a single location with more."""
    together: list[_Uses] = []
    size = 0
    for place in places:
        own = sum(map(len, place.values()))
        if together and size + own > most:
            yield together
            together, size = [], 0
        together.append(place)
        size += own
    if together:
        yield together


def _with_needs(trace: Trace, places: list[_Uses]) -> list[list[_ThreadAccesses]]:
    """The accesses of each location, and the events that they need."""
    rows = np.array(sorted(chain.from_iterable(own for place in places for own in place.values())), np.int32)
    needs = needs_of(trace, rows)
    return [
        [_ThreadAccesses(t, own, needs[np.searchsorted(rows, np.array(own, np.int32))].T) for t, own in place.items()]
        for place in places
    ]


def _between(
    own: _ThreadAccesses,
    others: list[_ThreadAccesses],
    writes: list[bool],
    held: _Held,
    waits: list[int],
    near: bool,
) -> Iterator[tuple[int, int, int]]:
    for number, (first, last) in enumerate(pairwise(own.rows)):
        if bisect_left(waits, first) < bisect_left(waits, last):
            continue
        locks = [lock for lock, since in held[first].items() if held[last].get(lock) == since]
        for other in others:
            theirs = other.rows
            lowest = bisect_right(theirs, own.needs[other.thread][number])
            highest = bisect_left(other.needs[own.thread], last)
            here = bisect_left(theirs, last)
            begin, end = max(lowest, here - _NEAREST), max(lowest, min(highest, here + _NEAREST))
            rest = chain(reversed(theirs[lowest:begin]), theirs[end:highest])
            for between in theirs[begin:end] if near else rest:
                if (writes[first], writes[between], writes[last]) in _UNSERIALISABLE and not (
                    locks and any(lock in held[between] for lock in locks)
                ):
                    yield first, between, last
