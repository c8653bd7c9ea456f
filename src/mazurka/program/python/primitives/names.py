"""Names of threads: each is a location, ("thread's name", birth), and so is the counter that numbers them.

``Thread-1`` and ``ThreadPoolExecutor-0`` come from counters: a number shows how many have been taken before it. Threads
may notice that once one looks at a name, if several threads have taken numbers; from then on, in all runs, taking a
number is an RMW of ("thread numbers",).
"""

from __future__ import annotations

from typing import Any, Final

from mazurka.program.python.primitives.run import Models
from mazurka.program.python.primitives.steps import change, pass_step, read, write
from mazurka.program.runtime.task import NAME_POINTS
from mazurka.trace.targets import Kind, Target

_NUMBERS: Final[tuple[Target, str]] = ((Kind.THREAD_NUMBERS.tag,), "the numbers of threads without a name")


def take_number(models: Models) -> None:
    """A thread, or an executor, is about to be made that gets a name with a number."""
    runtime = models.runtime
    if runtime.solo:
        return
    models.namers.add(runtime.current.index)
    _learn(models)
    if NAME_POINTS in runtime.points:
        pass_step(models, change(*_NUMBERS))


def _learn(models: Models) -> None:
    if models.names_seen and len(models.namers) > 1:
        models.runtime.need_points(NAME_POINTS)


def look(models: Models, thread: Any) -> None:
    """The name of a thread is about to be looked at."""
    models.names_seen = True
    _learn(models)
    pass_step(models, read(*_place(thread)))


def change_name(models: Models, thread: Any) -> None:
    """A thread is about to get another name."""
    pass_step(models, write(*_place(thread)))


def _place(thread: Any) -> tuple[Target, str]:
    return (Kind.THREAD_NAME.tag, str(thread.__dict__.get("_mz_birth") or "0")), "the name of a thread"
