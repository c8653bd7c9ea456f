"""The examples do what their page says: the bug is found in each, and its repair is verified."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

_ROOT = Path(__file__).resolve().parents[2]
_TIMEOUT_SECONDS = 60

#: Example -> the kind of failure it has.
_BUGS = {"bank": "assertion", "cache": "exception", "transfer": "deadlock", "mailbox": "blocked"}


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """A copy, as somebody would have it."""
    return Path(shutil.copytree(_ROOT / "examples", tmp_path / "examples"))


def run(place: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(_ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_SECONDS,
        check=False,
    )


def check(place: Path, program: str, status: int) -> Any:
    done = run(place, "-m", "mazurka", "check", program, "--format", "json")
    assert done.returncode == status, done.stdout + done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(("name", "kind"), _BUGS.items())
def test_bug_is_found_and_replays(examples: Path, name: str, kind: str) -> None:
    report = check(examples, f"{name}.py", 1)
    assert report["verdict"] == "violation"
    assert [failure["kind"] for failure in report["failures"]] == [kind]
    assert run(examples, "-m", "mazurka", "replay", report["failures"][0]["schedule"]).returncode == 1


@pytest.mark.parametrize("name", _BUGS)
def test_repair_is_verified(examples: Path, name: str) -> None:
    report = check(examples, f"{name}_fixed.py", 0)
    assert report["verdict"] == "verified", report["reason"]
    assert report["complete"]


def test_pytest_finds_the_bug_only_with_mazurka(examples: Path) -> None:
    plain = run(examples, "-m", "pytest", "-q", "test_counter.py")
    assert plain.returncode == 0, plain.stdout + plain.stderr
    plugin = [] if _installed() else ["-p", "mazurka.pytest_plugin"]
    checked = run(examples, "-m", "pytest", "-q", *plugin, "--mazurka", "test_counter.py")
    assert checked.returncode == 1, checked.stdout + checked.stderr
    assert "1 failed, 1 passed" in checked.stdout


def _installed() -> bool:
    """Whether pytest finds the plugin by itself."""
    return any(entry.value == "mazurka.pytest_plugin" for entry in entry_points(group="pytest11"))
