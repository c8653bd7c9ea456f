"""The greenlets that the program's threads run in, kept from run to run.

Making a greenlet, starting it and letting it end takes four microseconds, most of them for the memory of its frames;
to give a waiting greenlet its next thread takes half a microsecond.

Invariants: a worker that waits has no frame of the program on its stack, and an empty context. All workers are made by
the hub, so that threads have the same depth of recursion left whichever worker they get. A worker that was thrown out
of its thread ends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from greenlet import getcurrent, greenlet

#: A worker's function for a thread: runs it, and returns the greenlet to go on next; None: the worker ends, and its
#: parent goes on.
Life = Callable[[Any], greenlet | None]

#: A greenlet at its end.
ENDED: Final = greenlet(int)
ENDED.switch()

#: At most so many workers wait.
_MOST: Final = 64

_waiting: list[greenlet] = []
_hub: greenlet | None = None


def take(hub: greenlet) -> greenlet | None:
    """A waiting worker of this hub, if there is one; the caller switches to it with a life and a task."""
    global _hub
    if hub is not _hub:
        _waiting.clear()
        _hub = hub
    if not _waiting:
        return None
    worker = _waiting.pop()
    if worker.gr_context is not None:
        worker.gr_context = None
    return worker


def make(hub: greenlet) -> greenlet:
    """A new worker; the hub itself switches to it with a life and a task."""
    return greenlet(_work, hub)


def _work(life: Life, task: Any) -> None:
    own = getcurrent()
    while True:
        following = life(task)
        del life, task
        if following is None:
            return
        if len(_waiting) >= _MOST or own.parent is not _hub:
            own.parent = following
            return
        _waiting.append(own)
        life, task = following.switch()
