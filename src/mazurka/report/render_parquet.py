"""The table of findings (findings_table.py) as a Parquet file, which DuckDB, Polars and others read."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from mazurka.lazy_dataclass import dataclass
from mazurka.report.findings_table import COLUMNS, rows_of
from mazurka.report.report import Report
from mazurka.trace.formats.parquet_file import Field, TableWriter, Texts


def make(*, width: int, colour: bool) -> ParquetRenderer:  # every renderer is made alike
    """See :class:`mazurka.report.render.RendererFactory`."""
    return ParquetRenderer()


@dataclass(frozen=True, slots=True)
class ParquetRenderer:
    """A row per finding, in one group."""

    def render_binary(self, report: Report) -> bytes:
        """The whole report."""
        import numpy as np

        rows = list(rows_of(report))
        columns: list[Any] = []
        for place, is_text in enumerate(COLUMNS.values()):
            values = [row[place] for row in rows]
            columns.append(_texts(values) if is_text else np.array(values, np.int64))
        out = io.BytesIO()
        writer = TableWriter(out, [Field(name, is_text) for name, is_text in COLUMNS.items()], {})
        writer.add(len(rows), columns)
        writer.close()
        return out.getvalue()


def _texts(values: Sequence[Any]) -> Texts:
    import numpy as np

    numbers: dict[str, int] = {}
    places = [numbers.setdefault(str(value), len(numbers)) for value in values]
    names = [name.encode("utf-8", "backslashreplace").decode() for name in numbers]  # there may be lone surrogates
    return Texts(np.array(places, np.int32), names)
