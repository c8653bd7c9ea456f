"""Files that were open for writing before a check began, as a module's own log: no step shows writes to them.

So their content and position are saved at the start of every run and put back at its end; a run that has changed one
reports it, and its verdict is inconclusive.

Cost: if any plain file is open for writing before a check, one look through the objects made since the last check; a
system call for each such file and run.
"""

from __future__ import annotations

import fcntl
import os
import stat
import sys
from typing import Any, Final

from mazurka.program.python.instrument import known_functions
from mazurka.program.python.instrument.own import contextlib
from mazurka.program.python.outside.files import JOURNAL
from mazurka.program.python.outside.journal import NotKept
from mazurka.program.python.outside.replacing import ASIDE

_realpath: Final = os.path.realpath
_fstat: Final = os.fstat
_lstat: Final = os.lstat
_lseek: Final = os.lseek
_listdir: Final = os.listdir
_flags: Final = fcntl.fcntl

#: Open files and their paths.
_known: Final[list[tuple[Any, str]]] = []

#: The files at the start of the run: descriptor, path, state, position.
_at_start: Final[list[tuple[int, str, os.stat_result, int]]] = []


def look() -> None:
    """Find all such files; to be called before the collector is held, which hides objects."""
    _known.clear()
    if not _are_any_open():
        return
    for each in known_functions.open_files():
        with contextlib.suppress(OSError, ValueError):  # its descriptor has been closed, by `os.close`, say
            if each.writable() and isinstance(each.name, str):
                status, path = _fstat(each.fileno()), _realpath(each.name)
                if stat.S_ISREG(status.st_mode) and _is_at(path, status):
                    _known.append((each, path))


def _are_any_open() -> bool:
    """Whether this process has a plain file open for writing that still has a name: pytest captures output into one
    that has none. The standard streams do not count: their names are no paths."""
    try:
        numbers = {int(name) for name in _listdir("/dev/fd")}
    except (OSError, ValueError):
        return True  # this can't be known
    for number in numbers - _standard():
        with contextlib.suppress(OSError):  # the descriptor of the listing is closed by now
            found = _fstat(number)
            if not stat.S_ISREG(found.st_mode) or not found.st_nlink:
                continue
            if _flags(number, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY:
                return True
    return False


def _standard() -> set[int]:
    """The descriptors of the streams that the interpreter began with."""
    found = set()
    for stream in (sys.__stdin__, sys.__stdout__, sys.__stderr__):
        with contextlib.suppress(OSError, ValueError):  # it has been closed
            if stream is not None:
                found.add(stream.fileno())
    return found


def forget() -> None:
    """Forget which descriptors were open; call it when a check ends."""
    _known.clear()


def _is_at(path: str, status: os.stat_result) -> bool:
    try:
        found = _lstat(path)
    except OSError:
        return False
    return (found.st_dev, found.st_ino) == (status.st_dev, status.st_ino)


def begin_run() -> list[str]:
    """Save the contents of the files; returns the files that could not be saved, in words."""
    _at_start.clear()
    troubles = []
    for file, path in _known:
        if file.closed:
            continue
        try:
            with ASIDE:
                status = _fstat(file.fileno())
                position = _lseek(file.fileno(), 0, os.SEEK_CUR)
                JOURNAL.hold()
                if position == status.st_size:  # like a log
                    JOURNAL.appending(path, status)
                else:
                    JOURNAL.writing(path, status)
                _at_start.append((file.fileno(), path, status, position))
        except (OSError, NotKept) as reason:
            troubles.append(f"{path}: {reason}")
    return troubles


def end_run() -> list[str]:
    """The paths of files that the run has changed; the journal puts them back with its other changes."""
    changed = []
    for descriptor, path, before, position in _at_start:
        try:
            status = _fstat(descriptor)
            _lseek(descriptor, position, os.SEEK_SET)
        except OSError:
            continue  # the file was closed, which flushed it
        if (status.st_size, status.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
            JOURNAL.wrote(status)
            changed.append(path)
    _at_start.clear()
    return changed
