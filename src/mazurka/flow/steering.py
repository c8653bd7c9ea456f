"""Steers random orders along recorded paths: what has led a thread astray is avoided from then on.

When a thread takes another way than the recorded one, the value that it read last has decided that. So at the same
place of its path it's better not to read while that value is there; nor, if it held a lock, to take the outermost one,
since others may have to take it to change the value. A thread that went on behind the end of its path had better not
take its last step. These are *lessons*; of the threads that can move those are chosen for which none applies, if there
are any.

Invariant: lessons only decide which orders come first. They may be wrong (another read may have decided the branch), so
each is ignored now and then.

Cost: a look-up for each thread that can move; a look at the last steps for each thread that goes astray.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import field
from typing import Any, Final

from mazurka.lazy_dataclass import dataclass
from mazurka.program.llvm.machine import Machine
from mazurka.program.llvm.memory_objects import MemoryObject
from mazurka.program.runtime.task import Task
from mazurka.trace.event import Op
from mazurka.trace.targets import VARIABLE, Target

#: How often a lesson is ignored.
_IGNORED: Final = 1 / 16

#: How many steps back of the log are looked at.
_LOOKED_AT: Final = 4_000

#: Where a lesson applies: the thread, its place in its path, and the site of its next operation.
Place = tuple[str, int, int]


@dataclass(slots=True)
class Trail:
    """A thread's way in an execution: ``marks`` are the lengths of the log when it came to blocks, ``places`` those
    in its path."""

    place: int = 0
    marks: list[int] = field(default_factory=list)
    places: list[int] = field(default_factory=list)

    def enter(self, place: int, log: int) -> None:
        """The thread has come to a block."""
        self.place = place
        self.marks.append(log)
        self.places.append(place)

    def at(self, step: int) -> int:
        """The place at which the thread was when it took a step."""
        number = bisect_right(self.marks, step)
        return self.places[number - 1] if number else 0


class Steering:
    """The lessons of all executions so far."""

    def __init__(self) -> None:
        #: By place: the locations with the values that are bad there; None: whatever any value is.
        self._lessons: dict[Place, dict[Target | None, set[bytes]]] = {}
        self._objects: dict[str, MemoryObject] = {}

    def begin(self) -> None:
        """An execution begins."""
        self._objects.clear()

    def learn(self, machine: Machine, task: Task, trail: Trail, *, is_over: bool) -> None:
        """A thread has gone astray; ``is_over``: its path was over."""
        log = machine.run.log
        first = max(len(log) - _LOOKED_AT, 0)
        steps = [(number, log[number]) for number in range(first, len(log)) if log[number][0] == task.index]
        if is_over:
            if steps:
                self._add(task, trail, steps[-1], None, b"")
            return
        reads = [each for each in steps if each[1][2][0] == VARIABLE and each[1][1] in (Op.READ, Op.RMW)]
        if not reads:
            return
        target = reads[-1][1][2]
        value = self._value(machine, target)
        self._add(task, trail, reads[-1], target, value)
        held: dict[Target, tuple[int, Any]] = {}
        for each in steps:
            if each[1][1] is Op.ACQUIRE:
                held.setdefault(each[1][2], each)
            elif each[1][1] in (Op.RELEASE, Op.WAIT):
                held.pop(each[1][2], None)
        if held:
            self._add(task, trail, min(held.values(), key=lambda each: each[0]), target, value)

    def _add(self, task: Task, trail: Trail, step: tuple[int, Any], target: Target | None, value: bytes) -> None:
        place = task.name, trail.at(step[0]), step[1][3]
        self._lessons.setdefault(place, {}).setdefault(target, set()).add(value)

    def advised(
        self, machine: Machine, enabled: list[Task], trails: Callable[[Task], Trail], draw: Callable[[], float]
    ) -> list[Task]:
        """Of the threads that can move those that had better; all, if none had."""
        found = [
            task for task in enabled if not self._is_astray(machine, task, trails(task).place) or draw() < _IGNORED
        ]
        return found or enabled

    def _is_astray(self, machine: Machine, task: Task, place: int) -> bool:
        lesson = self._lessons.get((task.name, place, task.pending[2] if task.pending is not None else 0))
        return lesson is not None and any(
            target is None or self._value(machine, target) in values for target, values in lesson.items()
        )

    def _value(self, machine: Machine, target: Target) -> bytes:
        """The bytes at a location."""
        _, name, at = target[:3]
        thing = self._objects.get(name)
        if thing is None:
            self._objects = {each.layout.name: each for each in machine.memory.objects.values()}
            thing = self._objects.get(name)
        if thing is None:
            return b""
        size = thing.layout.divisions().get(at // 8, (8, False))[0]
        return bytes(thing.data[at : at + size])
