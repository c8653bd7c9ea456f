"""SARIF 2.1.0 (OASIS standard, https://docs.oasis-open.org/sarif/sarif/v2.1.0/): what code-scanning services show.

Each failure is a result with two code flows (section 3.36): the first has a thread flow per thread, whose locations
carry their place in time as ``executionOrder`` (3.38.11); the second is one linear flow. ``partialFingerprints``
(3.27.17) carries the failure's identity, so a service recognises the same bug found along another interleaving.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import mazurka
from mazurka.program.protocol import FailureKind
from mazurka.replay.anchor import is_library, portable_path
from mazurka.report.check_report import CheckReport, Suppressed
from mazurka.report.finding import Explanation, Finding, Row
from mazurka.trace.event import Location

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_RULES: Final = {
    FailureKind.EXCEPTION: "An order of the threads makes a thread end with an exception.",
    FailureKind.ASSERTION: "An order of the threads violates an assertion.",
    FailureKind.DEADLOCK: "An order of the threads makes threads wait for one another.",
    FailureKind.BLOCKED: "An order of the threads makes a thread wait for ever.",
    FailureKind.LIVELOCK: "An order of the threads makes threads go round without progress.",
    FailureKind.NONDETERMINISM: "The program does different things under the same schedule.",
    FailureKind.INVARIANT: "An order of the threads violates the invariant.",
    FailureKind.EXIT: "An order of the threads makes the program exit with an error.",
    FailureKind.RACE: "Two threads access the same place, one of them writing, and nothing orders the two.",
}


def make(*, width: int, colour: bool) -> SarifRenderer:  # every renderer is made alike
    """See :class:`mazurka.report.render.RendererFactory`."""
    return SarifRenderer()


@dataclass(frozen=True, slots=True)
class SarifRenderer:
    """One SARIF log with one run."""

    def render(self, report: CheckReport) -> str:
        """The whole report."""
        log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(report)]}
        return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _run(report: CheckReport) -> dict[str, Any]:
    root = Path(report.root or os.getcwd()).absolute().as_uri().rstrip("/") + "/"
    rules = [
        {"id": kind.value, "name": kind.value.capitalize(), "shortDescription": {"text": text}}
        for kind, text in _RULES.items()
    ]
    return {
        "tool": {"driver": {"name": "Mazurka", "version": mazurka.__version__, "rules": rules}},
        "invocations": [{"executionSuccessful": True}],
        "originalUriBaseIds": {"ROOT": {"uri": root}},
        "columnKind": "unicodeCodePoints",
        "results": [
            *(_result(finding, report.root) for finding in report.findings),
            *(_suppressed(each, report.root) for each in report.suppressed),
        ],
        "properties": {
            "target": report.target,
            "verdict": report.verdict.value,
            "reason": report.reason,
            "strategy": report.strategy,
            "memoryModel": report.memory_model,
            "executions": report.executions,
            "complete": report.complete,
        },
    }


def _result(finding: Finding, root: str) -> dict[str, Any]:
    failure = finding.failure
    result: dict[str, Any] = {
        "ruleId": failure.kind.value,
        "ruleIndex": list(_RULES).index(failure.kind),
        "level": "error",
        "kind": "fail",
        "message": {"text": f"{failure.message}\n{finding.explanation.sentence}"},
        "partialFingerprints": {"mazurkaFailure/v1": finding.fingerprint},
        "properties": {"token": finding.token, "replay": finding.replay, "contextSwitches": finding.context_switches},
    }
    if failure.location is not None:
        result["locations"] = [physical_location(failure.location, root)]
    flows = _flows(finding.explanation, root)
    if flows:
        result["codeFlows"] = flows
    return result


def _suppressed(suppressed: Suppressed, root: str) -> dict[str, Any]:
    """A result that is not to be shown (section 3.35)."""
    failure = suppressed.failure
    result: dict[str, Any] = {
        "ruleId": failure.kind.value,
        "ruleIndex": list(_RULES).index(failure.kind),
        "level": "error",
        "kind": "fail",
        "message": {"text": failure.message},
        "partialFingerprints": {"mazurkaFailure/v1": suppressed.fingerprint},
        "suppressions": [
            {"kind": "inSource" if suppressed.by.startswith("comment") else "external", "justification": suppressed.by}
        ],
    }
    if failure.location is not None:
        result["locations"] = [physical_location(failure.location, root)]
    return result


def _flows(explanation: Explanation, root: str) -> list[dict[str, Any]]:
    """Both code flows; none where no step can be shown."""
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
    location = physical_location(row.location, root, row.text) if row.location is not None else {}
    location["message"] = {"text": who + ", ".join(row.what)}
    return {
        "location": location,
        "executionOrder": order,
        "importance": "essential" if row.failing or row.note else "important",
    }


def physical_location(location: Location, root: str, text: str = "") -> dict[str, Any]:
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
