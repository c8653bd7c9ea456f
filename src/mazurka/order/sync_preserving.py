"""Sync-preserving races: those that show without sections of a lock changing places.

Definition (Mathur, Pavlogiannis, Viswanathan, POPL 2021, Definition 4 and Lemma 4.1). Two conflicting accesses of two
threads race if the smallest sync-preserving ideal (ideals.py) that contains what precedes each in its thread contains
neither of them. Taken in the order of the trace it is a correct reordering, after which both come next: every race is
real, :meth:`SyncPreserving.witness` gives the reordering. Every pair that races under schedulable happens-before
does so here.

An event is racy if an earlier one races with it. How that is found, for the events e2 of the trace in order:

- what thread 2 needs by itself is an ideal that only grows, one for each thread;
- earlier accesses are kept by variable, the locks held there (accesses that share a lock with e2 can't race with it),
  whether they write, and thread. Of each thread the first is tried that is not in the ideal: it is grown by what
  precedes that access. If it contains the access now, the next one that it does not contain is tried, and those
  it contains are never tried again by this thread, since ideals only grow. Otherwise they race.

The paper keeps an ideal for each variable and pair of threads; here those of pairs are made when needed, from the
thread's own.

Cost: O(1) for an access of a variable that one thread uses, that nobody writes, or that is always used under a common
lock (but for the number of sets of locks it is used under). Otherwise what it takes to grow the ideal: linear in the
sections and links between, mostly few. Memory: 8 bytes for each access of a variable that threads share, 24 for each
section and each read from another thread, 4 x threads x (threads + locks).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mazurka.order.clocks import BLOCK, jit, padded
from mazurka.order.ideals import (
    DATA,
    Ideal,
    Index,
    grow,
    ideal_for,
    index_for,
    index_of,
    is_full,
    kinds_of,
    locks_in,
    note,
    with_entries,
)
from mazurka.order.locksets import Locksets, disjoint, locksets_for, with_lock, with_sets
from mazurka.order.racy_events import RacyEvents, sorted_events
from mazurka.order.streaming import Columns, Sizes, columns_of, sizes_of
from mazurka.trace.event import Op
from mazurka.trace.trace import Trace
from mazurka.witness.witness import Races, Witness

_READ: Final = int(Op.READ)
_WRITE: Final = int(Op.WRITE)

#: In place of the thread that uses a variable: several do.
_SHARED: Final = -2


def races(trace: Trace, data: NDArray[np.bool_] | None = None) -> RacyEvents:
    """The racy events. Targets that are no ``data`` (by target; None: all are that are only read and written) order."""
    return races_of(columns_of(trace), sizes_of(trace), data)


def races_of(columns: Columns, sizes: Sizes, data: NDArray[np.bool_] | None = None) -> RacyEvents:
    """The racy events of a trace given as columns."""
    search = _search_for(columns, sizes, data)
    at = 0
    while at < len(columns.thread):
        at = _run(*columns, sizes.thread_of_target, at, search.index, search.sets, search.kept, search.ideals)
        search = search.with_room()
    found = search.kept.found[: search.kept.count[_FOUND]]
    return sorted_events(found[:, 0], found[:, 1])


class SyncPreserving:
    """A trace, to ask for reorderings. The index is built once, in O(events)."""

    def __init__(self, trace: Trace, data: NDArray[np.bool_] | None = None) -> None:
        self.trace = trace
        self.columns = columns_of(trace)
        self.index = index_of(self.columns, sizes_of(trace), data)

    def ideal(self, *events: int) -> NDArray[np.int32] | None:
        """The latest event of each thread in the smallest ideal that contains what precedes these events; None if it
        contains one of them. Cost: linear in the sections and links in it."""
        ideal = ideal_for(self.index)
        threads = self.columns.thread
        for event in events:
            ideal.need[threads[event]] = max(ideal.need[threads[event]], event - 1)
        grow(self.index, ideal)
        return None if any(ideal.until[threads[event]] >= event for event in events) else np.asarray(ideal.until)

    def order(self, *events: int) -> list[int] | None:
        """The steps of that ideal in the order of the trace. Cost: linear in the trace, some nanoseconds an event."""
        until = self.ideal(*events)
        if until is None:
            return None
        end = int(until.max(initial=-1)) + 1
        thread = self.columns.thread[: min(end, len(self.trace))]
        rows = np.flatnonzero(np.arange(len(thread), dtype=np.int32) <= until[thread])
        return list(dict.fromkeys(np.asarray(self.trace.step)[rows].tolist()))

    def witness(self, first: int, second: int) -> Witness | None:
        """For two conflicting accesses: the reordering after which both come next; None if they don't race here."""
        order = self.order(first, second)
        return None if order is None else Witness(tuple(order), claim=Races(first, second))


def witness_of(trace: Trace, first: int, second: int) -> Witness | None:
    """For one pair of events; for several ask a :class:`SyncPreserving`."""
    return SyncPreserving(trace).witness(first, second)


# Registers of what is kept.
_FOUND: Final = 0
_KEPT: Final = 1
_CLASSES: Final = 2
_CELLS: Final = 3
_MARKS: Final = 4


class _Kept(NamedTuple):
    """Accesses by variable, class (locks held, whether they write) and cell (thread). Arrays are int32; chains end
    with -1."""

    first_class: Any  # [targets]
    shared: Any  # [targets] whether accesses of it can race at all
    event: Any  # [accesses]
    next: Any  # [accesses] in the same cell
    class_next: Any  # [classes] of the same variable
    class_set: Any  # [classes]
    class_writes: Any  # [classes]
    class_cell: Any  # [classes] the first
    cell_next: Any  # [cells] of the same class
    cell_thread: Any  # [cells]
    cell_first: Any  # [cells]
    cell_last: Any  # [cells]
    cell_mark: Any  # [cells] row of marks, or -1
    mark: Any  # [marks, threads] the latest access of the cell that the thread's ideal, or a grown one, contained
    found: Any  # [capacity, 2] racy events and partners
    count: Any  # [5] registers
    set_of: Any  # [threads] the locks held


class _Ideals(NamedTuple):
    """What each thread needs by itself, and the one that is tried."""

    until: Any  # [threads, threads]
    need: Any  # [threads, threads]
    at: Any  # [threads, threads]
    top: Any  # [threads, locks]
    turn_of: Any  # [locks] zeros
    turn: Any  # [1] zero
    tried: Ideal


@dataclass(frozen=True, slots=True)
class _Search:
    index: Index
    sets: Locksets
    kept: _Kept
    ideals: _Ideals

    def with_room(self) -> _Search:
        index = with_entries(self.index)
        sets = with_sets(self.sets, int(index.count[1]))
        return _Search(index, sets, _with_room(self.kept), self.ideals)


_GROWING: Final = (
    (_FOUND, ("found",)),
    (_KEPT, ("event", "next")),
    (_CLASSES, ("class_next", "class_set", "class_writes", "class_cell")),
    (_CELLS, ("cell_next", "cell_thread", "cell_first", "cell_last", "cell_mark")),
    (_MARKS, ("mark",)),
)


def _with_room(kept: _Kept) -> _Kept:
    for register, names in _GROWING:
        capacity = len(getattr(kept, names[0]))
        if capacity - kept.count[register] < BLOCK:
            kept = kept._replace(**{name: padded(getattr(kept, name), 2 * capacity) for name in names})
    return kept


def _search_for(columns: Columns, sizes: Sizes, data: Any) -> _Search:
    kind = kinds_of(columns, sizes, data)
    index = index_for(sizes, kind)
    threads, locks = sizes.threads, locks_in(index)
    room = 4 * BLOCK
    chains: list[Any] = [np.full(room, -1, np.int32) for _ in range(11)]
    kept = _Kept._make(
        [
            np.full(len(kind), -1, np.int32),
            _contested(columns, len(kind)) & (kind == DATA),
            *chains,
            np.full((room, threads), -1, np.int32),
            np.full((room, 2), -1, np.int32),
            np.zeros(5, np.int64),
            np.zeros(threads, np.int32),
        ]
    )
    own = np.full((threads, threads), -1, np.int32)
    ideals = _Ideals(
        own,
        own.copy(),
        np.tile(np.arange(threads, dtype=np.int32), (threads, 1)),
        np.full((threads, locks), -1, np.int32),
        np.zeros(locks, np.int32),
        np.zeros(1, np.int32),
        ideal_for(index),
    )
    return _Search(index, locksets_for(), kept, ideals)


def _contested(columns: Columns, targets: int) -> Any:
    """Which targets several threads touch, and some thread writes."""
    user, written = np.full(targets, -1, np.int32), np.zeros(targets, np.bool_)
    _use(*columns, user, written)
    return (user == _SHARED) & written


@jit
def _use(thread, op, target, user, written):  # type: ignore[no-untyped-def]  # compiled, like all that follow
    for i in range(len(thread)):
        x = target[i]
        if user[x] != thread[i]:
            user[x] = thread[i] if user[x] == -1 else _SHARED
        if op[i] == _WRITE:
            written[x] = True


@jit
def _run(thread, op, target, child, at, index, sets, kept, ideals):  # type: ignore[no-untyped-def]
    """Go on from row ``at`` as long as there is room; where it stopped."""
    size = len(thread)
    while at < size and not _is_full(index, sets, kept):
        for i in range(at, min(at + BLOCK, size)):
            t, x, event = thread[i], target[i], np.int32(i)
            touches = op[i] <= _WRITE
            if touches and not kept.shared[x] and index.kind[x] == DATA and index.forked[t, 0] < 0:
                index.passed[t] = event
                continue
            section = note(index, t, op[i], x, child[x], event)
            if touches:
                if kept.shared[x]:
                    _access(index, sets, kept, ideals, t, x, op[i] == _WRITE, event)
            elif section >= 0:
                _hold(index, sets, kept, t, section)
                if is_full(index) or len(sets.lock) - sets.count[0] <= index.count[1] + 2:
                    return i + 1
        at = min(at + BLOCK, size)
    return at


@jit
def _is_full(index, sets, kept):  # type: ignore[no-untyped-def]
    return (
        is_full(index)
        or len(sets.lock) - sets.count[0] <= BLOCK
        or len(kept.found) - kept.count[_FOUND] < BLOCK
        or len(kept.event) - kept.count[_KEPT] < BLOCK
        or len(kept.class_set) - kept.count[_CLASSES] < BLOCK
        or len(kept.cell_thread) - kept.count[_CELLS] < BLOCK
    )


@jit
def _hold(index, sets, kept, t, section):  # type: ignore[no-untyped-def]
    """The thread has taken or given back a lock."""
    lock, held = index.lock[section], kept.set_of[t]
    if index.other[section] < 0:
        kept.set_of[t] = with_lock(sets, held, lock)
    elif sets.lock[held] == lock:
        kept.set_of[t] = sets.smaller[held]
    else:
        held = 0
        for each in range(index.depth[t]):
            held = with_lock(sets, held, index.lock[index.held[t, each]])
        kept.set_of[t] = held


@jit
def _access(index, sets, kept, ideals, t, x, writes, event):  # type: ignore[no-untyped-def]
    partner = _partner(index, sets, kept, ideals, t, x, writes, event)
    if partner >= 0:
        kept.found[kept.count[_FOUND], 0] = event
        kept.found[kept.count[_FOUND], 1] = partner
        kept.count[_FOUND] += 1
    _keep(kept, t, x, writes, event)


@jit
def _partner(index, sets, kept, ideals, t, x, writes, event):  # type: ignore[no-untyped-def]
    """An earlier access that races with this one, or -1."""
    own = Ideal(
        ideals.until[t], ideals.need[t], ideals.at[t], ideals.top[t], ideals.turn_of, ideals.turn, ideals.top[t]
    )
    tried = ideals.tried
    tried = Ideal(tried.until, tried.need, tried.at, tried.top, tried.turn_of, tried.turn, ideals.top[t])
    number = kept.first_class[x]
    while number >= 0:
        if (writes or kept.class_writes[number]) and disjoint(sets, kept.class_set[number], kept.set_of[t]):
            cell = kept.class_cell[number]
            while cell >= 0:
                if kept.cell_thread[cell] != t:
                    if own.need[t] < event - 1:
                        own.need[t] = event - 1
                        grow(index, own)
                    partner = _try(index, kept, own, tried, cell, t)
                    if partner >= 0:
                        return partner
                cell = kept.cell_next[cell]
        number = kept.class_next[number]
    return -1


@jit
def _try(index, kept, own, tried, cell, t):  # type: ignore[no-untyped-def]
    """An access of the cell that races with what thread ``t`` does next, or -1."""
    thread = kept.cell_thread[cell]
    access = _first_beyond(kept, cell, t, own.until[thread])
    if access < 0:
        return -1
    for each in range(len(own.until)):
        tried.until[each] = tried.need[each] = own.until[each]
        tried.at[each] = own.at[each]
    tried.turn[0] += 1
    while access >= 0:
        event = kept.event[access]
        tried.need[thread] = max(tried.need[thread], event - 1)
        grow(index, tried)
        if tried.until[thread] < event:
            return event
        access = _first_beyond(kept, cell, t, tried.until[thread])
    return -1


@jit
def _first_beyond(kept, cell, t, until):  # type: ignore[no-untyped-def]
    """The first access of the cell after ``until``, or -1. Those before are marked, so as not to be met again."""
    row = kept.cell_mark[cell]
    last = kept.mark[row, t] if row >= 0 else -1
    following = kept.next[last] if last >= 0 else kept.cell_first[cell]
    if following < 0 or kept.event[following] > until:
        return following
    while following >= 0 and kept.event[following] <= until:
        last = following
        following = kept.next[last]
    if row < 0 and kept.count[_MARKS] < len(kept.mark):
        row = kept.cell_mark[cell] = kept.count[_MARKS]
        kept.count[_MARKS] += 1
    if row >= 0:
        kept.mark[row, t] = last
    return following


@jit
def _keep(kept, t, x, writes, event):  # type: ignore[no-untyped-def]
    cell = _cell(kept, _class(kept, x, kept.set_of[t], writes), t)
    access = kept.count[_KEPT]
    kept.count[_KEPT] += 1
    kept.event[access] = event
    kept.next[access] = -1
    if kept.cell_first[cell] < 0:
        kept.cell_first[cell] = access
    else:
        kept.next[kept.cell_last[cell]] = access
    kept.cell_last[cell] = access


@jit
def _class(kept, x, held, writes):  # type: ignore[no-untyped-def]
    number = kept.first_class[x]
    while number >= 0:
        if kept.class_set[number] == held and kept.class_writes[number] == writes:
            return number
        number = kept.class_next[number]
    number = kept.count[_CLASSES]
    kept.count[_CLASSES] += 1
    kept.class_next[number] = kept.first_class[x]
    kept.first_class[x] = number
    kept.class_set[number], kept.class_writes[number], kept.class_cell[number] = held, writes, -1
    return number


@jit
def _cell(kept, number, t):  # type: ignore[no-untyped-def]
    cell = kept.class_cell[number]
    while cell >= 0:
        if kept.cell_thread[cell] == t:
            return cell
        cell = kept.cell_next[cell]
    cell = kept.count[_CELLS]
    kept.count[_CELLS] += 1
    kept.cell_next[cell] = kept.class_cell[number]
    kept.class_cell[number] = cell
    kept.cell_thread[cell] = t
    return cell
