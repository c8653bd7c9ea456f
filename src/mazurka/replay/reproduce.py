"""From a failure that a search has met to the execution that shows it best, and further executions that confirm it.

A schedule counts points, and which places are points is learnt: a failing execution may itself have taught new ones. So
a failure is met with the points known before its execution, and is first turned into a schedule that holds with all
points that are known after it (:func:`settled`); only that can be simplified (shrink.py), and replayed elsewhere.

The points that a program has learnt change with each execution here; a search that goes on afterwards restores those
known then. :func:`happens_again` and :func:`changes_places` leave it as it was.

Cost: two to nine executions besides those of shrinking.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from mazurka.explore.outcome import FailingExecution
from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import LASSO, Failure, Plan, Program, Run, learned_points
from mazurka.replay.points import add_scheduling_points
from mazurka.replay.replayer import Ending, replay, with_inputs
from mazurka.replay.schedule import Schedule, fingerprint
from mazurka.replay.shrink import failure_with, prefix_again, shrink
from mazurka.replay.switches import steps_until

#: How often a schedule is rewritten for points that its own run has taught.
_ROUNDS: Final = 6


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A failing run, made with detail. ``happened``: it failed again as it did when the failure was met; else the run
    is one by the same schedule that did not fail so, and the failure the one that was met."""

    run: Run
    failure: Failure
    happened: bool = True


def fails_again(program: Program, schedule: Schedule, longest: float) -> FailingExecution | None:
    """Run a saved schedule, as far as it can still be followed, and return the execution if it fails while threads that
    can move are held up for ``longest`` seconds at most."""
    add_scheduling_points(program, schedule.points)
    points = frozenset(learned_points(program).points)
    timing = schedule.timing
    with with_inputs(program, schedule.inputs):
        run = program.execute(Plan(schedule.prefix, strict=False, timing=timing))
        if run.failures and run.lag > longest:
            timing = longest
            run = program.execute(Plan(schedule.prefix, strict=False, timing=timing))
    same = [failure for failure in run.failures if fingerprint(failure) == schedule.failure.fingerprint]
    failure = next(iter(same or run.failures), None)
    if failure is None:
        return None
    return FailingExecution(failure, run.schedule(), points=points, timing=timing, inputs=run.inputs)


@contextmanager
def timed(program: Program, timing: float | None) -> Iterator[None]:
    """Have all executions made with this timing, unless their plan has another."""
    program.timing = timing
    try:
        yield
    finally:
        program.timing = None


def without_delay(program: Program, found: FailingExecution, longest: float) -> FailingExecution:
    """The same failure where nothing outruns threads that can move, if it happens there, too; else where they are held
    up for ``longest`` seconds at most, or as it was met."""
    first = _follow(program, found, Plan(found.schedule, strict=False, timing=found.timing))
    if not first.lag and found.timing is None:
        return found
    for timing in sorted({0.0, longest}):
        run = _follow(program, found, Plan(found.schedule, strict=False, timing=timing))
        if failure_with(run, found.failure.identity) is not None:
            return replace(found, schedule=run.schedule(), timing=timing)
    return found


def simplest(program: Program, found: FailingExecution, *, simplifies: bool = True) -> Reproduction:
    """The run that shows a failure best; unless it ``simplifies``, by no other order than that in which it was met."""
    identity = found.failure.identity
    _know(program, found)
    prefix = settled(program, found.schedule, identity)
    if prefix is None or LASSO in prefix:  # from elsewhere there may be a way out of the loops
        run = _follow(program, found, Plan(found.schedule, strict=False, detail=True))
    elif simplifies and (shrunk := shrink(program, Plan(prefix), identity)) is not None:
        return Reproduction(shrunk.run, shrunk.failure)
    else:
        run = program.execute(Plan(prefix, strict=False, detail=True))
    again = failure_with(run, identity)
    return Reproduction(run, found.failure if again is None else again, again is not None)


def settled(program: Program, prefix: tuple[str, ...], identity: tuple[str, ...]) -> tuple[str, ...] | None:
    """The same schedule in terms of all points that following it teaches; None if it does not lead to the failure."""
    for _ in range(_ROUNDS):
        run = program.execute(Plan(prefix, strict=True, detail=True))  # all steps that might become points are logged
        failure = failure_with(run, identity)
        if failure is None:
            return None
        if not run.found_new_points:
            return prefix
        prefix = prefix_again(run, program, steps_until(run, failure))
    return None


def happens_again(program: Program, schedule: Schedule) -> bool:
    """Execute the program once more, by the saved schedule alone, as another process would."""
    with _knowing_nothing(program):
        return replay(program, schedule).ending is Ending.REPRODUCED


def changes_places(program: Program, schedule: Schedule, failure: Failure) -> bool:
    """Run a race the other way round: each of the two threads stands before its access, so either may go first. The
    one that goes second may find less then: after ``d.clear()`` there are no items that ``d.values()`` reads. Or the
    process ends first, and it still stands there."""
    with _knowing_nothing(program):
        add_scheduling_points(program, schedule.points)
        *before, first, second = schedule.prefix
        other = program.execute(Plan((*before, second, first)))
    harmless = other.divergence is not None and other.divergence.harmless  # it would only read the same again
    sites = [step.site for step in other.log if step.point][len(before) : len(before) + 2]
    sites += [each.site for each in other.blocked if other.tasks[each.task] == first]
    wanted = {failure.location, failure.against}
    return harmless or other.divergence is None and wanted <= set(map(program.location, sites))


def _follow(program: Program, found: FailingExecution, plan: Plan) -> Run:
    """Execute a plan with the points that were known when the failure was met."""
    _know(program, found)
    return program.execute(plan)


def _know(program: Program, found: FailingExecution) -> None:
    learned_points(program).points = set(found.points)


@contextmanager
def _knowing_nothing(program: Program) -> Iterator[None]:
    """No points are known within; those that were are known again afterwards."""
    learned = learned_points(program)
    known, learned.points = learned.points, set()
    try:
        yield
    finally:
        learned_points(program).points = known
