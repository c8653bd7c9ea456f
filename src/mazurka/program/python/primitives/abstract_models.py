"""What the abstract models of objects share that Python itself programs with a lock: a queue, a barrier."""

from __future__ import annotations

from zlib import crc32

from mazurka.program.python.primitives import locks
from mazurka.program.python.primitives.run import Models


class AbstractModel:
    """The state inside one run of an object that is run abstractly, until a thread looks at its lock or the like."""

    __slots__ = ("calls", "models", "number")

    #: In words, for the mark among points.
    kind: str

    def __init__(self, models: Models, lock: locks.Lock) -> None:
        self.models = models
        self.number = lock._number
        self.calls = 0  # by the model, that have begun and not ended
        lock._models = None  # the next use of the lock enters it
        locks.guarded[self.number] = self.give_up
        models.undo.append(lambda: locks.guarded.pop(self.number, None))

    @property
    def mark(self) -> int:
        """The mark among points that CPython's own code runs the object."""
        return mark_of(self.kind, self.number)

    def give_up(self) -> None:
        """Have CPython's own code run the object from now on, in all runs; the present one does not count, and ends if
        threads are in calls by the model, which would miss those that come by CPython's code."""
        locks.guarded.pop(self.number, None)
        runtime = self.models.runtime
        runtime.need_points(self.mark)
        if self.calls and not runtime.aborting:
            runtime.stop(f"the run was cut where CPython's own code takes over a {self.kind} from its model")


def mark_of(kind: str, number: str) -> int:
    """The mark among points of something that is known of an object, which its lock stands for."""
    return -1 - (crc32(f"{kind} {number}".encode()) | 1 << 34)
