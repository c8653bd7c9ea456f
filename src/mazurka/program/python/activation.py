"""The run in progress. Hooks and models ask for it first, each time."""

from __future__ import annotations

import sys

from mazurka.program import forked
from mazurka.program.python.instrument import rest
from mazurka.program.python.isolation import earlier_threads
from mazurka.program.runtime.runtime import Runtime
from mazurka.program.runtime.task import START_POINTS

#: The run in progress, or None.
active: Runtime | None = None

#: The run in progress while a process is being forked.
_forking: Runtime | None = None


def activate(runtime: Runtime | None) -> None:
    """Make ``runtime`` the run in progress (None: there is none)."""
    global active
    active = runtime
    if runtime is None:
        rest.sleep()
        return
    if runtime.on_first_fork is None:
        runtime.on_first_fork = wake_hooks
    if earlier_threads.waiting:
        runtime.has_observers = True
    if not runtime.solo or START_POINTS in runtime.points:
        rest.wake()
    else:
        rest.sleep()


def wake_hooks(runtime: Runtime) -> None:
    """The first thread of a run is being started: activate the hooks, which do nothing before."""
    rest.wake()
    if not runtime.learned.knows_start() and START_POINTS not in runtime.points:
        if rest.amid_expression(sys._getframe(1)):
            runtime.need_points(START_POINTS)


def _before_fork() -> None:
    """Nothing is modelled while the program forks: in the child, `threading` works on the real threads, and a child
    that took the journal of files, which it inherits, would keep the run waiting."""
    global active, _forking
    _forking, active = active, None


def _after_fork_in_parent() -> None:
    global active, _forking
    active, _forking = _forking, None


def _after_fork_in_child() -> None:
    """A process that the program forks has the one thread that forked it, and is no part of the run."""
    global _forking
    if _forking is not None:
        _forking.on_body_end = forked.end_child
        _forking = None
        activate(None)
        forked.leave()


if forked.AVAILABLE:
    forked.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child
    )
