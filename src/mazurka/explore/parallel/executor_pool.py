"""A pool behind any `concurrent.futures.Executor`: processes, a Dask cluster, MPI.

Each submission is a call of :func:`carry_out`, which needs only Mazurka in the executor's process. The program is not
run there, among threads and state of other tasks, but in a *worker*: a Python process of its own (worker.py), which
prepares the program once and then carries out one work item after another. Workers are kept as long as the executor's
process lives and gets work on the same program; they end with their standard input, so with that process, however it
ends.

The program's files, and Mazurka in the same version, must exist there under the same paths.
"""

from __future__ import annotations

import atexit
import concurrent.futures
import os
import pickle
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, Final

from mazurka.errors import MazurkaError
from mazurka.explore.batch import Worker, WorkItem, WorkResult
from mazurka.explore.parallel.worker_pool import usable_cores
from mazurka.lazy_dataclass import dataclass

#: Prepares the program and returns the function that carries out its work items; can be pickled.
Load = Callable[[], Worker]

_LENGTH: Final = struct.Struct("!Q")


@dataclass(frozen=True, slots=True)
class RemoteItem:
    """A work item, and the environment that it needs: that of this Python process."""

    load: bytes  # a pickled Load
    path: tuple[str, ...]
    directory: str
    environment: tuple[tuple[str, str], ...]
    item: bytes = b""


class ExecutorPool:
    """The pool; ``size`` is the number of work items that are submitted at once."""

    def __init__(self, executor: concurrent.futures.Executor, load: Load, size: int | None = None) -> None:
        self.size = size or getattr(executor, "_max_workers", None) or usable_cores()
        self._executor = executor
        self._home = (
            pickle.dumps(load),
            tuple(sys.path),
            os.getcwd(),
            (("PYTHONHASHSEED", os.environ.get("PYTHONHASHSEED", "0")),),
        )
        self._futures: dict[concurrent.futures.Future[bytes], int] = {}
        self._refused: list[int] = []

    def start(self, number: int, item: WorkItem) -> None:
        try:
            future = self._executor.submit(carry_out, RemoteItem(*self._home, pickle.dumps(replace(item, owner=None))))
        except (RuntimeError, OSError):  # its processes were killed; BrokenExecutor is a RuntimeError
            self._refused.append(number)
        else:
            self._futures[future] = number

    def finished(self, seconds: float) -> list[tuple[int, WorkResult | None]]:
        ended: list[tuple[int, WorkResult | None]] = [(number, None) for number in self._refused]
        self._refused.clear()
        first = concurrent.futures.FIRST_COMPLETED
        done, _ = concurrent.futures.wait(self._futures, 0.0 if ended else seconds, first)
        return ended + [(self._futures.pop(future), _report(future)) for future in done]

    def close(self) -> None:
        for future in self._futures:
            future.cancel()
        self._futures.clear()
        dismiss()  # ends the workers, if the executor's threads are in this process


def _report(future: concurrent.futures.Future[bytes]) -> WorkResult | None:
    """The result of a work item; None if it got lost with its worker."""
    try:
        answer: Any = pickle.loads(future.result())  # written by a worker
    except MazurkaError:
        raise
    except Exception:  # each kind of executor has its own exceptions for a lost worker
        return None
    if isinstance(answer, BaseException):
        raise answer
    assert isinstance(answer, WorkResult)
    return answer


# -- in the executor's process -----------------------------------------------------------------------------------------


class _RemoteWorker:
    """A process that carries out work items for one program."""

    def __init__(self, job: RemoteItem) -> None:
        self.load = job.load
        environment = {**os.environ, **dict(job.environment), "PYTHONPATH": str(Path(__file__).parents[3])}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "mazurka.explore.parallel.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=job.directory,
            env=environment,
        )
        send(self._stdin, pickle.dumps(job.path))
        send(self._stdin, job.load)

    @property
    def _stdin(self) -> IO[bytes]:
        assert self._process.stdin is not None
        return self._process.stdin

    def ask(self, item: bytes) -> bytes:
        assert self._process.stdout is not None
        send(self._stdin, item)
        return receive(self._process.stdout)

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


_idle: list[_RemoteWorker] = []
_guard = threading.Lock()


def carry_out(job: RemoteItem) -> bytes:
    """Carry out a work item in a worker; returns its pickled result."""
    with _guard:
        others = [worker for worker in _idle if worker.load != job.load]
        mine = [worker for worker in _idle if worker.load == job.load]
        worker = mine.pop() if mine else None
        _idle[:] = mine
    for other in others:
        other.close()
    worker = worker or _RemoteWorker(job)
    try:
        answer = worker.ask(job.item)
    except BaseException:
        worker.close()
        raise
    with _guard:
        _idle.append(worker)
    return answer


@atexit.register
def dismiss() -> None:
    """End the remote workers that have nothing to do."""
    with _guard:
        idle, _idle[:] = list(_idle), []
    for worker in idle:
        worker.close()


def send(stream: IO[bytes], data: bytes) -> None:
    """Send a message: its length, then the data."""
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes:
    """The next message; EOFError if there is none."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return data
