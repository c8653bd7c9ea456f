"""Worker pools: the interface to processes, of this machine or others, that carry out work items.

A pool takes work items while it has room, and returns their results in the order in which they are finished. An item
may get lost with a killed worker; the caller has to handle this.

:class:`ForkPool` forks a child for each work item. The child has the program loaded and in its start state, and ends
after its result, so that no data has to be sent to it, its state can't differ from the parent's, and children whose
parent is killed end with their batches. Cost: 1 to 10 ms an item, for an item of up to a second.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import signal
import traceback
from collections.abc import Callable
from typing import Any, Final, Protocol

from mazurka.errors import MazurkaError
from mazurka.explore.batch import WorkItem, WorkResult
from mazurka.program.forked import fork

#: Without fork on this platform there is only one process.
CAN_FORK: Final = hasattr(os, "fork")

_CHUNK: Final = 1 << 20


class WorkerPool(Protocol):
    """Carries out work items."""

    size: int  # the number of work items at once

    def start(self, number: int, item: WorkItem) -> None:
        """Start a work item; never more than ``size`` at once."""
        ...

    def finished(self, seconds: float) -> list[tuple[int, WorkResult | None]]:
        """The finished work items, by number; waits at most ``seconds`` for one. The result None: the item got lost."""
        ...

    def close(self) -> None:
        """Drop all work under way, and end the processes of the pool."""
        ...


def usable_cores() -> int:
    """The number of processes that can run at once on this machine."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class ForkPool:
    """Children of this process. ``carry_out`` is called in them."""

    def __init__(self, carry_out: Callable[[WorkItem], WorkResult], size: int, leave: Callable[[], object]) -> None:
        """``leave`` is called first in each child: it closes resources that only the parent may hold."""
        self.size = size
        self._carry_out = carry_out
        self._leave = leave
        self._children: dict[int, _Child] = {}  # by the file descriptor to read from

    def start(self, number: int, item: WorkItem) -> None:
        reading, writing = os.pipe()
        pid = fork()
        if pid == 0:
            try:
                signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles interruptions
                for inherited in (reading, *self._children):
                    os.close(inherited)
                self._leave()
                self._answer(item, writing)
            finally:
                os._exit(0)
        os.close(writing)
        self._children[reading] = _Child(number, pid)

    def _answer(self, item: WorkItem, writing: int) -> None:
        try:
            payload = pickle.dumps(self._carry_out(item), protocol=5)
        except MazurkaError as error:
            payload = pickle.dumps(error)
        except BaseException:  # the parent must get every exception
            payload = pickle.dumps(RuntimeError(f"in a worker:\n{traceback.format_exc()}"))
        with contextlib.suppress(BrokenPipeError), os.fdopen(writing, "wb") as stream:
            stream.write(payload)

    def finished(self, seconds: float) -> list[tuple[int, WorkResult | None]]:
        ended = []
        readable, _, _ = select.select(list(self._children), [], [], seconds)
        for reading in readable:
            child = self._children[reading]
            data = os.read(reading, _CHUNK)
            child.data += data
            if not data:
                del self._children[reading]
                os.close(reading)
                os.waitpid(child.pid, 0)
                ended.append((child.number, _report(child.data)))
        return ended

    def close(self) -> None:
        for reading, child in self._children.items():
            os.close(reading)
            with contextlib.suppress(ProcessLookupError):
                os.kill(child.pid, signal.SIGKILL)
            os.waitpid(child.pid, 0)
        self._children.clear()


class _Child:
    """A running child, and its answer so far."""

    def __init__(self, number: int, pid: int) -> None:
        self.number = number
        self.pid = pid
        self.data = bytearray()


def _report(data: bytearray) -> WorkResult | None:
    """The answer of a child; None if it did not end regularly."""
    try:
        answer: Any = pickle.loads(data)  # written by our own child
    except (EOFError, pickle.UnpicklingError):
        return None
    if isinstance(answer, BaseException):
        raise answer
    assert isinstance(answer, WorkResult)
    return answer
