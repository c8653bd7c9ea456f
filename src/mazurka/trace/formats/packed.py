"""Compressed data: gzip, bzip2, xz and Zstandard, and the blocks that lz4-java makes, which are only read.

The compression, if any, is determined by the first bytes when reading and by the file's name when writing. Several
streams one after the other count as one, as for the tools that write them; bytes after the last are damage, except
zeros where the format allows padding. Data is fed to decompressors in pieces of :data:`PIECE` bytes, so that errors
give the place to that precision. No more is decompressed at a time than is asked for.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import IO, Any, Final, NamedTuple

from mazurka.errors import import_extra

#: The number of compressed bytes that are read at a time.
PIECE: Final = 512

#: The number of first bytes that show whether data is compressed.
LONGEST_MAGIC: Final = 10


class Damaged(Exception):
    """An error in compressed data, with the byte at which it was detected; ``is_cut`` if the data ends too early."""

    def __init__(self, byte: int, message: str, is_cut: bool = False) -> None:
        super().__init__(byte, message)
        self.byte, self.message, self.is_cut = byte, message, is_cut


class Compression(NamedTuple):
    """A row of the table: how such data starts, how names of its files end, and the module that decompresses it."""

    name: str
    magic: tuple[bytes, ...]
    suffixes: tuple[str, ...]
    module: str
    padding: bytes = b""

    def library(self) -> Any:
        """The module; raises ImportError where Python was built without it, UsageError if only an extra installs it."""
        return import_extra(self.module, f"{self.name} data")


#: bzip2 is recognised by its first block, or its end if it has none: its three letters could start a text.
_BZIP2: Final = tuple(b"BZh%d" % level + mark for level in range(1, 10) for mark in (b"1AY&SY", b"\x17rE8P\x90"))

COMPRESSIONS: Final = (
    Compression("gzip", (b"\x1f\x8b",), (".gz",), "zlib", b"\0"),
    Compression("bzip2", _BZIP2, (".bz2",), "bz2"),
    Compression("xz", (b"\xfd7zXZ\0",), (".xz",), "lzma", b"\0"),
    Compression("zstd", (b"\x28\xb5\x2f\xfd",), (".zst", ".zstd"), "pyarrow"),
    Compression("LZ4", (b"LZ4Block",), (), "mazurka.trace.formats.lz4_blocks"),
)


def compression_of(start: bytes) -> Compression | None:
    """The compression of data that starts with these bytes; None if there is none."""
    return next((known for known in COMPRESSIONS if start.startswith(known.magic)), None)


def compression_for(name: str) -> Compression | None:
    """The compression of a file of this name; None if there is none."""
    return next((known for known in COMPRESSIONS if name.lower().endswith(known.suffixes)), None)


def unpacked_name(name: str) -> str:
    """The name of a file without the suffix of its compression."""
    known = compression_for(name)
    return name[: name.rindex(".")] if known else name


def unpacking(known: Compression, file: IO[bytes], start: bytes) -> Any:
    """An object whose ``read(size)`` gives the data of a compressed file, of which ``start`` has been read."""
    library, packed = known.library(), _Packed(file, start)
    match known.name:
        case "zstd":
            return _Arrow(library, packed)
        case "LZ4":
            return library.Blocks(packed)
        case "gzip":
            return _Streams(packed, _Inflating, known.padding)
        case "bzip2":
            return _Streams(packed, library.BZ2Decompressor, known.padding)
        case _:
            return _Streams(packed, library.LZMADecompressor, known.padding)


def packing(known: Compression, file: Any) -> Any:
    """A file object that compresses the bytes written to it."""
    match known.name:
        case "zstd":
            return known.library().CompressedOutputStream(file, "zstd")
        case "gzip":
            import gzip

            return gzip.GzipFile(fileobj=file, mode="wb", compresslevel=6, mtime=0)
        case "bzip2":
            return known.library().BZ2File(file, "wb")
        case _:
            return known.library().LZMAFile(file, "wb")


class _Packed:
    """A file of compressed data, read in pieces; ``taken`` is the offset of the next one."""

    closed = False

    def __init__(self, file: IO[bytes], start: bytes) -> None:
        self._file, self._ahead = file, start
        self.taken = self.before = 0

    def read(self, size: int = PIECE) -> bytes:
        piece, self._ahead = self._ahead or self._file.read(PIECE), b""
        self.before = self.taken
        self.taken += len(piece)
        return piece

    def exactly(self, size: int) -> bytes:
        """The next ``size`` bytes; :class:`Damaged` if the file ends before."""
        data = self._ahead[:size]
        self._ahead = self._ahead[size:]
        data += self._file.read(size - len(data))
        self.before = self.taken
        self.taken += len(data)
        if len(data) < size:
            raise Damaged(self.taken, "the data ends too early", is_cut=True)
        return data

    def damaged(self, message: str) -> Damaged:
        """The error for the bytes taken last."""
        return Damaged(self.before, message)

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        """No effect: the caller that opened the file closes it."""


class _Streams:
    """Streams of compressed data, each decompressed by a new object of ``make``."""

    def __init__(self, packed: _Packed, make: Callable[[], Any], padding: bytes) -> None:
        self._packed, self._make, self._padding = packed, make, padding
        self._present = make()

    def read(self, size: int) -> bytes:
        """The next bytes, at most ``size``; none at the end."""
        while True:
            piece = b""
            if self._present.eof:
                piece = self._next()
                if not piece:
                    return b""
                self._present = self._make()
            elif needs := self._present.needs_input:
                piece = self._packed.read()
            try:
                data: bytes = self._present.decompress(piece, size)
            except Exception as error:  # each library has a class of its own, and they share no base class
                raise Damaged(self._packed.taken - len(piece), str(error)) from error
            if data:
                return data
            if not piece and needs and not self._present.eof:
                raise Damaged(self._packed.taken, "the data ends too early", is_cut=True)

    def _next(self) -> bytes:
        """The bytes after a stream that has ended, without padding."""
        rest: bytes = self._present.unused_data.lstrip(self._padding or None)
        while not rest and (piece := self._packed.read()):
            rest = piece.lstrip(self._padding or None)
        return rest

    def close(self) -> None:
        """No effect: the caller that opened the file closes it."""


class _Inflating:
    """zlib's decompressor of gzip data, with the interface of the other libraries' decompressors."""

    def __init__(self) -> None:
        self._inflating = zlib.decompressobj(zlib.MAX_WBITS | 16)

    @property
    def eof(self) -> bool:
        return self._inflating.eof

    @property
    def unused_data(self) -> bytes:
        return self._inflating.unused_data

    @property
    def needs_input(self) -> bool:
        return not self._inflating.unconsumed_tail

    def decompress(self, data: bytes, most: int) -> bytes:
        return self._inflating.decompress(self._inflating.unconsumed_tail + data, most)


class _Arrow:
    """Data that Arrow decompresses."""

    def __init__(self, library: Any, packed: _Packed) -> None:
        self._packed = packed
        self._stream = library.CompressedInputStream(library.PythonFile(packed, "r"), "zstd")

    def read(self, size: int) -> bytes:
        try:
            data: bytes = self._stream.read(size)
        except OSError as error:
            if error.errno is not None:
                raise
            is_cut = self._packed.before == self._packed.taken
            raise Damaged(self._packed.before, str(error), is_cut) from error
        return data

    def close(self) -> None:
        self._stream.close()
