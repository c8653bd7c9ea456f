"""Bounds on differences of times, and the clock of an event loop that rests on them."""

from __future__ import annotations

import random
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
        clock.allow_pauses()
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
    clock.allow_pauses()
    clock.add_timer("second", clock.look() + 0.001)
    assert not clock.may_be_due("second", idle=True)
    assert clock.may_be_due("both", idle=True)


def test_long_waits_do_not_end_while_the_loop_works() -> None:
    clock = LoopClock(0.1, 0.0, 0.0)
    _looks(clock, {"long": 5.0})
    assert not clock.may_be_due("long", idle=False)
    assert clock.needs_longer_pause("long")
    assert clock.may_be_due("long", idle=True)


def test_what_is_shown_is_fixed() -> None:
    """A time that the program has seen bounds what comes later."""
    clock = LoopClock(0.1, 0.0, 100.0)
    clock.add_timer("sleep", clock.look() + 0.05)
    clock.be_due("sleep", idle=True)
    clock.iterate(idle=True, least=0.0)
    seen = clock.shown()
    assert 100.05 <= seen < 100.06
    clock.add_timer("at", seen + 0.01)
    clock.allow_pauses()
    clock.add_timer("later", clock.look() + 0.02)
    assert not clock.may_be_due("later", idle=True)
    assert clock.may_be_due("at", idle=True)


def test_long_delays_and_endless_ones() -> None:
    clock = LoopClock(0.1, 0.0, 10_000.0)
    _looks(clock, {"long": 1e9, "endless": inf, "short": 0.01})
    assert not clock.may_be_due("endless", idle=True)
    assert _order(clock, "short", "long")


def test_a_loop_that_others_have_woken_has_not_waited_for_long() -> None:
    """Without a timer that is due, an iteration begins no later than the pauses allow."""
    clock = LoopClock(0.1, 0.0, 0.0)
    _looks(clock, {"late": 10.0})
    clock.allow_pauses(3)
    clock.iterate(idle=True, least=0.0)
    clock.allow_pauses()
    clock.add_timer("soon", clock.look() + 0.01)
    assert not clock.may_be_due("late", idle=True)
    assert _order(clock, "soon", "late")


def test_a_timer_may_be_due_before_the_loop_waits() -> None:
    clock = LoopClock(0.1, 0.0, 0.0)
    _looks(clock, {"past": -1.0, "soon": 0.01})
    assert _order(clock, "past", "soon")
    assert clock.earliest() >= 0.01


@pytest.mark.parametrize("seed", range(100))
def test_bounds_can_always_be_met(seed: int) -> None:
    """Whatever is chosen of what is possible, a loop that waits for timers can go on, and no time is before itself."""
    draw = random.Random(seed)
    clock, timers = LoopClock(draw.choice((0.0, 0.002, 0.1, inf)), 0.0, 5.0), set[int]()
    for number in range(60):
        clock.allow_pauses(draw.randrange(3))
        least = clock.earliest() + draw.choice((0.0, 0.0, 0.003))
        match draw.randrange(5):
            case 0:
                clock.add_timer(number, clock.look(least) + draw.choice((-0.01, 0, 0.001, 0.002, 0.01, 5, 1e9)))
                timers.add(number)
            case 1:
                clock.add_timer(number, clock.shown(least) + draw.choice((0.001, 0.002, 0.01)))
                timers.add(number)
            case 2 if timers:
                clock.drop_timer(gone := draw.choice(sorted(timers)))
                timers.discard(gone)
            case _:
                idle = draw.random() < 0.5
                while able := [each for each in sorted(timers) if clock.may_be_due(each, idle)]:
                    if clock.may_iterate(0.0) and draw.random() < 0.5:
                        break
                    clock.be_due(due := draw.choice(able), idle)
                    timers.discard(due)
                assert clock.may_iterate(0.0) or not timers
                clock.iterate(idle, 0.0)
        assert all(clock.bounds.most(each, each) == 0 for each in clock.bounds.times())
    assert not timers or any(clock.may_be_due(each, idle=True) for each in timers)
