"""Parquet files of other programs, read by Arrow, which is an extra: any compression, any division into pages.

Errors of Arrow become :class:`~mazurka.trace.formats.parquet_file.ParquetError`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from mazurka.trace.formats.parquet_file import ParquetError, Texts

_TEXTS: Final = (pa.string(), pa.dictionary(pa.int32(), pa.string()))
_ERRORS: Final = (pa.ArrowException, UnicodeDecodeError, OSError)


class ArrowFile:
    """A file; ``metadata`` is that of its schema, ``texts`` are the names of its columns if all of these hold texts."""

    def __init__(self, whole: Path | BytesIO) -> None:
        self._whole = whole
        try:
            schema = pq.read_schema(whole)
        except _ERRORS as error:
            raise _damaged(error) from error
        self.metadata: Mapping[bytes, bytes] = schema.metadata or {}
        self.texts: tuple[str, ...] | None = tuple(schema.names)
        if any(column.type not in _TEXTS for column in schema):
            self.texts = None

    def groups(self) -> Iterator[list[Texts]]:
        """The columns of each group of rows that has any."""
        names = list(self.texts or ())
        try:
            with pq.ParquetFile(self._whole, read_dictionary=names, page_checksum_verification=True) as file:
                for group in range(file.num_row_groups):
                    table = file.read_row_group(group)
                    table.validate(full=True)
                    if table.num_rows:
                        yield [_texts_of(table.column(name)) for name in names]
        except _ERRORS as error:
            raise _damaged(error) from error


def _damaged(error: Exception) -> ParquetError:
    return ParquetError(" ".join(str(error).split()))


def _texts_of(column: Any) -> Texts:
    whole = column.unify_dictionaries()
    names = whole.chunk(0).dictionary.to_pylist()
    numbers = [chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False) for chunk in whole.chunks]
    return Texts(np.concatenate(numbers).astype(np.int32), names)
