"""A batch: several runs in one go, in any process. Between batches the search exchanges results and checks its limits.

A batch ends when its time or its number of runs is used up, when its strategy has nothing to run (yet), at a run with a
new failure, and at a run that found new points (met a shared location at a site not known to need points). So all its
runs but the last were made with the points known at its beginning.

Cost: a microsecond or two a run, beside the program and the strategy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from time import perf_counter  # by name: the module's attributes are a program's virtual clock while it is checked

from mazurka.explore.explored_paths import ExploredPath, path_of
from mazurka.explore.outcome import FailingExecution, Waits
from mazurka.explore.race_confirmer import RaceConfirmer
from mazurka.explore.registry import make_strategy
from mazurka.explore.statistics import Postcondition, Statistics
from mazurka.explore.strategy import JournalRecord, Strategy, StrategySettings
from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import Failure, Plan, Program, Run

#: For each known failure, by its identity, the least seed that leads to it.
Known = Mapping[tuple[str, ...], int]


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """The limits of a batch, and the failures that are new to it: failures that are not known, or known only from a
    later seed (which another worker has executed earlier)."""

    seconds: float
    executions: int | None = None  # the most executions
    known: Known = field(default_factory=dict)
    only_first: bool = False  # only the first failure of a run counts, besides its races
    races: bool = False  # whether data races are predicted from runs, and made to happen
    timing: float = float("inf")  # a failure counts only if no enabled thread is held up longer than this, in seconds
    paths: int = 0  # of how many executions the path is kept


@dataclass(slots=True)
class Batch:
    """The result of a batch. ``found_new_points``: its last run met new points; an exhaustive strategy has not observed
    that run. ``undecided``: its strategy has not decided the next execution yet. Of its ``seconds`` the part
    ``running`` was spent executing the program, the rest on the strategy's decisions."""

    statistics: Statistics = field(default_factory=Statistics)
    found_new_points: bool = False
    undecided: bool = False
    seconds: float = 0.0
    running: float = 0.0
    paths: list[ExploredPath] = field(default_factory=list)


def work(program: Program, strategy: Strategy, terms: BatchLimits, postcondition: Postcondition | None = None) -> Batch:
    """Execute the seeds of a strategy, and let it learn from the runs."""
    batch = Batch()
    seen = batch.statistics
    started = perf_counter()
    end = started + terms.seconds
    limit = terms.executions
    execute, look = program.execute, seen.look
    next_seed, observe = strategy.next_seed, strategy.observe
    advance = strategy.advance if strategy.needs_advance else None
    before = strategy.predictions()
    while limit is None or seen.executions < limit:
        if advance is not None and not advance(end - perf_counter()):
            batch.undecided = True
            break
        seed = next_seed()
        if seed is None:
            break
        begun = perf_counter()
        run = execute(seed.plan)
        batch.running += perf_counter() - begun
        seen.executions += 1
        failures = look(run, postcondition)
        rank = 0 if strategy.exhaustive else seed.number
        if failures and run.lag > terms.timing:
            if not run.found_new_points:  # otherwise the search begins again, and the strategy observes it then
                _add_in_time(program, batch, run, failures, terms, rank)
        elif failures:
            _add_unknown(batch, run, failures, terms, rank)
        if run.found_new_points:
            batch.found_new_points = True
        if not (run.found_new_points and strategy.exhaustive):
            observe(seed, run)
        if len(batch.paths) < terms.paths:
            batch.paths.append(path_of(run, strategy.sleep_sets()))
        if terms.races and not batch.found_new_points:
            _look_ahead(program, batch, run, terms, rank, postcondition)
        if seen.found or batch.found_new_points or perf_counter() >= end:
            break
    seen.predictions += strategy.predictions() - before
    batch.seconds = perf_counter() - started
    return batch


def _add_in_time(
    program: Program, batch: Batch, run: Run, failures: list[Failure], terms: BatchLimits, rank: int
) -> None:
    """Keep the failures of a run that also happen if sleeping threads do not outrun others by as much as in the run."""
    again = program.execute(Plan(run.schedule(), strict=False, timing=terms.timing, inputs=run.inputs))
    wanted = {each.identity for each in failures}
    found = [each for each in again.failures if each.identity in wanted]
    batch.found_new_points = batch.found_new_points or again.found_new_points
    if found and not again.truncated:
        _add_unknown(batch, again, found, terms, rank, terms.timing)
    else:
        batch.statistics.waits += Waits(lag=run.lag, late=failures[0].message)


def _add_unknown(
    batch: Batch, run: Run, failures: list[Failure], terms: BatchLimits, rank: int, timing: float | None = None
) -> None:
    """Keep the new failures of a run that was made with this timing."""
    seen, schedule = batch.statistics, run.schedule()
    unknown = {each.identity: each for each in failures if rank < terms.known.get(each.identity, rank + 1)}
    firsts = list(unknown.values())
    if terms.only_first:
        firsts = [each for each in firsts if each.is_race] + [each for each in firsts if not each.is_race][:1]
    seen.found.update(
        (each.identity, FailingExecution(each, schedule, seen.executions, rank, timing=timing, inputs=run.inputs))
        for each in firsts
    )


def _look_ahead(
    program: Program, batch: Batch, run: Run, terms: BatchLimits, rank: int, postcondition: Postcondition | None
) -> None:
    """Execute the races that a run implies."""
    seen = batch.statistics
    confirmer = RaceConfirmer(program, {*terms.known, *seen.found})
    for confirming, confirmed in confirmer.confirm(run):
        seen.further += 1
        seen.predicted += confirmed
        _add_unknown(batch, confirming, seen.look(confirming, postcondition), terms, rank)
        if confirming.found_new_points:
            batch.found_new_points = True
            break
    seen.unasked += confirmer.unasked


def again(program: Program, schedule: tuple[str, ...], postcondition: Postcondition | None = None) -> Batch:
    """Execute a schedule that has failed before once more; this does not count as a new execution."""
    batch = Batch()
    run = program.execute(Plan(schedule))
    batch.found_new_points = run.found_new_points
    found = batch.statistics.found
    for failure in batch.statistics.look(run, postcondition):
        found.setdefault(failure.identity, FailingExecution(failure, run.schedule(), 0, inputs=run.inputs))
    return batch


@dataclass(frozen=True, slots=True)
class WorkItem:
    """A batch for another process: a strategy of this name and these settings restores ``records`` there, and runs."""

    strategy: str
    settings: StrategySettings
    records: list[JournalRecord]
    terms: BatchLimits
    points: frozenset[int]  # sites known to need points
    owner: Strategy | None = None  # if it is in the same process


@dataclass(frozen=True, slots=True)
class WorkResult:
    """The result of a work item: the batch, the strategy's records, and the new points."""

    batch: Batch
    records: list[JournalRecord]
    points: frozenset[int]  # the new ones


@dataclass(frozen=True, slots=True)
class Worker:
    """Carries out work items with a prepared program; ``points`` are the sites known to need points, to which runs
    add."""

    program: Program
    points: set[int]
    postcondition: Postcondition | None = None

    def __call__(self, item: WorkItem) -> WorkResult:
        self.points.update(item.points)
        strategy = make_strategy(item.strategy, item.settings, self.program.analysis())
        strategy.restore(item.records)
        if item.owner is not None:
            strategy.share_state(item.owner)
        batch = work(self.program, strategy, item.terms, self.postcondition)
        return WorkResult(batch, strategy.records(), frozenset(self.points - item.points))
