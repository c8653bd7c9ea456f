"""Schedulable happens-before: all of its races are real, not only the first.

Definition (Mathur, Kini, Viswanathan, "What Happens-After the First Race?", OOPSLA 2018): happens-before (hb.py), and
each write before the reads that take their value from it. An event is racy if an earlier one of another thread
conflicts with it and is not ordered before the event that precedes it in its thread; so the write that a read takes its
value from may race with it. Every such pair is the end of a correct reordering of the trace (their theorem): what
precedes the two in this order, as it happened (``sync_preserving.witness_of``).

Only a racy read can learn something from the write that it reads from. So the clocks go ahead, each variable's last
write being published as a lock's release is, and tell what reads have learnt as edges; the accesses follow in a second
thread, some pieces behind, as in happens-before.

Cost: as happens-before, with 12 bytes more a target; see :mod:`mazurka.order.clocks` for how clocks are shared.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from mazurka.order.accesses import Checks, Edges
from mazurka.order.clocks import BLOCK, WRITE, Clocks, clocks_for, copy, inner, jit, learn, move, publish, with_room
from mazurka.order.racy_events import RacyEvents, sorted_events
from mazurka.order.streaming import LONG, Columns, Company, Sizes, bytes_in, columns_of, sizes_of, with_events
from mazurka.trace.trace import Trace

#: How many edges are handed over at once, at most.
_EDGES: Final = 4 * BLOCK


def races(trace: Trace, data: NDArray[np.bool_] | None = None) -> RacyEvents:
    """The racy events; ``data`` says which targets are variables (see :func:`~mazurka.order.streaming.columns_of`)."""
    with SchedulableHappensBefore(len(trace) > LONG) as order:
        order.feed(columns_of(trace, data), sizes_of(trace))
        return order.racy_events()


#: How many pieces the clocks may be ahead.
_AHEAD: Final = 4


class SchedulableHappensBefore:
    """A :class:`~mazurka.order.streaming.Stream`."""

    def __init__(self, two_threads: bool = True) -> None:
        self.company = Company(two_threads)
        self.clocks: Clocks = clocks_for(1, 0)
        self.checks = Checks(1, 0)
        self.events = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.company.__exit__(*raised)

    def feed(self, columns: Columns, sizes: Sizes) -> None:
        with_events(self.events, columns)
        self.checks.make_room(sizes.threads, sizes.targets)
        child, pending = sizes.thread_of_target, deque[Future[None]]()
        for piece in columns.pieces():
            at = 0
            while at < len(piece.thread):
                self.clocks = with_room(self.clocks, sizes.threads, sizes.targets)
                until, edges = self._go_ahead(piece, child, at)
                if len(pending) == _AHEAD:
                    pending.popleft().result()
                part = piece.between(at, until)
                pending.append(self.company.do(self.checks.run, part, child, self.events + at, edges))
                at = until
            self.events += at
        for each in pending:
            each.result()

    def _go_ahead(self, piece: Columns, child: Any, at: int) -> tuple[int, Edges]:
        """How far the clocks come, and what reads learn there."""
        edges = Edges(np.empty(_EDGES, np.int32), np.empty((_EDGES, len(self.clocks.now)), np.int32))
        until, count = _run(*piece, child, self.events, at, self.clocks, edges)
        return until, Edges(edges.event[:count], edges.clock[:count])

    def racy_events(self) -> RacyEvents:
        found = self.checks.found()
        return sorted_events(found[:, 0], found[:, 1])

    def size(self) -> int:
        """Bytes in tables."""
        return bytes_in(self.clocks, self.checks.clocks, self.checks.accesses)


@jit
def _run(thread, op, target, child, base, at, clocks, edges):  # type: ignore[no-untyped-def]  # compiled
    """Go on from row ``at`` as long as there is room for a block; where it stopped, and how many edges there are."""
    size, count = len(thread), 0
    now, shared, published = clocks.now, clocks.shared, clocks.published
    while at < size and clocks.spare[0] >= BLOCK and count + BLOCK <= len(edges.event):
        end = min(at + BLOCK, size)
        _fetch(target, at, end, clocks)
        for i in range(at, end):
            done, t, x, event = op[i], thread[i], target[i], np.int32(base + i)
            if done > WRITE:
                move(clocks, done, t, x, child[x], event)
            elif done == WRITE:
                if shared[t] < 0 or published[x, 2] != shared[t]:
                    publish(clocks, t, x, event)
                published[x, 0] = event
                published[x, 1] = t
            elif published[x, 0] > now[t, published[x, 1]]:
                learn(clocks, t, x)
                edges.event[count] = event
                copy(edges.clock[count], now[t])
                count += 1
        at = end
    return at, count


@inner
def _fetch(target, at, end, clocks):  # type: ignore[no-untyped-def]
    """Wait for memory once, not for each entry."""
    fetched = 0
    for i in range(at, end):
        fetched += clocks.published[target[i], 2]
    clocks.fetched[0] = fetched
