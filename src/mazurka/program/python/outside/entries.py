"""Making, removing and renaming entries; metadata of files: permissions, times, length."""

from __future__ import annotations

import os
import posix
from collections.abc import Callable
from functools import partial
from typing import Any

from mazurka.program.python.outside import paths
from mazurka.program.python.outside.files import (
    JOURNAL,
    changes_entry,
    exists,
    find,
    is_folder,
    is_link,
    is_path,
    keep,
    learn,
    of_run,
    settle_safely,
    settle_use,
    write_descriptor,
    wrote,
)
from mazurka.program.python.outside.paths import ResolvedPath, content, entry, listing
from mazurka.program.python.outside.process_state import UMASK
from mazurka.program.python.outside.replacing import ASIDE, replace_function
from mazurka.program.python.primitives.run import Models, count_uncontrolled
from mazurka.program.python.primitives.steps import StepAccess, change, read


def _make(
    models: Models, path: Any, dir_fd: int | None, perform: Callable[[], Any], *reads: StepAccess, leads: bool
) -> Any:
    """An entry is made, in a step that also has the ``reads``; ``leads`` says whether paths may lead through the
    entry."""
    path = os.fspath(path)

    def plan() -> tuple[list[StepAccess], Any]:
        found = find(models, path, dir_fd, follow=False)
        if leads:
            learn(models, found.path)
        return changes_entry(models, found, read(*UMASK), *reads), found

    found = settle_safely(models, plan)
    if found is not None and not exists(found.path):
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

    of_source = (read(*entry(source.path)), read(*content(source.path)))
    _make(models, dst, dst_dir_fd, perform, *of_source, leads=False)


replace_function(os, "mkdir", _mkdir)
replace_function(os, "symlink", _symlink)
replace_function(os, "link", _link)
for _name in ("mkfifo", "mknod"):
    replace_function(os, _name, _making)


def _remove(models: Models, real: Any, path: Any, *, dir_fd: int | None = None) -> None:
    path = os.fspath(path)

    def plan() -> tuple[list[StepAccess], Any]:
        found = find(models, path, dir_fd, follow=False)
        if is_link(found.path):
            learn(models, found.path)
        return changes_entry(models, found), found

    found = settle_safely(models, plan)
    if found is not None and exists(found.path) and not is_folder(found.path):
        keep(models, found.path, lambda: JOURNAL.removing(found.path))
    real(path, dir_fd=dir_fd)


def _rmdir(models: Models, real: Any, path: Any, *, dir_fd: int | None = None) -> None:
    path = os.fspath(path)

    def plan() -> tuple[list[StepAccess], Any]:
        found = find(models, path, dir_fd, follow=False)
        learn(models, found.path)
        return changes_entry(models, found, read(*listing(found.path))), found

    found = settle_safely(models, plan)
    if found is not None and is_folder(found.path) and not posix.listdir(found.path):
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

    def plan() -> tuple[list[StepAccess], Any]:
        source = find(models, src, src_dir_fd, follow=False)
        to = find(models, dst, dst_dir_fd, follow=False)
        touches = changes_entry(models, source, change(*content(source.path)))
        touches += changes_entry(models, to, change(*content(to.path)))
        if is_folder(source.path) or is_link(source.path):
            learn(models, source.path)
            learn(models, to.path)
        return touches, (source, to)

    planned = settle_safely(models, plan)
    if planned is not None and _can_be_renamed(*planned):
        source, to = planned
        if exists(to.path):
            keep(models, to.path, lambda: JOURNAL.removing(to.path))
        keep(models, source.path, lambda: JOURNAL.renaming(source.path, to.path))
        files.named(source.path, to.path)
    real(src, dst, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)


def _can_be_renamed(source: ResolvedPath, to: ResolvedPath) -> bool:
    """Whether a rename will have an effect that has to be undone; it leaves two names of one file as they are."""
    try:
        before = posix.lstat(source.path)
    except OSError:
        return False
    try:
        after = posix.lstat(to.path)
    except OSError:
        return exists(to.folder)
    return (before.st_dev, before.st_ino) != (after.st_dev, after.st_ino) and is_folder(source.path) == is_folder(
        to.path
    )


for _name in ("rename", "replace"):
    replace_function(os, _name, _rename)


# -- metadata of a file ---------------------------------------------------------------------------------


def _describing(models: Models, real: Any, path: Any, *args: Any, **named: Any) -> Any:
    """Permissions, times and the like of a file change."""
    files = of_run(models)
    if not is_path(path):
        file = settle_use(models, path, position=False, writes=True)
        if file is not None:
            keep(models, file.path, lambda: JOURNAL.describing(file.path, posix.fstat(path)))
        return real(path, *args, **named)
    path = os.fspath(path)

    def plan() -> tuple[list[StepAccess], Any]:
        found = find(models, path, named.get("dir_fd"), follow=named.get("follow_symlinks", True))
        touches = [*files.written(found.path), read(*entry(found.path))]
        return touches + paths.on_the_way(models, found), found

    found = settle_safely(models, plan)
    if found is not None:
        keep(models, found.path, lambda: JOURNAL.describing(found.path, posix.lstat(found.path)))
    return real(path, *args, **named)


def _attributing(name: str, models: Models, real: Any, path: Any, *args: Any, **named: Any) -> Any:
    """An extended attribute of a file changes, which is not put back."""
    count_uncontrolled(models.runtime, f"os.{name}")
    return _describing(models, real, path, *args, **named)


for _name in ("chmod", "chown", "lchown", "utime", "fchmod", "fchown"):
    replace_function(os, _name, _describing)
for _name in ("setxattr", "removexattr"):
    replace_function(os, _name, partial(_attributing, _name))


def _truncate(models: Models, real: Any, path: Any, length: int) -> None:
    files = of_run(models)
    if not is_path(path):
        write_descriptor(models, path, lambda: real(path, length), position=False)
        return
    path = os.fspath(path)

    def plan() -> tuple[list[StepAccess], Any]:
        found = find(models, path)
        touches = [*files.written(found.path), read(*entry(found.path))]
        return touches + paths.on_the_way(models, found), found

    found = settle_safely(models, plan)
    if found is not None:
        keep(models, found.path, lambda: JOURNAL.writing(found.path, posix.stat(found.path)))
    real(path, length)
    if found is not None:
        wrote(found.path, posix.stat(found.path))


replace_function(os, "truncate", _truncate)
