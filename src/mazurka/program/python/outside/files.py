"""Files and directories: what functions of `os` do to them, as steps on locations (:mod:`.paths`).

An operation is one step, made where the system call is: looking at an entry reads it; making, removing or renaming one
changes it, and writes what its directory lists; reading and writing a file reads and writes its content. An open file
has a state of its own, its position, which goes with the file descriptor.

Before an operation takes effect, the journal notes how to undo it (:mod:`.journal`); where it can't, the run is cut
there and the operation is not made. What goes past these functions (the import system, extensions in C, child
processes) is not seen, and not put back.

The descriptors that a run opens and leaves open are closed at its end.
"""

from __future__ import annotations

import contextlib
import os
import posix
import stat
import weakref
from collections.abc import Callable, Iterator
from typing import Any, Final

from greenlet import GreenletExit

from mazurka.program.protocol import Target
from mazurka.program.python.outside import paths
from mazurka.program.python.outside.journal import Journal, NotKept
from mazurka.program.python.outside.paths import Found, content, entry, listing
from mazurka.program.python.outside.process_state import UMASK
from mazurka.program.python.outside.replacing import ASIDE, replace_function
from mazurka.program.python.outside.steps import Touch, change, pass_step, read, write
from mazurka.program.python.primitives.run import Models, count_uncontrolled
from mazurka.program.python.task import Moved

#: What a plan of an operation says: the accesses that it makes, and what it is about.
Plan = Callable[[], tuple[list[Touch], Any]]

JOURNAL: Final = Journal()


class Opened:
    """An open file: what a descriptor, or several (``dup``), stand for."""

    __slots__ = ("appends", "identity", "names", "number", "path", "uses")

    def __init__(self, number: str, path: str, identity: tuple[int, int], names: set[str], flags: int) -> None:
        self.number = number
        self.path = path  # as it was opened
        self.identity = identity
        self.names = names  # all that the file has had while it was open
        self.appends = bool(flags & os.O_APPEND)
        self.uses = 0  # descriptors

    @property
    def state(self) -> tuple[Target, str]:
        return ("open file", self.number), f"the open file {self.path}"

    def read(self) -> list[Touch]:
        """What reading from it reads."""
        return [read(*content(self.path))]

    def written(self) -> list[Touch]:
        """What writing to it writes: the file, under all names by which others read it."""
        return [write(*content(each)) for each in (self.path, *sorted(self.names - {self.path}))]


class Files:
    """What a run knows of files."""

    def __init__(self, models: Models) -> None:
        self.models = models
        self.descriptors: dict[int, Opened] = {}
        self.names: dict[tuple[int, int], set[str]] = {}  # device and number of a file that is open -> its names
        self.locks: dict[tuple[int, int], Any] = {}  # by device and number of the file
        self.positions: dict[Any, tuple[int, int]] = {}  # of files opened before the run: descriptor, and where it was
        self.streams: weakref.WeakSet[Any] = weakref.WeakSet()

    def written(self, path: str) -> list[Touch]:
        """What writing to the file at a path writes."""
        names = self.names.get(_identity(path), _NONE)
        return [write(*content(each)) for each in (path, *sorted(names - {path}))]

    def named(self, path: str, also: str) -> None:
        """What is at a path gets another name."""
        names = self.names.get(_identity(path))
        if names is not None:
            names.add(also)

    def opened(self, descriptor: int, path: str, flags: int) -> Opened:
        """A descriptor has been opened."""
        status = posix.fstat(descriptor)
        identity = status.st_dev, status.st_ino
        if flags & _UNNAMED == _UNNAMED:
            path = f"{path}/(unnamed {self.models.number()})"
            JOURNAL.is_fresh(status)
        names = self.names.setdefault(identity, set())
        names.add(path)
        file = Opened(self.models.number(), path, identity, names, flags)
        self.use(descriptor, file)
        return file

    def use(self, descriptor: int, file: Opened) -> None:
        file.uses += 1
        self.descriptors[descriptor] = file

    def closed(self, descriptor: int) -> None:
        file = self.descriptors.pop(descriptor, None)
        if file is not None:
            file.uses -= 1
            if not file.uses:
                for act in when_closed:
                    act(self, file)
            if all(each.identity != file.identity for each in self.descriptors.values()):
                self.names.pop(file.identity, None)


#: Called with an open file when its last descriptor is about to be closed.
when_closed: Final[list[Callable[[Files, Opened], None]]] = []

_NONE: Final[frozenset[str]] = frozenset()


def _identity(path: str) -> tuple[int, int]:
    try:
        status = posix.lstat(path)
    except OSError:
        return (-1, -1)
    return status.st_dev, status.st_ino


_UNNAMED: Final = getattr(os, "O_TMPFILE", 0) or -1

_files: Files | None = None


def of_run(models: Models) -> Files:
    """What the run knows of files; from its first use on, the run holds the journal."""
    global _files
    if _files is None or _files.models is not models:
        with ASIDE, contextlib.suppress(NotKept):  # who only reads needs none
            JOURNAL.hold()
        _files = Files(models)
    return _files


def end_run() -> list[str]:
    """A run and what it left behind are over: put back what it has done to files; what could not be, in words."""
    global _files
    files, _files = _files, None
    with ASIDE:
        if files is not None:
            for stream in list(files.streams):
                stream._mz_abandon()
            for descriptor, position in files.positions.values():
                with contextlib.suppress(OSError):
                    posix.lseek(descriptor, position, os.SEEK_SET)
            for descriptor in files.descriptors:
                with contextlib.suppress(OSError):
                    posix.close(descriptor)
        if not JOURNAL.is_held:
            return []
        JOURNAL.put_back()
    return JOURNAL.take_troubles()


# -- steps ----------------------------------------------------------------------------


def settle(models: Models, plan: Plan) -> Any:
    """Pass the step of an operation. If others move before it, what it is about may change: it is planned once more."""
    kernel = models.kernel
    touches, subject = plan()
    if kernel.solo or kernel.aborting:
        return subject
    task = kernel.current
    task.doubts = True
    try:
        pass_step(models, *touches)
    except Moved:
        task.chosen = True
        touches, subject = plan()
        pass_step(models, *touches)
        task.chosen = False
    task.doubts = False
    return subject


def keep(models: Models, path: str, note: Callable[[], None]) -> None:
    """Have the journal note how to undo what is about to happen to a path; if it can't, the run ends here."""
    if paths.is_system(path):
        return
    try:
        with ASIDE:
            JOURNAL.hold()
            note()
    except OSError:
        return  # as the operation itself is about to say
    except NotKept as reason:
        cut(models, path, str(reason))


def cut(models: Models, path: str, reason: str) -> None:
    """End the run before an operation that can't be undone."""
    kernel = models.kernel
    if kernel.aborting:
        raise GreenletExit
    count_uncontrolled(kernel, f"a change of {path}, which could not be put back: {reason}")
    kernel.stop(f"the run was cut before it would have changed {path}, which could not be put back: {reason}")


def _base(files: Files, dir_fd: int | None) -> str | None:
    """Where relative paths begin."""
    if dir_fd is None:
        return None
    file = files.descriptors.get(dir_fd)
    return file.path if file is not None else posix.readlink(f"/proc/self/fd/{dir_fd}")


def find(models: Models, path: Any, dir_fd: int | None = None, *, follow: bool = True) -> Found:
    return paths.resolve(path, _base(of_run(models), dir_fd), follow=follow)


def _is_path(path: Any) -> bool:
    return not isinstance(path, int)


def _exists(path: str) -> bool:
    try:
        posix.lstat(path)
    except OSError:
        return False
    return True


def _learn(models: Models, path: str) -> None:
    """Threads change an entry by which paths may lead."""
    if not models.kernel.solo:
        models.kernel.need_points(paths.mark_of(path))


# -- looking ----------------------------------------------------------------------------


def _looking(*, follow: bool = True, inside: bool = True) -> Callable[..., Any]:
    """A function that looks at what a path leads to."""

    def look(models: Models, real: Any, path: Any, *args: Any, **named: Any) -> Any:
        files = of_run(models)
        if not _is_path(path):
            file = files.descriptors.get(path)
            if file is not None:
                pass_step(models, *file.read())
            return real(path, *args, **named)
        path = os.fspath(path)
        follows = follow and named.get("follow_symlinks", True)

        def plan() -> tuple[list[Touch], Any]:
            found = find(models, path, named.get("dir_fd"), follow=follows)
            touches = [read(*entry(found.path)), *paths.on_the_way(models, found)]
            if inside:
                touches.append(read(*content(found.path)))
            return touches, found

        _settle_safely(models, plan)
        return real(path, *args, **named)

    return look


def _settle_safely(models: Models, plan: Plan) -> Any:
    """The same for a path that may be none: the operation itself says so."""
    try:
        return settle(models, plan)
    except (OSError, ValueError, TypeError):
        return None


for _name in ("stat", "access", "getxattr", "listxattr"):
    replace_function(os, _name, _looking())
replace_function(os, "lstat", _looking(follow=False))
replace_function(os, "readlink", _looking(follow=False, inside=False))


def _existence(follow: bool) -> Callable[..., Any]:
    """A function of ``os.path`` that asks whether something is there, and of which kind."""
    look = _looking(follow=follow, inside=False)

    def ask(models: Models, real: Any, path: Any, *args: Any) -> Any:
        def quietly(*given: Any, **named: Any) -> Any:
            with ASIDE:
                return real(*given, **named)

        return look(models, quietly, path, *args)

    return ask


for _name in ("exists", "isfile", "isdir"):
    replace_function(os.path, _name, _existence(follow=True))
for _name in ("lexists", "islink"):
    replace_function(os.path, _name, _existence(follow=False))


def _list(models: Models, path: Any) -> None:
    """All of a directory is looked at."""
    files = of_run(models)
    if path is not None and not _is_path(path):
        file = files.descriptors.get(path)
        if file is not None:
            pass_step(models, read(*listing(file.path)))
        return
    path = "." if path is None else os.fspath(path)

    def plan() -> tuple[list[Touch], Any]:
        found = find(models, path)
        return [read(*listing(found.path)), read(*entry(found.path)), *paths.on_the_way(models, found)], found

    _settle_safely(models, plan)


def _listdir(models: Models, real: Any, path: Any = None) -> Any:
    _list(models, path)
    return real(path)


class DirEntry:
    """An entry as ``os.scandir`` tells of it: what it knows from the listing needs no step, the rest is looked at."""

    __slots__ = ("_real", "name", "path")

    def __init__(self, real: Any) -> None:
        self._real = real
        self.name = real.name
        self.path = real.path

    def inode(self) -> int:
        return int(self._real.inode())

    def is_symlink(self) -> bool:
        return bool(self._real.is_symlink())

    def is_junction(self) -> bool:
        return False

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        if follow_symlinks and self._real.is_symlink():
            return bool(os.path.isdir(self.path))
        return bool(self._real.is_dir(follow_symlinks=follow_symlinks))

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        if follow_symlinks and self._real.is_symlink():
            return bool(os.path.isfile(self.path))
        return bool(self._real.is_file(follow_symlinks=follow_symlinks))

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        os.path.lexists(self.path)  # the step; what is asked below belongs to it
        with ASIDE:
            return self._real.stat(follow_symlinks=follow_symlinks)  # type: ignore[no-any-return]  # it is one

    def __fspath__(self) -> Any:
        return self.path

    def __repr__(self) -> str:
        return f"<DirEntry {self.name!r}>"


class Scan:
    """What ``os.scandir`` returns: the directory as it was then."""

    def __init__(self, entries: list[DirEntry]) -> None:
        self._entries = iter(entries)

    def __iter__(self) -> Iterator[DirEntry]:
        return self

    def __next__(self) -> DirEntry:
        return next(self._entries)

    def close(self) -> None:
        self._entries = iter(())

    def __enter__(self) -> Scan:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _scandir(models: Models, real: Any, path: Any = None) -> Scan:
    _list(models, path)
    with real(path) as entries:
        return Scan([DirEntry(each) for each in entries])


replace_function(os, "listdir", _listdir)
replace_function(os, "scandir", _scandir)


# -- changing entries ----------------------------------------------------------------------------


def _changes_entry(models: Models, found: Found, *more: Touch) -> list[Touch]:
    return [change(*entry(found.path)), write(*listing(found.folder)), *more, *paths.on_the_way(models, found)]


def _make(models: Models, path: Any, dir_fd: int | None, perform: Callable[[], Any], *, leads: bool) -> Any:
    """An entry is made; ``leads`` says whether paths may lead through it."""
    path = os.fspath(path)

    def plan() -> tuple[list[Touch], Any]:
        found = find(models, path, dir_fd, follow=False)
        if leads:
            _learn(models, found.path)
        return _changes_entry(models, found, read(*UMASK)), found

    found = _settle_safely(models, plan)
    if found is not None and not _exists(found.path):
        keep(models, found.path, lambda: JOURNAL.creating(found.path))
        made = perform()
        with ASIDE:
            JOURNAL.created(found.path)
        return made
    return perform()


def _mkdir(models: Models, real: Any, path: Any, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
    _make(models, path, dir_fd, lambda: real(path, mode, dir_fd=dir_fd), leads=True)


def _symlink(
    models: Models, real: Any, src: Any, dst: Any, target_is_directory: bool = False, *, dir_fd: int | None = None
) -> None:
    _make(models, dst, dir_fd, lambda: real(src, dst, target_is_directory, dir_fd=dir_fd), leads=True)


def _making(models: Models, real: Any, path: Any, *args: Any, dir_fd: int | None = None, **named: Any) -> Any:
    return _make(models, path, dir_fd, lambda: real(path, *args, dir_fd=dir_fd, **named), leads=False)


def _link(
    models: Models,
    real: Any,
    src: Any,
    dst: Any,
    *,
    src_dir_fd: int | None = None,
    dst_dir_fd: int | None = None,
    follow_symlinks: bool = True,
) -> None:
    files = of_run(models)
    source = find(models, os.fspath(src), src_dir_fd, follow=False)

    def perform() -> None:
        files.named(source.path, find(models, os.fspath(dst), dst_dir_fd, follow=False).path)
        real(src, dst, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd, follow_symlinks=follow_symlinks)

    pass_step(models, read(*entry(source.path)), read(*content(source.path)))
    _make(models, dst, dst_dir_fd, perform, leads=False)


replace_function(os, "mkdir", _mkdir)
replace_function(os, "symlink", _symlink)
replace_function(os, "link", _link)
for _name in ("mkfifo", "mknod"):
    replace_function(os, _name, _making)


def _remove(models: Models, real: Any, path: Any, *, dir_fd: int | None = None) -> None:
    path = os.fspath(path)

    def plan() -> tuple[list[Touch], Any]:
        found = find(models, path, dir_fd, follow=False)
        if _is_link(found.path):
            _learn(models, found.path)
        return _changes_entry(models, found), found

    found = _settle_safely(models, plan)
    if found is not None and _exists(found.path) and not _is_folder(found.path):
        keep(models, found.path, lambda: JOURNAL.removing(found.path))
    real(path, dir_fd=dir_fd)


def _is_link(path: str) -> bool:
    try:
        return stat.S_ISLNK(posix.lstat(path).st_mode)
    except OSError:
        return False


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(posix.lstat(path).st_mode)
    except OSError:
        return False


def _rmdir(models: Models, real: Any, path: Any, *, dir_fd: int | None = None) -> None:
    path = os.fspath(path)

    def plan() -> tuple[list[Touch], Any]:
        found = find(models, path, dir_fd, follow=False)
        _learn(models, found.path)
        return _changes_entry(models, found, read(*listing(found.path))), found

    found = _settle_safely(models, plan)
    if found is not None and _is_folder(found.path) and not posix.listdir(found.path):
        keep(models, found.path, lambda: JOURNAL.removing(found.path))
    real(path, dir_fd=dir_fd)


replace_function(os, "remove", _remove)
replace_function(os, "unlink", _remove)
replace_function(os, "rmdir", _rmdir)


def _rename(
    models: Models, real: Any, src: Any, dst: Any, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None
) -> None:
    files = of_run(models)
    src, dst = os.fspath(src), os.fspath(dst)

    def plan() -> tuple[list[Touch], Any]:
        source = find(models, src, src_dir_fd, follow=False)
        to = find(models, dst, dst_dir_fd, follow=False)
        touches = _changes_entry(models, source, write(*content(source.path)))
        touches += _changes_entry(models, to, write(*content(to.path)))
        if _is_folder(source.path) or _is_link(source.path):
            _learn(models, source.path)
            _learn(models, to.path)
        return touches, (source, to)

    planned = _settle_safely(models, plan)
    if planned is not None and _can_be_renamed(*planned):
        source, to = planned
        if _exists(to.path):
            keep(models, to.path, lambda: JOURNAL.removing(to.path))
        keep(models, source.path, lambda: JOURNAL.renaming(source.path, to.path))
        files.named(source.path, to.path)
    real(src, dst, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)


def _can_be_renamed(source: Found, to: Found) -> bool:
    """Whether a rename will have an effect that is to be undone; two names of one file stay as they are."""
    try:
        before = posix.lstat(source.path)
    except OSError:
        return False
    try:
        after = posix.lstat(to.path)
    except OSError:
        return _exists(to.folder)
    return (before.st_dev, before.st_ino) != (after.st_dev, after.st_ino) and _is_folder(source.path) == _is_folder(
        to.path
    )


for _name in ("rename", "replace"):
    replace_function(os, _name, _rename)


# -- changing what is known of a file ----------------------------------------------------------------------------


def _describing(models: Models, real: Any, path: Any, *args: Any, **named: Any) -> Any:
    """Permissions, times and the like of a file change."""
    files = of_run(models)
    if not _is_path(path):
        file = files.descriptors.get(path)
        if file is not None:
            pass_step(models, *file.written())
            keep(models, file.path, lambda: JOURNAL.describing(file.path, posix.fstat(path)))
        return real(path, *args, **named)
    path = os.fspath(path)

    def plan() -> tuple[list[Touch], Any]:
        found = find(models, path, named.get("dir_fd"), follow=named.get("follow_symlinks", True))
        touches = [*files.written(found.path), read(*entry(found.path))]
        return touches + paths.on_the_way(models, found), found

    found = _settle_safely(models, plan)
    if found is not None:
        keep(models, found.path, lambda: JOURNAL.describing(found.path, posix.lstat(found.path)))
    return real(path, *args, **named)


for _name in ("chmod", "chown", "lchown", "utime", "setxattr", "removexattr", "fchmod", "fchown"):
    replace_function(os, _name, _describing)


def _truncate(models: Models, real: Any, path: Any, length: int) -> None:
    files = of_run(models)
    if not _is_path(path):
        write_descriptor(models, path, lambda: real(path, length), position=False)
        return
    path = os.fspath(path)

    def plan() -> tuple[list[Touch], Any]:
        found = find(models, path)
        touches = [*files.written(found.path), read(*entry(found.path))]
        return touches + paths.on_the_way(models, found), found

    found = _settle_safely(models, plan)
    if found is not None:
        keep(models, found.path, lambda: JOURNAL.writing(found.path, posix.stat(found.path)))
    real(path, length)
    if found is not None:
        _wrote(found.path, posix.stat(found.path))


replace_function(os, "truncate", _truncate)


def _wrote(path: str, status: os.stat_result) -> None:
    if JOURNAL.is_held and not paths.is_system(path):
        JOURNAL.wrote(status)


# -- opening ----------------------------------------------------------------------------


def open_path(
    models: Models, path: Any, flags: int, perform: Callable[[], int], dir_fd: int | None = None
) -> tuple[int, Opened | None]:
    """Open a file as ``perform`` does it; the descriptor, and what it stands for if that is a file or directory."""
    files = of_run(models)
    makes = bool(flags & os.O_CREAT)
    follow = not (makes and flags & os.O_EXCL or flags & os.O_NOFOLLOW)

    def plan() -> tuple[list[Touch], Any]:
        found = find(models, path, dir_fd, follow=follow)
        # What it touches must not depend on what it finds: explorers take it that a thread's step is the same whatever
        # others have done meanwhile.
        touches = _changes_entry(models, found, read(*UMASK)) if makes else [read(*entry(found.path))]
        if flags & os.O_TRUNC:
            touches += files.written(found.path)
        if not makes:
            touches += paths.on_the_way(models, found)
        return touches, (found, _exists(found.path))

    planned = _settle_safely(models, plan)
    if planned is None:
        return perform(), None
    found, exists = planned
    is_plain = not paths.is_system(found.path)
    if makes and not exists:
        keep(models, found.path, lambda: JOURNAL.creating(found.path))
    elif flags & os.O_TRUNC and is_plain and stat.S_ISREG(_mode(found.path)):
        keep(models, found.path, lambda: JOURNAL.writing(found.path, posix.stat(found.path)))
    descriptor = perform()
    status = posix.fstat(descriptor)
    if makes and not exists:
        with ASIDE:
            JOURNAL.created(found.path)
    elif flags & os.O_TRUNC:
        _wrote(found.path, status)
    if not is_plain or not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        return descriptor, None
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


# -- descriptors ----------------------------------------------------------------------------


def read_descriptor(models: Models, descriptor: int, *, position: bool = True) -> None:
    """Pass the step of reading from an open file."""
    file = of_run(models).descriptors.get(descriptor)
    if file is not None:
        first = [change(*file.state)] if position else []
        pass_step(models, *first, *file.read())


def write_descriptor(models: Models, descriptor: int, perform: Callable[[], Any], *, position: bool = True) -> Any:
    """Write to an open file, as ``perform`` does it."""
    file = of_run(models).descriptors.get(descriptor)
    if file is None:
        return perform()
    first = [change(*file.state)] if position and not file.appends else []
    pass_step(models, *first, *file.written())
    before_write(models, file, descriptor)
    done = perform()
    _wrote(file.path, posix.fstat(descriptor))
    return done


def before_write(models: Models, file: Opened, descriptor: int) -> None:
    keep(models, file.path, lambda: JOURNAL.writing(file.path, posix.fstat(descriptor)))


def _reading(position: bool) -> Callable[..., Any]:
    def read_(models: Models, real: Any, descriptor: int, *args: Any, **named: Any) -> Any:
        read_descriptor(models, descriptor, position=position)
        return real(descriptor, *args, **named)

    return read_


def _writing(position: bool) -> Callable[..., Any]:
    def write_(models: Models, real: Any, descriptor: int, *args: Any, **named: Any) -> Any:
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
    read_descriptor(models, descriptor, position=False)
    return real(descriptor)


def _lseek(models: Models, real: Any, descriptor: int, position: int, how: int) -> Any:
    file = of_run(models).descriptors.get(descriptor)
    if file is not None:
        more = [] if how == os.SEEK_SET else file.read()
        pass_step(models, change(*file.state), *more)
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
