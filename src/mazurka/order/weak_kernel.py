"""The kernel that wcp, dc and wdc share, compiled: critical sections order only where they conflict.

All three contain each thread's own order and

- (a) a release before a later access by another thread under the same lock that conflicts with an access in the
  section released;
- a fork before the events of the thread forked, these before its join; for conditions, atomics and all other targets
  that order threads, each operation that writes before later ones that read.

*nests* adds (b), for dc and wcp: if an event in a section of a lock is ordered before an event in another thread's
section of it, then so is the first section's release before the second one's. *composes*, for wcp: the order contains
its composition with happens-before on either side, but not each thread's own order itself.

``past.clock[t]`` is the past of thread t's next event in the order. Without *composes* that is the thread's clock, and
the one it publishes. With *composes* the published clock is the happens-before clock (``clocks.now``), and the past of
a lock's last holder is passed on with the lock; then only some of a thread's own events are in its past
(``past.own[t]``), which threads that join its past need to know.

For an access the open sections of its thread are looked at, unless the thread has accessed the variable in all of them
already. Races are found as in accesses.py, with the past for the clock: all of them, not only the first.

Cost: for an access O(locks held), and O(threads) if the past grows; for a release with rule (b)
O(threads x log(list)) if sections of the lock are nested, otherwise O(1) or, with *composes*, O(threads).
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from mazurka.jit.compile import inlined, jit
from mazurka.order.accesses import Accesses, meet
from mazurka.order.clocks import (
    BLOCK,
    EFFECTS,
    FORK,
    JOIN,
    LEARN,
    NOW,
    PASS_ON,
    PUBLISH,
    WRITE,
    Clocks,
    copy,
    forget_shared,
    learn,
    learn_all,
    move,
    publish,
    take_row,
)
from mazurka.order.sections import (
    READER,
    SHARE,
    WRITER,
    HeldSections,
    Nested,
    Readers,
    Sections,
    Touched,
    append,
    can_append,
    drop_node,
    drop_section,
    latest_known,
    slot_of,
    take_node,
)
from mazurka.trace.event import Op

_ACQUIRE: Final = int(Op.ACQUIRE)
_RELEASE: Final = int(Op.RELEASE)
_END: Final = int(Op.END)

#: Codes of reads and writes of targets that are no data, but order threads.
GETS: Final = -1
GIVES: Final = -2

# The reason why the kernel stopped.
WANTS_ROOM: Final = 0  # a table is full, or the columns are done
TOO_DEEP: Final = 1
LISTS_FULL: Final = 2


class Past(NamedTuple):
    """The events ordered before the next event of each thread; int32."""

    clock: Any  # [threads, threads]
    own: Any  # [threads] with `composes`: the thread's own latest event in its past
    number: Any  # [targets] the number of a lock, or -1
    of_lock: Any  # [locks, threads] the past of the last holder at its release
    locks: Any  # [1] the number of locks
    exempt: Any  # bool [threads] has ended, or will be forked: events can be forgotten without it


class WeakOrderState(NamedTuple):
    """The state of the kernel; each part describes itself."""

    clocks: Clocks
    accesses: Accesses
    past: Past
    sections: Sections
    held: HeldSections
    touched: Touched
    readers: Readers
    nested: Nested


@jit
def advance(state, nests, composes, thread, op, target, child, base, at):  # compiled
    """Go on from row ``at`` as long as there is room for a block; returns the row reached, and the reason."""
    size = len(thread)
    clock, depth = state.past.clock, state.held.depth
    kept = state.accesses.kept
    while at < size:
        if not _has_room(state, nests, composes):
            break
        end = min(at + BLOCK, size)
        state.accesses.registers[1] = _fetch(kept, target, at, end)
        while at < end:
            done, t, x, event = op[at], thread[at], target[at], np.int32(base + at)
            if done < 0 or done > _RELEASE:
                code = np.int8(_ACQUIRE if done == GETS else _RELEASE) if done < 0 else done
                _order(state, composes, code, t, x, child[x], event)
            elif done <= WRITE:
                writes = done == WRITE
                if depth[t] > 0 and not _fresh(state, t, x, writes):
                    _look_at_sections(state, composes, t, x, writes)
                written, writer, read, reader = kept[x, 0], kept[x, 1], kept[x, 2], kept[x, 3]
                if (writer | reader) >= 0 and (written <= clock[t, writer]) & (read <= clock[t, reader]):
                    kept[x, 0] = event if writes else written
                    kept[x, 1] = t if writes else writer
                    kept[x, 2] = -1 if writes else event
                    kept[x, 3] = 0 if writes else t
                else:
                    meet(state.accesses, clock[t], writes, t, x, event)
            elif done == _ACQUIRE:
                if not _acquire(state, composes, t, x, event):
                    return at, TOO_DEEP
            elif not _release(state, nests, composes, t, x, event):
                return at, LISTS_FULL
            at += 1
    return at, WANTS_ROOM


@inlined
def _fetch(kept, target, at, end):
    """Fetch the entries of the variables of a block, which overlaps the waits for memory."""
    fetched = 0
    for row in range(at, end):
        fetched += kept[target[row], 0]
    return fetched


@inlined
def _has_room(state, nests, composes):
    """Whether there is room for a block: one entry of each table for each event, and for accesses one for each lock
    held."""
    accesses, touched, nested = state.accesses, state.touched, state.nested
    wanted = BLOCK * state.held.section.shape[1]
    spare = min(state.clocks.spare[0], accesses.spare[0], state.sections.spare[0])
    return (
        min(spare, len(accesses.found) - accesses.registers[0]) >= BLOCK
        and state.readers.spare[0] >= wanted
        and SHARE * (touched.filled[0] + wanted) <= len(touched.entry)
        and (not nests or len(nested.newest) - nested.used[0] >= BLOCK)
        and (not composes or len(state.past.of_lock) - state.past.locks[0] >= BLOCK)
    )


@inlined
def _order(state, composes, op, t, x, other, event):
    """An event that orders threads and is neither an access nor an operation on a lock; ``other`` is the thread that
    the target is, or -1."""
    clocks, past = state.clocks, state.past
    effect = EFFECTS[op]
    forks = effect == FORK and other >= 0 and other != t
    joins = effect == JOIN and other >= 0 and other != t
    if composes and effect in (LEARN, PASS_ON):
        _learn(state, composes, t, clocks.published[x])
    elif composes and forks:
        past.own[other] = max(past.own[other], clocks.now[t, other])
        learn_all(past.clock[other], clocks.now[t], t, event)
        past.clock[other, other] = NOW
    elif composes and joins:
        past.own[t] = max(past.own[t], clocks.now[other, t])
        learn_all(past.clock[t], clocks.now[other], other, event)
    move(clocks, op, t, x, other, event)
    if forks or effect in (PUBLISH, PASS_ON):
        state.held.left[t] = event
    if forks:
        past.exempt[other] = False
    if joins:
        past.exempt[other] = True
    if op == _END:
        past.exempt[t] = True


@inlined
def _learn(state, composes, t, published):
    """The next event of thread t is ordered after the published event."""
    event, other, row = published[0], published[1], published[2]
    clock = state.past.clock[t]
    if row < 0 or event <= clock[other]:
        return
    knew = state.clocks.rows[row]
    if composes:
        state.past.own[t] = max(state.past.own[t], knew[t])
    else:
        forget_shared(state.clocks, t)
    learn_all(clock, knew, other, event)


@inlined
def _fresh(state, t, x, writes):
    """Whether the thread has made the same access in all sections that it is in."""
    kept, rows, entered = state.accesses.kept, state.accesses.rows, state.held.entered[t]
    event, who = kept[x, 0], kept[x, 1]
    if (event if who == t else rows[event, t] if who < 0 else -1) > entered:
        return True
    event, who = kept[x, 2], kept[x, 3]
    return not writes and (event if who == t else rows[event, t] if who < 0 else -1) > entered


@inlined
def _look_at_sections(state, composes, t, x, writes):
    """Rule (a) for an access."""
    sections, touched = state.sections, state.touched
    for level in range(state.held.depth[t]):
        section = state.held.section[t, level]
        entry = touched.entry[slot_of(touched, sections.lock[section], x)]
        writer = entry[WRITER]
        if writer >= 0 and sections.published[writer, 1] != t:
            _learn(state, composes, t, sections.published[writer])
        if writes:
            _write_in(state, composes, t, section, entry)
        elif writer != section:
            _read_in(state, composes, t, section, entry)


@inlined
def _write_in(state, composes, t, section, entry):
    """The write is ordered after all earlier accesses in the entry, and replaces them."""
    sections, readers = state.sections, state.readers
    node = entry[READER]
    while node >= 0:
        other = readers.section[node]
        if sections.published[other, 1] != t:
            _learn(state, composes, t, sections.published[other])
        drop_section(sections, state.clocks, other)
        node = drop_node(readers, node)
    entry[READER] = -1
    writer = entry[WRITER]
    if writer != section:
        sections.uses[section] += 1
        entry[WRITER] = section
        if writer >= 0:
            drop_section(sections, state.clocks, writer)


@inlined
def _read_in(state, composes, t, section, entry):
    """The section becomes the first of the readers. The thread's own last section, and sections whose release it knows,
    are dropped; with *composes* all but one other, since a later release of a lock publishes all that earlier ones
    did."""
    sections, readers = state.sections, state.readers
    clock = state.past.clock[t]
    first, last, node = -1, -1, entry[READER]
    while node >= 0:
        other = readers.section[node]
        if other == section and node == entry[READER]:
            return
        event, who, row = sections.published[other]
        if who == t or (row >= 0 and event <= clock[who]) or (composes and last >= 0):
            drop_section(sections, state.clocks, other)
            node = drop_node(readers, node)
            if last >= 0:
                readers.next[last] = node
        else:
            first = node if first < 0 else first
            last = node
            node = readers.next[node]
    entry[READER] = take_node(readers, section, first)
    sections.uses[section] += 1


@inlined
def _acquire(state, composes, t, x, event):
    """Process the event; returns whether there was room for it."""
    held, sections, clocks, past = state.held, state.sections, state.clocks, state.past
    depth = held.depth[t]
    for level in range(depth):
        if sections.lock[held.section[t, level]] == x:
            held.times[t, level] += 1
            return True
    if depth == held.section.shape[1]:
        return False
    section = take_row(sections)
    sections.published[section, 1] = t
    sections.begun[section] = event
    sections.lock[section] = x
    sections.uses[section] = 1
    held.section[t, depth] = section
    held.times[t, depth] = 1
    held.depth[t] = depth + 1
    held.entered[t] = event
    if composes and past.number[x] >= 0 and clocks.published[x, 1] != t:
        learn(clocks, t, x)
        of_lock, clock = past.of_lock[past.number[x]], past.clock[t]
        past.own[t] = max(past.own[t], of_lock[t])
        for each in range(len(clock)):
            clock[each] = max(clock[each], of_lock[each])
    return True


@inlined
def _release(state, nests, composes, t, x, event):
    """Process the event; returns whether there was room for it."""
    held, sections, clocks, past = state.held, state.sections, state.clocks, state.past
    level = held.depth[t] - 1
    while level >= 0 and sections.lock[held.section[t, level]] != x:
        level -= 1
    if level < 0:
        return True  # the thread does not hold the lock
    if held.times[t, level] > 1:
        held.times[t, level] -= 1
        return True
    section = held.section[t, level]
    publishes = nests and held.left[t] > sections.begun[section]
    if publishes and not can_append(state.nested, x, t):
        return False
    if nests and state.nested.number[x] >= 0:
        _after_sections(state, composes, t, state.nested.number[x])
    if composes or publishes or sections.uses[section] > 1:
        publish(clocks, t, x, event)
        row = clocks.shared[t]
        clocks.uses[row] += 1
        sections.published[section, 0] = event
        sections.published[section, 2] = row
    if composes:
        _pass_on_past(past, t, x)
    if publishes:
        append(state.nested, x, t, section, event)
        sections.uses[section] += 1
    held.left[t] = event
    for above in range(level + 1, held.depth[t]):
        held.section[t, above - 1] = held.section[t, above]
        held.times[t, above - 1] = held.times[t, above]
    held.depth[t] -= 1
    drop_section(sections, clocks, section)
    return True


@inlined
def _after_sections(state, composes, t, lock):
    """Rule (b) for a release: it is ordered after the releases of all sections whose acquire is known."""
    clock, nested = state.past.clock[t], state.nested
    for other in range(len(clock)):
        if nested.newest[lock, other] > clock[other]:
            section = latest_known(nested, state.sections, lock, other, clock[other])
            if section >= 0:
                _learn(state, composes, t, state.sections.published[section])


@inlined
def _pass_on_past(past, t, x):
    number = past.number[x]
    if number < 0:
        number = past.number[x] = past.locks[0]
        past.locks[0] += 1
    copy(past.of_lock[number], past.clock[t])
    past.of_lock[number, t] = past.own[t]
