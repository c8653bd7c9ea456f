"""The registry of report formats, which `mazurka check` and `mazurka predict` share.

A renderer (renderer.py) is one file and one row here. Only the requested one is imported.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

from mazurka.errors import UsageError
from mazurka.report.renderer import DEFAULT_WIDTH, Renderer, RendererFactory

_MODULES: Final = {
    "text": "mazurka.report.render_text",
    "json": "mazurka.report.render_json",
    "sarif": "mazurka.report.render_sarif",
    "junit": "mazurka.report.render_junit",
    "github": "mazurka.report.render_github",
    "html": "mazurka.report.render_html",
}

#: The names that ``--format`` takes.
FORMATS: Final = tuple(_MODULES)


def renderer(name: str, *, width: int = DEFAULT_WIDTH, colour: bool = False) -> Renderer:
    """The renderer of that name; only renderers for people use ``width`` and ``colour``."""
    module = _MODULES.get(name)
    if module is None:
        raise UsageError(
            "no-such-format", f"there is no report format {name}", hint=f"take one of {', '.join(FORMATS)}"
        )
    make: RendererFactory = import_module(module).make
    return make(width=width, colour=colour)
