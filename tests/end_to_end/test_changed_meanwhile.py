"""The locations that an operation on a container touches are determined when its thread goes on, not when it is held
before it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_SRC = Path(__file__).resolve().parents[2] / "src"

#: Operations of one thread on ``things`` while the other one fills them and looks: each may fail.
_PROGRAMS = {
    "clear": ("{}", "things.clear()", "things['a'] = 1; things['a']"),
    "remove": ("set()", "things.clear()", "things.add(1); things.remove(1)"),
}


@pytest.mark.parametrize("name", _PROGRAMS)
def test_what_comes_in_while_it_waits_is_touched(name: str, tmp_path: Path) -> None:
    things, one, other = _PROGRAMS[name]
    text = f"import threading\nthings = {things}\ndef one():\n    {one}\ndef other():\n    {other}\n"
    text += "threads = [threading.Thread(target=each) for each in (one, other)]\n"
    text += "for each in threads: each.start()\nfor each in threads: each.join()\n"
    (tmp_path / "program.py").write_text(text)
    command = [sys.executable, "-m", "mazurka", "check", "program.py", "--no-progress"]
    environment = {**os.environ, "PYTHONPATH": str(_SRC)}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 1, done.stdout + done.stderr
