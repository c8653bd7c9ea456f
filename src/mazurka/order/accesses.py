"""The accesses that race under an order given by vector clocks: the pass that hb and shb share. Compiled.

Of the writes of a variable, and of the reads since the last write, only those are kept that are not ordered before a
later one that is kept: any access that races with a dropped one races with the later one, too. A single kept access is
an epoch (``kept[variable] = (event, thread)``). Several are kept in a row of their own, with the latest of each thread
(``kept[variable] = (row, WIDE)``), until a write comes after them all. So every racy event is found, not only the first
of a variable.

Clocks change at events that are no accesses, and by ``edges``, given as (event, clock after it): events at which a
thread's clock grows by rules of the order itself. An access is compared with the clock before its edge.

Variables can be divided: part p of 2**shift takes those whose target's last ``shift`` bits are p, keeps its own
clocks, and reports its own racy events. Parts share nothing, so each can run in a thread of its own.

A block of events goes through three loops. The first chooses, without branches, the events that concern the part; the
second fetches their entries, which overlaps the waits for memory; the third processes them. The processor can't predict
whether an access reads or writes, so masks select between the two: a mispredicted branch takes as long as the rest of
the work for an event. Masks come from a table that the compiler does not know, otherwise it would turn them into
branches.

Cost: O(1) for an access ordered after the kept ones, otherwise O(threads). Memory: 16 bytes a target, 4 x threads for
each variable whose accesses are not ordered among themselves, and the clocks (clocks.py).
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from mazurka.jit.compile import inner, jit
from mazurka.order.clocks import (
    BLOCK,
    WRITE,
    Clocks,
    clocks_for,
    copy,
    forget_shared,
    give_row,
    lengthened,
    move,
    padded,
    take_row,
    with_more_free,
    with_room,
)
from mazurka.order.streaming import EventColumns

#: In place of a thread: several accesses are kept, in a row.
WIDE: Final = -2

#: The entry of a variable without an access: event -1 is ordered before all events.
_UNTOUCHED: Final = np.array([-1, 0, -1, 0], np.int32)


class Accesses(NamedTuple):
    """See the module; all int32."""

    kept: Any  # [variables, 4] event and thread of the writes kept, then of the reads
    rows: Any  # [rows, threads] latest events, -1 for none
    free: Any  # [rows] numbers of free rows, the first `spare` count
    spare: Any  # [1]
    found: Any  # [capacity, 2] racy events and their partners
    registers: Any  # [2] the number of racy events; a sum that keeps reads for fetching from being optimised away
    chosen: Any  # [BLOCK + 1] uint32, the chosen rows of the block
    masks: Any  # [2] for a read and for a write, the bits of an entry that are replaced


class Edges(NamedTuple):
    """Edges of the order beyond synchronisation, by ascending event."""

    event: Any  # [edges] int32
    clock: Any  # [edges, threads] int32


def no_edges(threads: int) -> Edges:
    """No edge, for clocks of so many threads."""
    return Edges(np.zeros(0, np.int32), np.zeros((0, threads), np.int32))


class AccessChecks:
    """The checks of one part of the variables, with the clocks they need."""

    def __init__(self, threads: int, targets: int, part: int = 0, shift: int = 0) -> None:
        self.part = part
        self.shift = shift
        self.clocks: Clocks = clocks_for(threads, targets)
        self.accesses = Accesses(
            np.tile(_UNTOUCHED, ((targets >> shift) + 1, 1)),
            np.full((2 * BLOCK, threads), -1, np.int32),
            np.arange(2 * BLOCK, dtype=np.int32),
            np.array([2 * BLOCK], np.int32),
            np.zeros((2 * BLOCK, 2), np.int32),
            np.zeros(2, np.int64),
            np.zeros(BLOCK + 1, np.uint32),
            np.array([0, -1], np.int32),
        )

    def make_room(self, threads: int, targets: int) -> None:
        """Make room for so many threads and targets, and for the additions of a block."""
        self.clocks = with_room(self.clocks, threads, targets)
        accesses = self.accesses
        variables = (targets >> self.shift) + 1
        if variables > len(accesses.kept):
            kept = np.tile(_UNTOUCHED, (variables, 1))
            kept[: len(accesses.kept)] = accesses.kept
            accesses = accesses._replace(kept=kept)
        if threads > accesses.rows.shape[1]:
            accesses = accesses._replace(rows=padded(accesses.rows.T, threads).T.copy())
        if accesses.spare[0] < BLOCK:
            more = len(accesses.rows)
            accesses = accesses._replace(
                rows=lengthened(accesses.rows, 2 * more),
                free=with_more_free(accesses.free, more),
                spare=accesses.spare + more,
            )
        if len(accesses.found) - accesses.registers[0] < BLOCK:
            accesses = accesses._replace(found=lengthened(accesses.found, 2 * len(accesses.found)))
        self.accesses = accesses

    def run(self, columns: EventColumns, child: Any, base: int, edges: Edges) -> None:
        """Process consecutive events, the first with number ``base``; ``child`` has for each target the thread that it
        is."""
        at, edge, part, shift = 0, 0, np.uint32(self.part), np.uint32(self.shift)
        while at < len(columns.thread):
            at, edge = _run(*columns.unsigned(), child, base, at, edges, edge, self.clocks, self.accesses, part, shift)
            self.make_room(len(self.clocks.now), len(self.clocks.published))

    def found(self) -> Any:
        """Racy events and their partners, ascending by event."""
        return self.accesses.found[: self.accesses.registers[0]]


@jit
def _run(thread, op, target, child, base, at, edges, edge, clocks, accesses, part, shift):
    """Go on from row ``at`` and edge ``edge`` as long as there is room for a block; returns the row and edge
    reached."""
    size = len(thread)
    kept, now, chosen = accesses.kept, clocks.now, accesses.chosen
    while at < size:
        if min(clocks.spare[0], accesses.spare[0], len(accesses.found) - accesses.registers[0]) < BLOCK:
            break
        end = min(at + BLOCK, size)
        learns = edge < len(edges.event) and edges.event[edge] - base < end
        if learns:
            end = edges.event[edge] - base + 1
        threads, ops, targets = thread[at:end], op[at:end], target[at:end]
        count = _choose(ops, targets, part, shift, chosen)
        _fetch(targets, chosen, count, shift, accesses)
        for k in range(count):
            i = chosen[k]
            done, t, x, event = ops[i], threads[i], targets[i], np.int32(base + at + i)
            if done > WRITE:
                move(clocks, done, t, x, child[x], event)
                continue
            x >>= shift
            written, writer, read, reader = kept[x, 0], kept[x, 1], kept[x, 2], kept[x, 3]
            known = (writer | reader) >= 0 and (
                (written <= now[t, np.uint32(writer)]) & (read <= now[t, np.uint32(reader)])
            )
            if known:  # ordered after all accesses kept
                mask, me = accesses.masks[done], np.int32(t)
                kept[x, 0] = written ^ ((written ^ event) & mask)
                kept[x, 1] = writer ^ ((writer ^ me) & mask)
                kept[x, 2] = event | mask
                kept[x, 3] = me & ~mask
            else:
                meet(accesses, now[t], done == WRITE, np.int32(t), np.int32(x), event)
        if learns:
            _learn_edge(clocks, thread[end - 1], edges.clock[edge])
            edge += 1
        at = end
    return at, edge


@inner
def _choose(op, target, part, shift, chosen):
    """Choose the rows that are accesses of the part, or change clocks; returns their number."""
    count = 0
    mask = np.uint32((1 << shift) - 1)
    for i in range(len(op)):
        chosen[count] = i
        count += (op[i] > WRITE) | ((target[i] & mask) == part)
    return count


@inner
def _fetch(target, chosen, count, shift, accesses):
    fetched = 0
    for k in range(count):
        fetched += accesses.kept[target[chosen[k]] >> shift, 0]
    accesses.registers[1] = fetched


@inner
def _learn_edge(clocks, thread, clock):
    forget_shared(clocks, thread)
    copy(clocks.now[thread], clock)


@jit
def meet(accesses, knows, writes, thread, x, event):
    """An access that may race with some of those kept."""
    kept = accesses.kept
    written, writer, read, reader = kept[x, 0], kept[x, 1], kept[x, 2], kept[x, 3]
    partner = _unordered(accesses, written, writer, knows)
    if writes:
        partner_read = _unordered(accesses, read, reader, knows)
        _write(accesses, x, thread, event, partner >= 0, partner_read >= 0)
        partner = max(partner, partner_read)
    else:
        _keep(accesses, x, 2, thread, event, _unordered(accesses, read, reader, knows) >= 0)
    if partner >= 0:
        count = accesses.registers[0]
        accesses.found[count, 0] = event
        accesses.found[count, 1] = partner
        accesses.registers[0] += 1


@inner
def _unordered(accesses, event, thread, knows):
    """The latest access of an entry that is not ordered before the event, or -1."""
    if thread != WIDE:
        return event if event > knows[thread] else -1
    latest = -1
    for each in range(len(knows)):
        if accesses.rows[event, each] > max(latest, knows[each]):
            latest = accesses.rows[event, each]
    return latest


@inner
def _write(accesses, x, thread, event, races_write, races_read):
    kept = accesses.kept
    if races_write or races_read:
        _keep(accesses, x, 0, thread, event, races_write)
        return
    for column in (0, 2):
        if kept[x, column + 1] == WIDE:
            give_row(accesses, kept[x, column])
    kept[x, 0], kept[x, 1], kept[x, 2], kept[x, 3] = event, thread, -1, 0


@inner
def _keep(accesses, x, column, thread, event, besides):
    """Keep an access, besides the kept ones or in their place."""
    kept = accesses.kept
    if kept[x, column + 1] == WIDE:
        accesses.rows[kept[x, column], thread] = event
    elif besides:
        row = take_row(accesses)
        accesses.rows[row] = -1
        accesses.rows[row, kept[x, column + 1]] = kept[x, column]
        accesses.rows[row, thread] = event
        kept[x, column] = row
        kept[x, column + 1] = WIDE
    else:
        kept[x, column] = event
        kept[x, column + 1] = thread
