"""``se-mcr``: no two runs in which reads see the same values, and only runs with a new step of some thread.

Two runs are equivalent if every read sees the same value in both, from any write. Chapter 5 of the dissertation
("switch equivalence") finds pairs of seeds that lead to equivalent runs, one pair at a time. Here the automata of the
threads, learnt from the runs so far (automata.py), are searched like a program of their own (state_space.py). Only
these are executed:

- a *gap*, an unexplored transition: a step that no thread has taken with this history and these values to read. Its run
  shows the step, and all steps after it;
- an *ending*, a terminal state, in which a thread is stuck: its run is the proof, also for all others with the same
  report;
- loops that no thread can leave under any order (the bottom components of the graph of states): the run takes the
  shortest path to them, and passes through them twice, with all threads that can move: a livelock;
- an uncertain ending, since two objects may be the same (aliasing.py);
- with ``classes`` every other ending, too: then there is exactly one run for each class of equivalent runs.

An ending is a combination of histories in which no thread can go on, and in which no run has ended yet.

Completeness. Consider any run of the program. As long as every step of it is known with the values that it reads, the
search has entered the states along it, or those along a run that is equivalent up to the end (persistent sets keep all
endings). The first unknown step is a gap, and is executed. So when no gaps are left, every history that a thread can
have in any run of the program has been seen in a run, and so has every failure of one thread; failures of several stuck
threads are endings. A test of the final state from outside the program needs ``classes``. Ends of the program that
come before the last steps of other threads show nothing else (state_space.py).

No two runs are equivalent: the run of a gap shows a history that no earlier run has, that of an ending a combination of
histories in which none has ended. (The exception is a value that is first seen written and later found to be the
initial one.)

Departures from the dissertation: its condition for switching two prefixes is replaced by equality of states, which
needs no comparison of pairs and no lock and wait extensions, and also prunes states that are reached by several
switches.

Cost: that of state_space.py for each state; each run is followed once, and again only if it changes the set of
contended locations.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from time import perf_counter
from typing import Final

from mazurka.explore.parallel.remote_tasks import RemoteTasks, backs, remote_task
from mazurka.explore.strategy import Estimate, JournalRecord, Lease, Seed, Strategy, StrategySettings
from mazurka.explore.thread_models.automata import ThreadAutomata
from mazurka.explore.thread_models.learning import relearn, take_in
from mazurka.explore.thread_models.simulator import Gap
from mazurka.explore.thread_models.state_space import JointState, StateSpace
from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import LASSO, OUTLIVING, Plan, Run
from mazurka.program.source_analysis import SourceAnalysis


@dataclass(slots=True)
class SeMcrCounters:
    """The counters of one search."""

    runs: int = 0
    refused: int = 0  # runs that only showed that a thread has to wait
    lost: int = 0  # runs that could not follow their seeds although they should have
    endless: int = 0  # possible livelocks that are undecided
    loops: bool = False  # event loops ran: what they do next depends on queues and times, which no values show
    decisions: int = 0  # states gone through, some of them several times, and other steps to the next seed
    relearnt: int = 0  # steps of earlier runs that were gone through again


#: Seconds that a run has to take on average for runs to be made in other processes: shorter ones are faster made here.
_WORTH: Final = 0.003

#: The time of a state of the search, in times of a step that is executed; a step that is learnt again takes as long.
_STATE: Final = 2

#: The number of runs requested at once from each process, and the seconds for which the search looks for them.
_AT_ONCE: Final = 4
_LOOKING: Final = 0.1


@dataclass(frozen=True, slots=True)
class _PlannedRun:
    """The purpose of a seed: its last step (which explores a ``gap``, unless the automata have been relearnt since), or
    an ending after ``points`` points, or loops that no thread can leave: a covering cycle of ``tour`` moves, executed a
    second time if it is ``warm``."""

    prefix: tuple[str, ...]
    step: bool = False
    gap: Gap | None = None
    points: int = -1
    tour: int = 0
    warm: bool = False


class SwitchEquivalence(Strategy):
    """The ``se-mcr`` strategy."""

    name = "se-mcr"
    exhaustive = True
    needs_advance = True
    divisible = True

    @classmethod
    def make(cls, settings: StrategySettings, source: SourceAnalysis) -> Strategy:
        return cls(classes=settings.finals)

    def __init__(self, classes: bool = False) -> None:
        self.classes = classes
        self.counters = SeMcrCounters()
        self.behaviour = ThreadAutomata()
        self.behaviour.thread("0")
        self.reachable = StateSpace(self.behaviour, classes)
        self.decided = False  # whether the next seed is known: `following`
        self.following: Seed | None = None
        self.out: dict[int, _PlannedRun] = {}
        self.asked: dict[tuple[int, ...], int] = {}  # by executed path to a gap: the number of its seed
        self.ended: set[int] = set()  # seeds that the end of the program cut short: daemons only move for so long
        self.next_number = 0
        self.seconds = 0.0  # the time of the runs
        self.lost: deque[int] = deque()  # seeds to hand out again, whose leases got lost
        self.leases: dict[int, tuple[int, ...]] = {}  # by lease: its seeds
        self.remote_tasks: RemoteTasks | None = None  # runs for another process
        self.journal: list[JournalRecord] = []

    # -- the protocol -------------------------------------------------------------------------------------------------

    def next_seed(self) -> Seed | None:
        self.advance(float("inf"))
        seed, self.following = self.following, None
        self.decided = seed is None
        return seed

    def advance(self, seconds: float) -> bool:
        end = perf_counter() + seconds
        while not self.decided:
            self._advance()
            self.counters.decisions += 1
            if perf_counter() >= end:
                break
        return self.decided

    def _advance(self) -> None:
        """Continue the search for the next seed."""
        if self.remote_tasks is not None:
            self._decide(self.remote_tasks.next_seed())
        elif self.lost:
            number = self.lost.popleft()
            self._decide(Seed(number, _plan(self.out[number])))
        elif not self.behaviour.records:
            self._decide(None if self.out else self._seed(()))
        elif self.behaviour.is_behind():
            self.counters.relearnt += relearn(self.behaviour)
            if not self.behaviour.is_behind():
                self.reachable.reset()
        elif (found := self.reachable.open_move()) is not None:
            seed = self._to_fill(*found)
            if seed is not None:
                self._decide(seed)
        elif not self.reachable.go_on():
            self._conclude()

    def _decide(self, seed: Seed | None) -> None:
        self.decided, self.following = True, seed

    def _conclude(self) -> None:
        """Decide once all states have been entered: terminal states, and endless loops, remain to be executed."""
        if self.reachable.endings:
            state = self.reachable.ending()
            if state is not None and (self.classes or self._is_wanted(state)):
                self.reachable.asked.add(state.moments)
                way = state.way()
                self._decide(self._seed(way, points=len(way)))
        elif not self.reachable.is_unfinished():
            found = None if self.out else self.reachable.round()
            if found is None:
                self._decide(None)
            elif self._is_sure():
                way, tour = found
                self._decide(self._seed((*way, *tour), tour=len(tour)))
            else:
                self.counters.endless += 1

    def _is_sure(self) -> bool:
        """Whether the threads' steps depend only on their reads."""
        unsure = self.counters.lost or self.behaviour.astray or self.behaviour.unsure or self.reachable.expiries
        return not unsure

    def _to_fill(self, way: tuple[int, ...], gap: Gap) -> Seed | None:
        """A seed that explores a transition, unless one is under way, or failed to."""
        number = self.asked.get(way)
        if number is None:
            self.asked[way] = self.next_number
            return self._seed(way, step=True, gap=gap)
        if number in self.out:
            self.out[number] = replace(self.out[number], gap=gap)
        else:
            self.reachable.give_up(gap)
            self.counters.lost += number not in self.ended
        return None

    def _is_wanted(self, state: JointState) -> bool:
        return self.reachable.is_news(state) or self.reachable.may_mislead(state.moments)

    def _seed(
        self,
        way: tuple[int, ...],
        step: bool = False,
        gap: Gap | None = None,
        points: int = -1,
        tour: int = 0,
    ) -> Seed:
        number = self.next_number
        self.next_number += 1
        names = self.behaviour.threads
        wanted = self.out[number] = _PlannedRun(tuple([names[thread] for thread in way]), step, gap, points, tour)
        return Seed(number, _plan(wanted))

    def observe(self, seed: Seed, run: Run) -> None:
        if self.remote_tasks is not None:
            self.remote_tasks.observe(seed, run)
            self.decided = False
        else:
            self.seconds += run.seconds
            self._learn(seed.number, run, bool(run.failures))

    def _learn(self, number: int, run: Run, failed: bool) -> None:
        self.counters.runs += 1
        self.decided = self.following is not None
        wanted = self.out.pop(number)
        idle = wanted.points if sum([step.point for step in run.log]) > wanted.points >= 0 else -1
        if OUTLIVING in run.assumed and run.passed() < len(wanted.prefix):
            self.ended.add(number)
        if run.has_loops and not self.counters.loops:
            self.counters.loops = True
            self.journal.append(("loops",))
        refused = ""
        astray = run.divergence
        if astray is not None and astray.waits and wanted.step and astray.index == len(wanted.prefix) - 1:
            refused = wanted.prefix[-1]
        cyclic = self.behaviour.cyclic
        take_in(self.behaviour, run, idle, refused)
        self.journal.append(("run", self.behaviour.records[-1].packed.content, idle, refused))
        if run.divergence is not None and not run.divergence.harmless and not refused:
            self.counters.lost += 1
            self.journal.append(("lost", self.counters.lost))
        relearnt = self.behaviour.is_behind() or self.behaviour.cyclic != cyclic or not self.reachable.known
        if relearnt:
            if not self.behaviour.is_behind():
                self.reachable.reset()
            self.out = {number: replace(known, gap=None) for number, known in self.out.items()}
        if wanted.gap is not None and not relearnt:
            if run.divergence is None:
                self.reachable.learnt(wanted.gap)
            else:
                self.counters.refused += 1
                self.reachable.refuse(wanted.gap)
        elif (wanted.tour or run.settled) and not failed:
            self._missed(wanted)

    def _missed(self, wanted: _PlannedRun) -> None:
        """Handle a run that did not show a livelock. A thread is held before a pass that would only repeat the one
        before, so not before its first pass: a second tour may be the first that repeats the one before."""
        if wanted.tour and not wanted.warm:
            again = wanted.prefix[-wanted.tour :]
            self.out[self.next_number] = replace(wanted, prefix=wanted.prefix + again, warm=True)
            self.lost.append(self.next_number)
            self.next_number += 1
        elif wanted.tour or wanted.points >= 0:
            self.counters.endless += 1

    # -- runs made elsewhere ------------------------------------------------------------------------------------------

    def grant_leases(self, parts: int) -> list[Lease]:
        if self.seconds < _WORTH * max(self.counters.runs, 1):
            return []
        end, seeds = perf_counter() + _LOOKING, list[Seed]()
        while (
            len(seeds) < parts * _AT_ONCE
            and self.advance(end - perf_counter())
            and (seed := self.next_seed()) is not None
        ):
            seeds.append(seed)
        if len(seeds) == 1 and len(self.out) == 1:
            self._decide(seeds[0])  # a single run is faster made here
            return []
        leases = []
        for part in range(min(parts, len(seeds))):
            share = seeds[part::parts]
            lease = share[0].number
            self.leases[lease] = tuple([seed.number for seed in share])
            leases.append(Lease(lease, [remote_task(seed) for seed in share]))
        return leases

    def settle_lease(self, number: int, records: Iterable[JournalRecord] | None) -> None:
        numbers = set(self.leases.pop(number))
        for back in backs(records or ()):
            numbers.remove(back.number)
            self._learn(*back)
        self.lost.extend(sorted(numbers))
        self.decided = self.following is not None

    # -- status -------------------------------------------------------------------------------------------------------

    def effort(self) -> int:
        return _STATE * self.counters.decisions + self.counters.relearnt

    def estimate(self) -> Estimate:
        waiting = len(self.reachable.opens) + len(self.reachable.endings)
        return Estimate(self.counters.runs, waiting, None if waiting else float(self.counters.runs))

    def summary(self) -> str:
        return f"{len(self.reachable.known):,} states gone through"

    def incompleteness_reason(self) -> str:
        parts = []
        if self.counters.lost:
            parts.append(f"{self.counters.lost} schedules that should be possible could not be followed")
        if self.behaviour.astray:
            parts.append(f"{self.behaviour.astray} steps differed after identical reads: nondeterminism")
        if self.behaviour.records and self.remote_tasks is None and not self.reachable.known:
            parts.append("the threads' first steps are not known")
        if self.counters.endless:
            parts.append(f"{self.counters.endless} possible livelocks undecided")
        if self.reachable.expiries:
            parts.append("timeouts fired, whose order is not explored")
        if self.counters.loops:
            parts.append("this strategy does not tell the queues and timers of event loops apart, as `dpor` does")
        return "; ".join(parts)

    # -- journal ------------------------------------------------------------------------------------------------------

    def records(self) -> list[JournalRecord]:
        if self.remote_tasks is not None:
            return self.remote_tasks.records()
        records, self.journal = self.journal, []
        return records

    def restore(self, records: Iterable[JournalRecord]) -> None:
        for record in records:
            match record:
                case ("remote_task", number, prefix):
                    self.remote_tasks = self.remote_tasks or RemoteTasks()
                    self.remote_tasks.add(number, prefix)
                case ("run", packed, idle, refused):
                    self.behaviour.recall(packed, idle, refused)
                    self.counters.runs += 1
                case ("lost", lost):
                    self.counters.lost = lost
                case ("loops",):
                    self.counters.loops = True
        if self.behaviour.records and self.remote_tasks is None:
            self.decided = False


def _plan(wanted: _PlannedRun) -> Plan:
    return Plan((*wanted.prefix, *[LASSO] * wanted.tour), values=True)
