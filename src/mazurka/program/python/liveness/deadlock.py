"""Words about Python threads that are stuck: the primitives by their names in the program, and the frames.

Cost: some tens of microseconds a thread, and only on runs that got stuck.
"""

from __future__ import annotations

import linecache
import queue
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, Final

from greenlet import getcurrent

from mazurka.program.protocol import Failure, Frame
from mazurka.program.python.instrument import sites
from mazurka.program.python.primitives.conditions import Waiter
from mazurka.program.python.primitives.fifo_queues import Fifo, QueueWait
from mazurka.program.python.primitives.run import INNER, is_inner, location, where
from mazurka.program.python.semantics import objects
from mazurka.program.runtime.runtime import Runtime
from mazurka.program.runtime.stuck import stuck
from mazurka.program.runtime.task import Task
from mazurka.trace.event import Location
from mazurka.trace.ids import SiteNumber
from mazurka.trace.targets import kind_of

_PROGRAM: Final = Path(__file__).parents[2]

INNER.update(map(str, _PROGRAM.rglob("*.py")))

#: How far from a thread's variables a primitive's name is looked for: attributes deep, and values in all.
_DEPTH: Final = 2
_PATHS: Final = 5_000

_OURS: Final = str(_PROGRAM)

#: The attributes of models that have their location.
_TARGETS: Final = ("_target", "target", "_mz_target")

#: What a thread waits for in the code of CPython's queues, by the condition.
_IN_QUEUES: Final = {"not_empty": "an item in", "not_full": "room in", "all_tasks_done": "the end of all tasks of"}


def stuck_python(runtime: Runtime, tasks: list[Task]) -> Failure | None:
    """The failure of a run in which none of the living ``tasks`` can go on; None if only daemons are left."""
    return stuck(runtime, tasks, _WORDS)


class _PythonWords:
    """See :class:`mazurka.program.runtime.stuck.Words`."""

    def awaited(self, task: Task, tasks: list[Task]) -> str:
        primitive = _awaited(task)
        if (found := _queue_waited_at(task, primitive)) is not None:
            event, thing = found
            name = _name_of(thing, tasks)
            return f"{event} {type(thing).__name__}" + (f" `{name}`" if name else "")
        text = str(task.waiting_for.describe())  # type: ignore[union-attr]  # it is a primitive
        name = _name_of(primitive, tasks)
        return f"{text.partition(' created at ')[0].partition(' `')[0]} `{name}`" if name else text

    def location(self, task: Task) -> Location | None:
        """Where a thread stands: in the program, or in the library if it has nothing else on its stack."""
        frame = _frame(task)
        place = where(frame)
        while place is None and frame is not None:
            if not frame.f_code.co_filename.startswith(_OURS):
                place = frame.f_code, frame.f_lasti
            frame = frame.f_back
        return location(place)

    def place(self, site: SiteNumber) -> Location | None:
        return sites.location(site)

    def held_since(self, task: Task) -> Location | None:
        return location(getattr(_awaited(task), "_acquired", None))

    def frames(self, task: Task) -> tuple[Frame, ...]:
        found = []
        for frame in _program_frames(task):
            place = location((frame.f_code, frame.f_lasti))
            if place is not None:
                found.append(Frame(place, linecache.getline(place.file, place.line).strip()))
        return tuple(reversed(found))


_WORDS: Final = _PythonWords()


def _awaited(task: Task) -> Any:
    """The primitive itself that a thread waits for."""
    return _primitive(task.waiting_for)


def _queue_waited_at(task: Task, primitive: Any) -> tuple[str, Any] | None:
    """The event and the queue, of a thread that waits on a condition inside the code of CPython's queues."""
    frame = _frame(task)
    while frame is not None and frame.f_code.co_filename != queue.__file__:
        frame = frame.f_back
    thing = frame.f_locals.get("self") if frame is not None else None
    if not isinstance(thing, queue.Queue):
        return None
    for name, event in _IN_QUEUES.items():
        condition = objects.dictionary(thing).get(name)
        if primitive is condition or primitive is objects.dictionary(condition).get("_mz", condition):
            return event, thing
    return None


def _primitive(awaited: Any) -> Any:
    if isinstance(awaited, Waiter):
        return awaited.with_lock if awaited.notified and awaited.with_lock is not None else awaited.on
    return awaited.thing if isinstance(awaited, (QueueWait, Fifo)) else awaited


def name_primitive(runtime: Runtime, used: Any) -> None:
    """Name the primitive that the running thread uses, waits for, or takes, for a report (detail only)."""
    primitive = _primitive(used)
    target = next((found for each in _TARGETS if (found := getattr(primitive, each, None)) is not None), None)
    if isinstance(used, Fifo):
        target = used.target
    if target is None or target in runtime.names:
        return
    name = _name_of(primitive, runtime.live).removesuffix("._lock")  # a Condition's lock has the Condition's name
    name = name or str(primitive.describe()).partition(" created at ")[0]
    taken = any(known == name and kind_of(other) is kind_of(target) for other, known in runtime.names.items())
    runtime.names[target] = f"{name} ({target[1]})" if taken else name


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


def _name_of(primitive: Any, tasks: list[Task]) -> str:
    """A primitive's name in threads: a global, a local, or an attribute or element of one of these; `self` is the last
    resort. Globals come first: a parameter may be another lock in each thread."""
    frames = [frame for task in tasks for frame in _program_frames(task)]
    spaces = {id(frame.f_globals): frame.f_globals for frame in frames}
    known_as = ""
    for namespace in (*spaces.values(), *[frame.f_locals for frame in frames]):
        name = _name_in(primitive, namespace)
        if name and not name.startswith("self."):
            return name
        known_as = known_as or name
    return known_as


def _name_in(primitive: Any, namespace: Any) -> str:
    """The shortest path of attributes and elements to ``primitive`` from the variables of a frame."""
    paths = [(str(name), value, 0) for name, value in list(namespace.items()) if not name.startswith("__")]
    seen: set[int] = set()
    for path, value, depth in paths:  # grows while it is walked: breadth first
        if value is primitive:
            return path
        attributes = objects.dictionary(value)  # no code of the program is run
        if type(attributes) is not dict or objects.is_a(value, ModuleType):
            continue
        if attributes.get("_mz") is primitive:
            return path
        if id(value) in seen or depth == _DEPTH or len(paths) >= _PATHS:
            continue
        seen.add(id(value))
        inside = [(f"{path}.{name}", inner) for name, inner in list(attributes.items()) if name != "_mz"]
        inside += [(f"{path}[{key}]", inner) for key, inner in _elements(value)]
        paths += [(name, inner, depth + 1) for name, inner in inside]
    return ""


def _elements(value: Any) -> list[tuple[str, Any]]:
    """The elements of a builtin container that has keys, each with its key in words."""
    if type(value) is list or type(value) is tuple:
        return [(str(number), inner) for number, inner in enumerate(list(value))]
    if type(value) is dict:
        return [(repr(key), inner) for key, inner in list(value.items()) if type(key) in (str, int)]
    return []
