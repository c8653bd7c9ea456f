"""Pairs of calls that do not commute and whose order a trace may not need: by extended-doesn't-commute (order/edc.py).

Two calls commute if the access points that they touch do not conflict, by the coarse specification of their type. The
order has two forms:

- all pairs: only forks and joins order events, so that no pair is missed that a reordering can reverse;
- the pairs of *edc*: a section of a lock that contains a call or a write comes before calls and reads, in later
  sections of that lock, that observe it (points.py defines which observe which). A pair in sections of one lock remains
  if these sections are not ordered.

Cost: that of the order (order/edc.py); with ``most`` both forms take time linear in the calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mazurka.order.edc import Actions, Reversible, candidates
from mazurka.predict.call_orders.objects import ModelledCalls
from mazurka.predict.call_orders.points import PointNumbers
from mazurka.predict.kinds.definition import place_of
from mazurka.trace.columns import columns_of
from mazurka.trace.event import Op
from mazurka.trace.indexes import of_several
from mazurka.trace.trace import Trace

#: Operations that order threads in any reordering, or exclude them.
ORDERING: Final = frozenset({Op.ACQUIRE, Op.RELEASE, Op.FORK, Op.JOIN, Op.BEGIN, Op.END})

#: Operations that rule (a) orders, besides calls.
DATA: Final = frozenset({Op.READ, Op.WRITE, Op.RMW})


def pairs(calls: ModelledCalls, by_order: bool, most: int | None = None) -> Iterator[Reversible]:
    """Pairs of rows at which calls take effect, in the order of the trace; ``by_order``: only the pairs of edc;
    ``most``: at most so many pairs of calls from the same two places, in the same order."""
    if calls.events.calls:
        yield from candidates(calls.events.trace, actions_of(calls, by_order, most))


def actions_of(calls: ModelledCalls, by_order: bool, most: int | None) -> Actions:
    """The calls of a trace, and the accesses that order them, as actions; arguments as in :func:`pairs`."""
    numbers = PointNumbers(by_order)
    touched: dict[int, list[int]] = {}
    sites: dict[int, int] = {}
    trace, known = calls.events.trace, calls.events.calls
    rows = _counting(trace, list(known), by_order)
    op, target = (column[rows].tolist() for column in (columns_of(trace).op, columns_of(trace).target))
    for row, done, x in zip(rows.tolist(), op, target, strict=True):
        if row in known:
            touched[row] = numbers.of_call(known[row])
            sites[row] = place_of(calls.trace, known[row].begin)
        elif done not in ORDERING:
            touched[row] = list(numbers.of_access(done, x))
    conflicts, orders = ([sorted(each) for each in relation] for relation in (numbers.conflicts, numbers.orders))
    return Actions(touched, conflicts, orders, sites, most, numbers.silent, rows.tolist())


def _counting(trace: Trace, called: list[int], by_order: bool) -> NDArray[np.int64]:
    """The rows that count: calls, operations that order or exclude threads, and, if sections order, accesses within
    sections to locations that several threads access there."""
    columns = columns_of(trace)
    counts = _IS_ORDERING[columns.op]
    if by_order:
        depth = _IS_ACQUIRE[columns.op].astype(np.int64) - (columns.op == Op.RELEASE)
        within = np.zeros(len(trace), bool)
        for own in trace.rows_of_thread:
            mine = np.asarray(own)
            within[mine] = np.cumsum(depth[mine]) > 0
        within &= _IS_DATA[columns.op]
        shared = of_several(columns.thread[within], columns.target[within], len(trace.targets))
        counts |= within & shared[columns.target]
    counts[called] = True
    return np.flatnonzero(counts)


_IS_ORDERING: Final = np.isin(np.arange(len(Op)), list(ORDERING))
_IS_ACQUIRE: Final = np.arange(len(Op)) == Op.ACQUIRE
_IS_DATA: Final = np.isin(np.arange(len(Op)), list(DATA))
