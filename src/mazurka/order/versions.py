"""Vector clocks for an order under which most events publish their clock, compiled.

As in clocks.py the numbers of events are the time, and ``now[t]`` is the clock of thread t. But where an event is
published, ``published[target] = (event, thread, row)``, nothing is copied and nothing counted: ``row`` is where the
thread's clock *will* be kept once it changes, ``version[t]`` at present. So a write costs three stores; only learning
something new costs O(threads), for the copy and the join.

*Forgetting.* When rows run out, those are free that no thread would learn from: a publication whose event is known to
all threads teaches no thread anything. It refers to row ``COMMON`` then, the clock that all threads know, for the sake
of threads that are announced later: one that is forked knows all that anyway, any other learns more than there was to
learn, which hides races and makes up none. Rows are kept few, so that those in use stay in the processor's cache; to
look through the publications takes some 10 ns for each row.

Invariant: the row that a publication refers to is not free, and holds what its thread knew at the event, unless that is
the thread's present clock, or the event is known to all threads (that were announced when rows ran out).

Memory: 12 bytes a target, and 4 x threads for each row: an eighth as many rows as targets, or up to four times as many
as publications that not all threads know.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from mazurka.jit.compile import inlined, inner, jit
from mazurka.order.clocks import (
    BLOCK,
    EFFECTS,
    FORK,
    JOIN,
    LEARN,
    NOTHING,
    NOW,
    PASS_ON,
    PUBLISH,
    copy,
    learn_all,
    lengthened,
    padded,
    take_row,
    unaware,
)

#: The row that publications known to all refer to.
COMMON: Final = 0

#: How many rows there are at least, and for how many targets there is one.
_FEWEST: Final = 4 * BLOCK
_SHARE: Final = 8

#: No event has such a number.
_BEYOND: Final = 2**32

_BIAS: Final = {LEARN: 0, PUBLISH: -_BEYOND, NOTHING: -_BEYOND}

#: By operation code: the number to add to the event published at a target so that it exceeds the thread's clock if
#: there is more to do than to publish. One comparison decides, since what comes next cannot be foreseen.
BIAS: Final = np.array([_BIAS.get(int(effect), _BEYOND) for effect in EFFECTS], np.int64)

#: At first event -1 of thread 0, which all know.
_UNPUBLISHED: Final = np.array([-1, 0, COMMON], np.int32)


class Versions(NamedTuple):
    """See the module; int32 unless stated otherwise."""

    now: Any  # [threads, threads]
    version: Any  # [threads] the row where the present clock will be kept
    published: Any  # [targets, 3] event, thread, row
    rows: Any  # [rows, threads]
    free: Any  # [rows] numbers of free rows, the first `spare` count
    spare: Any  # [1]
    fetched: Any  # int64 [1] where reads go that only fetch
    masks: Any  # [operations] which bits of an entry of `published` are replaced: all or none


def versions_for(threads: int, targets: int) -> Versions:
    """Versions in which no thread knows any event of another; one row of the pool for each eight targets."""
    rows = max(_FEWEST, targets // _SHARE) + threads + 1
    return Versions(
        unaware(threads),
        np.arange(1, threads + 1, dtype=np.int32),
        np.tile(_UNPUBLISHED, (targets, 1)),
        np.empty((rows, threads), np.int32),
        np.arange(threads + 1, rows, dtype=np.int32),
        np.array([rows - threads - 1], np.int32),
        np.zeros(1, np.int64),
        np.where(EFFECTS == PUBLISH, -1, 0).astype(np.int32),
    )


def with_room(versions: Versions, threads: int, targets: int) -> Versions:
    """The same for more threads and targets, with rows for a block."""
    more = max(threads - len(versions.now), 0)
    if targets > len(versions.published):
        published = np.tile(_UNPUBLISHED, (targets, 1))
        published[: len(versions.published)] = versions.published
        versions = versions._replace(published=published)
    if versions.spare[0] < BLOCK + more:
        versions = _with_free_rows(versions, BLOCK + more)
    return _with_threads(versions, more) if more else versions


def _with_free_rows(versions: Versions, wanted: int) -> Versions:
    used = np.zeros(len(versions.rows), np.bool_)
    used[COMMON] = used[versions.version] = True
    common = versions.now.min(axis=0)
    _forget(versions.published, common, used)
    rows, free = versions.rows, np.flatnonzero(~used).astype(np.int32)
    if len(free) < max(wanted, len(rows) // 2):
        size = max(2 * len(rows), len(versions.published) // _SHARE, len(rows) + wanted)
        free = np.concatenate([free, np.arange(len(rows), size, dtype=np.int32)])
        rows = lengthened(rows, size)
    rows[COMMON] = common
    return versions._replace(rows=rows, free=free, spare=np.array([len(free)], np.int32))


def _with_threads(versions: Versions, more: int) -> Versions:
    before = len(versions.now)
    now = unaware(before + more)
    now[:before, :before] = versions.now
    left = versions.spare - more
    return versions._replace(
        now=now,
        version=np.concatenate([versions.version, versions.free[left[0] : versions.spare[0]]]),
        rows=padded(versions.rows.T, before + more).T.copy(),
        spare=left,
    )


@jit
def _forget(published, common, used):  # compiled, like all that follow
    """Mark the rows that threads may learn from; clocks that all know refer to the common one."""
    for target in range(len(published)):
        news = published[target, 0] > common[published[target, 1]]
        row = published[target, 2] if news else COMMON
        published[target, 2] = row
        used[row] = True


@inlined
def learn(versions, thread, event, other, row):
    """Join the published clock, if it is newer. Needs a free row."""
    if event > versions.now[thread, other]:
        _keep(versions, thread)
        if row == versions.version[other]:
            learn_all(versions.now[thread], versions.now[other], other, event)
        else:
            learn_all(versions.now[thread], versions.rows[row], other, event)


@inner
def move_rarely(versions, op, thread, target, child, event):
    """The effect on clocks of an event that does more than publish or learn; ``child`` is the thread that
    the target is, or -1."""
    effect, published = EFFECTS[op], versions.published[target]
    if effect == PASS_ON:
        learn(versions, thread, published[0], published[1], published[2])
        published[0], published[1], published[2] = event, thread, versions.version[thread]
    elif effect == FORK and child >= 0 and child != thread:
        _keep(versions, child)
        learn_all(versions.now[child], versions.now[thread], thread, event)
        versions.now[child, child] = NOW
    elif effect == JOIN and child >= 0 and child != thread:
        _keep(versions, thread)
        learn_all(versions.now[thread], versions.now[child], child, event)


@inlined
def _keep(versions, thread):
    """The thread's clock changes: the old one is kept for its readers."""
    copy(versions.rows[versions.version[thread]], versions.now[thread])
    versions.version[thread] = take_row(versions)
