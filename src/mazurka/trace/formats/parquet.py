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
it was writing and no more (:class:`Segments`).

Mazurka reads the files that it writes itself (:mod:`mazurka.trace.formats.parquet_file`). Other programs' files, and
those of Mazurka before that writer, are read by Arrow, an extra (:mod:`mazurka.trace.formats.parquet_arrow`).
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from mazurka.errors import MazurkaError, import_extra
from mazurka.trace.columns import Columns, Names, Parts
from mazurka.trace.event import Op
from mazurka.trace.formats.gathering import Interning
from mazurka.trace.formats.parquet_file import Field, ParquetError, TableFile, TableWriter, Texts
from mazurka.trace.formats.source import TraceSource
from mazurka.trace.locations import location_of, text_of

VERSION: Final = 1

#: Rows of a row group that is written in one piece.
GROUP: Final = 1 << 20

#: The metadata that holds the version.
_KEY: Final = b"mazurka.trace"

_COLUMNS: Final = ("thread", "op", "target", "value", "location")

_FIELDS: Final = tuple([Field(name, is_optional=name in ("value", "location")) for name in _COLUMNS])
_OPS: Final = {op.name.lower(): op for op in Op}
_WORDS: Final = [op.name.lower() for op in Op]
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
        for columns in _groups(where, whole):
            if len(columns[0].numbers):
                yield _columns(where, columns, tables)
    except (ParquetError, OSError) as error:
        raise MazurkaError("trace-malformed", f"no readable Parquet: {error}", where=where) from error


def _groups(where: str, whole: Path | BytesIO) -> Iterator[list[Texts]]:
    """The columns of each group of rows, in the order of their names."""
    own = TableFile(whole)
    file: Any = own
    if not own.is_ours:
        import_extra("pyarrow", "a Parquet file of another program")
        from mazurka.trace.formats.parquet_arrow import ArrowFile

        file = ArrowFile(whole)
    _check_version(where, file.metadata)
    if file.texts != _COLUMNS:
        raise MazurkaError("trace-malformed", f"its columns are not {', '.join(_COLUMNS)}", where=where)
    groups: Iterator[list[Texts]] = file.groups()
    return groups


def _check_version(where: str, metadata: Mapping[bytes, bytes]) -> None:
    version = metadata.get(_KEY)
    if version is None:
        hint = "export it as CSV"
        raise MazurkaError("trace-malformed", "a Parquet file, but not a Mazurka trace", where=where, hint=hint)
    if version != str(VERSION).encode():
        found = version.decode(errors="replace")[:20]
        message = f"a trace of version {found}; this Mazurka knows version {VERSION}"
        raise MazurkaError("trace-version", message, where=where, hint="use the Mazurka that wrote it, or a newer one")


def _columns(where: str, given: Sequence[Texts], tables: _GroupTables) -> Columns:
    thread, op, target, value, location = given

    def mapped(name: str, column: Texts, number: Any, nullable: bool = False) -> NDArray[np.int32]:
        if not nullable and (column.numbers < 0).any():
            raise MazurkaError("trace-malformed", f"a row without {name}", where=where)
        return _numbers(column, number)

    def op_of(name: str) -> int:
        if name not in _OPS:
            raise MazurkaError("trace-malformed", f"no operation is called {name[:40]}", where=where)
        return _OPS[name]

    columns = Columns(
        mapped("thread", thread, tables.threads.__getitem__),
        mapped("op", op, op_of).astype(np.int8),
        mapped("target", target, tables.targets.__getitem__),
        mapped("value", value, tables.values.__getitem__, nullable=True),
        mapped("location", location, tables.locations.__getitem__, nullable=True),
    )
    for number in np.unique(columns.target[np.isin(columns.op, (Op.FORK, Op.JOIN))]).tolist():
        tables.threads[tables.targets.names[number][1]]
    return columns


def _numbers(column: Texts, number: Any) -> NDArray[np.int32]:
    """The trace's numbers of a column: names are numbered in order of appearance; -1 where there is none."""
    used = np.zeros(len(column.names) + 1, np.bool_)  # the last entry is for -1
    used[column.numbers] = True
    numbers = np.full(len(column.names) + 1, -1, np.int32)
    for at in np.flatnonzero(used[:-1]).tolist():
        numbers[at] = number(column.names[at])
    mapped: NDArray[np.int32] = numbers[column.numbers]
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
        self._file = TableWriter(out, _FIELDS, {_KEY: str(VERSION).encode()})

    def add(self, rows: Columns) -> None:
        """One row group."""
        texts = self._texts
        columns = (
            Texts(rows.thread, texts.threads()),
            Texts(rows.op.astype(np.int32), _WORDS),
            Texts(rows.target, texts.targets()),
            Texts(rows.value, self._names.values),
            Texts(rows.site, texts.locations()),
        )
        self._file.add(rows.rows, columns)

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
