"""The ``unfolding`` strategy: explores the unfolding of a program, one execution for each maximal configuration.

The unfolding (events.py) is explored along a tree of configurations (tree.py). A leaf of the tree is a configuration to
be reached, whose linearization is the prefix of a plan; then the execution runs freely, to a maximal configuration. Its
events extend the tree to the left; its conflicting extensions (extensions.py) are known events from then on, with which
the tree is extended to the right, by alternatives (alternatives.py). A searcher (searchers.py) chooses the next leaf.

After Symbolic partial-order execution (POR-SE, sections 3 and 4, appendices C to G), which follows Rodríguez, Sousa,
Sharma, Kroening (Unfolding-based partial order reduction, CONCUR 2015) and Nguyen, Rodríguez, Sousa, Coti, Petrucci
(Quasi-optimal partial order reduction, CAV 2018). With complete alternatives no two executions are of one Mazurkiewicz
trace, whatever the order of the search.

Departures. An extension may be *unsure* (extensions.py): if its execution can't follow it, or shows another action, it
is refuted; the tree goes on from the steps of the execution, or looks for another alternative there. So may an
extension whose locations depend on values: it stands for any step of its thread, which is not complete, and the search
says so. Kinds of targets that are waited for are learnt, as for ``dpor``, and sites at which steps access different
locations: if they have been taken for plain ones, the search begins again. The order of timeouts is not explored.

Journal. The record of a run holds its events and extensions, by their numbers; the tree follows from these.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any, Self

from mazurka.explore.bounded import EXPIRED
from mazurka.explore.races import Execution, is_waiting_read
from mazurka.explore.strategy import Estimate, JournalRecord, Seed, Strategy, StrategySettings
from mazurka.program.protocol import Plan, Run
from mazurka.program.source_analysis import SourceAnalysis
from mazurka.trace.ids import SiteNumber
from mazurka.trace.targets import kind_of
from mazurka.unfold.alternatives import AlternativeFinder
from mazurka.unfold.events import Unfolding, UnfoldingEvent
from mazurka.unfold.extensions import events_of, extensions_of
from mazurka.unfold.searchers import make_searcher
from mazurka.unfold.tree import Node, UnfoldingTree


class UnfoldingSearch(Strategy):
    """The ``unfolding`` strategy."""

    name = "unfolding"
    exhaustive = True

    @classmethod
    def make(cls, settings: StrategySettings, source: SourceAnalysis) -> Strategy:
        return cls(settings.search_order, settings.seed)

    def __init__(self, order: str = "dfs", seed: int = 0, k: int | None = None) -> None:
        self.order = order
        self.seed = seed
        self.k = k
        self.waited_for: set[str] = set()  # kinds of targets whose reads may have to wait
        self.varying: set[SiteNumber] = set()  # sites at which steps have several accesses, though not always
        self.foreseen_several: set[SiteNumber] = set()  # as `several` and `single`, of runs that it was only shown
        self.foreseen_single: set[SiteNumber] = set()
        self.expired = False  # whether a timeout fired in some run
        self.journal: list[JournalRecord] = []
        self._clear()

    def _clear(self) -> None:
        self.looked_at: set[str] = set()  # kinds of targets that runs have read
        self.several: set[SiteNumber] = set()  # sites at which steps of runs have several accesses
        self.single: set[SiteNumber] = set()  # and sites at which they have one, a read
        self.unfolding = Unfolding()
        self.alternatives = AlternativeFinder(self.k)
        self.tree = UnfoldingTree(self.alternatives)
        self.searcher = make_searcher(self.order, self.seed)
        self.outstanding: Node | None = None
        self.number = 0
        self.done = 0
        self.refuted = 0  # executions that could not follow an unsure extension
        self.lost = 0  # seeds that should have been possible
        self.held = 0  # executions in which a thread was held before a pass that would only repeat itself

    # -- the protocol -------------------------------------------------------------------------------------------------

    def begin_again(self, earlier: Self) -> None:
        """Keep the knowledge of operations that reset searches; it holds for runs with further points, too."""
        self.waited_for = set(earlier.waited_for)
        self.varying = set(earlier.varying)
        if self.waited_for or self.varying:
            self._reset()

    def foresee(self, run: Run) -> None:
        """Learn which operations would reset the search."""
        if run.divergence is not None or self.number:
            return
        waited_for, varying = self.waited_for | _met_waiting(run, None), self.varying
        execution = Execution(run, waited_for, None, varying)
        self.foreseen_several |= execution.several
        self.foreseen_single |= execution.single
        varying = varying | (self.foreseen_several & self.foreseen_single)
        if (waited_for, varying) != (self.waited_for, self.varying):
            self.waited_for, self.varying = waited_for, varying
            self._reset()

    def next_seed(self) -> Seed | None:
        if self.outstanding is not None or not self.tree.open:
            return None
        leaf = self.outstanding = self._choose()
        return Seed(self.number - 1, Plan(tuple([event.thread for event in leaf.configuration()])))

    def _choose(self) -> Node:
        self.number += 1
        return self.searcher.choose(self.tree)

    def observe(self, seed: Seed, run: Run) -> None:
        leaf, self.outstanding = self.outstanding, None
        assert leaf is not None
        if run.expired and not self.expired:
            self.expired = True
            self.journal.append(("expired",))
        planned = leaf.configuration()
        index = None if run.divergence is None else run.divergence.index
        met = _met_waiting(run, None if index is None or index >= len(planned) else planned[index].thread)
        if waited_for := met - self.waited_for:
            self.waited_for |= waited_for
            if run.divergence is not None or waited_for & self.looked_at:
                self._reset()
                return
            self.journal.append(("waits", " ".join(sorted(self.waited_for))))
        if run.divergence is not None:
            self._record_events()
            kind = int(run.divergence.harmless) + 2 * int(run.divergence.waits)
            self.journal.append(("astray", run.divergence.index, kind))
            self._astray(leaf, run.divergence.index, kind)
            return
        execution = Execution(run, self.waited_for, None, self.varying)
        if not (execution.several <= self.several and execution.single <= self.single):
            self.several |= execution.several
            self.single |= execution.single
            if not self.several & self.single <= self.varying:
                self.varying |= self.several & self.single
                self._reset()
                return
            self.journal.append(("sites", _packed(self.several), _packed(self.single)))
        if not execution.looked_at <= self.looked_at:
            self.looked_at |= execution.looked_at
            self.journal.append(("looks", " ".join(sorted(self.looked_at))))
        events = events_of(execution, self.unfolding)
        pairs = array("q")
        for extension in extensions_of(execution, events, self.unfolding):
            if extension.event not in extension.first.alternatives:
                extension.first.alternatives[extension.event] = None
                pairs.extend((extension.first.number, extension.event.number))
        self._record_events()
        known = self._known(leaf, planned, events)
        numbers = array("q", [event.number for event in events[known:]])
        self.journal.append(("ran", known, numbers.tobytes(), pairs.tobytes()))
        self._take_in(leaf, planned, events)

    def _known(self, leaf: Node, planned: list[UnfoldingEvent], events: list[UnfoldingEvent]) -> int:
        """How many events of an execution follow from the tree."""
        count = len(planned) - self.tree.chain(leaf)
        return next((index for index in range(count) if planned[index] is not events[index]), count)

    def _record_events(self) -> None:
        for event in self.unfolding.fresh:
            reads, writes = _packed(event.reads), _packed(event.writes)
            past = _packed([last.number for last in event.past.values()])
            self.journal.append(("event", event.number, event.thread, reads, writes, past, int(event.varies)))
        self.unfolding.fresh.clear()

    def _reset(self) -> None:
        """Drop all events and start again: they assumed that targets of these kinds can always be read, and that steps
        of these sites always access the same locations."""
        self._clear()
        self.journal = [("reset", " ".join(sorted(self.waited_for)), _packed(self.varying))]
        self.journal += [("expired",)] * self.expired

    def _take_in(self, leaf: Node, planned: list[UnfoldingEvent], events: list[UnfoldingEvent]) -> None:
        """Enter the events of an execution of a leaf into the tree."""
        self.done += 1
        self.searcher.observe(events)
        for index, (wanted, event) in enumerate(zip(planned, events, strict=False)):
            if wanted is not event:
                if index < len(planned) - self.tree.chain(leaf) or not wanted.unsure:
                    self.lost += 1
                    self.tree.drop(leaf)
                    return
                self._learn_instead(planned[index:], events[index:])
                leaf, planned = self.tree.cut_back(leaf, index), planned[:index]
                break
        self.tree.expand(leaf, events[len(planned) :], self.searcher.eager)

    def _learn_instead(self, planned: list[UnfoldingEvent], events: list[UnfoldingEvent]) -> None:
        """Learn which events an execution had instead of planned ones, from the first on that differs."""
        if not planned[0].varies:
            planned[0].refuted = True
            planned[0].instead.append(events[0])
        for wanted, event in zip(planned, events, strict=False):
            if wanted.varies and event.previous is wanted.previous and event not in wanted.instead:
                wanted.instead.append(event)

    def _astray(self, leaf: Node, index: int, kind: int) -> None:
        """Give up a leaf, whose execution could not follow this entry of its prefix."""
        harmless, waits = bool(kind & 1), bool(kind & 2)
        planned = leaf.configuration()
        self.refuted += 1
        if harmless:
            self.held += 1
        if not planned[index].unsure:
            self.lost += not harmless
            self.tree.drop(leaf)
            return
        self.lost += not (harmless or waits) or planned[index].varies
        planned[index].refuted = True
        self.tree.give_up(self.tree.cut_back(leaf, index))

    # -- reports ------------------------------------------------------------------------------------------------------

    def estimate(self) -> Estimate:
        waiting = len(self.tree.open)
        return Estimate(self.done, waiting, None if waiting or not self.done else float(self.done))

    def summary(self) -> str:
        return f"{self.unfolding.met:,} events of the unfolding"

    def incompleteness_reason(self) -> str:
        parts = []
        if self.lost:
            parts.append(f"{self.lost} schedules that should be possible could not be followed")
        if self.held:
            parts.append("the unfolding does not model threads that are held in loops")
        if self.unfolding.varying:
            parts.append("the locations that a step accesses depend on values, for which the unfolding has no rule")
        if self.expired:
            parts.append(EXPIRED)
        return "; ".join(parts)

    # -- journal ------------------------------------------------------------------------------------------------------

    def records(self) -> list[JournalRecord]:
        records, self.journal = self.journal, []
        return records

    def restore(self, records: Iterable[JournalRecord]) -> None:
        known: dict[int, UnfoldingEvent] = {}  # by number
        for record in records:
            match record:
                case ("reset", waited_for, varying):
                    self._clear()
                    known.clear()
                    self.waited_for = set(waited_for.split())
                    self.varying = set(map(SiteNumber, _numbers(varying)))
                case ("sites", several, single):
                    self.several = set(map(SiteNumber, _numbers(several)))
                    self.single = set(map(SiteNumber, _numbers(single)))
                case ("expired",):
                    self.expired = True
                case ("waits", waited_for):
                    self.waited_for = set(waited_for.split())
                case ("looks", looked_at):
                    self.looked_at = set(looked_at.split())
                case ("event", number, thread, reads, writes, past, varies):
                    before = {last.thread: last for last in map(known.__getitem__, _numbers(past))}
                    self.unfolding.met = number
                    made = self.unfolding.event(
                        thread, frozenset(_numbers(reads)), frozenset(_numbers(writes)), before, bool(varies)
                    )
                    known[number] = made
                    self.unfolding.met = number + 1
                case ("astray", index, kind):
                    self._astray(self._choose(), index, kind)
                case ("ran", shared, numbers, pairs):
                    self._run_again(shared, [known[number] for number in _numbers(numbers)], _numbers(pairs), known)
        self.unfolding.fresh.clear()

    def _run_again(
        self, shared: int, events: list[UnfoldingEvent], pairs: list[int], known: dict[int, UnfoldingEvent]
    ) -> None:
        for first, other in zip(pairs[::2], pairs[1::2], strict=True):
            known[first].alternatives[known[other]] = None
        leaf = self._choose()
        planned = leaf.configuration()
        for event in events:
            event.unsure = event.refuted = False
        self._take_in(leaf, planned, planned[:shared] + events)


def _met_waiting(run: Run, thread: str | None) -> set[str]:
    """Kinds of targets that a thread waits to read: at the end, or where a seed could not be followed by ``thread``."""
    stuck = [blocked for blocked in run.blocked if is_waiting_read(blocked)]
    if run.divergence is not None:
        stuck = [blocked for blocked in stuck if run.tasks[blocked.task] == thread]
    return {kind_of(blocked.target).tag for blocked in stuck}


def _packed(numbers: Iterable[int]) -> bytes:
    return array("q", sorted(numbers)).tobytes()


def _numbers(packed: bytes) -> list[int]:
    numbers: array[Any] = array("q")
    numbers.frombytes(packed)
    return numbers.tolist()
