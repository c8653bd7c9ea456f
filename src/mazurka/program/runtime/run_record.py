"""The record of an execution (:class:`mazurka.program.protocol.Run`), made from its runtime.

Cost: some microseconds for an execution.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mazurka.program.protocol import Frame, Run
from mazurka.program.runtime.lazy_run import LazyRun
from mazurka.program.runtime.runtime import Runtime
from mazurka.symbolic.values import PathConditions
from mazurka.trace.ids import StepIndex

#: Named as untracked: nothing is known of how an execution depends on these.
_KEPT: Final = "unknown inputs of an earlier execution, kept outside of the program"


def run_of(runtime: Runtime, readable: Callable[[Any], tuple[Frame, ...]]) -> LazyRun:
    """The record of a runtime whose execution has ended; ``readable`` turns a stack into frames."""
    tasks = runtime.tasks
    run = LazyRun([task.name for task in tasks], runtime.log, runtime.scheduler.choices)
    run.failures = runtime.failures
    run.blocked = runtime.blocked
    run.divergence = runtime.divergence
    run.found_new_points = runtime.sharing.found_new_points
    run.truncated = runtime.truncated
    run.settled = runtime.settled
    run.idle = runtime.idle
    run.untracked = runtime.untracked
    run.uncontrolled = runtime.uncontrolled
    run.assumed = runtime.assumed
    run.names = runtime.names
    run.additions, run.unordered, run.counted = runtime.additions, runtime.unordered, runtime.counted
    run.unseen = runtime.unseen
    run.private = sum([task.own for task in tasks])
    run.count_changes = runtime.count_changes
    run.alike, run.told_apart = runtime.alike, runtime.told_apart
    run.arrivals = tuple([task.index for task in tasks if task.arrives])
    run.lanes, run.has_loops = tuple(runtime.lanes), runtime.has_loops
    run.daemons = tuple([task.index for task in tasks if task.daemon])
    run.labels = {task.index: task.label for task in tasks if task.label}
    run.limited = runtime.limited
    run.again = runtime.again
    if runtime.conditions is not None and (runtime.conditions.used or runtime.conditions.stale):
        _add_inputs(run, runtime.conditions)
    if runtime.careful:
        accounts = runtime.accounts
        run.first, run.given = accounts.first, accounts.given
        run.stacks = {StepIndex(number): readable(stack) for number, stack in accounts.stacks.items()}
    if runtime.ended:
        run.ended = dict(runtime.ended)
    if runtime.timed or runtime.limited:
        run.shortest, run.slept, run.nearest = runtime.shortest, runtime.slept, runtime.nearest
        run.lag, run.withheld = runtime.scheduler.lag, runtime.scheduler.withheld
        run.bounded = frozenset(runtime.bounded)
    return run


def _add_inputs(run: Run, conditions: PathConditions) -> None:
    run.inputs, run.conditions = tuple(conditions.used.items()), tuple(conditions.met)
    run.branches = conditions.branches()
    if conditions.stale:
        run.untracked[_KEPT] = 1
