"""The report for programs: one JSON object that ``schema.json`` describes (page: ``docs/reference/json.md``).

Keys are only ever added; a change of meaning changes ``schema_version``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import mazurka
from mazurka.replay.anchor import portable_path
from mazurka.report.check_report import CheckReport
from mazurka.report.finding import Evidence, Explanation, Finding, Fold, Row
from mazurka.trace.event import Location

SCHEMA_VERSION: Final = 1

#: The published schema.
SCHEMA_PATH: Final = Path(__file__).with_name("schema.json")


def make(*, width: int, colour: bool) -> JsonRenderer:  # every renderer is made alike
    """See :class:`mazurka.report.render.RendererFactory`."""
    return JsonRenderer()


@dataclass(frozen=True, slots=True)
class JsonRenderer:
    """JSON, indented."""

    def render(self, report: CheckReport) -> str:
        """The whole report."""
        return json.dumps(report_data(report), indent=2, ensure_ascii=False) + "\n"


def report_data(report: CheckReport) -> dict[str, Any]:
    """The report as plain data."""
    return {
        "mazurka": mazurka.__version__,
        "schema_version": SCHEMA_VERSION,
        "target": report.target,
        "verdict": report.verdict.value,
        "reason": report.reason,
        "strategy": report.strategy,
        "memory_model": report.memory_model,
        "executions": report.executions,
        "seconds": round(report.seconds, 6),
        "complete": report.complete,
        "scope": {
            "threads": report.scope.threads,
            "points": report.scope.points,
            "sites": report.scope.sites,
            "assumptions": list(report.scope.assumptions),
        },
        "untracked": dict(sorted(report.untracked.items())),
        "uncontrolled": dict(sorted(report.uncontrolled.items())),
        "predictions": {
            "predicted": report.predictions.predicted,
            "confirmed": report.predictions.confirmed,
            "ahead": report.predictions.ahead,
        },
        "notes": list(report.notes),
        "inconsistencies": list(report.inconsistencies),
        "suppressed": [
            {
                "kind": each.failure.kind.value,
                "message": each.failure.message,
                "location": _location(each.failure.location, report.root),
                "fingerprint": each.fingerprint,
                "by": each.by,
            }
            for each in report.suppressed
        ],
        "unused_suppressions": list(report.unused),
        "failures": [failure_data(finding, report.root) for finding in report.findings],
    }


def failure_data(finding: Finding, root: str) -> dict[str, Any]:
    """One failure as plain data."""
    failure = finding.failure
    return {
        "kind": failure.kind.value,
        "message": failure.message,
        "location": _location(failure.location, root),
        "thread": failure.thread,
        "exception": failure.exception or None,
        "frames": [{"location": _location(frame.location, root), "text": frame.text} for frame in failure.frames],
        "waiting": [
            {
                "thread": waiting.thread,
                "for": waiting.for_what,
                "held_by": waiting.held_by,
                "location": _location(waiting.location, root),
                "held_since": _location(waiting.held_since, root),
            }
            for waiting in failure.waiting
        ],
        "fingerprint": finding.fingerprint,
        "schedule": finding.schedule or None,
        "token": finding.token,
        "replay": finding.replay,
        "steps": finding.steps,
        "context_switches": finding.context_switches,
        "preemptions": finding.preemptions,
        "witness": _witness(finding.evidence),
        "replayed": finding.evidence is not None and finding.evidence.replayed,
        "output": finding.output,
        "explanation": _explanation(finding.explanation, root),
    }


def _witness(evidence: Evidence | None) -> dict[str, Any]:
    if evidence is None:
        return {"checked": False, "events": 0, "contradictions": []}
    return {
        "checked": evidence.checked,
        "events": evidence.events,
        "contradictions": list(evidence.contradictions),
    }


def _location(location: Location | None, root: str) -> dict[str, Any] | None:
    if location is None:
        return None
    return {"file": portable_path(location.file, root), "line": location.line, "function": location.function}


def _explanation(explanation: Explanation, root: str) -> dict[str, Any]:
    return {
        "shape": explanation.shape.value if explanation.shape is not None else None,
        "sentence": explanation.sentence,
        "threads": [{"thread": column.thread, "label": column.label} for column in explanation.columns],
        "rows": [_row(row, root) for row in explanation.rows],
    }


def _row(row: Row | Fold, root: str) -> dict[str, Any]:
    if isinstance(row, Fold):
        return {"folded": row.count, "of": dict(row.steps)}
    return {
        "step": row.step,
        "thread": row.thread,
        "what": list(row.what),
        "location": _location(row.location, root),
        "text": row.text,
        "caller": _location(row.caller.location, root) if row.caller is not None else None,
        "note": row.note,
        "failing": row.failing,
    }
