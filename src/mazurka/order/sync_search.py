"""The search for sync-preserving races (sync_preserving.py defines them), compiled.

For each event e2 of the trace, in order, the search determines whether it is racy:

- for each thread there is the ideal of its next event, which only grows;
- earlier accesses are kept by variable, the locks held there (accesses that share a lock with e2 can't race with it),
  whether they write, and thread. For each thread the first access that is not in the ideal of e2's thread is tried: its
  predecessors are added to the ideal. If the ideal then contains the access, the next one that it does not contain is
  tried; those that it contains are never tried again by e2's thread, since ideals only grow. Otherwise the two race;
- a variable that is always used under one common lock needs none of that; a first pass finds these. For other variables
  the accesses under the lock held most often are kept apart from the rest, and a thread that has tried all kept
  accesses in vain tries again only when there are new ones.

The paper keeps an ideal for each variable and pair of threads; here ideals of pairs are made when needed, from the
thread's own ideal.

Cost: two passes. O(1) for an access of a variable that only one thread uses, that no thread writes, or that has a
common lock. For other accesses the cost of growing the ideal: linear in the sections and links added, mostly few.
Memory: 8 bytes for each access of a variable that threads share without a common lock; 20 for each section and each
read from another thread; 4 x threads x (threads + locks); 16 x threads for each such variable, and 4 x threads for each
group of its accesses of which some were tried in vain.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mazurka.jit.compile import inner, jit
from mazurka.order.clocks import BLOCK, padded
from mazurka.order.ideals import DATA, LOCK, DependencyIndex, Ideal, grow, ideal_for, index_of, kinds_of, locks_in
from mazurka.order.locksets import contains, disjoint, give_back, released, take, takes_again
from mazurka.order.racy_events import RacyEvents, sorted_events
from mazurka.order.streaming import EventColumns, Sizes, bytes_in
from mazurka.trace.event import Op

_WRITE, _ACQUIRE, _RELEASE = int(Op.WRITE), int(Op.ACQUIRE), int(Op.RELEASE)
_MIX: Final = 0x9E3779B1

#: In place of the thread that uses a variable: several threads do.
_SHARED: Final = -2

# Registers of the kept accesses.
_FOUND: Final = 0
_KEPT: Final = 1
_CLASSES: Final = 2
_CELLS: Final = 3
_MARKS: Final = 4


class _KeptAccesses(NamedTuple):
    """Accesses by variable, class (locks held, whether they write) and cell (thread). A variable's classes are in four
    chains; the number of a class's chain is 2 if the variable's main lock is not held, plus 1 if its accesses write.
    Arrays are int32; chains end with -1."""

    variable: Any  # [targets] the number of the variable, -1 if it can't race
    main: Any  # [targets] the lock mostly held, or -1
    classes: Any  # [variables, 4] first of each chain
    stored: Any  # [variables, 4] accesses in it
    clear: Any  # [variables, 4, threads] how many were stored when the thread had tried all in vain
    event: Any  # [accesses]
    next: Any  # [accesses] in the same cell
    class_next: Any  # [classes] in the same chain
    class_set: Any  # [classes]
    class_cell: Any  # [classes] the first cell
    cell_next: Any  # [cells] the next cell of the same class
    cell_class: Any  # [cells]
    cell_chain: Any  # [cells] 4 x variable + chain
    cell_thread: Any  # [cells]
    cell_first: Any  # [cells]
    cell_last: Any  # [cells]
    cell_mark: Any  # [cells] row of marks, or -1
    slots: Any  # [2**k] hash table of cells, -1: free
    mark: Any  # [marks, threads] the latest access of the cell in the thread's ideal, or in one grown from it
    found: Any  # [capacity, 2] racy events and partners
    sizes: Any  # [5] registers


class _Ideals(NamedTuple):
    """The ideal of each thread's next event, and the one that is tried."""

    until: Any  # [threads, threads]
    need: Any  # [threads, threads]
    at: Any  # [threads, threads]
    top: Any  # [threads, locks]
    turn_of: Any  # [locks] zeros
    turn: Any  # [1] zero
    tried: Ideal


class SyncPreservingSearch:
    """The racy events of a trace: the first pass builds the index, the second finds them."""

    def __init__(self, columns: EventColumns, sizes: Sizes, data: NDArray[np.bool_] | None = None) -> None:
        self.columns = columns
        kind = kinds_of(columns, sizes, data)
        contested = _contested(columns, len(kind)) & (kind == DATA)
        self.index, held, guards = index_of(columns, sizes, kind, contested)
        self.held = released(held)
        self.kept = _nothing_kept(contested & (guards.common == 0), guards.main, sizes.threads)
        self.ideals = _nothing_needed(self.index)

    def run(self) -> RacyEvents:
        """Search the whole trace; returns the racy events, sorted."""
        at = 0
        while at < len(self.columns.thread):
            at = _run(*self.columns, at, self.index, self.held, self.kept, self.ideals)
            self.kept = _with_room(self.kept)
        found = self.kept.found[: self.kept.sizes[_FOUND]]
        return sorted_events(found[:, 0], found[:, 1])

    def size(self) -> int:
        """The size of the tables in bytes."""
        return bytes_in(self.index, self.held, self.kept, self.ideals)


_GROWING: Final = (
    (_FOUND, ("found",)),
    (_KEPT, ("event", "next")),
    (_CLASSES, ("class_next", "class_set", "class_cell")),
    (_CELLS, ("cell_next", "cell_class", "cell_chain", "cell_thread", "cell_first", "cell_last", "cell_mark")),
    (_MARKS, ("mark",)),
)


def _with_room(kept: _KeptAccesses) -> _KeptAccesses:
    """The tables with room for the additions of a block."""
    for register, names in _GROWING:
        capacity = len(getattr(kept, names[0]))
        if capacity - kept.sizes[register] < BLOCK:
            kept = kept._replace(**{name: padded(getattr(kept, name), 2 * capacity) for name in names})
    if len(kept.slots) < 4 * len(kept.cell_next):
        kept = kept._replace(slots=np.full(4 * len(kept.cell_next), -1, np.int32))
        _enter_all(kept)
    return kept


def _nothing_kept(racing: Any, main: Any, threads: int) -> _KeptAccesses:
    variables, room = int(racing.sum()), 4 * BLOCK
    chains: list[Any] = [np.full(room, -1, np.int32) for _ in range(12)]
    return _KeptAccesses._make(
        [
            np.where(racing, np.cumsum(racing) - 1, -1).astype(np.int32),
            main,
            np.full((variables, 4), -1, np.int32),
            np.zeros((variables, 4), np.int32),
            np.zeros((variables, 4, threads), np.int32),
            *chains,
            np.full(4 * room, -1, np.int32),
            np.full((room, threads), -1, np.int32),
            np.full((room, 2), -1, np.int32),
            np.zeros(5, np.int64),
        ]
    )


def _nothing_needed(index: DependencyIndex) -> _Ideals:
    threads, locks = len(index.latest), locks_in(index)
    return _Ideals(
        np.full((threads, threads), -1, np.int32),
        np.full((threads, threads), -1, np.int32),
        np.tile(np.arange(threads, dtype=np.int32), (threads, 1)),
        np.full((threads, locks), -1, np.int32),
        np.zeros(locks, np.int32),
        np.zeros(1, np.int32),
        ideal_for(index),
    )


def _contested(columns: EventColumns, targets: int) -> Any:
    """Which targets several threads touch, and some thread writes."""
    user, written = np.full(targets, -1, np.int32), np.zeros(targets, np.bool_)
    _use(*columns, user, written)
    return (user == _SHARED) & written


@jit
def _use(thread, op, target, user, written):  # compiled, like all that follow
    for i in range(len(thread)):
        x = target[i]
        if user[x] != thread[i]:
            user[x] = thread[i] if user[x] == -1 else _SHARED
        if op[i] == _WRITE:
            written[x] = True


@jit
def _run(thread, op, target, at, index, held, kept, ideals):
    """Go on from row ``at`` as long as there is room; returns the row reached."""
    size = len(thread)
    while at < size and not _is_full(kept):
        for i in range(at, min(at + BLOCK, size)):
            t, x, done = thread[i], target[i], op[i]
            if done <= _WRITE:
                if kept.variable[x] >= 0:
                    _access(index, held, kept, ideals, t, x, done == _WRITE, np.int32(i))
            elif index.kind[x] == LOCK:
                lock = index.number[x]
                if done == _ACQUIRE and not takes_again(held, t, lock):
                    take(held, t, lock, 0)
                elif done == _RELEASE:
                    give_back(held, t, lock)
        at = min(at + BLOCK, size)
    return at


@inner
def _is_full(kept):
    return (
        len(kept.found) - kept.sizes[_FOUND] < BLOCK
        or len(kept.event) - kept.sizes[_KEPT] < BLOCK
        or len(kept.class_set) - kept.sizes[_CLASSES] < BLOCK
        or len(kept.cell_thread) - kept.sizes[_CELLS] < BLOCK
    )


@inner
def _access(index, held, kept, ideals, t, x, writes, event):
    main = kept.main[x]
    chain = (0 if main >= 0 and contains(held, held.set_of[t], main) else 2) + (1 if writes else 0)
    partner = _partner(index, held, kept, ideals, t, kept.variable[x], chain, event)
    if partner >= 0:
        number = kept.sizes[_FOUND]
        kept.found[number, 0], kept.found[number, 1] = event, partner
        kept.sizes[_FOUND] += 1
    _keep(kept, t, kept.variable[x], chain, held.set_of[t], event)


@inner
def _partner(index, held, kept, ideals, t, x, chain, event):
    """An earlier access that races with this one, or -1."""
    for other in range(4):
        conflicts = (chain & 1 or other & 1) and (chain >= 2 or other >= 2)
        if conflicts and kept.stored[x, other] > kept.clear[x, other, t]:
            own = Ideal(
                ideals.until[t], ideals.need[t], ideals.at[t], ideals.top[t], ideals.turn_of, ideals.turn, ideals.top[t]
            )
            if own.need[t] < event - 1:
                own.need[t] = event - 1
                grow(index, own)
            partner = _try_chain(index, held, kept, own, ideals.tried, t, x, other)
            if partner >= 0:
                return partner
    return -1


@inner
def _try_chain(index, held, kept, own, tried, t, x, chain):
    in_vain = True
    number = kept.classes[x, chain]
    while number >= 0:
        if disjoint(held, kept.class_set[number], held.set_of[t]):
            cell = kept.class_cell[number]
            while cell >= 0:
                if kept.cell_thread[cell] != t:
                    partner = _try(index, kept, own, tried, cell, t)
                    if partner >= 0:
                        return partner
                cell = kept.cell_next[cell]
        else:
            in_vain = False
        number = kept.class_next[number]
    if in_vain:
        kept.clear[x, chain, t] = kept.stored[x, chain]
    return -1


@inner
def _try(index, kept, own, trial, cell, t):
    """An access of the cell that races with the next event of thread ``t``, or -1."""
    thread = kept.cell_thread[cell]
    access = _first_beyond(kept, cell, t, own.until[thread])
    if access < 0:
        return -1
    tried = Ideal(trial.until, trial.need, trial.at, trial.top, trial.turn_of, trial.turn, own.top)
    for each in range(len(own.until)):
        tried.until[each] = tried.need[each] = own.until[each]
        tried.at[each] = own.at[each]
    tried.turn[0] += 1
    while access >= 0:
        event = kept.event[access]
        tried.need[thread] = max(tried.need[thread], event - 1)
        grow(index, tried)
        if tried.until[thread] < event:
            return event
        access = _first_beyond(kept, cell, t, tried.until[thread])
    return -1


@inner
def _first_beyond(kept, cell, t, until):
    """The first access of the cell after ``until``, or -1. Earlier accesses are marked, so as not to be tried again."""
    row = kept.cell_mark[cell]
    last = kept.mark[row, t] if row >= 0 else -1
    following = kept.next[last] if last >= 0 else kept.cell_first[cell]
    if following < 0 or kept.event[following] > until:
        return following
    while following >= 0 and kept.event[following] <= until:
        last = following
        following = kept.next[last]
    if row < 0 and kept.sizes[_MARKS] < len(kept.mark):
        row = kept.cell_mark[cell] = kept.sizes[_MARKS]
        kept.sizes[_MARKS] += 1
    if row >= 0:
        kept.mark[row, t] = last
    return following


@inner
def _keep(kept, t, x, chain, locks, event):
    cell = _cell(kept, x, chain, locks, t)
    access = kept.sizes[_KEPT]
    kept.sizes[_KEPT] += 1
    kept.event[access] = event
    if kept.cell_first[cell] < 0:
        kept.cell_first[cell] = access
    else:
        kept.next[kept.cell_last[cell]] = access
    kept.cell_last[cell] = access
    kept.stored[x, chain] += 1
    if kept.clear[x, chain, t] == kept.stored[x, chain] - 1:
        kept.clear[x, chain, t] += 1


@inner
def _cell(kept, x, chain, locks, t):
    slot = _slot(kept, 4 * x + chain, locks, t)
    if kept.slots[slot] < 0:
        cell = kept.slots[slot] = kept.sizes[_CELLS]
        kept.sizes[_CELLS] += 1
        number = _class(kept, x, chain, locks)
        kept.cell_class[cell], kept.cell_chain[cell], kept.cell_thread[cell] = number, 4 * x + chain, t
        kept.cell_next[cell] = kept.class_cell[number]
        kept.class_cell[number] = cell
    return kept.slots[slot]


@inner
def _slot(kept, chain, locks, t):
    """The slot of a cell, or the one where it would be."""
    mask = len(kept.slots) - 1
    slot = ((chain * _MIX + locks) * _MIX + t) * _MIX >> 9 & mask
    while kept.slots[slot] >= 0:
        cell = kept.slots[slot]
        same = kept.cell_chain[cell] == chain and kept.cell_thread[cell] == t
        if same and kept.class_set[kept.cell_class[cell]] == locks:
            break
        slot = slot + 1 & mask
    return slot


@jit
def _enter_all(kept):
    for cell in range(kept.sizes[_CELLS]):
        locks = kept.class_set[kept.cell_class[cell]]
        kept.slots[_slot(kept, kept.cell_chain[cell], locks, kept.cell_thread[cell])] = cell


@inner
def _class(kept, x, chain, locks):
    number = kept.classes[x, chain]
    while number >= 0:
        if kept.class_set[number] == locks:
            return number
        number = kept.class_next[number]
    number = kept.sizes[_CLASSES]
    kept.sizes[_CLASSES] += 1
    kept.class_next[number] = kept.classes[x, chain]
    kept.classes[x, chain] = number
    kept.class_set[number] = locks
    return number
