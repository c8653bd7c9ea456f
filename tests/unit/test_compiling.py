"""What is compiled by other processes for a trace that is long."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from mazurka.jit import warm_up
from mazurka.jit.warm_up import Compiling, main


def test_nothing_is_begun_for_a_short_trace(tmp_path: Path) -> None:
    trace = tmp_path / "short.std"
    trace.write_text("T1|w(x)|1\n")
    begun = Compiling(trace)
    assert not begun._processes
    assert not begun.is_under_way()


def test_a_part_says_when_it_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    warm_up._done.cache_clear()
    monkeypatch.setattr(warm_up, "_folder", lambda _: tmp_path / "new")
    monkeypatch.setattr(sys, "argv", ["", "orders"])
    assert not warm_up._done("orders").exists()
    try:
        main()
        assert warm_up._done("orders").exists()
    finally:
        warm_up._done.cache_clear()
        warm_up.gc.enable()


def test_a_part_is_compiled_by_one_process_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    warm_up._done.cache_clear()
    monkeypatch.setattr(warm_up, "_folder", lambda _: tmp_path / "new")
    try:
        lock = warm_up._lock("orders")
        assert lock is not None
        second = Compiling(tmp_path / "none")
        second._begin("orders")
        assert not second._processes
        assert second.is_under_way()
        os.close(lock)
        assert not second.is_under_way()
    finally:
        warm_up._done.cache_clear()
