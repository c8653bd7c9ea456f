"""The bugs of released libraries are found, explained and replayed, and their fixed versions are left in peace."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.real.cases import (
    BUGS,
    CORRECT,
    EXPLANATION_LINES,
    REPAIRED,
    REPLAYS,
    Bug,
    Case,
    Tool,
    explanation_of,
    python_path,
)


def _report(done: subprocess.CompletedProcess[str], status: int) -> Any:
    assert done.returncode == status, f"exit status {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return json.loads(done.stdout)


@pytest.mark.sampled
@pytest.mark.parametrize("bug", [bug for bug in BUGS if bug.case not in REPAIRED], ids=str)
def test_bug_is_found_explained_and_replayed(bug: Bug, tmp_path: Path) -> None:
    tool = Tool(tmp_path, python_path(bug.case.requirements))

    report = _report(tool.check(bug.case, "--format", "json"), status=1)
    assert report["verdict"] == "violation"
    failure = report["failures"][0]
    assert failure["kind"] == bug.kind
    assert bug.message in failure["message"]
    assert failure["location"]["file"].endswith(bug.file)
    assert re.search(bug.cause, failure["explanation"]["sentence"]), failure["explanation"]["sentence"]
    assert failure["witness"]["checked"], failure["witness"]
    assert failure["replayed"]
    assert len(failure["explanation"]["rows"]) <= EXPLANATION_LINES

    replayed = tool.run("replay", failure["schedule"], "--times", str(REPLAYS))
    assert replayed.returncode == 1, replayed.stdout + replayed.stderr
    assert f"{REPLAYS} of {REPLAYS}" in replayed.stdout

    told = tool.check(bug.case, "--format", "text")
    assert told.returncode == 1, told.stdout + told.stderr
    lines = explanation_of(told.stdout)
    assert 0 < len(lines) <= EXPLANATION_LINES, told.stdout


@pytest.mark.sampled
@pytest.mark.parametrize("case", CORRECT, ids=str)
def test_fixed_version_is_left_in_peace(case: Case, tmp_path: Path) -> None:
    tool = Tool(tmp_path, python_path(case.requirements))
    report = _report(tool.check(case, "--format", "json", "--max-executions", "500", "--time-limit", "20"), status=0)
    assert report["verdict"] in ("verified", "inconclusive")
    assert report["failures"] == []


_PREDICTED = [bug for bug in BUGS if bug.case.include in {"redis", "urllib3", "functools"} and bug.case not in REPAIRED]


@pytest.mark.parametrize("bug", _PREDICTED, ids=str)
def test_bug_is_predicted_from_a_run_without_it(bug: Bug, tmp_path: Path) -> None:
    """With real threads the program ends well; what is predicted from that happens when it is run."""
    tool = Tool(tmp_path, python_path(bug.case.requirements))
    recorded = tool.run("record", tool.script(bug.case), "--include", bug.case.include, "-o", "recording")
    assert recorded.returncode == 0, recorded.stderr
    report = _report(tool.run("predict", "recording", "--confirm", "--format", "json"), status=1)
    confirmed = [finding for finding in report["findings"] if finding["replayed"]]
    files = {location["file"] for finding in confirmed for location in finding["locations"]}
    assert any(file.endswith(("/connection.py", "/connectionpool.py", "/functools.py")) for file in files), report
