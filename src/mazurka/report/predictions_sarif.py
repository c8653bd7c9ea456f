"""A prediction report as SARIF 2.1.0, for code-scanning services: each finding is a result at the place of its first
event, with its other events as related locations (section 3.27.22).

``partialFingerprints`` are made of the kind and the places, so a service recognises the same finding in another trace.
"""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

import mazurka
from mazurka.predict.kinds.registry import KINDS
from mazurka.report.prediction_report import Act, Predicted, PredictionReport
from mazurka.report.render_sarif import SCHEMA, physical_location


def render(report: PredictionReport, width: int) -> str:  # every form is made alike
    """One SARIF log with one run."""
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(report)]}, indent=2) + "\n"


def _run(report: PredictionReport) -> dict[str, Any]:
    rules = [
        {"id": kind.name, "name": kind.name.capitalize(), "shortDescription": {"text": kind.rule}}
        for kind in KINDS.values()
    ]
    return {
        "tool": {"driver": {"name": "Mazurka", "version": mazurka.__version__, "rules": rules}},
        "invocations": [{"executionSuccessful": not report.refused}],
        "originalUriBaseIds": {"ROOT": {"uri": Path(os.getcwd()).as_uri().rstrip("/") + "/"}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding) for finding in report.findings],
        "properties": {"source": report.source, "engine": report.engine, "undecided": report.undecided},
    }


def _result(finding: Predicted) -> dict[str, Any]:
    acts = [_words(act) for act in finding.acts]
    result: dict[str, Any] = {
        "ruleId": finding.kind,
        "ruleIndex": list(KINDS).index(finding.kind),
        "level": "error",
        "kind": "fail",
        "message": {"text": "; ".join(acts)},
        "partialFingerprints": {"mazurkaPrediction/v1": _fingerprint(finding)},
        "properties": {
            "events": [act.event for act in finding.acts],
            "engine": finding.engine,
            "confirmed": finding.confirmed,
        },
    }
    located = [(act, act.location) for act in finding.acts if act.location is not None and act.location.line]
    if located:
        result["locations"] = [physical_location(located[0][1], "")]
        result["relatedLocations"] = [
            {"id": number, **physical_location(location, ""), "message": {"text": _words(act)}}
            for number, (act, location) in enumerate(located)
        ]
    return result


def _words(act: Act) -> str:
    return f"{act.thread} {act.what} {act.target}" + (f" at {act.place}" if act.place else "")


def _fingerprint(finding: Predicted) -> str:
    places = [act.place or act.target for act in finding.acts]
    ordered = places if KINDS[finding.kind].is_ordered else sorted(places)
    return sha256("\0".join((finding.kind, *ordered)).encode()).hexdigest()[:16]
