"""Kernels that other processes compile for a long trace."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import numpy as np
import pytest
from tests.later import Later

from mazurka.jit.compile import jit
from mazurka.jit.warm_up import WarmUp
from mazurka.order.streaming import EventColumns
from mazurka.predict.warm_up import PARTS, Compiling

numba = Later("numba")


def test_nothing_is_begun_for_a_short_trace(tmp_path: Path) -> None:
    trace = tmp_path / "short.std"
    trace.write_text("T1|w(x)|1\n")
    begun = Compiling(trace)
    assert not begun.warm_up.processes
    assert not begun.is_under_way()


def test_a_part_says_when_it_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "new"))
    assert not PARTS.done("orders").exists()
    try:
        PARTS.compile(["orders"])
        assert PARTS.done("orders").exists()
    finally:
        gc.enable()


def test_a_part_is_compiled_by_one_process_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "new"))
    lock = PARTS.lock("orders")
    assert lock is not None
    second = WarmUp(PARTS)
    second.begin("orders")
    assert not second.processes
    assert second.is_under_way()
    os.close(lock)
    assert not second.is_under_way()


def test_a_part_is_done_for_these_sources_only() -> None:
    for folder in PARTS.folders:
        assert any(folder.glob("*.py"))


def first_of(columns: EventColumns) -> int:
    return int(columns.thread[0])


def test_a_cache_that_names_a_class_that_is_gone_is_compiled_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    numba.core.config.reload_config()
    columns = EventColumns(*(np.array([each]) for each in (7, 8, 9)))
    assert jit(first_of)(columns) == 7
    (index,) = tmp_path.rglob("*.nbi")
    content = index.read_bytes()
    assert b"EventColumns" in content
    index.write_bytes(content.replace(b"EventColumns", b"EventCorners"))
    assert jit(first_of)(columns) == 7
