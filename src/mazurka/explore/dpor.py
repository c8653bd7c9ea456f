"""Optimal dynamic partial-order reduction: one run per Mazurkiewicz trace.

Definition. Two runs are equivalent if all conflicting steps are in the same order in both (races.py). This strategy
executes one run of each class, by the algorithm *Optimal-DPOR* of Abdulla, Aronis, Jonsson and Sagonas (POPL 2014;
Source Sets, JACM 64(4), 2017), over the points of runs, with wake-up trees and sleep sets (wakeup.py).

Algorithm. The present path is a stack of frames, one per point. A run begins with a path through the wake-up tree of
some frame, to a leaf, and continues in any way. The reversal of each of its races is inserted in the wake-up tree of
the frame where the first of the two events was, unless a sleeping event or a sequence in the tree covers it. Then the
deepest frame whose tree is not empty gives the next run; threads that have been executed from a frame sleep there from
then on.

Invariants. Depth first: in each frame the whole tree below the present event is executed before the next sibling. No
two runs are of the same trace, and none is cut off because all enabled threads sleep (the two theorems of the paper);
the tests count.

All races of every run count, also races between two events that earlier runs had in common: the other events in their
reversals differ. (Otherwise each of two events of other threads, both the first of a race, might seem to cover the
reversal of the other's race, if that is cut short after its second event.)

Departures from the paper: operations that may have to wait (races.py, with *unsure* reversals, whose runs may turn out
to be impossible, and are then in vain; if reads of a kind of target turn out to wait, the search begins again with that
knowledge); and steps whose accesses vary with the values they read (the search begins again, too, when a site turns out
to have such steps). After an unsure or varying leaf a thread may sleep; it is woken, at the cost of a repeated trace.

A timeout fires when no other thread can move, a dependence that is not one of two conflicting steps. So a search in
which a timeout fired has a doubt, unless timeouts are *ordered*: then one that fires depends on all steps of other
threads, before it and after it (:func:`in_order`). None of these can change places with it, since no thread can move
where it fires; but the wait might have ended earlier, a race like that of a thread that is blocked at the end. Threads
that sleep may move at any time, so with sleeps the search has a doubt in any case.

Memory: the present path and its trees. Seeds are handed out one at a time, since each depends on the runs before.

Journal. The record of a run holds the new part of its path and the insertions it led to; the walk from one run to the
next follows from these.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from copy import copy
from typing import Self

from mazurka.explore.bounded import EXPIRED
from mazurka.explore.merged_run import MergedRun
from mazurka.explore.met_operations import MetOperations, numbers_in
from mazurka.explore.races import Execution, PointEvent, StepShapes
from mazurka.explore.sections import Sections
from mazurka.explore.semaphores import Semaphores
from mazurka.explore.sleeps import Sleeps
from mazurka.explore.strategy import Estimate, JournalRecord, Seed, Strategy, StrategySettings
from mazurka.explore.symmetry import NO_ORDER, Symmetry, order_of
from mazurka.explore.wakeup import Insertion, PathFrame, WakeupNode, insert, place_of, still_asleep
from mazurka.program.protocol import Access, Divergence, Plan, Run, TailPolicy
from mazurka.program.source_analysis import SourceAnalysis
from mazurka.trace.event import Op
from mazurka.trace.targets import TIME


class OptimalReduction(Strategy):
    """The ``dpor`` strategy."""

    name = "dpor"
    exhaustive = True

    @classmethod
    def make(cls, settings: StrategySettings, source: SourceAnalysis) -> Strategy:
        return cls(settings.timed, settings.ordered, settings.finals, settings.races)

    def __init__(self, timed: bool = False, ordered: bool = False, finals: bool = False, races: bool = False) -> None:
        self.timed = timed  # whether runs are those of plans with timing
        self.met = MetOperations()
        self.semaphores = Semaphores()
        self.sections = Sections(finals, self.semaphores)
        self.symmetry = Symmetry()
        self.sleeps = Sleeps()
        self.has_sections = not (timed or ordered or races)  # whether critical sections are single events
        self.shapes: StepShapes = {}
        self.ordered = ordered  # whether timeouts that fire come after all steps of others before them
        self.expired = False  # whether a timeout fired in some run, in an unknown order
        self.journal: list[JournalRecord] = []
        self._clear()

    def _clear(self) -> None:
        self.met.clear()
        self.frames: list[PathFrame] = []
        self.fresh = 0  # the first frame that is new since the last run
        self.begun = self.outstanding = False
        self.number = 0
        self.done = 0
        self.diverged = 0
        self.lost = 0  # seeds that should have been possible
        self.entered: list[int] = []  # by entry of the last seed's prefix: its frame
        self.events: list[PointEvent] = []  # by their numbers in records
        self.event_numbers: dict[PointEvent, int] = {}

    # -- the protocol -------------------------------------------------------------------------------------------------

    def begin_again(self, earlier: Self) -> None:
        """Keep the knowledge of operations that reset searches; it holds for runs with further points, too."""
        self.semaphores.begin_again(earlier.semaphores)
        self.sections.begin_again(earlier.sections)
        self.symmetry.begin_again(earlier.symmetry)
        self.sleeps.begin_again(earlier.sleeps)
        self.met.take_over(earlier.met)
        self._reset()

    def foresee(self, run: Run) -> None:
        """Learn which operations would reset the search."""
        if run.divergence is not None or self.begun:
            return
        if self.has_sections:
            self.semaphores.learn(run)
            self.sections.foresee(run)
        timed, time = in_time(run) if self.timed else run, TIME if self.timed else None
        if self.met.foresee(run, lambda waited_for, varying: Execution(timed, waited_for, time, varying)):
            self._reset()

    def next_seed(self) -> Seed | None:
        if self.outstanding or not self._advance():
            return None
        self.outstanding = True
        self.entered = []
        prefix: list[str] = []
        for number, frame in enumerate(self.frames):
            if frame.event is not None:
                points = frame.event.points if number < len(self.frames) - 1 else 1  # it goes on by itself
                prefix += [frame.event.thread] * points
                self.entered += [number] * points
        tail = TailPolicy.EVEN if self.symmetry.is_assumed else TailPolicy.STAY
        return Seed(self.number, Plan(tuple(prefix), tail, relates=self.has_sections, orders_timeouts=self.ordered))

    def observe(self, seed: Seed, run: Run) -> None:
        self.outstanding = False
        if not self.expired and (run.slept > 0 or not _are_points(run) if self.ordered else run.expired):
            self.expired = True
            self.journal.append(("expired",))
        if self.met.learn_waits(run, self._astray_thread(run), self.journal):
            self._reset()
            return
        if run.divergence is not None and self.timed and run.divergence.harmless and self.sleeps.hold():
            self._reset()
            return
        if run.divergence is not None:
            index, harmless, waits = self._frame_of(run.divergence), run.divergence.harmless, run.divergence.waits
            self._astray(index, harmless, waits)
            self.journal.append(("astray", seed.number, index, int(harmless) + 2 * int(waits)))
            return
        order = NO_ORDER
        if self.has_sections:
            merged = self._merged(run)
            if merged is None:
                self._reset()
                return
            order = order_of(run, self.symmetry.alike(run), merged.starts if isinstance(merged, MergedRun) else None)
            if not self.done:
                self.journal += self._knowledge()
            run = merged
        if self.timed:
            merged = self.sleeps.merged(in_time(run))
            if merged is None:
                self._reset()
                return
            run = merged
        fired = None
        if self.ordered:
            fired = timeouts_of(run)
            run = in_order(run, fired)
        time = TIME if self.timed or self.ordered else None
        execution = Execution(run, self.met.waited_for, time, self.met.varying, fired, shapes=self.shapes, order=order)
        if self.met.learn_sites(execution, self.journal):
            self._reset()
            return
        fresh = self.fresh
        self._extend(execution.events[fresh:])
        made = array("q")
        for reversal in execution.reversals():
            frame = self.frames[reversal.depth]
            change = place_of(frame, reversal)
            if change is not None:
                insert(frame, change)
                self._encode_insertion(made, change)
        path = array("q", [self._number_of(event) for event in execution.events[fresh:]])
        self.journal.append(("ran", seed.number, path.tobytes(), made.tobytes()))

    def _merged(self, run: Run) -> Run | None:
        """An execution with several steps as single events; None if it contradicts what the search has assumed."""
        contradicted = self.symmetry.learn(run)
        contradicted |= self.semaphores.learn(run)
        contradicted |= self.sections.learn(run)
        if contradicted:
            return None
        private = self.semaphores.private
        merged, contradicted = self.semaphores.merged(self.sections.merged(run), run)
        if self.semaphores.private != private:
            contradicted |= self.sections.learn(run)  # some semaphores order less than they seemed to
        return None if contradicted else merged

    def _knowledge(self) -> list[JournalRecord]:
        return [self.semaphores.record(), self.sections.record(), self.symmetry.record()]

    def sleep_sets(self) -> list[tuple[str, ...]]:
        found: list[tuple[str, ...]] = []
        for frame in self.frames:
            found.append(tuple([event.thread for event in frame.asleep]))
            found += [()] * (0 if frame.event is None else frame.event.points - 1)
        return found

    def _frame_of(self, divergence: Divergence) -> int:
        """The frame of a place of the last seed."""
        return self.entered[divergence.index] if divergence.index < len(self.entered) else len(self.frames)

    def _astray_thread(self, run: Run) -> str | None:
        """The thread that should have moved where a seed could not be followed."""
        if run.divergence is None or (index := self._frame_of(run.divergence)) >= len(self.frames):
            return None
        event = self.frames[index].event
        return None if event is None else event.thread

    def _reset(self) -> None:
        """Drop all reversals and start again: they assumed that targets of these kinds can always be read."""
        self._clear()
        self.semaphores.begin_again(self.semaphores)
        self.sections.begin_again(self.sections)
        self.symmetry.begin_again(self.symmetry)
        self.journal = [self.met.reset_record(), *self._knowledge(), self.sleeps.record()]
        self.journal += [("expired",)] * self.expired

    def estimate(self) -> Estimate:
        waiting = sum([_leaves(node) for frame in self.frames for node in frame.children])
        finished = self.begun and not waiting and not self.outstanding
        return Estimate(self.done, waiting, float(self.done) if finished else None)

    def incompleteness_reason(self) -> str:
        if self.lost:
            return f"{self.lost} schedules that should be possible could not be followed"
        return EXPIRED if self.expired and not self.timed else ""

    # -- the walk -----------------------------------------------------------------------------------------------------

    def _advance(self) -> bool:
        """Go to the next leaf; false if there is none."""
        if not self.begun:
            self.begun = True
            return True
        frames = self.frames
        while frames:
            top = frames[-1]
            if top.event is not None:
                if top.fruitful:
                    top.asleep.append(top.event)
                    if len(frames) > 1:
                        frames[-2].fruitful = True
                top.event, top.fruitful = None, False
            if top.children:
                self.fresh = len(frames) - 1
                self._descend(top)
                self.number += 1
                return True
            frames.pop()
        return False

    def _descend(self, frame: PathFrame) -> None:
        """Follow first children down to a leaf."""
        while True:
            node = frame.children.pop(0)
            frame.event, frame.unsure = node.event, node.unsure
            if not node.children:
                return
            frame = PathFrame(still_asleep(frame.asleep, node.event), children=node.children)
            self.frames.append(frame)

    def _extend(self, events: list[PointEvent]) -> None:
        """Extend the path by these events from the first fresh frame on."""
        self.done += 1
        frames, leaf = self.frames, len(self.frames)
        asleep: list[PointEvent] = []
        for depth, event in enumerate(events, self.fresh):
            if depth >= leaf:  # no thread sleeps after the leaf
                frames.append(PathFrame([]))
            elif depth > self.fresh:
                frames[depth].asleep = asleep
            frames[depth].event = event
            asleep = still_asleep(frames[depth].asleep, event)
        if frames:
            frames[-1].fruitful = True

    def _astray(self, index: int, harmless: bool, waits: bool) -> None:
        """Give up the path at this entry, which the program could not follow. An unsure step may be impossible because
        its thread has to wait, not because the thread takes another step instead: then the schedule counts as lost."""
        self.diverged += 1
        frames = self.frames
        if harmless:
            self._without_pass(index)
        elif not (waits and index == len(frames) - 1 and frames[index].unsure):
            self.lost += 1

    def _without_pass(self, index: int) -> None:
        """Try without a thread that was held, because it would only have repeated itself."""
        if index < self.fresh:
            return
        left_out: list[PointEvent] = []
        chain: list[PointEvent] = []
        for frame in self.frames[index:]:
            assert frame.event is not None
            if not left_out or any(event.conflicts(frame.event) for event in left_out):
                left_out.append(frame.event)
            else:
                chain.append(frame.event)
        if chain and chain[-1] == self.frames[-1].event:
            insert(self.frames[index], Insertion(index, (), tuple(chain), unsure=True))

    # -- journal ------------------------------------------------------------------------------------------------------

    def records(self) -> list[JournalRecord]:
        records, self.journal = self.journal, []
        return records

    def restore(self, records: Iterable[JournalRecord]) -> None:
        for record in records:
            if record[0] == "reset":
                self._clear()
            if any(
                each.recall(record) for each in (self.met, self.semaphores, self.sections, self.symmetry, self.sleeps)
            ):
                continue
            match record:
                case ("expired",):
                    self.expired = True
                case ("event", thread, reads, writes, points):
                    event = PointEvent(thread, frozenset(numbers_in(reads)), frozenset(numbers_in(writes)), points)
                    self.event_numbers[event] = len(self.events)
                    self.events.append(event)
                case ("astray", _, index, kind):
                    self._advance()
                    self._astray(index, bool(kind & 1), bool(kind & 2))
                case ("ran", _, path, made):
                    self._advance()
                    self._extend([self.events[number] for number in numbers_in(path)])
                    self._insert_again(numbers_in(made))

    def _number_of(self, event: PointEvent) -> int:
        number = self.event_numbers.get(event)
        if number is None:
            number = self.event_numbers[event] = len(self.events)
            self.events.append(event)
            reads, writes = array("q", sorted(event.reads)), array("q", sorted(event.writes))
            self.journal.append(("event", event.thread, reads.tobytes(), writes.tobytes(), event.points))
        return number

    def _encode_insertion(self, made: array[int], change: Insertion) -> None:
        numbers = [self._number_of(event) for event in change.events]
        flags = int(change.unsure) + 2 * int(change.varies)
        made.extend((change.depth, flags, len(change.path), len(numbers), *change.path, *numbers))

    def _insert_again(self, made: list[int]) -> None:
        start = 0
        while start < len(made):
            depth, flags, steps, count = made[start : start + 4]
            middle = start + 4 + steps
            path, start = tuple(made[start + 4 : middle]), middle + count
            events = tuple([self.events[number] for number in made[middle:start]])
            insert(self.frames[depth], Insertion(depth, path, events, bool(flags & 1), bool(flags & 2)))


def in_time(run: Run) -> Run:
    """A run under a plan with timing, with targets for the dependences that its steps do not show.

    Whether a sleep or wait may end depends on the clocks of all threads that could move instead. So such steps write a
    target that all others read. A wait with a limit is like an attempt: if it can't succeed, it may give up.
    """
    log = []
    for number, step in enumerate(run.log):
        if number in run.bounded:
            request = () if any(each.op is Op.REQUEST for each in step.more) else (Access(Op.REQUEST, step.target),)
            step = step._replace(more=(*step.more, *request, Access(Op.RMW, TIME)))
        elif step.point:
            ends = step.op is Op.SLEEP
            step = step._replace(more=(*step.more, Access(Op.RMW if ends else Op.READ, TIME)))
        log.append(step)
    renumbered = copy(run)
    renumbered.log = log
    return renumbered


def timeouts_of(run: Run) -> frozenset[int]:
    """The steps of a run at which timeouts fired."""
    return frozenset([number for number in run.ended if run.log[number].op is not Op.SLEEP])


def _are_points(run: Run) -> bool:
    """Whether all timeouts of a run fired at points, so that their order is known."""
    return len(timeouts_of(run)) == run.expired and all(run.log[number].point for number in timeouts_of(run))


def in_order(run: Run, fired: frozenset[int]) -> Run:
    """A run whose timeouts write a target that all other steps read."""
    reading, writing = Access(Op.READ, TIME), Access(Op.RMW, TIME)
    log = [
        step._replace(more=(*step.more, writing if number in fired else reading)) if step.point else step
        for number, step in enumerate(run.log)
    ]
    ordered = copy(run)
    ordered.log = log
    return ordered


def _leaves(node: WakeupNode) -> int:
    return sum(map(_leaves, node.children)) if node.children else 1
