"""From a failing run to what is told and kept of it: repeated, made simple, checked, replayed, explained, saved.

A schedule counts points, and which places are points is learnt: a failing run may itself have taught new ones. So a
failure is kept with the points known before its run, and first turned into a schedule that holds with all points that
are known after it (:func:`settle`); only that can be simplified and replayed elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from mazurka.config import Options
from mazurka.errors import MazurkaError
from mazurka.program.protocol import LASSO, Failure, FailureKind, Plan, Program, Run, learned_points
from mazurka.program.races import races_of
from mazurka.program.runtime.task import CLOCK_POINTS, END_POINTS, RELEASE_POINTS
from mazurka.replay.anchor import portable_path
from mazurka.replay.codec import to_token
from mazurka.replay.points import add_scheduling_points
from mazurka.replay.replayer import Ending, replay
from mazurka.replay.schedule import TIMING, Schedule, fingerprint, record_schedule
from mazurka.replay.shrink import failure_with, shrink
from mazurka.replay.switches import steps_until
from mazurka.report.explain import describe
from mazurka.report.finding import Finding
from mazurka.trace.event import Op
from mazurka.trace.targets import CLOCK
from mazurka.workflows.certifying import WitnessRefused, examined
from mazurka.workflows.program_spec import ProgramSpec
from mazurka.workflows.store import Store

#: How often a schedule is rewritten for points that its own run has taught.
_ROUNDS: Final = 6


@dataclass(frozen=True, slots=True)
class Failing:
    """A failure, the schedule of its run, and the points that were known before that run."""

    failure: Failure
    prefix: tuple[str, ...]
    points: frozenset[int]
    timing: float | None = None  # that of its run's plan


def fails_again(program: Program, schedule: Schedule) -> Failing | None:
    """Run a saved schedule, as far as it can still be followed, and say whether that fails."""
    add_scheduling_points(program, schedule.points)
    points = frozenset(learned_points(program).points)
    run = program.execute(Plan(schedule.prefix, strict=False, timing=schedule.timing))
    same = [failure for failure in run.failures if fingerprint(failure) == schedule.failure.fingerprint]
    failure = next(iter(same or run.failures), None)
    return Failing(failure, run.schedule(), points, schedule.timing) if failure is not None else None


@dataclass(slots=True)
class FindingBuilder:
    """Turns failures into findings, and keeps their schedules."""

    program: Program
    subject: ProgramSpec
    options: Options
    store: Store | None
    note: Callable[[str], None]
    explained: Callable[[Finding], None]  # told of each finding
    simplifies: bool = True  # otherwise no order is run but the one that failed
    notes: list[str] = field(default_factory=list)

    def findings(self, failing: list[Failing]) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
        """Those of the failures whose witnesses hold, and what is wrong with the others'."""
        found, refused = [], []
        for each in failing:
            try:
                found.append(self.finding(each))
                self.explained(found[-1])
            except WitnessRefused as error:
                refused.append(str(error))
        return tuple(found), tuple(refused)

    def finding(self, failing: Failing) -> Finding:
        """A failure, simplified, checked, replayed, explained and saved; raises :class:`WitnessRefused`."""
        failing = self._in_time(failing)
        self.program.timing = failing.timing
        try:
            return self._found(failing)
        finally:
            self.program.timing = None

    def _in_time(self, failing: Failing) -> Failing:
        """The same failure where nothing outruns threads that can move, if it happens there, too."""
        learned_points(self.program).points = set(failing.points)
        first = self.program.execute(Plan(failing.prefix, strict=False, timing=failing.timing))
        if not first.lag and failing.timing is None:
            return failing
        for timing in sorted({0.0, self.options.timing}):
            learned_points(self.program).points = set(failing.points)
            run = self.program.execute(Plan(failing.prefix, strict=False, timing=timing))
            if failure_with(run, failing.failure.identity) is not None:
                return Failing(failing.failure, run.schedule(), failing.points, timing)
        return failing

    def _found(self, failing: Failing) -> Finding:
        run, failure = self._simplest(failing)
        timing = {} if failing.timing is None else {TIMING: failing.timing}
        schedule = record_schedule(
            run,
            self.program,
            failure,
            target=self.subject.target,
            arguments=self.subject.arguments,
            strategy=self.options.strategy,
            memory_model=self.options.memory_model,
            options={**self.subject.loading, **timing},
        )
        if failure.is_race:
            self._turn_round(schedule, failure)
        witness, replayed = examined(run, failure), self._happens_again(schedule)
        token = to_token(schedule)
        path = self._save(schedule)
        command = self.subject.replay_command(path or token)
        return describe(
            run,
            failure,
            self.program,
            witness=witness,
            replayed=replayed,
            engine=self.options.strategy,
            schedule=path,
            token=token,
            replay=command,
        )

    def _turn_round(self, schedule: Schedule, failure: Failure) -> None:
        """Run a race the other way round: each of the two threads stands before its access, so either may go first."""
        known, learned_points(self.program).points = learned_points(self.program).points, set()
        try:
            add_scheduling_points(self.program, schedule.points)
            *before, first, second = schedule.prefix
            other = self.program.execute(Plan((*before, second, first)))
        finally:
            learned_points(self.program).points = known
        harmless = other.divergence is not None and other.divergence.harmless  # it would only read the same again
        shown = any(each.identity == failure.identity for each in races_of(other, self.program.location))
        if not shown and not harmless:
            raise WitnessRefused(
                "witness-refused",
                f"a data race was found ({failure.message}), but the two accesses can't change places",
                hint="this is an error in Mazurka, please report it",
            )

    def _happens_again(self, schedule: Schedule) -> bool:
        """Run the program once more, by what is kept of the failure alone, as another process would."""
        known, learned_points(self.program).points = learned_points(self.program).points, set()
        try:
            return replay(self.program, schedule).ending is Ending.REPRODUCED
        finally:
            learned_points(self.program).points = known

    def _save(self, schedule: Schedule) -> str:
        if self.store is None:
            return ""
        try:
            return portable_path(str(self.store.save(schedule)))
        except MazurkaError as error:
            self.note(f"can't save the schedule: {error}")
            return ""

    def _simplest(self, failing: Failing) -> tuple[Run, Failure]:
        """The run, made with detail, that shows the failure best."""
        identity = failing.failure.identity
        learned_points(self.program).points = set(failing.points)
        settled = settle(self.program, failing.prefix, identity)
        if (
            self.simplifies and settled is not None and LASSO not in settled
        ):  # from elsewhere there may be a way out of the loops
            shrunk = shrink(self.program, Plan(settled), identity)
            if shrunk is not None:
                return shrunk.run, shrunk.failure
        learned_points(self.program).points = set(failing.points)
        run = self.program.execute(Plan(failing.prefix, strict=False, detail=True))
        again = failure_with(run, identity)
        if again is not None:
            return run, again
        if failing.failure.kind is not FailureKind.NONDETERMINISM:
            self.notes.append(
                "the failure did not happen again under the same schedule: the program is not deterministic"
            )
        return run, failing.failure


def settle(program: Program, prefix: tuple[str, ...], identity: tuple[str, ...]) -> tuple[str, ...] | None:
    """The same schedule in terms of all points that following it teaches; None if it does not lead to the failure."""
    for _ in range(_ROUNDS):
        run = program.execute(Plan(prefix, strict=True))
        failure = failure_with(run, identity)
        if failure is None:
            return None
        if not run.found_new_points:
            return prefix
        prefix = _prefix_with(run, steps_until(run, failure), learned_points(program).points)
    return None


def _prefix_with(run: Run, end: int, points: set[int]) -> tuple[str, ...]:
    """Who moved at each step that is a point, or will be one the next time."""
    return tuple(
        run.tasks[step.task]
        for step in run.log[:end]
        if step.point
        or step.site in points
        or (step.op is Op.RELEASE and RELEASE_POINTS in points)
        or (step.op is Op.END and END_POINTS in points)
        or (step.target == CLOCK and CLOCK_POINTS in points)
    )
