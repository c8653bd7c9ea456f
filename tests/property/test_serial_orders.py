"""Of two operations whose order matters both orders are found, whichever comes first."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor

import pytest
from benchmarks import serial_orders
from benchmarks.native_programs import imported
from benchmarks.verdicts import CRASH, get_ready
from tests.drawn import some_of

_PAIRS = 300 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else some_of(150)


@pytest.mark.slow
def test_both_orders_of_two_operations() -> None:
    """`make bench ARGS=serial-orders`: all pairs of all kits."""
    pairs = serial_orders.drawn(_PAIRS)
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn"), get_ready, (imported(),)) as pool:
        held = [each for part in pool.map(serial_orders.share, (pairs[::2], pairs[1::2])) for each in part]
    assert len(held) > _PAIRS // 10
    assert [each for each in held if each.is_false or each.verdict == CRASH] == []
