"""Parquet files, as Mazurka writes them: tables of texts and whole numbers, and a reader of exactly these.

Specification: Apache Parquet, ``parquet.thrift`` and ``Encodings.md`` (version 2.10). A file is a row of groups, in
each a chunk per column, and a footer. A chunk of texts is one dictionary page and one data page: texts that occur in
the group, each once, and for each row the number of its text. Rows without a value have definition level 0. A chunk of
whole numbers is one data page of 64-bit integers. Pages are compressed with zlib and have a checksum.

Numbers are kept in 1, 2, 4 bits or in whole bytes, whichever is the smallest that holds them: rounded up, they are
packed by NumPy in one step, and compression takes back most of the difference.

The reader is for files of this writer, which it knows by ``created_by``; for others there is Arrow, an extra. It
believes nothing: sizes are compared with the file, checksums and numbers are checked, and whatever is wrong is a
:class:`ParquetError`. Cost: some 50 ns a value to write, 10 to read; a byte a value on disk.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from io import BytesIO
from pathlib import Path
from typing import IO, Any, BinaryIO, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mazurka.lazy_dataclass import dataclass
from mazurka.trace.formats.thrift import Int32, Int64, Reader, ThriftError, varint, written

MAGIC: Final = b"PAR1"

#: Files with another name here were written by other programs.
CREATED_BY: Final = b"mazurka parquet 1"

_INT64, _BYTE_ARRAY = 2, 6
_REQUIRED, _OPTIONAL = 0, 1
_PLAIN, _RLE, _RLE_DICTIONARY = 0, 3, 8
_DATA_PAGE, _DICTIONARY_PAGE = 0, 2
_GZIP: Final = 2
_UTF8: Final = 0
_LEVEL: Final = 1  # of zlib: higher ones take thrice the time, and save a tenth

#: The widths in which numbers are written, in bits.
_WIDTHS: Final = (1, 2, 4, 8, 16, 24, 32)

#: The most bytes of a page, compressed or not.
_LARGEST: Final = (1 << 31) - 1


class ParquetError(ValueError):
    """Bytes that this module would not have written."""


@dataclass(frozen=True, slots=True)
class Texts:
    """A column of texts: for each row the number of its text in ``names``, or -1 for none."""

    numbers: NDArray[np.int32]
    names: Sequence[str]


#: A column of a group of rows: texts, or whole numbers.
Column: TypeAlias = Texts | NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Field:
    """A column's name and type."""

    name: str
    is_text: bool = True
    is_optional: bool = False


# -- writing ----------------------------------------------------------------------------------------------------------


class TableWriter:
    """Writes groups of rows one by one; :meth:`close` writes the footer, without which the file can't be read."""

    def __init__(self, out: BinaryIO | Any, fields: Sequence[Field], metadata: Mapping[bytes, bytes]) -> None:
        self._out = out
        self._fields = fields
        self._metadata = metadata
        self._groups: list[Mapping[int, Any]] = []
        self._rows = 0
        self._at = 0
        self._write(MAGIC)

    def add(self, rows: int, columns: Sequence[Column]) -> None:
        """One group of rows."""
        chunks = [self._chunk(field, rows, column) for field, column in zip(self._fields, columns, strict=True)]
        size = sum(chunk[3][6] for chunk in chunks)
        self._groups.append({1: chunks, 2: Int64(size), 3: Int64(rows)})
        self._rows += rows

    def close(self) -> None:
        """Write the footer."""
        root = {4: b"schema", 5: Int32(len(self._fields))}
        footer = written(
            {
                1: Int32(2),
                2: [root, *map(_schema_of, self._fields)],
                3: Int64(self._rows),
                4: self._groups,
                5: [{1: key, 2: value} for key, value in self._metadata.items()],
                6: CREATED_BY,
            }
        )
        self._write(footer + struct.pack("<I", len(footer)) + MAGIC)

    def _write(self, data: bytes) -> None:
        self._out.write(data)
        self._at += len(data)

    def _chunk(self, field: Field, rows: int, column: Column) -> dict[int, Any]:
        start, whole, dictionary = self._at, 0, None
        if isinstance(column, Texts):
            numbers, names = _used(column)
            dictionary = start
            texts = b"".join([struct.pack("<I", len(name)) + name for name in names])
            whole += self._page({1: Int32(_DICTIONARY_PAGE), 7: {1: Int32(len(names)), 2: Int32(_PLAIN)}}, texts)
            levels, present = _levels(numbers) if field.is_optional else (b"", numbers)
            body, encodings = levels + _packed(present, len(names)), [_PLAIN, _RLE, _RLE_DICTIONARY]
        else:
            body, encodings = column.astype("<i8").tobytes(), [_PLAIN, _RLE]
        data_at = self._at
        head = {1: Int32(rows), 2: Int32(encodings[-1] if dictionary is not None else _PLAIN)}
        whole += self._page({1: Int32(_DATA_PAGE), 5: head | {3: Int32(_RLE), 4: Int32(_RLE)}}, body)
        about = {
            1: Int32(_BYTE_ARRAY if field.is_text else _INT64),
            2: [Int32(each) for each in encodings],
            3: [field.name],
            4: Int32(_GZIP),
            5: Int64(rows),
            6: Int64(whole),
            7: Int64(self._at - start),
            9: Int64(data_at),
            11: None if dictionary is None else Int64(dictionary),
        }
        return {2: Int64(0), 3: about}

    def _page(self, head: dict[int, Any], body: bytes) -> int:
        """Write a page; returns its size before compression."""
        packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, 31)
        data = packer.compress(body) + packer.flush()
        checksum = zlib.crc32(data)
        signed = Int32(checksum - (1 << 32) if checksum >> 31 else checksum)
        header = written(head | {2: Int32(len(body)), 3: Int32(len(data)), 4: signed})
        self._write(header + data)
        return len(header) + len(body)


def _schema_of(field: Field) -> dict[int, Any]:
    kind, repetition = _BYTE_ARRAY if field.is_text else _INT64, _OPTIONAL if field.is_optional else _REQUIRED
    text = {6: Int32(_UTF8), 10: {1: {}}} if field.is_text else {}
    return {1: Int32(kind), 3: Int32(repetition), 4: field.name, **text}


def _used(column: Texts) -> tuple[NDArray[np.int32], list[bytes]]:
    """The column's numbers in a dictionary of just the texts that it uses, and these."""
    there = column.numbers >= 0
    used = np.zeros(len(column.names) + 1, np.bool_)  # the last entry is for -1
    used[column.numbers] = True
    local = np.cumsum(used, dtype=np.int32) - 1
    numbers = np.where(there, local[column.numbers], np.int32(-1)).astype(np.int32)
    return numbers, [column.names[each].encode() for each in np.flatnonzero(used[:-1]).tolist()]


def _levels(numbers: NDArray[np.int32]) -> tuple[bytes, NDArray[np.int32]]:
    """The definition levels, and the numbers of the rows that have a value."""
    there = numbers >= 0
    if there.all():
        runs = varint(len(numbers) << 1) + b"\1"
    else:
        runs = _bit_packed(there.astype(np.int32), 1)
    return struct.pack("<I", len(runs)) + runs, numbers[there]


def _packed(numbers: NDArray[np.int32], names: int) -> bytes:
    """Numbers below ``names``, after their width."""
    width = next(width for width in _WIDTHS if names <= 1 << width)
    return bytes([width]) + (_bit_packed(numbers, width) if len(numbers) else b"")


def _bit_packed(numbers: NDArray[np.int32], width: int) -> bytes:
    """One run of numbers, filled up to a multiple of eight."""
    groups = -(-len(numbers) // 8)
    data: bytes
    filled = np.zeros(8 * groups, "<u4")
    filled[: len(numbers)] = numbers
    if width < 8:
        places = filled.reshape(-1, 8 // width) << np.arange(0, 8, width, dtype=np.uint32)
        data = np.bitwise_or.reduce(places, axis=1).astype(np.uint8).tobytes()
    else:
        data = filled.view(np.uint8).reshape(-1, 4)[:, : width // 8].tobytes()
    return varint(groups << 1 | 1) + data


# -- reading ----------------------------------------------------------------------------------------------------------


class TableFile:
    """A file that :class:`TableWriter` wrote; ``is_ours`` says whether it is one. Nothing else may be asked of others.

    ``metadata`` and ``fields`` are those of the footer.
    """

    def __init__(self, whole: Path | BytesIO) -> None:
        self._whole = whole
        self.is_ours = False
        with self._opened() as file:
            size = file.seek(0, 2)
            if size < 2 * len(MAGIC) + 4:
                raise ParquetError("it is too short")
            file.seek(size - 8)
            length, magic = struct.unpack("<I4s", file.read(8))
            file.seek(0)
            if magic != MAGIC or file.read(4) != MAGIC or length > size - 12:
                raise ParquetError("it has no footer")
            file.seek(size - 8 - length)
            footer: bytes = file.read(length)
        try:
            self._footer = Reader(footer).struct()
        except ThriftError:
            return
        self.is_ours = self._footer.get(6) == CREATED_BY
        if self.is_ours:
            self._end = size - 8 - length
            self._read_footer()

    def _opened(self) -> AbstractContextManager[IO[bytes]]:
        if isinstance(self._whole, Path):
            return self._whole.open("rb")
        return nullcontext(self._whole)

    def _read_footer(self) -> None:
        try:
            _root, *listed = self._footer[2]
            self.fields = tuple(
                [Field(each[4].decode(), each[1] == _BYTE_ARRAY, each[3] == _OPTIONAL) for each in listed]
            )
            self.metadata: dict[bytes, bytes] = {each[1]: each[2] for each in self._footer.get(5, [])}
            groups = self._footer[4]
            self._groups = [(_whole(group[3]), [each[3] for each in group[1]]) for group in groups]
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            raise ParquetError("its footer is damaged") from error
        if any(len(chunks) != len(self.fields) for _, chunks in self._groups):
            raise ParquetError("its footer is damaged")

    @property
    def texts(self) -> tuple[str, ...] | None:
        """The names of the columns if all of these hold texts."""
        return tuple([field.name for field in self.fields]) if all(each.is_text for each in self.fields) else None

    def groups(self) -> Iterator[list[Column]]:
        """The columns of each group of rows, read one group at a time."""
        for rows, chunks in self._groups:
            with self._opened() as file:
                yield [self._column(file, *pair, rows) for pair in zip(self.fields, chunks, strict=True)]

    def _column(self, file: IO[bytes], field: Field, about: Any, rows: int) -> Column:
        try:
            start, size = _whole(about.get(11, about[9])), _whole(about[7])
            if start + size > self._end:
                raise ParquetError("a column ends after the file")
            file.seek(start)
            pages = _Pages(file.read(size))
            if not field.is_text:
                return self._integers(pages, rows)
            return _texts(pages, field, rows)
        except (KeyError, TypeError, AttributeError, ThriftError, struct.error, zlib.error) as error:
            raise ParquetError(f"column {field.name} is damaged") from error

    @staticmethod
    def _integers(pages: _Pages, rows: int) -> NDArray[np.int64]:
        head, body = pages.next(_DATA_PAGE, 5)
        if head[1] != rows or len(body) != 8 * rows:
            raise ParquetError("a page has another number of values")
        return np.frombuffer(body, "<i8").astype(np.int64)


def _texts(pages: _Pages, field: Field, rows: int) -> Texts:
    head, body = pages.next(_DICTIONARY_PAGE, 7)
    names = _names(body, _whole(head[1]))
    head, body = pages.next(_DATA_PAGE, 5)
    if head[1] != rows:
        raise ParquetError("a page has another number of rows")
    there = None
    if field.is_optional:
        (size,) = struct.unpack_from("<I", body)
        there, body = _unpacked(body[4 : 4 + size], 1, rows).astype(np.bool_), body[4 + size :]
    found = _unpacked(body[1:], body[0] if body else 0, rows if there is None else int(there.sum()))
    if len(found) and int(found.max()) >= len(names):
        raise ParquetError("a row has a text that is not there")
    if there is None:
        return Texts(found, names)
    numbers = np.full(rows, -1, np.int32)
    numbers[there] = found
    return Texts(numbers, names)


class _Pages:
    """The pages of a chunk."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def next(self, kind: int, head: int) -> tuple[dict[int, Any], bytes]:
        """The next page, of this kind: its header, which is the field ``head``, and its content."""
        reader = Reader(self._data, self._at)
        header = reader.struct()
        size, whole, checksum = _whole(header[3]), _whole(header[2]), header[4]
        data = self._data[reader.at : reader.at + size]
        if header[1] != kind or len(data) < size or whole > _LARGEST:
            raise ParquetError("a page is damaged")
        if zlib.crc32(data) != checksum & 0xFFFFFFFF:
            raise ParquetError("a page has another checksum")
        self._at = reader.at + size
        body: bytes = zlib.decompressobj(31).decompress(data, whole + 1)
        if len(body) != whole:
            raise ParquetError("a page has another length")
        return header[head], body


def _whole(number: Any) -> int:
    if not isinstance(number, int) or number < 0:
        raise ParquetError("a size is missing")
    return number


def _names(body: bytes, number: int) -> list[str]:
    names, at = [], 0
    for _ in range(number):
        (size,) = struct.unpack_from("<I", body, at)
        at += 4 + size
        if at > len(body):
            raise ParquetError("a text ends after its page")
        names.append(body[at - size : at].decode())
    return names


def _unpacked(data: bytes, width: int, number: int) -> NDArray[np.int32]:
    """The numbers of runs of this width."""
    if not number:
        return np.zeros(0, np.int32)
    if width not in _WIDTHS:
        raise ParquetError("numbers have another width")
    reader = Reader(data)
    head = reader.varint()
    if not head & 1:
        if head >> 1 != number or reader.at >= len(data) or width > 8:
            raise ParquetError("a run is damaged")
        return np.full(number, data[reader.at], np.int32)
    count, rest = 8 * (head >> 1), data[reader.at :]
    if count < number or count - number >= 8 or len(rest) != count // 8 * width:
        raise ParquetError("a run is damaged")
    octets = np.frombuffer(rest, np.uint8)
    if width < 8:
        places = octets[:, None] >> np.arange(0, 8, width, dtype=np.uint8) & np.uint8((1 << width) - 1)
        return places.reshape(-1)[:number].astype(np.int32)
    wide = np.zeros((count, 4), np.uint8)
    wide[:, : width // 8] = octets.reshape(count, width // 8)
    numbers: NDArray[np.int64] = wide.view("<u4").reshape(-1)[:number].astype(np.int64)
    if int(numbers.max()) >= 1 << 31:
        raise ParquetError("a number is too large")
    return numbers.astype(np.int32)
