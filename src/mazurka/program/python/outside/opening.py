"""Opening files, and operations on their descriptors alone."""

from __future__ import annotations

import os
import posix
import stat
from collections.abc import Callable
from typing import Any

from mazurka.program.python.outside import channels, descriptor_numbers, paths, times
from mazurka.program.python.outside.files import (
    JOURNAL,
    Opened,
    changes_entry,
    exists,
    find,
    keep,
    of_run,
    read_descriptor,
    settle_safely,
    settle_use,
    write_descriptor,
    wrote,
)
from mazurka.program.python.outside.paths import entry
from mazurka.program.python.outside.process_state import UMASK
from mazurka.program.python.outside.replacing import ASIDE, replace_function
from mazurka.program.python.primitives.run import Models, count_untracked
from mazurka.program.python.primitives.steps import StepAccess, read
from mazurka.program.python.semantics.harmless import is_stateless_device
from mazurka.trace.event import Op


def open_path(
    models: Models, path: Any, flags: int, perform: Callable[[], int], dir_fd: int | None = None
) -> tuple[int, Opened | None]:
    """Open a file by ``perform``; returns the descriptor, and the open file or directory that it refers to."""
    files = of_run(models)
    makes = bool(flags & os.O_CREAT)
    follow = not (makes and flags & os.O_EXCL or flags & os.O_NOFOLLOW)

    def plan() -> tuple[list[StepAccess], Any]:
        found = find(models, path, dir_fd, follow=follow)
        # The accesses must not depend on the result: explorers assume that a thread's step is the same whatever steps
        # other threads have made meanwhile.
        touches = changes_entry(models, found, read(*UMASK)) if makes else [read(*entry(found.path))]
        if flags & os.O_TRUNC:
            touches += files.written(found.path)
        if not makes:
            touches += paths.on_the_way(models, found)
        return touches, (found, exists(found.path))

    planned = settle_safely(models, plan)
    if planned is None:
        descriptor = perform()
        descriptor_numbers.opened(models)
        descriptor_numbers.has(models, descriptor)
        return descriptor, None
    found, was_there = planned
    is_plain = not paths.is_system(found.path)
    if makes and not was_there:
        keep(models, found.path, lambda: JOURNAL.creating(found.path))
    elif flags & os.O_TRUNC and is_plain and stat.S_ISREG(_mode(found.path)):
        keep(models, found.path, lambda: JOURNAL.writing(found.path, posix.stat(found.path)))
    descriptor = perform()
    descriptor_numbers.opened(models)
    status = posix.fstat(descriptor)
    if makes and not was_there:
        with ASIDE:
            JOURNAL.created(found.path)
    elif flags & os.O_TRUNC:
        wrote(found.path, status)
    is_plain &= stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
    if not (is_plain or is_stateless_device(status)):
        descriptor_numbers.has(models, descriptor)
        return descriptor, None
    if status.st_nlink > 1 and stat.S_ISREG(status.st_mode) and flags & (os.O_WRONLY | os.O_RDWR):
        count_untracked(models.runtime, f"the file {found.path}, which has other names,")
    return descriptor, files.opened(descriptor, found.path, flags)


def _mode(path: str) -> int:
    try:
        return posix.lstat(path).st_mode
    except OSError:
        return 0


def _open(models: Models, real: Any, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
    descriptor, _ = open_path(models, os.fspath(path), flags, lambda: real(path, flags, mode, dir_fd=dir_fd), dir_fd)
    return descriptor


replace_function(os, "open", _open)


def _open_memory(models: Models, real: Any, *args: Any, **named: Any) -> int:
    """Stands for `os.memfd_create`: a file that has no name, and ends with its descriptors."""
    descriptor_numbers.changing(models)
    descriptor = int(real(*args, **named))
    of_run(models).opened(descriptor, f"/(memory {models.number()})", os.O_RDWR)
    JOURNAL.is_fresh(posix.fstat(descriptor))
    return descriptor


replace_function(os, "memfd_create", _open_memory)


# -- descriptors ----------------------------------------------------------------------------


def _reading(position: bool) -> Callable[..., Any]:
    def read_(models: Models, real: Any, descriptor: int, *args: Any, **named: Any) -> Any:
        channels.hold(models, args, "a read into it")
        read_descriptor(models, descriptor, position=position)
        return real(descriptor, *args, **named)

    return read_


def _writing(position: bool) -> Callable[..., Any]:
    def write_(models: Models, real: Any, descriptor: int, *args: Any, **named: Any) -> Any:
        channels.hold(models, args, "a write of them")
        return write_descriptor(models, descriptor, lambda: real(descriptor, *args, **named), position=position)

    return write_


for _name in ("pread", "preadv"):
    replace_function(os, _name, _reading(position=False))
for _name in ("pwrite", "pwritev", "ftruncate", "posix_fallocate"):
    replace_function(os, _name, _writing(position=False))
for _name in ("readv",):
    replace_function(os, _name, _reading(position=True))
for _name in ("writev",):
    replace_function(os, _name, _writing(position=True))


def _fstat(models: Models, real: Any, descriptor: int) -> Any:
    end = channels.of_run(models).by_descriptor.get(descriptor)
    if end is not None:
        number = descriptor_numbers.uses(models, descriptor)
        channels.touch(models, Op.READ, end.puts, end.gets, also=number)
    else:
        read_descriptor(models, descriptor, position=False)
    return times.looked(models, real(descriptor))


def _lseek(models: Models, real: Any, descriptor: int, position: int, how: int) -> Any:
    settle_use(models, descriptor, position=True, inside=how != os.SEEK_SET)
    return real(descriptor, position, how)


replace_function(os, "fstat", _fstat)
replace_function(os, "lseek", _lseek)


def _copy_range(models: Models, real: Any, src: int, dst: int, *args: Any, **named: Any) -> Any:
    read_descriptor(models, src)
    return write_descriptor(models, dst, lambda: real(src, dst, *args, **named))


def _sendfile(models: Models, real: Any, out_fd: int, in_fd: int, *args: Any, **named: Any) -> Any:
    read_descriptor(models, in_fd)
    return write_descriptor(models, out_fd, lambda: real(out_fd, in_fd, *args, **named))


for _name in ("copy_file_range", "splice"):
    replace_function(os, _name, _copy_range)
replace_function(os, "sendfile", _sendfile)
