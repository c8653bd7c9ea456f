"""Bounded partial-order reduction: outcomes with the fewest preemptions first, without orders that only swap steps that
commute.

Definition (Coons, Musuvathi, McKinley: Bounded partial-order reduction, OOPSLA 2013, section 4, for preemptions as
bounded.py counts them). At a place in the search only some threads need be tried, the place's *backtrack set*. At first
it holds the thread that continues by itself. Whenever a thread stands before an operation that conflicts with an
earlier event, and does not have to come after that, the thread is added to the set of the place before that event (if
it is not enabled there: all enabled threads). This alone is dynamic partial-order reduction (Flanagan, Godefroid, POPL
2005). It is not enough under a bound: the added thread would cost a preemption, while in an equivalent order it moves
before the whole block of steps without one. So it is also added at the place where the search last switched to the
thread of that event: a *conservative* point.

Departures. The paper runs one search per bound. Here there is one tree, whose cheapest seed is executed next; the
search of a bound is a part of the tree, so no seed is executed twice. As in the papers, an event conflicts with all
earlier events that were the last conflicting ones at some time while its thread stood before it, not only with those
that it directly follows.

Invariant, tested against the oracle: when every seed with up to ``k`` preemptions has been run, every final state and
deadlock that some order with up to ``k`` preemptions reaches has been reached.

A timeout fires when no other thread can move, a dependence that is not one of two conflicting steps. So a search in
which a timeout fired has a doubt.

Cost: no sleep sets (they are not sound under bounds), so many orders of one trace are run, sometimes most of them; the
whole tree stays in memory.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final, NamedTuple, Self

from mazurka.explore.bounded import EXPIRED, SearchByPreemptions, SwitchPoint, turns
from mazurka.explore.coverage import Cause, Coverage, places_of
from mazurka.explore.merged_run import MergedRun
from mazurka.explore.races import Execution, StepShapes
from mazurka.explore.sections import Sections
from mazurka.explore.strategy import JournalRecord, Seed, Strategy, StrategySettings
from mazurka.explore.symmetry import Symmetry, movable, order_of
from mazurka.program.protocol import Run
from mazurka.program.source_analysis import SourceAnalysis
from mazurka.trace.event import Op
from mazurka.trace.ids import SiteNumber
from mazurka.trace.targets import kind_of

#: So many causes are reported.
_CAUSES: Final = 5


class _Place:
    """A place in the search, reached from the place ``before`` by a move of ``thread``."""

    __slots__ = ("after", "before", "preemptions", "thread", "turn", "wanted")

    def __init__(self, before: _Place | None, thread: str, preemptions: int) -> None:
        self.before = before
        self.thread = thread
        self.preemptions = preemptions
        self.turn: SwitchPoint | None = None  # of a run through this place
        self.wanted: set[str] = set()  # the backtrack set
        self.after: dict[str, _Place] = {}


class _Insertion(NamedTuple):
    """A seed: ``thread`` is to move at ``place`` (None: the first run of the search)."""

    place: _Place | None
    thread: str

    def prefix(self) -> tuple[str, ...]:
        names, place = [self.thread], self.place
        while place is not None and place.before is not None:
            names.append(place.thread)
            place = place.before
        return tuple(reversed(names)) if self.place is not None else ()


class BoundedReduction(SearchByPreemptions[_Insertion]):
    """The ``icb-dpor`` strategy."""

    name = "icb-dpor"

    @classmethod
    def make(cls, settings: StrategySettings, source: SourceAnalysis) -> Strategy:
        return cls(settings.finals, settings.races or settings.timed or settings.ordered)

    def __init__(self, finals: bool = False, only_steps: bool = False) -> None:
        super().__init__(_Insertion(None, ""))
        self.sections = Sections(finals)
        self.symmetry = Symmetry()
        self.shapes: StepShapes = {}
        self.relates = not only_steps
        self.only_steps = only_steps  # no critical section is a single event: races are looked for, or clocks count
        self.root = _Place(None, "", 0)
        self.expired = False  # whether a timeout fired in some run
        self.places = 0  # in the search
        self._reasons: Counter[tuple[Op, str, SiteNumber]] = Counter()  # the operations that threads are to come before

    def observe(self, seed: Seed, run: Run) -> None:
        if self.has_diverged(seed, run):
            return
        alike: dict[int, int] = {}
        if not self.only_steps:
            contradicted = self.symmetry.learn(run)
            if self.sections.learn(run) or contradicted:
                self._reset()
                return
            alike = self.symmetry.alike(run)
        if not self.places:
            self.journal += [self.sections.record(), self.symmetry.record()]
        if run.expired and not self.expired:
            self.expired = True
            self.journal.append(("expired",))
        schedule, fresh = run.schedule(), max(len(seed.plan.prefix) - 1, 0)
        may_move = movable(run, alike)
        passed = turns(run, None if self.only_steps else self.sections.beginnings(run))
        new_turns = [(may_move(point, turn.enabled), turn.staying) for point, turn in enumerate(passed[fresh:], fresh)]
        wanted = sorted(set(self._backtrack(run, alike, schedule, fresh)))
        self.journal.append(("ran", seed.number, " ".join(schedule), json.dumps(new_turns), json.dumps(wanted)))
        self._learn(seed.number, schedule, new_turns, wanted)

    def begin_again(self, earlier: Self) -> None:
        self.sections.begin_again(earlier.sections)
        self.symmetry.begin_again(earlier.symmetry)
        self._reset()

    def foresee(self, run: Run) -> None:
        if run.divergence is None and not self.only_steps:
            self.sections.foresee(run)

    def _reset(self) -> None:
        """Start again: sections that were taken for single events are none, or do not commute."""
        self.start(_Insertion(None, ""))
        self.sections.begin_again(self.sections)
        self.symmetry.begin_again(self.symmetry)
        self.root, self.places = _Place(None, "", 0), 0
        self.journal = [("reset",), self.sections.record(), self.symmetry.record()]
        self.journal += [("expired",)] * self.expired

    def _learn(
        self,
        number: int,
        schedule: tuple[str, ...],
        new_turns: Iterable[tuple[Iterable[str], str]],
        wanted: Iterable[tuple[int, str]],
    ) -> None:
        """Learn a run: ``new_turns`` are its turns from the seed's last entry on, ``wanted`` its additions to the
        backtrack sets, by point."""
        self.levels.finish(number)
        self.done += 1
        path = [self.root]
        new = [SwitchPoint(tuple(enabled), staying) for enabled, staying in new_turns]
        for point, thread in enumerate(schedule):
            place = path[-1]
            if place.turn is None:
                place.turn = new[point - (len(schedule) - len(new))]
            place.wanted.add(thread)
            if thread not in place.after:
                place.after[thread] = _Place(place, thread, place.preemptions + place.turn.cost(thread))
                self.places += 1
            path.append(place.after[thread])
        for point, thread in wanted:
            self._want(path[point], thread)

    def _want(self, place: _Place, thread: str) -> None:
        assert place.turn is not None
        for candidate in (thread,) if thread in place.turn.enabled else place.turn.enabled:
            if candidate not in place.wanted:
                place.wanted.add(candidate)
                self.levels.add(place.preemptions + place.turn.cost(candidate), _Insertion(place, candidate))

    def _backtrack(
        self, run: Run, alike: Mapping[int, int], schedule: tuple[str, ...], fresh: int
    ) -> Iterable[tuple[int, str]]:
        """Additions to backtrack sets, as (point, thread), by events from the ``fresh``-th on."""
        switches: list[int] = []  # by point: the point of the last switch to its thread
        for point, thread in enumerate(schedule):
            switches.append(switches[-1] if point and schedule[point - 1] == thread else point)
        points = [
            (step.op, step.target, site) for step, site in zip(run.log, places_of(run), strict=True) if step.point
        ]
        merged = self.sections.merged(run)
        starts = merged.starts if isinstance(merged, MergedRun) else None
        order = order_of(run, alike, starts, most=1)
        first = merged.starts if isinstance(merged, MergedRun) else range(len(points))  # by event: its first point
        for event, task in Execution(merged, shapes=self.shapes, order=order).rivals(bisect_left(first, fresh)):
            point = first[event]
            op, target, site = points[point]
            self._reasons[op, kind_of(target).tag, site] += 1
            yield point, run.tasks[task]
            yield switches[point], run.tasks[task]

    def coverage(self) -> Coverage:
        total = self._reasons.total()
        causes = [Cause(*reason, count / total) for reason, count in self._reasons.most_common(_CAUSES)]
        return replace(super().coverage(), causes=tuple(causes))

    def incompleteness_reason(self) -> str:
        return super().incompleteness_reason() or (EXPIRED if self.expired else "")

    def restore(self, records: Iterable[JournalRecord]) -> None:
        for record in records:
            if self.sections.recall(record) or self.symmetry.recall(record):
                continue
            match record:
                case ("reset",):
                    self._reset()
                case ("ran", number, schedule, new_turns, wanted):
                    self._learn(number, tuple(schedule.split()), json.loads(new_turns), json.loads(wanted))
                case ("expired",):
                    self.expired = True
                case ("astray", number, lost):
                    self.skip(number, lost)
                case ("cut",):
                    self.cut = True
