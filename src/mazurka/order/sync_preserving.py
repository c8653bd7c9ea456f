"""Sync-preserving races: races in reorderings that keep the order of the sections of each lock.

Definition (Mathur, Pavlogiannis, Viswanathan, "Optimal Prediction of Synchronization-Preserving Races", POPL 2021). Two
conflicting accesses of two threads race if the smallest sync-preserving ideal (ideals.py) that contains the
predecessors of each in its thread contains neither of them. In the order of the trace it is a correct reordering, after
which both come next: every race is real, and :meth:`SyncPreserving.witness` gives the reordering. Every pair that races
under schedulable happens-before is a sync-preserving race.

An event is racy if an earlier one races with it; :mod:`mazurka.order.sync_search` describes how racy events are found,
and the cost. :class:`SyncPreserving` gives reorderings.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mazurka.order.ideals import Ideal, grow, ideal_for, index_of, kinds_of
from mazurka.order.racy_events import RacyEvents
from mazurka.order.streaming import EventColumns, Sizes, columns_of, sizes_of
from mazurka.order.sync_search import SyncPreservingSearch
from mazurka.trace.ids import StepIndex
from mazurka.trace.trace import Trace
from mazurka.witness.witness import Deadlocks, Races, Witness


def races(trace: Trace, data: NDArray[np.bool_] | None = None) -> RacyEvents:
    """The racy events. Targets that are no ``data`` order (by target; None: all targets that are only read and written
    are data)."""
    return races_of(columns_of(trace), sizes_of(trace), data)


def races_of(columns: EventColumns, sizes: Sizes, data: NDArray[np.bool_] | None = None) -> RacyEvents:
    """The racy events of a trace given as columns."""
    return SyncPreservingSearch(columns, sizes, data).run()


class SyncPreserving:
    """Gives reorderings of a trace. The index is built once, in O(events)."""

    def __init__(self, trace: Trace, data: NDArray[np.bool_] | None = None) -> None:
        self.trace = trace
        self.columns = columns_of(trace)
        sizes = sizes_of(trace)
        self.index, _, _ = index_of(self.columns, sizes, kinds_of(self.columns, sizes, data))

    def ideal(self, *events: int) -> NDArray[np.int32] | None:
        """The latest event of each thread in the smallest ideal that contains the predecessors of these events; None if
        it contains one of the events. Cost: linear in the sections and links in it."""
        ideal = ideal_for(self.index)
        return np.asarray(ideal.until) if self._lets(ideal, events) else None

    def first_of(self, pattern: Sequence[Sequence[int]]) -> tuple[int, ...] | None:
        """The first events, one of each list, that can come next together; each list has events of a thread of its own,
        ascending. An ideal for later events contains those for earlier ones, so each event is tried once (Tunc, Mathur,
        Pavlogiannis, Viswanathan, PLDI 2023). Cost: that of one ideal."""
        ideal, thread = ideal_for(self.index), self.columns.thread
        while True:
            places = [bisect_right(rows, ideal.until[thread[rows[0]]]) for rows in pattern]
            if any(place == len(rows) for place, rows in zip(places, pattern, strict=True)):
                return None
            events = tuple(rows[place] for place, rows in zip(places, pattern, strict=True))
            if self._lets(ideal, events):
                return events

    def _lets(self, ideal: Ideal, events: Sequence[int]) -> bool:
        """Add the predecessors of some events to an ideal; returns whether it contains none of the events."""
        threads = self.columns.thread
        for event in events:
            ideal.need[threads[event]] = max(ideal.need[threads[event]], event - 1)
        grow(self.index, ideal)
        return all(ideal.until[threads[event]] < event for event in events)

    def order(self, *events: int) -> NDArray[np.int64] | None:
        """The steps of the events' smallest ideal in the order of the trace. Cost: linear in the trace, some
        nanoseconds an event."""
        until = self.ideal(*events)
        if until is None:
            return None
        thread = self.columns.thread[: int(until.max(initial=-1)) + 1]
        rows = np.flatnonzero(np.arange(len(thread), dtype=np.int32) <= until[thread])
        steps = np.asarray(self.trace.step, np.int64)[rows]
        return steps[np.diff(steps, prepend=-1) > 0]

    def witness(self, claim: Races | Deadlocks, *events: int) -> Witness | None:
        """The reordering after which the events come next, with the claim; None if sections would have to change
        places."""
        order = self.order(*events)
        if order is None:
            return None
        moved = np.flatnonzero(order != np.arange(len(order)))
        prefix = int(moved[0]) if len(moved) else len(order)
        return Witness(tuple(order[prefix:].tolist()), claim=claim, prefix=prefix)

    def witness_of_race(self, first: int, second: int) -> Witness | None:
        """The witness of two conflicting accesses, given as rows; None if they are no sync-preserving race."""
        step = self.trace.step
        return self.witness(Races(StepIndex(int(step[first])), StepIndex(int(step[second]))), first, second)


def witness_of(trace: Trace, first: int, second: int) -> Witness | None:
    """The witness of one pair of events; for several pairs a :class:`SyncPreserving` is faster."""
    return SyncPreserving(trace).witness_of_race(first, second)
