"""One check from the first run to the report: saved failures again, then the search, then the report.

The command line and the pytest plugin differ in the origin of the program and in the observer; the steps in between are
in this module.

1. Failures saved by earlier checks of the same target are tried first: mostly one still occurs, which a single run
   shows.
2. The strategy searches; its records are kept in the store, so that a search killed at any moment can be resumed.
3. Each distinct failure is simplified, checked, replayed, explained and saved; a schedule that can't be saved is shown
   as a token only. A failure whose witness the checker rejects is no finding: it is reported as an error in Mazurka
   itself.

Invariant: only the search runs the program while there is a search, since every run may add points to the program,
which the search has to know.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sys
import time
from dataclasses import field, replace
from pathlib import Path
from typing import Final, Protocol, assert_never

from mazurka import __version__
from mazurka.config import Options
from mazurka.errors import MazurkaError
from mazurka.explore.batch import Worker
from mazurka.explore.explorer import Budget, Explorer, Progress
from mazurka.explore.outcome import FailingExecution, Inconclusive, Outcome, Verified, Violation
from mazurka.explore.parallel.worker_pool import CAN_FORK, ForkPool, WorkerPool, usable_cores
from mazurka.explore.registry import STRATEGIES, import_strategy, make_strategy
from mazurka.explore.search_journal import SearchJournal, open_journal
from mazurka.explore.strategy import StrategySettings
from mazurka.lazy_dataclass import dataclass
from mazurka.program.memory import MemoryModel
from mazurka.program.protocol import TIMEOUTS, FailureKind, Plan, Program, Run, learned_points
from mazurka.program.runtime.task import CALLS_AS_STEPS, CLOCKS_APART
from mazurka.program.source_analysis import SourceAnalysis
from mazurka.properties.reached import Reached, all_joined
from mazurka.replay.anchor import portable_path
from mazurka.replay.replayer import with_inputs
from mazurka.replay.reproduce import fails_again
from mazurka.report.check_report import CheckReport, CoveredScope, Verdict
from mazurka.report.exploration_tree import exploration_tree
from mazurka.report.finding import Finding
from mazurka.report.search_history import SearchRecorder, SearchSample
from mazurka.report.words import verb
from mazurka.symbolic.input_classes import Z3InputSolver
from mazurka.trace.event import Location
from mazurka.trace.ids import SiteNumber
from mazurka.workflows import clocks
from mazurka.workflows.advice import advice_on
from mazurka.workflows.covering import coverage_of
from mazurka.workflows.findings import FindingBuilder
from mazurka.workflows.inputs import covering_all, undecided, with_more_inputs
from mazurka.workflows.program_spec import ProgramSpec, properties_of
from mazurka.workflows.store import Store
from mazurka.workflows.suppressing import Suppressions, suppressions_of
from mazurka.workflows.timing import (
    ORDERED,
    TIMED,
    is_half_spent,
    is_wanted,
    joined,
    none_fires_early,
    ordered,
    seconds_for,
)

#: Seconds after which a check uses more than one process, unless their number is set.
_ALONE: Final = 1.0


class CheckObserver(Protocol):
    """The caller of a check, which is informed of its progress."""

    def interrupted(self) -> bool:
        """Whether to stop now."""
        ...

    def progress(self, executions: int, found: int, total: float | None, deciding: bool) -> None:
        """Called now and then; ``total`` is the estimate for the whole search, ``deciding``: most of the time is spent
        on deciding which executions are possible."""
        ...

    def sampled(self, sample: SearchSample, deciding: bool) -> None:
        """The same, with all that is known about the search."""
        ...

    def note(self, text: str) -> None:
        """A remark that should be shown at once."""
        ...

    def found(self, failing: FailingExecution) -> None:
        """Called with each failure when it is met, whether or not it is suppressed."""
        ...

    def searched(self, number: int) -> None:
        """Called when the search is over and ``number`` failures are about to be explained."""
        ...

    def explained(self, finding: Finding) -> None:
        """Called with each failure once it is explained."""
        ...


class NullObserver:
    """An observer without effect."""

    def interrupted(self) -> bool:
        return False

    def progress(self, executions: int, found: int, total: float | None, deciding: bool) -> None:
        return

    def sampled(self, sample: SearchSample, deciding: bool) -> None:
        return

    def note(self, text: str) -> None:
        return

    def found(self, failing: FailingExecution) -> None:
        return

    def searched(self, number: int) -> None:
        return

    def explained(self, finding: Finding) -> None:
        return


def check(
    program: Program,
    subject: ProgramSpec,
    options: Options,
    *,
    store: Store | None = None,
    resumable: bool = True,
    watcher: CheckObserver | None = None,
    pool: WorkerPool | None = None,
    started: float | None = None,
    simplifies: bool = True,
) -> CheckReport:
    """Check a program and report; ``resumable`` keeps an unfinished search in the store, ``pool`` does the work of the
    search instead of processes of this machine. The time limit counts from ``started`` (of `perf_counter`) on.
    ``simplifies``: failures are explained by simpler orders than those that were met first."""
    since = time.perf_counter() if started is None else started
    watcher = watcher or NullObserver()
    return _Check(program, subject, options, store, resumable, watcher, pool, since, simplifies=simplifies).run()


def explain(
    program: Program,
    subject: ProgramSpec,
    options: Options,
    failing: list[FailingExecution],
    *,
    store: Store | None = None,
    watcher: CheckObserver | None = None,
) -> None:
    """Explain failures that another process has met, which ended before it could explain them. Only the orders in which
    it met them are executed, since another one may have ended it. The ``watcher`` is informed of each."""
    watcher = watcher or NullObserver()
    program.prepare()
    note, explained, engine = watcher.note, watcher.explained, options.strategy
    FindingBuilder(program, subject, options, store, note, explained, engine, simplifies=False).findings(failing)


@dataclass(slots=True)
class _Check:
    """A check in progress."""

    program: Program
    subject: ProgramSpec
    options: Options
    store: Store | None
    resumable: bool
    watcher: CheckObserver
    pool: WorkerPool | None
    started: float
    retried: int = 0
    known: list[FailingExecution] = field(default_factory=list)  # saved failures that still occur
    made: int = 0  # executions of earlier searches, which count, too
    by_classes: bool = False  # whether unknown inputs are searched by classes, whatever the strategy
    gone: list[Path] = field(default_factory=list)  # saved failures that no longer occur
    suppressions: Suppressions = field(init=False)
    recorder: SearchRecorder = field(default_factory=SearchRecorder)
    simplifies: bool = True  # whether failures are explained by simpler orders

    def run(self) -> CheckReport:
        self.recorder.begins("preparation")
        self.suppressions = suppressions_of(self.options)
        import_strategy(self.options.strategy)
        if STRATEGIES[self.options.strategy].calls:
            learned_points(self.program).points.add(CALLS_AS_STEPS)
        self.program.prepare()
        self.program.require_included(self.options.include)
        if self.store is not None and not self.options.fresh:
            self.recorder.begins("saved failures")
            self._retry(self.store)
        if (first := next(filter(self._is_enough, self.known), None)) is not None:
            return self._report(self._retried(first), self.known)
        outcome = self._look_at_inputs(self._look_everywhere(self._journal()))
        seen = {each.failure.identity for each in self.known}
        new = [found for found in outcome.found if found.failure.identity not in seen]
        return self._report(outcome, [*self.known, *new])

    # -- saved failures -----------------------------------------------------------------------------------------------

    def _retry(self, store: Store) -> None:
        """Try the saved failures of this target; the first that still occurs may be enough."""
        for path, schedule in store.saved():
            if isinstance(schedule, MazurkaError):
                self.watcher.note(f"skipping a saved failure: {schedule}")
                continue
            if (schedule.target, schedule.arguments) != (self.subject.target, self.subject.arguments):
                continue
            if (schedule.timing or 0.0) > self.options.timing:
                continue
            if schedule.failure.kind == FailureKind.RACE.value and not self.options.races:
                continue
            if "leaks" in schedule.options and not self.options.leaks:
                continue
            self.retried += 1
            again = fails_again(self.program, schedule, self.options.timing)
            if again is None:
                self.gone.append(path)
                continue
            self.known.append(again)
            self.watcher.found(again)
            if self._is_enough(again):
                return

    def _is_enough(self, failing: FailingExecution) -> bool:
        """Whether no search is needed after this saved failure."""
        failure = failing.failure
        return not (failure.is_race or self.options.all_failures or self.suppressions.keeps_back(failure))

    def _retried(self, first: FailingExecution) -> Outcome:
        """The outcome if a saved failure was enough."""
        return Outcome(Violation(first), self.options.strategy, self.retried, 0.0, complete=False)

    # -- unknown inputs -----------------------------------------------------------------------------------------------

    def _look_at_inputs(self, before: Outcome) -> Outcome:
        """Search with other values of unknown inputs, too, until all are covered."""
        if before.paths is not None:
            return covering_all(before, before.paths, "path", "paths") if before.complete else _on_paths(before)
        if not before.conditions:
            return covering_all(before, 1) if before.asked and before.complete else before
        try:
            solver = Z3InputSolver()
        except MazurkaError as error:
            return undecided(before, f"{error.what} ({error.hint})", 1)
        outcome, classes, conditions = before, 1, before.conditions
        while self._wants_more_inputs(outcome):
            solver.exclude(conditions)
            try:
                inputs = solver.next_inputs(self._left())
            except TimeoutError:
                return undecided(outcome, f"the time limit of {self.options.time_limit:g} s was reached", classes)
            if inputs is None:
                return covering_all(outcome, classes)
            self.made = outcome.executions
            with with_inputs(self.program, inputs):
                after = self._look_everywhere(None)
            outcome, conditions, classes = with_more_inputs(outcome, after), after.conditions, classes + 1
        return replace(outcome, inputs=classes)

    def _wants_more_inputs(self, outcome: Outcome) -> bool:
        """Whether a search with further inputs is wanted, and there is time for it."""
        if isinstance(outcome.verdict, Violation) and not self.options.all_failures:
            return False
        return outcome.complete and not self.watcher.interrupted()

    # -- the search ---------------------------------------------------------------------------------------------------

    def _look_everywhere(self, journal: SearchJournal | None) -> Outcome:
        """Search with the present inputs, or with all of them, if the strategy does and nothing else follows."""
        self.recorder.begins("search")
        searched = self._search(journal)
        if self._takes_paths_first() and not searched.complete:
            return searched
        if searched.paths is not None and self._has_more_to_search(searched):
            self.by_classes, self.made = True, self.made + searched.executions
            return self._after(searched, self._look_everywhere(None))
        searched = self._leave_clocks(searched)
        self.recorder.begins("timing")
        return self._look_at_timing(searched)

    def _takes_paths_first(self) -> bool:
        """Whether the search takes paths of inputs before orders. It may have all the time: a search after it would
        take these paths again."""
        return self.options.search_order == "paths"

    def _has_more_to_search(self, outcome: Outcome) -> bool:
        """Whether other searches would follow this one, or the one by classes may decide more: the names of objects may
        depend on inputs."""
        if outcome.complete and isinstance(outcome.verdict, Inconclusive):
            return not (outcome.untracked or outcome.uncontrolled)
        timed = is_wanted(outcome, self.options.timing, self.options.all_failures)
        return timed or self._is_undone(outcome) and clocks.is_wanted(learned_points(self.program).points)

    @staticmethod
    def _after(before: Outcome, after: Outcome) -> Outcome:
        """The result of a search that was begun again."""
        known = {each.failure.identity for each in after.found}
        return replace(
            after,
            executions=before.executions + after.executions,
            seconds=before.seconds + after.seconds,
            found=(*after.found, *[each for each in before.found if each.failure.identity not in known]),
            reached=all_joined(before.reached, after.reached),
        )

    def _settings(self) -> StrategySettings:
        options = self.options
        return StrategySettings(
            options.seed,
            options.solver,
            self.program.facts().judged_from_outside,
            search_order=options.search_order,
            branches=not self.by_classes,
            cutoffs=options.cutoffs,
            memory=options.max_memory,
            bound=options.require,
        )

    def _search(self, journal: SearchJournal | None) -> Outcome:
        program = _Interruptible(self.program, self.watcher)
        limit = self.options.time_limit

        def half_spent() -> bool:
            if self._takes_paths_first():
                return False
            seconds, seen = time.perf_counter() - self.started, explorer.seen
            doubts = bool(seen.untracked or seen.uncontrolled) or not explorer.strategy.exhaustive
            points = learned_points(self.program).points
            leaves = clocks.leaves_rest(points, doubts, seconds, limit, seen.executions, program.last)
            return leaves or is_half_spent(seen.waits, seconds, limit, TIMEOUTS in seen.uncontrolled)

        explorer = Explorer(
            program,
            self.options.strategy,
            settings=self._settings(),
            budget=Budget(self._executions_left(0), self._left(), limit, self.options.max_executions),
            stop_at_first=not self.options.all_failures,
            journal=journal,
            interrupted=lambda: self.watcher.interrupted() or half_spent(),
            learned=learned_points(self.program).points,
            pool=self.pool or self._processes(program, journal),
            races=self.options.races,
            timing=self.options.timing,
            kept_back=self.suppressions.keeps_back,
            alone=_ALONE if self.pool is None and self.options.jobs == "auto" else 0.0,
        )
        points = set(learned_points(self.program).points)
        for progress in explorer.progress():
            if len(points) != len(learned_points(self.program).points):
                points = set(learned_points(self.program).points)
                if journal is not None:
                    _remember_points(journal, points)
            explorer.seen.untracked.update(dict.fromkeys(self.program.facts().untracked, 1))
            for each in progress.new:
                self.watcher.found(each)
            self._goes_on(progress, progress.estimate.total)
        outcome = explorer.outcome
        assert outcome is not None
        self.recorder.tree = exploration_tree(explorer.paths, explorer.has_all_paths(), verb, self._place)
        if outcome.verdict == Inconclusive("interrupted") and not self.watcher.interrupted():
            outcome = replace(outcome, verdict=Inconclusive(f"the time limit of {limit:g} s was reached"))
        return outcome

    def _leave_clocks(self, before: Outcome) -> Outcome:
        """If that search has not ended, search without the orders in which threads look at the clock."""
        points, left = learned_points(self.program).points, self._left()
        undone = self._is_undone(before)
        more = self._executions_left(before.executions)
        out_of = left is None or left <= 0 or (more is not None and more <= 0) or self.watcher.interrupted()
        if not undone or out_of or before.untracked or before.uncontrolled or not clocks.is_wanted(points):
            return before
        points.add(CLOCKS_APART)
        program = _Interruptible(self.program, self.watcher)
        explorer = Explorer(
            program,
            self.options.strategy,
            settings=replace(self._settings(), late=True),
            budget=Budget(more, left, self.options.time_limit, self.options.max_executions),
            stop_at_first=not self.options.all_failures,
            interrupted=self.watcher.interrupted,
            learned=points,
            pool=None if self.pool else self._processes(program, None),
            timing=self.options.timing,
            kept_back=self.suppressions.keeps_back,
            alone=_ALONE if self.options.jobs == "auto" else 0.0,
        )
        for progress in explorer.progress():
            for each in progress.new:
                self.watcher.found(each)
            self._goes_on(progress, None, before.executions)
        assert explorer.outcome is not None
        return clocks.joined(before, explorer.outcome)

    @staticmethod
    def _is_undone(outcome: Outcome) -> bool:
        return isinstance(outcome.verdict, Inconclusive) and outcome.exhaustive and not outcome.complete

    def _goes_on(self, progress: Progress, total: float | None, before: int = 0) -> None:
        """Report and record the progress of a search, which ``before`` executions of others preceded."""
        done, found = before + progress.executions, progress.found + len(self.known)
        self.watcher.progress(done, found, total, progress.deciding)
        known = sum(point > 0 for point in learned_points(self.program).points)
        sample = self.recorder.sample(done, known, found, total, progress.estimate.waiting)
        self.watcher.sampled(sample, progress.deciding)

    def _place(self, site: SiteNumber) -> str:
        location = self.program.location(site)
        return "" if location is None else f"{portable_path(location.file)}:{location.line}"

    def _executions_left(self, done: int) -> int | None:
        """How many executions are left of the limit; ``done``: those of the present search so far."""
        most = self.options.max_executions
        return None if most is None else most - self.made - done

    def _left(self) -> float | None:
        """Seconds that are left of the time limit."""
        limit = self.options.time_limit
        return None if limit is None else limit - (time.perf_counter() - self.started)

    def _look_at_timing(self, before: Outcome) -> Outcome:
        """Search also the orders in which sleeps and timeouts outrun enabled threads."""
        timing, options = self.options.timing, self.options
        left = self._left()
        more = self._executions_left(before.executions)
        out_of = (left is not None and left <= 0) or (more is not None and more <= 0) or self.watcher.interrupted()
        if out_of or not is_wanted(before, timing, options.all_failures):
            return joined(before, None, timing)
        if none_fires_early(before.waits, timing):
            outcome = self._order_timeouts(before, more, left)
            if outcome is not None:
                return outcome
            left = self._left()
        seconds = seconds_for(before, left)
        self.program.timing = timing
        try:
            for strategy in TIMED:
                budget = Budget(self._executions_left(before.executions), seconds)
                explorer = self._explorer_in_time(strategy, budget)
                for progress in explorer.progress():
                    for each in progress.new:
                        self.watcher.found(replace(each, timing=timing))
                    self._goes_on(progress, None, before.executions)
                assert explorer.outcome is not None
                self.made += explorer.outcome.executions
                if not explorer.strategy.incompleteness_reason() or self._executions_left(before.executions) == 0:
                    break
        finally:
            self.program.timing = None
        assert explorer.outcome is not None
        found = tuple([replace(each, timing=timing) for each in explorer.outcome.found])
        return joined(before, replace(explorer.outcome, found=found), timing)

    def _order_timeouts(self, before: Outcome, more: int | None, left: float | None) -> Outcome | None:
        """Search the orders in which timeouts fire only when no thread can move; None if that decides nothing."""
        explorer = Explorer(
            _Interruptible(self.program, self.watcher),
            ORDERED,
            settings=StrategySettings(ordered=True),
            budget=Budget(more, None if left is None else left / 2),
            stop_at_first=not self.options.all_failures,
            interrupted=self.watcher.interrupted,
            learned=learned_points(self.program).points,
            kept_back=self.suppressions.keeps_back,
        )
        for progress in explorer.progress():
            for each in progress.new:
                self.watcher.found(each)
            self._goes_on(progress, None, before.executions)
        assert explorer.outcome is not None
        self.made += explorer.outcome.executions
        return ordered(before, explorer.outcome, self.options.timing)

    def _explorer_in_time(self, strategy: str, budget: Budget) -> Explorer:
        return Explorer(
            _Interruptible(self.program, self.watcher),
            strategy,
            settings=StrategySettings(timed=True),
            budget=budget,
            stop_at_first=not self.options.all_failures,
            interrupted=self.watcher.interrupted,
            learned=learned_points(self.program).points,
            kept_back=self.suppressions.keeps_back,
        )

    def _processes(self, program: _Interruptible, journal: SearchJournal | None) -> WorkerPool | None:
        """The pool of processes that make runs; None: only this process does."""
        jobs = self.options.jobs
        size = jobs if isinstance(jobs, int) else usable_cores()
        if size == 1 or not CAN_FORK or not self.program.facts().forkable:
            return None
        leave = journal.leave if journal is not None else lambda: None
        return ForkPool(Worker(program, learned_points(self.program).points), size, leave)

    def _journal(self) -> SearchJournal | None:
        """The journal of the search; None, with a note, if it can't be kept."""
        if self.store is None or not self.resumable:
            return None
        key = search_key(self.program, self.subject, self.options)
        try:
            journal = self._open(key)
            if self.options.fresh or not self._take_up(journal):
                journal.close(finished=True)
                journal = self._open(key)
        except OSError as error:
            reason = error.strerror or error
            self.watcher.note(f"can't save the search in {self.store.searches}: {reason}; going on without saving")
            return None
        except MazurkaError as error:
            if error.slug != "search-in-use":
                raise
            self.watcher.note("another check of this program is running here; going on without saving this search")
            return None
        _remember_points(journal, learned_points(self.program).points)
        return journal

    def _open(self, key: str) -> SearchJournal:
        assert self.store is not None
        try:
            return open_journal(self.store.searches, key, self.options.strategy)
        except MazurkaError as error:
            if error.slug != "search-damaged" or not self.options.fresh:
                raise
            Path(error.where).unlink(missing_ok=True)
            return open_journal(self.store.searches, key, self.options.strategy)

    def _take_up(self, journal: SearchJournal) -> bool:
        """Resume an earlier search, unless the program has points now that the search did not know."""
        known = learned_points(self.program).points
        remembered = set(json.loads(journal.get_meta("points") or "[]"))
        if not known <= remembered:
            return journal.executions == 0
        known |= remembered
        if journal.executions:
            self.watcher.note(f"resuming: {journal.executions:,} executions done")
        return True

    # -- the report ---------------------------------------------------------------------------------------------------

    def _report(self, outcome: Outcome, failing: list[FailingExecution]) -> CheckReport:
        self.recorder.begins("explaining")
        note, explained = self.watcher.note, self.watcher.explained
        builder = FindingBuilder(
            self.program,
            self.subject,
            self.options,
            self.store,
            note,
            explained,
            outcome.strategy,
            simplifies=self.simplifies,
        )
        reported = [each for each in failing if not self.suppressions.keeps_back(each.failure)]
        suppressed = tuple([self.suppressions.suppressed(each.failure) for each in failing if each not in reported])
        self.watcher.searched(len(reported))
        findings, refused = builder.findings(reported)
        assumed = (outcome.assuming, outcome.early, *outcome.assumed, self.program.facts().assumption)
        assuming = " and ".join(filter(None, assumed))
        verdict, reason = _verdict(replace(outcome, assuming=assuming), findings, refused, self.options.memory_model)
        if verdict is Verdict.VERIFIED and suppressed:
            verdict = Verdict.INCONCLUSIVE
            number = len(suppressed)
            reason = f"{number} failure{'s are' if number > 1 else ' is'} suppressed; otherwise {reason}"
        if verdict is Verdict.VERIFIED and (doubt := self._doubt_of_properties(outcome)):
            verdict, reason = Verdict.INCONCLUSIVE, doubt
        if verdict is Verdict.VERIFIED and outcome.threads <= 1:
            meant = self.program.without_threads()
            if meant is not None:
                verdict = Verdict.INCONCLUSIVE
                reason = f"no threads were started: {meant or 'there is nothing to explore'}"
        if verdict is Verdict.VERIFIED and self.store is not None:
            self.store.forget(self.gone)
        unused = self._settle_suppressions(outcome)
        sites = sum(point > 0 for point in learned_points(self.program).points)
        coverage = coverage_of(outcome, self._place)
        inconclusive = verdict is Verdict.INCONCLUSIVE and not refused
        return CheckReport(
            target=" ".join((self.subject.target, *self.subject.arguments)),
            verdict=verdict,
            reason=reason,
            strategy=outcome.strategy,
            memory_model=self.options.memory_model,
            executions=outcome.executions,
            seconds=time.perf_counter() - self.started,
            complete=outcome.complete,
            scope=CoveredScope(
                outcome.threads, outcome.points, sites, self.options.memory_model, _time(outcome), outcome.inputs
            ),
            untracked=outcome.untracked,
            uncontrolled=outcome.uncontrolled,
            findings=findings,
            notes=(
                *self._notes(),
                *builder.notes,
                *outcome.notes,
                *self.suppressions.problems,
                *self._reached_of_properties(outcome),
            ),
            predictions=outcome.predictions,
            inconsistencies=refused,
            assuming=assuming if verdict is Verdict.VERIFIED else "",
            suppressed=suppressed,
            unused=unused,
            history=self.recorder.history(),
            coverage=coverage,
            advice=advice_on(outcome, coverage, self.subject, self.options) if inconclusive else "",
        )

    def _doubt_of_properties(self, outcome: Outcome) -> str:
        """Why some property of the user's was not violated whatever the program does; "" if there is none."""
        if not self.options.properties:
            return ""
        from mazurka.properties.measuring import doubt
        from mazurka.properties.registry import own

        doubts = (
            doubt(each, outcome.reached.get(each.name, Reached()), self._place)
            for each in own(properties_of(self.options))
        )
        return next(filter(None, doubts), "")

    def _reached_of_properties(self, outcome: Outcome) -> list[str]:
        """How far executions got with each property that they did not violate."""
        if not self.options.properties:
            return []
        from mazurka.properties.measuring import summaries

        violated = {each.failure.rule for each in outcome.found}
        stated = [each for each in properties_of(self.options) if each.name not in violated]
        return summaries(stated, outcome.reached, self._place)

    def _settle_suppressions(self, outcome: Outcome) -> tuple[str, ...]:
        """Write the baseline, if requested; returns the rules that suppressed no failure."""
        target = self.subject.target
        if self.options.write_baseline:
            self.suppressions.write(target, outcome.complete)
        if not outcome.complete:
            return ()
        files = [*(file for _, file in self.program.facts().sources), target.partition("::")[0]]
        gone = [] if self.options.write_baseline else self.suppressions.gone(target)
        return (*self.suppressions.unused(files, self.options.races), *gone)

    def _notes(self) -> list[str]:
        notes = []
        asked = self.pool is not None or self.options.jobs not in (1, "auto")
        if asked and not make_strategy(self.options.strategy).divisible:
            notes.append(f"{self.options.strategy} makes all executions in one process")
        return [*notes, *self.program.facts().notes]


def _on_paths(outcome: Outcome) -> Outcome:
    """The result of a search of all inputs that has not come to its end."""
    return replace(outcome, inputs=outcome.paths or 0)


def _time(outcome: Outcome) -> str:
    """The assumption of a verdict about time, if it is not the usual one."""
    return outcome.early or ("" if outcome.timely else "timeouts may fire, and sleeps end, at any time")


def _verdict(
    outcome: Outcome, findings: tuple[Finding, ...], refused: tuple[str, ...], model: str
) -> tuple[Verdict, str]:
    if findings:
        return Verdict.VIOLATION, ""
    if refused and outcome.uncontrolled:  # which may differ in each execution
        several = ", ".join(sorted(outcome.uncontrolled)[:3])
        return Verdict.INCONCLUSIVE, f"not repeatable, as the program uses {several}"
    if refused:
        return Verdict.INCONCLUSIVE, "internal error: the witness of a failure was rejected"
    match outcome.verdict:
        case Verified(scope):
            assuming = f", assuming that {outcome.assuming}" if outcome.assuming else ""
            return Verdict.VERIFIED, f"{scope}, under {MemoryModel(model).words}{assuming}"
        case Inconclusive(reason):
            return Verdict.INCONCLUSIVE, reason
        case Violation(first):
            return Verdict.VIOLATION, first.failure.message
        case never:
            assert_never(never)


def _remember_points(journal: SearchJournal, points: set[int]) -> None:
    """Keep the points with the saved search, which is invalid with others."""
    journal.set_meta("points", json.dumps(sorted(points)))


def search_key(program: Program, subject: ProgramSpec, options: Options) -> str:
    """The identity of a saved search: every tracked module's source, and all settings that affect executions."""
    digest = hashlib.sha256()
    facts = program.facts()
    for name, file in sorted(facts.sources):
        with contextlib.suppress(OSError):
            digest.update(f"{name}\0".encode() + Path(file).read_bytes())
    decided = (
        __version__,
        sys.version,
        program.identity(),
        facts.isolation,
        subject.target,
        subject.arguments,
        sorted(subject.loading.items()),
        options.memory_model,
        options.seed,
        options.all_failures,
        options.races,
        options.timing,
        options.search_order,
        options.cutoffs,
        options.ignore,
        options.baseline is None,
        *map(repr, properties_of(options)),
    )
    digest.update(repr(decided).encode())
    return digest.hexdigest()


@dataclass(slots=True)
class _Interruptible(Program):
    """The program; but an execution that the observer cuts short counts as not made. The ``last`` one is kept."""

    program: Program
    watcher: CheckObserver
    last: Run | None = None

    def execute(self, plan: Plan) -> Run:
        run = self.last = self.program.execute(plan)
        if run.truncated and self.watcher.interrupted():
            raise KeyboardInterrupt
        return run

    def location(self, site: SiteNumber) -> Location | None:
        return self.program.location(site)

    def identity(self) -> str:
        return self.program.identity()

    def analysis(self) -> SourceAnalysis:
        return self.program.analysis()

    def close(self) -> None:
        self.program.close()
