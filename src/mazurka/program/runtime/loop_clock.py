"""The clock of an event loop, on which not times are fixed but bounds of their differences.

A loop looks at its clock where it makes a timer, and once in each iteration, where the timers that are due join the
callbacks. How much time passes in between is up to the machine: the loop may be held up, before any callback, for as
long as the *pause* of the run allows. So each of these looks is a time with bounds, and a timer's time is that of the
look at which it was made, plus its delay. Timers may be due in an order, and in an iteration, if these bounds can be
met; each choice adds bounds of its own.

Of timers of exactly the same time the one made first is due first.

Source: ``_run_once`` and ``call_later`` in ``Lib/asyncio/base_events.py`` of CPython 3.11 to 3.15.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from math import inf
from typing import Any, Final

from mazurka.program.runtime.difference_bounds import DifferenceBounds

#: The least time between two looks at the clock, in seconds, and that between two timers of different times.
TICK: Final = 1e-7

#: What a callback takes where no pause is allowed.
_WORK: Final = 1e-5


class Look:
    """A look at the clock; its time is forgotten with the last value that refers to it."""

    __slots__ = ("clock", "time")

    def __init__(self, clock: LoopClock, time: int) -> None:
        self.clock = clock
        self.time = time

    def __del__(self) -> None:
        self.clock.release(self.time)


class Instant(float):
    """The value that a loop's clock shows: a float, the earliest possible time in seconds, which also knows the look.

    A sum with a number of seconds is a later instant, from which timers are made. What else a program computes from
    instants, and how it compares them, has the result that it has for the times as they are shown, and these bounds
    hold from then on.
    """

    __slots__ = ("look", "offset")

    look: Look
    offset: float

    def __add__(self, seconds: Any) -> Any:
        if isinstance(seconds, Instant) or not isinstance(seconds, (int, float)):
            return float.__add__(self, seconds)
        return instant(self.look, float.__add__(self, seconds), self.offset + seconds)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, Instant) and other.look.clock is self.look.clock:
            return self.look.clock.difference(self, other)
        if isinstance(other, Instant) or not isinstance(other, (int, float)):
            return float.__sub__(self, other)
        return self + -other

    def __lt__(self, other: Any) -> bool:
        return self._compared(other, float.__lt__(self, other))

    def __le__(self, other: Any) -> bool:
        return self._compared(other, float.__le__(self, other))

    def __gt__(self, other: Any) -> bool:
        return self._compared(other, float.__gt__(self, other))

    def __ge__(self, other: Any) -> bool:
        return self._compared(other, float.__ge__(self, other))

    def _compared(self, other: Any, result: bool) -> bool:
        if isinstance(other, Instant) and other.look.clock is self.look.clock:
            first, second = (self, other) if float.__le__(self, other) else (other, self)
            self.look.clock.order(first, second)
        return result


def instant(look: Look, value: float, offset: float) -> Instant:
    """The value ``offset`` seconds after a look."""
    made = Instant(value)
    made.look, made.offset = look, offset
    return made


class LoopClock:
    """The clock of a loop, which begins at ``start`` seconds; ``shift`` seconds are added to the values it shows."""

    def __init__(self, pause: float, start: float, shift: float) -> None:
        self.bounds = DifferenceBounds()
        self.pause = pause
        self._shift = shift
        self._zero = self.bounds.add()
        self._now = self.bounds.add()
        self.bounds.limit(self._now, self._zero, start)
        self.bounds.limit(self._zero, self._now, -start)
        self._held: set[int] = set()  # times that instants refer to
        self._due: dict[Hashable, int] = {}  # timers that are not due yet -> their times, in the order of their making
        self._last: int | None = None  # the last timer that is due since the present iteration began, and the first
        self._first: int | None = None
        self.room = pause + _WORK  # for how long the loop may have been held up since its last look

    # -- looks ---------------------------------------------------------------------------------------------------

    def begin_callback(self) -> None:
        """The loop is about to run a callback, before which it may be held up."""
        self.room += self.pause + _WORK

    def look(self, least: float = 0.0) -> Instant:
        """The time now, not before ``least`` seconds after the start of the run."""
        self._advance(self.room, TICK, least)
        self._held.add(self._now)
        return instant(Look(self, self._now), self.earliest() + self._shift, 0.0)

    def shown(self, least: float = 0.0) -> float:
        """The time now as the program sees it, not before ``least`` seconds after the start of the run: the earliest
        possible one, as which it is fixed."""
        self._advance(self.room, TICK, least)
        seconds = self.earliest()
        self.bounds.limit(self._now, self._zero, seconds)
        return seconds + self._shift

    def earliest(self) -> float:
        """The earliest time that it can be now, in seconds."""
        return self.bounds.least(self._now, self._zero)

    def release(self, time: int) -> None:
        """No instant refers to a time any more."""
        self._held.discard(time)
        if time != self._now:
            self.bounds.forget(time)

    def _advance(self, most: float, tick: float, least: float) -> None:
        before, self._now = self._now, self.bounds.add()
        passed = max(tick, least - self.bounds.least(before, self._zero))
        self.bounds.limit(before, self._now, -tick)
        if passed > tick:  # the thread has slept
            self.bounds.limit(self._zero, self._now, -least)
            most += passed
        if most < inf:
            self.bounds.limit(self._now, before, most)
        if before not in self._held:
            self.bounds.forget(before)
        self.room = self.pause + _WORK

    def difference(self, one: Instant, other: Instant) -> float:
        """The seconds between two instants, which are fixed by that."""
        first, second = one.look.time, other.look.time
        least = self.bounds.least(first, second) if first != second else 0.0
        if first != second:
            later = self.bounds.least(first, self._zero) - self.bounds.least(second, self._zero)
            least = min(max(least, later), self.bounds.most(first, second))
            self.bounds.limit(first, second, least)
            self.bounds.limit(second, first, -least)
        return least + one.offset - other.offset

    def order(self, first: Instant, second: Instant) -> None:
        """One instant has been found to be no later than another one."""
        gap = second.offset - first.offset
        if self.bounds.allows(first.look.time, [(second.look.time, gap)], []):
            self.bounds.limit(first.look.time, second.look.time, gap)

    # -- timers --------------------------------------------------------------------------------------------------

    def add_timer(self, timer: Hashable, when: float) -> None:
        """A timer is made for a time: an instant, or seconds as the clock shows them."""
        time = self._due[timer] = self.bounds.add()
        base, seconds = self._zero, when - self._shift
        if isinstance(when, Instant) and when.look.clock is self:
            base, seconds = when.look.time, when.offset
        self.bounds.limit(time, base, seconds)
        self.bounds.limit(base, time, -seconds)

    def drop_timer(self, timer: Hashable) -> None:
        """A timer is cancelled."""
        time = self._due.pop(timer, None)
        if time is not None:
            self.bounds.forget(time)

    def is_set(self, timer: Hashable) -> bool:
        """Whether a timer is neither due nor cancelled."""
        return timer in self._due

    def nominal(self, timer: Hashable) -> float:
        """The earliest time of a timer, in seconds."""
        return self.bounds.least(self._due[timer], self._zero)

    def may_be_due(self, timer: Hashable, idle: bool, ends: Iterable[float] = ()) -> bool:
        """Whether a timer may be the next to be due in the present iteration. ``idle``: the loop waits, so that any
        time may pass, but at most the pause beyond each of the ``ends`` of sleeps of other threads."""
        if timer not in self._due:
            return False
        at_most, at_least = self._limits(timer, idle)
        at_most += [(self._zero, end + self.pause + _WORK) for end in ends]
        return self.bounds.allows(self._due[timer], at_most, at_least)

    def needs_longer_pause(self, timer: Hashable) -> bool:
        """Whether a timer may be due while the loop has other callbacks only if the loop is held up for longer than the
        pause."""
        time = self._due[timer]
        at_most, at_least = self._limits(timer, idle=False)
        return not self.bounds.allows(time, at_most, at_least) and self.bounds.allows(time, at_most[:-1], at_least)

    def _limits(self, timer: Hashable, idle: bool) -> tuple[list[tuple[int, float]], list[tuple[int, float]]]:
        time, seen = self._due[timer], False
        at_most = []
        for each, other in self._due.items():
            if each == timer:
                seen = True
            else:
                at_most.append((other, 0.0 if seen and self.bounds.are_equal(time, other) else -TICK))
        if not idle:
            at_most.append((self._now, self.room))
        elif self._first is not None:
            at_most.append((self._first, self.pause + _WORK))
        return at_most, [] if self._last is None else [(self._last, 0.0)]

    def be_due(self, timer: Hashable, idle: bool) -> None:
        """A timer is the next to be due."""
        at_most, at_least = self._limits(timer, idle)
        time = self._due.pop(timer)
        for other, seconds in at_most:
            if seconds < inf:
                self.bounds.limit(time, other, seconds)
        for other, seconds in at_least:
            self.bounds.limit(other, time, -seconds)
        if self._last is not None and self._last != self._first:
            self.bounds.forget(self._last)
        self._last = time
        if self._first is None:
            self._first = time

    def may_iterate(self, least: float) -> bool:
        """Whether the loop may go on although timers are not due, ``least`` seconds after the start at the earliest."""
        past = max(least, self.bounds.least(self._now, self._zero))
        for time in self._due.values():
            if self.bounds.most(time, self._now) < TICK or self.bounds.most(time, self._zero) < past + TICK:
                return False
            if self._last is not None and self.bounds.most(time, self._last) < TICK:
                return False
        return True

    def iterate(self, idle: bool, least: float) -> None:
        """The loop looks at the clock in an iteration: the timers that are not due are later."""
        self._advance(inf if idle else self.room, 0.0, least)
        now = self._now
        if self._last is not None:
            self.bounds.limit(self._last, now, 0.0)
            if idle and self._first is not None and self.pause < inf:
                self.bounds.limit(now, self._first, self.pause + _WORK)
        for time in self._due.values():
            self.bounds.limit(now, time, -TICK)
        for each in {self._last, self._first} - {None}:
            self.bounds.forget(each)  # type: ignore[arg-type]  # None is taken out
        self._last = self._first = None
