"""Order violations: a location used before it is initialised, or after it is freed, although the trace has the good
order.

- *Use before initialisation*: a plain write is the first access of a location, and another thread accesses it later. An
  order with that access before the write is a finding.
- *Use after free*: a thread accesses a location, and later another one frees it: the location itself, or the object
  that it is part of (``o``, ``o.field``, ``o[3]``). An order with the access after the free is a finding.

In the first case the write need not take place: a lock that the other thread holds may prevent it. The trace does not
show whether the program would fail in the predicted order. Unlike a race, such a violation is possible although locks
protect both accesses. (SeqCheck, section 2.3; Cai et al., "Detecting Concurrency Memory Corruption Vulnerabilities",
FSE 2019.)

Pairs ordered in every reordering (fast_path.py) are left out. Among a thread's uses of a location at one place in the
source only the first need be decided: if a later one can come before the initialisation, so can the first.

Cost: two passes; for locations that are freed, the number of uses before times that of threads that free them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, Final

import numpy as np

from mazurka.causal.question import Question, in_order
from mazurka.predict.fast_path import needs_of
from mazurka.predict.kinds.definition import Doing, Rows
from mazurka.trace.columns import columns_of
from mazurka.trace.event import Op
from mazurka.trace.ids import StepIndex
from mazurka.trace.targets import is_data
from mazurka.trace.trace import Trace
from mazurka.witness.witness import Claim, OrderViolation

_DATA: Final = (int(Op.READ), int(Op.WRITE), int(Op.RMW))

#: The number of pairs that are examined together.
_CHUNK: Final = 500_000


def candidates(trace: Trace, thorough: bool) -> Iterable[Rows]:
    """See :class:`~mazurka.predict.kinds.registry.Definition`."""
    return order_violations_of(trace, implied=thorough)


def claim(rows: Rows) -> Claim:
    """The claim that the first comes before the second."""
    return OrderViolation(*map(StepIndex, rows))


def question(rows: Rows, trace: Trace) -> Question:
    """Whether they can happen in this order, or the use without the initialisation."""
    if is_early(rows, trace):
        return Question(happen=rows[:1], never=rows[1:])
    return Question(happen=rows, constraints=in_order(rows))


def is_early(rows: Rows, trace: Trace) -> bool:
    """Whether the violation is a use before initialisation, in which the initialisation need not take place."""
    return bool(trace.op[rows[0]] != Op.FREE)


def sentence(events: Sequence[Doing]) -> str:
    """The words of the finding: the thread that is too early, or too late."""
    first, second = events
    if first.op is Op.FREE:
        return f"{second.thread} uses {second.target} after {first.thread} has freed it"
    return f"{first.thread} uses {first.target} before {second.thread} has initialised it"


def ending(events: Sequence[Doing]) -> str:  # of all of them
    """How the order ends."""
    return "with the two in this order"


def order_violations_of(trace: Trace, implied: bool = True) -> Iterator[tuple[int, int]]:
    """Two rows in the opposite order of the trace, unless the first is known to need the second; with ``implied`` also
    pairs that others at the same locations imply."""
    inverted = _inverted(trace, implied)
    while found := list(islice(inverted, _CHUNK)):
        later = sorted({first for first, _ in found})
        needs = needs_of(trace, later)
        place = {row: number for number, row in enumerate(later)}
        yield from (rows for rows in found if needs[place[rows[0]], trace.thread[rows[1]]] < rows[1])


def _inverted(trace: Trace, implied: bool) -> Iterator[tuple[int, int]]:
    """The pairs of rows, including those in which the first needs the second."""
    thread, op, target, _, site = columns_of(trace)
    parts = _parts(trace, op, target)
    first: dict[int, int] = {}  # by location: the row that first touches it
    used: dict[int, dict[int, list[int]]] = {}  # by location and thread: accesses
    early: set[tuple[int, int, int]] = set()  # location, thread, place in the source
    rows = np.flatnonzero(np.isin(op, (*_DATA, int(Op.FREE))))
    columns = (column[rows].tolist() for column in (thread, op, target, site))
    for row, t, done, x, s in zip(rows.tolist(), *columns, strict=True):
        if done == Op.FREE:
            for place in parts[x]:
                for other, theirs in used.get(place, {}).items():
                    if other != t:
                        yield from ((row, use) for use in reversed(theirs))
        elif is_data(trace.targets[x]):
            ready = first.setdefault(x, row)
            if op[ready] == Op.WRITE and thread[ready] != t and (implied or (x, t, s) not in early):
                early.add((x, t, s))
                yield row, ready
            used.setdefault(x, {}).setdefault(t, []).append(row)


def _parts(trace: Trace, op: Any, target: Any) -> dict[int, list[int]]:
    """For each target that is freed, the locations that it consists of."""
    found: dict[int, list[int]] = {x: [] for x in np.unique(target[op == Op.FREE]).tolist()}
    freed: dict[str, list[int]] = {}
    for x in found:
        freed.setdefault(str(trace.targets[x][-1]), []).append(x)
    for place, name in enumerate(trace.targets if freed else ()):
        if is_data(name):
            for x in chain.from_iterable(freed.get(whole, ()) for whole in _wholes(str(name[-1]))):
                found[x].append(place)
    return found


def _wholes(name: str) -> Iterator[str]:
    """The names of the objects that a location is part of, and of the location itself."""
    yield from (name[:end] for end, mark in enumerate(name) if mark in ".[")
    yield name
