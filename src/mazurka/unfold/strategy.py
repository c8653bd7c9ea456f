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
is refuted; the tree goes on from the steps of the execution, or looks for another alternative there. One whose
locations depend on values stands for any step of its thread. Kinds of targets that are waited for are learnt, as for
``dpor``, and sites at which steps access different locations: if they have been taken for plain ones, the search begins
again. The order of timeouts is not explored, and a search in which one fired says so.

The end of the program is no event: it may come wherever threads stand for which it does not wait, reads and writes
nothing, and only takes steps away. So each end is that of a configuration within a maximal one, in which these threads
have taken all their steps, and which has all failures of the other.

Unknown inputs. Conditions that threads test on them are events of the unfolding (events.py), so that one tree has all
orders and all paths: an execution is made with inputs that satisfy the conditions on the way to its leaf. With the
conditions that it met its events go on from there. So there is one execution for each Mazurkiewicz trace and path, and
events that executions have in common before they differ, in order or input, are in the tree once.

Journal. The record of a run holds its events and extensions, by their numbers; the tree follows from these.
"""

from __future__ import annotations

import resource
from array import array
from collections.abc import Iterable
from pathlib import Path
from typing import Final, Self

from mazurka.explore.bounded import EXPIRED
from mazurka.explore.met_operations import MetOperations, numbers_in, packed
from mazurka.explore.races import Execution, StepShapes
from mazurka.explore.strategy import Estimate, JournalRecord, Seed, Strategy, StrategySettings
from mazurka.program.protocol import Plan, Run
from mazurka.program.source_analysis import SourceAnalysis
from mazurka.symbolic.terms import as_text, from_text
from mazurka.symbolic.values import PathCondition
from mazurka.trace.event import Op
from mazurka.unfold.alternatives import AlternativeFinder
from mazurka.unfold.cutoffs import Cutoffs
from mazurka.unfold.events import Unfolding, UnfoldingEvent
from mazurka.unfold.extensions import events_of, extensions_of
from mazurka.unfold.input_finder import InputFinder
from mazurka.unfold.searchers import make_searcher
from mazurka.unfold.tree import Node, UnfoldingTree

#: The memory taken is looked at after so many executions.
_RARELY: Final = 32


class UnfoldingSearch(Strategy):
    """The ``unfolding`` strategy."""

    name = "unfolding"
    exhaustive = True

    @classmethod
    def make(cls, settings: StrategySettings, source: SourceAnalysis) -> Strategy:
        cutoffs = settings.cutoffs and not settings.races
        return cls(
            settings.search_order, settings.seed, cutoffs=cutoffs, memory=settings.memory, branches=settings.branches
        )

    def __init__(
        self,
        order: str = "dfs",
        seed: int = 0,
        k: int | None = None,
        cutoffs: bool = False,
        memory: int | None = None,
        branches: bool = True,
    ) -> None:
        self.order = order
        self.seed = seed
        self.k = k
        self.with_cutoffs = cutoffs
        self.memory = memory  # megabytes
        self.branches = branches
        self.solver = InputFinder()
        self.met = MetOperations()
        self.shapes: StepShapes = {}
        self.expired = False  # whether a timeout fired in some run
        self.journal: list[JournalRecord] = []
        self._clear()

    def _clear(self) -> None:
        self.met.clear()
        self.unfolding = Unfolding()
        self.alternatives = AlternativeFinder(self.solver.is_feasible, self.k)
        self.tree = UnfoldingTree(self.alternatives)
        self.cutoffs = Cutoffs() if self.with_cutoffs else None
        self.forgotten = 0  # leaves dropped for want of memory
        self.full = False  # whether there is no memory to go on
        self.searcher = make_searcher(self.order, self.seed)
        self.outstanding: Node | None = None
        self.number = 0
        self.done = 0
        self.refuted = 0  # executions that could not follow an unsure extension
        self.lost = 0  # seeds that should have been possible
        self.paths: set[int] = set()  # hashes of the conditions of executions
        self.held = 0  # executions in which a thread was held before a pass that would only repeat itself

    # -- the protocol -------------------------------------------------------------------------------------------------

    def begin_again(self, earlier: Self) -> None:
        """Keep the knowledge of operations that reset searches; it holds for runs with further points, too."""
        if self.met.take_over(earlier.met):
            self._reset()

    def foresee(self, run: Run) -> None:
        """Learn which operations would reset the search."""
        if run.divergence is not None or self.number:
            return
        if self.met.foresee(run, lambda waited_for, varying: Execution(run, waited_for, None, varying)):
            self._reset()

    def next_seed(self) -> Seed | None:
        if self.outstanding is not None or not self.tree.open or self.full:
            return None
        leaf = self.outstanding = self._choose()
        planned = leaf.configuration()
        prefix = tuple([event.thread for event in planned if event.condition is None])
        inputs = self.solver.inputs([event.condition for event in planned if event.condition is not None])
        return Seed(self.number - 1, Plan(prefix, values=self.with_cutoffs, inputs=inputs))

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
        index = None if run.divergence is None else _entry(planned, run.divergence.index)
        thread = None if index is None or index >= len(planned) else planned[index].thread
        if self.met.learn_waits(run, thread, self.journal):
            self._reset()
            return
        if run.divergence is not None and index is not None:
            self._record_events()
            kind = int(run.divergence.harmless) + 2 * int(run.divergence.waits)
            self.journal.append(("astray", index, kind))
            self._astray(leaf, index, kind)
            return
        branches = run.branches if self.branches else ()
        self.solver.learn(run.inputs)
        execution = Execution(run, self.met.waited_for, None, self.met.varying, branches=branches, shapes=self.shapes)
        if self.met.learn_sites(execution, self.journal):
            self._reset()
            return
        events = events_of(execution, self.unfolding)
        self._record_events()
        if self.cutoffs is not None:
            for event in self.cutoffs.enter(run, events, branches):
                self.journal.append(("print", event.number, f"{event.updates:x}"))
        pairs = array("q")
        for extension in extensions_of(execution, events, self.unfolding):
            if extension.first.cut or any(last.cut for last in extension.event.past.values()):
                continue
            if extension.event not in extension.first.alternatives:
                extension.first.alternatives[extension.event] = None
                pairs.extend((extension.first.number, extension.event.number))
        self._record_events()
        events = _planned_first(planned, events)
        known = self._known(leaf, planned, events)
        numbers = array("q", [event.number for event in events[known:]])
        probes = None if self.cutoffs is None else self._follow(run, events)
        self.journal.append(("ran", known, numbers.tobytes(), pairs.tobytes()))
        self._take_in(leaf, planned, events, probes)
        self._limit_memory()

    def _follow(self, run: Run, events: list[UnfoldingEvent]) -> list[UnfoldingEvent] | None:
        """Note the states along an execution; returns the probes after its cutoffs, if it has any."""
        assert self.cutoffs is not None
        kept = [event for event in events if not event.cut]
        dropped = [event for event in events if event.cut]
        states, ended = [*kept, *dropped], not (run.settled or run.truncated)
        self.cutoffs.follow(states, len(kept), ended)
        numbers = array("q", [event.number for event in states])
        self.journal.append(("end", numbers.tobytes(), len(kept), int(ended)))
        if not dropped:
            return None
        threads = self._probes(run, events)
        self.journal.append(("probes", "\0".join(threads)))
        return _standing_for(threads, events)

    def _limit_memory(self) -> None:
        """Drop half of the leaves that wait if the process takes too much memory, or stop if none does."""
        if self.memory is None or self.done % _RARELY or resident_megabytes() <= self.memory:
            return
        count = len(self.tree.open) // 2
        self._forget(count)
        self.journal.append(("forget", count))

    def _forget(self, count: int) -> None:
        if count:
            self.forgotten += self.tree.forget(count)
        else:
            self.full = True

    def _probes(self, run: Run, events: list[UnfoldingEvent]) -> list[str]:
        """The threads that may be able to move after the events of an execution that are no cutoffs, and come after
        none."""
        following: dict[str, UnfoldingEvent] = {}
        for event in events:
            if event.cut:
                following.setdefault(event.thread, event)
        over = {run.tasks[step.task] for step in run.log if step.op is Op.END}
        return [
            thread
            for thread in run.tasks
            if (
                any(before.cut for before in following[thread].past.values())
                if thread in following
                else thread not in over
            )
        ]

    def _known(self, leaf: Node, planned: list[UnfoldingEvent], events: list[UnfoldingEvent]) -> int:
        """How many events of an execution follow from the tree."""
        count = len(planned) - self.tree.chain(leaf)
        return next((index for index in range(count) if planned[index] is not events[index]), count)

    def _record_events(self) -> None:
        for event in self.unfolding.fresh:
            reads, writes = packed(event.reads), packed(event.writes)
            past = packed([last.number for last in event.past.values()])
            test = "" if event.condition is None else _as_plain(event.condition)
            self.journal.append(("event", event.number, event.thread, reads, writes, past, int(event.varies), test))
        self.unfolding.fresh.clear()

    def _reset(self) -> None:
        """Drop all events and start again: they assumed that targets of these kinds can always be read, and that steps
        of these sites always access the same locations."""
        self._clear()
        self.journal = [self.met.reset_record()]
        self.journal += [("expired",)] * self.expired

    def _take_in(
        self,
        leaf: Node,
        planned: list[UnfoldingEvent],
        events: list[UnfoldingEvent],
        probes: list[UnfoldingEvent] | None = None,
    ) -> None:
        """Enter the events of an execution of a leaf into the tree."""
        self.done += 1
        self.searcher.observe(events)
        if conditions := frozenset([event.condition for event in events if event.condition is not None]):
            self.paths.add(hash(conditions))
        for index, (wanted, event) in enumerate(zip(planned, events, strict=False)):
            if wanted is not event or event.cut:
                if index < len(planned) - self.tree.chain(leaf) or wanted is not event and not wanted.unsure:
                    self.lost += 1
                    self.tree.drop(leaf)
                    return
                if wanted is not event:
                    self._learn_instead(planned[index:], events[index:])
                leaf, planned = self.tree.cut_back(leaf, index), planned[:index]
                break
        rest = [event for event in events[len(planned) :] if not event.cut]
        self.tree.expand(leaf, rest, self.searcher.eager, probes)

    def _learn_instead(self, planned: list[UnfoldingEvent], events: list[UnfoldingEvent]) -> None:
        """Learn which events an execution had instead of planned ones, from the first on that differs."""
        planned[0].varies = True
        for wanted in planned:
            if wanted.varies:
                found = [each for each in events if each.thread == wanted.thread and each.previous is wanted.previous]
                wanted.instead += [each for each in found if each not in wanted.instead]

    def _astray(self, leaf: Node, index: int, kind: int) -> None:
        """Give up a leaf, whose execution could not follow this entry of its prefix."""
        harmless, waits = bool(kind & 1), bool(kind & 2)
        planned = leaf.configuration()
        self.refuted += 1
        if planned[index].number < 0:
            self.tree.expand(self.tree.cut_back(leaf, index), [], eager=False)
            return
        self.held += harmless and not planned[index].unsure
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
        cutoffs = f", {self.cutoffs.count:,} cutoffs" if self.cutoffs is not None else ""
        paths = f", {len(self.paths):,} paths of unknown inputs" if self.branches and len(self.paths) > 1 else ""
        return f"{self.unfolding.met:,} events of the unfolding{cutoffs}{paths}"

    def input_paths(self) -> int | None:
        return max(len(self.paths), 1) if self.branches else None

    def incompleteness_reason(self) -> str:
        parts = []
        if self.lost:
            parts.append(f"{self.lost} schedules that should be possible could not be followed")
        if self.unfolding.renamed:
            parts.append("the names of locations depend on the order of the threads")
        if self.solver.trouble:
            parts.append(self.solver.trouble)
        if self.held:
            parts.append("the unfolding does not model threads that are held in loops")
        if self.expired:
            parts.append(EXPIRED)
        if self.forgotten or self.full:
            parts.append(f"the search took more than {self.memory} MB of memory and left executions out")
        endless = 0 if self.cutoffs is None else self.cutoffs.endless()
        if endless:
            parts.append(f"in {endless} states threads may go round for ever: livelocks are not searched")
        return "; ".join(parts)

    # -- journal ------------------------------------------------------------------------------------------------------

    def records(self) -> list[JournalRecord]:
        records, self.journal = self.journal, []
        return records

    def restore(self, records: Iterable[JournalRecord]) -> None:
        known: dict[int, UnfoldingEvent] = {}  # by number
        probes: list[str] | None = None  # threads of the next run
        for record in records:
            if record[0] == "reset":
                self._clear()
                known.clear()
            if self.met.recall(record):
                continue
            match record:
                case ("event", number, thread, reads, writes, past, varies, test):
                    before = {last.thread: last for last in map(known.__getitem__, numbers_in(past))}
                    self.unfolding.met = number
                    known[number] = (
                        self.unfolding.event(
                            thread, frozenset(numbers_in(reads)), frozenset(numbers_in(writes)), before, bool(varies)
                        )
                        if not test
                        else self.unfolding.branch(thread, before, _from_plain(test))
                    )
                    self.unfolding.met = number + 1
                case ("probes", threads):
                    probes = threads.split("\0") if threads else []
                case ("ran", shared, numbers, pairs):
                    events = [known[number] for number in numbers_in(numbers)]
                    self._run_again(shared, events, numbers_in(pairs), known, probes)
                    probes = None
                case _:
                    self._recall(record, known)
        self.unfolding.fresh.clear()

    def _recall(self, record: JournalRecord, known: dict[int, UnfoldingEvent]) -> None:
        match record:
            case ("expired",):
                self.expired = True
            case ("print", number, updates) if self.cutoffs is not None:
                self.cutoffs.recall(known[number], int(updates, 16))
            case ("end", states, kept, ended) if self.cutoffs is not None:
                self.cutoffs.follow([known[number] for number in numbers_in(states)], kept, bool(ended))
            case ("forget", count):
                self._forget(count)
            case ("astray", index, kind):
                self._astray(self._choose(), index, kind)

    def _run_again(
        self,
        shared: int,
        events: list[UnfoldingEvent],
        pairs: list[int],
        known: dict[int, UnfoldingEvent],
        probes: list[str] | None,
    ) -> None:
        for first, other in zip(pairs[::2], pairs[1::2], strict=True):
            known[first].alternatives[known[other]] = None
        leaf = self._choose()
        planned = leaf.configuration()
        for event in events:
            self.unfolding.execute(event)
        events = planned[:shared] + events
        self._take_in(leaf, planned, events, None if probes is None else _standing_for(probes, events))


def _entry(planned: list[UnfoldingEvent], point: int) -> int:
    """The index of the event of a point; branches are none."""
    points = [index for index, event in enumerate(planned) if event.condition is None]
    return points[point] if point < len(points) else len(planned)


def _planned_first(planned: list[UnfoldingEvent], events: list[UnfoldingEvent]) -> list[UnfoldingEvent]:
    """The events of an execution, another linearization of the same configuration: the planned ones come first, as far
    as the execution has them."""
    if events[: len(planned)] == planned:
        return events
    found = set(events)
    missing = next((index for index, event in enumerate(planned) if event not in found), len(planned))
    first = set(planned[:missing])
    return planned[:missing] + [event for event in events if event not in first]


def _as_plain(condition: PathCondition) -> str:
    return f"{condition.holds:d}{condition.always:d}{as_text(condition.term)}"


def _from_plain(plain: str) -> PathCondition:
    return PathCondition(from_text(plain[2:]), plain[0] == "1", plain[1] == "1")


def _standing_for(threads: list[str], events: list[UnfoldingEvent]) -> list[UnfoldingEvent]:
    """For each of these threads: an event that stands for its next one after those of the events that are no cutoffs,
    and come after none."""
    last = {event.thread: event for event in events if not event.cut}
    return [
        UnfoldingEvent(
            -1, thread, frozenset(), frozenset(), {thread: last[thread]} if thread in last else {}, varies=True
        )
        for thread in threads
    ]


def resident_megabytes() -> int:
    """The memory that this process has now; where the system does not say so, the most that it has had."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    return pages * resource.getpagesize() >> 20
