"""The premises of a contradiction: back from the events that can't be ordered to decisions, questions and observations.

Facts are of three kinds: a read takes its value from a write; an event comes before another (by a path of edges that
are older than the fact to explain); and the edges themselves, each of which knows its rule. The premise that an event
takes place at all is attributed to all decisions up to the level at which that was found: coarse, and sound.

Cost: one path search per fact, each edge once.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any, Protocol

from mazurka.causal import kernel
from mazurka.causal.state import ClosureState
from mazurka.lazy_dataclass import dataclass


class Tried(Protocol):
    """The interface to a closure that has met a contradiction, and to its decisions so far."""

    state: ClosureState
    kernel: Any  # the functions that work on the state
    handle: Any  # the state, as these functions take it
    tried_at: dict[int, int]  # by read: the level at which its source was tried
    reasons: list[frozenset[int]]  # by fact learnt: the levels it rests on


@dataclass(slots=True)
class ConflictReasons:
    """Facts still to be explained, and the reasons found: levels of decisions, observed sources as (write, reading
    event), orders asked for."""

    orders: list[tuple[int, int, int]] = field(default_factory=list)  # (first, second, edges known then)
    reads: list[int] = field(default_factory=list)
    levels: set[int] = field(default_factory=set)
    bound: set[tuple[int, int]] = field(default_factory=set)
    asked: set[tuple[int, int]] = field(default_factory=set)

    def add(self, other: ConflictReasons) -> None:
        """Take over the observed sources and the orders asked for that another explanation rests on."""
        self.bound |= other.bound
        self.asked |= other.asked


def explain(closure: Tried, found: ConflictReasons | None = None) -> ConflictReasons:
    """Explain the present contradiction, or the facts in ``found``."""
    work = _ConflictAnalysis(closure, found or ConflictReasons())
    if found is None:
        work.trouble()
    work.run()
    return work.found


class _ConflictAnalysis:
    def __init__(self, closure: Tried, found: ConflictReasons) -> None:
        self.closure = closure
        self.s = closure.state
        self.found = found
        self.edges: list[int] = []
        self.seen_edges: set[int] = set()
        self.seen_reads: set[int] = set()

    def trouble(self) -> None:
        """Enter the facts that contradict each other."""
        s = self.s
        kind, x, y = (int(s.reg[r]) for r in (kernel.TROUBLE, kernel.TROUBLE_X, kernel.TROUBLE_Y))
        known = int(s.reg[kernel.EDGES])
        match kind:
            case kernel.CYCLE:
                self.found.orders.append((x, y, known))
                if x != y + 1 or s.thread[x] != s.thread[y]:
                    self.edges.append(self._edge(y, x))
            case kernel.HIDDEN:
                self.found.reads.append(x)
                self.found.orders.append((y, int(s.read_event[x]), known))
            case kernel.HELD:
                self.found.orders.append((x, y, known))
                self._presence(max(int(s.level_of[x]), int(s.level_of[y])))
            case kernel.CAPPED | kernel.UNKEPT:
                self._presence(int(s.reg[kernel.LEVEL]))
                for read in range(len(s.read_event)):
                    if s.source[read] >= kernel.INITIAL:
                        self.found.reads.append(read)
                for edge in range(known):
                    if s.edge_kind[edge] == kernel.ASKED:
                        self.edges.append(edge)

    def _edge(self, a: int, b: int) -> int:
        edge = int(self.s.out_head[a])
        while self.s.edge_to[edge] != b:
            edge = int(self.s.out_next[edge])
        return edge

    def _presence(self, level: int) -> None:
        self.found.levels.update(range(1, level + 1))

    def run(self) -> None:
        found = self.found
        while True:
            if self.edges:
                edge = self.edges.pop()
                if edge not in self.seen_edges:
                    self.seen_edges.add(edge)
                    self._explain_edge(edge)
            elif found.reads:
                read = found.reads.pop()
                if read not in self.seen_reads:
                    self.seen_reads.add(read)
                    self._explain_read(read)
            elif found.orders:
                self._explain_order(*found.orders.pop())
            else:
                return

    def _explain_order(self, a: int, b: int, known: int) -> None:
        s = self.s
        if a == b or s.thread[a] == s.thread[b] and a < b:
            return
        count = self.closure.kernel.path(self.closure.handle, a, b, known)
        assert count >= 0, "an order that was never entered"
        self.edges += [int(edge) for edge in s.found[:count]]

    def _explain_read(self, read: int) -> None:
        s, closure = self.s, self.closure
        self._presence(int(s.read_level[read]))
        if read in closure.tried_at:
            self.found.levels.add(closure.tried_at[read])
        if s.source[read] >= kernel.INITIAL:
            self.found.bound.add((int(s.source[read]), int(s.read_event[read])))

    def _explain_edge(self, edge: int) -> None:
        s, found = self.s, self.found
        a, b, x, y = (int(column[edge]) for column in (s.edge_from, s.edge_to, s.edge_x, s.edge_y))
        self._presence(max(int(s.level_of[a]), int(s.level_of[b])))
        match int(s.edge_kind[edge]):
            case kernel.HARD:
                self._presence(int(s.level_of[x]))
            case kernel.ASKED:
                found.asked.add((a, b))
            case kernel.SOURCE:
                found.reads.append(x)
            case kernel.BEFORE_SOURCE:
                found.reads.append(x)
                found.orders.append((y, int(s.read_event[x]), edge))
            case kernel.AFTER_READ:
                found.reads.append(x)
                if s.source[x] != kernel.INITIAL:
                    found.orders.append((int(s.source[x]), y, edge))
            case kernel.LOCK:
                found.orders.append((x, y, edge))
            case kernel.DECIDED:
                found.levels.add(x)
            case kernel.LEARNT:
                found.levels |= self.closure.reasons[x]
