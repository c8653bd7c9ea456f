"""The folder `.mazurka`, in which checks save failing schedules and unfinished searches.

The store is optional: a check that can't write there goes on without it, and reports that once. Files in it are written
under another name and renamed, so that readers only find complete files.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from mazurka.errors import MazurkaError
from mazurka.lazy_dataclass import dataclass
from mazurka.new_files import open_new
from mazurka.replay.codec import read_schedule, write_schedule
from mazurka.replay.schedule import Schedule

FOLDER: Final = ".mazurka"


@dataclass(frozen=True, slots=True)
class Store:
    """A folder that can be written to."""

    folder: Path

    @property
    def failures(self) -> Path:
        """Where failing schedules are."""
        return self.folder / "failures"

    @property
    def searches(self) -> Path:
        """Where the journals of searches are."""
        return self.folder / "searches"

    @property
    def cache(self) -> Path:
        """Where compiled code is."""
        return self.folder / "cache"

    def saved(self) -> Iterator[tuple[Path, Schedule | MazurkaError]]:
        """Every saved failure, or the error why it can't be read."""
        return saved_failures(self.folder)

    def save(self, schedule: Schedule) -> Path:
        """Save a failing schedule; it replaces an earlier one of the same bug."""
        return write_schedule(schedule, self.failures)

    def forget(self, paths: Iterable[Path]) -> None:
        """Remove saved failures that no longer occur."""
        for path in paths:
            with contextlib.suppress(OSError):
                path.unlink()


def open_store(directory: Path, say: Callable[[str], None]) -> Store | None:
    """The store of a directory, made if it is missing; None, with a message by ``say``, if it can't be written to."""
    folder = directory / FOLDER
    try:
        folder.mkdir(exist_ok=True)
        ignore = folder / ".gitignore"
        if not ignore.exists():
            write_whole(ignore, "*\n")
        else:
            write_whole(folder / f".writable-{os.getpid()}", "?", keep=False)
    except OSError as error:
        say(f"can't save in {folder}: {error.strerror or error}; going on without saving")
        return None
    return Store(folder)


def saved_failures(folder: Path) -> Iterator[tuple[Path, Schedule | MazurkaError]]:
    """The saved failures of a `.mazurka` folder, sorted by name; it need not be writable."""
    for path in sorted((folder / "failures").glob("*.json")):
        try:
            yield path, read_schedule(path)
        except MazurkaError as error:
            yield path, error


def remove_store(directory: Path) -> bool:
    """Remove the folder and its content; returns whether there was one."""
    folder = directory / FOLDER
    if not folder.is_dir() or folder.is_symlink():
        return False
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise MazurkaError("not-removed", f"can't be removed: {error.strerror}", where=str(folder)) from None
    return True


def write_whole(path: Path, content: str | bytes, *, keep: bool = True) -> None:
    """Write a complete file or nothing; without ``keep`` only test whether it can be written."""
    handle, temporary = open_new(path.parent, ".new-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content if isinstance(content, bytes) else content.encode())
        if keep:
            os.replace(temporary, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
