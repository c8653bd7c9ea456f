"""Queries of the search on a state: the open reads, an order of all events, the reasons why an event comes before
another.

Second half of the kernel, under the same restrictions (see kernel.py). Cost: :func:`arrange` is O(events x threads^2)
at worst; :func:`path` O(edges) a round, of which there are few.
"""

from __future__ import annotations

from typing import Any

from mazurka.causal.kernel import (
    INITIAL,
    NONE,
    OPEN,
    OPENS,
    REFUSED,
    TROUBLE,
    TROUBLE_X,
    TROUBLE_Y,
    before,
    bind,
    last_before,
    settle,
)


def hider(s: Any, k: int, w: int) -> int:
    """The event because of which read ``k``, whose source is open, can't take its value from ``w``.

    A write that must come between the two; or the reading event if ``w`` comes after it or can't take place; or -1 if
    no obstacle is known.
    """
    r = s.read_event[k]
    x = s.read_target[k]
    t = s.thread[r]
    present = True
    if w != INITIAL:
        u = s.thread[w]
        if (u == t and w >= r) or w - s.starts[u] >= s.cap[u]:
            return int(r)
        present = w - s.starts[u] < s.past[u]
        if present and before(s, r, w):
            return int(r)
    threads = len(s.starts) - 1
    for c in range(s.col_at[x], s.col_at[x + 1]):
        j = s.col_thread[c]
        end = r if j == t else s.starts[j] + s.pred[r * threads + j]
        v = last_before(s, c, end)
        if v >= 0 and v != w and (w == INITIAL or (present and before(s, w, v))):
            return v
    return -1


def refused(s: Any, k: int, w: int) -> bool:
    """Whether the search has already refuted that read ``k`` takes its value from ``w``. O(number of refusals)."""
    for i in range(s.reg[REFUSED]):
        if s.refused_read[i] == k and s.refused_source[i] == w:
            return True
    return False


def most_bound(s: Any) -> int:
    """An open read with at most one source left, or -1."""
    for i in range(s.reg[OPENS]):
        k = s.opens[i]
        if s.source[k] != OPEN:
            continue
        left = 0
        g = s.choice[k]
        for j in range(s.group_at[g], s.group_at[g + 1]):
            if hider(s, k, s.group[j]) < 0 and not refused(s, k, s.group[j]):
                left += 1
                if left > 1:
                    break
        if left < 2:
            return int(k)
    return -1


def guess(s: Any) -> None:
    """Give every open read the source it had in the run; all at once, so that most rows grow only once."""
    i = 0
    while i < s.reg[OPENS] and s.reg[TROUBLE] == NONE:
        while i < s.reg[OPENS]:
            k = s.opens[i]
            if s.source[k] == OPEN:
                bind(s, k, s.read_source[k])
            i += 1
        settle(s)


def arrange(s: Any) -> int:
    """Arrange the events in ``order``, as in the observed run where the rows allow it; returns how many could be
    placed.

    If not all could, ``reg[TROUBLE_X]`` is the first of the events that could come next but would do harm, and
    ``reg[TROUBLE_Y]`` is where (see :func:`harms`).
    """
    threads = len(s.starts) - 1
    total = 0
    for t in range(threads):
        s.at[t] = 0
        total += s.past[t]
    for i in range(len(s.holds)):
        s.holds[i] = INITIAL
        s.awaited[i] = 0
    for i in range(len(s.owner)):
        s.owner[i] = -1
    for x in range(len(s.holds)):
        k = s.reader_head[len(s.thread) + x]
        while k >= 0:
            s.awaited[x] += 1
            k = s.reader_next[k]
    done = 0
    while done < total:
        chosen = -1
        harmful = -1
        for t in range(threads):
            if s.at[t] >= s.past[t]:
                continue
            e = s.starts[t] + s.at[t]
            if chosen >= 0 and s.rank[e] > s.rank[chosen]:
                continue
            if not ready(s, t, e):
                continue
            if harms(s, e) < 0:
                chosen = e
            elif harmful < 0 or s.rank[e] < s.rank[harmful]:
                harmful = e
        if chosen < 0:
            s.reg[TROUBLE_X] = harmful
            s.reg[TROUBLE_Y] = harms(s, harmful)
            return done
        perform(s, chosen)
        s.at[s.thread[chosen]] += 1
        s.order[done] = chosen
        done += 1
    return done


def ready(s: Any, t: int, e: int) -> bool:
    """Whether all events that come before ``e``, an event of thread ``t``, have been placed."""
    row = e * (len(s.starts) - 1)
    for j in range(len(s.starts) - 1):
        if j != t and s.pred[row + j] > s.at[j]:
            return False
    return True


def harms(s: Any, e: int) -> int:
    """Whether ``e``, as the next event, would overwrite a write that still has readers to come, or enter a section of a
    held lock: -1 if not, else where (the target, or the number of targets + the lock)."""
    for i in range(s.write_at[e], s.write_at[e + 1]):
        x = s.write[i]
        own = 0
        for k in range(s.read_at[e], s.read_at[e + 1]):
            if s.read_target[k] == x and s.source[k] > OPEN:
                own += 1
        if s.awaited[x] > own:
            return int(x)
    for i in range(s.enter_at[e], s.enter_at[e + 1]):
        lock = s.section_lock[s.enter[i]]
        if s.owner[lock] >= 0 and s.section_to[s.owner[lock]] != e:
            return len(s.col_at) - 1 + int(lock)
    return -1


def perform(s: Any, e: int) -> None:
    """Let ``e`` happen, in the order being made."""
    for k in range(s.read_at[e], s.read_at[e + 1]):
        if s.source[k] > OPEN:
            s.awaited[s.read_target[k]] -= 1
    for i in range(s.write_at[e], s.write_at[e + 1]):
        x = s.write[i]
        s.holds[x] = e
        s.awaited[x] = 0
        k = s.reader_head[e]
        while k >= 0:
            if s.read_target[k] == x:
                s.awaited[x] += 1
            k = s.reader_next[k]
    for i in range(s.leave_at[e], s.leave_at[e + 1]):
        s.owner[s.section_lock[s.leave[i]]] = -1
    for i in range(s.enter_at[e], s.enter_at[e + 1]):
        section = s.enter[i]
        if s.section_to[section] != e:
            s.owner[s.section_lock[section]] = section


def path(s: Any, a: int, b: int, edges: int) -> int:
    """Finds a path from ``a`` to ``b`` among the first ``edges`` edges; returns its length, -1 if there is none. Its
    edges are in ``found``.

    The search goes backwards from ``b``: ``reach`` has for each thread the last event known to lead to ``b``; each
    improvement keeps its edge and the improvement it rests on.
    """
    for t in range(len(s.starts) - 1):
        s.reach[t] = -1
        s.reach_step[t] = -1
    s.reach[s.thread[b]] = b
    start = s.thread[a]
    steps = 0
    moved = True
    while moved and s.reach[start] < a:
        moved = False
        for e in range(edges - 1, -1, -1):
            to = s.thread[s.edge_to[e]]
            t = s.thread[s.edge_from[e]]
            if s.edge_to[e] <= s.reach[to] and s.edge_from[e] > s.reach[t]:
                s.step_edge[steps] = e
                s.step_after[steps] = s.reach_step[to]
                s.reach[t] = s.edge_from[e]
                s.reach_step[t] = steps
                steps += 1
                moved = True
                if s.reach[start] >= a:
                    break
    if s.reach[start] < a:
        return -1
    count = 0
    step = s.reach_step[start]
    while step >= 0:
        s.found[count] = s.step_edge[step]
        count += 1
        step = s.step_after[step]
    return count
