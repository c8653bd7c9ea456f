"""The registry of report formats, which `mazurka check` and `mazurka predict` share.

A renderer (renderer.py) is one file and one row here. Only the requested one is imported.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

from mazurka.errors import UsageError
from mazurka.report.renderer import DEFAULT_WIDTH, AnyReport, BinaryRenderer, Renderer, RendererFactory

_MODULES: Final = {
    "text": "mazurka.report.render_text",
    "json": "mazurka.report.render_json",
    "sarif": "mazurka.report.render_sarif",
    "junit": "mazurka.report.render_junit",
    "github": "mazurka.report.render_github",
    "html": "mazurka.report.render_html",
    "markdown": "mazurka.report.render_markdown",
    "perfetto": "mazurka.report.render_perfetto",
    "dot": "mazurka.report.render_dot",
    "mermaid": "mazurka.report.render_mermaid",
    "csv": "mazurka.report.render_csv",
}

#: The formats that are no text.
_BINARY: Final = {"parquet": "mazurka.report.render_parquet"}

#: The names that ``--format`` takes.
FORMATS: Final = (*_MODULES, *_BINARY)


def renderer(name: str, *, width: int = DEFAULT_WIDTH, colour: bool = False) -> Renderer:
    """The renderer of a text of that name; only renderers for people use ``width`` and ``colour``."""
    module = _MODULES.get(name)
    if module is None:
        raise UsageError(
            "no-such-format", f"there is no report format {name}", hint=f"take one of {', '.join(FORMATS)}"
        )
    make: RendererFactory = import_module(module).make
    return make(width=width, colour=colour)


def is_binary(name: str) -> bool:
    """Whether reports of that format are no text."""
    return name in _BINARY


def rendered(name: str, report: AnyReport, *, width: int = DEFAULT_WIDTH, colour: bool = False) -> bytes:
    """A report in the format of that name, as the bytes of a file."""
    if is_binary(name):
        made: BinaryRenderer = import_module(_BINARY[name]).make(width=width, colour=colour)
        return made.render_binary(report)
    return renderer(name, width=width, colour=colour).render(report).encode("utf-8", "backslashreplace")
