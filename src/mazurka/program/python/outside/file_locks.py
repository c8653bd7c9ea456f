"""`fcntl`: locks on files, between threads of the program.

``flock`` locks belong to open files: two threads that have each opened the file exclude each other, two that share one
open file don't, and closing it releases the lock. To the runtime it is a lock like any other. Locks of ``lockf`` belong
to the process: threads never exclude each other by these. Both are also taken for real, so that other processes see
them; locks that other processes hold are uncontrolled, and so are shared locks.
"""

from __future__ import annotations

import fcntl
from typing import Any

from mazurka.program.python.outside import files as _files
from mazurka.program.python.outside.descriptor_numbers import number_of
from mazurka.program.python.outside.files import Files, Opened
from mazurka.program.python.outside.replacing import replace_function
from mazurka.program.python.primitives.locks import allocate_lock
from mazurka.program.python.primitives.run import Models, count_uncontrolled
from mazurka.program.runtime.runtime import Runtime
from mazurka.trace.targets import LOCK


class FileLock:
    """The lock on a file; ``owner`` is the open file that holds it."""

    def __init__(self, runtime: Runtime, path: str) -> None:
        self.owner: Opened | None = None
        self.inner = allocate_lock()
        self.inner._born = None
        self.inner._number = path
        self.inner._target = (LOCK, f"flock {path}")
        runtime.names[self.inner._target] = f"the lock on {path}"


def _lock_of(files: Files, file: Opened) -> FileLock:
    lock: FileLock | None = files.locks.get(file.identity)
    if lock is None:
        lock = files.locks[file.identity] = FileLock(files.models.runtime, file.path)
    return lock


def _flock(models: Models, real: Any, fd: Any, operation: int, /) -> None:
    descriptor = number_of(models, fd)
    files = _files.of_run(models)
    file = _files.settle_use(models, descriptor, position=False, inside=False)
    if file is None or operation & fcntl.LOCK_SH:
        count_uncontrolled(models.runtime, "fcntl.flock")
        real(fd, operation)
        return
    lock = _lock_of(files, file)
    if operation & fcntl.LOCK_UN:
        _give_up(files, file)
    elif lock.owner is not file:
        if not lock.inner.acquire(not operation & fcntl.LOCK_NB):
            real(fd, operation)  # it finds the lock taken, too, and raises the error
            return
        lock.owner = file
        try:
            real(fd, operation | fcntl.LOCK_NB)
        except BlockingIOError:
            count_uncontrolled(models.runtime, "fcntl.flock, held by another process")
            real(fd, operation)
        return
    real(fd, operation)


def _give_up(files: Files, file: Opened) -> None:
    """An open file releases its lock, if it holds it."""
    lock: FileLock | None = files.locks.get(file.identity)
    if lock is not None and lock.owner is file:
        lock.inner.release()
        lock.owner = None


_files.when_closed.append(_give_up)


def _lockf(models: Models, real: Any, fd: Any, operation: int, *where: int) -> Any:
    _files.settle_use(models, number_of(models, fd), position=False, inside=False)
    try:
        return real(fd, operation | fcntl.LOCK_NB, *where)
    except OSError:
        count_uncontrolled(models.runtime, "fcntl.lockf, held by another process")
        return real(fd, operation, *where)


replace_function(fcntl, "flock", _flock)
replace_function(fcntl, "lockf", _lockf)
