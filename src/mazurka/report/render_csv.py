"""The table of findings (findings_table.py) as CSV, with a header; fields are quoted as RFC 4180 says."""

from __future__ import annotations

import csv
import io

from mazurka.lazy_dataclass import dataclass
from mazurka.report.findings_table import COLUMNS, rows_of
from mazurka.report.report import Report


def make(*, width: int, colour: bool) -> CsvRenderer:  # every renderer is made alike
    """See :class:`mazurka.report.render.RendererFactory`."""
    return CsvRenderer()


@dataclass(frozen=True, slots=True)
class CsvRenderer:
    """A line per finding; only a header if there are none."""

    def render(self, report: Report) -> str:
        """The whole report."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows_of(report))
        return out.getvalue()
