"""Files and directories: the effects of functions of `os`, as steps on locations (:mod:`.paths`).

An operation is one step, at its system call: looking at an entry reads it; making, removing or renaming an entry
changes it, and writes the listing of its directory; reading and writing a file reads and writes its content. An open
file has a state of its own, its position, which belongs to the file descriptor.

Before an operation takes effect, the journal notes how to undo it (:mod:`.journal`); where it can't, the run is cut
there and the operation is not made. Changes that bypass these functions (by the import system, or extensions in C) are
not seen, and not put back.

The descriptors that a run opens and leaves open are closed at its end.
"""

from __future__ import annotations

import os
import posix
import stat
from collections.abc import Callable
from typing import Any, Final

from greenlet import GreenletExit

from mazurka.program.python.instrument.own import WeakSet, contextlib
from mazurka.program.python.outside import descriptor_numbers, paths
from mazurka.program.python.outside.journal import Journal, NotKept
from mazurka.program.python.outside.paths import ResolvedPath, content, entry, listing
from mazurka.program.python.outside.replacing import ASIDE
from mazurka.program.python.primitives.run import Models, count_uncontrolled
from mazurka.program.python.primitives.steps import StepAccess, change, pass_step, read
from mazurka.program.python.semantics.harmless import is_stateless_device
from mazurka.program.runtime.task import Moved
from mazurka.trace.targets import Kind, Target

#: The plan of an operation: its accesses, and its subject.
Plan = Callable[[], tuple[list[StepAccess], Any]]

JOURNAL: Final = Journal()


#: Stands before the number of a file without a name, in what stands for its path.
_UNNAMED_IN: Final = "/(unnamed "


class Opened:
    """An open file, behind one descriptor or several (``dup``)."""

    __slots__ = ("appends", "identity", "names", "number", "path", "uses")

    def __init__(self, number: str, path: str, identity: tuple[int, int], names: set[str], flags: int) -> None:
        self.number = number
        self.path = path  # the path by which it was opened
        self.identity = identity
        self.names = names  # all names that the file has had while it was open
        self.appends = bool(flags & os.O_APPEND)
        self.uses = 0  # the number of its descriptors

    @property
    def state(self) -> tuple[Target, str]:
        """The open file's location, for its position, and its name in reports."""
        folder, unnamed, _ = self.path.partition(_UNNAMED_IN)
        return (Kind.OPEN_FILE.tag, self.number), f"an unnamed file in {folder}" if unnamed else f"the file {self.path}"

    def read(self) -> list[StepAccess]:
        """The accesses of reading from the file."""
        return [read(*content(self.path))]

    def written(self) -> list[StepAccess]:
        """The accesses of writing to the file: writes under all names by which other threads read it."""
        return [change(*content(each)) for each in (self.path, *sorted(self.names - {self.path}))]


class Files:
    """The files of a run."""

    def __init__(self, models: Models) -> None:
        self.models = models
        self.descriptors: dict[int, Opened] = {}
        self.names: dict[tuple[int, int], set[str]] = {}  # device and number of a file that is open -> its names
        self.locks: dict[tuple[int, int], Any] = {}  # by device and number of the file
        self.positions: dict[Any, tuple[int, int]] = {}  # of files opened before the run: descriptor, position
        self.streams: WeakSet[Any] = WeakSet()

    def written(self, path: str) -> list[StepAccess]:
        """The writes of writing to the file at a path."""
        names = self.names.get(_identity(path), _NONE)
        return [change(*content(each)) for each in (path, *sorted(names - {path}))]

    def named(self, path: str, also: str) -> None:
        """The file or directory at a path gets another name, ``also``."""
        names = self.names.get(_identity(path))
        if names is not None:
            names.add(also)

    def opened(self, descriptor: int, path: str, flags: int) -> Opened:
        """A descriptor has been opened."""
        status = posix.fstat(descriptor)
        identity = status.st_dev, status.st_ino
        if flags & _UNNAMED == _UNNAMED:
            path = f"{path}{_UNNAMED_IN}{self.models.number()})"
            JOURNAL.is_fresh(status)
        names = self.names.setdefault(identity, set())
        names.add(path)
        file = Opened(self.models.number(), path, identity, names, flags)
        self.use(descriptor, file)
        return file

    def use(self, descriptor: int, file: Opened) -> None:
        """A descriptor refers to an open file; several may, after ``os.dup``."""
        file.uses += 1
        self.descriptors[descriptor] = file
        descriptor_numbers.opened(self.models)
        descriptor_numbers.has(self.models, descriptor, file.state)

    def closed(self, descriptor: int) -> None:
        """A descriptor is closed; with the last one of an open file, the file's own end is noted."""
        descriptor_numbers.closed(self.models)
        descriptor_numbers.is_gone(self.models, descriptor)
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
    """The files of the run; from their first use on, the run holds the journal."""
    global _files
    if _files is None or _files.models is not models:
        with ASIDE, contextlib.suppress(NotKept):  # a program that only reads needs no journal
            JOURNAL.hold()
        _files = Files(models)
    return _files


def end_run() -> list[str]:
    """The run is over: put its changes to files back; returns the changes that could not be put back, in words."""
    global _files
    files, _files = _files, None
    if files is None and not JOURNAL.is_held:
        return []
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
    """Pass the step of an operation. If other threads move before it, its subject may change, and it is planned once
    more."""
    runtime = models.runtime
    touches, subject = plan()
    if runtime.solo or runtime.aborting or not touches:
        return subject
    task = runtime.current
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
    """Have the journal note how to undo the coming change of a path; if it can't, the run ends here."""
    if paths.is_system(path):
        return
    try:
        with ASIDE:
            JOURNAL.hold()
            note()
    except OSError:
        return  # the operation itself is about to report this error
    except NotKept as reason:
        cut(models, path, str(reason))


def cut(models: Models, path: str, reason: str) -> None:
    """End the run before an operation that can't be undone."""
    runtime = models.runtime
    if runtime.aborting:
        raise GreenletExit
    count_uncontrolled(runtime, f"a change of {path}, which could not be put back: {reason}")
    runtime.stop(f"the run was cut before it would have changed {path}, which could not be put back: {reason}")


def _base(files: Files, dir_fd: int | None) -> str | None:
    """The folder at which relative paths begin."""
    if dir_fd is None:
        return None
    file = files.descriptors.get(dir_fd)
    return file.path if file is not None else posix.readlink(f"/proc/self/fd/{dir_fd}")


def find(models: Models, path: Any, dir_fd: int | None = None, *, follow: bool = True) -> ResolvedPath:
    """Resolve a path of the program, relative to its working directory or to ``dir_fd``."""
    return paths.resolve(path, _base(of_run(models), dir_fd), follow=follow)


def is_path(path: Any) -> bool:
    """Whether an argument is a path, and no file descriptor."""
    return not isinstance(path, int)


def exists(path: str) -> bool:
    """Whether there is an entry, also if it is a broken link; no step of the run."""
    try:
        posix.lstat(path)
    except OSError:
        return False
    return True


def learn(models: Models, path: str) -> None:
    """Learn that threads change an entry through which paths may lead."""
    if not models.runtime.solo:
        models.runtime.need_points(paths.mark_of(path))


def settle_safely(models: Models, plan: Plan) -> Any:
    """Pass the step of an operation on an argument that may be no path: the operation itself reports the error."""
    try:
        return settle(models, plan)
    except (OSError, ValueError, TypeError):
        return None


def look_at(models: Models, path: Any) -> None:
    """Pass the step of looking a path up."""

    def plan() -> tuple[list[StepAccess], Any]:
        found = find(models, path)
        return [read(*entry(found.path)), *paths.on_the_way(models, found)], found

    settle_safely(models, plan)


def is_link(path: str) -> bool:
    """Whether the entry is a symbolic link; no step of the run."""
    try:
        return stat.S_ISLNK(posix.lstat(path).st_mode)
    except OSError:
        return False


def is_folder(path: str) -> bool:
    """Whether the entry itself is a folder; no step of the run."""
    try:
        return stat.S_ISDIR(posix.lstat(path).st_mode)
    except OSError:
        return False


def changes_entry(models: Models, found: ResolvedPath, *more: StepAccess) -> list[StepAccess]:
    """The accesses of making, replacing or removing an entry: the entry, its folder's listing, the way there."""
    return [change(*entry(found.path)), change(*listing(found.folder)), *more, *paths.on_the_way(models, found)]


# -- open files ----------------------------------------------------------------------------


def read_descriptor(models: Models, descriptor: int, *, position: bool = True) -> None:
    """Pass the step of reading from an open file."""
    file = settle_use(models, descriptor, position=position)
    if file is None:
        _count_unknown(models, descriptor)


def write_descriptor(models: Models, descriptor: int, perform: Callable[[], Any], *, position: bool = True) -> Any:
    """Write to an open file by ``perform``."""
    file = settle_use(models, descriptor, position=position, writes=True)
    if file is None:
        _count_unknown(models, descriptor)
        return perform()
    before_write(models, file, descriptor)
    done = perform()
    wrote(file.path, posix.fstat(descriptor))
    return done


def settle_use(
    models: Models, descriptor: int, *, position: bool, writes: bool = False, inside: bool = True
) -> Opened | None:
    """Pass the step of using a descriptor by its number; returns the open file, if the run has opened it. ``position``:
    the use moves its position; ``writes``: it writes the file's content, or else, if ``inside``, reads it."""

    def plan() -> tuple[list[StepAccess], Opened | None]:
        numbers = descriptor_numbers.uses(models, descriptor)
        file = of_run(models).descriptors.get(descriptor)
        if file is None:
            return numbers, None
        if position and not (writes and file.appends):
            numbers = [change(*file.state), *[each for each in numbers if each.target != file.state[0]]]
        return [*numbers, *(file.written() if writes else file.read() if inside else ())], file

    found: Opened | None = settle(models, plan)
    return found


def settle_close(models: Models, descriptor: int) -> None:
    """Pass the step of closing a descriptor, of a file of the run or an unknown one."""

    def plan() -> tuple[list[StepAccess], Opened | None]:
        file = of_run(models).descriptors.get(descriptor)
        return descriptor_numbers.changes(models, descriptor), file

    file = settle(models, plan)
    if file is not None:
        of_run(models).closed(descriptor)
    else:
        descriptor_numbers.closed(models)
        descriptor_numbers.is_gone(models, descriptor)


def _count_unknown(models: Models, descriptor: int) -> None:
    """A descriptor is used that the run has not opened, and that is none of the three that each process has."""
    if descriptor > 2 and not is_stateless_device(posix.fstat(descriptor)):
        count_uncontrolled(models.runtime, "a descriptor that was open before the run")


def before_write(models: Models, file: Opened, descriptor: int) -> None:
    """Save a file's content in the journal before its first change."""
    keep(models, file.path, lambda: JOURNAL.writing(file.path, posix.fstat(descriptor)))


def wrote(path: str, status: os.stat_result) -> None:
    """Note the size and time of a file that the program has changed, by which the journal recognises it."""
    if JOURNAL.is_held and not paths.is_system(path):
        JOURNAL.wrote(status)
