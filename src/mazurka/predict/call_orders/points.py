"""Numbers for the access points of calls and accesses, and which of them conflict and order one another, as
:mod:`mazurka.order.edc` takes them. Points appear as calls do, so that a trace may still be growing.

Besides the points of the specifications there are points in conflict with nothing, by which calls and accesses order
one another: reads observe writes; methods observe those that :mod:`mazurka.commute.observation` says.

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

#: A point that all calls of an object touch with values that its conditions can't be evaluated for.
_ANY: Final = AccessPoint(-1, ())


class PointNumbers:
    """``conflicts`` and ``orders`` have by number those in conflict, and those of them that come before it by rule (a);
    ``by_order``: whether there are points of the latter kind. ``silent`` are those that only order."""

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
        except Exception:  # conditions may be evaluated for values that they are not made for
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
        """Known points of the object that are, maybe this one itself."""
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
