"""`@mazurka.check` leaves the test as it is, notes the settings, and rejects wrong ones where they stand."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import mazurka
from mazurka.errors import UsageError

_SRC = Path(__file__).resolve().parents[2] / "src"


def test_notes_settings_on_the_test_itself() -> None:
    def test() -> str:
        return "run"

    assert mazurka.check(strategy="dfs", time_limit=None)(test) is test
    assert vars(test) == {"__mazurka__": {"strategy": "dfs", "time_limit": None}}


def test_works_without_parentheses() -> None:
    @mazurka.check
    def test() -> str:
        return "run"

    assert test() == "run"
    assert vars(test) == {"__mazurka__": {}}


@pytest.mark.parametrize("settings", [{"max_execution": 5}, {"strategy": "best"}, {"format": 7}])
def test_rejects_wrong_settings(settings: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=r"^decorator mazurka\.check: "):
        mazurka.check(**settings)


def test_importing_loads_nothing_heavy() -> None:
    code = (
        "import mazurka, sys; print(sorted(m for m in sys.modules if m.startswith('mazurka') or m in ('click', 'z3')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(_SRC)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "['mazurka', 'mazurka.atomics', 'mazurka.marked_methods', 'mazurka.unknown_inputs']\n"
