"""A recording of control flow: what was run, and the bytes that each thread has written.

Invariant: a recording is self-contained: with the LLVM IR in it, and the options, its bytes can be decoded anywhere.
"""

from __future__ import annotations

import enum
import hashlib
import signal
from dataclasses import field
from typing import Any, Final

from mazurka.lazy_dataclass import dataclass

#: The version of the recording's layout, and of the rules by which paths get their numbers.
VERSION: Final = 1


class Ended(enum.IntEnum):
    """How a thread ended, as far as it's known."""

    #: It didn't, before the process did.
    NOT = 0
    #: Its function returned.
    RETURNED = 1
    #: By `pthread_exit`, or it was cancelled.
    OTHERWISE = 2


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of what a thread has written, without zeros at its end. ``sequence`` counts from the thread's beginning.
    ``site`` is the place in the program of the first number, ``calls`` are those of the innermost of the ``depth``
    calls that were open there (both for rings), ``left`` the numbers before the next time stamp."""

    sequence: int
    data: bytes
    site: int = 0
    calls: tuple[int, ...] = ()
    depth: int = 0
    left: int = 0


@dataclass(slots=True)
class ThreadRecord:
    """What a thread has written. ``parent`` is the number of the thread that started it (0: none that is recorded), of
    whose threads it's the ``child``-th one."""

    number: int
    parent: int
    child: int
    ended: Ended = Ended.NOT
    chunks: list[Chunk] = field(default_factory=list)

    @property
    def following(self) -> list[Chunk]:
        """The last chunks that follow each other without a gap; in a ring the thread's first ones may be lost."""
        at = len(self.chunks)
        while at > 1 and self.chunks[at - 2].sequence + 1 == self.chunks[at - 1].sequence:
            at -= 1
        return self.chunks[max(at - 1, 0) :]

    @property
    def is_whole(self) -> bool:
        """Whether the beginning is there, and nothing is missing in between."""
        return [chunk.sequence for chunk in self.chunks] == list(range(len(self.chunks)))

    @property
    def size(self) -> int:
        """In bytes."""
        return sum(len(chunk.data) for chunk in self.chunks)


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of the process. ``status`` is its exit status, or minus the number of the signal that killed it; None
    is not known: the recorder was killed. ``thread`` is the thread that left or failed, 0 if that isn't known.
    ``lost`` is the number of the error for which no more could be written (0: all was), ``forks`` how often it
    forked, ``timed_out`` says that the recorder ended it."""

    status: int | None
    thread: int = 0
    address: int = 0
    lost: int = 0
    forks: int = 0
    timed_out: bool = False

    @property
    def words(self) -> str:
        """As a clause without a subject."""
        if self.status is None:
            return "the end isn't known"
        if self.timed_out:
            return "ended by the recorder, after its time"
        if self.status < 0:
            return f"killed by {signal.Signals(-self.status).name}"
        return f"exit status {self.status}"


@dataclass(slots=True)
class Recording:
    """A recording. ``about`` describes program and options (:func:`described`), ``text`` is the LLVM IR."""

    about: dict[str, Any]
    text: str
    threads: list[ThreadRecord]
    ending: Ending

    @property
    def size(self) -> int:
        """The bytes that the threads have written."""
        return sum(thread.size for thread in self.threads)

    def changed_files(self) -> list[str]:
        """The program's files that aren't there any more, or aren't as they were."""
        return [path for path, known in self.about["files"].items() if file_hash(path) != known]


def file_hash(path: str) -> str:
    """The hash of a file; "" if it can't be read."""
    try:
        with open(path, "rb") as stream:
            return hashlib.sha256(stream.read()).hexdigest()
    except OSError:
        return ""
