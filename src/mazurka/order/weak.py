"""The driver of wcp, dc and wdc: its tables grow, and entries that all threads know are dropped.

weak_kernel.py defines the orders and computes them; sections.py describes the data kept of critical sections, and their
memory. Further memory: 16 bytes a target, as for happens-before; for wcp 4 x threads for each lock.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mazurka.lazy_dataclass import dataclass
from mazurka.order.accesses import AccessChecks
from mazurka.order.clocks import BLOCK, NOW, padded
from mazurka.order.racy_events import RacyEvents, sorted_events
from mazurka.order.sections import (
    deeper,
    held_by,
    known_to_all,
    more_readers,
    more_sections,
    nested_for,
    packed,
    readers_for,
    rehashed,
    roomy,
    sections_for,
    sweep,
    touched_for,
)
from mazurka.order.streaming import EventColumns, Sizes
from mazurka.order.weak_kernel import GETS, GIVES, LISTS_FULL, TOO_DEEP, Past, WeakOrderState, advance
from mazurka.trace.event import Op
from mazurka.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules that distinguish the orders; see weak_kernel.py."""

    nests: bool
    composes: bool


class WeakOrder:
    """A :class:`~mazurka.order.streaming.Stream`. ``forked`` are the threads that will be forked, as far as known:
    events that all other threads know can be forgotten before these begin."""

    def __init__(self, rules: Rules, forked: NDArray[np.int32] | None = None) -> None:
        self.rules = rules
        self.events = 0
        self._forked = [] if forked is None else forked.tolist()
        self._checks = AccessChecks(1, 0)
        clocks = self._checks.clocks
        none = np.zeros(0, np.int32)
        self._state = WeakOrderState(
            clocks,
            self._checks.accesses,
            Past(clocks.now, none, none, np.zeros((0, 1), np.int32), np.zeros(1, np.int32), np.zeros(0, np.bool_)),
            sections_for(),
            held_by(0),
            touched_for(1),
            readers_for(2 * BLOCK),
            nested_for(0, 0),
        )
        self._settled = 0

    def feed(self, columns: EventColumns, sizes: Sizes) -> None:
        """Process the next events; sizes may have grown since the last call."""
        self._widen(sizes.threads, sizes.targets)
        at = 0
        while at < len(columns.thread):
            self._make_room()
            at, reason = advance(
                self._state, self.rules.nests, self.rules.composes, *columns, sizes.thread_of_target, self.events, at
            )
            if reason == TOO_DEEP:
                self._state = self._state._replace(held=deeper(self._state.held))
            elif reason == LISTS_FULL:
                self._state = self._state._replace(nested=packed(self._state.nested))
        self.events += len(columns.thread)

    def racy_events(self) -> RacyEvents:
        """The racy events found so far."""
        found = self._checks.found()
        return sorted_events(found[:, 0], found[:, 1])

    def tables(self) -> WeakOrderState:
        """The state, with the arrays that the checks may have replaced."""
        state = self._state._replace(clocks=self._checks.clocks, accesses=self._checks.accesses)
        if not self.rules.composes:
            state = state._replace(past=state.past._replace(clock=state.clocks.now))
        return state

    def size(self) -> int:
        """The size of all tables in bytes."""
        return sum(int(array.nbytes) for table in self.tables() for array in table)

    def forget(self) -> None:
        """Drop sections whose release every thread knows. Happens automatically when tables are full."""
        state = self.tables()
        floor = known_to_all(state.past.clock, state.past.exempt)
        sweep(state.sections, state.clocks, state.touched, state.readers, state.nested, floor)

    def _widen(self, threads: int, targets: int) -> None:
        """Make room for numbers up to these."""
        self._checks.make_room(threads, targets)
        state = self._state
        past, held, nested = state.past, state.held, state.nested
        if threads > len(past.own):
            more = held_by(threads, held.section.shape[1])
            for column, old in zip(more, held, strict=True):
                column[: len(old)] = old
            held = more
            nested = nested._replace(
                newest=padded(nested.newest.T, threads).T.copy(),
                place=padded(nested.place.transpose(1, 0, 2), threads, 0).transpose(1, 0, 2).copy(),
            )
            past = self._wider(past, threads)
        if targets > len(past.number):
            past = past._replace(number=padded(past.number, targets))
            nested = nested._replace(number=padded(nested.number, targets))
        self._state = state._replace(past=past, held=held, nested=nested)

    def _wider(self, past: Past, threads: int) -> Past:
        clock = self._checks.clocks.now.copy()
        before = len(past.own)
        if self.rules.composes and before:
            clock[:] = -1
            np.fill_diagonal(clock, NOW)
            clock[:before, :before] = past.clock
        exempt = padded(past.exempt, threads, 0)
        exempt[[thread for thread in self._forked if before <= thread < threads]] = True
        return past._replace(
            clock=clock,
            own=padded(past.own, threads),
            of_lock=padded(past.of_lock.T, threads).T.copy(),
            exempt=exempt,
        )

    def _make_room(self) -> None:
        """Make room for a block; before tables grow, sections that every thread knows are dropped, if there may be
        many."""
        state, wanted = self.tables(), BLOCK * self._state.held.section.shape[1]
        in_use = len(state.sections.lock) - state.sections.spare[0]
        short = (
            min(state.sections.spare[0], state.clocks.spare[0]) < BLOCK
            or state.readers.spare[0] < wanted
            or not roomy(state.touched, wanted)
        )
        if short and in_use > 2 * self._settled:
            self.forget()
            self._settled = len(state.sections.lock) - state.sections.spare[0]
        if state.sections.spare[0] < BLOCK:
            state = state._replace(sections=more_sections(state.sections))
        while state.readers.spare[0] < wanted:
            state = state._replace(readers=more_readers(state.readers))
        if not roomy(state.touched, wanted):
            state = state._replace(touched=rehashed(state.touched, wanted))
        if self.rules.nests and len(state.nested.newest) - state.nested.used[0] < BLOCK:
            state = state._replace(nested=packed(state.nested))
        if self.rules.composes and len(state.past.of_lock) - state.past.locks[0] < BLOCK:
            more = padded(state.past.of_lock, 2 * len(state.past.of_lock) + BLOCK)
            state = state._replace(past=state.past._replace(of_lock=more))
        self._state = state
        self._checks.make_room(len(state.past.own), len(state.past.number))
        self._state = self.tables()


def races_of(rules: Rules, trace: Trace, data: NDArray[np.bool_] | None = None) -> RacyEvents:
    """The racy events of a whole trace; a target that is no ``data`` (None: all are) orders, and does not race."""
    op, target = np.asarray(trace.op, np.int8), np.asarray(trace.target, np.int32)
    thread_of_target = np.asarray(trace.thread_of_target, np.int32)
    forked = np.unique(thread_of_target[target[op == Op.FORK]])
    if data is not None:
        orders = ~data[target]
        op = np.where(orders & (op == Op.READ), np.int8(GETS), op)
        op = np.where(orders & (op == Op.WRITE), np.int8(GIVES), op)
    order = WeakOrder(rules, forked[forked >= 0])
    order.feed(
        EventColumns(np.asarray(trace.thread, np.int32), op, target), Sizes(len(trace.threads), thread_of_target)
    )
    return order.racy_events()
