"""Order inversions: a place used before it is ready, or after it was given up, though a trace shows the good order.

- *Use before initialisation*: what first writes a place, and an access of the place by another thread after it in the
  trace. The other order is a finding.
- *Use after free*: an access, and what frees the place after it in the trace, by another thread.

Whether the program would survive the other order the trace does not tell; unlike a race it may be there although locks
protect both. (SeqCheck, section 2.3; Cai et al., "Detecting Concurrency Memory Corruption Vulnerabilities", FSE 2019.)

Cost: one pass; at most ``nearest`` candidates per place, thread and side.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from mazurka.predict.conflicts import is_data
from mazurka.trace.columns import columns_of
from mazurka.trace.event import Op
from mazurka.trace.trace import Trace

#: The kind of a finding.
INVERSION: Final = "order"

_DATA: Final = (int(Op.READ), int(Op.WRITE), int(Op.RMW))


def inversions_of(trace: Trace, nearest: int = 4) -> Iterator[tuple[int, int]]:
    """Two rows in the order opposite to that of the trace."""
    thread, op, target, _, _ = columns_of(trace)
    first: dict[int, int] = {}  # by place: the row that first touches it
    used: dict[int, dict[int, list[int]]] = {}  # by place and thread: accesses
    rows = np.flatnonzero(np.isin(op, (*_DATA, int(Op.FREE))))
    columns = (column[rows].tolist() for column in (thread, op, target))
    for row, t, done, x in zip(rows.tolist(), *columns, strict=True):
        if done == Op.FREE:
            for other, theirs in used.get(x, {}).items():
                if other != t:
                    yield from ((row, use) for use in theirs[-nearest:])
        elif is_data(trace.targets[x]):
            ready = first.setdefault(x, row)
            theirs = used.setdefault(x, {}).setdefault(t, [])
            if op[ready] != Op.READ and thread[ready] != t and len(theirs) < nearest:
                yield row, ready
            theirs.append(row)
