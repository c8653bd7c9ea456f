"""Bounds on differences of times, and the clock of an event loop that rests on them."""

from __future__ import annotations

import random
from itertools import pairwise
from math import inf

import pytest

from mazurka.program.runtime.difference_bounds import DifferenceBounds
from mazurka.program.runtime.loop_clock import LoopClock


def _satisfiable(times: int, bounds: list[tuple[int, int, float]]) -> bool:
    """By Bellman and Ford: whether ``x - y <= c`` can hold for all of these."""
    least = [0.0] * times
    for _ in range(times + 1):
        changed = False
        for later, earlier, seconds in bounds:
            if least[later] > least[earlier] + seconds + 1e-9:
                least[later] = least[earlier] + seconds
                changed = True
        if not changed:
            return True
    return False


@pytest.mark.parametrize("seed", range(60))
def test_bounds_are_those_of_the_whole_system(seed: int) -> None:
    draw = random.Random(seed)
    system, known = DifferenceBounds(), []
    times = [system.add() for _ in range(5)]
    for _ in range(12):
        time = draw.choice(times)
        others = [each for each in times if each != time]
        at_most = [(draw.choice(others), float(draw.randint(-3, 6))) for _ in range(draw.randint(0, 2))]
        at_least = [(draw.choice(others), float(draw.randint(-6, 3))) for _ in range(draw.randint(0, 2))]
        new = [(time, other, seconds) for other, seconds in at_most]
        new += [(other, time, -seconds) for other, seconds in at_least]
        allowed = _satisfiable(len(times), [*known, *new])
        assert system.allows(time, at_most, at_least) == allowed
        if allowed:
            known += new
            for each in new:
                system.limit(*each)
    for later in times:
        for earlier in times:
            most = system.most(later, earlier)
            if later != earlier and most < inf:
                assert _satisfiable(len(times), [*known, (earlier, later, -most)])
                assert not _satisfiable(len(times), [*known, (earlier, later, -most - 0.01)])


def _looks(clock: LoopClock, delays: dict[str, float]) -> None:
    """Make timers in callbacks of their own."""
    for name, delay in delays.items():
        clock.begin_callback()
        clock.add_timer(name, clock.look() + delay)


def _order(clock: LoopClock, *names: str) -> bool:
    """Whether timers may be due in this order, each in an iteration of its own, while the loop waits."""
    for name in names:
        if not clock.may_be_due(name, idle=True):
            return False
        clock.be_due(name, idle=True)
        if not clock.may_iterate(0.0):
            return False
        clock.iterate(idle=True, least=0.0)
    return True


@pytest.mark.parametrize(
    ("pause", "possible"), [(0.0, False), (0.0004, False), (0.0006, True), (0.1, True), (inf, True)]
)
def test_a_pause_turns_the_order_of_two_timers(pause: float, possible: bool) -> None:
    clock = LoopClock(pause, 0.0, 0.0)
    _looks(clock, {"long": 0.006, "short": 0.005})
    assert _order(clock, "long", "short") == possible
    clock = LoopClock(pause, 0.0, 0.0)
    _looks(clock, {"long": 0.006, "short": 0.005})
    assert _order(clock, "short", "long")


def test_equal_delays_keep_their_order() -> None:
    clock = LoopClock(inf, 0.0, 0.0)
    _looks(clock, {"first": 0.005, "second": 0.005})
    assert not _order(clock, "second")
    assert _order(clock, "first", "second")


def test_the_order_of_one_time_is_that_of_making() -> None:
    clock = LoopClock(0.1, 0.0, 0.0)
    when = clock.look() + 0.01
    for name in ("first", "second", "third"):
        clock.add_timer(name, when)
    for name in ("first", "second", "third"):
        assert [each for each in ("first", "second", "third") if clock.may_be_due(each, idle=True)] == [name]
        clock.be_due(name, idle=True)
    assert clock.may_iterate(0.0)


def test_timers_that_are_due_come_in_the_next_iteration() -> None:
    clock = LoopClock(0.1, 0.0, 0.0)
    clock.add_timer("now", clock.look() + 0.0)
    assert not clock.may_iterate(0.0)
    clock.be_due("now", idle=False)
    assert clock.may_iterate(0.0)


def test_a_chain_of_sleeps_takes_at_least_their_sum() -> None:
    """The sum of two sleeps is no less than a sleep of both that was begun before."""
    clock = LoopClock(0.1, 0.0, 0.0)
    _looks(clock, {"both": 0.003, "first": 0.002})
    assert _order(clock, "first")
    clock.begin_callback()
    clock.add_timer("second", clock.look() + 0.001)
    assert not clock.may_be_due("second", idle=True)
    assert clock.may_be_due("both", idle=True)


def test_long_waits_do_not_end_while_the_loop_works() -> None:
    clock = LoopClock(0.1, 0.0, 0.0)
    _looks(clock, {"long": 5.0})
    assert not clock.may_be_due("long", idle=False)
    assert clock.needs_longer_pause("long")
    assert clock.may_be_due("long", idle=True)


def test_values_of_instants() -> None:
    """Differences agree with the order of timers, and bind what comes later."""
    clock = LoopClock(0.1, 0.0, 100.0)
    before = clock.look()
    clock.add_timer("sleep", before + 0.05)
    clock.be_due("sleep", idle=True)
    clock.iterate(idle=True, least=0.0)
    after = clock.look()
    assert before < after
    assert 0.05 <= after - before < 0.06
    assert before >= 100.0
    assert all(one < other for one, other in pairwise([before, before + 1, after + 2.0]))
