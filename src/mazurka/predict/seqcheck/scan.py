"""The pass over the trace that chooses the pairs of accesses to ask about (SeqCheck, section 4, and Algorithm 5's first
loop).

The pass keeps for each thread the events that must come before its next event in every reordering: by program order,
forks and joins, and for each read that counts its source (and, if write and read are in sections of the same lock, the
end of the write's section). Two conflicting accesses are asked about unless the first must come before the second, or
both hold a common lock. Reads since a thread's last branch count from its next branch on.

The accesses of a thread to one location are kept as a list from the last to the first, with runs of accesses of the
same kind under the same locks, so that a whole run is skipped if one of its accesses has a lock in common. The last
access that does not hold the *guard* of the location (the lock held at the first access with a lock) is kept apart: an
access that holds the guard is compared with that access and earlier ones only.

``each`` is the unit for which one race is enough: each pair of accesses (all are asked about), each later access (a
*racy event*), each pair of places in the source, or (EVENT | PLACE) each of the latter two. At most ``limit`` questions
are asked for one unit, the nearest pairs first; ``count`` has the number of units for which these were not enough.

If there is a ``pool``, it receives the rows that prove the races.

Cost: O(threads) for each event that accesses a location that another thread touches, and the questions.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from mazurka.predict.seqcheck.cone import Cone, frees, is_loose, is_open
from mazurka.predict.seqcheck.decide import NO, YES, decide
from mazurka.predict.seqcheck.index import (
    BOTH,
    BRANCH,
    ENTER,
    JOIN,
    LEAVE,
    LOOK,
    NONE,
    NOTHING,
    READ,
    WRITE,
    Ints,
    TraceIndex,
)

#: The unit for which one race is enough.
PAIR, EVENT, PLACE = 0, 1, 2

#: The reasons why a pass stops: it has reached the end, there is no room for races, or none for pairs of places.
FAR_ENOUGH, NO_ROOM, CROWDED = range(3)

_PROVED: Final = -1

#: For each question that may be asked about an access, at most so many earlier accesses are looked at.
_STEPS: Final = 64

#: The number of common locks of all accesses of a location that are kept.
_LOCKS: Final = 4


class ScanState(NamedTuple):
    """The state of the pass."""

    must: Ints  # by thread and other thread: how many events of the other must come before its next event
    value: Ints  # the same for the values that it writes; without branches the same array
    written_of: Ints  # by target: its row in ``written``, or NONE
    written: Ints  # by row and thread: how many of its events the value last written needs
    last_of: Ints  # by target: its row in ``last``, or NONE
    last: Ints  # by row and thread: its last access
    guard: Ints  # by row of ``last``: the lock held at the first access that held a lock, or NONE
    odd: Ints  # by row and thread: its last access without this lock
    before: Ints  # by event: the thread's access of the location before
    run: Ints  # by event: the thread's last access of the location before the run
    site: Ints  # by row of the trace
    pair: Ints  # a hash table of pairs of places: the two, the number of questions or _PROVED
    found: Ints  # two events, the answer; the row where its window begins, whether reads do not count, where its rows
    # begin in the pool, and end
    pool: Ints  # rows
    count: Ints  # races found, pairs in the table, accesses or pairs of places not asked about
    # to the end, questions, those of which the answer is no, rows in the pool


def touch(index: TraceIndex, threads_of: Ints, locks: Ints) -> None:
    """Compute for each target its thread (-2: several), whether it is written, and some locks that all its accesses
    hold."""
    events, kinds, targets, threads, inside = index.event, index.kind, index.target, index.thread, index.inside
    for row in range(len(events)):
        e = events[row]
        kind, x = kinds[e], targets[e]
        if kind < READ or kind > LOOK:
            continue
        t = threads[e]
        if threads_of[x, 0] == NONE:
            threads_of[x, 0] = t
            _hold(index, e, locks, x)
        else:
            if threads_of[x, 0] != t:
                threads_of[x, 0] = -2
            if inside[e] == NONE:
                locks[x, 0] = locks[x, 1] = locks[x, 2] = locks[x, 3] = NONE
            elif locks[x, 1] != NONE or locks[x, 0] != targets[inside[e]]:  # otherwise the innermost is the only one
                _still_held(index, e, locks, x)
        if kind in (WRITE, BOTH):
            threads_of[x, 1] = 1


def _hold(index: TraceIndex, e: int, locks: Ints, x: int) -> None:
    number, a = 0, index.inside[e]
    while a != NONE and number < _LOCKS:
        if is_open(index, a, e):
            locks[x, number] = index.target[a]
            number += 1
        a = index.inside[a]


def _still_held(index: TraceIndex, e: int, locks: Ints, x: int) -> None:
    for number in range(_LOCKS):
        if locks[x, number] != NONE:
            a = index.inside[e]
            while a != NONE and not (index.target[a] == locks[x, number] and is_open(index, a, e)):
                a = index.inside[a]
            if a == NONE:
                locks[x, number] = NONE


def scan(
    index: TraceIndex, cone: Cone, slot: Ints, state: ScanState, begin: int, end: int, each: int, limit: int
) -> tuple[int, int]:
    """Process the rows from ``begin`` to ``end``; returns the row reached, and the reason.

    The code for most events is in this function, with arrays in local variables: numba counts references to an array
    each time it is taken out of a tuple.
    """
    happen, before = np.empty(0, np.int64), np.empty((0, 2), np.int64)
    asked = np.empty(2, np.int64)
    events, kinds, targets, written_of, last_of = index.event, index.kind, index.target, state.written_of, state.last_of
    threads, links, starts, inside = index.thread, index.link, index.starts, index.inside
    value, written, must, last, odd, guard = state.value, state.written, state.must, state.last, state.odd, state.guard
    earlier, run, site, rows = state.before, state.run, state.site, index.row
    for row in range(begin, end):
        e = events[row]
        kind, t = kinds[e], threads[e]
        if kind in (NOTHING, ENTER, LEAVE):
            continue
        if READ <= kind <= LOOK:
            x = last_of[targets[e]]
            if x != NONE:
                if state.count[0] + limit > len(state.found) or 2 * state.count[5] > len(state.pool):
                    return row, NO_ROOM
                if 2 * (state.count[1] + _STEPS * limit) > len(state.pair):
                    return row, CROWDED
                own = _held(links, inside, inside[e], e)
                guarded = _is_guarded(targets, links, inside, own, e, guard, x)
                if _has_other(odd if guarded else last, x, t, starts, must):
                    _ask_all(index, cone, slot, state, e, x, own, guarded, each, limit, happen, before, asked)
                one = earlier[e] = run[e] = last[x, t]
                if _goes_on(kinds, targets, links, inside, site, rows, one, e):
                    run[e] = run[one]
                last[x, t] = e
                if not guarded:
                    odd[x, t] = e
        x, other = written_of[targets[e]], links[e]
        if kind == READ:
            if x == NONE or other == NONE or threads[other] == t:
                continue
            u = threads[other]
            if value[t, u] > other - starts[u] and (
                inside[other] == NONE or inside[e] == NONE or value[t, u] > links[inside[other]] - starts[u]
            ):
                continue
        elif kind == WRITE and other == NONE:
            if x != NONE:
                _copy(written, x, value, t)
                written[x, t] = e - starts[t] + 1
            continue
        _follow(index, state, e)
    return end, FAR_ENOUGH


# -- predecessors -----------------------------------------------------------------------------------------------------


def _follow(index: TraceIndex, state: ScanState, e: int) -> None:
    """Process an event that is no access."""
    t, kind, x = index.thread[e], index.kind[e], state.written_of[index.target[e]]
    position = e - index.starts[t]
    if kind == JOIN:
        u = index.thread[index.link[e]]
        _join(state.must, t, state.must, u, u, index.link[e] - index.starts[u] + 1)
        _join(state.value, t, state.must, u, u, index.link[e] - index.starts[u] + 1)
    elif kind == BRANCH:
        _copy(state.must, t, state.value, t)
    elif x != NONE:
        source = index.link[e]
        if kind != WRITE and source != NONE and index.thread[source] != t and not is_loose(index, e):
            _read(index, state, e, x, source)
        if kind in (WRITE, BOTH):
            _copy(state.written, x, state.value, t)
            state.written[x, t] = position + 1
    if kind == WRITE and index.link[e] != NONE:
        u = index.thread[index.link[e]]
        _join(state.must, u, state.must, t, t, position + 1)
        _join(state.value, u, state.must, t, t, position + 1)


def _read(index: TraceIndex, state: ScanState, e: int, x: int, source: int) -> None:
    """Process a read, or an operation that orders threads: the latter count by themselves, and the values they read do
    not matter."""
    t, u = index.thread[e], index.thread[source]
    if index.kind[e] == READ or len(index.guard) == 0:
        least = source - index.starts[u] + 1
        if state.value[t, u] < least:
            _join(state.value, t, state.written, x, u, least)
        if index.inside[source] != NONE and index.inside[e] != NONE:
            _left_before(index, state.value, t, u, source, e)
    else:
        for clocks in (state.must, state.value):
            clocks[t, u] = max(clocks[t, u], source - index.starts[u] + 1)


def _copy(clocks: Ints, row: int, other: Ints, t: int) -> None:
    for v in range(len(other)):
        clocks[row, v] = other[t, v]


def _join(clocks: Ints, t: int, other: Ints, row: int, u: int, least: int) -> None:
    """Join a row of another array, and ``least`` events of thread ``u``, into a thread's clock."""
    for v in range(len(clocks)):
        if other[row, v] > clocks[t, v]:
            clocks[t, v] = other[row, v]
    if least > clocks[t, u]:
        clocks[t, u] = least


def _left_before(index: TraceIndex, clocks: Ints, t: int, u: int, write: int, read: int) -> None:
    """A section in which a value was written ends before a section of the same lock in which it is read."""
    a = index.inside[write]
    while a != NONE:
        if is_open(index, a, write) and index.link[a] != NONE:
            b = index.inside[read]
            while b != NONE:
                if index.target[b] == index.target[a] and is_open(index, b, read):
                    clocks[t, u] = max(clocks[t, u], index.link[a] - index.starts[u] + 1)
                b = index.inside[b]
        a = index.inside[a]


# -- pairs ------------------------------------------------------------------------------------------------------------


def _has_other(last: Ints, x: int, t: int, starts: Ints, must: Ints) -> bool:
    """Whether another thread has an access of the location that need not come before this thread's next event."""
    for u in range(len(must)):
        if u != t and last[x, u] != NONE and last[x, u] - starts[u] >= must[t, u]:
            return True
    return False


def _is_guarded(targets: Ints, links: Ints, inside: Ints, own: int, e: int, guard: Ints, x: int) -> bool:
    """Whether an access holds the guard of its location."""
    if guard[x] == NONE and own != NONE:
        guard[x] = targets[own]
    return _holds(targets, links, inside, own, e, guard[x])


def _goes_on(
    kinds: Ints, targets: Ints, links: Ints, inside: Ints, site: Ints, rows: Ints, one: int, other: int
) -> bool:
    """Whether an access is in one run with an earlier one: of the same kind, under the same locks, at the same
    place."""
    if one == NONE or kinds[one] != kinds[other] or site[rows[one]] != site[rows[other]]:
        return False
    a, b = _held(links, inside, inside[one], one), _held(links, inside, inside[other], other)
    while a != NONE and b != NONE and targets[a] == targets[b]:
        a, b = _held(links, inside, inside[a], one), _held(links, inside, inside[b], other)
    return bool(a == NONE and b == NONE)


def _held(links: Ints, inside: Ints, acquire: int, e: int) -> int:
    """The latest section from ``acquire`` back that is open before an event."""
    while acquire != NONE and links[acquire] != NONE and links[acquire] < e:
        acquire = inside[acquire]
    return acquire


def _share_lock(targets: Ints, links: Ints, inside: Ints, own: int, e: int, other: int) -> bool:
    """Whether two events are in sections of a common lock; ``own`` is the latest section of ``e``."""
    b = _held(links, inside, inside[other], other)
    while b != NONE:
        if _holds(targets, links, inside, own, e, targets[b]):
            return True
        b = _held(links, inside, inside[b], other)
    return False


def _holds(targets: Ints, links: Ints, inside: Ints, own: int, e: int, lock: int) -> bool:
    """Whether an event is in a section of a lock; ``own`` is the latest of its sections."""
    while own != NONE and targets[own] != lock:
        own = _held(links, inside, inside[own], e)
    return own != NONE


def _ask_all(
    index: TraceIndex,
    cone: Cone,
    slot: Ints,
    state: ScanState,
    e: int,
    x: int,
    own: int,
    guarded: bool,
    each: int,
    limit: int,
    happen: Ints,
    before: Ints,
    asked: Ints,
) -> None:
    """Ask about an access and earlier ones of other threads. ``own``: the latest section that it is in, ``guarded``:
    whether it holds the guard of the location, so that it can't race with others that do."""
    starts, kinds, targets, links, inside = index.starts, index.kind, index.target, index.link, index.inside
    must, run = state.must, state.run
    last, writes = state.odd if guarded else state.last, kinds[e] in (WRITE, BOTH)
    t, tried, steps, begun, racy = index.thread[e], 0, 0, state.count[0], False
    for u in range(len(starts) - 1):
        other = last[x, u] if u != t else NONE
        while other != NONE and other - starts[u] >= must[t, u]:
            steps += 1
            if tried == limit or steps > _STEPS * limit:
                state.count[2] += 1
                return
            if not (writes or kinds[other] in (WRITE, BOTH)) or (
                own != NONE and _share_lock(targets, links, inside, own, e, other)
            ):
                other = run[other]
                continue
            place = _place_of(state, index.row[other], index.row[e], limit) if each & PLACE else 0
            if place == NONE and (racy or not each & EVENT):
                other = run[other]
                continue
            tried += 1
            asked[0], asked[1] = other, e
            state.count[3] += 1
            answer, since, rows = decide(index, cone, slot, happen, asked, before, len(state.pool) > 0)
            if answer == NO:
                state.count[4] += 1
            else:
                if answer == YES and each == EVENT:
                    state.count[0] = begun
                _report(state, other, e, answer)
                if answer == YES and len(state.pool) > 0:
                    _tell(state, since, rows, frees(index, cone))
                if answer == YES and each == EVENT:
                    return
                if answer == YES and place != NONE and each & PLACE:
                    state.pair[place, 2] = _PROVED
                racy = racy or answer == YES
            other = state.before[other]


def _report(state: ScanState, one: int, other: int, answer: int) -> None:
    new = state.count[0]
    state.found[new, 0], state.found[new, 1], state.found[new, 2], state.found[new, 5] = one, other, answer, NONE
    state.count[0] += 1


def _tell(state: ScanState, since: int, rows: Ints, free: bool) -> None:
    """Store the rows that prove the race reported last, if there is room."""
    last, begin = state.count[0] - 1, state.count[5]
    if begin + len(rows) <= len(state.pool):
        for i in range(len(rows)):
            state.pool[begin + i] = rows[i]
        state.count[5] += len(rows)
        state.found[last, 3], state.found[last, 4] = since, int(free)
        state.found[last, 5], state.found[last, 6] = begin, state.count[5]


def _place_of(state: ScanState, one: int, other: int, limit: int) -> int:
    """Count a question about a pair of places; returns its slot in the table, or NONE if no more are to be asked."""
    low, high = min(state.site[one], state.site[other]), max(state.site[one], state.site[other])
    at = hash_of(low, high, len(state.pair))
    while state.pair[at, 2] != 0 and (state.pair[at, 0] != low or state.pair[at, 1] != high):
        at = (at + 1) % len(state.pair)
    if state.pair[at, 2] == _PROVED:
        return NONE
    if state.pair[at, 2] == 0:
        state.count[1] += 1
        state.pair[at, 0], state.pair[at, 1] = low, high
    if state.pair[at, 2] > limit:
        return NONE
    state.pair[at, 2] += 1
    if state.pair[at, 2] > limit:
        state.count[2] += 1
        return NONE
    return int(at)


def hash_of(low: int, high: int, size: int) -> int:
    """The slot at which the search for a pair of places begins."""
    return int((int(low) * 1_000_003 + int(high) * 7_919) % size)
