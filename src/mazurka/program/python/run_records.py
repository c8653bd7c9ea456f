"""The record of an execution (:class:`mazurka.program.protocol.Run`), made from its runtime, and additions to it.

Cost: some microseconds for an execution.
"""

from __future__ import annotations

import pickle
from typing import Any

from mazurka.program.protocol import Failure, FailureKind, Run
from mazurka.program.python import failures, stacks
from mazurka.program.python.instrument import late_imports
from mazurka.program.runtime.lazy_run import LazyRun
from mazurka.program.runtime.runtime import Runtime
from mazurka.program.runtime.task import Task


def is_stuck_for_good(run: Run) -> bool:
    """Whether threads of the run are blocked for ever."""
    return any(failure.kind in (FailureKind.DEADLOCK, FailureKind.BLOCKED) for failure in run.failures)


def count_imports(run: Run, late: dict[str, bool]) -> None:
    """Count as untracked the imports by threads that do more than define things."""
    for name in late_imports.acting(late.items()):
        run.untracked[f"the import of {name} by a thread, taken for one step,"] = 1


def name_troubles(run: Run, troubles: list[str]) -> None:
    """Count as uncontrolled the files that could not be put back."""
    for trouble in troubles:
        run.uncontrolled[f"a file that could not be put back, {trouble}"] = 1


def portable(run: Run) -> Run:
    """A run that can leave its process; the program's result stays behind if it can't."""
    try:
        pickle.dumps(run.result)
    except Exception:  # the program's own objects may raise any exception
        run.result = None
    return run


def run_of(runtime: Runtime) -> Run:
    """The record of a runtime whose execution has ended."""
    tasks = runtime.tasks
    run = LazyRun([task.name for task in tasks], runtime.log, runtime.scheduler.choices)
    run.failures = runtime.failures
    run.blocked = runtime.blocked
    run.divergence = runtime.divergence
    run.found_new_points = runtime.sharing.found_new_points
    run.truncated = runtime.truncated
    run.settled = runtime.settled
    run.untracked = runtime.untracked
    run.uncontrolled = runtime.uncontrolled
    run.assumed = runtime.assumed
    run.names = runtime.names
    run.daemons = tuple([task.index for task in tasks if task.daemon])
    run.labels = {task.index: task.label for task in tasks if task.label}
    run.limited = runtime.limited
    run.again = runtime.again
    if runtime.careful:
        accounts = runtime.accounts
        run.first, run.given = accounts.first, accounts.given
        run.stacks = _readable(accounts.stacks) if accounts.stacks else {}
    if runtime.timed or runtime.limited:
        run.shortest, run.slept, run.nearest = runtime.shortest, runtime.slept, runtime.nearest
        run.lag, run.withheld = runtime.scheduler.lag, runtime.scheduler.withheld
        run.ended, run.bounded = dict(runtime.ended), frozenset(runtime.bounded)
    return run


def _readable(found: dict[Any, Any]) -> dict[Any, Any]:
    return {number: stacks.readable(stack) for number, stack in found.items()}


def failure_of(runtime: Runtime, task: Task, error: BaseException) -> Failure | None:
    """The failure for an exception that ended a thread; None if the exception is no failure."""
    if fault := failures.fault_of_ours(error):
        runtime.truncated = runtime.truncated or fault
        return None
    return failures.exception_failure(task.name, error, len(runtime.log))
