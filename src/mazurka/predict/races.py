"""Data races that other orders of a trace would show.

For each pair of source sites with conflicting accesses (conflicts.py) the causal model of the trace is asked whether
the threads of two of these accesses can stand before them at once: both would be next, and the reads before them give
the same values as in the trace (``Question(next=...)`` of :mod:`mazurka.causal.question`; dissertation ch. 3.1.3, where
the two have the same place in the order). The racing accesses themselves may read other values.

Questions whose answer is no are not asked: one access must come before the other by program order, forks, joins and
reads-from, or both hold a common lock. A pair of sites is predicted once, and not at all if it is ``known`` when its
turn comes.

At most ``limit`` of the remaining questions are asked for a pair of sites; :attr:`RacePredictor.unasked` counts the
others, so that a caller knows whether it has all races.

Cost: one pass over the trace with a clock of one number per thread; a binary search per access and other thread; and
the solver's time, mostly well under a millisecond a question.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from itertools import combinations, islice
from typing import Final

from mazurka.causal.model_from_trace import model_of_trace
from mazurka.causal.question import Question
from mazurka.causal.solver import Feasible, Solver
from mazurka.causal.solvers import FOR_TRACES
from mazurka.lazy_dataclass import dataclass
from mazurka.predict.predictor import PredictedBug
from mazurka.trace.conflicts import RACE, READ_WRITE, Conflicts, OpTable, Sites, may_race, sites_of, touches
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.ids import Row, SiteNumber, StepIndex
from mazurka.trace.trace import NO_VALUE, Trace
from mazurka.witness.witness import Races, Witness

_LIMIT: Final = 200


@dataclass(slots=True)
class _Access:
    """A row that accesses data: the steps (by thread) that must precede it, and the locks its thread holds."""

    row: Row
    thread: int
    position: int  # of its step in its thread
    op: int  # a plain integer, by which tables are indexed
    before: list[int]
    held: frozenset[int]


#: The accesses of one location from one site, by thread, in program order.
_Columns = dict[int, list[_Access]]


def _unheard_of(_sites: Sites) -> bool:
    return False


@dataclass(slots=True)
class RacePredictor:
    """See the module. ``solver`` makes the solver for a trace."""

    known: Callable[[Sites], bool] = _unheard_of
    limit: int = _LIMIT
    solver: Callable[[], Solver] = FOR_TRACES
    unasked: int = 0
    conflicts: Conflicts = READ_WRITE
    kind: str = field(default=RACE, init=False)

    def predict(self, trace: Trace) -> Iterator[PredictedBug]:
        pairs = self._pairs(trace)
        if not pairs:
            return
        model, solver = model_of_trace(trace), self.solver()
        for sites, candidates in pairs.items():
            if self.known(sites):
                continue
            for one, other in islice(candidates, self.limit):
                steps = (StepIndex(trace.step[one]), StepIndex(trace.step[other]))
                answer = solver.decide(model, Question(next=steps))
                if isinstance(answer, Feasible):
                    order = tuple(map(StepIndex, answer.order))
                    yield PredictedBug(RACE, (one, other), Witness(order, claim=Races(*steps)))
                    break
            else:
                self.unasked += sum(1 for _ in candidates)

    def _pairs(self, trace: Trace) -> dict[Sites, Iterator[tuple[Row, Row]]]:
        """Pairs of rows that may race, by their sites."""
        found: dict[Sites, list[tuple[_Columns, _Columns]]] = {}
        table = self.conflicts.accesses
        for by_site in _accesses(trace).values():
            pairs = [*combinations(by_site, 2), *[(site, site) for site in by_site]]
            ops = {site: _ops_of(columns, table) for site, columns in by_site.items()}
            for one, other in pairs:
                sites = sites_of(one, other)
                first, second = by_site[one], by_site[other]
                if not self.known(sites) and _has_two_threads(first, second) and ops[one][0] & ops[other][1]:
                    found.setdefault(sites, []).append((first, second))
        pairs_of = {sites: _unordered(columns, table) for sites, columns in found.items()}
        heads = {sites: next(pairs, None) for sites, pairs in pairs_of.items()}
        return {sites: _with(head, pairs_of[sites]) for sites, head in heads.items() if head is not None}


def _with(head: tuple[Row, Row], rest: Iterator[tuple[Row, Row]]) -> Iterator[tuple[Row, Row]]:
    yield head
    yield from rest


def _has_two_threads(first: _Columns, second: _Columns) -> bool:
    return len(first) > 1 or len(second) > 1 or first.keys() != second.keys()


def _ops_of(columns: _Columns, table: OpTable) -> tuple[int, int]:
    """The operations of accesses, and the operations that conflict with one of them, each as a set of bits."""
    ops = {access.op for own in columns.values() for access in own}
    conflicting = {other for op in ops for other, conflicts in enumerate(table[op]) if conflicts}
    return sum(1 << op for op in ops), sum(1 << op for op in conflicting)


def _unordered(meetings: Iterable[tuple[_Columns, _Columns]], table: OpTable) -> Iterator[tuple[Row, Row]]:
    """The rows of conflicting accesses neither of which must come before the other."""
    for first, second in meetings:
        for thread, own in first.items():
            for other, theirs in second.items():
                if other == thread or (first is second and other < thread):
                    continue
                for one in own:
                    yield from _concurrent(one, theirs, table[one.op])


def _concurrent(one: _Access, theirs: list[_Access], conflicting: tuple[bool, ...]) -> Iterator[tuple[Row, Row]]:
    """The accesses of another thread that conflict with ``one`` and are not ordered with it, which are consecutive;
    ``conflicting`` is the row of the table for the operation of ``one``."""
    thread = theirs[0].thread
    begin = bisect_left(theirs, one.before[thread], key=lambda access: access.position)
    for other in theirs[begin:]:
        if other.before[one.thread] > one.position:
            return
        if conflicting[other.op] and not one.held & other.held:
            yield one.row, other.row


def _accesses(trace: Trace) -> dict[int, dict[SiteNumber, _Columns]]:
    """The accesses of data by several threads, by target and site."""
    threads_of: dict[int, set[int]] = {}
    for row, target in enumerate(trace.target):
        threads_of.setdefault(target, set()).add(trace.thread[row])
    shared = {t for t, threads in threads_of.items() if len(threads) > 1 and may_race(trace.targets[t])}
    found: dict[int, dict[SiteNumber, _Columns]] = {}
    for access, target, site in _walk(trace, shared):
        found.setdefault(target, {}).setdefault(site, {}).setdefault(access.thread, []).append(access)
    return found


def _walk(trace: Trace, shared: set[int]) -> Iterator[tuple[_Access, int, SiteNumber]]:
    """Each access of the shared targets, with its target and site."""
    threads = range(len(trace.threads))
    clocks = [[0] * len(threads) for _ in threads]  # not changed in place: steps share them
    done = [0] * len(threads)  # steps by thread
    held: list[dict[int, int]] = [{} for _ in threads]  # by thread: depth of each lock
    last: dict[int, tuple[int, list[int]]] = {}  # by target: its last writer, and the steps that needs
    row = 0
    while row < len(trace):
        end = row + 1
        while end < len(trace) and trace.step[end] == trace.step[row]:
            end += 1
        thread = trace.thread[row]
        before = clocks[thread]
        locks = frozenset([lock for lock, depth in held[thread].items() if depth])
        for at in range(row, end):
            op, target = Op(trace.op[at]), trace.target[at]
            if target in shared and touches(op):
                access = _Access(Row(at), thread, done[thread], op._value_, before, locks)
                yield access, target, SiteNumber(trace.site[at])
            if op is Op.ACQUIRE or op is Op.RELEASE:
                held[thread][target] = max(held[thread].get(target, 0) + (1 if op is Op.ACQUIRE else -1), 0)
        clock = before
        for at in range(row, end):
            if READS[trace.op[at]] and _must_follow(trace, at) and trace.target[at] in last:
                clock = list(map(max, clock, last[trace.target[at]][1]))
        done[thread] += 1
        after = clock.copy()
        after[thread] = done[thread]
        clocks[thread] = after
        for at in range(row, end):
            if WRITES[trace.op[at]]:
                last[trace.target[at]] = thread, after
        row = end


def _must_follow(trace: Trace, row: int) -> bool:
    """Whether the write that a row reads from has to come before it in every order."""
    op = trace.op[row]
    return op in (Op.BEGIN, Op.JOIN) or (op in (Op.READ, Op.RMW) and trace.value[row] == NO_VALUE)
