"""Looking at entries, and listing directories."""

from __future__ import annotations

import os
import posix
from collections.abc import Callable, Iterator
from typing import Any

from mazurka.program.python.outside import descriptor_numbers, paths, times
from mazurka.program.python.outside.files import (
    find,
    is_path,
    settle_safely,
    settle_use,
)
from mazurka.program.python.outside.paths import content, entry, listing
from mazurka.program.python.outside.process_state import SAVED_DIRECTORY, WORKING_DIRECTORY
from mazurka.program.python.outside.putting_back import undo_at_end
from mazurka.program.python.outside.replacing import ASIDE, present, replace_function
from mazurka.program.python.primitives.run import Models, count_untracked
from mazurka.program.python.primitives.steps import StepAccess, change, pass_step, read, write
from mazurka.program.runtime.concurrency import has_concurrent_threads


def _looking(*, follow: bool = True, inside: bool = True) -> Callable[..., Any]:
    """A function that reads the file or directory at a path."""

    def look(models: Models, real: Any, path: Any, *args: Any, **named: Any) -> Any:
        if not is_path(path):
            settle_use(models, path, position=False)
            return times.looked(models, real(path, *args, **named))
        path = os.fspath(path)
        follows = follow and named.get("follow_symlinks", True)

        def plan() -> tuple[list[StepAccess], Any]:
            found = find(models, path, named.get("dir_fd"), follow=follows)
            touches = [read(*entry(found.path)), *paths.on_the_way(models, found)]
            if inside:
                touches.append(read(*content(found.path)))
            return touches, found

        settle_safely(models, plan)
        return times.looked(models, real(path, *args, **named))

    return look


for _name in ("stat", "access", "getxattr", "listxattr", "statvfs", "pathconf"):
    replace_function(os, _name, _looking())
replace_function(os, "lstat", _looking(follow=False))
replace_function(os, "readlink", _looking(follow=False, inside=False))


def _enter_directory(models: Models, real: Any, path: Any) -> Any:
    """``chdir``: it fails where there is no such directory."""
    if is_path(path):
        path = os.fspath(path)

        def plan() -> tuple[list[StepAccess], Any]:
            found = find(models, path)
            moves = change if not os.path.isabs(path) else write
            return [moves(*WORKING_DIRECTORY), read(*entry(found.path)), *paths.on_the_way(models, found)], found

        settle_safely(models, plan)
    else:
        pass_step(models, write(*WORKING_DIRECTORY))
    undo_at_end(models, "working directory", SAVED_DIRECTORY)
    return real(path)


def _look_at_directory(models: Models, real: Any) -> Any:
    """``getcwd``: it fails where the working directory has been removed."""
    try:
        path = posix.getcwd()
    except OSError:
        path = posix.readlink("/proc/self/cwd").removesuffix(" (deleted)")
    pass_step(models, read(*WORKING_DIRECTORY), read(*entry(path)))
    return real()


replace_function(os, "chdir", _enter_directory)
for _name in ("getcwd", "getcwdb"):
    replace_function(os, _name, _look_at_directory)


def _existence(follow: bool) -> Callable[..., Any]:
    """A function of ``os.path`` that asks whether there is an entry, and of which kind."""
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
    """Pass the step of listing a directory, which opens a descriptor for a while."""
    descriptor_numbers.opens_some(models)
    if path is not None and not is_path(path):
        file = settle_use(models, path, position=False, inside=False)
        if file is not None:
            pass_step(models, read(*listing(file.path)))
        return
    path = "." if path is None else os.fspath(path)

    def plan() -> tuple[list[StepAccess], Any]:
        found = find(models, path)
        return [read(*listing(found.path)), read(*entry(found.path)), *paths.on_the_way(models, found)], found

    settle_safely(models, plan)


def _listdir(models: Models, real: Any, path: Any = None) -> Any:
    _list(models, path)
    return real(path)


class DirEntry:
    """An entry like that of ``os.scandir``: data from the listing needs no step, other data is read in one."""

    __slots__ = ("_real", "name", "path")

    def __init__(self, real: Any) -> None:
        self._real = real
        self.name = real.name
        self.path = real.path

    def inode(self) -> int:
        """As ``os.DirEntry``: known from the listing, so no step."""
        models = present()
        if models is not None:
            with ASIDE:
                times.looked(models, self._real.stat(follow_symlinks=False))
        return int(self._real.inode())

    def is_symlink(self) -> bool:
        """As ``os.DirEntry``: known from the listing, so no step."""
        return bool(self._real.is_symlink())

    def is_junction(self) -> bool:
        """Always false: there are none outside Windows."""
        return False

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        """As ``os.DirEntry``: a step only if a link has to be followed."""
        if follow_symlinks and self._real.is_symlink():
            return bool(os.path.isdir(self.path))
        return bool(self._real.is_dir(follow_symlinks=follow_symlinks))

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        """As ``os.DirEntry``: a step only if a link has to be followed."""
        if follow_symlinks and self._real.is_symlink():
            return bool(os.path.isfile(self.path))
        return bool(self._real.is_file(follow_symlinks=follow_symlinks))

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """As ``os.DirEntry``, but never from a cache: one step."""
        os.path.lexists(self.path)  # the step; the questions below belong to it
        with ASIDE:
            found: os.stat_result = self._real.stat(follow_symlinks=follow_symlinks)
        models = present()
        if models is not None:
            times.looked(models, found)
        return found

    def __fspath__(self) -> Any:
        return self.path

    def __repr__(self) -> str:
        return f"<DirEntry {self.name!r}>"


class Scan:
    """The result of ``os.scandir``: the directory as it was at the call. No step shows its position, so a second thread
    that uses it counts as untracked."""

    def __init__(self, entries: list[DirEntry]) -> None:
        self._entries = iter(entries)
        self._user: int | None = None

    def _use(self) -> None:
        models = present()
        if models is None or not has_concurrent_threads(models.runtime):
            return
        me = models.runtime.current.index
        if self._user is None:
            self._user = me
        elif self._user != me:
            count_untracked(models.runtime, "a result of os.scandir() in use by several threads")

    def __iter__(self) -> Iterator[DirEntry]:
        return self

    def __next__(self) -> DirEntry:
        self._use()
        return next(self._entries)

    def close(self) -> None:
        """Like the method of the original: no entry follows."""
        self._use()
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
