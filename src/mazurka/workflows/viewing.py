"""Reports that are looked at again: read from a file, checked, and compared with the sources as they are now.

A report is one that this version understands: JSON with this ``schema_version``, and findings that have the keys which
the page needs, with values of the right kind. Everything else is an error; nothing is guessed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from mazurka.errors import MazurkaError
from mazurka.report.render_json import SCHEMA_VERSION
from mazurka.report.sources import file_content, file_digest

#: Keys that a finding must have, and the types of their values.
_FINDING: Final[Mapping[str, type | tuple[type, ...]]] = {
    "kind": str,
    "message": str,
    "location": (dict, type(None)),
    "thread": str,
    "events": list,
    "threads": list,
    "targets": list,
    "locations": list,
    "held": list,
    "witness": dict,
    "explanation": dict,
    "frames": list,
    "waiting": list,
    "execution": list,
}
_STEP: Final[Mapping[str, type | tuple[type, ...]]] = {"step": int, "thread": str, "operation": str, "target": str}


def read_report(path: Path) -> dict[str, Any] | None:
    """The report in a file, checked; None if the file is JSON of another kind, or no JSON at all."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise MazurkaError("no-such-file", f"can't be read: {error.strerror}", where=str(path)) from None
    except UnicodeDecodeError:
        return None
    if not text.lstrip().startswith("{"):
        return None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        hint = "was it cut short? write the report again"
        raise _unreadable(f"this is no complete JSON: {error}", path, hint) from None
    if "schema_version" not in data or not ("failures" in data or "findings" in data):
        return None
    if data["schema_version"] != SCHEMA_VERSION:
        raise MazurkaError(
            "report-version",
            f"this report has version {data['schema_version']} of the schema; this Mazurka shows {SCHEMA_VERSION}",
            where=str(path),
            hint="make the report again, or use the Mazurka that made it",
        )
    _check(data, path)
    return compared(data)


def compared(data: dict[str, Any], root: str = "") -> dict[str, Any]:
    """The report, with the ``state`` of each source file: ``changed`` or ``gone`` since, or none."""
    sources = data.get("sources") or {}
    return {**data, "sources": {name: {**source, **_state(name, source, root)} for name, source in sources.items()}}


def _state(name: str, source: Mapping[str, Any], root: str) -> dict[str, str]:
    content = file_content(name, root)
    if content is None:
        return {"state": "gone"}
    return {} if file_digest(content) == source.get("digest") else {"state": "changed"}


def _check(data: dict[str, Any], path: Path) -> None:
    findings = data.get("failures", data.get("findings"))
    if not isinstance(findings, list):
        raise _unreadable("its findings are no list", path)
    for number, finding in enumerate(findings, 1):
        _require(finding, _FINDING, f"finding {number}", path)
        rows = finding["explanation"].get("rows")
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise _unreadable(f"finding {number} has no rows", path)
        observed = finding.get("observed")
        if observed is not None:
            _require(observed, {"steps": list, "predicted": list}, f"the order of finding {number}", path)
        for step in [*finding["execution"], *(observed["steps"] if observed is not None else ())]:
            _require(step, _STEP, f"a step of finding {number}", path)
        orders = finding.get("orders")
        if orders is not None:
            lists = dict.fromkeys(("steps", "edges", "possible", "undecided"), list)
            _require(orders, lists, f"the orders of finding {number}", path)
    sources = data.get("sources", {})
    if not isinstance(sources, dict) or not all(
        isinstance(each, dict) and isinstance(each.get("lines"), list) for each in sources.values()
    ):
        raise _unreadable("its sources are none", path)


def _require(data: Any, types: Mapping[str, type | tuple[type, ...]], name: str, path: Path) -> None:
    if not isinstance(data, dict):
        raise _unreadable(f"{name} is no object", path)
    wrong = [key for key, kind in types.items() if not isinstance(data.get(key, ...), kind)]
    if wrong:
        raise _unreadable(f"{name} has no valid {', '.join(wrong)}", path)


def _unreadable(message: str, path: Path, hint: str = "it is no report of `check` or `predict`") -> MazurkaError:
    return MazurkaError("report-unreadable", message, where=str(path), hint=hint)
