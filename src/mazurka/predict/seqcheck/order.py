"""The orders in which a set of events can happen: trace-closed partial orders (SeqCheck, sections 3.3 and 3.4).

The order starts with the certain edges (Algorithm 2): program order, each read that counts after its write, forks and
joins, the order asked for, sections in which a thread stands after all others of their locks. It is closed
(Algorithm 3) under

- observation: a write to the location of such a read comes before the read's source if it comes before the read, and
  after the read if it comes after the source;
- locks: if a section begins before another ends, it ends before the other begins.

A cycle means that there is no such order.

Departures from the paper: the order is kept as a clock per event, which passes over the set bring up to date, instead
of a tree per pair of threads; there are no rules for reads that need no particular write; and if rows before the window
need not keep their order (NEEDED), rules whose conclusion is about them are left out, so that a cycle is a cycle in the
whole trace.

Cost: a pass takes O(events x threads) of the set; the number of passes is the length of the longest chain of rules,
mostly small.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from mazurka.predict.seqcheck.cone import NEEDED, RULE, SINCE, Cone, innermost, is_loose, is_open
from mazurka.predict.seqcheck.index import BOTH, ENTER, JOIN, LEAVE, LOOK, NONE, READ, WRITE, Ints, TraceIndex

#: The results of closing an order.
CYCLE, CLOSED, TOO_BIG = range(3)

#: Registers of an order: the numbers of edges, of reads that count and of targets; 1 once there is a contradiction; 1
#: once an edge found no room.
EDGES, COUNTING, SLOTS, BROKEN, FULL = range(5)

#: The most entries of all clocks together.
_LARGEST: Final = 1 << 27


class Order(NamedTuple):
    """A partial order of a set. *Places* number its events by thread, without threads that have none."""

    active: Ints  # threads that have events in the set
    number: Ints  # by thread: its number among those
    at: Ints  # by active thread: its first place; one more at the end
    shift: Ints  # by thread: the difference between an event's place and its number
    clock: Ints  # by place and active thread: how many of its events, from the trace's beginning, come before
    head: Ints  # by place: the last edge into it
    edge: Ints  # by edge: the edge before, the place it comes from, the number of that place's thread
    slot: Ints  # by target: its number in the set, or NONE
    slots: Ints  # the targets that have a slot
    writes_at: Ints  # by slot: where its writes begin, by thread and program order
    writes: Ints
    sections_at: Ints  # by slot: where its acquires begin, in the same way
    sections: Ints
    reads: Ints  # events whose reads count
    readers_at: Ints  # by place of a write, then by slot for the value before the window: where its readers begin
    readers: Ints  # the readers of each write, by thread and program order
    changed: Ints  # by place: whether its clock has changed since rules were last applied to it
    reg: Ints  # the registers


def close(index: TraceIndex, cone: Cone, slot: Ints, before: Ints) -> tuple[int, Order]:
    """The least closed order of a set in which the first event of each pair in ``before`` comes before the second."""
    room: Ints = np.int64(4)  # of the same type as later values, otherwise _empty is compiled twice
    while True:
        order = _empty(index, cone, slot, len(before), room)
        if len(order.head) > len(order.clock):
            return TOO_BIG, order
        code = _close(index, cone, order, before)
        if order.reg[FULL] == 0:
            return code, order
        forget(order)
        room *= 4


def _close(index: TraceIndex, cone: Cone, order: Order, before: Ints) -> int:
    """Fill the order; returns CLOSED or CYCLE, unless an edge finds no room."""
    first, edges = True, order.reg[EDGES]
    _list(index, cone, order)
    _begin(index, cone, order, before)
    while order.reg[BROKEN] == 0 and _pass(cone, order, edges):
        edges = order.reg[EDGES]
        _observe(index, cone, order)
        _overwrite(index, cone, order)
        _exclude(index, cone, order, first)
        if order.reg[BROKEN] == 0 and order.reg[EDGES] == edges:
            return CLOSED
        order.changed[:] = 0
        first = False
    return CYCLE


def is_fixed(cone: Cone) -> bool:
    """Whether the rows before the window keep their order; there are none if the window is the whole trace."""
    return bool(cone.reg[RULE] != NEEDED or cone.reg[SINCE] == 0)


def forget(order: Order) -> None:
    """Give back the numbers of targets."""
    for i in range(order.reg[SLOTS]):
        order.slot[order.slots[i]] = NONE


def _empty(index: TraceIndex, cone: Cone, slot: Ints, pairs: int, room: int) -> Order:
    threads = len(cone.past)
    number = np.full(threads, NONE, np.int64)
    active = np.empty(threads, np.int64)
    at, shift = np.zeros(threads + 1, np.int64), np.zeros(threads, np.int64)
    count = size = held = 0
    for t in range(threads):
        if cone.past[t] > cone.base[t]:
            active[count] = t
            number[t] = count
            shift[t] = size - index.starts[t] - cone.base[t]
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
        shift,
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


# -- inputs -------------------------------------------------------------------------------------------------------
# Loops over events work on arrays in variables of their own: numba counts references to an array each time
# it is taken out of a tuple.


def _list(index: TraceIndex, cone: Cone, order: Order) -> None:
    """Number the targets; list the reads that count, the writes and sections of each target, and the readers of each
    write."""
    writes, acquires = np.empty(len(order.writes), np.int64), np.empty(len(order.sections), np.int64)
    kinds, targets, slot, slots, reads = index.kind, index.target, order.slot, order.slots, order.reads
    loose, base, past, kept = index.loose, cone.base, cone.past, cone.kept
    some_loose = cone.reg[RULE] == NEEDED and len(loose) > 0
    writing = entering = numbered = reading = 0
    for t in order.active:
        begin, last_kept = index.starts[t] + base[t], index.starts[t] + kept[t]
        a = NONE if base[t] == 0 else innermost(index, begin - 1)
        while a != NONE:
            if is_open(index, a, begin):
                acquires[entering] = a
                entering += 1
            a = int(index.inside[a])
        for e in range(begin, index.starts[t] + past[t]):
            kind = kinds[e]
            if kind < READ or kind > LEAVE:
                if kind == JOIN:
                    _link_since(index, cone, order, int(index.link[e]), e)
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
            if kind in (BOTH, LOOK) or (kind == READ and e < last_kept and not (some_loose and loose[e])):
                reads[reading] = e
                reading += 1
    order.reg[SLOTS], order.reg[COUNTING] = numbered, reading
    _collect(targets, slot, writes[:writing], order.writes_at, order.writes)
    _collect(targets, slot, acquires[:entering], order.sections_at, order.sections)
    _collect_readers(index, cone, order)


def counts(index: TraceIndex, cone: Cone, e: int) -> bool:
    """Whether an event of the set is a read that has to return the same value."""
    kind = index.kind[e]
    if kind == READ:
        kept = e - index.starts[index.thread[e]] < cone.kept[index.thread[e]]
        return bool(kept and not (cone.reg[RULE] == NEEDED and is_loose(index, e)))
    return bool(kind in (BOTH, LOOK))


def _collect(targets: Ints, slot: Ints, events: Ints, at: Ints, flat: Ints) -> None:
    """Sort events by the slots of their targets; events without a slot do not matter to the set."""
    for e in events:
        if slot[targets[e]] != NONE:
            at[slot[targets[e]]] += 1
    _to_begins(at)
    for e in events:
        s = slot[targets[e]]
        if s != NONE:
            flat[at[s]] = e
            at[s] += 1
    _back_to_begins(at)


def _collect_readers(index: TraceIndex, cone: Cone, order: Order) -> None:
    """List the reads that count for each write, or slot."""
    at, flat, reads = order.readers_at, order.readers, order.reads[: order.reg[COUNTING]]
    of = sources_of(index, cone, order)
    for i in range(len(reads)):
        at[of[i]] += 1
    _to_begins(at)
    for i in range(len(reads)):
        flat[at[of[i]]] = reads[i]
        at[of[i]] += 1
    _back_to_begins(at)


def sources_of(index: TraceIndex, cone: Cone, order: Order) -> Ints:
    """For each read that counts the place of its source; for the value before the window the number of places + the
    slot."""
    links, rows, threads, targets = index.link, index.row, index.thread, index.target
    reads, shift, slot, since = order.reads[: order.reg[COUNTING]], order.shift, order.slot, cone.reg[SINCE]
    of = np.empty(len(reads), np.int32)
    for i in range(len(reads)):
        source = links[reads[i]]
        if source == NONE or rows[source] < since:
            of[i] = len(order.head) + slot[targets[reads[i]]]
        else:
            of[i] = source + shift[threads[source]]
    return of


def _to_begins(at: Ints) -> None:
    """Turn the lengths of lists into the indexes at which they begin."""
    total = 0
    for number in range(len(at)):
        count = at[number]
        at[number] = total
        total += count


def _back_to_begins(at: Ints) -> None:
    """Restore the indexes at which lists begin after filling has moved them."""
    for number in range(len(at) - 1, 0, -1):
        at[number] = at[number - 1]
    at[0] = 0


def place(index: TraceIndex, order: Order, e: int) -> int:
    """The place of an event of the set."""
    return int(e + order.shift[index.thread[e]])


# -- edges ------------------------------------------------------------------------------------------------------------


def _begin(index: TraceIndex, cone: Cone, order: Order, before: Ints) -> None:
    """Enter the certain edges, except those of sections and joins."""
    links, rows, threads, since = index.link, index.row, index.thread, cone.reg[SINCE]
    for read in order.reads[: order.reg[COUNTING]]:
        source = links[read]
        if source != NONE and threads[source] != threads[read] and rows[source] >= since:
            _link(index, order, source, read)
    for t in order.active:
        if cone.base[t] <= index.born[t] < cone.past[t]:
            _link_since(index, cone, order, int(index.fork[t]), index.starts[t] + index.born[t])
    for i in range(len(before)):
        _link(index, order, before[i, 0], before[i, 1])


def _link_since(index: TraceIndex, cone: Cone, order: Order, a: int, b: int) -> None:
    if a != NONE and index.row[a] >= cone.reg[SINCE]:
        _link(index, order, a, b)


def _link(index: TraceIndex, order: Order, a: int, b: int) -> None:
    """Enter an edge: ``a`` comes before ``b``."""
    t = index.thread[a]
    if t == index.thread[b]:
        if a >= b:
            order.reg[BROKEN] = 1
        return
    here = place(index, order, b)
    if order.clock[here, order.number[t]] > a - index.starts[t]:
        return
    if order.reg[EDGES] == len(order.edge):
        order.reg[FULL] = 1
        return
    new = order.reg[EDGES]
    order.edge[new, 0] = order.head[here]
    order.edge[new, 1] = place(index, order, a)
    order.edge[new, 2] = order.number[t]
    order.head[here] = new
    order.reg[EDGES] += 1


def _pass(cone: Cone, order: Order, known: int) -> bool:
    """Update all clocks that changes or new edges (all after the first ``known``) affect; false if there is a cycle.
    Clocks only grow."""
    active, at, head, edge, clock, changed = order.active, order.at, order.head, order.edge, order.clock, order.changed
    done, moved = at[:-1].copy(), True
    while moved:
        moved = False
        for n in range(len(active)):
            here = begin = done[n]
            while here < at[n + 1]:
                i = head[here]
                due = i >= known or changed[here] or (here > at[n] and changed[here - 1])
                while i != NONE and edge[i, 1] < done[edge[i, 2]]:
                    due = due or changed[edge[i, 1]]
                    i = edge[i, 0]
                if i != NONE:
                    break
                if due:
                    news = here > at[n] and _take_in(clock, here, here - 1)
                    if here == at[n]:
                        for m in range(len(active)):
                            clock[here, m] = max(clock[here, m], cone.base[active[m]])
                    clock[here, n] = cone.base[active[n]] + here - at[n]
                    i = head[here]
                    while i != NONE:
                        source, other = edge[i, 1], edge[i, 2]
                        news = _take_in(clock, here, source) or clock[here, other] <= clock[source, other] or news
                        clock[here, other] = max(clock[here, other], clock[source, other] + 1)
                        i = edge[i, 0]
                    if news:
                        changed[here] = 1
                here += 1
            done[n] = here
            moved = moved or here > begin
    for n in range(len(active)):
        if done[n] < at[n + 1]:
            return False
    return True


def _take_in(clock: Ints, here: int, source: int) -> bool:
    """Join one clock into another; returns whether it changed. Written without branches: it is the most frequent
    operation."""
    news = False
    for m in range(clock.shape[1]):
        had, gets = clock[here, m], clock[source, m]
        news |= gets > had
        clock[here, m] = max(had, gets)
    return news


def is_ready(order: Order, here: int, done: Ints) -> bool:
    """Whether all events that come before a place are done."""
    edge = order.head[here]
    while edge != NONE:
        if order.edge[edge, 1] >= done[order.edge[edge, 2]]:
            return False
        edge = order.edge[edge, 0]
    return True


# -- rules ------------------------------------------------------------------------------------------------------------


def _observe(index: TraceIndex, cone: Cone, order: Order) -> None:
    """Other writes that come before a read come before its source; one edge for the last of each thread."""
    threads, starts, links, rows, targets = index.thread, index.starts, index.link, index.row, index.target
    slot, shift, number, clock, changed = order.slot, order.shift, order.number, order.clock, order.changed
    writes_at, writes, fixed, since = order.writes_at, order.writes, is_fixed(cone), cone.reg[SINCE]
    for read in order.reads[: order.reg[COUNTING]]:
        t, source = threads[read], links[read]
        here = read + shift[t]
        if not changed[here]:
            continue
        near = source != NONE and rows[source] >= since
        begin, end = writes_at[slot[targets[read]]], writes_at[slot[targets[read]] + 1]
        while begin < end:
            u = threads[writes[begin]]
            known = read if u == t else starts[u] + clock[here, number[u]]
            stop = begin + 1
            if stop < end and threads[writes[stop]] == u:
                stop = first_from(writes, stop, end, starts[u + 1])
            if writes[begin] < known:
                last = writes[first_from(writes, begin, stop, known) - 1]
                if last != source:
                    if near:
                        _link(index, order, last, source)
                    elif fixed:
                        order.reg[BROKEN] = 1
            begin = stop


def _overwrite(index: TraceIndex, cone: Cone, order: Order) -> None:
    """Other writes that come after a read's source come after the read; edges for the last write of each thread before
    a write, and the last read of each thread from that."""
    threads, starts, shift, number = index.thread, index.starts, order.shift, order.number
    clock, changed, writes_at, writes = order.clock, order.changed, order.writes_at, order.writes
    readers_at, size, fixed = order.readers_at, len(order.head), is_fixed(cone)
    for s in range(order.reg[SLOTS]):
        first, end = writes_at[s], writes_at[s + 1]
        for i in range(first, end):
            write = writes[i]
            t = threads[write]
            here = write + shift[t]
            if not changed[here]:
                continue
            begin = first
            while begin < end:
                u = threads[writes[begin]]
                known = write if u == t else starts[u] + clock[here, number[u]]
                stop = begin + 1
                if stop < end and threads[writes[stop]] == u:
                    stop = first_from(writes, stop, end, starts[u + 1])
                if writes[begin] < known:
                    last = writes[first_from(writes, begin, stop, known) - 1] + shift[u]
                    if readers_at[last] < readers_at[last + 1]:
                        _read_before(index, order, last, write)
                begin = stop
            if fixed and readers_at[size + s] < readers_at[size + s + 1]:
                _read_before(index, order, size + s, write)


def _read_before(index: TraceIndex, order: Order, written: int, write: int) -> None:
    """All reads from a write come before a later write; one edge for the last read of each thread."""
    readers, threads, starts = order.readers, index.thread, index.starts
    begin, end = order.readers_at[written], order.readers_at[written + 1]
    while begin < end:
        u = threads[readers[begin]]
        stop = begin + 1
        if stop < end and threads[readers[stop]] == u:
            stop = first_from(readers, stop, end, starts[u + 1])
        last = readers[stop - 1]
        if last == write:
            last = readers[stop - 2] if stop - 1 > begin else NONE
        if last != NONE:
            _link(index, order, last, write)
        begin = stop


def first_from(events: Ints, low: int, high: int, least: int) -> int:
    """The first place from ``low`` to ``high`` of an event not less than ``least``."""
    while low < high:
        middle = (low + high) // 2
        if events[middle] < least:
            low = middle + 1
        else:
            high = middle
    return low


def _exclude(index: TraceIndex, cone: Cone, order: Order, first: bool) -> None:
    """Sections of a lock exclude each other; one that is not left comes last."""
    links, threads, starts, past = index.link, index.thread, index.starts, cone.past
    shift, changed, sections_at, sections = order.shift, order.changed, order.sections_at, order.sections
    base, number, clock, needed, fixed = cone.base, order.number, order.clock, cone.reg[RULE] == NEEDED, is_fixed(cone)
    for s in range(order.reg[SLOTS]):
        begins, end = sections_at[s], sections_at[s + 1]
        for i in range(begins if end > begins + 1 else end, end):
            section = sections[i]
            t, release = threads[section], links[section]
            left = release != NONE and release - starts[t] < past[t]
            here = release + shift[t] if left else 0
            ordered = section - starts[t] >= base[t]
            if left and not changed[here]:
                continue
            if not left and not (first and (not needed or cone.stood_in[index.target[section]] == section)):
                continue
            begin = begins
            while begin < end:
                u = threads[sections[begin]]
                stop = begin + 1
                if stop < end and threads[sections[stop]] == u:
                    stop = first_from(sections, stop, end, starts[u + 1])
                if u != t:
                    known = starts[u + 1]  # not all its events are known to come before the end of the section
                    if left:
                        done = clock[here, number[u]]
                        known = starts[u] + (done if fixed or done > base[u] else 0)
                    if sections[begin] < known:
                        last = sections[first_from(sections, begin, stop, known) - 1]
                        ended = links[last] - starts[u] if links[last] != NONE else past[u]
                        if ended >= past[u] or not ordered or clock[section + shift[t], number[u]] <= ended:
                            _after(index, cone, order, last, section)
                begin = stop


def _after(index: TraceIndex, cone: Cone, order: Order, first: int, second: int) -> None:
    """Let a section come after another one, unless it must come before it."""
    t, release = index.thread[first], index.link[first]
    if release == NONE or release - index.starts[t] >= cone.past[t]:
        if cone.reg[RULE] != NEEDED or cone.stood_in[index.target[first]] == first:
            order.reg[BROKEN] = 1
    elif second - index.starts[index.thread[second]] >= cone.base[index.thread[second]]:
        _link(index, order, int(index.link[first]), second)
    elif is_fixed(cone):
        order.reg[BROKEN] = 1
