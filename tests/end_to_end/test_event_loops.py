"""Event loops beside threads: what every strategy says of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

_SAMPLE = Path(__file__).parent.parent / "hostile" / "correct" / "loop_of_another_thread.py"


@pytest.mark.parametrize(
    ("strategy", "verdict"),
    [("auto", "verified"), ("dpor", "verified"), ("mcr", "verified"), ("se-mcr", "inconclusive")],
)
def test_a_coroutine_handed_to_another_thread(strategy: str, verdict: str, shell: Shell) -> None:
    """The loop looks at its queue where it waits and nowhere else; loops of executions that are cut end silently."""
    shell.write("program.py", _SAMPLE.read_text())
    done = shell.run("check", "program.py", "--strategy", strategy, status=0)
    assert done.stdout.startswith(verdict), done.stdout
    assert done.stderr == ""
