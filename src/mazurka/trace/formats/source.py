"""The bytes of a trace file: decompressed, whole lines at a time, and what to say when they can't be a trace.

Whether a file is compressed is told by how it starts, not by its name. Nothing is ever skipped or repaired here: a file
that ends within a compressed stream, a line longer than :data:`LONGEST_LINE`, bytes that are no text are errors that
say where. At most one block and one line are held at a time, so a line of 2 GB costs no more than a megabyte.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import IO, Any, Final

from mazurka.errors import MazurkaError

LONGEST_LINE: Final = 1 << 20

#: How much is read at a time.
BLOCK: Final = 1 << 22

_GZIP: Final = b"\x1f\x8b"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"


class Source:
    """One trace file, read once, from the start. Of a directory of segments it only tells the path."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._ahead = b""
        try:
            self._file: IO[bytes] = BytesIO() if path.is_dir() else path.open("rb")
            self._stream = _decompressing(self._file)
        except OSError as error:
            raise unreadable(path, error) from error

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()
        self._file.close()

    def head(self, size: int = 1 << 14) -> bytes:
        """How it starts; still to be read."""
        while len(self._ahead) < size and (more := self._read(size - len(self._ahead))):
            self._ahead += more
        return self._ahead[:size]

    def read(self, size: int) -> bytes:
        """The next ``size`` bytes; fewer only at the end."""
        gathered, self._ahead = self._ahead[:size], self._ahead[size:]
        while len(gathered) < size and (more := self._read(size - len(gathered))):
            gathered += more
        return gathered

    def blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        """All that is left, in blocks that end with a line (the last one perhaps without a line feed)."""
        line, rest = 1, b""
        while more := self.read(size):
            rest += more
            end = self._whole_lines(rest, line)
            if end:
                block, rest = rest[:end], rest[end:]
                yield block
                line += block.count(b"\n")
        if rest:
            yield rest

    def _whole_lines(self, block: bytes, line: int) -> int:
        """Where the last line of a block begins that is not there to its end; ``line`` is the number of the first."""
        begin = 0
        while len(block) - begin > LONGEST_LINE:
            end = block.rfind(b"\n", begin, begin + LONGEST_LINE + 1) + 1
            if not end:
                what = f"a line of more than {LONGEST_LINE:,} bytes"
                raise self.malformed(line + block.count(b"\n", 0, begin), 1, what)
            begin = end
        return block.rfind(b"\n", begin) + 1 or begin

    def lines(self) -> Iterator[tuple[int, str]]:
        """All lines that are left, numbered from 1, without their ends."""
        number = 1
        for block in self.blocks():
            for piece in _pieces(block):
                lines = self.text(piece, number).split("\n")
                if not lines[-1]:
                    lines.pop()
                for line in lines:
                    yield number, line.removesuffix("\r")
                    number += 1

    def malformed(self, line: int, column: int, what: str) -> MazurkaError:
        """The error for something in a line that can't be."""
        return MazurkaError("trace-malformed", what, where=f"{self.path}:{line}:{column}")

    def garbled(self, byte: int, what: str) -> MazurkaError:
        """The error for something at a byte that can't be."""
        return MazurkaError("trace-malformed", what, where=f"{self.path}, byte {byte}")

    def truncated(self, what: str) -> MazurkaError:
        return MazurkaError("trace-truncated", what, where=str(self.path), hint="it was not written to its end")

    def text(self, block: bytes, line: int) -> str:
        """The lines of a block as text; ``line`` is the number of its first."""
        try:
            return block.decode()
        except UnicodeDecodeError as error:
            before = block[: error.start]
            column = error.start - before.rfind(b"\n")
            raise self.malformed(line + before.count(b"\n"), column, "not UTF-8 text") from None

    def _read(self, size: int) -> bytes:
        try:
            got: bytes = self._stream.read(size)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise self.truncated(f"its compressed data can't be read: {error}") from error
        except OSError as error:
            if error.errno is None:  # what decompressing raises
                raise self.truncated(f"its compressed data can't be read: {error}") from error
            raise unreadable(self.path, error) from error
        return got


def _pieces(block: bytes) -> tuple[bytes, ...]:
    """A block as it is, or up to a line that is no text, and from there on: what comes before is read before."""
    try:
        block.decode()
    except UnicodeDecodeError as error:
        start = block.rfind(b"\n", 0, error.start) + 1
        return block[:start], block[start:]
    return (block,)


def unreadable(path: Path, error: OSError) -> MazurkaError:
    return MazurkaError("trace-unreadable", f"can't be read: {error.strerror or error}", where=str(path))


def _decompressing(file: IO[bytes]) -> IO[bytes] | Any:
    magic = file.read(4)
    file.seek(0)
    if magic.startswith(_GZIP):
        return gzip.open(file)
    if magic == _ZSTD:
        import pyarrow

        return pyarrow.CompressedInputStream(file, "zstd")
    return file
