"""Files as the journal keeps them: described, identified and copied, by the real functions of `os`.

Some of Python's functions for this would be taken for operations of the program, or use names that belong to the
program during an execution; so they are written here once more.
"""

from __future__ import annotations

import os
import stat
import types
from typing import Any, Final

from mazurka.program.python.instrument.own import contextlib

#: The real functions, before they are replaced.
system: Final = types.SimpleNamespace(**vars(os))


def description_of(status: os.stat_result) -> dict[str, Any]:
    """A file's permissions, times (in nanoseconds), owner, size (in bytes) and identity, in the form of the log."""
    return {
        "mode": stat.S_IMODE(status.st_mode),
        "atime": status.st_atime_ns,
        "mtime": status.st_mtime_ns,
        "owner": [status.st_uid, status.st_gid],
        "size": status.st_size,
        "ino": [status.st_dev, status.st_ino],
    }


def restore_description(path: str, entry: dict[str, Any]) -> None:
    """Give a file its permissions, owner and times back; raises OSError if its permissions can't be set."""
    status = system.lstat(path)
    if [status.st_uid, status.st_gid] != entry["owner"]:
        with contextlib.suppress(OSError):
            system.chown(path, *entry["owner"])
    if stat.S_IMODE(status.st_mode) != entry["mode"]:
        system.chmod(path, entry["mode"])
    with contextlib.suppress(OSError):
        system.utime(path, ns=(entry["atime"], entry["mtime"]))


def identity_at(path: str) -> tuple[int, int] | None:
    """The device and inode of the file at a path, without following a link; None if there is no file."""
    try:
        status = system.lstat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def identity_of(handle: int) -> tuple[int, int]:
    """The device and inode of an open file, by its descriptor."""
    status = system.fstat(handle)
    return status.st_dev, status.st_ino


def is_there(path: str) -> bool:
    """Whether an entry has that name, also if it is a broken link."""
    return identity_at(path) is not None


def make_folders(path: str) -> None:
    """Like ``os.makedirs``, whose steps would be those of the program."""
    missing = []
    while not is_there(path):
        missing.append(path)
        path = system.path.dirname(path)
    for each in reversed(missing):
        with contextlib.suppress(FileExistsError):
            system.mkdir(each, 0o700)


def make_temporary(folder: str, prefix: str = "copy-") -> tuple[int, str]:
    """A new file in a folder: its descriptor and path. Like `tempfile`, whose names belong to the program during an
    execution; raises OSError if no file can be made."""
    number = 0
    while True:
        name = system.path.join(folder, f"{prefix}{system.getpid()}-{number}")
        try:
            return system.open(name, system.O_RDWR | system.O_CREAT | system.O_EXCL | system.O_CLOEXEC, 0o600), name
        except FileExistsError:
            number += 1


def copy_content(source: str, target: str, *, existing: bool = False) -> None:
    """Copy the content of a file; with ``existing``, into the file that is there. Raises OSError."""
    reading = system.open(source, system.O_RDONLY | system.O_CLOEXEC)
    try:
        flags = system.O_WRONLY | system.O_CLOEXEC | (0 if existing else system.O_CREAT | system.O_EXCL)
        writing = system.open(target, flags, 0o600)
        try:
            total = 0
            while chunk := system.read(reading, 1 << 20):
                total += len(chunk)
                while chunk:
                    chunk = chunk[system.write(writing, chunk) :]
            system.ftruncate(writing, total)
        finally:
            system.close(writing)
    finally:
        system.close(reading)
