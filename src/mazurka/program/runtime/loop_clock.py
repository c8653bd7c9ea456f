"""The clock of an event loop, on which not times are fixed but bounds of their differences.

A loop looks at its clock where it makes a timer, and once in each iteration, where the timers that are due join the
callbacks. How much time passes in between is up to the machine: the loop may be held up, before any callback, for as
long as the *pause* of the run allows. So each of these looks is a time with bounds, and a timer's time is that of the
look at which it was made, plus its delay. Timers may be due in an order, and in an iteration, if these bounds can be
met; each choice adds bounds of its own. The bounds are whole nanoseconds.

Of timers of exactly the same time the one made first is due first.

Source: ``_run_once`` and ``call_later`` in ``Lib/asyncio/base_events.py`` of CPython 3.11 to 3.15.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from math import inf
from typing import Any, Final

from mazurka.program.runtime.difference_bounds import DifferenceBounds

#: The least time between two looks at the clock, in nanoseconds.
TICK: Final = 100

#: What a callback takes where no pause is allowed, in nanoseconds.
_WORK: Final = 10_000

_BILLION: Final = 1_000_000_000


class Look:
    """A look at the clock; its time is forgotten with the last value that refers to it."""

    __slots__ = ("clock", "time")

    def __init__(self, clock: LoopClock, time: int) -> None:
        self.clock = clock
        self.time = time

    def __del__(self) -> None:
        self.clock.release(self.time)


class Instant(float):
    """The value that a loop's clock shows to `asyncio`: the earliest possible time in seconds. It knows the look.

    A sum with a number of seconds is a later instant, from which timers are made. In all else it is a float.
    """

    __slots__ = ("look", "offset")

    look: Look
    offset: float  # in seconds, since the look

    def __add__(self, seconds: Any) -> Any:
        if isinstance(seconds, Instant) or not isinstance(seconds, (int, float)):
            return float.__add__(self, seconds)
        return instant(self.look, float.__add__(self, seconds), self.offset + seconds)

    __radd__ = __add__


def instant(look: Look, value: float, offset: float) -> Instant:
    """The value ``offset`` seconds after a look."""
    made = Instant(value)
    made.look, made.offset = look, offset
    return made


def _nanoseconds(seconds: float) -> float:
    return round(seconds * _BILLION) if seconds < inf else inf


class LoopClock:
    """The clock of a loop, which begins at ``start`` seconds; ``shift`` seconds are added to the values it shows.

    Times that its methods take and return are in seconds since the start of the run.
    """

    def __init__(self, pause: float, start: float, shift: float) -> None:
        self.bounds = DifferenceBounds()
        self.pause = pause
        self._pause = _nanoseconds(pause) + _WORK
        self._shift = shift
        self._zero = self.bounds.add()
        self._now = self.bounds.add()
        self._fix(self._now, self._zero, _nanoseconds(start))
        self._held: set[int] = set()  # times that instants refer to
        self._due: dict[Hashable, int] = {}  # timers that are not due yet -> their times, in the order of their making
        self._last: int | None = None  # the last timer that is due since the present iteration began, and the first
        self._first: int | None = None
        self._late: float = 0  # how long after the first one a loop that waits wakes up, at most: it may be due before
        self.room = self._pause  # for how long the loop may have been held up since its last look

    def _fix(self, later: int, earlier: int, gap: float) -> None:
        self.bounds.limit(later, earlier, gap)
        self.bounds.limit(earlier, later, -gap)

    # -- looks ---------------------------------------------------------------------------------------------------

    def allow_pauses(self, count: int = 1) -> None:
        """The loop may be held up as often before its next look: before a callback, or by threads that it waits for."""
        if count:
            self.room += count * self._pause

    def look(self, least: float = 0.0) -> Instant:
        """The time now, not before ``least``."""
        self._advance(self.room, TICK, least)
        self._held.add(self._now)
        return instant(Look(self, self._now), self.earliest() + self._shift, 0.0)

    def shown(self, least: float = 0.0) -> float:
        """The time now as the program sees it, not before ``least``: the earliest possible one, which it then is."""
        self._advance(self.room, TICK, least)
        self.bounds.limit(self._now, self._zero, self.bounds.least(self._now, self._zero))
        return self.earliest() + self._shift

    def earliest(self) -> float:
        """The earliest time that it can be now."""
        return self.bounds.least(self._now, self._zero) / _BILLION

    def release(self, time: int) -> None:
        """No instant refers to a time any more."""
        self._held.discard(time)
        if time != self._now:
            self.bounds.forget(time)

    def _advance(self, most: float, tick: int, least: float) -> None:
        before, self._now = self._now, self.bounds.add()
        begin = _nanoseconds(least)
        passed = max(tick, begin - self.bounds.least(before, self._zero))
        self.bounds.limit(before, self._now, -tick)
        if passed > tick:  # the thread has slept, or another one that has woken it
            self.bounds.limit(self._zero, self._now, -begin)
            most += passed
        self.bounds.limit(self._now, before, most)
        if before not in self._held:
            self.bounds.forget(before)
        self.room = self._pause

    # -- timers --------------------------------------------------------------------------------------------------

    def add_timer(self, timer: Hashable, when: float) -> None:
        """A timer is made for a time: an instant, or seconds as the clock shows them."""
        base, seconds = self._zero, when - self._shift
        if isinstance(when, Instant) and when.look.clock is self:
            base, seconds = when.look.time, when.offset
        if seconds < inf:  # otherwise it is never due
            time = self._due[timer] = self.bounds.add()
            self._fix(time, base, _nanoseconds(seconds))

    def drop_timer(self, timer: Hashable) -> None:
        """A timer is cancelled."""
        time = self._due.pop(timer, None)
        if time is not None:
            self.bounds.forget(time)

    def nominal(self, timer: Hashable) -> float:
        """The earliest time of a timer; infinite if it is never due."""
        time = self._due.get(timer)
        return inf if time is None else self.bounds.least(time, self._zero) / _BILLION

    def may_be_due(self, timer: Hashable, idle: bool, ends: Iterable[float] = ()) -> bool:
        """Whether a timer may be the next to be due in the present iteration. ``idle``: the loop waits, so that any
        time may pass, but at most the pause beyond each of the ``ends`` of sleeps of other threads."""
        if timer not in self._due:
            return False
        at_most, at_least = self._limits(timer, idle)
        at_most += [(self._zero, _nanoseconds(end) + self._pause) for end in ends]
        return self.bounds.allows(self._due[timer], at_most, at_least)

    def needs_longer_pause(self, timer: Hashable) -> bool:
        """Whether a timer may be due while the loop has other callbacks only if the loop is held up for longer than the
        pause."""
        if timer not in self._due or self.may_be_due(timer, idle=False):
            return False
        room, self.room = self.room, inf
        try:
            return self.may_be_due(timer, idle=False)
        finally:
            self.room = room

    def _limits(self, timer: Hashable, idle: bool) -> tuple[list[tuple[int, float]], list[tuple[int, float]]]:
        time, seen = self._due[timer], False
        at_most: list[tuple[int, float]] = []
        for each, other in self._due.items():
            if each == timer:
                seen = True
            else:
                at_most.append((other, 0 if seen and self.bounds.are_equal(time, other) else -1))
        if not idle:
            at_most.append((self._now, self.room))
        elif self._first is not None:
            at_most.append((self._first, self._late))
        return at_most, [] if self._last is None else [(self._last, 0)]

    def be_due(self, timer: Hashable, idle: bool) -> None:
        """A timer is the next to be due."""
        at_most, at_least = self._limits(timer, idle)
        time = self._due.pop(timer)
        for other, limit in at_most:
            self.bounds.limit(time, other, limit)
        for other, least in at_least:
            self.bounds.limit(other, time, -least)
        if self._last is not None and self._last != self._first:
            self.bounds.forget(self._last)
        self._last = time
        if self._first is None:
            self._first = time
            self._late = self._pause + max(0, self.bounds.most(self._now, time))

    def may_iterate(self, least: float) -> bool:
        """Whether the loop may go on although timers are not due, at ``least`` seconds at the earliest."""
        past = max(_nanoseconds(least), self.bounds.least(self._now, self._zero))
        for time in self._due.values():
            if self.bounds.most(time, self._now) < 1 or self.bounds.most(time, self._zero) <= past:
                return False
            if self._last is not None and self.bounds.most(time, self._last) < 1:
                return False
        return True

    def iterate(self, idle: bool, least: float) -> None:
        """The loop looks at the clock in an iteration: the timers that are not due are later. ``idle``: it has waited,
        until the first of those that are due."""
        first = self._first if idle else None
        self._advance(self.room if first is None else inf, 0, least)
        now = self._now
        if self._last is not None:
            self.bounds.limit(self._last, now, 0)
        if first is not None:
            self.bounds.limit(now, first, self._late)
        for time in self._due.values():
            self.bounds.limit(now, time, -1)
        for each in {self._last, self._first} - {None}:
            self.bounds.forget(each)  # type: ignore[arg-type]  # None is taken out
        self._last = self._first = None
