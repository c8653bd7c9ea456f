"""Parquet files of our own writer: Arrow reads the same tables from them, and so does our reader."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.later import Later

from mazurka.trace.formats.parquet_file import Field, ParquetError, TableFile, TableWriter, Texts

pq = Later("pyarrow.parquet")

_FIELDS = (Field("name"), Field("note", is_optional=True), Field("number", is_text=False))

#: Rows: a text, a text or none, a whole number.
_ROWS = st.lists(
    st.tuples(st.text(max_size=5), st.none() | st.text(max_size=5), st.integers(-(1 << 63), (1 << 63) - 1)), max_size=40
)


def numbered(texts: list[str | None]) -> Texts:
    names = sorted({text for text in texts if text is not None})
    numbers = [-1 if text is None else names.index(text) for text in texts]
    return Texts(np.array(numbers, np.int32), [*names, "not used"])


def file_of(groups: list[list[tuple[str, str | None, int]]]) -> io.BytesIO:
    out = io.BytesIO()
    writer = TableWriter(out, _FIELDS, {b"key": b"value"})
    for rows in groups:
        columns = ([row[0] for row in rows], [row[1] for row in rows], np.array([row[2] for row in rows], np.int64))
        writer.add(len(rows), (numbered(list(columns[0])), numbered(columns[1]), columns[2]))
    writer.close()
    return out


def texts_of(column: object) -> list[str | None]:
    assert isinstance(column, Texts)
    return [None if number < 0 else column.names[number] for number in column.numbers.tolist()]


@given(st.lists(_ROWS, max_size=3))
def test_both_readers_read_what_was_written(groups: list[list[tuple[str, str | None, int]]]) -> None:
    out = file_of(groups)
    table = pq.read_table(out, page_checksum_verification=True)
    table.validate(full=True)
    whole = [row for rows in groups for row in rows]
    assert [tuple(row.values()) for row in table.to_pylist()] == whole
    assert table.schema.metadata[b"key"] == b"value"
    file = TableFile(out)
    assert file.is_ours
    assert file.metadata == {b"key": b"value"}
    read = [(texts_of(one), texts_of(two), three.tolist()) for one, two, three in file.groups()]  # type: ignore[union-attr]
    assert [row for columns in read for row in zip(*columns, strict=True)] == whole


@pytest.mark.parametrize("names", [1, 2, 3, 4, 5, 16, 17, 256, 257, 65536, 65537])
def test_every_width(names: int) -> None:
    out = io.BytesIO()
    writer = TableWriter(out, (Field("name"),), {})
    numbers = np.arange(names, dtype=np.int32)[::-1].copy()
    writer.add(names, (Texts(numbers, [f"{number:x}" for number in range(names)]),))
    writer.close()
    expected = [f"{number:x}" for number in numbers]
    assert pq.read_table(out).column("name").to_pylist() == expected
    ((column,),) = TableFile(out).groups()
    assert texts_of(column) == expected


def test_any_damaged_byte_is_noticed(tmp_path: Path) -> None:
    whole = file_of([[("a", None, 1), ("b", "x", -5)], [("c", "y", 7)]]).getvalue()
    path = tmp_path / "damaged.parquet"
    for at in range(len(whole)):
        for bit in (0x01, 0x80):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ bit]) + whole[at + 1 :])
            try:
                file = TableFile(path)
                groups = list(file.groups()) if file.is_ours else []
            except ParquetError:
                continue
            # Bytes of the footer that nothing depends on: names, metadata, counts. Values are never others.
            for one, two, three in groups:
                assert (texts_of(one), texts_of(two), three.tolist()) in (  # type: ignore[union-attr]
                    (["a", "b"], [None, "x"], [1, -5]),
                    (["c"], ["y"], [7]),
                )


def test_no_cut_file_is_read(tmp_path: Path) -> None:
    whole = file_of([[("a", None, 1), ("b", "x", -5)]]).getvalue()
    path = tmp_path / "cut.parquet"
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(ParquetError):
            TableFile(path)
