"""Where threads wait in a trace, and where they go on; the checker of witnesses reads the same by rules of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from mazurka.trace.reading import read_trace
from mazurka.trace.waits import NONE, waits_of
from mazurka.witness.waits import waits_in


@pytest.mark.parametrize(
    ("events", "parks", "goes_on", "lock"),
    [
        ("acq(l) wait(c) rel(l) acq(l) rel(l)", 1, 3, "l"),
        ("acq(l) rel(l) wait(c) acq(l) rel(l)", 1, 3, "l"),
        ("acq(l) acq(l) wait(c) rel(l) rel(l) acq(l) acq(l)", 2, 5, "l"),
        ("acq(l) wait(c) rel(l)", 1, NONE, "l"),
        ("acq(l) rel(l) wait(c)", 1, NONE, "l"),
        ("acq(l) wait(c) rel(l) acq(k)", 1, 2, ""),
        ("acq(l) rel(l) wait(c) acq(k)", 2, 3, ""),
        ("acq(l) wait(c) w(x) rel(l)", 1, 2, ""),
        ("acq(l) wait(c) rel(l) req(l) acq(l) rel(l)", 1, 4, "l"),
        ("acq(l) rel(l) branch wait(c) req(l) acq(l) rel(l)", 1, 5, "l"),
        ("acq(l) wait(c) req(l) rel(l) branch req(l) acq(l) rel(l)", 1, 6, "l"),
        ("acq(l) wait(c) rel(l) req(l)", 1, NONE, "l"),
        ("acq(k) rel(k) wait(c) rel(l) acq(k)", 2, 3, ""),
        ("wait(c)", 0, NONE, ""),
    ],
)
def test_a_wait_with_the_lock_given_up(tmp_path: Path, events: str, parks: int, goes_on: int, lock: str) -> None:
    path = tmp_path / "trace.std"
    path.write_text("".join(f"t|{event}|{row}\n" for row, event in enumerate(events.split())))
    trace = read_trace(path)
    (wait,) = waits_of(trace)
    (checked,) = waits_in(trace, trace.op, trace.target)
    assert checked == (wait.parks, wait.row, wait.goes_on, wait.lock)
    assert (wait.parks, wait.goes_on) == (parks, goes_on)
    assert (trace.targets[wait.lock][-1] if wait.lock != NONE else "") == lock
    assert trace.targets[wait.condition][-1] == "c"
