"""Executions in time: on random programs whose threads sleep, and wait with limits, ``dpor`` reaches the outcomes of
``icb``, which executes all orders that the clocks allow. See tests/oracle/sleeping_programs.py."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.oracle.sleeping_programs import drawn_with_sleeps
from tests.property.test_ordered_timeouts import ends_of

from mazurka.explore.strategy import StrategySettings

_LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
_PROGRAMS = 1_000 if _LONG else 12

#: Programs that once had an outcome too few, with the timing: a wait with a limit that comes before a step made earlier
#: than what it waits for, a lock that is taken before another thread sleeps with it.
_KEPT = ((203, 0.1), (514, 0.02), (533, 0.02), (649, 0.02))


@pytest.mark.slow
@pytest.mark.parametrize("timing", [0.02, 0.1])
def test_dpor_reaches_all_outcomes(tmp_path: Path, timing: float) -> None:
    compared = before = after = 0
    kept = [number for number, known in _KEPT if known == timing]
    for number in (*kept, *range(_PROGRAMS)):
        path = tmp_path / f"sleeping_{number}.py"
        path.write_text(drawn_with_sleeps(number))
        all_ends, by_icb = ends_of(path, "icb", StrategySettings(timed=True), timing)
        if not by_icb.complete:
            continue
        ends, by_dpor = ends_of(path, "dpor", StrategySettings(timed=True), timing)
        assert by_dpor.complete, number
        assert ends == all_ends, number
        compared, before, after = compared + 1, before + by_icb.executions, after + by_dpor.executions
    assert compared > _PROGRAMS // 3
    assert after < before / 2


_STOP = """\
import threading
import time

stop, count = threading.Event(), [0]


def work():
    while not stop.wait(0.01):
        count[0] += 1


worker = threading.Thread(target=work)
worker.start()
time.sleep(0.03)
stop.set()
worker.join()
"""


def test_the_end_of_a_sleep_is_a_part_of_the_next_step(tmp_path: Path) -> None:
    path = tmp_path / "stop.py"
    path.write_text(_STOP)
    _, outcome = ends_of(path, "dpor", StrategySettings(timed=True), 0.1)
    assert outcome.complete
    assert outcome.executions <= 50  # 345 before
