"""Reports of stuck threads: their waits, the holders, and the locations.

- *Deadlock*: some threads wait for each other in a cycle (a thread that waits for a lock it holds itself is one,
  too). Only the cycle is reported; threads that merely wait for its members are left out.
- *Livelock*: a thread repeats a loop whose passes change nothing.
- *Blocked*: no cycle, but some thread waits for an event that no thread is left to cause: a lost wake-up, a lock never
  released.

Cost: some tens of microseconds a thread, and only on runs that got stuck.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, Final

from greenlet import getcurrent

from mazurka.program.protocol import BlockedThread, Failure, FailureKind, Frame
from mazurka.program.python.primitives.conditions import Waiter
from mazurka.program.python.primitives.run import INNER, is_inner, location, where
from mazurka.program.python.semantics import objects
from mazurka.program.runtime.runtime import Runtime
from mazurka.program.runtime.task import Task
from mazurka.trace.event import Location
from mazurka.trace.targets import kind_of

_PROGRAM: Final = Path(__file__).parents[2]

INNER.update(map(str, _PROGRAM.rglob("*.py")))

#: How far from a thread's variables a primitive's name is looked for: attributes deep, and values in all.
_DEPTH: Final = 2
_PATHS: Final = 5_000

_OURS: Final = str(_PROGRAM)


def stuck(runtime: Runtime, tasks: list[Task]) -> Failure | None:
    """The failure of a run in which none of the living ``tasks`` can go on; None if only daemons are left."""
    required = [task for task in tasks if not task.daemon]
    if not required:
        return None
    cycle = _cycle(required)
    if cycle:
        kind, shown = FailureKind.DEADLOCK, cycle
    else:
        shown = [task for task in required if task.spinning]
        kind = FailureKind.LIVELOCK if shown else FailureKind.BLOCKED
        shown = shown or [task for task in required if not _waits_for_one_of(task, required)] or required
    waiting = tuple([_waiting(task, tasks) for task in shown])
    message = "; ".join(_sentence(task, entry, kind) for task, entry in zip(shown, waiting, strict=True))
    first = shown[0]
    return Failure(
        kind,
        message,
        first.name,
        waiting[0].location,
        frames=_frames(first),
        waiting=waiting,
        step=len(runtime.log),
    )


def holder(task: Task) -> Task | None:
    """The thread that ``task`` waits for, if it is a certain one."""
    awaited = task.waiting_for
    if awaited is None or isinstance(awaited, Task):
        return awaited
    return awaited.holder()


def _waits_for_one_of(task: Task, others: list[Task]) -> bool:
    found = holder(task)
    return found is not None and any(found is other for other in others)


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


# -- words -----------------------------------------------------------------------------------------------------------


def label(task: Task) -> str:
    """The program's name of a thread."""
    return task.label or ("MainThread" if task.index == 0 else f"thread {task.name}")


def _waiting(task: Task, tasks: list[Task]) -> BlockedThread:
    found = holder(task)
    return BlockedThread(
        task.name,
        _awaited_words(task, tasks),
        found.name if found is not None else None,
        _location(task),
        location(getattr(_awaited(task), "_acquired", None)),
    )


def _awaited(task: Task) -> Any:
    """The primitive itself that a thread waits for."""
    awaited = task.waiting_for
    if isinstance(awaited, Waiter):
        return awaited.with_lock if awaited.notified and awaited.with_lock is not None else awaited.on
    return awaited


def name_primitive(runtime: Runtime, task: Task) -> None:
    """Name the primitive that ``task`` is about to wait for, or to take, for a report (detail only)."""
    primitive = _awaited(task)
    target = getattr(primitive, "_target", None) or getattr(primitive, "target", None)
    if target is None or target in runtime.names:
        return
    name = _name_of(primitive, runtime.live).removesuffix("._lock")  # a Condition's lock has the Condition's name
    name = name or str(primitive.describe()).partition(" created at ")[0]
    taken = any(known == name and kind_of(other) is kind_of(target) for other, known in runtime.names.items())
    runtime.names[target] = f"{name} ({target[-1]})" if taken else name


def _awaited_words(task: Task, tasks: list[Task]) -> str:
    awaited = task.waiting_for
    if isinstance(awaited, Task):
        return f"{label(awaited)} to end"
    if awaited is None:
        return "a change of a location that its loop reads" if task.spinning else "something unknown"
    text = str(awaited.describe())
    name = _name_of(_awaited(task), tasks)
    return f"{text.partition(' created at ')[0].partition(' `')[0]} `{name}`" if name else text


def _sentence(task: Task, entry: BlockedThread, kind: FailureKind) -> str:
    at = f" at {entry.location}" if entry.location is not None else ""
    if task.spinning:
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


# -- frames ----------------------------------------------------------------------------------------------------------


def _frame(task: Task) -> FrameType | None:
    return sys._getframe(1) if task.greenlet is getcurrent() else task.greenlet.gr_frame


def _program_frames(task: Task) -> Iterator[FrameType]:
    """The frames of a thread that belong to the program, innermost first."""
    frame = _frame(task)
    while frame is not None:
        if not is_inner(frame.f_code.co_filename):
            yield frame
        frame = frame.f_back


def _location(task: Task) -> Location | None:
    """Where a thread stands: in the program, or in the library if it has nothing else on its stack."""
    frame = _frame(task)
    place = where(frame)
    while place is None and frame is not None:
        if not frame.f_code.co_filename.startswith(_OURS):
            place = frame.f_code, frame.f_lasti
        frame = frame.f_back
    return location(place)


def _frames(task: Task) -> tuple[Frame, ...]:
    found = []
    for frame in _program_frames(task):
        place = location((frame.f_code, frame.f_lasti))
        if place is not None:
            found.append(Frame(place, linecache.getline(place.file, place.line).strip()))
    return tuple(reversed(found))


def _name_of(primitive: Any, tasks: list[Task]) -> str:
    """A primitive's name in threads: a global, a local, or an attribute of one of these; `self` is the last resort."""
    known_as = ""
    for task in tasks:
        for frame in _program_frames(task):
            for namespace in (frame.f_locals, frame.f_globals):
                name = _name_in(primitive, namespace)
                if name and not name.startswith("self."):
                    return name
                known_as = known_as or name
    return known_as


def _name_in(primitive: Any, namespace: Any) -> str:
    """The shortest path of attributes to ``primitive`` from the variables of a frame."""
    paths = [(str(name), value) for name, value in list(namespace.items()) if not name.startswith("__")]
    seen: set[int] = set()
    for path, value in paths:  # grows while it is walked: breadth first
        if value is primitive:
            return path
        attributes = objects.dictionary(value)  # no code of the program is run
        if type(attributes) is not dict or objects.is_a(value, ModuleType) or id(value) in seen:
            continue
        if attributes.get("_mz") is primitive:
            return path
        seen.add(id(value))
        if path.count(".") < _DEPTH and len(paths) < _PATHS:
            paths += [(f"{path}.{name}", inner) for name, inner in list(attributes.items()) if name != "_mz"]
    return ""
