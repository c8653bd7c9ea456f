"""The bugs of released libraries (tests/real): how soon they are found, whether replays reproduce them, how long the
explanation is; and that the fixed versions give no failure."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.real.cases import (
    BUGS,
    CORRECT,
    EXPLANATION_LINES,
    REPAIRED,
    REPLAYS,
    SECONDS_TO_FIND,
    Bug,
    Case,
    Tool,
    explanation_of,
    python_path,
)

from benchmarks.row import Row, Settings, middle


def measure(settings: Settings) -> Iterator[Row]:
    for bug in BUGS:
        if bug.case in REPAIRED:
            yield Row(str(bug), "", "", note="this version of Python does not have the bug")
            continue
        with tempfile.TemporaryDirectory() as folder:
            yield from _bug(
                bug, Tool(Path(folder), python_path(bug.case.requirements), starts_python=True), settings.repetitions
            )
    for case in CORRECT:
        with tempfile.TemporaryDirectory() as folder:
            yield _fixed(case, Tool(Path(folder), python_path(case.requirements), starts_python=True))


def _bug(bug: Bug, tool: Tool, repetitions: int) -> Iterator[Row]:
    reports = [_json(tool, bug.case, "--fresh") for _ in range(repetitions)]
    failures = [report["failures"][0] for report in reports if report["failures"]]
    right = len(failures) == repetitions and all(
        failure["kind"] == bug.kind and bug.message in failure["message"] for failure in failures
    )
    seconds = [report["seconds"] for report in reports]
    note = f"{reports[0]['executions']} executions" if right else "not the expected bug"
    holds = right and max(seconds) < SECONDS_TO_FIND
    yield Row(f"{bug}: found", f"under {SECONDS_TO_FIND} s", *middle(seconds, " s"), note, holds)
    if not failures:
        return
    replayed = tool.run("replay", failures[-1]["schedule"], "--times", str(REPLAYS)).stdout
    whole = f"{REPLAYS} of {REPLAYS}"
    yield Row("  replayed", whole, whole if whole in replayed else "fewer", holds=whole in replayed)
    lines = len(explanation_of(tool.check(bug.case, "--format", "text").stdout))
    yield Row("  explained", f"{EXPLANATION_LINES} lines", f"{lines} lines", holds=0 < lines <= EXPLANATION_LINES)


def _fixed(case: Case, tool: Tool) -> Row:
    report = _json(tool, case, "--max-executions", "500", "--time-limit", "20")
    failures = len(report["failures"])
    note = f"{report['verdict']}, {report['executions']} executions"
    return Row(f"{case}: correct", "0 failures", f"{failures} failures", note=note, holds=failures == 0)


def _json(tool: Tool, case: Case, *options: str) -> Any:
    done = tool.check(case, "--format", "json", *options)
    if not done.stdout:
        raise SystemExit(f"{case}: {done.stderr}")
    return json.loads(done.stdout)
