"""Pairs of calls that do not commute and whose order a trace may not need: by extended-doesn't-commute (order/edc.py).

Two calls commute if the access points that they touch do not conflict, by the coarse specification of their type. Of
the order there are two forms:

- all pairs: nothing but forks and joins orders, so that no pair is missed which a reordering can reverse;
- those of *edc*: a section of a lock in which something is called or written comes before what observes that in a later
  one of that lock. Reads observe writes; methods observe those that :mod:`mazurka.commute.observation` says. A pair in
  sections of one lock stays if these are not ordered.

Cost: that of the order, see there; with ``most`` both forms take time linear in the calls.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from mazurka.commute.access_points import AccessPoint, AccessPoints, translated
from mazurka.commute.named import specification
from mazurka.commute.observation import observations
from mazurka.order.edc import Actions, Reversible, candidates
from mazurka.predict.call_orders.objects import ModelledCalls
from mazurka.predict.kinds.definition import place_of
from mazurka.trace.call_events import Receiver, receiver_of
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.invocations import Invocation

#: Operations that order threads in any reordering, or exclude them.
_ORDERING: Final = frozenset({Op.ACQUIRE, Op.RELEASE, Op.FORK, Op.JOIN, Op.BEGIN, Op.END})
_DATA: Final = frozenset({Op.READ, Op.WRITE, Op.RMW})

#: A point that all calls of an object touch with values that its conditions can't be evaluated for.
_ANY: Final = AccessPoint(-1, ())


def pairs(calls: ModelledCalls, by_order: bool, most: int | None = None) -> Iterator[Reversible]:
    """Pairs of rows at which calls take effect, in the order of the trace; ``by_order``: those of edc only; ``most``:
    no more than so many of two places that call, one of them first."""
    if calls.events.calls:
        yield from candidates(calls.events.trace, _Numbering(calls, by_order).actions(most))


@cache
def _points(type_name: str) -> AccessPoints:
    return translated(specification(type_name, "coarse"))


class _Numbering:
    """Numbers the access points of a trace. Besides those of the specifications there are points in conflict with
    nothing, by which calls and accesses order one another."""

    def __init__(self, calls: ModelledCalls, by_order: bool) -> None:
        self._calls, self._by_order = calls, by_order
        self._numbers: dict[object, int] = {}
        self._conflicts: list[set[int]] = []
        self._orders: list[set[int]] = []
        self._of_object: defaultdict[Receiver, list[int]] = defaultdict(list)

    def actions(self, most: int | None) -> Actions:
        touched: dict[int, list[int]] = {}
        trace = self._calls.events.trace
        sites: dict[int, int] = {}
        for row, (op, target) in enumerate(zip(trace.op.tolist(), trace.target.tolist(), strict=True)):
            if row in self._calls.events.calls:
                touched[row] = self._touched(call := self._calls.events.calls[row])
                sites[row] = place_of(self._calls.trace, call.begin)
            elif op not in _ORDERING:
                touched[row] = list(self._accessed(op, target)) if self._by_order and op in _DATA else []
        conflicts, orders = ([sorted(each) for each in relation] for relation in (self._conflicts, self._orders))
        return Actions(touched, conflicts, orders, sites, most)

    def _touched(self, call: Invocation) -> list[int]:
        receiver, points = receiver_of(call), _points(call.type_name)
        try:
            found = points.touched(call.method, call.arguments, call.result)
        except Exception:  # conditions may be evaluated for values that they are not made for
            found = frozenset({_ANY})
        numbers = [self._point(receiver, point, points) for point in found]
        if self._by_order:
            numbers += [self._number(("does", receiver, call.method)), self._observing(receiver, call)]
        return numbers

    def _point(self, receiver: Receiver, point: AccessPoint, points: AccessPoints) -> int:
        key = receiver, point
        if key not in self._numbers:
            number = self._number(key)
            self._of_object[receiver].append(number)
            for other in self._in_conflict(receiver, point, points):
                self._conflicts[number].add(other)
                self._conflicts[other].add(number)
        return self._numbers[key]

    def _in_conflict(self, receiver: Receiver, point: AccessPoint, points: AccessPoints) -> Sequence[int]:
        """Known points of the object that are, maybe this one itself."""
        if point == _ANY:
            return self._of_object[receiver]
        others = [_ANY, *(point._replace(kind=kind) for kind in points.conflicts[point.kind])]
        return [self._numbers[receiver, each] for each in others if (receiver, each) in self._numbers]

    def _observing(self, receiver: Receiver, call: Invocation) -> int:
        number = self._number(("observes", receiver, call.method))
        for method, by in observations(call.type_name):
            if by == call.method:
                self._orders[number].add(self._number(("does", receiver, method)))
        return number

    def _accessed(self, op: int, target: int) -> Iterator[int]:
        writing = self._number(("write", target))
        if WRITES[op]:
            yield writing
        if READS[op]:
            reading = self._number(("read", target))
            self._orders[reading].add(writing)
            yield reading

    def _number(self, key: object) -> int:
        if key not in self._numbers:
            self._numbers[key] = len(self._conflicts)
            self._conflicts.append(set())
            self._orders.append(set())
        return self._numbers[key]
