"""The report as a page: one file that a browser opens from the disk, without a network.

The page is a reader of the JSON report (render_json.py): its data is that object, and all that it shows is in it. The
files in ``page/`` are put together as they are, the scripts in the order of :data:`SCRIPTS`; there is no build step.

Safety: names and values of programs are data only. In the file they are JSON within an element that browsers do not
execute, without ``<``, ``>`` and ``&`` and in ASCII, so that nothing in them ends the element, and no character
changes the direction of the text. The scripts write them by ``textContent``. The content security policy admits the
page's own script and style by their hashes, and no other script, style, image or connection.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from importlib.resources import files
from string import Template
from typing import Any, Final

import mazurka
from mazurka.lazy_dataclass import dataclass
from mazurka.report.render_json import report_data
from mazurka.report.renderer import AnyReport

#: The scripts of the page, in the order in which they are put together.
SCRIPTS: Final = (
    "text.js",
    "steps.js",
    "orders.js",
    "lanes.js",
    "timeline.js",
    "panels.js",
    "model.js",
    "compare.js",
    "filters.js",
    "stepview.js",
    "finding.js",
    "recording.js",
    "plots.js",
    "tree.js",
    "overview.js",
    "main.js",
)

#: The script of the page of a check that is running, after the others.
LIVE_SCRIPT: Final = "live.js"

#: The data of that page at first, without the lists of failures and notes, which are empty.
_RUNNING: Final = {
    "verdict": "running",
    "reason": "",
    "target": "",
    "executions": 0,
    "seconds": 0.0,
    "strategy": "",
    "memory_model": "",
}

#: Texts of more characters are cut: a value may have megabytes.
LONGEST: Final = 20_000

_ESCAPED: Final = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def make(*, width: int, colour: bool) -> HtmlRenderer:  # every renderer is made alike
    """See :class:`mazurka.report.render.RendererFactory`."""
    return HtmlRenderer()


@dataclass(frozen=True, slots=True)
class HtmlRenderer:
    """One page for the whole report: an overview, and a page within it for each finding."""

    def render(self, report: AnyReport) -> str:
        """The whole report."""
        return page(report_data(report))


def page(data: dict[str, Any]) -> str:
    """The page of a report's data, or of a recording's (recording_data.py), whose names are short."""
    return _page(data if "columns" in data else shortened(data), SCRIPTS, "")


def live_page() -> str:
    """The page of a check that is running, which asks its server for events (cli/live/)."""
    data = _RUNNING | {"failures": [], "notes": [], "sources": {}}
    return _page(data, (*SCRIPTS, LIVE_SCRIPT), " connect-src 'self';")


def _page(data: Any, scripts: Sequence[str], connections: str) -> str:
    script = '"use strict";\n(() => {\n' + "\n".join(map(_part, scripts)) + "})();\n"
    style = _part("page.css")
    return Template(_part("page.html")).substitute(
        script=script,
        style=style,
        script_hash=_digest(script),
        style_hash=_digest(style),
        connections=connections,
        data=embedded(data),
        version=mazurka.__version__,
    )


def embedded(data: Any) -> str:
    """Data as JSON that can stand in an HTML page."""
    return json.dumps(data, separators=(",", ":")).translate(_ESCAPED)


def shortened(value: Any) -> Any:
    """Data without the rest of texts that are longer than :data:`LONGEST`."""
    if isinstance(value, str):
        left_out = len(value) - LONGEST
        return value if left_out <= 0 else f"{value[:LONGEST]} ... ({left_out:,} more characters)"
    if isinstance(value, dict):
        return {shortened(key): shortened(each) for key, each in value.items()}
    return [shortened(each) for each in value] if isinstance(value, list | tuple) else value


def _part(name: str) -> str:
    return files("mazurka.report").joinpath("page", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
