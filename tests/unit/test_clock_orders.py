"""When a search leaves the rest of its time to one without the orders in which threads look at the clock."""

from __future__ import annotations

import pytest

from mazurka.program.protocol import Run, Step
from mazurka.program.runtime.task import CLOCK_POINTS, CLOCKS_APART
from mazurka.trace.event import Op
from mazurka.trace.ids import SiteNumber, ThreadIndex
from mazurka.trace.targets import CLOCK
from mazurka.workflows.clocks import leaves_rest, orders_of_looks


def _run(*looks: int) -> Run:
    """Each thread looks at the clock so many times."""
    steps = [Step(ThreadIndex(index), Op.RMW, CLOCK, SiteNumber(0), True) for index in range(len(looks))]
    log = [step for step, count in zip(steps, looks, strict=True) for _ in range(count)]
    return Run([str(index) for index in range(len(looks))], log, [])


@pytest.mark.parametrize(("looks", "orders"), [((), 1), ((7,), 1), ((1, 1), 2), ((5, 5), 252), ((2, 2, 2), 90)])
def test_orders_are_counted(looks: tuple[int, ...], orders: int) -> None:
    assert orders_of_looks(_run(*looks)) == orders


@pytest.mark.parametrize(
    ("seconds", "executions", "leaves"), [(4, 5, False), (6, 25, True), (6, 60, False), (11, 60, True)]
)
def test_a_search_that_is_too_slow_leaves_early(seconds: float, executions: int, leaves: bool) -> None:
    run = _run(5, 5)
    assert leaves_rest({CLOCK_POINTS}, False, seconds, 20, executions, run) is leaves
    assert not leaves_rest({CLOCK_POINTS}, True, seconds, 20, executions, run)
    assert not leaves_rest({CLOCK_POINTS, CLOCKS_APART}, False, seconds, 20, executions, run)
    assert not leaves_rest({CLOCK_POINTS}, False, seconds, None, executions, run)


@pytest.mark.parametrize(("looks", "leaves"), [((), False), ((4,), False), ((1, 1), False), ((2, 1), True)])
def test_a_search_is_not_left_that_has_few_orders_to_save(looks: tuple[int, ...], leaves: bool) -> None:
    assert leaves_rest({CLOCK_POINTS}, False, 11, 20, 60, _run(*looks)) is leaves
