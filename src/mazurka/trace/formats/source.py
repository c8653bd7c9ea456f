"""The bytes of a trace, decompressed, in blocks of whole lines; and the errors about bytes that can't be a trace.

A trace is a file, a FIFO or, called ``-``, standard input: read once, in order. Its first bytes show whether it is
compressed, not its name. Nothing is ever skipped or repaired here, except the byte order mark of a text: data that ends
within a compressed stream, a line longer than :data:`LONGEST_LINE`, and bytes that are no text are errors that give the
place. At most one block and one line are held at a time, so a line of 2 GB costs no more than a megabyte.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import IO, Any, Final

from mazurka.errors import MazurkaError, UsageError
from mazurka.trace.formats.packed import LONGEST_MAGIC, Damaged, compression_of, unpacking

LONGEST_LINE: Final = 1 << 20

#: The number of bytes that are read at a time.
BLOCK: Final = 1 << 22

#: The path of standard input, or output.
STANDARD: Final = Path("-")

#: The files of a folder of RV-Predict's.
RV_PREDICTS: Final = "*_trace.bin"

BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class TraceSource:
    """One trace, read once, from the start. For a directory of segments it only has the path."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = "standard input" if path == STANDARD else str(path)
        try:
            self._file: IO[bytes] = _opened(path)
            self._ahead = self._file.read(LONGEST_MAGIC)
        except OSError as error:
            raise unreadable(self.name, error) from error
        self._compression = compression_of(self._ahead)
        self._stream: Any = self._file
        if self._compression is not None:
            try:
                self._stream = unpacking(self._compression, self._file, self._ahead)
            except UsageError:
                self.__exit__()
                raise
            except ImportError as error:
                self.__exit__()
                message = f"{self._compression.name} data, which this Python can't read: {error}"
                raise MazurkaError("trace-unreadable", message, where=self.name) from error
            self._ahead = b""

    def __enter__(self) -> TraceSource:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()
        if self.path != STANDARD:
            self._file.close()

    def head(self, size: int = 1 << 14) -> bytes:
        """The first bytes, which remain to be read."""
        if len(self._ahead) < size:
            self._ahead = self.read(size)
        return self._ahead[:size]

    def read(self, size: int) -> bytes:
        """The next ``size`` bytes; fewer only at the end."""
        first, self._ahead = self._ahead[:size], self._ahead[size:]
        gathered, left = [first], size - len(first)
        while left and (more := self._read(left)):
            gathered.append(more)
            left -= len(more)
        return b"".join(gathered)

    def blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        """The remaining bytes, in blocks of whole lines (the last one perhaps without a line feed)."""
        line, rest = 1, b""
        if self.head(len(BYTE_ORDER_MARK)) == BYTE_ORDER_MARK:
            self.read(len(BYTE_ORDER_MARK))
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
        """The offset at which the incomplete last line of a block begins; ``line`` is the number of the block's first
        line."""
        begin = 0
        while len(block) - begin > LONGEST_LINE:
            end = block.rfind(b"\n", begin, begin + LONGEST_LINE + 1) + 1
            if not end:
                message = f"a line of more than {LONGEST_LINE:,} bytes"
                raise self.malformed(line + block.count(b"\n", 0, begin), 1, message)
            begin = end
        return block.rfind(b"\n", begin) + 1 or begin

    def lines(self) -> Iterator[tuple[int, str]]:
        """The remaining lines, numbered from 1, without their ends."""
        number = 1
        for block in self.blocks():
            for piece in _pieces(block):
                lines = self.text(piece, number).split("\n")
                if not lines[-1]:
                    lines.pop()
                for line in lines:
                    yield number, line.removesuffix("\r")
                    number += 1

    def malformed(self, line: int, column: int, message: str) -> MazurkaError:
        """The error about malformed text in a line."""
        return MazurkaError("trace-malformed", message, where=f"{self.name}:{line}:{column}")

    def garbled(self, byte: int, message: str) -> MazurkaError:
        """The error about malformed data at a byte."""
        return MazurkaError("trace-malformed", message, where=f"{self.name}, byte {byte}")

    def truncated(self, message: str) -> MazurkaError:
        """The error for a file that ends too early."""
        return MazurkaError("trace-truncated", message, where=self.name, hint="it was not written to its end")

    def text(self, block: bytes, line: int) -> str:
        """The lines of a block as text; ``line`` is the number of its first."""
        try:
            return block.decode()
        except UnicodeDecodeError as error:
            before = block[: error.start]
            column = error.start - before.rfind(b"\n")
            raise self.malformed(line + before.count(b"\n"), column, "not UTF-8 text") from None

    def whole(self) -> Path | BytesIO:
        """The whole trace, to be read in any order: the path of the file itself if possible, otherwise its bytes."""
        if self._compression is None and self.path.is_file():
            return self.path
        return BytesIO(b"".join(iter(lambda: self.read(BLOCK), b"")))

    def _read(self, size: int) -> bytes:
        try:
            got: bytes = self._stream.read(size)
        except Damaged as error:
            assert self._compression is not None
            kind = self._compression.name
            if error.is_cut:
                raise self.truncated(f"its {kind} data ends too early, at byte {error.byte}") from error
            raise self.garbled(error.byte, f"its {kind} data is damaged here, or before: {error.message}") from error
        except OSError as error:
            raise unreadable(self.name, error) from error
        return got


def _pieces(block: bytes) -> tuple[bytes, ...]:
    """The block; or, if a line is no text, the lines before it and the rest, so that the lines before are read
    first."""
    try:
        block.decode()
    except UnicodeDecodeError as error:
        start = block.rfind(b"\n", 0, error.start) + 1
        return block[:start], block[start:]
    return (block,)


def unreadable(name: str, error: OSError) -> MazurkaError:
    """The error for a file that the operating system refuses to read."""
    return MazurkaError("trace-unreadable", f"can't be read: {error.strerror or error}", where=name)


def _opened(path: Path) -> IO[bytes]:
    if path == STANDARD:
        if sys.stdin is None:
            raise MazurkaError("trace-unreadable", "there is no standard input", where=str(path))
        return sys.stdin.buffer
    return BytesIO() if path.is_dir() else path.open("rb")
