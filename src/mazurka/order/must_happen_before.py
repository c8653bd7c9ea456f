"""The events that precede some others in every reordering of a trace without branches, compiled.

The order is weak happens-before (predict/fast_path.py does the same for traces with branches, slowly): program order,
forks and joins, and each write before the reads that take their value from it. Locks order no events.

Cost: that of schedulable happens-before (shb.py), whose clocks are used: some 30 ns an event.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from mazurka.jit.compile import jit
from mazurka.order.clocks import BLOCK, WRITE, clocks_for, copy, learn, move, publish, with_room
from mazurka.order.streaming import EventColumns, Sizes
from mazurka.trace.event import Op

_READ: Final = int(Op.READ)
_RMW: Final = int(Op.RMW)
_FORK: Final = int(Op.FORK)
_JOIN: Final = int(Op.JOIN)


def needs_of(columns: EventColumns, sizes: Sizes, shared: Any, rigid: Any, watched: Any) -> Any:
    """For each ``watched`` event, ascending: the latest event of each other thread that must have happened before, or
    -1.

    ``shared`` says for each target whether reads of it count, ``rigid`` for each event whether no write other than its
    source gives it the same value.
    """
    clocks, at, done = clocks_for(sizes.threads, sizes.targets), 0, 0
    needs = np.empty((len(watched), sizes.threads), np.int32)
    child = sizes.thread_of_target
    while at < len(columns.thread):
        clocks = with_room(clocks, sizes.threads, sizes.targets)
        at, done = _run(*columns, child, shared, rigid, watched, needs, at, done, clocks)
    return needs


@jit
def _run(thread, op, target, child, shared, rigid, watched, needs, at, done, clocks):  # compiled
    """Go on from an event as long as there is room for a block; returns the event reached, and the number of needs."""
    size, now = len(thread), clocks.now
    while at < size and clocks.spare[0] >= BLOCK:
        end = min(at + BLOCK, size)
        for i in range(at, end):
            what, t, x, event = op[i], thread[i], target[i], np.int32(i)
            if done < len(watched) and watched[done] == i:
                copy(needs[done], now[t])
                done += 1
            if what in (_READ, WRITE, _RMW):
                if shared[x]:
                    if what != WRITE and rigid[i]:
                        learn(clocks, t, x)
                    if what != _READ:
                        publish(clocks, t, x, event)
            elif what in (_FORK, _JOIN):
                move(clocks, what, t, x, child[x], event)
        at = end
    return at, done
