"""The effects of a child process's system calls outside of it: accesses to locations, and notes in the journal.

The files that a call may change are noted in the journal before it is made. A call that is not known to act only on
files, or on the child and its own children, is kept in words as a trouble.

This runs in a real thread of ours: it uses functions in C and code of our own only (:mod:`.child_watch`).
"""

from __future__ import annotations

import ctypes
import os
import posix
import socket
import stat
import struct
from collections.abc import Callable
from typing import Final

from mazurka.program.python.outside import paths
from mazurka.program.python.outside.files import JOURNAL
from mazurka.program.python.outside.journal import Journal, NotKept
from mazurka.program.python.outside.paths import ResolvedPath
from mazurka.program.python.outside.system_calls import LOOKED_AT, PATH_CALLS, Effect, PathCall
from mazurka.program.python.semantics.harmless import is_stateless_device
from mazurka.trace.targets import Target

_PATH_MAX: Final = 4096
_EXCHANGE: Final = 2
_AT_FDCWD: Final = 0xFFFFFF9C

#: Devices and links to descriptors of the child's own.
_OF_ITS_OWN: Final = ("/dev/fd/", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/proc/self/", "/proc/thread-self/")


class Acts:
    """The acts of a child and of all that it starts.

    ``accesses`` maps each location outside the process to whether the child has written it. ``troubles`` describes, in
    words, those of its acts that are not known to be confined to such locations. ``written`` are paths of files whose
    content it may have changed.
    """

    def __init__(self) -> None:
        self.accesses: dict[Target, bool] = {}
        self.troubles: set[str] = set()
        self.written: set[str] = set()
        self.root = 0  # the child's number

    def look(self, process: int, number: int, arguments: list[int]) -> None:
        """Take note of a call that is about to be made."""
        name = LOOKED_AT.get(number)
        if name in PATH_CALLS:
            self._look_at_paths(process, name, PATH_CALLS[name], arguments)
        elif name in _OTHERS:
            if not _OTHERS[name](self, process, arguments):
                self.troubles.add(f"a child process that calls {name}")
        else:
            self.troubles.add(f"a child process that makes the system call {name or number}")

    def _look_at_paths(self, process: int, name: str, call: PathCall, arguments: list[int]) -> None:
        found: list[ResolvedPath] = []
        flags = self._flags(process, name, call, arguments)
        for base_at, path_at in call.paths:
            base = arguments[base_at] & 0xFFFFFFFF if base_at >= 0 else _AT_FDCWD
            text = _text(process, arguments[path_at]) if path_at >= 0 and arguments[path_at] else b""
            start = f"/proc/{process}/cwd" if base == _AT_FDCWD else f"/proc/{process}/fd/{base}"
            if text[:1] != b"/":
                try:
                    start = posix.readlink(start)
                except OSError:
                    return  # no such descriptor: the call is about to fail
                if not start.startswith("/"):
                    return  # a pipe of the child
            path = os.fsdecode(text)
            if self._is_of_the_system(process, path, call.effect, flags):
                return
            follow = call.follows and not (call.effect is Effect.OPEN and flags & os.O_NOFOLLOW)
            follow = follow and not (call.effect is Effect.OPEN and flags & os.O_CREAT and flags & os.O_EXCL)
            found.append(paths.resolve(path, start, follow=follow))
        self._act(call.effect, found, flags)

    def _flags(self, process: int, name: str, call: PathCall, arguments: list[int]) -> int:
        if name == "creat":
            return os.O_CREAT | os.O_WRONLY | os.O_TRUNC
        if name == "openat2":
            return int(struct.unpack("=Q", _memory(process, arguments[call.flags], 8))[0])
        return arguments[call.flags] & 0xFFFFFFFF if call.flags >= 0 else 0

    def _is_of_the_system(self, process: int, path: str, effect: Effect, flags: int) -> bool:
        """Whether a path is one of the system, and not of a file; a use that other processes may notice is added to the
        troubles."""
        if not path.startswith(("/dev/", "/proc/", "/sys/")) and path not in ("/proc", "/dev", "/sys"):
            return False
        if path.startswith((*_OF_ITS_OWN, f"/proc/{process}/")):
            return True
        part = path.split("/")[2] if path.count("/") > 1 else ""
        changes = effect not in (Effect.LOOK, Effect.OPEN) or flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        looks_at_others = path.startswith("/proc") and (not part or part.isdecimal())
        if effect is Effect.OPEN and path.startswith("/dev/"):
            try:
                changes = not is_stateless_device(posix.stat(path))
            except OSError:
                changes = bool(flags & os.O_CREAT)
        if changes or looks_at_others:
            self.troubles.add(f"a child process that uses {path}")
        return True

    # -- effects ---------------------------------------------------------------------------------

    def _act(self, effect: Effect, found: list[ResolvedPath], flags: int) -> None:
        for each in found:
            for passed in each.passed:
                self._read(paths.entry(passed)[0])
        path = found[-1].path
        if paths.is_system(path):
            return  # by way of a link
        match effect:
            case Effect.LOOK:
                self._looked(path)
            case Effect.EXECUTE:
                self._execute(path)
            case Effect.OPEN:
                self._open(found[-1], flags)
            case Effect.MAKE:
                self._make(found[-1])
            case Effect.LINK:
                self._changed(found[0].path)
                self.troubles.add(f"a child process that gives {found[0].path} another name")
                self._make(found[-1])
            case Effect.REMOVE:
                self._remove(found[-1])
            case Effect.RENAME:
                self._rename(found[0], found[1], flags)
            case Effect.TRUNCATE:
                self._change(path)
            case Effect.DESCRIBE:
                self._describe(path)

    def _read(self, target: Target) -> None:
        self.accesses.setdefault(target, False)

    def _looked(self, path: str) -> None:
        self._read(paths.entry(path)[0])
        self._read(paths.content(path)[0])

    def _changed(self, path: str) -> None:
        self.accesses[paths.content(path)[0]] = True

    def _changes_entry(self, found: ResolvedPath) -> None:
        self.accesses[paths.entry(found.path)[0]] = True
        self.accesses[paths.listing(found.folder)[0]] = True
        self._changed(found.path)

    def _execute(self, path: str) -> None:
        self._looked(path)
        status = _status(path)
        if status is not None and status.st_mode & (stat.S_ISUID | stat.S_ISGID):
            self.troubles.add(f"a child process that executes {path}, which would change its user")

    def _open(self, found: ResolvedPath, flags: int) -> None:
        status = _status(found.path)
        self._looked(found.path)
        if status is not None and stat.S_ISDIR(status.st_mode):
            self._read(paths.listing(found.path)[0])
            if flags & getattr(os, "O_TMPFILE", 0) == getattr(os, "O_TMPFILE", -1):
                self.troubles.add(f"a child process that makes a file without a name in {found.path}")
            return
        if status is not None and not stat.S_ISREG(status.st_mode) and not flags & os.O_PATH:
            self.troubles.add(f"a child process that uses {found.path}")  # a pipe with a name, say
        if flags & os.O_CREAT and status is None:
            self._make(found)
            self.written.add(found.path)
        elif flags & (os.O_WRONLY | os.O_RDWR | os.O_TRUNC) and status is not None:
            self._change(found.path)

    def _change(self, path: str) -> None:
        """A file's content may be changed from now on."""
        self._changed(path)
        status = _status(path)
        if status is None:
            return
        if not stat.S_ISREG(status.st_mode):
            self.troubles.add(f"a child process that uses {path}")
            return
        if status.st_nlink > 1:
            self.troubles.add(f"a child process that writes to {path}, which has other names,")
        self.written.add(path)
        _journal().writing(path, status)

    def _make(self, found: ResolvedPath) -> None:
        self._changes_entry(found)
        if _status(found.path) is None:
            _journal().creating(found.path)

    def _remove(self, found: ResolvedPath) -> None:
        self._changes_entry(found)
        if _status(found.path) is not None:
            _journal().removing(found.path)

    def _rename(self, source: ResolvedPath, target: ResolvedPath, flags: int) -> None:
        self._changes_entry(source)
        self._changes_entry(target)
        status = _status(source.path)
        if status is None:
            return
        if flags & _EXCHANGE or stat.S_ISDIR(status.st_mode):
            self.troubles.add(f"a child process that renames the folder {source.path}")
        if _status(target.path) is not None:
            _journal().removing(target.path)
        _journal().renaming(source.path, target.path)

    def _describe(self, path: str) -> None:
        self._changed(path)
        status = _status(path)
        if status is not None:
            _journal().describing(path, status)

    # -- other calls -----------------------------------------------------------------------------

    def is_own(self, process: int) -> bool:
        """Whether a process, or thread, is the child or was started by it."""
        for _ in range(100):
            if process == self.root:
                return True
            parent = _parent(process)
            if parent <= 1:
                return False
            process = parent
        return False


def _is_signal_to_its_own(acts: Acts, _process: int, arguments: list[int]) -> bool:
    target = ctypes.c_int(arguments[0] & 0xFFFFFFFF).value
    return target > 0 and acts.is_own(target)


def _is_limit_of_its_own(acts: Acts, process: int, arguments: list[int]) -> bool:
    return arguments[2] == 0 or arguments[0] in (0, process)


def _leads_nowhere(acts: Acts, process: int, arguments: list[int]) -> bool:
    """Whether a call connects to a socket in the file system that does not exist."""
    address = _memory(process, arguments[1], min(arguments[2] & 0xFFFFFFFF, 110))
    if len(address) < 3 or struct.unpack("=H", address[:2])[0] != socket.AF_UNIX or not address[2]:
        return False
    path = os.fsdecode(address[2:].split(b"\0")[0])
    acts._looked(path)
    return path.startswith("/") and _status(path) is None


def _has_no_address(acts: Acts, _process: int, arguments: list[int]) -> bool:
    return arguments[4] == 0


def _message_has_no_address(acts: Acts, process: int, arguments: list[int]) -> bool:
    return _memory(process, arguments[1], 8) == bytes(8)


_OTHERS: Final[dict[str | None, Callable[[Acts, int, list[int]], bool]]] = {
    "kill": _is_signal_to_its_own,
    "tkill": _is_signal_to_its_own,
    "tgkill": _is_signal_to_its_own,
    "prlimit64": _is_limit_of_its_own,
    "connect": _leads_nowhere,
    "sendto": _has_no_address,
    "sendmsg": _message_has_no_address,
}


def _journal() -> Journal:
    """The journal, which the run has taken hold of."""
    if not JOURNAL.is_held:
        raise NotKept("there is no journal")
    return JOURNAL


def _status(path: str) -> os.stat_result | None:
    try:
        return posix.lstat(path)
    except OSError:
        return None


def _memory(process: int, address: int, size: int) -> bytes:
    """So many bytes of a process's memory, or as many as can be read."""
    handle = posix.open(f"/proc/{process}/mem", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return posix.pread(handle, size, address)
    finally:
        posix.close(handle)


def _text(process: int, address: int) -> bytes:
    """A text, up to the byte 0 at its end; a page at a time, since the next page may not belong to the process."""
    found = b""
    while b"\0" not in found and len(found) < _PATH_MAX:
        found += _memory(process, address + len(found), 256 - (address + len(found)) % 256)
    return found.split(b"\0")[0]


def _parent(process: int) -> int:
    """The process that has started the process of a thread; 0 if the thread has ended."""
    try:
        handle = posix.open(f"/proc/{process}/stat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return 0
    try:
        return int(posix.read(handle, 4096).rpartition(b")")[2].split()[1])
    finally:
        posix.close(handle)
