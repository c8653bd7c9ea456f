"""The loop: execute the strategy's seeds, collect their results, until there is a reason to stop.

Runs are made in batches (batch.py): in this process, one after the other, or by a worker pool
(parallel/worker_pool.py), several at once, each with a lease of the work. The results of both are handled alike.

It also decides the verdict. It is ``Verified`` only if an exhaustive strategy ran out of seeds, no run was cut short,
no operation was untracked or uncontrolled, and the strategy itself has no doubt; otherwise the first reason against it
is given.

A run that found new points (met a shared location at a site not known to need points) has points that earlier runs
lacked, so an exhaustive strategy starts again, keeping the failures found. The set of known sites only grows, so this
ends. Batches that are under way then count for their failures only. If the search that ends so has made many runs, the
next one is preceded by random ones, at most half as many, which are to meet the other new points soon, rather than late
in one more search that is in vain. They count for their failures only, too, if replays repeat these; the strategy is
shown them.

With a :class:`~mazurka.explore.search_journal.SearchJournal` all records are saved after each batch: a killed
exploration resumes where the last batch ended; first its failures are executed again.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from time import perf_counter  # by name: the module's attributes are a program's virtual clock while it is checked
from typing import Final

from mazurka.explore.batch import Batch, BatchLimits, again, work
from mazurka.explore.explored_paths import ExploredPath, kept
from mazurka.explore.outcome import (
    MORE_FAILURES,
    FailingExecution,
    Inconclusive,
    Outcome,
    Predictions,
    Verdict,
    Verified,
    Violation,
    Waits,
)
from mazurka.explore.parallel.coordinator import WAIT, Coordinator
from mazurka.explore.parallel.worker_pool import WorkerPool
from mazurka.explore.registry import make_strategy, scope_of
from mazurka.explore.sampling_orders import ShownWalk
from mazurka.explore.search_journal import SearchJournal
from mazurka.explore.statistics import Postcondition, Statistics
from mazurka.explore.strategy import Estimate, Strategy, StrategySettings
from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import ENTERED, Failure, Plan, Program

#: Seconds between two writes to the journal.
_BATCH: Final = 0.5

#: Seconds of a batch in this process, after which the caller gets the progress.
_HERE: Final = 0.05

#: The length in seconds of the recent period whose share of deciding is reported.
_LATE: Final = 0.5

#: Runs of a search that was in vain, from which on random ones precede the next search.
_DEAR: Final = 16

#: Random runs in a row without new points, after which no more are made.
_QUIET: Final = 16

_ABANDONED: Final = "the exploration was abandoned"

#: Seconds for batches under way to be finished when the search stops.
_GRACE: Final = 0.4


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits at which the search stops although seeds are left; None: no limit."""

    executions: int | None = None
    seconds: float | None = None
    limit: float | None = None  # the whole time limit, of which ``seconds`` is the rest, for messages
    most: int | None = None  # likewise, of executions


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of an exploration after a batch."""

    executions: int
    seconds: float
    found: int  # distinct failures
    new: tuple[FailingExecution, ...]  # the failures first seen in this batch
    estimate: Estimate
    restarted: bool = False
    deciding: bool = False  # whether most of the recent time was spent on deciding which orders are possible


class Explorer:
    """Explores one program with one strategy. Iterate over :meth:`progress`; :attr:`outcome` is set at its end.

    ``learned`` are the sites known to need points, to which runs add. A ``pool``, if there is one, is used after
    ``alone`` seconds, and closed in the end. With ``races`` data races that runs imply are predicted
    (race_confirmer.py); races do not end the search. Failures for which sleeping threads have to outrun others by more
    than ``timing`` seconds do not count. Failures that are ``kept_back`` neither end the search nor decide the verdict;
    they are reported last.
    """

    def __init__(
        self,
        program: Program,
        strategy: str = "mcr",
        *,
        settings: StrategySettings | None = None,
        budget: Budget | None = None,
        stop_at_first: bool = True,
        postcondition: Postcondition | None = None,
        journal: SearchJournal | None = None,
        interrupted: Callable[[], bool] | None = None,
        learned: set[int] | None = None,
        pool: WorkerPool | None = None,
        alone: float = 0.0,
        races: bool = False,
        timing: float = float("inf"),
        kept_back: Callable[[Failure], bool] | None = None,
    ) -> None:
        self.program = program
        self.strategy_name = strategy
        self.settings = replace(settings or StrategySettings(), races=races)
        self.budget = budget or Budget()
        self.stop_at_first = stop_at_first
        self.postcondition = postcondition
        self.journal = journal
        self.interrupted = interrupted
        self.learned = set() if learned is None else learned
        self.alone = alone
        self.races = races
        self.timing = timing
        self.kept_back = kept_back
        self.strategy: Strategy = make_strategy(strategy, self.settings, program.analysis())
        self.coordinator = None if pool is None else Coordinator(pool, strategy, self.settings, self.learned)
        self.outcome: Outcome | None = None
        self.seen = Statistics()
        self.restarts = 0
        self.paths: list[ExploredPath] = []  # of the first executions since the last restart
        self._notes: list[str] = []
        self._sampler: ShownWalk | None = None  # makes the random runs
        self._begun_at = 0  # the number of runs before this search
        self._samples = 0  # random runs to make before it goes on
        self._started = 0.0
        self._written = 0.0
        self._doubts = ""  # as last written to the journal
        self._deciding = 0.0  # the share of the recent time spent on deciding

    def has_all_paths(self) -> bool:
        """Whether :attr:`paths` has all executions since the last restart."""
        return len(self.paths) == self.seen.executions - self._begun_at

    def run(self) -> Outcome:
        """Explore to the end."""
        for _ in self.progress():
            pass
        assert self.outcome is not None
        return self.outcome

    def progress(self) -> Iterator[Progress]:
        """Explore, yielding after each batch. The iterator may be closed early: the outcome is then that of the runs so
        far."""
        self._started = self._written = perf_counter()
        stopped = _ABANDONED
        try:
            stopped = yield from self._explore()
        except KeyboardInterrupt:
            stopped = "interrupted"
        finally:
            self._dismiss(0.0 if stopped == _ABANDONED or self.seen.found else _GRACE)
            self._write(force=True)
            self.outcome = self._conclude(stopped)
            if self.journal is not None:
                self.journal.close(finished=self.outcome.complete)

    def _explore(self) -> Generator[Progress, None, str]:
        """Explore; returns the reason why it stopped ("": no seeds were left)."""
        yield from self._take_up()
        while not (stopped := self._stop_reason()):
            batches = self._batches()
            if batches is None:
                break
            for batch in batches:
                yield self._take_in(batch)
            yield self._progress(())
            yield from self._sample()
        return stopped

    def _sample(self) -> Iterator[Progress]:
        """Make random runs, so that the program meets new points soon. Their failures count if replays repeat them."""
        if not self._samples:
            return
        most, self._samples = self._samples, 0
        if self._sampler is None:
            self._sampler = ShownWalk(self.settings.seed)
        quiet = 0
        while most > 0 and quiet < _QUIET and not self._stop_reason():
            points, before = frozenset(self.learned), self._terms(_HERE)
            left = most if before.executions is None else min(most, before.executions)
            terms = replace(before, executions=min(left, _QUIET - quiet), races=False)
            self._sampler.show = self.strategy.foresee
            batch = work(self.program, self._sampler, terms, self.postcondition)
            batch.statistics.know(points)
            made = batch.statistics.executions
            most -= max(made, 1)
            quiet = 0 if batch.found_new_points else quiet + made
            repeated = self._repeated(batch.statistics, points)
            if batch.found_new_points:
                self._begin_again()
            yield self._progress(self.seen.add(repeated))
        if self.strategy.input_paths() is not None:
            self.seen.conditions.clear()
        self._begun_at = self.seen.executions

    def _repeated(self, sampled: Statistics, points: frozenset[int]) -> Statistics:
        """The executions, and the failures that a replay repeats, of random runs made with these points. A failure that
        none repeats is no finding, but counts against a proof."""
        result = Statistics(sampled.executions, conditions=sampled.conditions, asked=sampled.asked)
        for identity, found in sampled.found.items():
            learned = self.learned - points
            self.learned -= learned
            try:
                run = self.program.execute(Plan(found.schedule, timing=found.timing, inputs=found.inputs))
            finally:
                self.learned |= learned
            if identity in [each.identity for each in Statistics().look(run, self.postcondition)]:
                result.found[identity] = found
            else:
                result.uncontrolled[f"a failure that did not come again: {found.failure.message}"] = 1
        return result

    # -- batches -------------------------------------------------------------------------------------------------------

    def _batches(self) -> Iterator[Batch] | None:
        """The next finished batches; None if no seeds are left."""
        if self.coordinator is not None and self.coordinator.unlucky:
            self._notes.append("processes that ran the program ended unexpectedly; this one went on alone")
            self._dismiss(_GRACE)
        strategy, points = self.strategy, frozenset(self.learned)
        if self.coordinator is not None and self._seconds() >= self.alone and strategy.divisible:
            if self.budget.executions is not None:
                strategy.prune_from(self.budget.executions)
            if self.coordinator.hand_out(strategy, self._terms()):
                if strategy.has_own_work():
                    return self._batches_beside(self.coordinator)
                return self.coordinator.collect(strategy, 0.0 if self._is_undecided() else WAIT)
        terms = replace(self._terms(_HERE), paths=kept(self.paths))
        batch = work(self.program, strategy, terms, self.postcondition)
        batch.statistics.know(points)
        return iter([batch]) if batch.statistics.executions or batch.undecided else None

    def _batches_beside(self, coordinator: Coordinator) -> Iterator[Batch]:
        """The finished batches of other processes, and one made here meanwhile."""
        points, terms = frozenset(self.learned), self._terms(_HERE)
        if terms.executions is not None:
            terms = replace(terms, executions=terms.executions - coordinator.allowed)
        batch = work(self.program, self.strategy, terms, self.postcondition)
        batch.statistics.know(points)
        yield batch
        yield from coordinator.collect(self.strategy, 0.0 if batch.statistics.executions or batch.undecided else WAIT)

    def _is_undecided(self) -> bool:
        """Whether the strategy should go on deciding rather than wait for other processes."""
        return not self.strategy.advance(0.0)

    def _terms(self, seconds: float = float("inf")) -> BatchLimits:
        if self.budget.seconds is not None:
            seconds = min(seconds, self.budget.seconds - self._seconds())
        left = None if self.budget.executions is None else self.budget.executions - self.seen.executions
        known = {identity: found.seed for identity, found in self.seen.found.items()}
        only_first = self.stop_at_first and self.kept_back is None
        return BatchLimits(seconds, left, known, only_first, self.races, self.timing)

    def _take_in(self, batch: Batch) -> Progress:
        new = self.seen.add(batch.statistics)
        if self.strategy.input_paths() is not None:
            self.seen.conditions.clear()  # the strategy has them
        self.paths += batch.paths
        if self.journal is not None:
            for found in new:
                if found.timing is None and not found.inputs:
                    self.journal.add_failure(found.schedule)
        restart = batch.found_new_points and self.strategy.exhaustive
        if restart:
            self.restarts += 1
            made, self._begun_at = self.seen.executions - self._begun_at, self.seen.executions
            self._samples = made // 2 if made >= _DEAR else 0
            self._begin_again()
            if self.journal is not None:
                self.journal.forget_records()
        self._write()
        if batch.seconds:
            part = min(1.0, batch.seconds / _LATE)
            self._deciding += part * (1 - batch.running / batch.seconds - self._deciding)
        return self._progress(new, restart)

    def _begin_again(self) -> None:
        self.paths.clear()
        earlier = self.strategy
        self.strategy = make_strategy(self.strategy_name, self.settings, self.program.analysis())
        self.strategy.begin_again(earlier)

    def _progress(self, new: tuple[FailingExecution, ...], restarted: bool = False) -> Progress:
        found, total, deciding = len(self.seen.found), self.strategy.estimate(), self._deciding > 0.5
        return Progress(self.seen.executions, self._seconds(), found, new, total, restarted, deciding)

    def _seconds(self) -> float:
        return perf_counter() - self._started

    def _dismiss(self, grace: float) -> None:
        """Stop using the pool; batches under way have ``grace`` seconds to finish."""
        if self.coordinator is None:
            return
        coordinator, self.coordinator = self.coordinator, None
        end = perf_counter() + grace
        while coordinator.busy and perf_counter() < end:
            for batch in coordinator.collect(self.strategy):
                self._take_in(batch)
        coordinator.dismiss(self.strategy)

    # -- persistence --------------------------------------------------------------------------------------------------

    def _take_up(self) -> Iterator[Progress]:
        """Resume an earlier, interrupted exploration: its records, and its failures, which are executed again."""
        if self.journal is None:
            return
        self.strategy.restore(self.journal.records())
        self.seen.executions = self.journal.executions
        self._doubts = self.journal.get_meta("doubts")
        self.seen.recall(self._doubts)
        for schedule in self.journal.failures():
            points = frozenset(self.learned)
            batch = again(self.program, schedule, self.postcondition)
            batch.statistics.know(points)
            yield self._progress(self.seen.add(batch.statistics))

    def _write(self, force: bool = False) -> None:
        now = perf_counter()
        if not force and now - self._written <= _BATCH:
            return
        self._written = now
        records = self.strategy.records()  # taken even without a journal, so that they do not accumulate
        if self.journal is not None:
            doubts = self.seen.doubts()  # written before the runs that gave rise to them
            if doubts != self._doubts:
                self._doubts = doubts
                self.journal.set_meta("doubts", doubts)
            self.journal.add(records, self.seen.executions)

    # -- the end ------------------------------------------------------------------------------------------------------

    def _stop_reason(self) -> str:
        """The reason why no further run is made although seeds may be left ("": none)."""
        if self.stop_at_first and self._failures() and not self._may_be_first():
            return "stopped at the first failure"
        if self.budget.executions is not None and self.seen.executions >= self.budget.executions:
            return f"the limit of {self.budget.most or self.budget.executions} executions was reached"
        if self.budget.seconds is not None and self._seconds() >= self.budget.seconds:
            return f"the time limit of {self.budget.limit or self.budget.seconds:g} s was reached"
        if self.interrupted is not None and self.interrupted():
            return "interrupted"
        if self.settings.bound is not None and self._has_bound(self.settings.bound):
            return f"every order with up to {self.settings.bound} preemptions was covered, as required"
        return ""

    def _has_bound(self, bound: int) -> bool:
        """Whether all orders with up to so many preemptions were covered, for certain."""
        seen, covered = self.seen, self.strategy.coverage().bounded
        sound = not (seen.untracked or seen.uncontrolled or seen.asked)
        return sound and covered is not None and covered.preemptions >= bound

    def _may_be_first(self) -> bool:
        """Whether a run that precedes the failing one is still to be made."""
        return self.strategy.prune_from(self._failures()[0].seed)

    def _found(self) -> tuple[FailingExecution, ...]:
        """The failures, or only the first if only that is wanted; then the races; then suppressed failures."""
        failures, found = self._failures(), self.seen.found.values()
        races = [each for each in found if each.failure.is_race and self._counts(each)]
        others = [each for each in found if not self._counts(each)]
        return (*(failures[:1] if self.stop_at_first else failures), *races, *others)

    def _failures(self) -> list[FailingExecution]:
        """The failures in the order of their seeds, otherwise as they were found; without races and suppressed
        failures."""
        failures = [each for each in self.seen.found.values() if not each.failure.is_race and self._counts(each)]
        return sorted(failures, key=lambda each: each.seed)

    def _counts(self, found: FailingExecution) -> bool:
        return self.kept_back is None or not self.kept_back(found.failure)

    def _conclude(self, stopped: str) -> Outcome:
        complete = not stopped and self.strategy.exhaustive
        notes = [*self._notes, self.strategy.summary(), self._foreseen(), self.journal.trouble if self.journal else ""]
        verdict = self._verdict(stopped)
        if complete and isinstance(verdict, Violation) and (doubt := self.strategy.incompleteness_reason()):
            notes.append(f"{MORE_FAILURES}{doubt}")
        return Outcome(
            verdict,
            self.strategy.name,
            self.seen.executions,
            self._seconds(),
            complete,
            self._found(),
            self.restarts,
            self.seen.threads,
            self.seen.points,
            self.seen.untracked,
            self.seen.uncontrolled,
            tuple(note for note in notes if note),
            self.seen.predictions + Predictions(self.seen.further, self.seen.predicted),
            self.seen.waits,
            self.strategy.exhaustive,
            tuple(sorted(self.seen.assumed)),
            conditions=tuple(self.seen.conditions),
            asked=self.seen.asked,
            paths=self.strategy.input_paths() if self.seen.asked else None,
            reached=self.seen.reached,
            coverage=self.strategy.coverage(),
        )

    def _foreseen(self) -> str:
        """The number of reported races that were predicted."""
        seen = self.seen
        races = sum(each.failure.is_race for each in seen.found.values())
        parts = []
        if races and seen.predicted:
            runs = f"{seen.further} further execution{'s' * (seen.further != 1)}"
            parts.append(f"{seen.predicted} of {races} data races predicted from other orders, confirmed by {runs}")
        if seen.unasked:
            parts.append(f"{seen.unasked:,} pairs of accesses not asked about")
        return "; ".join(parts)

    def _verdict(self, stopped: str) -> Verdict:
        if any(map(self._counts, self.seen.found.values())):
            return Violation(self._found()[0])
        if self.seen.truncated and not self.strategy.proves_without_cut_runs():
            return Inconclusive(self.seen.truncated)
        if stopped:
            return Inconclusive(stopped)
        if not self.strategy.exhaustive:
            return Inconclusive(f"{self.strategy.name} samples, it can't cover everything")
        if self.seen.uncontrolled:
            return Inconclusive(f"not controlled: {_listed(self.seen.uncontrolled)}")
        if self.seen.untracked:
            entered = [name for name in self.seen.untracked if name.startswith(ENTERED)]
            return Inconclusive(entered[0] if entered else f"not tracked: {_listed(self.seen.untracked)}")
        if doubt := self.strategy.incompleteness_reason():
            return Inconclusive(doubt)
        if self.seen.waits.late:
            return Inconclusive(held_up(self.seen.waits))
        return Verified(f"all {scope_of(self.strategy.name)} of the program on this input")


def held_up(waits: Waits) -> str:
    """A note about a failure that does not count because of its timing."""
    return f"held up for {waits.lag:.3g} s while others sleep, a thread fails: {waits.late}"


def _listed(counts: dict[str, int]) -> str:
    names = sorted(counts, key=lambda name: (-counts[name], name))
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more
