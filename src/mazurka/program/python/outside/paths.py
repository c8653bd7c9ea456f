"""The locations that paths stand for.

A directory entry is a location of its own, ``("entry", path)``: whether the entry exists. The content and status
(``stat``) of a file are another, ``("file", path)``; a write to an open file that has got other names meanwhile writes
this location under all of them. The listing of a directory is ``("directory", path)``.

A path is resolved as the system does it, symbolic links included. The entries that it leads through are read, too; but
this is reported only for entries that threads have been seen to make, remove or rename, which a run learns.

Cost: a system call for each component of a path.
"""

from __future__ import annotations

import os
import posix
from typing import Any, Final, NamedTuple
from zlib import crc32

from mazurka.program.python.outside.process_state import WORKING_DIRECTORY
from mazurka.program.python.primitives.run import Models
from mazurka.program.python.primitives.steps import StepAccess, read
from mazurka.trace.targets import Kind, Target

#: The number of symbolic links that Linux follows.
_LINKS: Final = 40

_process: Final = posix.getpid  # the real one

#: Below these there are no files, only the system's views of itself.
_SYSTEM: Final = ("/dev/", "/proc/", "/sys/")

_MARK: Final = 1 << 40


class ResolvedPath(NamedTuple):
    """A resolved path: ``path`` is absolute, without links except for its last entry if links are not followed."""

    path: str
    passed: tuple[str, ...]  # the entries that were looked at on the way
    relative: bool  # to the working directory

    @property
    def folder(self) -> str:
        """The folder that the entry is in."""
        return os.path.dirname(self.path)


def is_system(path: str) -> bool:
    """Whether the path is the operating system's (``/proc``, ``/dev`` ...), which is neither tracked nor put back."""
    return path.startswith(_SYSTEM)


def entry(path: str) -> tuple[Target, str]:
    """The location of a name in a folder, and its name in reports."""
    return (Kind.ENTRY.tag, path), f"the entry {path}"


def listing(path: str) -> tuple[Target, str]:
    """The location of a folder's list of entries, and its name in reports."""
    return (Kind.DIRECTORY.tag, path), f"the content of {path}"


def content(path: str) -> tuple[Target, str]:
    """The location of a file's content, and its name in reports."""
    return (Kind.FILE.tag, path), f"the file {path}"


def resolve(path: Any, base: str | None, *, follow: bool = True) -> ResolvedPath:
    """Follow a path; ``base`` is the folder where a relative path begins; None for the working directory."""
    text = os.fsdecode(path)
    relative = not text.startswith("/")
    at = "/" if not relative else base if base is not None else posix.getcwd()
    rest = text.split("/")[::-1]
    passed: list[str] = []
    links = 0
    while rest:
        name = rest.pop()
        if name in ("", "."):
            continue
        if name == "..":
            at = os.path.dirname(at)
            continue
        if at == "/proc" and name == str(_process()):
            name = "self"
        step = f"/{name}" if at == "/" else f"{at}/{name}"
        passed.append(step)
        is_last = not any(part not in ("", ".") for part in rest)
        if follow or not is_last:
            try:
                to = posix.readlink(step)
            except OSError:
                to = ""  # no link, or no entry at all
            # Links in /proc to names without a folder differ from process to process: /proc/self, /proc/self/ns/pid.
            if to and links < _LINKS and (to.startswith("/") or not step.startswith("/proc/")):
                links += 1
                rest.extend(to.split("/")[::-1])
                at = "/" if to.startswith("/") else at
                continue
        at = step
    return ResolvedPath(at, tuple(passed), relative and base is None)


def mark_of(path: str) -> int:
    """The mark to learn when threads change an entry on the paths of other threads."""
    return -_MARK - crc32(path.encode("utf-8", "surrogatepass"))


def on_the_way(models: Models, found: ResolvedPath) -> list[StepAccess]:
    """The reads of a path's look-up, beside the entry that it leads to."""
    points = models.runtime.points
    touches = [read(*WORKING_DIRECTORY)] if found.relative else []
    return touches + [read(*entry(each)) for each in found.passed if each != found.path and mark_of(each) in points]
