"""Vector clocks for streaming orders, compiled.

A clock says of each thread which of its events is the latest that is known: *the numbers of events are the time*. So
nothing has to be counted up, an epoch is an event, and what an access is unordered with need not be looked up: it is
the epoch that it was compared with. A thread knows all of its own (``NOW``), which spares comparing threads.

``now[t]`` is the clock of thread t. What a thread publishes (giving back a lock, or writing where reads order) is
``published[target] = (event, thread, row)``, with a ``row`` of shared clocks that holds what the thread knew. Rows are
made only when the thread has learnt something since it last published (``shared[t]``), are counted, and used again when
no reference to them is left. A thread that takes over a publication whose event it knows has learnt all of it, in one
comparison: a publication of an event contains all that the event knew.

Cost: to learn something new is O(threads), a few nanoseconds for 64 threads (one loop over int32, which vectorises);
all else is O(1). Memory: 12 bytes a target, and 4 x threads for each row alive, of which there are at most as many as
targets that something is published at; usually far fewer, since targets share rows.

Tree clocks (Mathur, Pavlogiannis, Tunc, Viswanathan, ASPLOS 2022) would pass over what is known already. They have
nothing to win here: with the comparison above and a loop over 8 numbers at a time, happens-before takes hardly longer
for 1,000 threads than for 64, and twice as long for 2,000.

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

#: Kernels work in blocks of so many events; before each they want room for one of everything per event.
BLOCK: Final = 1024

# The effect on clocks of an operation that is no access.
NOTHING: Final = 0
LEARN: Final = 1
PUBLISH: Final = 2
PASS_ON: Final = 3  # learn, then publish
FORK: Final = 4
JOIN: Final = 5

#: Codes of the accesses, below all others.
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
            return LEARN  # its write orders no thread
    return (NOTHING, LEARN, PUBLISH, PASS_ON)[READS[op] + 2 * WRITES[op]]


#: By operation code.
EFFECTS: Final = np.array([_effect(op) for op in Op], np.int8)

# Kernels allocate nothing and keep nothing.

#: Event -1 is known to all.
_UNPUBLISHED: Final = np.array([-1, 0, -1], np.int32)


class Clocks(NamedTuple):
    """See the module; all int32."""

    now: Any  # [threads, threads]
    shared: Any  # [threads] the row that equals the thread's clock, or -1
    published: Any  # [targets, 3] event, thread, row (-1: none); at first event -1 of thread 0
    rows: Any  # [rows, threads]
    uses: Any  # [rows] how many refer to it
    free: Any  # [rows] numbers of free rows, the first `spare` count
    spare: Any  # [1]
    fetched: Any  # [1] where reads go that only fetch


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
    """Clocks of threads of which each knows itself only."""
    now = np.full((threads, threads), -1, np.int32)
    np.fill_diagonal(now, NOW)
    return now


def with_room(clocks: Clocks, threads: int, targets: int) -> Clocks:
    """The same for more threads and targets, with rows for a block."""
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
    """A stack of free rows with as many further ones beneath."""
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
    """Join a clock that was another thread's at an event of it."""
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
