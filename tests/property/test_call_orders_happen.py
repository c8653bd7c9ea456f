"""Orders of calls that are predicted from a recording of a generated program happen when the program is run again."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests import preloaded
from tests.oracle.call_programs import random_program

_PROGRAMS = 60 if os.environ.get("HYPOTHESIS_PROFILE", "") == "long" else 4


@pytest.mark.slow
def test_what_is_predicted_happens(tmp_path: Path) -> None:
    environment, found = preloaded.environment(), 0
    for seed in range(_PROGRAMS):
        folder = tmp_path / str(seed)
        folder.mkdir()
        (folder / "program.py").write_text(random_program(seed))
        assert preloaded.run(["record", "program.py"], folder, environment, timeout=60).returncode == 0
        command = ["predict", "program.recording", "--kind", "call-orders", "--confirm", "--format", "json"]
        report = json.loads(preloaded.run(command, folder, environment, timeout=120).stdout)
        assert not report["refused"]
        assert not report["undecided"]
        assert all(finding["replayed"] for finding in report["findings"]), (seed, report["findings"])
        found += len(report["findings"])
    assert found
