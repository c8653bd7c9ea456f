"""Additions to the record of an execution (:class:`mazurka.program.protocol.Run`)."""

from __future__ import annotations

import pickle

from mazurka.program.protocol import Failure, FailureKind, Run
from mazurka.program.python import failures
from mazurka.program.python.instrument import late_imports
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


def failure_of(runtime: Runtime, task: Task, error: BaseException) -> Failure | None:
    """The failure for an exception that ended a thread; None if the exception is no failure."""
    step = len(runtime.log)  # before lines of source are read: `linecache` may be the program under check
    if fault := failures.fault_of_ours(error):
        runtime.truncated = runtime.truncated or fault
        return None
    return failures.exception_failure(task.name, error, step)
