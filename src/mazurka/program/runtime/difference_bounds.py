"""Systems of bounds on differences of times, ``x - y <= c``: a matrix that holds all that follows from them.

The matrix is closed: it has the tightest bound of each pair. So variables can be forgotten without losing what their
bounds mean for the others, and whether further bounds can be met follows from single entries.

Times are whole numbers, of any unit, so that sums of bounds are exact, however large they are.

Source: Dill, Timing assumptions and verification of finite-state concurrent systems (CAV 1989). Cost: n² for a bound
that says something new, n for any other.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf


class DifferenceBounds:
    """Bounds on the differences of times, infinite where there are none; a time is known by its number."""

    def __init__(self) -> None:
        self._most: dict[int, dict[int, float]] = {}  # most[x][y]: the largest possible x - y
        self._next = 0

    def add(self) -> int:
        """A new time, without bounds."""
        new = self._next
        self._next += 1
        for row in self._most.values():
            row[new] = inf
        self._most[new] = {**dict.fromkeys(self._most, inf), new: 0}
        return new

    def forget(self, time: int) -> None:
        """Drop a time; what follows from its bounds for the others remains."""
        del self._most[time]
        for row in self._most.values():
            del row[time]

    def times(self) -> Iterable[int]:
        """The times that have not been forgotten."""
        return self._most.keys()

    def most(self, later: int, earlier: int) -> float:
        """The largest possible ``later - earlier``."""
        return self._most[later][earlier]

    def least(self, later: int, earlier: int) -> float:
        """The smallest possible ``later - earlier``."""
        return -self._most[earlier][later]

    def are_equal(self, one: int, other: int) -> bool:
        """Whether two times can only be the same."""
        return self._most[one][other] == self._most[other][one] == 0

    def allows(self, time: int, at_most: Iterable[tuple[int, float]], at_least: Iterable[tuple[int, float]]) -> bool:
        """Whether ``time - other`` can be at most, or at least, what is given with each other time, all at once."""
        above, most = list(at_most), self._most
        row = most[time]
        if any(limit + most[other][time] < 0 for other, limit in above):
            return False
        for other, least in at_least:
            if row[other] < least or any(limit + most[bound][other] < least for bound, limit in above):
                return False
        return True

    def limit(self, later: int, earlier: int, limit: float) -> None:
        """Let ``later - earlier`` be at most the limit, which must be possible."""
        most = self._most
        if limit >= most[later][earlier]:
            return
        after = most[earlier].items()
        for row in most.values():
            through = row[later] + limit
            if through < inf:
                for other, further in after:
                    if through + further < row[other]:
                        row[other] = through + further
