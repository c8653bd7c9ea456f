"""The reads of a recording that decide nothing, and BRANCH events after all others.

The value of a read may decide the next step of its thread: whether and where the thread goes on, which object it
accesses, and the class of that object. In Python nearly every use of a value may; so a trace without BRANCH events
takes every read to be needed. One use is harmless, and occurs in the most frequent races: ``x.n += 1``, where ``x.n``
is always an `int`. A read *decides nothing* if

1. the next event of its thread, but for property events, is the write of the same place by the same augmented
   assignment: two accesses with one location in the source, first and last column included. Then no other code has seen
   the value, and the added value comes from no read in between. Only reads of the same look-up, of targets without
   writes, may come in between: the value that a class has for an attribute, the length of a list;
2. the operation was one that gives an `int` for any two, and its operands were two (arithmetic.py; otherwise a BRANCH
  comes in between);
3. every write of that place in the recording is by such an assignment, and the first access of it is the read of one,
  which saw that it was an `int` in the beginning. So it is an `int` in every other order, too, by induction along the
  order;
4. no write of the place changed more than it (a missing key of a `Counter` also adds to its structure), or ran code of
   the program (``__setattr__``).

Where a recording has such reads, a BRANCH follows every other event that reads data, before the thread's next event:
the earliest moment at which a step could have depended on it (patent 003, data-abstract feasibility: whether an event
occurs depends on the reads of its thread before its last branch). Where it has none, no BRANCH is needed.

Invariant: with more BRANCH events fewer bugs are predicted, and none wrongly.

Cost: a fifth of a microsecond an event.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mazurka.trace.columns import Columns, joined
from mazurka.trace.event import WRITES, Op
from mazurka.trace.trace import NO_VALUE

_WRITING: Final = np.array(WRITES)

Flags = NDArray[np.bool_]


class Branches:
    """Looks at all segments of a recording, one after the other; then puts BRANCH events into them."""

    def __init__(self) -> None:
        self._open: Columns | None = None  # the last event of each thread
        self._seen = np.zeros(0, np.bool_)  # by target, like the following
        self._counted = np.zeros(0, np.bool_)
        self._doubtful = np.zeros(0, np.bool_)
        self._written = np.zeros(0, np.bool_)
        self._behind: set[tuple[int, int]] = set()  # the reads counted, and those of the same look-ups
        self._undecided = np.zeros(0, np.bool_)  # by thread: whether its last event may decide the next
        self._begun = False

    def look_at(self, rows: Columns, targets: int, seen: list[int]) -> Flags:
        """By row: whether it is the write of an augmented assignment whose read came right before it. ``targets`` is
        the number of targets so far; code of the program may look at values that are written to those in ``seen``."""
        for name in ("_seen", "_counted", "_doubtful", "_written"):
            setattr(self, name, _lengthened(getattr(self, name), targets))
        both = rows if self._open is None else joined([self._open, rows])
        self._doubtful[seen] = True
        before = both.rows - rows.rows
        order = _by_thread(both)
        one, other = order[:-1], order[1:]
        here = (both.thread[one] == both.thread[other]) & (both.site[one] == both.site[other])
        here &= both.site[one] != NO_VALUE
        begins, counts = self._pairs(both, order, here)
        self._written[both.target[_WRITING[both.op]]] = True
        grown = here & (both.op[one] == Op.WRITE) & (both.op[other] == Op.RMW)
        self._doubtful[both.target[one[grown]]] = True
        self._doubtful[both.target[_WRITING[both.op] & ~counts & (np.arange(both.rows) >= before)]] = True
        met, first = np.unique(rows.target, return_index=True)
        self._doubtful[met] |= ~self._seen[met] & ~begins[before:][first]
        self._seen[met] = True
        self._counted[both.target[counts]] = True
        self._open = both.select(np.append(order[:-1][both.thread[one] != both.thread[other]], order[-1:]))
        return counts[before:]

    def _pairs(self, rows: Columns, order: NDArray[Any], here: Flags) -> tuple[Flags, Flags]:
        """The reads and the writes of augmented assignments, by row. ``order``: the rows thread by thread; ``here``:
        whether the next row of the thread has the same location."""
        read, write, target = (rows.op == Op.READ)[order], (rows.op == Op.WRITE)[order], rows.target[order]
        begins, counts = np.zeros(rows.rows, np.bool_), np.zeros(rows.rows, np.bool_)
        next_ = here & read[:-1] & write[1:] & (target[:-1] == target[1:])
        over = here[:-1] & here[1:] & read[:-2] & read[1:-1] & write[2:] & (target[:-2] == target[2:])
        begins[order[:-1][next_]] = counts[order[1:][next_]] = True
        begins[order[:-2][over]] = counts[order[2:][over]] = True
        self._behind.update(zip(target[2:][over].tolist(), target[1:-1][over].tolist(), strict=True))
        return begins, counts

    def idle(self, recorded: Flags) -> bool:
        """Whether some reads of the targets that are ``recorded`` decide nothing."""
        for counted, other in self._behind:
            self._doubtful[counted] |= self._written[other]
        return bool((self._counted & ~self._doubtful & recorded).any())

    def put_into(self, rows: Columns, counts: Flags, branch: int) -> Columns:
        """The rows of a segment that are kept, with BRANCH events, whose target is ``branch``."""
        self._undecided = _lengthened(self._undecided, int(rows.thread.max(initial=-1)) + 1)
        reads = (rows.op == Op.READ) | (rows.op == Op.RMW)
        order = _by_thread(rows)
        thread = rows.thread[order]
        first = np.diff(thread, prepend=-1) != 0
        deciding = np.where(first, self._undecided[thread], np.append(False, reads[order][:-1]))
        last = np.append(first[1:], True)[: len(order)]
        self._undecided[thread[last]] = reads[order][last]
        places = np.sort(order[deciding & ~(counts & ~self._doubtful[rows.target])[order]])
        if not self._begun and rows.rows:  # at least one, since without any all reads would be taken to decide
            places, self._begun = np.union1d(places, [0]), True
        columns: dict[str, Any] = {
            "thread": rows.thread[places],
            "op": Op.BRANCH,
            "target": branch,
            "value": NO_VALUE,
            "site": NO_VALUE,
        }
        return Columns(**{name: np.insert(getattr(rows, name), places, new) for name, new in columns.items()})


def _by_thread(rows: Columns) -> NDArray[Any]:
    """The rows thread by thread, without property events: those that may depend on a value come after a BRANCH."""
    order: NDArray[Any] = np.argsort(rows.thread, kind="stable")
    kept: NDArray[Any] = order[rows.op[order] != Op.POINT]
    return kept


def _lengthened(flags: Flags, length: int) -> Flags:
    return np.append(flags, np.zeros(max(0, length - len(flags)), np.bool_))
