"""The faults of traces of locks and threads, and the traces after mending."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from mazurka.trace import malformed
from mazurka.trace.columns import columns_of, parts_of
from mazurka.trace.event import Op
from mazurka.trace.malformed import Fault, findings_of
from mazurka.trace.reading import read_trace
from mazurka.trace.repair import Repaired, repaired
from mazurka.trace.trace import Trace


def trace_of(tmp_path: Path, text: str) -> Trace:
    """From events like ``0:acq(L)``, separated by spaces."""
    path = tmp_path / "trace.std"
    path.write_text("".join("T{}|{}|{}\n".format(*event.split(":"), row) for row, event in enumerate(text.split())))
    return read_trace(path)


def found(trace: Trace, rows: int = 1 << 20) -> dict[Fault, list[int]]:
    findings = findings_of(parts_of(trace, rows))
    counts = {fault: min(count, malformed.SHOWN) for fault, count in findings.counts.items()}
    assert {fault: len(rows) for fault, rows in findings.first.items()} == counts
    return {fault: rows for fault, rows in findings.first.items() if rows}


def shown(trace: Trace) -> str:
    return " ".join(f"{event.thread[1:]}:{event.op.name.lower()[:3]}({event.target[-1]})" for event in trace.events())


WELL_FORMED = "0:begin 0:fork(T1) 1:begin 1:acq(L) 0:req(L) 1:rel(L) 0:acq(L) 1:end 0:rel(L) 0:join(T1) 0:end"

ODD = [
    ("0:acq(L) 0:acq(L) 0:rel(L) 0:rel(L)", {Fault.TAKEN_AGAIN: [1], Fault.GIVEN_BACK_INNER: [2]}),
    ("0:fork(T1) 0:acq(L) 1:acq(L) 1:rel(L)", {Fault.TAKEN_WHILE_HELD: [2]}),
    ("0:rel(L)", {Fault.NOT_HELD: [0]}),
    ("0:fork(T1) 0:acq(L) 1:rel(L) 0:rel(L)", {Fault.NOT_HELD: [2]}),
    ("0:acq(L) 0:acq(K)", {Fault.HELD_TO_THE_END: [0, 1]}),
    ("0:fork(T1) 1:begin 0:fork(T1)", {Fault.STARTED_TWICE: [2]}),
    ("1:w(x) 0:fork(T1)", {Fault.STARTED_LATE: [1], Fault.NEVER_STARTED: []}),
    ("0:begin 1:begin 0:fork(T1) 1:w(x)", {Fault.BEGAN_EARLY: [2]}),
    ("0:w(x) 0:begin", {Fault.BEGINS_LATE: [1]}),
    ("0:end 0:w(x) 0:w(x)", {Fault.AFTER_END: [1, 2]}),
    ("0:fork(T1) 1:w(x) 0:join(T1) 1:end", {Fault.AFTER_JOIN: [3]}),
    ("0:w(x) 1:w(x) 2:w(x)", {Fault.NEVER_STARTED: [1, 2]}),
]


def test_a_wait_that_gives_up_no_lock_is_told_but_not_odd(tmp_path: Path) -> None:
    trace = trace_of(tmp_path, "0:acq(L) 0:wait(c) 0:w(x) 0:rel(L)")
    assert found(trace) == {Fault.WAITED_WITH_LOCK: [2]}
    assert not findings_of(parts_of(trace)).is_odd
    for wait in ("0:wait(c) 0:rel(L) 0:acq(L)", "0:rel(L) 0:wait(c) 0:acq(L)"):
        assert found(trace_of(tmp_path, f"0:acq(K) 0:acq(L) {wait} 0:rel(L) 0:rel(K) 0:wait(c) 0:w(x)")) == {}


def test_a_well_formed_trace(tmp_path: Path) -> None:
    trace = trace_of(tmp_path, WELL_FORMED)
    assert found(trace) == {}
    mended = repaired(trace)
    assert (mended.mends, mended.left) == ((), ())
    assert mended.rows.tolist() == list(range(len(trace)))


def test_one_event(tmp_path: Path) -> None:
    assert found(trace_of(tmp_path, "0:w(x)")) == {}
    assert shown(repaired(trace_of(tmp_path, "0:rel(L)")).trace) == "0:acq(L) 0:rel(L)"
    assert len(repaired(trace_of(tmp_path, "0:acq(L) 0:rel(L) 0:rel(L)")).trace) == 2


@pytest.mark.parametrize(("text", "odd"), ODD, ids=[next(iter(odd)).name for _, odd in ODD])
def test_odd(tmp_path: Path, text: str, odd: dict[Fault, list[int]]) -> None:
    trace = trace_of(tmp_path, text)
    assert found(trace) == {fault: rows for fault, rows in odd.items() if rows}
    assert found(trace, rows=1) == found(trace)
    findings = findings_of(parts_of(trace))
    assert findings.is_odd == (Fault.NEVER_STARTED not in odd or len(odd) > 1)
    assert all(fault.words and findings.words[row] for fault, rows in odd.items() for row in rows)


@pytest.mark.parametrize(
    ("text", "mended", "rows"),
    [
        ("0:acq(L) 0:acq(L) 0:rel(L) 0:rel(L)", "0:acq(L) 0:rel(L)", [0, 3]),
        ("0:acq(L) 0:rel(L) 0:rel(L) 0:wri(x)", "0:acq(L) 0:rel(L) 0:wri(x)", [0, 1, 3]),
        ("0:begin 0:wri(x) 0:rel(L)", "0:beg(0) 0:acq(L) 0:wri(x) 0:rel(L)", [0, -1, 1, 2]),  # held before
        ("0:fork(T1) 1:wri(x) 1:rel(L)", "0:for(1) 1:wri(x)", [0, 1]),  # it can't have had it
        ("0:acq(L) 0:acq(K) 0:w(x)", "0:acq(L) 0:acq(K) 0:wri(x) 0:rel(K) 0:rel(L)", [0, 1, 2, -1, -1]),
        ("0:acq(L) 0:end", "0:acq(L) 0:rel(L) 0:end(0)", [0, -1, 1]),
        ("0:begin 1:begin 0:fork(T1) 1:w(x)", "0:beg(0) 0:for(1) 1:wri(x)", [0, 2, 3]),
        ("1:begin 0:fork(T1) 1:begin 1:w(x) 1:begin", "0:for(1) 1:beg(1) 1:wri(x)", [1, 2, 3]),
        ("0:end 0:w(x) 0:end", "0:wri(x) 0:end(0)", [1, 2]),
        ("0:fork(T1) 0:fork(T1) 1:w(x)", "0:for(1) 1:wri(x)", [0, 2]),
        (  # as if 0 had waited, and gone on holding the lock
            "0:fork(T1) 0:acq(L) 1:acq(L) 1:rel(L) 0:w(x) 0:rel(L)",
            "0:for(1) 0:acq(L) 0:rel(L) 1:acq(L) 1:rel(L) 0:acq(L) 0:wri(x) 0:rel(L)",
            [0, 1, -1, 2, 3, -1, 4, 5],
        ),
        (  # logged early
            "0:fork(T1) 0:acq(L) 1:acq(L) 0:rel(L) 1:rel(L) 0:w(x)",
            "0:for(1) 0:acq(L) 0:rel(L) 1:acq(L) 1:rel(L) 0:wri(x)",
            [0, 1, 3, 2, 4, 5],
        ),
        (  # two early, in the order of their next events
            "0:fork(T1) 0:fork(T2) 0:acq(L) 1:acq(L) 2:acq(L) 0:rel(L) 2:rel(L) 1:rel(L)",
            "0:for(1) 0:for(2) 0:acq(L) 0:rel(L) 2:acq(L) 2:rel(L) 1:acq(L) 1:rel(L)",
            [0, 1, 2, 5, 4, 6, 3, 7],
        ),
        (  # a wait, whose lock the other thread is logged to have too early
            "0:fork(T1) 0:acq(L) 1:acq(L) 0:rel(L) 0:wai(c) 1:w(x) 1:rel(L) 0:acq(L) 0:rel(L)",
            "0:for(1) 0:acq(L) 0:rel(L) 0:wai(c) 1:acq(L) 1:wri(x) 1:rel(L) 0:acq(L) 0:rel(L)",
            [0, 1, 3, 4, 2, 5, 6, 7, 8],
        ),
        (  # never given back: the last event of the other thread
            "0:fork(T1) 0:acq(L) 1:acq(L) 0:rel(L)",
            "0:for(1) 0:acq(L) 0:rel(L) 1:acq(L) 1:rel(L)",
            [0, 1, 3, 2, -1],
        ),
    ],
)
def test_mended(tmp_path: Path, text: str, mended: str, rows: list[int]) -> None:
    done = repaired(trace_of(tmp_path, text.replace("wri", "w").replace("wai", "wait")))
    assert shown(done.trace) == mended
    assert done.rows.tolist() == rows
    assert done.left == ()
    assert found(done.trace) == {}
    again = repaired(done.trace)
    assert (again.mends, shown(again.trace)) == ((), mended)


@pytest.mark.parametrize(
    ("text", "assumed"),
    [
        ("0:fork(T1) 0:acq(L) 1:acq(L) 0:rel(L) 1:rel(L)", []),
        ("0:rel(L) 0:acq(K)", []),
        ("0:fork(T1) 0:acq(L) 1:acq(L) 1:rel(L) 0:rel(L)", ["a lock given up unseen is given back"]),
        ("0:fork(T1) 1:rel(L)", ["releases of locks not held dropped"]),
        ("0:fork(T1) 0:fork(T1) 1:w(x)", ["second starts of threads dropped"]),
    ],
)
def test_what_a_repair_assumes(tmp_path: Path, text: str, assumed: list[str]) -> None:
    assert [mend.change for mend in repaired(trace_of(tmp_path, text)).assumed] == assumed


def test_what_can_not_be_mended_is_told(tmp_path: Path) -> None:
    done = repaired(trace_of(tmp_path, "1:w(x) 0:fork(T1) 0:join(T1) 1:w(x)"))
    assert len(done.trace) == 4
    assert list(map(str, done.left)) == [
        "starts a thread that has done something: 1 (rows 1)",
        "goes on after it was joined: 1 (rows 3)",
    ]


def random_trace(tmp_path: Path, seed: int) -> Trace:
    rng = random.Random(seed)
    events = [
        f"{rng.randrange(3)}:"
        + rng.choice(["acq(L)", "rel(L)", "acq(K)", "rel(K)", "w(x)", "begin", "end", f"fork(T{rng.randrange(4)})"])
        for _ in range(rng.randrange(1, 30))
    ]
    return trace_of(tmp_path, " ".join(events))


@pytest.mark.parametrize("seed", range(60))
def test_mending_any_trace(tmp_path: Path, seed: int) -> None:
    """No fault of locks is left; what is left is told; rows that stay are as they were, and in order, but for acquires,
    which keep that of their thread."""
    trace = random_trace(tmp_path, seed)
    done: Repaired = repaired(trace)
    left = set(found(done.trace)) - {Fault.NEVER_STARTED}
    assert left <= {Fault.STARTED_LATE}
    assert {fault.words for fault in left} == {mend.change for mend in done.left}
    kept = done.rows >= 0
    stays = done.rows[kept & (columns_of(done.trace).op != Op.ACQUIRE)]
    assert np.all(np.diff(stays) > 0)
    for thread in range(len(trace.threads)):
        assert np.all(np.diff(done.rows[kept & (columns_of(done.trace).thread == thread)]) > 0)
    old, new = columns_of(trace).select(done.rows[kept]), columns_of(done.trace).select(kept)
    assert all(np.array_equal(*each) for each in zip(old, new, strict=True))


@pytest.mark.parametrize("seed", range(20))
def test_compiled_code_finds_the_same(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = random_trace(tmp_path, seed)
    plain = found(trace, rows=4)
    monkeypatch.setattr(malformed, "COMPILED_FROM", 0)
    assert found(trace, rows=4) == plain
