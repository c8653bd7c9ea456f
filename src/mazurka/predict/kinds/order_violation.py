"""Order violations: a place used before it is ready, or after it was given up, though a trace shows the good order.

- *Use before initialisation*: a plain write is the first access of a place, and another thread accesses it later. That
  access before the write is a finding.
- *Use after free*: a thread accesses a place, and later another one frees it: the place itself, or the object that it
  is part of (``o``, ``o.field``, ``o[3]``). That access after the freeing is a finding.

In the first case the write need not take place: a lock that the other thread has may be in its way. Whether the program
would survive the order predicted the trace does not tell; unlike a race it may be there although locks protect both
accesses. (SeqCheck, section 2.3; Cai et al., "Detecting Concurrency Memory Corruption Vulnerabilities", FSE 2019.)

Pairs ordered in every reordering (fast_path.py) are left out. Of a thread's uses of a place at one location, before
it is ready, only the first need be asked about: where another one can be that early, it can.

Cost: two passes; of places that are freed, the number of uses before times that of threads that free them.
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

#: So many are looked at together.
_CHUNK: Final = 500_000


def candidates(trace: Trace, thorough: bool) -> Iterable[Rows]:
    """See :class:`~mazurka.predict.kinds.registry.Definition`."""
    return order_violations_of(trace, implied=thorough)


def claim(rows: Rows) -> Claim:
    """The first comes before the second."""
    return OrderViolation(*map(StepIndex, rows))


def question(rows: Rows, trace: Trace) -> Question:
    """Can they happen in this order, or the first without what makes its place ready?"""
    if is_early(rows, trace):
        return Question(happen=rows[:1], never=rows[1:])
    return Question(happen=rows, constraints=in_order(rows))


def is_early(rows: Rows, trace: Trace) -> bool:
    """Whether a place is used before it is ready, which it need not become then."""
    return bool(trace.op[rows[0]] != Op.FREE)


def sentence(events: Sequence[Doing]) -> str:
    """The words of the finding: the thread that is too early, or too late."""
    first, second = events
    if first.op is Op.FREE:
        return f"{second.thread} uses {second.target} after {first.thread} has freed it"
    return f"{first.thread} uses {first.target} before {second.thread} has made it ready"


def ending(events: Sequence[Doing]) -> str:  # of all of them
    """How the order ends."""
    return "with the two in this order"


def order_violations_of(trace: Trace, implied: bool = True) -> Iterator[tuple[int, int]]:
    """Two rows in the order opposite to that of the trace, unless the first is known to need the second; also those
    that others at the same locations imply, if they are wanted."""
    inverted = _inverted(trace, implied)
    while found := list(islice(inverted, _CHUNK)):
        later = sorted({first for first, _ in found})
        needs = needs_of(trace, later)
        place = {row: number for number, row in enumerate(later)}
        yield from (rows for rows in found if needs[place[rows[0]], trace.thread[rows[1]]] < rows[1])


def _inverted(trace: Trace, implied: bool) -> Iterator[tuple[int, int]]:
    """Whether or not the first needs the second."""
    thread, op, target, _, site = columns_of(trace)
    parts = _parts(trace, op, target)
    first: dict[int, int] = {}  # by place: the row that first touches it
    used: dict[int, dict[int, list[int]]] = {}  # by place and thread: accesses
    early: set[tuple[int, int, int]] = set()  # place, thread, location
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
    """By target that is freed: the places that it consists of."""
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
    """The objects that a place is part of, by its name, and the place itself."""
    yield from (name[:end] for end, mark in enumerate(name) if mark in ".[")
    yield name
