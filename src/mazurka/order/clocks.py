"""Vector clocks for streaming orders, compiled.

The clock of a thread has for each thread the latest event that the thread *knows*, that is, that is ordered before its
next event: *the numbers of events are the time*. So no counters are needed, an epoch is an event, and the event that an
access is unordered with need not be looked up: it is the epoch that it was compared with. A thread knows all its own
events (``NOW``), which saves comparing threads.

``now[t]`` is the clock of thread t. A thread publishes its clock when it releases a lock, or writes a target whose
reads order: ``published[target] = (event, thread, row)``, with a ``row`` of shared clocks that holds the thread's
clock. A row is made only when the clock has changed since the thread last published (``shared[t]``); references to rows
are counted, and rows without references used again. A thread that knows the event of a publication knows the whole
published clock, so one comparison is enough.

Cost: a join of clocks is O(threads), a few nanoseconds for 64 threads (one loop over int32, which vectorises); all
other operations are O(1). Memory: 12 bytes a target, and 4 x threads for each row in use; there are at most as many
rows as targets with a publication, usually far fewer, since targets share rows.

Tree clocks (Mathur, Pavlogiannis, Tunc, Viswanathan, ASPLOS 2022) would skip entries that are known already. They would
gain nothing here: with the comparison above and a loop over 8 numbers at a time, happens-before takes hardly longer for
1,000 threads than for 64, and twice as long for 2,000.

Source: the epochs are those of Flanagan and Freund, "FastTrack: Efficient and Precise Dynamic Race Detection"
(PLDI 2009).
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from mazurka.jit.compile import inlined, inner
from mazurka.trace.event import READS, WRITES, Op

#: A thread's entry for itself: all events.
NOW: Final = 2**31 - 1

#: Kernels work in blocks of so many events; before each block every table needs room for one entry per event.
BLOCK: Final = 1024

# The effect on clocks of an operation that is no access.
NOTHING: Final = 0
LEARN: Final = 1
PUBLISH: Final = 2
PASS_ON: Final = 3  # join the published clock, then publish
FORK: Final = 4
JOIN: Final = 5

#: The codes of accesses, lower than all other codes.
READ: Final = int(Op.READ)
WRITE: Final = int(Op.WRITE)


def _effect(op: Op) -> int:
    match op:
        case Op.FORK:
            return FORK
        case Op.JOIN:
            return JOIN
        case Op.BEGIN | Op.END:
            return NOTHING  # the thread's FORK and JOIN order it
        case Op.ACQUIRE:
            return LEARN  # its write orders no events of threads
    return (NOTHING, LEARN, PUBLISH, PASS_ON)[READS[op] + 2 * WRITES[op]]


#: The effect of each operation, by its code.
EFFECTS: Final = np.array([_effect(op) for op in Op], np.int8)

# Kernels allocate no memory and keep no references.

#: Event -1 is known to all threads.
_UNPUBLISHED: Final = np.array([-1, 0, -1], np.int32)


class Clocks(NamedTuple):
    """See the module; all int32."""

    now: Any  # [threads, threads]
    shared: Any  # [threads] the row that equals the thread's clock, or -1
    published: Any  # [targets, 3] event, thread, row (-1: none); at first event -1 of thread 0
    rows: Any  # [rows, threads]
    uses: Any  # [rows] the number of references to it
    free: Any  # [rows] numbers of free rows, the first `spare` count
    spare: Any  # [1]
    fetched: Any  # [1] a sum that keeps reads for fetching from being optimised away


def clocks_for(threads: int, targets: int) -> Clocks:
    """Clocks in which no thread knows any event of another."""
    rows = 2 * BLOCK
    return Clocks(
        unaware(threads),
        np.full(threads, -1, np.int32),
        np.tile(_UNPUBLISHED, (targets, 1)),
        np.full((rows, threads), -1, np.int32),
        np.zeros(rows, np.int32),
        np.arange(rows, dtype=np.int32),
        np.array([rows], np.int32),
        np.zeros(1, np.int64),
    )


def unaware(threads: int) -> Any:
    """Clocks of threads each of which knows only its own events."""
    now = np.full((threads, threads), -1, np.int32)
    np.fill_diagonal(now, NOW)
    return now


def with_room(clocks: Clocks, threads: int, targets: int) -> Clocks:
    """The clocks with room for more threads and targets, and with rows for a block."""
    grown = clocks
    if threads > len(clocks.now):
        now = unaware(threads)
        now[: len(clocks.now), : len(clocks.now)] = clocks.now
        grown = grown._replace(
            now=now, shared=padded(clocks.shared, threads), rows=padded(clocks.rows.T, threads).T.copy()
        )
    if targets > len(clocks.published):
        published = np.tile(_UNPUBLISHED, (targets, 1))
        published[: len(clocks.published)] = clocks.published
        grown = grown._replace(published=published)
    if clocks.spare[0] < BLOCK:
        more = len(clocks.rows)
        grown = grown._replace(
            rows=lengthened(grown.rows, 2 * more),
            uses=padded(grown.uses, 2 * more, 0),
            free=with_more_free(grown.free, more),
            spare=grown.spare + more,
        )
    return grown


def padded(array: Any, length: int, fill: int = -1) -> Any:
    """The array with further entries."""
    made = np.full((length, *array.shape[1:]), fill, array.dtype)
    made[: len(array)] = array
    return made


def lengthened(array: Any, length: int) -> Any:
    """The array with further entries that have no value yet, nor memory."""
    made = np.empty((length, *array.shape[1:]), array.dtype)
    made[: len(array)] = array
    return made


def with_more_free(free: Any, more: int) -> Any:
    """A stack of free rows with ``more`` further rows beneath."""
    return np.concatenate([np.arange(more, 2 * more, dtype=np.int32), free])


@inlined
def take_row(pool):  # compiled, like all that follow
    """The number of a free row; there must be one."""
    pool.spare[0] -= 1
    return pool.free[pool.spare[0]]


@inlined
def give_row(pool, row):
    """Return a row to the pool's free ones."""
    pool.free[pool.spare[0]] = row
    pool.spare[0] += 1


@inlined
def move(clocks, op, thread, target, child, event):
    """The effect on clocks of an event that is no access; ``child`` is the thread that the target is, or -1."""
    effect = EFFECTS[op]
    if effect == LEARN:
        learn(clocks, thread, target)
    elif effect == PUBLISH:
        publish(clocks, thread, target, event)
    elif effect != NOTHING:
        _move_rarely(clocks, effect, thread, target, child, event)


@inner
def _move_rarely(clocks, effect, thread, target, child, event):
    if effect == PASS_ON:
        learn(clocks, thread, target)
        publish(clocks, thread, target, event)
    elif effect == FORK and child >= 0 and child != thread:
        forget_shared(clocks, child)
        learn_all(clocks.now[child], clocks.now[thread], thread, event)
        clocks.now[child, child] = NOW
    elif effect == JOIN and child >= 0 and child != thread:
        forget_shared(clocks, thread)
        learn_all(clocks.now[thread], clocks.now[child], child, event)


@inlined
def learn(clocks, thread, target):
    """Join the published clock into the thread's."""
    event, other, row = clocks.published[target, 0], clocks.published[target, 1], clocks.published[target, 2]
    if event > clocks.now[thread, other]:
        learn_all(clocks.now[thread], clocks.rows[row], other, event)
        forget_shared(clocks, thread)


@inlined
def copy(to, row):
    """Copy one row over another of the same length."""
    for each in range(len(to)):
        to[each] = row[each]


@inner
def learn_all(knows, published, other, event):
    """Join a published clock, that of thread ``other`` at ``event``."""
    for each in range(len(knows)):
        knows[each] = max(knows[each], published[each])
    knows[other] = event


@inlined
def publish(clocks, thread, target, event):
    """Publish the thread's clock. Needs a free row."""
    row = clocks.shared[thread]
    if row < 0:
        row = take_row(clocks)
        copy(clocks.rows[row], clocks.now[thread])
        clocks.rows[row, thread] = -1
        clocks.uses[row] = 1
        clocks.shared[thread] = row
    old = clocks.published[target, 2]
    if old != row:
        clocks.uses[row] += 1
        clocks.published[target, 2] = row
        if old >= 0:
            drop(clocks, old)
    clocks.published[target, 0] = event
    clocks.published[target, 1] = thread


@inner
def forget_shared(clocks, thread):
    """The thread's clock changes: no row equals it now."""
    row = clocks.shared[thread]
    if row >= 0:
        clocks.shared[thread] = -1
        drop(clocks, row)


@inlined
def drop(clocks, row):
    """Count one reference to a row less; a row without references becomes free."""
    clocks.uses[row] -= 1
    if clocks.uses[row] == 0:
        give_row(clocks, row)
