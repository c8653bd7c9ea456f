"""`fcntl`: locks on files, between threads of the program.

``flock`` locks belong to open files: two threads that have each opened the file keep each other out, two that share
one don't. Locks of ``lockf`` belong to the process: threads never keep each other out by these. A lock is a location
of its own, ``("flock", path)``. It is taken for real, too, so that other processes see it; what they hold is
uncontrolled.
"""

from __future__ import annotations

import fcntl
from typing import Any, Final

from mazurka.program.protocol import Target
from mazurka.program.python.outside import files as _files
from mazurka.program.python.outside.channels import Waiting
from mazurka.program.python.outside.replacing import replace_function
from mazurka.program.python.primitives.run import Models, count_uncontrolled
from mazurka.trace.event import Op

_UNTAKEN: Final = "fcntl.flock, held by another process"


def _flock(models: Models, real: Any, fd: Any, operation: int, /) -> None:
    descriptor = fd if isinstance(fd, int) else fd.fileno()
    files = _files.of_run(models)
    file = files.descriptors.get(descriptor)
    if file is None:
        count_uncontrolled(models.kernel, "fcntl.flock")
        real(fd, operation)
        return
    holders = files.locks.setdefault(file.content, {})
    kernel = models.kernel
    target: Target = ("flock", file.content)
    if kernel.detail:
        kernel.names.setdefault(target, f"the lock on {file.content}")

    def is_free() -> bool:
        others = [shared for holder, shared in holders.items() if holder is not file and holder.uses > 0]
        return not others or (bool(operation & fcntl.LOCK_SH) and all(others))

    if operation & fcntl.LOCK_UN:
        kernel.visit(Op.RMW, target, 0, None, (), True)
        holders.pop(file, None)
        real(fd, operation)
        return
    if operation & fcntl.LOCK_NB:
        if not kernel.attempt(Op.RMW, target, is_free):
            real(fd, operation)  # which finds it taken, too
            return
    else:
        kernel.block(Op.RMW, target, is_free, waiting_for=Waiting(f"the lock on {file.content}"))
    holders[file] = bool(operation & fcntl.LOCK_SH)
    try:
        real(fd, operation | fcntl.LOCK_NB)
    except BlockingIOError:
        holders.pop(file)
        count_uncontrolled(kernel, _UNTAKEN)
        real(fd, operation)
        holders[file] = bool(operation & fcntl.LOCK_SH)


def _lockf(models: Models, real: Any, fd: Any, operation: int, *where: int) -> Any:
    try:
        return real(fd, operation | fcntl.LOCK_NB, *where)
    except OSError:
        count_uncontrolled(models.kernel, "fcntl.lockf, held by another process")
        return real(fd, operation, *where)


replace_function(fcntl, "flock", _flock)
replace_function(fcntl, "lockf", _lockf)
