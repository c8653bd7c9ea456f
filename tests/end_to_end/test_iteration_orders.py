"""An iteration begins before, or after, a step of another thread: making the iterator is a step of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests import preloaded

_PROGRAM = """\
import threading
from collections import deque

sessions = {made}


def total():
    number = 0
    for name in sessions:
        number += 1
    assert number == 1, "two sessions"


def grow():
    sessions.{add}


threads = [threading.Thread(target=total), threading.Thread(target=grow)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


@pytest.mark.sampled
@pytest.mark.parametrize("strategy", ["mcr", "dfs"])
@pytest.mark.parametrize(
    ("made", "add"),
    [
        ("{'anna': 1}", "setdefault('carl', 3)"),
        ("{'anna'}", "add('carl')"),
        ("deque(['anna'])", "append('carl')"),
    ],
    ids=["dict", "set", "deque"],
)
def test_both_outcomes_are_seen(made: str, add: str, strategy: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(_PROGRAM.format(made=made, add=add))
    command = ["check", "program.py", "--strategy", strategy, "--all-failures", "--format", "json"]
    done = preloaded.run(command, tmp_path, preloaded.environment(), timeout=60)
    failures = json.loads(done.stdout)["failures"]
    assert sorted(failure["exception"] for failure in failures) == ["AssertionError", "RuntimeError"]
