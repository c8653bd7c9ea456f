"""A prediction report for programs: one JSON object that ``predict-schema.json`` describes
(page: ``docs/reference/predict-json.md``).

Keys are only ever added; a change of meaning changes ``schema_version``.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import mazurka
from mazurka.report.prediction_report import Act, Predicted, PredictionReport

SCHEMA_VERSION: Final = 1

#: The published schema.
SCHEMA_PATH: Final = Path(__file__).with_name("predict-schema.json")


def render(report: PredictionReport, width: int) -> str:  # every form is made alike
    """The whole report, indented, but each finding on a line of its own: an order may have thousands of turns."""
    data = report_data(report)
    findings = [f"    {json.dumps(finding, ensure_ascii=False)}" for finding in data.pop("findings")]
    head = json.dumps(data, indent=2, ensure_ascii=False).removesuffix("\n}")
    lines = ",\n".join(findings)
    return f'{head},\n  "findings": [\n{lines}\n  ]\n}}\n' if lines else f'{head},\n  "findings": []\n}}\n'


def report_data(report: PredictionReport) -> dict[str, Any]:
    """The report as plain data."""
    return {
        "mazurka": mazurka.__version__,
        "schema_version": SCHEMA_VERSION,
        "source": report.source,
        "engine": report.engine,
        "kinds": list(report.kinds),
        "window": report.window,
        "events": report.events,
        "threads": report.threads,
        "seconds": round(report.seconds, 6),
        "counts": dict(report.counts),
        "undecided": report.undecided,
        "stages": [asdict(stage) for stage in report.stages],
        "suppressions": [asdict(each) for each in report.suppressed],
        "refused": list(report.refused),
        "findings": [_finding(finding) for finding in report.findings],
    }


def _finding(finding: Predicted) -> dict[str, Any]:
    shown = finding.witness
    return {
        "kind": finding.kind,
        "events": [act.event for act in finding.acts],
        "threads": [act.thread for act in finding.acts],
        "operations": [act.what for act in finding.acts],
        "targets": [act.target for act in finding.acts],
        "locations": [_location(act) for act in finding.acts],
        "held": [[{"lock": lock.name, "event": lock.event} for lock in act.held] for act in finding.acts],
        "engine": finding.engine,
        "alike": finding.alike,
        "witness": {
            "checked": True,
            "events": shown.events,
            "prefix": shown.prefix,
            "turns": [[turn.thread, turn.events] for turn in shown.turns],
            "unread": list(shown.unread),
        },
        "confirmed": finding.confirmed,
    }


def _location(act: Act) -> dict[str, Any] | None:
    if act.location is None:
        return None
    return {
        "text": act.place,
        "file": act.location.file,
        "line": act.location.line or None,
        "function": act.location.function or None,
    }
