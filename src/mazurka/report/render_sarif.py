"""SARIF 2.1.0 (OASIS standard, https://docs.oasis-open.org/sarif/sarif/v2.1.0/), for code-scanning services.

Each finding is a result at the place where it shows, with the events that make it up as related locations (3.27.22)
where there are several, and with two code flows (3.36): the first has a thread flow per thread, whose locations carry
their place in time as ``executionOrder`` (3.38.11); the second is one linear flow. ``partialFingerprints`` (3.27.17)
carries the finding's identity, so a service recognises the same bug found along another interleaving, or in another
trace.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import mazurka
from mazurka.lazy_dataclass import dataclass
from mazurka.replay.anchor import is_library, portable_path
from mazurka.report.finding import Explanation, Finding, FindingEvent, Row
from mazurka.report.report import Report, Suppressed
from mazurka.trace.event import Location

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def make(*, width: int, colour: bool) -> SarifRenderer:  # every renderer is made alike
    """See :class:`mazurka.report.render.RendererFactory`."""
    return SarifRenderer()


@dataclass(frozen=True, slots=True)
class SarifRenderer:
    """One SARIF log with one run."""

    def render(self, report: Report) -> str:
        """The whole report."""
        log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(report)]}
        return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _run(report: Report) -> dict[str, Any]:
    root = Path(report.root or os.getcwd()).absolute().as_uri().rstrip("/") + "/"
    rules = [
        {"id": kind, "name": kind.capitalize(), "shortDescription": {"text": text}}
        for kind, text in report.rules.items()
    ]
    indexes = {kind: index for index, kind in enumerate(report.rules)}
    return {
        "tool": {"driver": {"name": "Mazurka", "version": mazurka.__version__, "rules": rules}},
        "invocations": [{"executionSuccessful": not report.errors}],
        "originalUriBaseIds": {"ROOT": {"uri": root}},
        "columnKind": "unicodeCodePoints",
        "results": [
            *(_result(finding, indexes[finding.kind], report.root) for finding in report.findings),
            *(_suppressed(each, indexes[each.failure.kind_name], report.root) for each in report.suppressed_failures),
        ],
        "properties": {_camel(name): value for name, value in report.facts.items()},
    }


def _camel(name: str) -> str:
    """``memoryModel``, as SARIF writes names (3.5.4)."""
    first, *more = name.split("_")
    return first + "".join(map(str.capitalize, more))


def _result(finding: Finding, rule: int, root: str) -> dict[str, Any]:
    mark = "mazurkaPrediction/v1" if finding.predicted else "mazurkaFailure/v1"
    result: dict[str, Any] = {
        "ruleId": finding.kind,
        "ruleIndex": rule,
        "level": "error",
        "kind": "fail",
        "message": {"text": f"{finding.message}\n{finding.explanation.sentence}"},
        "partialFingerprints": {mark: finding.fingerprint},
        "properties": _properties(finding),
    }
    if finding.location is not None and finding.location.line:
        result["locations"] = [_physical_location(finding.location, root)]
    related = _related(finding.events, root) if len(finding.events) > 1 else []
    if related:
        result["relatedLocations"] = related
    flows = _flows(finding.explanation, root)
    if flows:
        result["codeFlows"] = flows
    return result


def _properties(finding: Finding) -> dict[str, Any]:
    properties: dict[str, Any] = {
        "events": [event.number for event in finding.events],
        "engine": finding.engine,
        "replayed": finding.replayed,
    }
    if finding.cost is not None:
        properties |= {
            "token": finding.token,
            "replay": finding.replay,
            "contextSwitches": finding.cost.switches,
        }
    return properties


def _related(events: Sequence[FindingEvent], root: str) -> list[dict[str, Any]]:
    located = [(event, event.location) for event in events if event.location is not None and event.location.line]
    return [
        {
            "id": number,
            **_physical_location(location, root),
            "message": {"text": f"{event.thread} {event.operation} {event.target}"},
        }
        for number, (event, location) in enumerate(located)
    ]


def _suppressed(suppressed: Suppressed, rule: int, root: str) -> dict[str, Any]:
    """A result that is not to be shown (section 3.35)."""
    failure = suppressed.failure
    result: dict[str, Any] = {
        "ruleId": failure.kind_name,
        "ruleIndex": rule,
        "level": "error",
        "kind": "fail",
        "message": {"text": failure.message},
        "partialFingerprints": {"mazurkaFailure/v1": suppressed.fingerprint},
        "suppressions": [
            {"kind": "inSource" if suppressed.by.startswith("comment") else "external", "justification": suppressed.by}
        ],
    }
    if failure.location is not None:
        result["locations"] = [_physical_location(failure.location, root)]
    return result


def _flows(explanation: Explanation, root: str) -> list[dict[str, Any]]:
    """Both code flows; none if no step can be shown."""
    rows = [row for row in explanation.rows if isinstance(row, Row)]
    if not rows:
        return []
    labels = {column.thread: column.label for column in explanation.columns}
    steps: dict[str, list[dict[str, Any]]] = {thread: [] for thread in labels}
    for order, row in enumerate(rows, 1):
        steps.setdefault(row.thread, []).append(_step(row, order, "", root))
    threads = [
        {"id": thread, "message": {"text": labels.get(thread, thread)}, "locations": locations}
        for thread, locations in steps.items()
        if locations  # section 3.37.6 asks for one, but all of a thread's steps may be folded
    ]
    linear = [_step(row, order, f"{labels.get(row.thread, row.thread)}: ", root) for order, row in enumerate(rows, 1)]
    return [
        {"message": {"text": "each thread by itself"}, "threadFlows": threads},
        {"message": {"text": "in the order of the run"}, "threadFlows": [{"id": "all", "locations": linear}]},
    ]


def _step(row: Row, order: int, who: str, root: str) -> dict[str, Any]:
    known = row.location if row.location is not None and row.location.line else None
    location = _physical_location(known, root, row.text) if known is not None else {}
    location["message"] = {"text": who + ", ".join(row.what)}
    return {
        "location": location,
        "executionOrder": order,
        "importance": "essential" if row.failing or row.note else "important",
    }


def _physical_location(location: Location, root: str, text: str = "") -> dict[str, Any]:
    region: dict[str, Any] = {"startLine": max(location.line, 1)}
    if text:
        region["snippet"] = {"text": text}
    physical = {"artifactLocation": _artifact(location.file, root), "region": region}
    if not location.function:
        return {"physicalLocation": physical}
    return {"physicalLocation": physical, "logicalLocations": [{"name": location.function, "kind": "function"}]}


def _artifact(file: str, root: str) -> dict[str, str]:
    """A file inside the root is named relative to it, any other by its absolute URI."""
    path = portable_path(file, root)
    if os.path.isabs(path) or is_library(file):
        return {"uri": Path(file).absolute().as_uri()}
    return {"uri": _percent(path), "uriBaseId": "ROOT"}


def _percent(path: str) -> str:
    from urllib.parse import quote

    return quote(path)
