"""Whether other threads may take steps at the same time as the running one, in this order of steps or in another one.

Cost: each step of a run is looked at once.
"""

from __future__ import annotations

from typing import Any

from mazurka.trace.event import Op
from mazurka.trace.targets import Target


class KnownEnds:
    """The threads that have begun in a run, and for each of them the threads whose ends it knows of."""

    def __init__(self) -> None:
        self.lives: dict[Target, int] = {}  # the target of a thread's life -> the thread
        self.known: dict[int, set[int]] = {}
        self._starter = 0
        self._seen = 0  # so many steps have been looked at

    def look(self, log: list[Any]) -> None:
        """Take in the steps made since the last call."""
        for index, op, target, *_ in log[self._seen :]:
            if op is Op.FORK:
                self._starter = index
            elif op is Op.BEGIN:
                self.lives[target] = index
                self.known[index] = set(self.known.get(self._starter, ()))
            elif op is Op.JOIN and target in self.lives:
                other = self.lives[target]
                self.known.setdefault(index, set()).update({other}, self.known.get(other, ()))
        self._seen = len(log)


def has_concurrent_threads(run: Any) -> bool:
    """Whether there are other threads, or were some of whose end the running one does not know: a thread that takes no
    step which others could notice has ended as soon as it is started, though it might last in another order."""
    if run.is_recording:
        return False  # nothing is counted then
    if sum([not task.arrives for task in run.live]) > 1:
        return True
    if run.solo:
        return False  # none has been started yet
    lives, ended = ends_known(run)
    me = run.current.index
    return any(index != me and index not in ended and not run.tasks[index].arrives for index in lives.values())


def ends_known(run: Any) -> tuple[dict[Target, int], set[int]]:
    """The threads that have begun, by the targets of their lives, and those of whose end the running one knows."""
    if run.ends is None:
        run.ends = KnownEnds()
    ends: KnownEnds = run.ends
    ends.look(run.log)
    return ends.lives, ends.known.get(run.current.index, set())
