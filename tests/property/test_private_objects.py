"""Executions that leave accesses of private objects out of their logs show the same as those that log all, whatever way
objects take to other threads. ``make test-long`` takes 2,000 programs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from benchmarks.differential import DFS, compared, loaded, reached
from tests.drawn import some_of
from tests.oracle.published_objects import drawn_published

from mazurka.program.runtime.runtime import Runtime

_PROGRAMS = 2_000 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else some_of(40)
_SHARE = some_of(20)
_FIRST = 5  # `dfs` decides none of those before


@pytest.mark.slow
@pytest.mark.parametrize("first", range(_FIRST, _FIRST + _PROGRAMS, _SHARE))
def test_outcomes(first: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of `dfs` with a complete log, of `dfs`, and of searches held to that."""
    decided = 0
    for number in range(first, first + _SHARE):
        program = drawn_published(number)
        scenario = loaded(program, tmp_path)
        with monkeypatch.context() as patched:
            patched.setattr(Runtime, "leave_out_private", lambda self, own: None)
            full = reached(scenario, DFS)
        known = reached(scenario, DFS)
        if not (full.complete and known.complete):
            continue
        decided += 1
        assert (known.returned, known.failures) == (full.returned, full.failures), (number, program.source())
        assert known.verdict == full.verdict, number
        found = compared(program, ("mcr", "dpor"), tmp_path)
        assert not found.differ, (number, found.differ, program.source())
    assert decided > _SHARE / 4
