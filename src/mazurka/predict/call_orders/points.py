"""Numbers for the access points of calls and accesses, and the relations between them (conflicts, and orders) that
:mod:`mazurka.order.edc` uses. Points are numbered as calls appear, so that a trace may still be growing.

Besides the points of the specifications there are points without conflicts, by which calls and accesses are ordered:
reads observe writes; methods observe the methods that :mod:`mazurka.commute.observation` names.

Cost: that of evaluating the conditions of a call; memory for each point.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from mazurka.commute.access_points import AccessPoint, AccessPoints, translated
from mazurka.commute.named import specification
from mazurka.commute.observation import observations
from mazurka.trace.call_events import Receiver, receiver_of
from mazurka.trace.event import READS, WRITES
from mazurka.trace.invocations import Invocation

#: The point of calls for whose values the conditions of the type can't be evaluated.
_ANY: Final = AccessPoint(-1, ())


class PointNumbers:
    """Numbers points. For each number ``conflicts`` has the points in conflict, and ``orders`` those that come before
    it by rule (a); ``by_order``: whether rule (a) is used. ``silent`` are the points that only order."""

    def __init__(self, by_order: bool) -> None:
        self._by_order = by_order
        self._numbers: dict[object, int] = {}
        self.conflicts: list[set[int]] = []
        self.orders: list[set[int]] = []
        self.silent: set[int] = set()
        self._of_object: defaultdict[Receiver, list[int]] = defaultdict(list)

    def of_call(self, call: Invocation) -> list[int]:
        """The points that a call touches."""
        receiver, points = receiver_of(call), _points(call.type_name)
        try:
            found = points.touched(call.method, call.arguments, call.result)
        except Exception:  # a condition may be evaluated for values for which it is not defined
            found = frozenset({_ANY})
        numbers = [self._point(receiver, point, points) for point in found]
        if self._by_order:
            numbers += [self._silently(("does", receiver, call.method)), self._observing(receiver, call)]
        return numbers

    def of_access(self, op: int, target: int) -> Iterator[int]:
        """The points of a read, a write, or both at once."""
        writing = self._silently(("write", target))
        if WRITES[op]:
            yield writing
        if READS[op]:
            reading = self._silently(("read", target))
            self.orders[reading].add(writing)
            yield reading

    def _point(self, receiver: Receiver, point: AccessPoint, points: AccessPoints) -> int:
        key = receiver, point
        if key not in self._numbers:
            number = self._number(key)
            self._of_object[receiver].append(number)
            for other in self._in_conflict(receiver, point, points):
                self.conflicts[number].add(other)
                self.conflicts[other].add(number)
        return self._numbers[key]

    def _in_conflict(self, receiver: Receiver, point: AccessPoint, points: AccessPoints) -> Sequence[int]:
        """The known points of the object that conflict with ``point``, which may be one of them."""
        if point == _ANY:
            return self._of_object[receiver]
        others = [_ANY, *(point._replace(kind=kind) for kind in points.conflicts[point.kind])]
        return [self._numbers[receiver, each] for each in others if (receiver, each) in self._numbers]

    def _observing(self, receiver: Receiver, call: Invocation) -> int:
        number = self._silently(("observes", receiver, call.method))
        for method, by in observations(call.type_name):
            if by == call.method:
                self.orders[number].add(self._silently(("does", receiver, method)))
        return number

    def _silently(self, key: object) -> int:
        number = self._number(key)
        self.silent.add(number)
        return number

    def _number(self, key: object) -> int:
        if key not in self._numbers:
            self._numbers[key] = len(self.conflicts)
            self.conflicts.append(set())
            self.orders.append(set())
        return self._numbers[key]


@cache
def _points(type_name: str) -> AccessPoints:
    return translated(specification(type_name, "coarse"))
