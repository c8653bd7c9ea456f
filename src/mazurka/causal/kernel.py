"""The propagation under :mod:`mazurka.causal.closure`: orders that follow from orders, over flat integer arrays.

State. Every event has a *row* of ``pred``: how many events of each thread are known to come before it (itself
included), so reachability is one comparison (:func:`before`). ``past`` says how many events of each thread take place,
``kept`` in how many of them the reads have to see the values that they saw; both only grow. Rules (closure of SeqCheck,
Alg. 3, stated per event whose row grew):

- *observation*: read r takes its value from w. A write of the target that comes before r comes before w; one that
  comes after w comes after r. A read of the initial value precedes all writes.
- *lock*: an event of another section of the lock that comes after the acquire of a section comes after its release.
- *presence*: if an event takes place, so do the events that must happen before it; if a read that counts does, so does
  its source; if a section is followed by another of the lock, it is released.

Each fact is entered with its reason (``edge_kind`` and two operands), so that a contradiction can be explained, and
is undone by a trail. For each thread that writes the target, a rule looks up the *last* write before an event, by
bisection: by program order its conclusion holds for the earlier writes, too.

Cost: a link costs O(threads) for each event whose row grows, and per read or write of such an event O(threads that
write the target x log); memory is 4 bytes x events x threads, plus about 100 bytes per event.

The same source runs in two ways: interpreted on lists, which is faster for small questions, and compiled by numba on
int32 arrays (compiled.py). So it only uses integers, subscripts and the functions of this file and queries.py; a
capacity that runs out is reported as ``FULL`` and the question asked again with larger arrays.
"""

from __future__ import annotations

from typing import Any, Final

#: A read's source: the read does not count; it counts, and its source is open; the initial value. Otherwise the event
#: that wrote.
LOOSE: Final = -3
OPEN: Final = -2
INITIAL: Final = -1

# Registers.
EDGES: Final = 0
TRAIL: Final = 1
QUEUED: Final = 2
LINK_HEAD: Final = 3
LINKS: Final = 4
LEVEL: Final = 5
TROUBLE: Final = 6
TROUBLE_X: Final = 7
TROUBLE_Y: Final = 8
OPENS: Final = 9
GROWING: Final = 10
MARK: Final = 11  # the length of the trail when the present level or question began
REFUSED: Final = 12
KEEPS: Final = 13  # 1: the events before an event must have read as observed, too
REGISTERS: Final = 14

# The reason for an edge, with operands x and y.
HARD: Final = 0  # a constraint of the model, as event x happens
ASKED: Final = 1  # a constraint of the question
SOURCE: Final = 2  # read x takes its value from the first event
BEFORE_SOURCE: Final = 3  # read x would see write y otherwise
AFTER_READ: Final = 4  # write y would hide the source of read x otherwise
LOCK: Final = 5  # the section of acquire x was entered before event y of the other section
DECIDED: Final = 6  # the decision at level x
LEARNT: Final = 7  # the negation of the decision that nogood x refutes

# Contradictions.
NONE: Final = 0
CYCLE: Final = 1  # event x comes before itself, by an edge that would lead from y to x
HIDDEN: Final = 2  # write y comes before read x of the initial value
CAPPED: Final = 3  # thread x may not go on to event y
UNKEPT: Final = 4  # thread x may not read as before until event y
HELD: Final = 5  # the section of acquire x is never left, and event y of another one comes after
FULL: Final = 6

# The arrays that trail entries restore.
_PRED: Final = 0
_PAST: Final = 1
_KEPT: Final = 2
_SOURCE: Final = 3
_READER: Final = 4
_OUT: Final = 5
_OPENS: Final = 6


def before(s: Any, a: int, b: int) -> bool:
    """Whether event ``a`` is, or is known to come before, ``b``; both take place."""
    t = s.thread[a]
    return bool(s.pred[b * (len(s.starts) - 1) + t] > a - s.starts[t])


def save(s: Any, array: int, where: int, old: int) -> None:
    """Put the old value of an entry on the trail; a full trail is a contradiction of kind ``FULL``."""
    n = s.reg[TRAIL]
    if n >= len(s.trail_old):
        s.reg[TROUBLE] = FULL
        return
    s.trail_array[n] = array
    s.trail_where[n] = where
    s.trail_old[n] = old
    s.reg[TRAIL] = n + 1


def contradict(s: Any, kind: int, x: int, y: int) -> None:
    """Record a contradiction and its two operands, unless one is recorded already."""
    if s.reg[TROUBLE] == NONE:
        s.reg[TROUBLE] = kind
        s.reg[TROUBLE_X] = x
        s.reg[TROUBLE_Y] = y


def enqueue(s: Any, e: int) -> None:
    """The row of ``e`` grew. The queue is a heap by the observed order, in which most orders run."""
    if s.queued[e]:
        return
    s.queued[e] = 1
    i = s.reg[QUEUED]
    s.reg[QUEUED] = i + 1
    while i > 0:
        above = (i - 1) // 2
        if s.rank[s.queue[above]] <= s.rank[e]:
            break
        s.queue[i] = s.queue[above]
        i = above
    s.queue[i] = e


def dequeue(s: Any) -> int:
    """Take the event that is first in the observed order off the queue, which must not be empty. O(log n)."""
    first = int(s.queue[0])
    s.queued[first] = 0
    n = s.reg[QUEUED] - 1
    s.reg[QUEUED] = n
    e = s.queue[n]
    i = 0
    while 2 * i + 1 < n:
        below = 2 * i + 1
        if below + 1 < n and s.rank[s.queue[below + 1]] < s.rank[s.queue[below]]:
            below += 1
        if s.rank[s.queue[below]] >= s.rank[e]:
            break
        s.queue[i] = s.queue[below]
        i = below
    s.queue[i] = e
    return first


def link(s: Any, a: int, b: int, kind: int, x: int, y: int) -> None:
    """Event ``a`` has to come before ``b``; takes effect in :func:`settle`."""
    n = s.reg[LINKS]
    if n >= len(s.link_from):
        s.reg[TROUBLE] = FULL
        return
    s.link_from[n] = a
    s.link_to[n] = b
    s.link_kind[n] = kind
    s.link_x[n] = x
    s.link_y[n] = y
    s.reg[LINKS] = n + 1


def want(s: Any, e: int, kept: bool) -> None:
    """Event ``e`` has to take place; ``kept``: and to write the value that it wrote."""
    t = s.thread[e]
    count = e - s.starts[t] + 1
    if count > s.want_past[t]:
        s.want_past[t] = count
        s.reg[GROWING] = 1
    if kept and count > s.want_kept[t]:
        s.want_kept[t] = count
        s.reg[GROWING] = 1


def wanted(s: Any, e: int) -> bool:
    """Whether event ``e`` takes place, or will."""
    t = s.thread[e]
    return bool(e - s.starts[t] < s.want_past[t])


def grow(s: Any) -> None:
    """Let the events take place that have to."""
    while s.reg[GROWING] and s.reg[TROUBLE] == NONE:
        s.reg[GROWING] = 0
        for t in range(len(s.starts) - 1):
            if s.want_past[t] > s.cap[t]:
                contradict(s, CAPPED, t, s.starts[t] + s.want_past[t] - 1)
                return
            if s.want_kept[t] > s.keep_cap[t]:
                contradict(s, UNKEPT, t, s.starts[t] + s.want_kept[t] - 1)
                return
            if s.past[t] < s.want_past[t]:
                save(s, _PAST, t, s.past[t])
                while s.past[t] < s.want_past[t]:
                    admit(s, t, s.starts[t] + s.past[t])
            if s.kept[t] < s.want_kept[t]:
                save(s, _KEPT, t, s.kept[t])
                while s.kept[t] < s.want_kept[t]:
                    e = s.starts[t] + s.kept[t]
                    s.kept[t] += 1
                    for k in range(s.read_at[e], s.read_at[e + 1]):
                        if not s.read_sync[k]:
                            choose(s, k)


def admit(s: Any, t: int, e: int) -> None:
    """The next event of thread ``t`` takes place."""
    threads = len(s.starts) - 1
    row = e * threads
    if s.past[t]:
        for j in range(threads):
            s.pred[row + j] = s.pred[row - threads + j]
    else:
        for j in range(threads):
            s.pred[row + j] = 0
    s.past[t] += 1
    s.pred[row + t] = s.past[t]
    s.level_of[e] = s.reg[LEVEL]
    s.born[e] = s.reg[TRAIL]
    s.out_head[e] = -1
    for i in range(s.need_at[e], s.need_at[e + 1]):
        want(s, s.need[i], s.reg[KEEPS] != 0)
        link(s, s.need[i], e, HARD, e, 0)
    for i in range(s.pair_at[e], s.pair_at[e + 1]):
        a = s.pair_first[i]
        b = s.pair_second[i]
        if wanted(s, a) and wanted(s, b):
            link(s, a, b, HARD, e, 0)
    if s.guard[e] > s.want_kept[t]:
        s.want_kept[t] = s.guard[e]
        s.reg[GROWING] = 1
    for k in range(s.read_at[e], s.read_at[e + 1]):
        if s.read_sync[k]:
            choose(s, k)
    enqueue(s, e)


def choose(s: Any, k: int) -> None:
    """Read ``k`` counts from now on; its source is bound if there is no choice."""
    if s.source[k] != LOOSE:
        return
    g = s.choice[k]
    if s.fixed[k] != LOOSE:
        bind(s, k, s.fixed[k])
    elif s.group_at[g + 1] - s.group_at[g] == 1:
        bind(s, k, s.group[s.group_at[g]])
    else:
        save(s, _SOURCE, k, LOOSE)
        s.source[k] = OPEN
        s.read_level[k] = s.reg[LEVEL]
        save(s, _OPENS, 0, s.reg[OPENS])
        s.opens[s.reg[OPENS]] = k
        s.reg[OPENS] += 1


def bind(s: Any, k: int, w: int) -> None:
    """Read ``k`` takes its value from ``w``."""
    if s.source[k] == LOOSE:
        s.read_level[k] = s.reg[LEVEL]
    save(s, _SOURCE, k, s.source[k])
    s.source[k] = w
    r = s.read_event[k]
    x = s.read_target[k]
    h = w if w != INITIAL else len(s.thread) + x
    save(s, _READER, h, s.reader_head[h])
    s.reader_next[k] = s.reader_head[h]
    s.reader_head[h] = k
    if w != INITIAL:
        want(s, w, not s.read_sync[k])
        link(s, w, r, SOURCE, k, 0)
    for c in range(s.col_at[x], s.col_at[x + 1]):
        t = s.col_thread[c]
        lo = s.col_from[c]
        hi = s.col_to[c]
        end = s.starts[t] + s.past[t]
        while lo < hi:  # the first write that comes after w
            m = (lo + hi) // 2
            v = s.col[m]
            if v >= end or w == INITIAL or (v != w and before(s, w, v)):
                hi = m
            else:
                lo = m + 1
        if lo < s.col_to[c] and s.col[lo] < end and s.col[lo] != r:
            link(s, r, s.col[lo], AFTER_READ, k, s.col[lo])
    enqueue(s, r)


def last_index(col: Any, lo: int, hi: int, end: int) -> int:
    """The index of the last event less than ``end`` in ``col[lo:hi]``, which is ascending; or -1."""
    first = lo
    while lo < hi:
        m = (lo + hi) // 2
        if col[m] < end:
            lo = m + 1
        else:
            hi = m
    return lo - 1 if lo > first else -1


def last_before(s: Any, c: int, end: int) -> int:
    """The last write in column ``c`` that is less than ``end``, or -1."""
    i = last_index(s.col, s.col_from[c], s.col_to[c], end)
    return int(s.col[i]) if i >= 0 else -1


def join(s: Any, a: int, b: int) -> None:
    """All that precedes ``a`` precedes ``b``."""
    threads = len(s.starts) - 1
    row, other, t = b * threads, a * threads, s.thread[b]
    if s.pred[other + t] > b - s.starts[t]:
        contradict(s, CYCLE, b, a)
        return
    grew = False
    kept = s.born[b] <= s.reg[MARK]  # otherwise undoing removes the whole row
    for j in range(threads):
        count = s.pred[other + j]
        if count > s.pred[row + j]:
            if kept:
                save(s, _PRED, row + j, s.pred[row + j])
            s.pred[row + j] = count
            grew = True
    if grew:
        enqueue(s, b)


def enter(s: Any) -> None:
    """Make the oldest link an edge."""
    n = s.reg[LINK_HEAD]
    s.reg[LINK_HEAD] = n + 1
    if n + 1 == s.reg[LINKS]:
        s.reg[LINKS] = 0
        s.reg[LINK_HEAD] = 0
    a = s.link_from[n]
    b = s.link_to[n]
    if a != b and before(s, a, b):
        return
    e = s.reg[EDGES]
    if e >= len(s.edge_from):
        s.reg[TROUBLE] = FULL
        return
    s.edge_from[e] = a
    s.edge_to[e] = b
    s.edge_kind[e] = s.link_kind[n]
    s.edge_x[e] = s.link_x[n]
    s.edge_y[e] = s.link_y[n]
    if s.born[a] <= s.reg[MARK]:
        save(s, _OUT, a, s.out_head[a])
    s.out_next[e] = s.out_head[a]
    s.out_head[a] = e
    s.reg[EDGES] = e + 1
    join(s, a, b)


def settle(s: Any) -> None:
    """Apply the rules until nothing new follows, or there is a contradiction."""
    while s.reg[TROUBLE] == NONE:
        if s.reg[GROWING]:
            grow(s)
        elif s.reg[LINKS]:
            enter(s)
        elif s.reg[QUEUED]:
            e = dequeue(s)
            t = s.thread[e]
            if e + 1 - s.starts[t] < s.past[t]:
                join(s, e, e + 1)
            i = s.out_head[e]
            while i >= 0 and s.reg[TROUBLE] == NONE:
                join(s, e, s.edge_to[i])
                i = s.out_next[i]
            if s.reg[TROUBLE] == NONE:
                observe(s, e)
                exclude(s, e)
        else:
            return


def observe(s: Any, e: int) -> None:
    """The observation rule for the reads and writes of ``e``."""
    threads = len(s.starts) - 1
    for k in range(s.read_at[e], s.read_at[e + 1]):
        w = s.source[k]
        if w < INITIAL:
            continue
        x = s.read_target[k]
        for c in range(s.col_at[x], s.col_at[x + 1]):
            t = s.col_thread[c]
            end = e if t == s.thread[e] else s.starts[t] + s.pred[e * threads + t]
            v = last_before(s, c, end)
            if v < 0 or v == w:
                continue
            if w == INITIAL:
                contradict(s, HIDDEN, k, v)
                return
            if s.thread[w] != t or v > w:
                link(s, v, w, BEFORE_SOURCE, k, v)
    for i in range(s.write_at[e], s.write_at[e + 1]):
        x = s.write[i]
        follow(s, e, len(s.thread) + x, x)
        for c in range(s.col_at[x], s.col_at[x + 1]):
            t = s.col_thread[c]
            end = e if t == s.thread[e] else s.starts[t] + s.pred[e * threads + t]
            v = last_before(s, c, end)
            if v >= 0:
                follow(s, e, v, x)


def follow(s: Any, e: int, h: int, x: int) -> None:
    """Write ``e`` of target ``x`` comes after all reads from ``h``."""
    k = s.reader_head[h]
    while k >= 0:
        r = s.read_event[k]
        if s.read_target[k] == x and r != e and not before(s, r, e):
            link(s, r, e, AFTER_READ, k, e)
        k = s.reader_next[k]


def exclude(s: Any, e: int) -> None:
    """The lock rule for the sections that ``e`` enters or leaves."""
    for i in range(s.enter_at[e], s.enter_at[e + 1]):
        exclude_section(s, e, s.enter[i])
    for i in range(s.leave_at[e], s.leave_at[e + 1]):
        exclude_section(s, e, s.leave[i])


def exclude_section(s: Any, e: int, section: int) -> None:
    """Other sections of the lock that are entered before ``e``, an event of this section, are left before this one is
    entered."""
    own = s.section_from[section]
    lock = s.section_lock[section]
    for c in range(s.lock_at[lock], s.lock_at[lock + 1]):
        t = s.lock_thread[c]
        end = s.starts[t] + s.pred[e * (len(s.starts) - 1) + t]
        i = last_index(s.taking, s.lock_from[c], s.lock_to[c], end)
        if i >= 0 and s.taken[i] == section:
            i = i - 1 if i > s.lock_from[c] else -1
        if i < 0:
            continue
        left = s.section_to[s.taken[i]]
        if left < 0:
            contradict(s, HELD, s.taking[i], e)
            return
        want(s, left, False)
        link(s, left, own, LOCK, s.taking[i], e)


def undo(s: Any, mark: int, edges: int) -> None:
    """Return to the state in which the trail had ``mark`` entries and there were ``edges`` edges."""
    n = s.reg[TRAIL]
    while n > mark:
        n -= 1
        array = s.trail_array[n]
        where = s.trail_where[n]
        old = s.trail_old[n]
        if array == _PRED:
            s.pred[where] = old
        elif array == _OUT:
            s.out_head[where] = old
        elif array == _PAST:
            s.past[where] = old
        elif array == _KEPT:
            s.kept[where] = old
        elif array == _SOURCE:
            s.source[where] = old
        elif array == _READER:
            s.reader_head[where] = old
        else:
            s.reg[OPENS] = old
    s.reg[TRAIL] = n
    s.reg[EDGES] = edges
    s.reg[LINKS] = 0
    s.reg[LINK_HEAD] = 0
    for i in range(s.reg[QUEUED]):
        s.queued[s.queue[i]] = 0
    s.reg[QUEUED] = 0
    for t in range(len(s.starts) - 1):
        s.want_past[t] = s.past[t]
        s.want_kept[t] = s.kept[t]
    s.reg[GROWING] = 0
    s.reg[TROUBLE] = NONE
