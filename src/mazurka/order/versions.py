"""Vector clocks for an order under which most events publish their clock, compiled.

As in clocks.py the numbers of events are the time, and ``now[t]`` is the clock of thread t. But when an event is
published, ``published[target] = (event, thread, row)``, no clock is copied and no reference counted: ``row`` is the row
where the thread's clock *will* be kept once it changes, ``version[t]`` at present. So a write costs three stores; only
a change of a clock costs O(threads), for the copy and the join.

*Forgetting.* When rows run out, rows of publications whose event all threads know are freed, since they add nothing to
any clock. Such a publication then refers to row ``COMMON``, the clock that all threads know. That matters to threads
that are announced later: one that is forked knows that clock anyway; any other then knows more than the order says,
which may hide races and invents none. There are few rows, so that those in use stay in the processor's cache; to search
the publications takes some 10 ns for each row.

Invariant: the row that a publication refers to is not free, and holds the clock of its thread at the event, unless that
is the thread's present clock, or the event is known to all threads (that were announced when rows ran out).

Memory: 12 bytes a target, and 4 x threads for each row: an eighth as many rows as targets, or up to four times as many
as publications whose event not all threads know.
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

#: The row of publications that all threads know.
COMMON: Final = 0

#: The least number of rows, and the number of targets for each row.
_FEWEST: Final = 4 * BLOCK
_SHARE: Final = 8

#: A number above those of all events.
_BEYOND: Final = 2**32

_BIAS: Final = {LEARN: 0, PUBLISH: -_BEYOND, NOTHING: -_BEYOND}

#: By operation code: the number to add to the event published at a target so that it exceeds the thread's clock if
#: there is more to do than to publish. One comparison decides, since the processor cannot predict the next operation.
BIAS: Final = np.array([_BIAS.get(int(effect), _BEYOND) for effect in EFFECTS], np.int64)

#: At first event -1 of thread 0, which all threads know.
_UNPUBLISHED: Final = np.array([-1, 0, COMMON], np.int32)


class Versions(NamedTuple):
    """See the module; int32 unless stated otherwise."""

    now: Any  # [threads, threads]
    version: Any  # [threads] the row where the present clock will be kept
    published: Any  # [targets, 3] event, thread, row
    rows: Any  # [rows, threads]
    free: Any  # [rows] numbers of free rows, the first `spare` count
    spare: Any  # [1]
    fetched: Any  # int64 [1] a sum that keeps reads for fetching from being optimised away
    masks: Any  # [operations] the bits of an entry of `published` that are replaced: all or none


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
    """The versions with room for more threads and targets, and with rows for a block."""
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
    """Mark the rows that are still needed; publications that all threads know refer to the common row."""
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
    """Keep the thread's present clock, which is about to change, for publications that refer to it."""
    copy(versions.rows[versions.version[thread]], versions.now[thread])
    versions.version[thread] = take_row(versions)
