"""``se-mcr``: no two runs in which reads see the same values, and only runs that show something new.

Two runs are equivalent if every read sees the same value in both, whoever wrote it. Chapter 5 of the dissertation
("switch equivalence") finds pairs of seeds that lead to equivalent runs, one pair at a time. Here what the runs made
so far say of the threads (behaviour.py) is searched like a program of its own (reachable.py), and run is only

- a *gap*: a step that no thread has made with such a history and such values to read. Its run teaches it, and
  whatever comes after;
- an *ending* in which a thread is stuck: the run is the proof;
- an ending of which it is not sure that it is one, since two objects may be the same (company.py);
- with ``classes`` every other ending, too: then there is exactly one run per class of equivalent runs.

An ending is a combination of histories from which nobody can go on and in which no run has ended yet.

Completeness. Let a run of the program be given. Along it, as long as every step is known with the values it reads,
the search has entered its states, or those of a run equivalent to it up to the end (persistent sets keep all
endings). The first step that is not known is a gap, and is run. So when there are no gaps left, every history that a
thread can have in any run of the program has been seen in a run, and so has every failure of one thread; failures of
several, which are stuck, are endings. A check of the final state by somebody who is no thread needs ``classes``.

No two runs are equivalent: the run of a gap shows a history that is in no run before, that of an ending a combination
of histories in which none has ended. (But for a value first seen written and later found to be what was there at
first.)

Departures from the dissertation: its condition for switching two prefixes is replaced by equality of states, which
needs no comparison of pairs and no lock and wait extensions, and also prunes what is reached along more than one
switch.

Cost: reachable.py's per state, and each run is followed once, again only if it changed what is contended.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from mazurka.explore.behaviour import Behaviour
from mazurka.explore.reachable import Gap, Reachable, State
from mazurka.explore.strategy import Estimate, Row, Seed
from mazurka.program.protocol import Plan, Run


@dataclass(slots=True)
class Counters:
    """What a search can tell about itself."""

    runs: int = 0
    refused: int = 0  # runs that only showed that a thread has to wait
    lost: int = 0  # runs that could not go the way they should have
    endless: int = 0  # ways to go round in loops for ever


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a seed was handed out for: a gap, or the ending of so many points."""

    gap: Gap | None = None
    points: int = -1
    endless: bool = False


class SwitchEquivalence:
    """The ``se-mcr`` strategy."""

    name = "se-mcr"
    exhaustive = True

    def __init__(self, classes: bool = False) -> None:
        self.classes = classes
        self.counters = Counters()
        self.behaviour = Behaviour()
        self.behaviour.thread("0")
        self.reachable = Reachable(self.behaviour)
        self.out: dict[int, _Wanted] = {}
        self.asked: set[tuple[int, ...]] = set()  # the ways to gaps that were run
        self.next_number = 0
        self.journal: list[Row] = []

    # -- the protocol -------------------------------------------------------------------------------------------------

    def take(self) -> Seed | None:
        if not self.behaviour.records:
            return None if self.out else self._seed((), _Wanted())
        while True:
            while (found := self.reachable.open_move()) is not None:
                way, gap = found
                if way not in self.asked:
                    self.asked.add(way)
                    return self._seed(way, _Wanted(gap))
                self.reachable.give_up(gap)  # it was run, and did not show what it should have
                self.counters.lost += 1
            while (state := self.reachable.ending()) is not None:
                if self.classes or self._is_wanted(state):
                    self.reachable.asked.add(state.moments)
                    way = state.way()
                    return self._seed(way, _Wanted(points=len(way)))
            if self.reachable.is_unfinished():
                continue
            state = self.reachable.round()
            return None if state is None else self._seed(state.way(), _Wanted(endless=True))

    def _is_wanted(self, state: State) -> bool:
        return self.reachable.is_stuck(state) or self.reachable.may_mislead(state)

    def _seed(self, way: tuple[int, ...], wanted: _Wanted) -> Seed:
        number = self.next_number
        self.next_number += 1
        self.out[number] = wanted
        names = self.behaviour.threads
        return Seed(number, Plan(tuple([names[thread] for thread in way]), values=True))

    def give(self, seed: Seed, run: Run) -> None:
        self.counters.runs += 1
        wanted = self.out.pop(seed.number)
        idle = wanted.points if sum([step.point for step in run.log]) > wanted.points >= 0 else -1
        refused = ""
        if run.divergence is not None and wanted.gap is not None and run.divergence.index == len(seed.plan.prefix) - 1:
            refused = seed.plan.prefix[-1]
        anew = self.behaviour.learn(run, idle, refused)
        self.journal.append(("run", self.behaviour.records[-1].packed.content, idle, refused))
        if run.divergence is not None and not run.divergence.harmless and not refused:
            self.counters.lost += 1
            self.journal.append(("lost", self.counters.lost))
        if anew or not self.reachable.known:
            self.reachable.begin_anew()
            self.out = {number: replace(known, gap=None) for number, known in self.out.items()}
        elif wanted.gap is not None:
            if run.divergence is None:
                self.reachable.learnt(wanted.gap)
            else:
                self.counters.refused += 1
                self.reachable.refuse(wanted.gap)
        elif idle >= 0:
            self.reachable.look_again()
        elif wanted.endless and not run.failures:
            self.counters.endless += 1
            self.journal.append(("endless", self.counters.endless))

    def estimate(self) -> Estimate:
        waiting = len(self.reachable.opens) + len(self.reachable.endings)
        return Estimate(self.counters.runs, waiting, None if waiting else float(self.counters.runs))

    def note(self) -> str:
        return f"{len(self.reachable.known):,} states gone through"

    def doubt(self) -> str:
        parts = []
        if self.counters.lost:
            parts.append(f"{self.counters.lost} schedules that should be possible could not be followed")
        if self.behaviour.astray:
            parts.append(f"{self.behaviour.astray} steps were not what the same history had led to before")
        if self.counters.endless:
            parts.append(f"in {self.counters.endless} ways threads come to go round in loops that they can't leave")
        if self.reachable.expiries:
            parts.append("waiting times ran out, and which does first is not explored")
        return "; ".join(parts)

    # -- rows ---------------------------------------------------------------------------------------------------------

    def rows(self) -> list[Row]:
        rows, self.journal = self.journal, []
        return rows

    def restore(self, rows: Iterable[Row]) -> None:
        for row in rows:
            match row:
                case ("run", packed, idle, refused):
                    self.behaviour.recall(packed, idle, refused)
                    self.counters.runs += 1
                case ("lost", lost):
                    self.counters.lost = lost
                case ("endless", endless):
                    self.counters.endless = endless
        if self.behaviour.records:
            self.behaviour.relearn()
            self.reachable.begin_anew()
