"""Critical sections for the weak orders, compiled: accesses by lock and variable, and the ends of sections.

A section is taken from a pool at its outermost acquire, and returned once there are no references to it. When it ends,
``published[section] = (event, thread, row)`` refers to the clock that threads ordered after its release join: a row of
the shared clocks (clocks.py). There may be references to sections that have not ended: so no sets of the variables of
an open section are kept (the critical-section lists of Roemer, Genc and Bond, "SmartTrack", PLDI 2020).

*Conflicts.* For each lock and variable accessed under it (:class:`Touched`, a hash table) there is the section of the
last write and, for each thread that has read since, the last section with a read. These suffice: a write is ordered
after earlier conflicting accesses, so a thread that joins the clock of its section knows the earlier ones, too.

*Nesting.* The acquire of a critical section can be known without its release only if the thread published its clock
within the section. :class:`Nested` lists such sections by lock and thread, ascending.

*Forgetting.* A section whose release is known to every thread that has not ended, and is not yet to be forked by one of
these, adds nothing to any clock. :func:`sweep` drops references to such sections; the tables grow only when that does
not free enough.

Memory: 28 bytes a section that is referred to, with a row of 4 x threads bytes that sections share until their thread
clock changes; 16 bytes a pair of lock and variable, 8 for each thread that read there last. Only sections whose release
is not known to every thread count. There is no bound independent of the trace's length: no algorithm in one pass can
have one (Kini, Mathur and Viswanathan, PLDI 2017, section 4.4).
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from mazurka.jit.compile import inlined, jit
from mazurka.order.clocks import BLOCK, copy, drop, give_row, padded, take_row, with_more_free

# Columns of an entry of Touched.
WRITER: Final = 2
READER: Final = 3

_MIX: Final = np.uint64(0x9E3779B97F4A7C15)
SHARE: Final = 2  # the least number of slots of the hash table for each entry


class Sections(NamedTuple):
    """A pool; all int32."""

    published: Any  # [sections, 3] event of the release, thread, row; row -1: not ended
    begun: Any  # [sections] event of the acquire
    lock: Any  # [sections]
    uses: Any  # [sections] the number of references to it, one more while it is open
    free: Any  # [sections] numbers of free sections, the first `spare` count
    spare: Any  # [1]


class HeldSections(NamedTuple):
    """The sections that threads are in; all int32."""

    section: Any  # [threads, deepest], outermost first
    times: Any  # [threads, deepest] how often the lock is held
    depth: Any  # [threads]
    entered: Any  # [threads] the event at which its latest section began
    left: Any  # [threads] the last event at which the thread published its clock


class Touched(NamedTuple):
    """A hash table by lock and variable, with open addressing; each entry is contiguous in memory."""

    entry: (
        Any  # int32 [slots, 4] lock, variable, section of the last write or -1, first node of the readers since or -1
    )
    filled: Any  # int64 [1]


class Readers(NamedTuple):
    """A pool of list nodes; all int32."""

    section: Any
    next: Any
    free: Any
    spare: Any  # [1]


class Nested(NamedTuple):
    """Lists of sections by (number of the) lock and thread, in one array; all int32."""

    number: Any  # [targets] the number of a lock, or -1
    newest: Any  # [locks, threads] the last release in the list, or -1
    place: Any  # [locks, threads, 3] start, length, capacity
    section: Any  # [capacity]
    used: Any  # [2] the number of locks, and of entries of `section`


def sections_for(size: int = 2 * BLOCK) -> Sections:
    """A pool of free sections."""
    return Sections(
        np.full((size, 3), -1, np.int32),
        np.zeros(size, np.int32),
        np.zeros(size, np.int32),
        np.zeros(size, np.int32),
        np.arange(size, dtype=np.int32),
        np.array([size], np.int32),
    )


def held_by(threads: int, deepest: int = 4) -> HeldSections:
    """No thread holds a lock; there is room for ``deepest`` nested ones."""
    return HeldSections(
        np.zeros((threads, deepest), np.int32),
        np.zeros((threads, deepest), np.int32),
        np.zeros(threads, np.int32),
        np.full(threads, -1, np.int32),
        np.full(threads, -1, np.int32),
    )


def touched_for(slots: int) -> Touched:
    """An empty table; ``slots`` is a power of two."""
    return Touched(
        np.full((slots, 4), -1, np.int32),
        np.zeros(1, np.int64),
    )


def readers_for(size: int) -> Readers:
    """A pool of free list nodes."""
    free = np.arange(size, dtype=np.int32)
    return Readers(np.zeros(size, np.int32), np.zeros(size, np.int32), free, np.array([size], np.int32))


def nested_for(threads: int, targets: int) -> Nested:
    """Empty lists."""
    return Nested(
        np.full(targets, -1, np.int32),
        np.full((BLOCK, threads), -1, np.int32),
        np.zeros((BLOCK, threads, 3), np.int32),
        np.zeros(BLOCK, np.int32),
        np.zeros(2, np.int32),
    )


def more_sections(sections: Sections) -> Sections:
    """The same pool, of twice the size."""
    size = len(sections.lock)
    return Sections(
        padded(sections.published, 2 * size),
        padded(sections.begun, 2 * size, 0),
        padded(sections.lock, 2 * size, 0),
        padded(sections.uses, 2 * size, 0),
        with_more_free(sections.free, size),
        sections.spare + size,
    )


def more_readers(readers: Readers) -> Readers:
    """The same pool, of twice the size."""
    size = len(readers.section)
    return Readers(
        padded(readers.section, 2 * size),
        padded(readers.next, 2 * size),
        with_more_free(readers.free, size),
        readers.spare + size,
    )


def deeper(held: HeldSections) -> HeldSections:
    """Room for twice as many locks held at once."""
    return held._replace(section=np.tile(held.section, 2), times=np.tile(held.times, 2))


def roomy(touched: Touched, entries: int) -> bool:
    """Whether so many entries can be added."""
    return bool(SHARE * (touched.filled[0] + entries) <= len(touched.entry))


def rehashed(touched: Touched, entries: int) -> Touched:
    """The table without entries that refer to no section, and with room for ``entries`` more."""
    wanted = 2 * SHARE * (int(np.sum((touched.entry[:, WRITER] >= 0) | (touched.entry[:, READER] >= 0))) + entries)
    made = touched_for(1 << (wanted - 1).bit_length())
    _move_entries(touched, made)
    return made


@jit
def _move_entries(touched, made):  # compiled, like all that follow
    for slot in range(len(touched.entry)):
        entry = touched.entry[slot]
        if entry[WRITER] >= 0 or entry[READER] >= 0:
            copy(made.entry[slot_of(made, entry[0], entry[1])], entry)


@inlined
def slot_of(touched, lock, variable):
    """The slot of the pair, which may be new."""
    entry = touched.entry
    mask = len(entry) - 1
    mixed = (np.uint64(lock) << np.uint64(32) | np.uint64(variable)) * _MIX
    slot = np.int64(mixed >> np.uint64(24)) & mask
    while entry[slot, 0] != lock or entry[slot, 1] != variable:
        if entry[slot, 0] < 0:
            entry[slot, 0] = lock
            entry[slot, 1] = variable
            touched.filled[0] += 1
            break
        slot = (slot + 1) & mask
    return slot


@inlined
def drop_section(sections, clocks, section):
    """Drop one reference to a section."""
    sections.uses[section] -= 1
    if sections.uses[section] == 0:
        row = sections.published[section, 2]
        if row >= 0:
            sections.published[section, 2] = -1
            drop(clocks, row)
        give_row(sections, section)


@inlined
def drop_node(readers, node):
    """Free a list node; returns the node after it."""
    give_row(readers, node)
    return readers.next[node]


@inlined
def take_node(readers, section, after):
    """A list node for a section, in front of the node ``after``; there must be a free one."""
    node = take_row(readers)
    readers.section[node] = section
    readers.next[node] = after
    return node


@inlined
def latest_known(nested, sections, lock, thread, until):
    """The last section of a list whose acquire is event ``until`` or earlier, or -1."""
    start = nested.place[lock, thread, 0]
    low, high = 0, nested.place[lock, thread, 1]
    while low < high:
        middle = (low + high) >> 1
        if sections.begun[nested.section[start + middle]] <= until:
            low = middle + 1
        else:
            high = middle
    return nested.section[start + low - 1] if low else -1


@inlined
def can_append(nested, target, thread):
    """Whether there is room for a further section of a thread and a lock."""
    lock = nested.number[target]
    wanted = 4
    if lock >= 0:
        length, capacity = nested.place[lock, thread, 1], nested.place[lock, thread, 2]
        if length < capacity:
            return True
        wanted = max(2 * length, wanted)
    return nested.used[1] + wanted <= len(nested.section)


@inlined
def append(nested, target, thread, section, release):
    """Append a section to the list of a thread and a lock. There must be room."""
    lock = nested.number[target]
    if lock < 0:
        lock = nested.number[target] = nested.used[0]
        nested.used[0] += 1
    start, length, capacity = nested.place[lock, thread]
    if length == capacity:
        capacity = max(2 * length, 4)
        made = nested.used[1]
        copy(nested.section[made : made + length], nested.section[start : start + length])
        nested.used[1] += capacity
        nested.place[lock, thread, 0] = start = made
        nested.place[lock, thread, 2] = capacity
    nested.section[start + length] = section
    nested.place[lock, thread, 1] = length + 1
    nested.newest[lock, thread] = release


def packed(nested: Nested) -> Nested:
    """The lists without gaps between them, with room for each to double, and for the new ones of a block."""
    wanted = int((2 * nested.place[: nested.used[0], :, 1] + 4).sum()) + 4 * BLOCK
    made = nested._replace(section=np.zeros(2 * wanted, np.int32), place=nested.place.copy(), used=nested.used.copy())
    _move_lists(nested, made)
    if len(made.newest) - made.used[0] < BLOCK:
        size = 2 * len(made.newest)
        made = made._replace(newest=padded(made.newest, size), place=padded(made.place, size, 0))
    return made


@jit
def _move_lists(nested, made):
    made.used[1] = 0
    for lock in range(nested.used[0]):
        for thread in range(nested.newest.shape[1]):
            start, length, capacity = nested.place[lock, thread]
            if capacity:
                to = made.used[1]
                copy(made.section[to : to + length], nested.section[start : start + length])
                made.place[lock, thread, 0] = to
                made.place[lock, thread, 2] = 2 * length + 4
                made.used[1] += 2 * length + 4


@jit
def sweep(sections, clocks, touched, readers, nested, floor):
    """Drop references to sections whose release every thread knows; ``floor`` has for each thread the last event that
    all know."""
    for slot in range(len(touched.entry)):
        entry = touched.entry[slot]
        writer = entry[WRITER]
        if writer >= 0 and _settled(sections, writer, floor):
            entry[WRITER] = -1
            drop_section(sections, clocks, writer)
        entry[READER] = _unsettled(sections, clocks, readers, entry[READER], floor)
    for lock in range(nested.used[0]):
        for thread in range(nested.newest.shape[1]):
            start, length = nested.place[lock, thread, 0], nested.place[lock, thread, 1]
            gone = 0
            while gone < length and _settled(sections, nested.section[start + gone], floor):
                drop_section(sections, clocks, nested.section[start + gone])
                gone += 1
            nested.place[lock, thread, 0] += gone
            nested.place[lock, thread, 1] -= gone
            nested.place[lock, thread, 2] -= gone


@jit
def _settled(sections, section, floor):
    published = sections.published[section]
    return published[2] >= 0 and published[0] <= floor[published[1]]


@jit
def _unsettled(sections, clocks, readers, first, floor):
    """The list of readers from ``first`` on, in the same order, without those that are settled."""
    kept, last, node = -1, -1, first
    while node >= 0:
        after = readers.next[node]
        if _settled(sections, readers.section[node], floor):
            drop_section(sections, clocks, readers.section[node])
            drop_node(readers, node)
            if last >= 0:
                readers.next[last] = after
        else:
            kept = node if kept < 0 else kept
            last = node
        node = after
    return kept


def known_to_all(past: Any, exempt: Any) -> Any:
    """For each thread its last event that is known to all other threads that are not exempt."""
    acting = past[~exempt]
    return acting.min(axis=0) if len(acting) else np.full(len(past), np.iinfo(np.int32).max, np.int32)
