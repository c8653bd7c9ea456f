"""Happens-before: races between accesses that the trace's synchronisation does not order.

Definition (Lamport 1978; for traces Flanagan and Freund, PLDI 2009). The least order that contains

- the order of each thread's events;
- a release of a lock before every later acquire of it;
- a fork before the events of the thread forked, these before its join;
- for conditions, atomics and all other targets that order threads: each operation that writes before later ones that
  read.

An event is racy if an earlier one of another thread conflicts with it (same variable, one writes) and is not ordered
before it. The first race of a trace is real: another order shows it. Later ones are candidates: some are not real,
since a thread may have read a value that it would not read in the other order.

Two threads each check half of the variables; see :mod:`mazurka.order.accesses`, also for the cost.
"""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import NDArray

from mazurka.order.accesses import AccessChecks, no_edges
from mazurka.order.racy_events import RacyEvents, sorted_events
from mazurka.order.streaming import LONG, EventColumns, HelperThread, Sizes, bytes_in, columns_of, sizes_of, with_events
from mazurka.trace.trace import Trace


def races(trace: Trace, data: NDArray[np.bool_] | None = None) -> RacyEvents:
    """The racy events; ``data`` says which targets are variables (see :func:`~mazurka.order.streaming.columns_of`)."""
    with HappensBefore(len(trace) > LONG) as order:
        order.feed(columns_of(trace, data), sizes_of(trace))
        return order.racy_events()


class HappensBefore:
    """A :class:`~mazurka.order.streaming.Stream`."""

    def __init__(self, two_threads: bool = True) -> None:
        self.company = HelperThread(two_threads)
        shift = int(two_threads)
        self.halves = [AccessChecks(1, 0, part, shift) for part in range(1 << shift)]
        self.events = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.company.__exit__(*raised)

    def feed(self, columns: EventColumns, sizes: Sizes) -> None:
        events = with_events(self.events, columns)
        for half in self.halves:
            half.make_room(sizes.threads, sizes.targets)
        arguments = (columns, sizes.thread_of_target, self.events, no_edges(sizes.threads))
        others = [self.company.do(half.run, *arguments) for half in self.halves[1:]]
        self.halves[0].run(*arguments)
        for other in others:
            other.result()
        self.events = events

    def racy_events(self) -> RacyEvents:
        found = np.concatenate([half.found() for half in self.halves])
        return sorted_events(found[:, 0], found[:, 1])

    def size(self) -> int:
        """The size of the tables in bytes."""
        return sum(bytes_in(half.clocks, half.accesses) for half in self.halves)
