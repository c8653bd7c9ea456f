"""The examples agree with their page: the bug is found in each, and its repair is verified."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Shell

_EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

#: Example -> the kind of failure it has.
_BUGS = {"bank": "assertion", "cache": "exception", "transfer": "deadlock", "mailbox": "blocked"}


@pytest.fixture
def examples(shell: Shell) -> Shell:
    """A shell in a folder that holds a copy, as a user would have it."""
    shutil.copytree(_EXAMPLES, shell.folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".mazurka"))
    return shell


def check(examples: Shell, program: str, status: int) -> Any:
    return json.loads(examples.run("check", program, "--format", "json", status=status).stdout)


@pytest.mark.parametrize(("name", "kind"), _BUGS.items())
def test_bug_is_found_and_replays(examples: Shell, name: str, kind: str) -> None:
    report = check(examples, f"{name}.py", 1)
    assert report["verdict"] == "violation"
    assert [failure["kind"] for failure in report["failures"]] == [kind]
    examples.run("replay", report["failures"][0]["schedule"], status=1)


@pytest.mark.parametrize("name", _BUGS)
def test_repair_is_verified(examples: Shell, name: str) -> None:
    report = check(examples, f"{name}_fixed.py", 0)
    assert report["verdict"] == "verified", report["reason"]
    assert report["complete"]


def test_a_fence_is_what_peterson_needs_under_tso(examples: Shell) -> None:
    for name, model, status in [
        ("peterson", "sc", 0), ("peterson", "tso", 1), ("peterson_fixed", "tso", 0), ("peterson_fixed", "pso", 1),
    ]:  # fmt: skip
        examples.run("check", f"{name}.py", "--memory-model", model, status=status)


def test_pytest_finds_the_bug_only_with_mazurka(examples: Shell) -> None:
    examples.pytest("test_counter.py", status=0)
    assert "1 failed, 1 passed" in examples.pytest("--mazurka", "test_counter.py", status=1).stdout
