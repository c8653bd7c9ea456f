"""The seam between a report and the forms it is told in, and the list of those forms: the same for `mazurka check` and
for `mazurka predict`.

A renderer is one file and one row here. Only the one that is asked for gets imported.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final, Protocol

from mazurka.errors import UsageError
from mazurka.report.check_report import CheckReport
from mazurka.report.prediction_report import PredictionReport

#: The reports that there are. What they share is :class:`mazurka.report.report.Report`.
AnyReport = CheckReport | PredictionReport


class Renderer(Protocol):
    """Turns a report into text that ends with a line break."""

    def render(self, report: AnyReport) -> str:
        """The whole report."""
        ...


class RendererFactory(Protocol):
    """What each module of a renderer offers as ``make``."""

    def __call__(self, *, width: int, colour: bool) -> Renderer: ...


_MODULES: Final = {
    "text": "mazurka.report.render_text",
    "json": "mazurka.report.render_json",
    "sarif": "mazurka.report.render_sarif",
    "junit": "mazurka.report.render_junit",
    "github": "mazurka.report.render_github",
}

#: The names that ``--format`` takes.
FORMATS: Final = tuple(_MODULES)

#: Columns of text where there is no terminal to ask.
DEFAULT_WIDTH: Final = 120


def renderer(name: str, *, width: int = DEFAULT_WIDTH, colour: bool = False) -> Renderer:
    """The renderer of that name; ``width`` and ``colour`` only matter to those for people."""
    module = _MODULES.get(name)
    if module is None:
        raise UsageError(
            "no-such-format", f"there is no report format {name}", hint=f"take one of {', '.join(FORMATS)}"
        )
    make: RendererFactory = import_module(module).make
    return make(width=width, colour=colour)
