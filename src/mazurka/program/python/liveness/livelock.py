"""Reports of livelocks: threads repeat loops that, according to the plan's strategy, none of them can leave.

The plan's prefix goes through their loops once, and once more (:data:`~mazurka.program.protocol.LASSO`). If the second
time is like the first, step by step, with the recorded values (those of variables at the heads of the loops among
them, with :attr:`Plan.values`), the threads can go on like that for ever. A single run can't show that no other order
leads out of the loops: this follows from all runs together (explore/thread_models/state_space.py). Where waits have
time limits no livelock is reported, since time would go on.

Cost: one pass over the last steps, once in a run.
"""

from __future__ import annotations

from typing import Any, Final

from mazurka.program.protocol import BlockedThread, Failure, FailureKind
from mazurka.program.python.instrument import sites
from mazurka.program.python.liveness.deadlock import label
from mazurka.program.runtime.runtime import Runtime
from mazurka.program.runtime.task import Task
from mazurka.trace.event import Location, Op
from mazurka.trace.targets import Kind, kind_of, of_kinds


def livelock(run: Runtime, points: int) -> Failure | None:
    """The failure of a run whose last ``points`` points were to repeat as many before them; None if they did not."""
    log = run.log
    first, second = _point_from_end(log, 2 * points), _point_from_end(log, points)
    if run.limited or first < 0 or not _alike(log[first:second], log[second:]):
        return None
    moved = {entry[0] for entry in log[second:]}
    tasks = [task for task in run.tasks if task.index in moved]
    waiting = tuple([BlockedThread(task.name, "a way out of its loop", None, _loop(task, second)) for task in tasks])
    each = [f"{label(task)} at {entry.location}" for task, entry in zip(tasks, waiting, strict=True)]
    return Failure(
        FailureKind.LIVELOCK,
        f"no order leads out of the loops that threads go round in: {'; '.join(each)}",
        tasks[0].name,
        waiting[0].location,
        waiting=waiting,
        step=len(log),
    )


def _point_from_end(log: list[Any], points: int) -> int:
    """Where the last so many points of a log begin; -1 if it has fewer."""
    at = len(log)
    while points and at:
        at -= 1
        points -= log[at][4]
    return -1 if points else at


def _alike(one: list[Any], other: list[Any]) -> bool:
    return bool(one) and len(one) == len(other) and all(map(_same, one, other))


_is_wake: Final = of_kinds(Kind.WAKE)


def _same(one: Any, other: Any) -> bool:
    """Whether two steps are the same, whatever the numbers of wake-ups and loops, which increase from wait to wait."""
    if one[1] is Op.BRANCH or any(map(_is_wake, (one[2], *[access.target for access in one[6]]))):
        return bool(one[:2] == other[:2] and kind_of(one[2]) is kind_of(other[2]) and one[3:6] == other[3:6])
    return bool(one == other)


def _loop(task: Task, since: int) -> Location | None:
    """The location of the outermost loop that a thread has begun a pass of since a step."""
    passed = [site for (_, site), loop in task.loops.items() if loop.begun >= since]
    return sites.location(passed[0]) if passed else None
