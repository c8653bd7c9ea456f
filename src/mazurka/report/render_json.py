"""The report for programs: one JSON object. Findings of checks and of predictions have the same keys.

Schemas: ``schema.json`` of a check (page: ``docs/reference/json.md``), ``predict-schema.json`` of a prediction (page:
``docs/reference/predict-json.md``). Keys are only ever added; any other change changes ``schema_version``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import mazurka
from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import BlockedThread
from mazurka.replay.anchor import portable_path
from mazurka.report.check_report import CheckReport
from mazurka.report.coverage import CoverageReport, PairCounts
from mazurka.report.details import Arrow, Details, Orders, StepFacts
from mazurka.report.exploration_tree import ExplorationTree
from mazurka.report.finding import CheckedWitness, Explanation, Finding, FindingEvent, Fold, Row
from mazurka.report.prediction_report import PredictionReport
from mazurka.report.renderer import AnyReport
from mazurka.report.report import Report
from mazurka.report.search_history import SearchHistory
from mazurka.report.sources import sources_data
from mazurka.trace.event import Location

SCHEMA_VERSION: Final = 2

#: Texts of more characters than this are on lines of their own.
_LONGEST: Final = 100

#: The published schemas.
SCHEMA_PATH: Final = Path(__file__).with_name("schema.json")
PREDICT_SCHEMA_PATH: Final = Path(__file__).with_name("predict-schema.json")


def make(*, width: int, colour: bool) -> JsonRenderer:  # every renderer is made alike
    """See :class:`mazurka.report.render.RendererFactory`."""
    return JsonRenderer()


@dataclass(frozen=True, slots=True)
class JsonRenderer:
    """JSON, indented; a list without objects is mostly on one line: an order may have thousands of turns."""

    def render(self, report: AnyReport) -> str:
        """The whole report."""
        return _indented(report_data(report), "") + "\n"


def _indented(value: Any, margin: str) -> str:
    inner = margin + "  "
    if isinstance(value, dict) and any(isinstance(each, dict | list) and each for each in value.values()):
        parts = [f"{inner}{json.dumps(key)}: {_indented(each, inner)}" for key, each in value.items()]
        return "{\n" + ",\n".join(parts) + f"\n{margin}}}"
    if isinstance(value, list) and any(isinstance(each, dict) for each in value):
        return "[\n" + ",\n".join(inner + _indented(each, inner) for each in value) + f"\n{margin}]"
    line = json.dumps(value, ensure_ascii=False)
    if isinstance(value, list) and len(line) > _LONGEST and any(isinstance(each, str) for each in value):
        return "[\n" + ",\n".join(inner + json.dumps(each, ensure_ascii=False) for each in value) + f"\n{margin}]"
    return line


def report_data(report: AnyReport) -> dict[str, Any]:
    """The report as plain data."""
    name = "failures" if isinstance(report, CheckReport) else "findings"
    return {
        "mazurka": mazurka.__version__,
        "schema_version": SCHEMA_VERSION,
        **(_of_check(report) if isinstance(report, CheckReport) else _of_prediction(report)),
        name: [finding_data(finding, report.root) for finding in report.findings],
        "sources": sources_data(report),
    }


def _of_check(report: CheckReport) -> dict[str, Any]:
    return {
        "target": report.target,
        **({"targets": [_target(part) for part in report.parts]} if report.parts else {}),
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
        "suppressed": _suppressed(report),
        "unused_suppressions": list(report.unused),
        "coverage": _coverage(report.coverage),
        "advice": report.advice,
        "search": _search(report.history),
    }


def _coverage(coverage: CoverageReport | None) -> dict[str, Any] | None:
    if coverage is None:
        return None
    return {
        "preemptions": coverage.preemptions,
        "orders": coverage.orders,
        "assuming": coverage.assuming,
        "conflicts": _pairs(coverage.conflicts),
        "sections": _pairs(coverage.sections),
        "sampled": coverage.sampled and asdict(coverage.sampled),
        "causes": [asdict(cause) for cause in coverage.causes],
    }


def _pairs(pairs: PairCounts | None) -> dict[str, Any] | None:
    if pairs is None:
        return None
    one_order = [list(pair) for pair in pairs.in_one_order]
    return {"shown": pairs.shown, "in_both_orders": pairs.in_both_orders, "in_one_order": one_order}


def _search(history: SearchHistory | None) -> dict[str, Any] | None:
    if history is None:
        return None
    samples = history.samples
    return {
        "seconds": [round(each.seconds, 3) for each in samples],
        "executions": [each.executions for each in samples],
        "points": [each.points for each in samples],
        "failures": [each.failures for each in samples],
        "estimate": [round(each.estimate) if each.estimate is not None else None for each in samples],
        "frontier": [each.frontier for each in samples],
        "phases": {name: round(seconds, 6) for name, seconds in history.phases},
        "tree": _tree(history.tree),
    }


def _tree(tree: ExplorationTree | None) -> dict[str, Any] | None:
    if tree is None:
        return None
    return {
        "executions": tree.executions,
        "whole": tree.whole,
        "labels": dict(tree.labels),
        "nodes": [
            {
                "parent": node.parent,
                "steps": [[step.thread, step.operation, step.location] for step in node.steps],
                "enabled": list(node.enabled),
                "asleep": list(node.asleep),
                "execution": node.execution,
                "ending": node.ending,
                "failing": node.failing,
            }
            for node in tree.nodes
        ],
    }


def _target(part: CheckReport) -> dict[str, Any]:
    return {
        "target": part.target,
        "verdict": part.verdict.value,
        "reason": part.reason,
        "error": part.error or None,
        "executions": part.executions,
        "seconds": round(part.seconds, 6),
        "complete": part.complete,
        "threads": part.scope.threads,
        "failures": len(part.findings),
    }


def _suppressed(report: Report) -> list[dict[str, Any]]:
    return [
        {
            "kind": each.failure.kind_name,
            "message": each.failure.message,
            "location": _location(each.failure.location, report.root),
            "fingerprint": each.fingerprint,
            "by": each.by,
        }
        for each in report.suppressed_failures
    ]


def _of_prediction(report: PredictionReport) -> dict[str, Any]:
    return {
        "source": report.source,
        "engine": report.engine,
        "kinds": list(report.kinds),
        "window": report.window,
        "events": report.events,
        "threads": report.threads,
        "seconds": round(report.seconds, 6),
        "counts": dict(report.counts),
        "undecided": report.undecided,
        "unconfirmed": [finding_data(each, report.root) for each in report.unconfirmed],
        "lacking": list(report.lacking),
        "stages": [asdict(stage) for stage in report.stages],
        "suppressions": [asdict(each) for each in report.suppressed],
        "refused": list(report.refused),
    }


def finding_data(finding: Finding, root: str) -> dict[str, Any]:
    """One finding as plain data. Fields that only executions have are empty or null if the finding was predicted."""
    failure, cost = finding.failure, finding.cost
    within = None if finding.predicted else root
    return {
        "kind": finding.kind,
        "message": finding.message,
        "location": _location(finding.location, within),
        "thread": finding.thread,
        "fingerprint": finding.fingerprint,
        "events": [event.number for event in finding.events],
        "threads": [event.thread for event in finding.events],
        "operations": [event.operation for event in finding.events],
        "targets": [event.target for event in finding.events],
        "locations": [_location(event.location, within, event.place) for event in finding.events],
        "held": [[{"lock": lock.name, "event": lock.event} for lock in event.held] for event in finding.events],
        "engine": finding.engine,
        "alike": finding.alike,
        "witness": _witness(finding.witness),
        "replayed": finding.replayed,
        "explanation": _explanation(finding.explanation, within),
        "exception": (failure.exception if failure is not None else "") or None,
        "frames": [
            {"location": _location(frame.location, root), "text": frame.text}
            for frame in (failure.frames if failure is not None else ())
        ],
        "waiting": _waiting(failure.waiting if failure is not None else (), root),
        "behind": _waiting(failure.behind if failure is not None else (), root),
        "schedule": finding.schedule or None,
        "token": finding.token,
        "inputs": dict(finding.inputs),
        "replay": finding.replay,
        "steps": cost.points if cost is not None else None,
        "context_switches": cost.switches if cost is not None else None,
        "preemptions": cost.preemptions if cost is not None else None,
        "output": finding.output,
        **({"target": finding.target} if finding.target else {}),
        "execution": _steps(finding.execution, finding.details, root),
        **_details(finding.details),
        "orders": _orders(finding.orders),
        "observed": _observed(finding, root),
    }


def _waiting(threads: Sequence[BlockedThread], root: str | None) -> list[dict[str, Any]]:
    return [
        {
            "thread": waiting.thread,
            "for": waiting.for_what,
            "held_by": waiting.held_by,
            "location": _location(waiting.location, root),
            "held_since": _location(waiting.held_since, root),
        }
        for waiting in threads
    ]


def _witness(witness: CheckedWitness | None) -> dict[str, Any]:
    known = witness or CheckedWitness("", ())
    return {
        "checked": witness is not None and witness.checked,
        "claim": known.claim or None,
        "events": known.events,
        "prefix": known.prefix,
        "turns": [[turn.thread, turn.events] for turn in known.turns],
        "unread": list(known.unread),
        "contradictions": list(known.contradictions),
    }


def _steps(events: Sequence[FindingEvent], details: Details | None, root: str | None) -> list[dict[str, Any]]:
    facts: Sequence[StepFacts | None] = details.facts if details is not None else ()
    if len(facts) != len(events):
        facts = [None] * len(events)
    return [_step(event, known, root) for event, known in zip(events, facts, strict=True)]


def _details(details: Details | None) -> dict[str, Any]:
    known = details or Details((), (), (), (), ())
    return {
        "labels": dict(known.labels),
        "relevant": list(known.relevant),
        "conflicting": list(known.conflicting),
        "arrows": [_arrow(arrow) for arrow in known.arrows],
    }


def _arrow(arrow: Arrow) -> dict[str, Any]:
    return {"from": arrow.first, "to": arrow.second, "reason": arrow.reason.value, "target": arrow.target}


def _orders(orders: Orders | None) -> dict[str, Any] | None:
    if orders is None:
        return None
    return {
        "steps": list(orders.steps),
        "edges": [_arrow(edge) for edge in orders.edges],
        "possible": [list(pair) for pair in orders.possible],
        "undecided": [list(pair) for pair in orders.undecided],
    }


def _observed(finding: Finding, root: str) -> dict[str, Any] | None:
    observed = finding.observed
    if observed is None:
        return None
    return {
        "steps": _steps(observed.events, finding.details, None),
        "predicted": list(observed.predicted),
        "omitted": observed.omitted,
    }


def _step(event: FindingEvent, facts: StepFacts | None, root: str | None) -> dict[str, Any]:
    location = event.location
    file = location.file if location is not None else None
    return {
        "step": event.number,
        "thread": event.thread,
        "operation": event.operation,
        "target": event.target,
        "value": event.value,
        "file": portable_path(file, root) if file is not None and root is not None else file,
        "line": location.line or None if location is not None else None,
        "op": facts.operation if facts is not None else "",
        "target_number": facts.target if facts is not None else None,
        "held": list(facts.held) if facts is not None else [],
    }


def _location(location: Location | None, root: str | None, text: str = "") -> dict[str, Any] | None:
    """A location; ``text`` is its name in a trace. Without a root the file name is that of the trace."""
    if location is None:
        return None
    file = location.file if root is None else portable_path(location.file, root)
    return {
        "text": text or (f"{file}:{location.line}" if location.line else file),
        "file": file,
        "line": location.line or None,
        "function": location.function or None,
    }


def _explanation(explanation: Explanation, root: str | None) -> dict[str, Any]:
    return {
        "shape": explanation.shape.value if explanation.shape is not None else None,
        "sentence": explanation.sentence,
        "threads": [{"thread": column.thread, "label": column.label} for column in explanation.columns],
        "rows": [_row(row, root) for row in explanation.rows],
    }


def _row(row: Row | Fold, root: str | None) -> dict[str, Any]:
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
