"""The extended-doesn't-commute order of a small trace and its candidates, from the definition.

The order is that of :class:`~tests.oracle.orders_weak.WeakOrders` with other conflicts: rows of ``points`` are actions,
which do not commute if their points conflict, and of which one orders another if their points do so.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from tests.oracle.orders_weak import Section, WeakOrders, any_of

from mazurka.trace.trace import Trace

#: Pairs of points; of those that order, the earlier action's point first.
Pairs = Collection[tuple[int, int]]


class ExtendedOrder(WeakOrders):
    """See the module."""

    def __init__(self, trace: Trace, points: Mapping[int, Collection[int]], conflicts: Pairs, orders: Pairs) -> None:
        self.points, self.conflicts, self.orders = points, conflicts, orders
        super().__init__(trace)
        self.before = self.wdc()

    def candidates(self) -> set[tuple[int, int, frozenset[int]]]:
        """Unordered actions that do not commute, with the locks held at both, unless their sections are ordered."""
        return {
            (one, other, locks)
            for other in range(self.size)
            for one in range(other)
            if self._fail_to_commute(one, other) and not self.before[other] >> one & 1
            if not self._ordered_at_the_end(one, other, locks := self._locks(one) & self._locks(other))
        }

    def _conflict(self, one: int, other: int) -> bool:
        """For rule (a)."""
        return self._related(one, other, self.orders)

    def _fail_to_commute(self, one: int, other: int) -> bool:
        return self._related(one, other, self.conflicts)

    def _related(self, one: int, other: int, pairs: Pairs) -> bool:
        mine, theirs = self.points.get(one, ()), self.points.get(other, ())
        return self.threads[one] != self.threads[other] and any((p, q) in pairs for p in mine for q in theirs)

    def _around(self, row: int) -> list[Section]:
        return [each for each in self.sections if each.events >> row & 1]

    def _locks(self, row: int) -> frozenset[int]:
        return frozenset(each.lock for each in self._around(row))

    def _ordered_at_the_end(self, one: int, other: int, locks: frozenset[int]) -> bool:
        """Whether the first is ordered before the end of one of the second's sections, or the last event of its
        thread."""
        last = any_of(tuple(self.before[row] for row in range(self.size) if self.threads[row] == self.threads[other]))
        ends = [
            last if each.release is None else self.before[each.release]
            for each in self._around(other)
            if each.lock in locks
        ]
        return any(before >> one & 1 for before in ends)
