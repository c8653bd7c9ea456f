"""The bug of each service is found, and no correct program is reported (``make bench ARGS=services``: how soon).

The repaired services and the textbook programs are searched for a few CPU seconds each: some are verified in that time.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.services import Checked, checked, first_failing_run, kind, services, textbook

_SERVICES = services()
_TEXTBOOK = textbook()


def _name(target: Path | str) -> str:
    return target.stem if isinstance(target, Path) else target.rpartition("::")[2]


@pytest.mark.sampled
@pytest.mark.parametrize("path", _SERVICES, ids=_name)
def test_the_bug_of_a_service_is_found(path: Path) -> None:
    said = checked(str(path), seconds=60)
    assert isinstance(said, Checked), said
    assert said.verdict == "violation", said


@pytest.mark.sampled
@pytest.mark.parametrize("path", _SERVICES, ids=_name)
def test_a_repaired_service_is_not_reported(path: Path) -> None:
    said = checked(str(path), "repaired", seconds=3)
    assert isinstance(said, Checked), said
    assert said.verdict in ("verified", "inconclusive"), said


@pytest.mark.sampled
@pytest.mark.parametrize("target", _TEXTBOOK, ids=_name)
def test_a_textbook_program_is_not_reported(target: str) -> None:
    said = checked(target, seconds=2)
    assert isinstance(said, Checked), said
    assert said.verdict in ("verified", "inconclusive"), said


@pytest.mark.sampled
@pytest.mark.parametrize("path", _SERVICES, ids=_name)
def test_a_repaired_service_runs_on_real_threads(path: Path) -> None:
    assert first_failing_run(path, "repaired", runs=20) is None


def test_a_run_on_real_threads_that_fails_is_seen(tmp_path: Path) -> None:
    """By an assertion, in a thread, or as it is stuck."""
    bodies = {
        "main": "assert False",
        "thread": "threading.Thread(target=lambda: 1 // 0).start()",
        "stuck": "threading.Event().wait()",
    }
    for name, body in bodies.items():
        path = tmp_path / f"{name}.py"
        path.write_text(f"import threading\nif __name__ == '__main__':\n    {body}\n")
        assert first_failing_run(path, runs=2) == 1, name


def test_there_are_as_many_as_demanded() -> None:
    assert len(_SERVICES) >= 20
    assert len(set(map(kind, _SERVICES))) >= 12
    assert len(_TEXTBOOK) >= 40
    assert all(100 <= len(path.read_text().splitlines()) <= 400 for path in _SERVICES)
