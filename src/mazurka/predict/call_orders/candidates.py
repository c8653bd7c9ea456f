"""Pairs of calls that do not commute and whose order a trace may not need: by extended-doesn't-commute (order/edc.py).

Two calls commute if the access points that they touch do not conflict, by the coarse specification of their type. Of
the order there are two forms:

- all pairs: nothing but forks and joins orders, so that no pair is missed which a reordering can reverse;
- those of *edc*: a section of a lock in which something is called or written comes before what observes that in a later
  one of that lock (points.py says what observes what). A pair in sections of one lock stays if these are not ordered.

Cost: that of the order, see there; with ``most`` both forms take time linear in the calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mazurka.order.edc import Actions, Reversible, candidates
from mazurka.predict.call_orders.objects import ModelledCalls
from mazurka.predict.call_orders.points import PointNumbers
from mazurka.predict.kinds.definition import place_of
from mazurka.trace.event import Op

#: Operations that order threads in any reordering, or exclude them.
ORDERING: Final = frozenset({Op.ACQUIRE, Op.RELEASE, Op.FORK, Op.JOIN, Op.BEGIN, Op.END})

#: Operations that rule (a) is about, besides calls.
DATA: Final = frozenset({Op.READ, Op.WRITE, Op.RMW})


def pairs(calls: ModelledCalls, by_order: bool, most: int | None = None) -> Iterator[Reversible]:
    """Pairs of rows at which calls take effect, in the order of the trace; ``by_order``: those of edc only; ``most``:
    no more than so many of two places that call, one of them first."""
    if calls.events.calls:
        yield from candidates(calls.events.trace, _actions(calls, by_order, most))


def _actions(calls: ModelledCalls, by_order: bool, most: int | None) -> Actions:
    numbers = PointNumbers(by_order)
    touched: dict[int, list[int]] = {}
    trace = calls.events.trace
    sites: dict[int, int] = {}
    for row, (op, target) in enumerate(zip(trace.op.tolist(), trace.target.tolist(), strict=True)):
        if row in calls.events.calls:
            touched[row] = numbers.of_call(call := calls.events.calls[row])
            sites[row] = place_of(calls.trace, call.begin)
        elif op not in ORDERING:
            touched[row] = list(numbers.of_access(op, target)) if by_order and op in DATA else []
    conflicts, orders = ([sorted(each) for each in relation] for relation in (numbers.conflicts, numbers.orders))
    return Actions(touched, conflicts, orders, sites, most)
