"""The journal of an execution's changes to files: files that it creates, changes or removes are put back after it.

Before an operation takes effect, a line that says how to undo it is appended to a log on disk, and data that it would
destroy is copied beside the log. Undoing reads the log backwards and shortens it line by line, so that a process that
is killed during an execution, or while it undoes one, leaves a log with which the next process that uses the journal
can finish: a program has one journal, held by one process at a time (``flock``), and a process that gets hold of one
that is not empty undoes it first. So executions that touch files take turns, too, whichever process makes them. The
journals of all programs are looked through before a check.

No data of the user is lost:

- for data that can't be kept (no room, no permission, too large, no plain file), :class:`NotKept` is raised, and the
  operation must not be made;
- a file that another process has changed meanwhile is left as it is, and the copy kept of it is moved to the folder
  ``kept``; :attr:`Journal.troubles` reports this.

Content is written back into the same file where it still exists, so that hard links and owners stay.

Cost: an ``flock`` for an execution that touches files, two system calls for each file that it changes.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
import tempfile
from collections.abc import Callable
from hashlib import blake2b
from typing import Any, Final

from mazurka.program.python.instrument.own import contextlib, copy_of
from mazurka.program.python.outside.kept_files import (
    copy_content,
    description_of,
    identity_at,
    identity_of,
    is_there,
    make_folders,
    make_temporary,
    restore_description,
)
from mazurka.program.python.outside.kept_files import (
    system as _os,
)
from mazurka.program.state_folder import state_folder

# The real functions, before they are replaced.
_flock: Final[Callable[[int, int], None]] = fcntl.flock
_fcntl: Final[Callable[[int, int, int], int]] = fcntl.fcntl

#: The first number for descriptors of our own.
_OUT_OF_THE_WAY: Final = 512

# A copy: notes are also made by threads of ours, which must run no code that is instrumented (:mod:`.child_watch`).
_encode: Final[Callable[[object], str]] = copy_of("json.encoder").JSONEncoder().encode

#: Bytes: larger files are not copied, nor more than :data:`MOST` in one execution.
LARGEST: Final = 64 << 20
MOST: Final = 256 << 20

#: Nanoseconds by which clocks of file systems may be behind each other.
_SLACK: Final = 100_000_000


class NotKept(Exception):
    """Data that an operation would destroy could not be kept; the message says why."""


def _fallback() -> str:
    try:
        folder = tempfile.gettempdir()
    except OSError:  # no folder is writable: no data can be kept then, and the attempt raises the error
        folder = "/tmp"
    return str(_os.path.join(folder, f"mazurka-{_os.getuid()}"))


def out_of_the_way(handle: int) -> int:
    """The same open file under a number that no descriptor of the program gets: a program that closes one of its own
    twice must not close ours."""
    try:
        moved = _fcntl(handle, fcntl.F_DUPFD_CLOEXEC, _OUT_OF_THE_WAY)
    except OSError:
        return handle  # the process may have no more
    _os.close(handle)
    return moved


class Journal:
    """One process's hold on the journal."""

    def __init__(self) -> None:
        self.troubles: list[str] = []  # the changes that could not be put back, in words
        self.name = ""  # the name of the program, as a digest
        self._folders: tuple[str, ...] = ()
        self._folder = ""
        self._lock = -1
        self._log = -1
        self._owner = 0  # the process that opened the files of the journal
        self._held = False
        self.waits = False  # whether it waits for another process to release the journal
        self._fresh: set[tuple[int, int]] = set()  # files made in this execution
        self._kept: set[tuple[int, int]] = set()  # files whose content is kept
        self._left: dict[tuple[int, int], tuple[int, int]] = {}  # size and time of files as this execution left them
        self._names: dict[tuple[int, int], str] = {}  # where files are that have been renamed, or removed
        self._room = MOST

    # -- holding it ----------------------------------------------------------------------------

    def find(self, name: str = "") -> None:
        """Determine the folder of the journal of that name; not during an execution, whose environment is that of the
        program."""
        if not self._held:
            self.close()
        self.name = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        self._folders = tuple([_os.path.join(each, "journals", self.name) for each in (state_folder(), _fallback())])

    def hold(self) -> None:
        """Take hold of the journal until :meth:`put_back`; waits for other processes, and undoes the changes that one
        has left."""
        if self._held:
            return
        self._take(fcntl.LOCK_EX)
        self._held = True
        self._fresh.clear()
        self._kept.clear()
        self._left.clear()
        self._names.clear()
        self._room = MOST
        self._undo(recovering=True)

    def recover(self) -> None:
        """Undo the changes of a process that has ended, if there are any and no process holds the journal."""
        if self._held:
            return
        try:
            self._take(fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (OSError, NotKept):
            return
        try:
            self._undo(recovering=True)
        finally:
            _flock(self._lock, fcntl.LOCK_UN)

    def recover_others(self) -> None:
        """Undo such changes in all journals of the user, of any program."""
        if not self._folders:
            self.find()
        for folder in {_os.path.dirname(each) for each in self._folders}:
            with contextlib.suppress(OSError):
                for name in _os.listdir(folder):
                    if _os.path.join(folder, name) not in self._folders:
                        self._recover_one(_os.path.join(folder, name))

    def _recover_one(self, folder: str) -> None:
        other = Journal()
        other._folders = (folder,)
        other.recover()
        self.troubles += other.take_troubles()
        other.close()

    def _take(self, how: int) -> None:
        """Lock the journal. Its last user removes it, so there may be a new one by now, which is locked instead."""
        while True:
            self._open()
            self.waits = True
            try:
                _flock(self._lock, how)
            finally:
                self.waits = False
            if identity_at(_os.path.join(self._folder, "lock")) == identity_of(self._lock):
                return
            self._let_go()

    @property
    def is_held(self) -> bool:
        """Whether this process holds the journal's lock, so that changes are put back."""
        return self._held

    def put_back(self) -> None:
        """Undo all noted changes, and release the journal for other processes."""
        if self._held:
            try:
                self._undo(recovering=False)
            finally:
                self._held = False
                _flock(self._lock, fcntl.LOCK_UN)

    def take_troubles(self) -> list[str]:
        """The changes that could not be put back since the last call."""
        troubles, self.troubles = self.troubles, []
        return troubles

    def close(self) -> None:
        """Unlock the journal, and remove it if no other process uses it."""
        if self._owner != _os.getpid():
            return
        with contextlib.suppress(OSError):
            _flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not _os.fstat(self._log).st_size and identity_of(self._lock) == identity_at(f"{self._folder}/lock"):
                _os.unlink(_os.path.join(self._folder, "log"))
                _os.unlink(_os.path.join(self._folder, "lock"))
                _os.rmdir(self._folder)
        self._let_go()

    def _let_go(self) -> None:
        for handle in (self._lock, self._log):
            _os.close(handle)
        self._owner = 0

    def _open(self) -> None:
        if self._owner == _os.getpid():
            return  # a forked child opens its own files: a lock belongs to the process that opened them
        if not self._folders:
            self.find()
        reason = ""
        for folder in self._folders:
            try:
                self._open_in(folder)
            except OSError as error:
                reason = reason or error.strerror or str(error)
            else:
                return
        raise NotKept(f"no journal can be kept: {reason}")

    def _open_in(self, folder: str) -> None:
        make_folders(folder)
        status = _os.stat(folder)
        if status.st_uid != _os.getuid():
            raise PermissionError(1, "the folder of the journal belongs to another user")
        lock = _os.open(_os.path.join(folder, "lock"), _os.O_RDWR | _os.O_CREAT | _os.O_CLOEXEC, 0o600)
        try:
            log = _os.open(_os.path.join(folder, "log"), _os.O_RDWR | _os.O_CREAT | _os.O_APPEND | _os.O_CLOEXEC, 0o600)
        except OSError:
            _os.close(lock)
            raise
        self._folder, self._lock, self._log = folder, out_of_the_way(lock), out_of_the_way(log)
        self._owner, self._held = _os.getpid(), False

    # -- noting coming changes -------------------------------------------------------------------------------------

    def creating(self, path: str) -> None:
        """An entry that does not exist yet is about to be made."""
        self._note({"do": "remove", "path": path, "times": self._times(_os.path.dirname(path))})

    def created(self, path: str) -> None:
        """The entry has been made: note its identity."""
        try:
            status = _os.lstat(path)
        except OSError:
            return
        self._fresh.add((status.st_dev, status.st_ino))
        with contextlib.suppress(NotKept):  # without this note, any entry there will be taken for ours
            self._note({"do": "made", "path": path, "ino": [status.st_dev, status.st_ino]})

    def is_fresh(self, status: os.stat_result) -> None:
        """A file without a name has been made."""
        self._fresh.add((status.st_dev, status.st_ino))

    def _was_made(self, path: str, status: os.stat_result) -> bool:
        """Whether this execution has made a file, or the folder that it is in (code in C, like SQLite, makes files)."""
        identity: tuple[int, int] | None = (status.st_dev, status.st_ino)
        if identity in self._fresh:
            return True
        if not self._fresh or (status.st_nlink > 1 and not stat.S_ISDIR(status.st_mode)):
            return False
        while identity is not None and identity not in self._names:  # an entry that was moved there was made before
            if identity in self._fresh:
                return True
            above = _os.path.dirname(path)
            if above == path:
                return False
            path, identity = above, identity_at(above)
        return False

    def writing(self, path: str, status: os.stat_result) -> None:
        """The content of a plain file is about to change."""
        identity = status.st_dev, status.st_ino
        if identity in self._kept or self._was_made(path, status):
            return
        if not stat.S_ISREG(status.st_mode):
            raise NotKept("it is no plain file")
        name = next(
            (each for each in (path, self._names.get(identity)) if each and identity_at(each) == identity), None
        )
        if name is None:
            raise NotKept("it has another name by now, which is not known")
        copy = self._copy(name, status)
        self._note({"do": "write", "path": name, "copy": copy, **description_of(status)})
        self._kept.add(identity)

    def appending(self, path: str, status: os.stat_result) -> None:
        """A plain file may get longer, and not change otherwise: undoing that needs no copy."""
        identity = status.st_dev, status.st_ino
        if identity not in self._kept and not self._was_made(path, status):
            self._note({"do": "shorten", "path": path, **description_of(status)})

    def wrote(self, status: os.stat_result) -> None:
        """The content of a file has been changed: note its size and time."""
        self._left[status.st_dev, status.st_ino] = status.st_size, status.st_mtime_ns
        _os.utime(self._log)  # the time of the log shows when it was used last

    def describing(self, path: str, status: os.stat_result) -> None:
        """Permissions, times or owner of a file are about to change."""
        if not self._was_made(path, status):
            self._note({"do": "describe", "path": path, **description_of(status)})

    def removing(self, path: str) -> None:
        """An entry is about to be removed, or replaced."""
        status = _os.lstat(path)
        identity = status.st_dev, status.st_ino
        times = self._times(_os.path.dirname(path))
        entry: dict[str, Any] = {"path": path, "times": times, **description_of(status)}
        if self._was_made(path, status):
            if status.st_nlink == 1 or stat.S_ISDIR(status.st_mode):
                self._fresh.discard(identity)  # its number may be assigned to another file
        elif stat.S_ISLNK(status.st_mode):
            self._note({"do": "link", "to": _os.readlink(path), **entry})
        elif stat.S_ISDIR(status.st_mode):
            self._note({"do": "folder", **entry})
        elif stat.S_ISREG(status.st_mode):
            linked = self._link(path)
            if not linked and status.st_nlink > 1:
                raise NotKept("it has other names (hard links), which it would lose")
            copy = linked or self._copy(path, status)
            self._note({"do": "file", "copy": copy, "linked": bool(linked), **entry})
            if linked:
                self._names[identity] = linked
            else:
                self._kept.add(identity)
        else:
            raise NotKept("it is no plain file")

    def renaming(self, path: str, to: str) -> None:
        """An entry is about to get another name, under which no entry exists any more."""
        status = _os.lstat(path)
        times = [self._times(_os.path.dirname(each)) for each in (path, to)]
        self._note({"do": "rename", "path": path, "to": to, "ino": [status.st_dev, status.st_ino], "both": times})
        self._names[status.st_dev, status.st_ino] = to

    def _times(self, folder: str) -> list[int] | None:
        try:
            status = _os.stat(folder)
        except OSError:
            return None
        return [status.st_atime_ns, status.st_mtime_ns]

    def _note(self, entry: dict[str, Any]) -> None:
        line = _encode(entry).encode() + b"\n"
        try:
            written = _os.write(self._log, line)
        except OSError as error:
            raise NotKept(f"its journal can't be written: {error.strerror}") from None
        if written != len(line):
            size = _os.fstat(self._log).st_size
            _os.ftruncate(self._log, size - written)
            raise NotKept("its journal can't be written: no space left on device")

    def _copy(self, path: str, status: os.stat_result) -> str:
        """A copy of a file's content beside the log."""
        if status.st_size > LARGEST:
            raise NotKept(f"it is larger than {LARGEST >> 20} MB")
        if status.st_size > self._room:
            raise NotKept(f"an execution would change more than {MOST >> 20} MB of files")
        name = self._new_name()
        try:
            copy_content(path, name)
        except OSError as error:
            with contextlib.suppress(OSError):
                _os.unlink(name)
            raise NotKept(f"no copy can be kept: {error.strerror or error}") from None
        self._room -= status.st_size
        return name

    def _link(self, path: str) -> str:
        """Another name for a file beside the log; "" if that is on another file system."""
        name = self._new_name()
        try:
            _os.link(path, name)
        except OSError:
            return ""
        return name

    def _new_name(self) -> str:
        try:
            handle, name = make_temporary(self._folder)
        except OSError as error:
            raise NotKept(f"no copy can be kept: {error.strerror or error}") from None
        _os.close(handle)
        _os.unlink(name)
        return name

    # -- undoing ----------------------------------------------------------------------------

    def _undo(self, *, recovering: bool) -> None:
        size = _os.fstat(self._log).st_size
        if not size:
            return
        used = _os.fstat(self._log).st_mtime_ns
        text = _os.pread(self._log, size, 0)
        while len(text) < size:
            text += _os.pread(self._log, size - len(text), len(text))
        lines = text.splitlines(keepends=True)
        made: dict[str, list[int]] = {}
        while lines:
            line = lines.pop()
            size -= len(line)
            entry = _parsed(line)
            if entry is not None:
                try:
                    self._undo_one(entry, made, used if recovering else None)
                except OSError as error:
                    self._give_up(entry, error.strerror or str(error))
            if entry is None or entry["do"] != "made":
                _os.ftruncate(self._log, size)
        _os.ftruncate(self._log, 0)  # drops the notes of made entries, too, which the loop leaves
        for name in _os.listdir(self._folder):
            if name not in ("log", "lock"):
                with contextlib.suppress(OSError):
                    _os.unlink(_os.path.join(self._folder, name))

    def _undo_one(self, entry: dict[str, Any], made: dict[str, list[int]], used: int | None) -> None:
        path = entry["path"]
        match entry["do"]:
            case "made":
                made[path] = entry["ino"]
            case "remove":
                self._remove(path, made.pop(path, None))
            case "write":
                self._write_back(entry, used)
            case "shorten":
                self._shorten(entry, used)
            case "describe":
                restore_description(path, entry)
            case "link":
                if not is_there(path):
                    _os.symlink(entry["to"], path)
                    with contextlib.suppress(OSError):
                        _os.utime(path, ns=(entry["atime"], entry["mtime"]), follow_symlinks=False)
            case "folder":
                with contextlib.suppress(FileExistsError):
                    _os.mkdir(path)
                restore_description(path, entry)
            case "file":
                self._bring_back(entry)
            case "rename":
                self._rename_back(entry)
        for folder, times in (
            (_os.path.dirname(path), entry.get("times")),
            *zip(
                (_os.path.dirname(path), _os.path.dirname(entry.get("to") or "")), entry.get("both", ()), strict=False
            ),
        ):
            if times is not None:
                with contextlib.suppress(OSError):
                    _os.utime(folder, ns=tuple(times))

    def _remove(self, path: str, made: list[int] | None) -> None:
        try:
            status = _os.lstat(path)
        except OSError:
            return
        if made is not None and made != [status.st_dev, status.st_ino]:
            self.troubles.append(f"{path}: another program has put something there")
            return
        if stat.S_ISDIR(status.st_mode):
            try:
                _os.rmdir(path)
            except OSError:
                self.troubles.append(f"{path}: entries that another program has put into it are left there")
        else:
            _os.unlink(path)

    def _write_back(self, entry: dict[str, Any], used: int | None) -> None:
        path, copy = entry["path"], entry["copy"]
        try:
            handle = _os.open(path, _os.O_RDONLY | _os.O_NOFOLLOW | _os.O_CLOEXEC)
        except FileNotFoundError:
            self._bring_back({**entry, "linked": False})
            return
        try:
            status = _os.fstat(handle)
        finally:
            _os.close(handle)
        if [status.st_dev, status.st_ino] != entry["ino"] or not self._is_as_left(status, used):
            self._give_up(entry, "another program has changed it meanwhile")
            return
        if used is not None or (status.st_dev, status.st_ino) in self._left:
            if not _os.access(path, _os.W_OK):
                _os.chmod(path, stat.S_IMODE(status.st_mode) | stat.S_IWUSR)
            copy_content(copy, path, existing=True)
        restore_description(path, entry)

    def _shorten(self, entry: dict[str, Any], used: int | None) -> None:
        status = _os.lstat(entry["path"])
        if [status.st_dev, status.st_ino] != entry["ino"] or status.st_size <= entry["size"]:
            return
        if not self._is_as_left(status, used):
            self._give_up(entry, "another program has changed it meanwhile")
            return
        _os.truncate(entry["path"], entry["size"])
        restore_description(entry["path"], entry)

    def _is_as_left(self, status: os.stat_result, used: int | None) -> bool:
        if used is not None:
            return status.st_mtime_ns <= used + _SLACK
        left = self._left.get((status.st_dev, status.st_ino))
        return left is None or left == (status.st_size, status.st_mtime_ns)  # None: the write failed

    def _bring_back(self, entry: dict[str, Any]) -> None:
        path, copy = entry["path"], entry["copy"]
        if is_there(path):
            status = _os.lstat(path)
            if [status.st_dev, status.st_ino] == entry["ino"]:
                return  # the process was killed before it removed the entry
            self._give_up(entry, "another program has put something there")
            return
        if entry["linked"]:
            _os.link(copy, path)
            return
        temporary = f"{path}.mazurka-{_os.getpid()}"
        try:
            copy_content(copy, temporary)
            restore_description(temporary, entry)
            _os.rename(temporary, path)
        except OSError:
            with contextlib.suppress(OSError):
                _os.unlink(temporary)
            raise

    def _rename_back(self, entry: dict[str, Any]) -> None:
        try:
            status = _os.lstat(entry["to"])
        except OSError:
            return
        if [status.st_dev, status.st_ino] == entry["ino"] and not is_there(entry["path"]):
            _os.rename(entry["to"], entry["path"])

    def _give_up(self, entry: dict[str, Any], why: str) -> None:
        """Leave a file as it is; its copy moves to the folder ``kept``."""
        text = f"{entry['path']}: {why}"
        copy = entry.get("copy")
        if copy and is_there(copy):
            folder = _os.path.join(_os.path.dirname(_os.path.dirname(self._folder)), "kept")
            with contextlib.suppress(OSError):
                make_folders(folder)
                handle, name = make_temporary(folder, _os.path.basename(entry["path"]) + "-")
                _os.close(handle)
                _os.rename(copy, name)
                text += f"; as it was before, it is kept in {name}"
        self.troubles.append(text)


def _parsed(line: bytes) -> dict[str, Any] | None:
    """An entry of the log; None for one that was not written whole, so that its operation was not made."""
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    return entry if isinstance(entry, dict) else None
