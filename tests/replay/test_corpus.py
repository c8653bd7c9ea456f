"""Schedules recorded on each supported Python replay on the one that runs the tests.

``UPDATE_GOLDEN=1 make test ARGS=tests/replay`` records those of the running Python anew, which is needed after one of
the programs, or the choice of points, has changed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests import preloaded

_HERE = Path(__file__).resolve().parent
_ROOT = _HERE.parents[1]
_CORPUS = _HERE / "corpus"
_UPDATE = bool(os.environ.get("UPDATE_GOLDEN"))
_TIMEOUT_SECONDS = 60
_FOUND = 1
_PYTHONS = ("3.11", "3.12", "3.13")
_PROGRAMS = (
    "examples/bank.py",
    "examples/cache.py",
    "examples/mailbox.py",
    "examples/transfer.py",
    "tests/golden/programs/bystanders.py",
    "tests/golden/programs/hidden.py",
    "tests/golden/programs/unsafe_publication.py",
)


def _mazurka(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return preloaded.run(arguments, folder, preloaded.environment(), _TIMEOUT_SECONDS)


def _record(folder: Path, program: Path, kept: Path) -> None:
    done = _mazurka(folder, "check", program.name)
    assert done.returncode == _FOUND, done.stdout + done.stderr
    (schedule,) = (folder / ".mazurka" / "failures").iterdir()
    kept.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(schedule, kept)


@pytest.mark.sampled
@pytest.mark.parametrize("python", _PYTHONS)
@pytest.mark.parametrize("program", _PROGRAMS, ids=lambda program: Path(program).stem)
def test_schedule_replays(program: str, python: str, tmp_path: Path) -> None:
    source = _ROOT / program
    shutil.copy(source, tmp_path)
    kept = _CORPUS / python / f"{source.stem}.json"
    if _UPDATE and sys.version_info[:2] == tuple(map(int, python.split("."))):
        _record(tmp_path, source, kept)
    shutil.copy(kept, tmp_path / "schedule.json")
    done = _mazurka(tmp_path, "replay", "schedule.json", "--times", "3")
    assert done.returncode == _FOUND, done.stdout + done.stderr
    assert "reproduced, 3 of 3 times" in done.stdout


def test_an_edit_elsewhere_in_the_file_does_not_break_a_schedule(tmp_path: Path) -> None:
    """Nor does another numbering of the places where threads switch, of which a first run does not know all."""
    source = _ROOT / "tests" / "golden" / "programs" / "hidden.py"
    limits = "import threading\n\nlimits = {}\nlimits['most'] = 10\nlimits['least'] = limits['most'] - 1\n"
    (tmp_path / source.name).write_text(source.read_text().replace("import threading\n", limits, 1))
    shutil.copy(_CORPUS / "3.11" / "hidden.json", tmp_path / "schedule.json")
    done = _mazurka(tmp_path, "replay", "schedule.json")
    assert done.returncode == _FOUND, done.stdout + done.stderr
    assert "reproduced" in done.stdout


def test_a_repaired_program_diverges_and_says_where(tmp_path: Path) -> None:
    shutil.copy(_ROOT / "examples" / "bank_fixed.py", tmp_path / "bank.py")
    shutil.copy(_CORPUS / "3.11" / "bank.json", tmp_path / "schedule.json")
    done = _mazurka(tmp_path, "replay", "schedule.json")
    assert done.returncode == 2, done.stdout + done.stderr
    assert "diverges at point" in done.stderr
    assert "expected:" in done.stderr
    assert "actual:" in done.stderr
