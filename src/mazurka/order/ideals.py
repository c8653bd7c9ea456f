"""Sync-preserving ideals: the events that must happen, in their order, so that some events can come next. Compiled.

Definition (Mathur, Pavlogiannis, Viswanathan, "Optimal Prediction of Synchronization-Preserving Races", POPL
2021). An ideal is a set of events that contains

- with an event all earlier ones of its thread, the fork of its thread, and all events of a thread that it joins;
- with a read the write that it takes its value from;
- with two acquires of a lock the release of the first: sections are in the order of the trace, if both take place.

In the order of the trace, an ideal is a correct reordering. If sections of a lock do not change places, some events can
come next together if, and only if, the smallest ideal that contains their predecessors in their threads contains none
of them.

An ideal is represented by ``until[thread]``, its latest event of each thread. It grows by passing, thread by thread,
the events that require others: *links* (a read of another thread's write, the first event after a fork, a join) and
*sections*. ``top[lock]`` is the latest section in it; when another one is added, the earlier of the two has to be left.
Required events always come earlier in the trace than the events that require them.

For locks that are looked at (try-locks), conditions and the like, each operation that reads needs the one that wrote
last, which keeps their order. Sections need not be nested; inner sections of a lock that is held already are left out.

Cost: to build the index O(1) an event; 20 bytes for each section and link, 17 for each target. An ideal costs
some nanoseconds for each section and link in it, once if it grows monotonically.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from mazurka.jit.compile import inner, jit
from mazurka.order.clocks import BLOCK, padded
from mazurka.order.locksets import (
    LockSets,
    common,
    contains,
    give_back,
    held_by,
    is_tight,
    take,
    takes_again,
    with_sets,
)
from mazurka.order.streaming import EventColumns, Sizes
from mazurka.trace.event import READS, WRITES, Op

_WRITE, _ACQUIRE, _RELEASE = int(Op.WRITE), int(Op.ACQUIRE), int(Op.RELEASE)
_FORK, _JOIN, _BEGIN, _END = int(Op.FORK), int(Op.JOIN), int(Op.BEGIN), int(Op.END)

# Kinds of targets.
ORDERED: Final = 0
LOCK: Final = 1
DATA: Final = 2

_READS: Final = np.array(READS)
_WRITES: Final = np.array(WRITES)
_LOCKING: Final = sum(1 << op for op in (Op.ACQUIRE, Op.RELEASE, Op.REQUEST))
_TOUCHING: Final = sum(1 << op for op in (Op.READ, Op.WRITE))

#: In ``until``: all events of a thread.
ALL: Final = 2**31 - 1


class DependencyIndex(NamedTuple):
    """The events that require others, in the order of the trace. Arrays are int32."""

    next: Any  # [entries] the next entry of the same thread, or -1; entry t < threads precedes the first of thread t
    event: Any  # [entries]
    lock: Any  # [entries] the number of a section's lock among the locks; -1: a link
    other: Any  # [entries] the event required: a section's release, -1 while it is open; a link's source
    thread: Any  # [entries] of ``other``
    size: Any  # [1] entries
    latest: Any  # [threads] the latest entry
    passed: Any  # [threads] the latest event
    forked: Any  # [threads, 2] the fork that the next event of the thread needs, or -1; its thread
    known: Any  # [threads, threads] the latest event of the other thread that a link requires
    written: Any  # [targets, 2] event and thread of the latest write
    kind: Any  # [targets] int8
    number: Any  # [targets] the number of a lock among the locks


def kinds_of(columns: EventColumns, sizes: Sizes, data: Any = None) -> Any:
    """The kind of each target: data if it is only read and written (and among ``data``), a lock if it is only acquired,
    released and requested."""
    met = np.zeros(max(sizes.targets, 1), np.int32)
    _meet(columns.op, columns.target, met)
    touched = (met & ~_TOUCHING) == 0
    locking = ((met & ~_LOCKING) == 0) & (met != 0)
    return np.where(locking, LOCK, np.where(touched if data is None else touched & data, DATA, ORDERED)).astype(np.int8)


def index_for(sizes: Sizes, kind: Any) -> DependencyIndex:
    """An index of no events; ``kind`` is int8 by target, as :func:`kinds_of` gives it."""
    threads, capacity = sizes.threads, sizes.threads + 4 * BLOCK
    entries: list[Any] = [np.full(capacity, -1, np.int32) for _ in range(5)]
    return DependencyIndex._make(
        [
            *entries,
            np.array([threads], np.int64),
            np.arange(threads, dtype=np.int32),
            np.full(threads, -1, np.int32),
            np.full((threads, 2), -1, np.int32),
            np.full((threads, threads), -1, np.int32),
            np.full((max(sizes.targets, 1), 2), -1, np.int32),
            kind,
            np.cumsum(kind == LOCK, dtype=np.int32) - np.int32(1),
        ]
    )


def with_entries(index: DependencyIndex) -> DependencyIndex:
    """The index with room for the additions of a block."""
    if len(index.event) - index.size[0] >= 3 * BLOCK:
        return index
    grown = {name: padded(getattr(index, name), 2 * len(index.event)) for name in DependencyIndex._fields[:5]}
    return index._replace(**grown)


class Guards(NamedTuple):
    """The locks under which variables are used. Arrays are int32."""

    wanted: Any  # [targets] bool, whether its locks are to be determined
    common: Any  # [targets] the set of locks held at all uses, -1 if there were no uses
    main: Any  # [targets] a lock that is held at most uses, if there is one
    votes: Any  # [targets]


def index_of(
    columns: EventColumns, sizes: Sizes, kind: Any, wanted: Any = None
) -> tuple[DependencyIndex, LockSets, Guards]:
    """The index of a whole trace, the sets of locks in it, and the locks under which the variables ``wanted`` are
    used."""
    targets = len(kind)
    unknown: list[Any] = [np.full(targets, -1, np.int32) for _ in range(3)]
    guards = Guards(np.zeros(targets, np.bool_) if wanted is None else wanted, *unknown)
    index, held = index_for(sizes, kind), held_by(sizes.threads)
    at = 0
    while at < len(columns.thread):
        at = _note_all(*columns, sizes.thread_of_target, at, index, held, guards)
        index, held = with_entries(index), with_sets(held)
    return index, held, guards


class Ideal(NamedTuple):
    """A set of events that grows: from the empty set, or, for trial number ``turn``, from the state of another ideal.

    ``top[lock]`` is valid if ``turn_of[lock]`` is the turn; otherwise the top is that of the other ideal, in ``below``.
    """

    until: Any  # [threads] the latest event in it
    need: Any  # [threads] the latest event that has to be in it
    at: Any  # [threads] the latest entry passed
    top: Any  # [locks] the latest section passed, or -1
    turn_of: Any  # [locks]
    turn: Any  # [1]
    below: Any  # [locks]


def ideal_for(index: DependencyIndex) -> Ideal:
    """An empty ideal that does not grow from another."""
    threads, locks = len(index.latest), locks_in(index)
    top = np.full(locks, -1, np.int32)
    return Ideal(
        np.full(threads, -1, np.int32),
        np.full(threads, -1, np.int32),
        np.arange(threads, dtype=np.int32),
        top,
        np.zeros(locks, np.int32),
        np.zeros(1, np.int32),
        top,
    )


def locks_in(index: DependencyIndex) -> int:
    """The number of targets that are locks."""
    return int(index.number[-1]) + 1


@jit
def _meet(op, target, met):  # compiled, like all that follow
    for i in range(len(op)):
        met[target[i]] |= 1 << op[i]


@jit
def _note_all(thread, op, target, child, at, index, held, guards):
    """Enter events from row ``at`` on, as long as there is room; returns the row reached."""
    size = len(thread)
    while at < size and len(index.event) - index.size[0] >= 3 * BLOCK:
        end = min(at + BLOCK, size)
        for i in range(at, end):
            t, x = thread[i], target[i]
            if op[i] <= _WRITE and guards.wanted[x]:
                _judge(held, guards, x, held.set_of[t])
            _note(index, held, t, op[i], x, child[x], np.int32(i))
            if is_tight(held):
                return i + 1
        at = end
    return at


@inner
def _judge(held, guards, x, now):
    guards.common[x] = now if guards.common[x] < 0 else common(held, guards.common[x], now)
    if guards.main[x] >= 0 and contains(held, now, guards.main[x]):
        guards.votes[x] += 1
    elif guards.votes[x] > 0:
        guards.votes[x] -= 1
    elif now:
        guards.main[x] = held.lock[now]
        guards.votes[x] = 1


@inner
def _note(index, held, t, op, x, child, event):
    """Enter an event; events come in the order of the trace."""
    if index.forked[t, 0] >= 0:  # required before the thread's first event
        _link(index, t, index.forked[t, 0], index.forked[t, 0], index.forked[t, 1])
        index.forked[t, 0] = -1
    if index.kind[x] == LOCK:
        lock = index.number[x]
        if op == _ACQUIRE and not takes_again(held, t, lock):
            take(held, t, lock, _append(index, t, event, lock, -1, t))
        elif op == _RELEASE:
            section = give_back(held, t, lock)
            if section >= 0:
                index.other[section] = event
    elif op == _FORK:
        if child >= 0:
            index.forked[child, 0] = event
            index.forked[child, 1] = t
    elif op == _JOIN:
        if child >= 0 and index.passed[child] >= 0:
            _link(index, t, event, index.passed[child], child)
        if child >= 0 and index.forked[child, 0] >= 0:  # the child has had no event since
            _link(index, t, event, index.forked[child, 0], index.forked[child, 1])
    elif op not in (_BEGIN, _END):  # fork and join order the thread; targets of BEGIN and END are ignored
        if _READS[op] and index.written[x, 0] >= 0:
            _link(index, t, event, index.written[x, 0], index.written[x, 1])
        if _WRITES[op]:
            index.written[x, 0] = event
            index.written[x, 1] = t
    index.passed[t] = event


@inner
def _link(index, t, event, source, thread):
    """Add a link, unless earlier links of the thread require the same."""
    if thread != t and source > index.known[t, thread]:
        index.known[t, thread] = source
        _append(index, t, event, -1, source, thread)


@inner
def _append(index, t, event, lock, other, thread):
    entry = index.size[0]
    index.size[0] += 1
    index.next[index.latest[t]] = entry
    index.latest[t] = entry
    index.event[entry], index.lock[entry] = event, lock
    index.other[entry], index.thread[entry] = other, thread
    return entry


@jit
def grow(index, ideal):
    """Add the required events, transitively."""
    grew = True
    while grew:
        grew = False
        for thread in range(len(ideal.until)):
            if ideal.need[thread] > ideal.until[thread]:
                ideal.until[thread] = ideal.need[thread]
                _pass(index, ideal, thread)
                grew = True


@inner
def _pass(index, ideal, thread):
    """Pass the entries up to the latest event of a thread in the ideal."""
    entry, until = ideal.at[thread], ideal.until[thread]
    following = index.next[entry]
    while following >= 0 and index.event[following] <= until:
        entry = following
        following = index.next[entry]
        asks = entry if index.lock[entry] < 0 else _pass_section(ideal, index.lock[entry], entry)
        if asks >= 0:
            other = index.thread[asks]
            event = index.other[asks] if index.other[asks] >= 0 else ALL
            ideal.need[other] = max(ideal.need[other], event)
    ideal.at[thread] = entry


@inner
def _pass_section(ideal, lock, section):
    """Add a section; returns the section that has to be left for that, or -1."""
    top = ideal.top[lock] if ideal.turn_of[lock] == ideal.turn[0] else ideal.below[lock]
    if section < top:
        return section
    ideal.top[lock] = section
    ideal.turn_of[lock] = ideal.turn[0]
    return top
