"""Sets of locks as small numbers, so that what a thread holds is one number and need be compared only once. Compiled.

Set 0 is empty; every other is a smaller one and a lock. Sets are built in the order in which locks are taken, so equal
sets may have several numbers. Cost: O(1) to take a lock or give the last one back, O(locks held) to give back another;
28 bytes for each set, and for each thread and depth 4.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from mazurka.order.clocks import BLOCK, jit, padded

_MIX: Final = 0x9E3779B1


class Locksets(NamedTuple):
    """See the module. Arrays are int32."""

    smaller: Any  # [sets] the set without the lock
    lock: Any  # [sets]
    slots: Any  # [2**k] hash table of sets, -1: free
    count: Any  # [1] sets


def locksets_for() -> Locksets:
    capacity = 4 * BLOCK
    return Locksets(
        np.full(capacity, -1, np.int32),
        np.full(capacity, -1, np.int32),
        np.full(4 * capacity, -1, np.int32),
        np.ones(1, np.int64),
    )


def with_sets(sets: Locksets, depth: int) -> Locksets:
    """With room for as many as are built when one of ``depth`` locks is given back."""
    capacity = len(sets.lock)
    if capacity - sets.count[0] > BLOCK + depth:
        return sets
    grown = sets._replace(
        smaller=padded(sets.smaller, 2 * capacity),
        lock=padded(sets.lock, 2 * capacity),
        slots=np.full(8 * capacity, -1, np.int32),
    )
    _enter_all(grown)
    return grown


@jit
def _enter_all(sets):  # type: ignore[no-untyped-def]  # compiled, like all that follow
    for number in range(1, sets.count[0]):
        sets.slots[_slot(sets, sets.smaller[number], sets.lock[number])] = number


@jit
def _slot(sets, smaller, lock):  # type: ignore[no-untyped-def]
    """Where a set is, or would be."""
    mask = len(sets.slots) - 1
    slot = (smaller * _MIX + lock) * _MIX >> 7 & mask
    while sets.slots[slot] >= 0:
        number = sets.slots[slot]
        if sets.smaller[number] == smaller and sets.lock[number] == lock:
            break
        slot = slot + 1 & mask
    return slot


@jit
def with_lock(sets, smaller, lock):  # type: ignore[no-untyped-def]
    """The set and a lock. There must be room."""
    slot = _slot(sets, smaller, lock)
    if sets.slots[slot] < 0:
        number = sets.count[0]
        sets.count[0] += 1
        sets.smaller[number], sets.lock[number] = smaller, lock
        sets.slots[slot] = number
    return sets.slots[slot]


@jit
def contains(sets, number, lock):  # type: ignore[no-untyped-def]
    while number:
        if sets.lock[number] == lock:
            return True
        number = sets.smaller[number]
    return False


@jit
def disjoint(sets, one, other):  # type: ignore[no-untyped-def]
    while one:
        if contains(sets, other, sets.lock[one]):
            return False
        one = sets.smaller[one]
    return True
