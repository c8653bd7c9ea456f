"""Mazurka's own format: Parquet with a column per field, in the words people see, so that any tool can query it.

=============  ===========================================  ====================================
column         type                                         holds
=============  ===========================================  ====================================
``thread``     text, dictionary-encoded                     its name
``op``         text, dictionary-encoded                     ``read``, ``write``, ``acquire`` ...
``target``     text, dictionary-encoded                     kind, space, name: ``var x``
``value``      text or null, dictionary-encoded             equal texts are equal values
``location``   text or null, dictionary-encoded             see :mod:`mazurka.trace.locations`
=============  ===========================================  ====================================

The file's metadata say ``mazurka.trace = 1``: the version of this table. A row's number is that of its event. Row
groups are written as parts arrive, and read one at a time; the dictionaries of each hold just the names that it uses,
so memory is bounded by one row group and the tables of names.

A *recording* is a directory of such files, ``000000.parquet`` and so on, which are parts of one trace, in the order of
their names. A segment is written under another name and then renamed: a recorder that is killed loses the segment that
it was writing and no more (:class:`Segments`). Cost: some 150 ns an event to write, 60 to read; a few bytes on disk.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from mazurka.errors import MazurkaError
from mazurka.trace.columns import Columns, Names, Parts
from mazurka.trace.event import Op
from mazurka.trace.formats.gathering import Interning
from mazurka.trace.formats.source import TraceSource
from mazurka.trace.locations import location_of, text_of

VERSION: Final = 1

#: Rows of a row group that is written in one piece.
GROUP: Final = 1 << 20

_KEY: Final = b"mazurka.trace"
_COLUMNS: Final = ("thread", "op", "target", "value", "location")
_TEXT: Final = pa.dictionary(pa.int32(), pa.string())
_SCHEMA: Final = pa.schema([(name, _TEXT) for name in _COLUMNS], metadata={_KEY: str(VERSION)})
_OPS: Final = {op.name.lower(): op for op in Op}
_UNFINISHED: Final = ".unfinished"

#: The suffix, in a recording, of raw segments, which have not been made columns yet and would be missing in the trace.
UNREAD: Final = ".raw"


# -- reading ----------------------------------------------------------------------------------------------------------


def read(source: TraceSource) -> Parts:
    tables = _GroupTables()
    return Parts(tables.names, _rows(source, tables))


class _GroupTables:
    def __init__(self) -> None:
        self.threads: Interning[str] = Interning()
        self.targets: Interning[str] = Interning(_target)
        self.values: Interning[str] = Interning()
        self.locations: Interning[str] = Interning(location_of)
        self.names = Names(self.threads.names, self.targets.names, self.values.names, self.locations.names)


def _target(text: str) -> tuple[str, str]:
    kind, _, name = text.partition(" ")
    return kind, name


def _rows(source: TraceSource, tables: _GroupTables) -> Iterator[Columns]:
    path = source.path
    if not path.is_dir():
        yield from _rows_of_file(source.name, source.whole(), tables)
        return
    segments = sorted(path.glob("*.parquet"))
    if not segments or any(path.glob(f"*{UNREAD}")):
        message = (
            "a recording that was not finished" if any(path.glob(f"*{UNREAD}")) else "there is no trace in this folder"
        )
        hint = "`mazurka record --finish` finishes the recording of a killed recorder"
        raise MazurkaError("trace-truncated", message, where=str(path), hint=hint)
    for number, segment in enumerate(segments):
        if segment.name != _segment(number):
            message = f"segment {_segment(number)} is missing"
            raise MazurkaError("trace-truncated", message, where=str(path))
        yield from _rows_of_file(str(segment), segment, tables)


def _rows_of_file(where: str, whole: Path | BytesIO, tables: _GroupTables) -> Iterator[Columns]:
    try:
        _check_schema(where, pq.read_schema(whole))
        with pq.ParquetFile(whole, read_dictionary=list(_COLUMNS), page_checksum_verification=True) as file:
            for group in range(file.num_row_groups):
                table = file.read_row_group(group)
                table.validate(full=True)
                if table.num_rows:
                    yield _columns(where, table, tables)
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        message = " ".join(str(error).split())
        raise MazurkaError("trace-malformed", f"no readable Parquet: {message}", where=where) from error


def _check_schema(where: str, schema: Any) -> None:
    version = (schema.metadata or {}).get(_KEY)
    if version is None:
        hint = "export it as CSV"
        raise MazurkaError("trace-malformed", "a Parquet file, but not a Mazurka trace", where=where, hint=hint)
    if version != str(VERSION).encode():
        found = version.decode(errors="replace")[:20]
        message = f"a trace of version {found}; this Mazurka knows version {VERSION}"
        raise MazurkaError("trace-version", message, where=where, hint="use the Mazurka that wrote it, or a newer one")
    texts = (pa.string(), _TEXT)
    if tuple(schema.names) != _COLUMNS or any(column.type not in texts for column in schema):
        raise MazurkaError("trace-malformed", f"its columns are not {', '.join(_COLUMNS)}", where=where)


def _columns(where: str, table: Any, tables: _GroupTables) -> Columns:
    def mapped(name: str, numbers: Any, nullable: bool = False) -> NDArray[np.int32]:
        chunks = [_numbers(chunk, numbers) for chunk in table.column(name).chunks]
        column: NDArray[np.int32] = np.concatenate(chunks)
        if not nullable and (column < 0).any():
            raise MazurkaError("trace-malformed", f"a row without {name}", where=where)
        return column

    def op(name: str) -> int:
        if name not in _OPS:
            raise MazurkaError("trace-malformed", f"no operation is called {name[:40]}", where=where)
        return _OPS[name]

    columns = Columns(
        mapped("thread", tables.threads.__getitem__),
        mapped("op", op).astype(np.int8),
        mapped("target", tables.targets.__getitem__),
        mapped("value", tables.values.__getitem__, nullable=True),
        mapped("location", tables.locations.__getitem__, nullable=True),
    )
    for number in np.unique(columns.target[np.isin(columns.op, (Op.FORK, Op.JOIN))]).tolist():
        tables.threads[tables.targets.names[number][1]]
    return columns


def _numbers(chunk: Any, number: Any) -> NDArray[np.int32]:
    """The column of numbers for one of Arrow's: names are numbered in order of appearance; -1 where there is none."""
    names = chunk.dictionary.to_pylist()
    indexes = chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    used = np.zeros(len(names), np.bool_)
    used[indexes[indexes >= 0]] = True
    numbers = np.full(len(names) + 1, -1, np.int32)  # the last entry is for -1
    for at in np.flatnonzero(used).tolist():
        numbers[at] = number(names[at])
    mapped: NDArray[np.int32] = numbers[indexes]
    return mapped


# -- writing ----------------------------------------------------------------------------------------------------------


def write(parts: Parts, out: BinaryIO) -> list[str]:
    with Writer(out, parts.names) as writer:
        for rows in parts.rows:
            for start in range(0, rows.rows, GROUP):
                writer.add(rows.select(slice(start, start + GROUP)))
    return []


class Writer:
    """Writes row groups one by one; ``names`` may have grown in between."""

    def __init__(self, out: BinaryIO | Any, names: Names) -> None:
        self._names = names
        self._texts = _NameTexts(names)
        self._file = pq.ParquetWriter(
            out,
            _SCHEMA,
            compression="zstd",
            compression_level=1,
            dictionary_pagesize_limit=1 << 30,
            write_statistics=False,
            write_page_checksum=True,
        )

    def add(self, rows: Columns) -> None:
        """One row group."""
        texts = self._texts
        columns = [
            _encoded(rows.thread, texts.threads()),
            _encoded(rows.op.astype(np.int32), [op.name.lower() for op in Op]),
            _encoded(rows.target, texts.targets()),
            _encoded(rows.value, self._names.values),
            _encoded(rows.site, texts.locations()),
        ]
        self._file.write_table(pa.Table.from_arrays(columns, schema=_SCHEMA), row_group_size=max(rows.rows, 1))

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Close it; after an error further errors are ignored."""
        with contextlib.suppress(Exception) if kind else contextlib.nullcontext():
            self._file.close()


class _NameTexts:
    """The texts of names, each made once."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._targets: list[str] = []
        self._locations: list[str] = []

    def threads(self) -> Sequence[str]:
        return self._names.threads

    def targets(self) -> Sequence[str]:
        self._targets += [f"{kind} {name}" for kind, name in self._names.targets[len(self._targets) :]]
        return self._targets

    def locations(self) -> Sequence[str]:
        self._locations += map(text_of, self._names.locations[len(self._locations) :])
        return self._locations


def _encoded(column: NDArray[np.int32], names: Sequence[str]) -> Any:
    """The column as an Arrow array, with a dictionary of just the names that it uses."""
    there = column >= 0
    used = np.zeros(len(names), np.bool_)
    used[column[there]] = True
    local = np.cumsum(used, dtype=np.int32) - 1
    indexes = local[column] if len(names) else column
    dictionary = pa.array([names[number] for number in np.flatnonzero(used).tolist()], pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(indexes, pa.int32(), mask=~there), dictionary)


def _segment(number: int) -> str:
    return f"{number:06}.parquet"


class Segments:
    """A recording that is being made: each ``add`` is on disk, whole, when it returns."""

    def __init__(self, directory: Path, names: Names) -> None:
        directory.mkdir(parents=True, exist_ok=False)
        self._directory = directory
        self._names = names
        self._count = itertools.count()

    def add(self, rows: Columns) -> None:
        """Write one segment, which gets its final name when it is complete."""
        path = self._directory / _segment(next(self._count))
        unfinished = path.with_suffix(_UNFINISHED)
        with unfinished.open("wb") as out, Writer(out, self._names) as writer:
            writer.add(rows)
        os.replace(unfinished, path)
