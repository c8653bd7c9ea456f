"""In which order a set of events can happen: trace-closed partial orders (SeqCheck, sections 3.3 and 3.4).

The order starts with what is certain (Algorithm 2): program order, each read that counts after its write, forks and
joins, the order asked for, sections in which somebody stands after all others of their locks. It is closed
(Algorithm 3) under

- observation: a write to the place of such a read comes before what was read if it comes before the read, and after
  the read if it comes after what was read;
- locks: if a section begins before another ends, it ends before the other begins.

A cycle means that there is no such order.

Departs from the source: the order is kept as a clock per event, which passes over the set bring up to date,
instead of a tree per pair of threads; reads that need no particular write have no rules at all; and if rows before the
window are not taken as they were (NEEDED), rules whose conclusion is about them are left out, so that a
cycle is one in the whole trace.

Cost: a pass takes events times threads of the set; there are as many as rules follow from each other, mostly a few.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from mazurka.predict.seqcheck_cone import NEEDED, RULE, SINCE, Cone, innermost, is_loose, is_open
from mazurka.predict.seqcheck_index import BOTH, ENTER, JOIN, LEAVE, LOOK, NONE, READ, WRITE, Index, Ints

#: What closing an order comes to.
CYCLE, CLOSED, TOO_BIG = range(3)

#: Registers of an order: how many edges, reads that count and targets; 1 once there is a contradiction, and once an
#: edge found no room.
EDGES, COUNTING, SLOTS, BROKEN, FULL = range(5)

#: Clocks of at most so many numbers.
_LARGEST: Final = 1 << 27


class Order(NamedTuple):
    """A partial order of a set. *Places* number its events by thread, threads that have none left out."""

    active: Ints  # threads that have events in the set
    number: Ints  # by thread: its number among those
    at: Ints  # by active thread: its first place; one more at the end
    clock: Ints  # by place and active thread: so many of its events, from the trace's beginning, come before
    head: Ints  # by place: the last edge into it
    edge: Ints  # by edge: the one before, the place it comes from, the number of that one's thread
    slot: Ints  # by target: its number in the set, or NONE
    slots: Ints  # the targets that have one
    writes_at: Ints  # by slot: where its writes begin, by thread and program order
    writes: Ints
    sections_at: Ints  # by slot: where its acquires begin, in the same way
    sections: Ints
    reads: Ints  # events whose reads count
    readers_at: Ints  # by place of a write, then by slot for what was there before: where those begin that read it
    readers: Ints  # by thread and program order
    changed: Ints  # by place: whether its clock has changed since rules were last applied to it
    reg: Ints  # see below


def close(index: Index, cone: Cone, slot: Ints, before: Ints) -> tuple[int, Order]:
    """The least closed order of a set; of each pair of its events in ``before`` the first comes first."""
    room = 4
    while True:
        order = _empty(index, cone, slot, len(before), room)
        if len(order.head) > len(order.clock):
            return TOO_BIG, order
        code = _close(index, cone, order, before)
        if order.reg[FULL] == 0:
            return code, order
        forget(order)
        room *= 4


def _close(index: Index, cone: Cone, order: Order, before: Ints) -> int:
    """Fill the order; unless an edge finds no room, it is CLOSED or has a CYCLE."""
    _list(index, cone, order)
    _begin(index, cone, order, before)
    first = True
    while order.reg[BROKEN] == 0 and _pass(index, cone, order):
        edges = order.reg[EDGES]
        _observe(index, cone, order)
        _exclude(index, cone, order, first)
        if order.reg[BROKEN] == 0 and order.reg[EDGES] == edges:
            return CLOSED
        order.changed[:] = 0
        first = False
    return CYCLE


def is_fixed(cone: Cone) -> bool:
    """Whether what was before the window is taken as it was; there is nothing before the whole trace."""
    return bool(cone.reg[RULE] != NEEDED or cone.reg[SINCE] == 0)


def forget(order: Order) -> None:
    """Give back the numbers of targets."""
    for i in range(order.reg[SLOTS]):
        order.slot[order.slots[i]] = NONE


def _empty(index: Index, cone: Cone, slot: Ints, pairs: int, room: int) -> Order:
    threads = len(cone.past)
    number = np.full(threads, NONE, np.int64)
    active = np.empty(threads, np.int64)
    at = np.zeros(threads + 1, np.int64)
    count = size = held = 0
    for t in range(threads):
        if cone.past[t] > cone.base[t]:
            active[count] = t
            number[t] = count
            size += cone.past[t] - cone.base[t]
            count += 1
            at[count] = size
            a = NONE if cone.base[t] == 0 else innermost(index, index.starts[t] + cone.base[t] - 1)
            while a != NONE:
                held += 1
                a = int(index.inside[a])
    return Order(
        active[:count],
        number,
        at[: count + 1],
        np.zeros((0 if size * count > _LARGEST else size, count), np.int32),
        np.full(size, NONE, np.int32),
        np.empty((room * (size + threads + pairs), 3), np.int32),
        slot,
        np.empty(size, np.int64),
        np.zeros(size + 1, np.int64),
        np.empty(size, np.int64),
        np.zeros(size + 1, np.int64),
        np.empty(size + held, np.int64),
        np.empty(size, np.int64),
        np.zeros(2 * size + 1, np.int64),
        np.empty(size, np.int64),
        np.ones(size, np.int8),
        np.zeros(5, np.int64),
    )


# -- what there is ----------------------------------------------------------------------------------------------------


def _list(index: Index, cone: Cone, order: Order) -> None:
    """Number the targets, list the reads that count, by target its writes and sections, by write its readers."""
    writes, acquires = np.empty(len(order.writes), np.int64), np.empty(len(order.sections), np.int64)
    kinds, targets, slot, slots, reads = index.kind, index.target, order.slot, order.slots, order.reads
    writing = entering = numbered = reading = 0
    for t in order.active:
        begin, kept = index.starts[t] + cone.base[t], index.starts[t] + cone.kept[t]
        a = NONE if cone.base[t] == 0 else innermost(index, begin - 1)
        while a != NONE:
            if is_open(index, a, begin):
                acquires[entering] = a
                entering += 1
            a = int(index.inside[a])
        for e in range(begin, index.starts[t] + cone.past[t]):
            kind = kinds[e]
            if kind < READ or kind > LEAVE:
                continue
            if slot[targets[e]] == NONE:
                slot[targets[e]] = numbered
                slots[numbered] = targets[e]
                numbered += 1
            if kind in (WRITE, BOTH):
                writes[writing] = e
                writing += 1
            elif kind == ENTER:
                acquires[entering] = e
                entering += 1
            if kind in (BOTH, LOOK) or (kind == READ and e < kept and counts(index, cone, e)):
                reads[reading] = e
                reading += 1
    order.reg[SLOTS], order.reg[COUNTING] = numbered, reading
    _collect(index, order, writes[:writing], order.writes_at, order.writes)
    _collect(index, order, acquires[:entering], order.sections_at, order.sections)
    _collect_readers(index, cone, order)


def counts(index: Index, cone: Cone, e: int) -> bool:
    """Whether an event of the set reads, and has to get what it got."""
    kind = index.kind[e]
    if kind == READ:
        kept = e - index.starts[index.thread[e]] < cone.kept[index.thread[e]]
        return bool(kept and not (cone.reg[RULE] == NEEDED and is_loose(index, e)))
    return bool(kind in (BOTH, LOOK))


def _collect(index: Index, order: Order, events: Ints, at: Ints, flat: Ints) -> None:
    """Events by the slots of their targets; what has none is of no concern to the set."""
    targets, slot = index.target, order.slot
    for filling in range(2):
        for e in events:
            s = slot[targets[e]]
            if s != NONE:
                _count(at, flat, s, e, filling == 1)
        _lay(at, filling)


def _collect_readers(index: Index, cone: Cone, order: Order) -> None:
    """By write, or slot, the reads that count."""
    for filling in range(2):
        for i in range(order.reg[COUNTING]):
            written = source_place(index, cone, order, order.reads[i])
            _count(order.readers_at, order.readers, written, order.reads[i], filling == 1)
        _lay(order.readers_at, filling)


def source_place(index: Index, cone: Cone, order: Order, read: int) -> int:
    """Under which number the readers are listed of what a read got."""
    source = int(index.link[read])
    if source == NONE or index.row[source] < cone.reg[SINCE]:
        return int(len(order.head) + order.slot[index.target[read]])
    return place(index, cone, order, source)


def _count(at: Ints, flat: Ints, number: int, e: int, filling: bool) -> None:
    if filling:
        flat[at[number]] = e
    at[number] += 1


def _lay(at: Ints, filling: int) -> None:
    """From numbers of events to where lists begin; and back to that, once filling has moved them."""
    if filling == 0:
        total = 0
        for number in range(len(at)):
            count = at[number]
            at[number] = total
            total += count
    else:
        for number in range(len(at) - 1, 0, -1):
            at[number] = at[number - 1]
        at[0] = 0


def place(index: Index, cone: Cone, order: Order, e: int) -> int:
    """Where an event of the set is in its lists."""
    t = index.thread[e]
    return int(order.at[order.number[t]] + e - index.starts[t] - cone.base[t])


# -- edges ------------------------------------------------------------------------------------------------------------


def _begin(index: Index, cone: Cone, order: Order, before: Ints) -> None:
    """What is certain, but for sections."""
    for i in range(order.reg[COUNTING]):
        _link_since(index, cone, order, int(index.link[order.reads[i]]), order.reads[i])
    for t in order.active:
        start = index.starts[t] + cone.base[t]
        if cone.base[t] <= index.born[t] < cone.past[t]:
            _link_since(index, cone, order, int(index.fork[t]), index.starts[t] + index.born[t])
        for e in range(start, index.starts[t] + cone.past[t]):
            if index.kind[e] == JOIN:
                _link_since(index, cone, order, int(index.link[e]), e)
    for i in range(len(before)):
        _link(index, cone, order, before[i, 0], before[i, 1])


def _link_since(index: Index, cone: Cone, order: Order, a: int, b: int) -> None:
    if a != NONE and index.row[a] >= cone.reg[SINCE]:
        _link(index, cone, order, a, b)


def _link(index: Index, cone: Cone, order: Order, a: int, b: int) -> None:
    """``a`` comes before ``b``."""
    t = index.thread[a]
    if t == index.thread[b]:
        if a >= b:
            order.reg[BROKEN] = 1
        return
    here = place(index, cone, order, b)
    if order.clock[here, order.number[t]] > a - index.starts[t]:
        return
    if order.reg[EDGES] == len(order.edge):
        order.reg[FULL] = 1
        return
    new = order.reg[EDGES]
    order.edge[new, 0] = order.head[here]
    order.edge[new, 1] = place(index, cone, order, a)
    order.edge[new, 2] = order.number[t]
    order.head[here] = new
    order.reg[EDGES] += 1


def _pass(index: Index, cone: Cone, order: Order) -> bool:
    """Bring all clocks up to date; false if there is a cycle."""
    done = order.at[:-1].copy()
    moved = True
    while moved:
        moved = False
        for n in range(len(order.active)):
            while done[n] < order.at[n + 1] and is_ready(order, done[n], done):
                _tick(cone, order, n, done[n])
                done[n] += 1
                moved = True
    for n in range(len(order.active)):
        if done[n] < order.at[n + 1]:
            return False
    return True


def is_ready(order: Order, here: int, done: Ints) -> bool:
    """Whether all that comes before a place is done."""
    edge = order.head[here]
    while edge != NONE:
        if order.edge[edge, 1] >= done[order.edge[edge, 2]]:
            return False
        edge = order.edge[edge, 0]
    return True


def _tick(cone: Cone, order: Order, n: int, here: int) -> None:
    """What comes before a place, from the place before it and its edges. Clocks only grow."""
    clock, first, changed = order.clock, order.at[n], False
    for m in range(len(order.active)):
        known = cone.base[order.active[m]] if here == first else clock[here - 1, m]
        if m == n:
            known = cone.base[order.active[n]] + here - first
        if known > clock[here, m]:
            clock[here, m] = known
            changed = True
    edge = order.head[here]
    while edge != NONE:
        source, other = order.edge[edge, 1], order.edge[edge, 2]
        for m in range(len(order.active)):
            known = clock[source, m] + 1 if m == other else clock[source, m]
            if known > clock[here, m]:
                clock[here, m] = known
                changed = True
        edge = order.edge[edge, 0]
    if changed:
        order.changed[here] = 1


# -- rules ------------------------------------------------------------------------------------------------------------


def _observe(index: Index, cone: Cone, order: Order) -> None:
    """Other writes come before what a read got, or after the read."""
    fixed = is_fixed(cone)
    threads, starts, base, number, at, changed = (
        index.thread,
        index.starts,
        cone.base,
        order.number,
        order.at,
        order.changed,
    )
    for i in range(order.reg[COUNTING]):
        read = order.reads[i]
        t = threads[read]
        if changed[at[number[t]] + read - starts[t] - base[t]]:
            s = order.slot[index.target[read]]
            begin, end = order.writes_at[s], order.writes_at[s + 1]
            while begin < end:
                stop = _end_of_thread(index, order.writes, begin, end)
                _hidden(index, cone, order, read, begin, stop)
                begin = stop
    for s in range(order.reg[SLOTS]):
        begin, end = order.writes_at[s], order.writes_at[s + 1]
        for i in range(begin, end):
            write = order.writes[i]
            t = threads[write]
            if not changed[at[number[t]] + write - starts[t] - base[t]]:
                continue
            other = begin
            while other < end:
                stop = _end_of_thread(index, order.writes, other, end)
                last = _last_before(index, cone, order, order.writes, other, stop, write)
                if last >= other:
                    _read_before(index, cone, order, place(index, cone, order, order.writes[last]), write)
                other = stop
            if fixed:
                _read_before(index, cone, order, len(order.head) + s, write)


def _hidden(index: Index, cone: Cone, order: Order, read: int, begin: int, end: int) -> None:
    """Of one thread's writes, from ``begin`` to ``end``, those before a read come before what it got."""
    source = int(index.link[read])
    last = _last_before(index, cone, order, order.writes, begin, end, read)
    if last >= begin and order.writes[last] != source:
        if source != NONE and index.row[source] >= cone.reg[SINCE]:
            _link(index, cone, order, order.writes[last], source)
        elif is_fixed(cone):
            order.reg[BROKEN] = 1


def _read_before(index: Index, cone: Cone, order: Order, written: int, write: int) -> None:
    """All reads of something come before a write that comes after it: of each thread the last."""
    begin, end = order.readers_at[written], order.readers_at[written + 1]
    while begin < end:
        stop = _end_of_thread(index, order.readers, begin, end)
        last = order.readers[stop - 1]
        if last == write:
            stop_before = stop - 1
            last = order.readers[stop_before - 1] if stop_before > begin else NONE
        if last != NONE:
            _link(index, cone, order, last, write)
        begin = stop


def _last_before(index: Index, cone: Cone, order: Order, events: Ints, begin: int, end: int, e: int) -> int:
    """Of a thread's events in a list the last that comes before another event."""
    u = index.thread[events[begin]]
    if u == index.thread[e]:
        return _first_from(events, begin, end, e) - 1
    known = index.starts[u] + order.clock[place(index, cone, order, e), order.number[u]]
    return _first_from(events, begin, end, known) - 1


def _end_of_thread(index: Index, events: Ints, begin: int, end: int) -> int:
    """Where in a list, by thread, those of the thread at ``begin`` end."""
    return _first_from(events, begin, end, index.starts[index.thread[events[begin]] + 1])


def _first_from(events: Ints, low: int, high: int, least: int) -> int:
    """The first place from ``low`` to ``high`` of an event not less than ``least``."""
    while low < high:
        middle = (low + high) // 2
        if events[middle] < least:
            low = middle + 1
        else:
            high = middle
    return low


def _exclude(index: Index, cone: Cone, order: Order, first: bool) -> None:
    """Sections of a lock exclude each other; one that is not left comes last."""
    for s in range(order.reg[SLOTS]):
        begin, end = order.sections_at[s], order.sections_at[s + 1]
        for i in range(begin, end):
            section = order.sections[i]
            left = _is_left(index, cone, section)
            if left and not order.changed[place(index, cone, order, int(index.link[section]))]:
                continue
            if not left and not (
                first and (cone.reg[RULE] != NEEDED or cone.stood_in[index.target[section]] == section)
            ):
                continue
            other = begin
            while other < end:
                stop = _end_of_thread(index, order.sections, other, end)
                u = index.thread[order.sections[other]]
                if u != index.thread[section]:
                    known = _known(index, cone, order, u, section) if left else index.starts[u + 1]
                    last = _first_from(order.sections, other, stop, known) - 1
                    if last >= other:
                        _after(index, cone, order, order.sections[last], section)
                other = stop


def _is_left(index: Index, cone: Cone, acquire: int) -> bool:
    release, t = index.link[acquire], index.thread[acquire]
    return bool(release != NONE and release - index.starts[t] < cone.past[t])


def _known(index: Index, cone: Cone, order: Order, u: int, acquire: int) -> int:
    """The first event of a thread that is not known to come before the end of a section."""
    number = order.clock[place(index, cone, order, int(index.link[acquire])), order.number[u]]
    return int(index.starts[u] + (number if is_fixed(cone) or number > cone.base[u] else 0))


def _after(index: Index, cone: Cone, order: Order, first: int, second: int) -> None:
    """A section comes after another one, which it does not come before."""
    if not _is_left(index, cone, first):
        if cone.reg[RULE] != NEEDED or cone.stood_in[index.target[first]] == first:
            order.reg[BROKEN] = 1
    elif second - index.starts[index.thread[second]] >= cone.base[index.thread[second]]:
        _link(index, cone, order, int(index.link[first]), second)
    elif is_fixed(cone):
        order.reg[BROKEN] = 1
