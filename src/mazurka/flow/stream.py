"""The numbers that a thread has written, in their order."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from mazurka.flow.recording import Chunk
from mazurka.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Input:
    """What a library function has brought in: its result, and what it stored, of which only the beginning may be there.
    ``kept`` says that the limit was not reached before."""

    result: int = 0
    data: bytes = b""
    kept: bool = True


class EndOfRecord(Exception):
    """Nothing more was written."""


class Stream:
    """Reads chunks of one thread that follow each other; raises :class:`EndOfRecord` at their end. ``stamps`` numbers
    come before each time stamp (0: there are none)."""

    def __init__(self, chunks: Sequence[Chunk], stamps: int = 0) -> None:
        self._chunks = chunks
        self._chunk = 0
        self._at = 0
        self._stamps = stamps
        self._left = chunks[0].left if chunks else 0
        #: The time stamps so far, each with the number of blocks before it: whoever reads the stream counts these.
        self.stamps: list[tuple[int, int]] = []
        self.blocks = 0
        #: How many numbers were read.
        self.numbers = 0

    def number(self, width: int) -> int:
        """A number of so many bytes."""
        found = int.from_bytes(self._bytes(width), "little") - 1
        self.numbers += 1
        self._tick()
        return found

    def count(self) -> int:
        """The passes of a counted loop."""
        first = self._bytes(1)[0]
        if first == 255:
            return int.from_bytes(self._bytes_here(8), "little")
        self._tick()
        return first - 1

    def stamp(self) -> None:
        """A time stamp."""
        self._bytes(1)
        self.stamps.append((self.blocks, int.from_bytes(self._bytes_here(8), "little")))
        self._left = self._stamps - 1

    def input(self) -> Input:
        """What a library function has brought in."""
        if self._bytes(1)[0] == 3:
            return Input(kept=False)
        result, size = struct.unpack("<qI", self._bytes_here(12))
        return Input(result, self._bytes_here(size))

    def landing(self) -> tuple[int, int]:
        """A return from ``setjmp``: the address of its frame, and the place in the program."""
        self._bytes(1)
        frame, site = struct.unpack("<QQ", self._bytes_here(16))
        return frame, site

    def _tick(self) -> None:
        """A number was read: a time stamp may follow."""
        self._left -= 1
        if self._stamps and self._left < 0:
            self.stamp()

    def _bytes(self, size: int) -> bytes:
        """The next bytes, which aren't all zero: zeros mark the end of a chunk."""
        while self._chunk < len(self._chunks):
            found = self._bytes_here(size)
            if any(found):
                return found
            self._chunk, self._at = self._chunk + 1, 0
        raise EndOfRecord

    def _bytes_here(self, size: int) -> bytes:
        """The next bytes of the same chunk: zeros at its end aren't kept."""
        found = self._chunks[self._chunk].data[self._at : self._at + size]
        self._at += size
        return found.ljust(size, b"\0")
