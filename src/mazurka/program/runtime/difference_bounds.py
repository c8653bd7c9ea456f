"""Systems of bounds on differences of times, ``x - y <= c``: a matrix that holds all that follows from them.

The matrix is closed: it has the tightest bound of each pair. So variables can be forgotten without losing what their
bounds mean for the others, and whether further bounds can be met follows from single entries.

Source: Dill, Timing assumptions and verification of finite-state concurrent systems (CAV 1989). Cost: n² for a bound
that says something new, n for any other.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import Final

#: Seconds by which sums of delays may be off, since they are rounded.
_ROUNDING: Final = 1e-9


class DifferenceBounds:
    """Bounds on the differences of times, in seconds; a time is known by its number."""

    def __init__(self) -> None:
        self._most: dict[int, dict[int, float]] = {}  # most[x][y]: the largest possible x - y
        self._next = 0

    def add(self) -> int:
        """A new time, without bounds."""
        new = self._next
        self._next += 1
        for row in self._most.values():
            row[new] = inf
        self._most[new] = {**dict.fromkeys(self._most, inf), new: 0.0}
        return new

    def forget(self, time: int) -> None:
        """Drop a time; what follows from its bounds for the others remains."""
        del self._most[time]
        for row in self._most.values():
            del row[time]

    def most(self, later: int, earlier: int) -> float:
        """The largest possible ``later - earlier``, in seconds."""
        return self._most[later][earlier]

    def least(self, later: int, earlier: int) -> float:
        """The smallest possible ``later - earlier``, in seconds."""
        return -self._most[earlier][later]

    def are_equal(self, one: int, other: int) -> bool:
        """Whether two times can only be the same."""
        return abs(self._most[one][other]) <= _ROUNDING and abs(self._most[other][one]) <= _ROUNDING

    def allows(self, time: int, at_most: Iterable[tuple[int, float]], at_least: Iterable[tuple[int, float]]) -> bool:
        """Whether ``time - other`` can be at most, or at least, the seconds given with each other time, all at once."""
        above = [(other, seconds) for other, seconds in at_most if seconds < inf]
        below = [(other, -seconds) for other, seconds in at_least]
        most = self._most
        row = most[time]
        if any(seconds + most[other][time] < -_ROUNDING for other, seconds in above):
            return False
        for other, seconds in below:
            if seconds + row[other] < -_ROUNDING:
                return False
            if any(seconds + limit + most[bound][other] < -_ROUNDING for bound, limit in above):
                return False
        return True

    def limit(self, later: int, earlier: int, seconds: float) -> None:
        """Let ``later - earlier`` be at most so many seconds, which must be possible."""
        most = self._most
        if seconds >= most[later][earlier]:
            return
        after = most[earlier].items()
        for row in most.values():
            through = row[later] + seconds
            if through < inf:
                for other, further in after:
                    if through + further < row[other]:
                        row[other] = through + further
