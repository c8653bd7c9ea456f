"""The interface between reports and their formats."""

from __future__ import annotations

from typing import Final, Protocol

from mazurka.report.check_report import CheckReport
from mazurka.report.prediction_report import PredictionReport

#: The number of columns without a terminal.
DEFAULT_WIDTH: Final = 120

#: The kinds of reports. Their common protocol is :class:`mazurka.report.report.Report`.
AnyReport = CheckReport | PredictionReport


class Renderer(Protocol):
    """Turns a report into text that ends with a line break."""

    def render(self, report: AnyReport) -> str:
        """The whole report."""
        ...


class BinaryRenderer(Protocol):
    """Turns a report into the content of a file that is no text."""

    def render_binary(self, report: AnyReport) -> bytes:
        """The whole report."""
        ...


class RendererFactory(Protocol):
    """The type of ``make`` in each module of a renderer."""

    def __call__(self, *, width: int, colour: bool) -> Renderer: ...
