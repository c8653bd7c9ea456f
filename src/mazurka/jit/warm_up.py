"""Compiles kernels in background processes, so that no user waits for numba the first time.

Compiling takes some twenty seconds of processor time, once: numba keeps compiled code on disk. Separate processes do
it, several at a time. Each compiles a *part*: all kernels that the execution of an example calls, so there are no lists
of functions and types to maintain.

Commands wait for some parts (:meth:`WarmUp.wait`). The processes of the others have a low priority, and run to their
end even if the command that started them no longer needs them, so that the next command finds all parts.

A file next to numba's marks a part as done, for these sources and this numba. The process that compiles a part holds a
lock on another file, so that it is compiled once, however many commands want it. If a process fails, its kernels are
compiled when they are first called, as without any preparation.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final, NamedTuple
from zlib import crc32

#: The folder of the package.
PACKAGE: Final = Path(__file__).parents[1]

#: The niceness of processes that no command waits for.
_NICE: Final = 10


class Part(NamedTuple):
    """The unit of compilation."""

    work: Callable[[], None]  # executes an example
    is_awaited: bool = False


@dataclass(frozen=True, eq=False)
class CompiledParts:
    """The parts that can be compiled ahead, by name, from sources in some folders. ``module`` is run as ``python -m
    MODULE NAME...`` and calls :meth:`compile`. Not slotted: it caches the state of the parts."""

    module: str
    named: Mapping[str, Part]
    folders: tuple[Path, ...]

    @property
    def awaited(self) -> set[str]:
        """The names of the parts that some caller waits for."""
        return {name for name, part in self.named.items() if part.is_awaited}

    def compile(self, names: Iterable[str]) -> None:
        """Compile parts in this process, which serves no other purpose."""
        gc.disable()  # it would examine many objects, and free few: that saves a sixth of the time
        for name in names:
            part = self.named[name]
            if not part.is_awaited:
                os.nice(_NICE)
            part.work()
            done = self.done(name)
            done.parent.mkdir(parents=True, exist_ok=True)
            done.touch()

    def done(self, name: str) -> Path:
        """The file that exists once a part is done."""
        return _folder() / f"compiled-{name}-{self._sources:08x}"

    @cached_property
    def _sources(self) -> int:
        """The identity of these sources and this numba."""
        files = [path for folder in self.folders for path in sorted(folder.glob("*.py"))]
        stats = [(path.name, found.st_mtime_ns, found.st_size) for path in files for found in (path.stat(),)]
        try:
            numba = version("numba")
        except PackageNotFoundError:
            numba = ""
        return crc32(repr((stats, numba, sys.version_info)).encode())

    def lock(self, name: str, waits: bool = False) -> int | None:
        """The lock of a part, as an open file; None if another process holds it, or the folder can't be written."""
        import fcntl

        path = self.done(name).with_suffix(".lock")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError:
            return None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
        except OSError:
            os.close(lock)
            return None
        return lock

    def is_under_way(self, name: str) -> bool:
        """Whether another process holds the lock."""
        import fcntl

        try:
            lock = os.open(self.done(name).with_suffix(".lock"), os.O_RDWR)
        except OSError:
            return False
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
        finally:
            os.close(lock)
        return False


class WarmUp:
    """The background compilation for one command."""

    def __init__(self, parts: CompiledParts) -> None:
        self.parts = parts
        self.wanted: set[str] = set()
        self.processes: list[subprocess.Popen[bytes]] = []

    def begin(self, *names: str) -> None:
        """Compile parts that are neither done nor under way, in a process of its own, which inherits the locks."""
        self.wanted.update(names)
        missing = [name for name in names if not self.parts.done(name).exists()]
        locks = {name: lock for name in missing if (lock := self.parts.lock(name)) is not None}
        if locks:
            command, nothing = [sys.executable, "-P", "-m", self.parts.module, *locks], subprocess.DEVNULL
            process = subprocess.Popen(
                command,
                stdin=nothing,
                stdout=nothing,
                stderr=nothing,
                process_group=0,
                pass_fds=tuple(locks.values()),
            )
            self.processes.append(process)
        for lock in locks.values():
            os.close(lock)

    def is_there(self, name: str) -> bool:
        """Whether a part is done, or no process compiles it."""
        return name not in self.wanted or self.parts.done(name).exists() or not self.parts.is_under_way(name)

    def is_under_way(self) -> bool:
        """Whether some part is being compiled for which commands wait."""
        return not all(map(self.is_there, self.parts.awaited))

    def wait(self) -> None:
        """Wait for the parts for which commands wait."""
        for name in self.parts.awaited & self.wanted:
            if not self.parts.done(name).exists() and (lock := self.parts.lock(name, waits=True)) is not None:
                os.close(lock)


def _folder() -> Path:
    """The folder in which numba keeps compiled code, or another private one."""
    if given := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(given)
    return PACKAGE / "__pycache__" if os.access(PACKAGE, os.W_OK) else Path.home() / ".cache" / "mazurka"
