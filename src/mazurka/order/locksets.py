"""The sets of locks that threads hold, as small numbers, so that two sets are compared at once. Compiled.

Set 0 is empty; every other set is a smaller one and a lock. Sets are built in the order in which locks are acquired, so
equal sets may have several numbers. A lock that is taken again by its holder counts once, until it is given back as
often. Cost: O(1) to take a lock or give the last one back, O(locks held) to give back another; 28 bytes for each set,
and 12 for each thread and depth.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from mazurka.jit.compile import inner, jit
from mazurka.order.clocks import BLOCK, padded

_MIX: Final = 0x9E3779B1


class LockSets(NamedTuple):
    """See the module. Arrays are int32."""

    smaller: Any  # [sets] the set without the lock
    lock: Any  # [sets]
    slots: Any  # [2**k] hash table of sets, -1: free
    sizes: Any  # [2] the number of sets; the most locks that a thread has held at once
    stack: Any  # [threads, depth] locks held, first taken first
    times: Any  # [threads, depth] how often each is held
    section: Any  # [threads, depth] the data kept of each one's section
    depth: Any  # [threads]
    set_of: Any  # [threads]


def held_by(threads: int) -> LockSets:
    """The state in which no thread holds a lock."""
    capacity, depth = 4 * BLOCK, 8
    return LockSets(
        np.full(capacity, -1, np.int32),
        np.full(capacity, -1, np.int32),
        np.full(4 * capacity, -1, np.int32),
        np.array([1, 0], np.int64),
        np.zeros((threads, depth), np.int32),
        np.zeros((threads, depth), np.int32),
        np.zeros((threads, depth), np.int32),
        np.zeros(threads, np.int32),
        np.zeros(threads, np.int32),
    )


def released(held: LockSets) -> LockSets:
    """The state in which no thread holds a lock, with the same numbers of sets."""
    return held._replace(depth=np.zeros_like(held.depth), set_of=np.zeros_like(held.set_of))


def with_sets(held: LockSets) -> LockSets:
    """The state with room for the sets that an event may add."""
    capacity, (sets, deepest), depth = len(held.lock), held.sizes.tolist(), held.stack.shape[1]
    if capacity - sets <= deepest + 2:
        held = held._replace(
            smaller=padded(held.smaller, 2 * capacity),
            lock=padded(held.lock, 2 * capacity),
            slots=np.full(8 * capacity, -1, np.int32),
        )
        _enter_all(held)
    if deepest + 1 >= depth:
        wider = {name: padded(getattr(held, name).T, 2 * depth).T.copy() for name in ("stack", "times", "section")}
        held = held._replace(**wider)
    return held


@inner
def is_tight(held):  # compiled, like all that follow
    """Whether :func:`with_sets` is needed before the next event."""
    return len(held.lock) - held.sizes[0] <= held.sizes[1] + 2 or held.sizes[1] + 1 >= held.stack.shape[1]


@inner
def takes_again(held, t, lock):
    """Whether the thread holds the lock already; if so, the acquire is counted."""
    for each in range(held.depth[t]):
        if held.stack[t, each] == lock:
            held.times[t, each] += 1
            return True
    return False


@inner
def take(held, t, lock, section):
    """Thread ``t`` acquires a lock that it does not hold; there must be room (:func:`with_sets`)."""
    depth = held.depth[t]
    held.stack[t, depth], held.times[t, depth], held.section[t, depth] = lock, 1, section
    held.depth[t] = depth + 1
    held.sizes[1] = max(held.sizes[1], depth + 1)
    held.set_of[t] = with_lock(held, held.set_of[t], lock)


@inner
def give_back(held, t, lock):
    """Release a lock; the data kept of its section if the thread does not hold the lock any more, otherwise -1."""
    for each in range(held.depth[t] - 1, -1, -1):
        if held.stack[t, each] != lock:
            continue
        held.times[t, each] -= 1
        if held.times[t, each]:
            return -1
        section = held.section[t, each]
        held.depth[t] -= 1
        for later in range(each, held.depth[t]):
            held.stack[t, later] = held.stack[t, later + 1]
            held.times[t, later] = held.times[t, later + 1]
            held.section[t, later] = held.section[t, later + 1]
        number = 0
        for other in range(held.depth[t]):
            number = with_lock(held, number, held.stack[t, other])
        held.set_of[t] = number
        return section
    return -1


@jit
def _enter_all(held):
    for number in range(1, held.sizes[0]):
        held.slots[_slot(held, held.smaller[number], held.lock[number])] = number


@inner
def _slot(held, smaller, lock):
    """Where a set is, or would be."""
    mask = len(held.slots) - 1
    slot = (smaller * _MIX + lock) * _MIX >> 7 & mask
    while held.slots[slot] >= 0:
        number = held.slots[slot]
        if held.smaller[number] == smaller and held.lock[number] == lock:
            break
        slot = slot + 1 & mask
    return slot


@inner
def with_lock(held, smaller, lock):
    """The set with a further lock. There must be room."""
    slot = _slot(held, smaller, lock)
    if held.slots[slot] < 0:
        number = held.sizes[0]
        held.sizes[0] += 1
        held.smaller[number], held.lock[number] = smaller, lock
        held.slots[slot] = number
    return held.slots[slot]


@inner
def contains(held, number, lock):
    """Whether the lock set of that number contains a lock. O(size of the set)."""
    while number:
        if held.lock[number] == lock:
            return True
        number = held.smaller[number]
    return False


@inner
def disjoint(held, one, other):
    """Whether two lock sets have no lock in common. O(product of their sizes)."""
    while one:
        if contains(held, other, held.lock[one]):
            return False
        one = held.smaller[one]
    return True


@inner
def common(held, one, other):
    """A set of the locks in both; ``one`` itself if the other has all of them. There must be room."""
    number, rest, all_of_them = 0, one, True
    while rest:
        if contains(held, other, held.lock[rest]):
            number = with_lock(held, number, held.lock[rest])
        else:
            all_of_them = False
        rest = held.smaller[rest]
    return one if all_of_them else number
