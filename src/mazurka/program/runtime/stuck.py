"""Reports of stuck threads: their waits, the holders, and the locations.

- *Deadlock*: some threads wait for each other in a cycle (a thread that waits for a lock it holds itself is one,
  too).
- *Livelock*: a thread repeats a loop whose passes change nothing, or threads go round in loops that, according to the
  plan's strategy, none of them can leave. The plan's prefix goes through their loops once, and once more
  (:data:`~mazurka.program.protocol.LASSO`). If the second time is like the first, step by step, with the recorded
  values, the threads can go on like that for ever. A single run can't show that no other order leads out of the loops:
  this follows from all runs together (explore/thread_models/state_space.py). Where waits have time limits no livelock
  is reported, since time would go on.
- *Blocked*: no cycle, but some thread waits for an event that no thread is left to cause: a lost wake-up, a lock never
  released.

Threads that merely wait for these are left out; if the end of the program waits for none of these, the threads that it
does wait for are named beside them.

Cost: some tens of microseconds a thread, and only on runs that got stuck.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

from mazurka.program.protocol import BlockedThread, Failure, FailureKind, Frame, cycle_of
from mazurka.program.runtime.runtime import Runtime
from mazurka.program.runtime.task import Task
from mazurka.trace.event import Location, Op
from mazurka.trace.ids import SiteNumber
from mazurka.trace.targets import Kind, kind_of, of_kinds

#: What a thread waits for that goes round in a loop, in words.
POLLED: Final = "a change of a location that its loop reads"


class Words(Protocol):
    """A front end's words about threads that wait."""

    def awaited(self, task: Task, tasks: list[Task]) -> str:
        """The primitive that a thread waits for, in words."""
        ...

    def location(self, task: Task) -> Location | None:
        """Where a thread stands."""
        ...

    def place(self, site: SiteNumber) -> Location | None:
        """Where a site is in the source."""
        ...

    def held_since(self, task: Task) -> Location | None:
        """Where the primitive that a thread waits for was taken."""
        ...

    def frames(self, task: Task) -> tuple[Frame, ...]:
        """The frames of a thread, outermost first."""
        ...


def stuck(runtime: Runtime, tasks: list[Task], words: Words, *, with_daemons: bool = False) -> Failure | None:
    """The failure of a run in which none of the living ``tasks`` can go on; None if only daemons are left.
    ``with_daemons`` says that daemons are looked at, too, if others are left."""
    required = [task for task in tasks if task.required]
    if not required:
        return None
    if with_daemons:
        required = tasks
    polling = [task for task in required if task.polls()]
    cycle = _cycle(tasks)
    if cycle:
        kind, shown = FailureKind.DEADLOCK, cycle
    else:
        kind = FailureKind.LIVELOCK if polling else FailureKind.BLOCKED
        shown = list(dict.fromkeys([*polling, *map(_cause, required)]))
    # Threads that wait for others of the required ones are left out.
    behind = [] if any(task in required for task in shown) else [task for task in required if not task.polls()]
    waiting = tuple([_waiting(task, tasks, words) for task in shown])
    message = "; ".join(_sentence(task, entry, kind) for task, entry in zip(shown, waiting, strict=True))
    within = [entry for task in shown for entry in _within(task)]
    if within and kind is FailureKind.BLOCKED:  # the thread of a loop waits since its tasks do
        cycle_within = cycle_of(within)
        kind, waiting = (FailureKind.DEADLOCK, cycle_within) if cycle_within else (kind, _ends_of(within))
        message = "; ".join(_sentence_within(entry) for entry in waiting)
    first = shown[0]
    return Failure(
        kind,
        message,
        first.name,
        waiting[0].location,
        frames=words.frames(first),
        waiting=waiting,
        behind=tuple([_waiting(task, tasks, words) for task in behind]),
        step=len(runtime.log),
    )


def livelock(run: Runtime, points: int, location: Callable[[SiteNumber], Location | None]) -> Failure | None:
    """The failure of a run whose last ``points`` points were to repeat as many before them; None if they did not."""
    log = run.log
    first, second = _point_from_end(log, 2 * points), _point_from_end(log, points)
    if run.limited or first < 0 or not _alike(log[first:second], log[second:]):
        return None
    moved = {entry[0] for entry in log[second:]}
    tasks = [task for task in run.tasks if task.index in moved]
    places = [_loop(task, second, location) for task in tasks]
    waiting = tuple(
        [
            BlockedThread(task.name, "a way out of its loop", None, place)
            for task, place in zip(tasks, places, strict=True)
        ]
    )
    each = [f"{label(task)} at {place}" for task, place in zip(tasks, places, strict=True)]
    return Failure(
        FailureKind.LIVELOCK,
        f"no order leads out of the loops that threads go round in: {'; '.join(each)}",
        tasks[0].name,
        waiting[0].location,
        waiting=waiting,
        step=len(log),
    )


def holder(task: Task) -> Task | None:
    """The thread that ``task`` waits for, if it is a certain one."""
    awaited = task.waiting_for
    if awaited is None or isinstance(awaited, Task):
        return awaited
    return awaited.holder()


def label(task: Task) -> str:
    """The program's name of a thread."""
    return task.label or ("MainThread" if task.index == 0 else f"thread {task.name}")


def _cause(task: Task) -> Task:
    """The last of the threads that ``task`` waits for, which wait for each other in no cycle; itself if there is
    none."""
    while not task.polls() and (found := holder(task)) is not None and not found.done:
        task = found
    return task


def _cycle(tasks: list[Task]) -> list[Task]:
    """Threads that wait for each other, beginning with the one of lowest number; empty if there are none."""
    for start in tasks:
        path: list[Task] = []
        at: Task | None = start
        while at is not None and not at.done and at not in path:
            path.append(at)
            at = holder(at)
        if at is not None and at in path:
            cycle = path[path.index(at) :]
            turn = cycle.index(min(cycle, key=lambda task: task.index))
            return cycle[turn:] + cycle[:turn]
    return []


def _within(task: Task) -> Sequence[BlockedThread]:
    """The tasks of the event loop that a thread runs, which wait; none if it runs none."""
    within: Callable[[], Sequence[BlockedThread]] | None = getattr(task.waiting_for, "within", None)
    return () if within is None else within()


def _ends_of(waiting: Sequence[BlockedThread]) -> tuple[BlockedThread, ...]:
    """Those that wait for none of the others."""
    names = {each.thread for each in waiting}
    return tuple([each for each in waiting if each.held_by not in names])


def _sentence_within(entry: BlockedThread) -> str:
    at = f" at {entry.location}" if entry.location is not None else ""
    text = f"{entry.thread} waits for {entry.for_what}{at}"
    return text if entry.held_by is None else f"{text} (acquired by {entry.held_by})"


def _waiting(task: Task, tasks: list[Task], words: Words) -> BlockedThread:
    if task.polls():
        return BlockedThread(task.name, POLLED, None, _repeated(task, words))
    found = holder(task)
    awaited = task.waiting_for
    if isinstance(awaited, Task):
        text = f"{label(awaited)} to end"
    else:
        text = "something unknown" if awaited is None else words.awaited(task, tasks)
    name = found.name if found is not None else None
    return BlockedThread(task.name, text, name, words.location(task), words.held_since(task))


def _repeated(task: Task, words: Words) -> Location | None:
    """Where the loop is that a thread repeats: the same place in every execution, wherever in a pass it is held."""
    loops = task.loops
    if task.repetition is not None:
        found = [site for (_, site), loop in loops.items() if loop is task.repetition.loop]
    else:
        found = [site for _, site in sorted(loops, key=lambda key: loops[key].begun)]
    return words.place(SiteNumber(found[-1])) if found else words.location(task)


def _sentence(task: Task, entry: BlockedThread, kind: FailureKind) -> str:
    at = f" at {entry.location}" if entry.location is not None else ""
    if task.polls():
        return f"{label(task)} repeats a loop{at} whose passes change nothing"
    found = holder(task)
    text = f"{label(task)} waits for {entry.for_what}{at}"
    if found is not None and not isinstance(task.waiting_for, Task):
        who = "itself" if found is task else label(found)
        since = f" at {entry.held_since}" if entry.held_since is not None else ""
        text += f" (acquired by {who}{since}{', which has ended' if found.done else ''})"
    elif found is None and kind is FailureKind.BLOCKED:
        text += ", which no thread is left to bring about"
    return text


# -- livelocks ---------------------------------------------------------------------------------------------------------


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


def _loop(task: Task, since: int, location: Callable[[SiteNumber], Location | None]) -> Location | None:
    """The location of the outermost loop that a thread has begun a pass of since a step."""
    passed = [site for (_, site), loop in task.loops.items() if loop.begun >= since]
    return location(SiteNumber(passed[0])) if passed else None
