"""Schedulable happens-before: all of its races are real, not only the first.

Definition (Mathur, Kini, Viswanathan, "What Happens-After the First Race?", OOPSLA 2018): happens-before (hb.py), and
each write before the reads that take their value from it. An event is racy if an earlier one of another thread
conflicts with it and is not ordered before the event that precedes it in its thread; so the write that a read takes its
value from may race with it. Every such pair is the end of a correct reordering of the trace (their theorem): the events
that precede the two in this order, in the order of the trace (``sync_preserving.witness_of``).

Only a racy read can change its thread's clock by the write that it reads from. So the clocks are computed first: each
variable's last write is published as a lock's release is, and clocks that reads have changed are passed on as edges.
The accesses are checked in a second thread, some pieces behind, as in happens-before.

Cost: that of happens-before, and the memory of :mod:`mazurka.order.versions`, which defines how clocks are published.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from mazurka.jit.compile import inner, jit
from mazurka.order.accesses import AccessChecks, Edges
from mazurka.order.clocks import BLOCK, EFFECTS, LEARN, READ, copy
from mazurka.order.racy_events import RacyEvents, sorted_events
from mazurka.order.streaming import LONG, EventColumns, HelperThread, Sizes, bytes_in, columns_of, sizes_of, with_events
from mazurka.order.versions import BIAS, learn, move_rarely, versions_for, with_room
from mazurka.trace.trace import Trace

#: The largest number of edges that are handed over at once.
_EDGES: Final = 4 * BLOCK


def races(trace: Trace, data: NDArray[np.bool_] | None = None) -> RacyEvents:
    """The racy events; ``data`` says which targets are variables (see :func:`~mazurka.order.streaming.columns_of`)."""
    with SchedulableHappensBefore(len(trace) > LONG) as order:
        order.feed(columns_of(trace, data), sizes_of(trace))
        return order.racy_events()


#: How many pieces the clocks may be ahead.
_AHEAD: Final = 4


class SchedulableHappensBefore:
    """A :class:`~mazurka.order.streaming.Stream`. Threads that sizes count only later have to be forked, otherwise some
    of their races may be missed."""

    def __init__(self, two_threads: bool = True) -> None:
        self.company = HelperThread(two_threads)
        self.versions = versions_for(0, 0)
        self.checks = AccessChecks(1, 0)
        self.edges = _room_for_edges(0)
        self.events = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.company.__exit__(*raised)

    def feed(self, columns: EventColumns, sizes: Sizes) -> None:
        with_events(self.events, columns)
        if not self.events:
            self.versions = versions_for(sizes.threads, sizes.targets)
        if sizes.threads > self.edges.clock.shape[1]:
            self.edges = _room_for_edges(sizes.threads)
        self.checks.make_room(sizes.threads, sizes.targets)
        child, pending = sizes.thread_of_target, deque[Future[None]]()
        for piece in columns.pieces():
            at = 0
            while at < len(piece.thread):
                self.versions = with_room(self.versions, sizes.threads, sizes.targets)
                until, edges = self._go_ahead(piece, child, at)
                if len(pending) == _AHEAD:
                    pending.popleft().result()
                part = piece.between(at, until)
                pending.append(self.company.do(self.checks.run, part, child, self.events + at, edges))
                at = until
            self.events += at
        for each in pending:
            each.result()

    def _go_ahead(self, piece: EventColumns, child: Any, at: int) -> tuple[int, Edges]:
        """Compute clocks from row ``at`` on; returns the row reached, and the clocks that reads have changed."""
        until, count = _run(*piece.unsigned(), child, self.events, at, self.versions, self.edges)
        return until, Edges(self.edges.event[:count].copy(), self.edges.clock[:count].copy())

    def racy_events(self) -> RacyEvents:
        found = self.checks.found()
        return sorted_events(found[:, 0], found[:, 1])

    def size(self) -> int:
        """The size of the tables in bytes."""
        return bytes_in(self.versions, self.edges, self.checks.clocks, self.checks.accesses)


def _room_for_edges(threads: int) -> Edges:
    return Edges(np.empty(_EDGES, np.int32), np.empty((_EDGES, threads), np.int32))


@jit
def _run(thread, op, target, child, base, at, versions, edges):  # compiled
    """Go on from row ``at`` as long as there is room for a block; returns the row reached, and the number of edges."""
    size, count = len(thread), 0
    now, version, published = versions.now, versions.version, versions.published
    while at < size and versions.spare[0] >= BLOCK and count + BLOCK <= len(edges.event):
        end = min(at + BLOCK, size)
        threads, ops, targets = thread[at:end], op[at:end], target[at:end]
        _fetch(targets, versions)
        for i in range(end - at):
            done, t, x, event = ops[i], threads[i], targets[i], np.int32(base + at + i)
            told, other, row = published[x, 0], published[x, 1], published[x, 2]
            if told + BIAS[done] <= now[t, np.uint32(other)]:
                mask = versions.masks[done]
                published[x, 0] = told ^ ((told ^ event) & mask)
                published[x, 1] = other ^ ((other ^ np.int32(t)) & mask)
                published[x, 2] = row ^ ((row ^ version[t]) & mask)
            elif EFFECTS[done] != LEARN:
                move_rarely(versions, done, t, x, child[x], event)
            else:
                learn(versions, t, told, np.uint32(other), np.uint32(row))
                if done == READ:
                    edges.event[count] = event
                    copy(edges.clock[count], now[t])
                    count += 1
        at = end
    return at, count


@inner
def _fetch(target, versions):
    """Wait for memory once, not for each entry."""
    fetched = 0
    for i in range(len(target)):
        fetched += versions.published[target[i], 2]
    versions.fetched[0] = fetched
