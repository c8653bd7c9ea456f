"""Happens-before, schedulable happens-before, sync-preserving races and deadlocks of a small trace, by definition.

Orders are relations as bit sets: ``before[e]`` has bit d if d is ordered before e. Ideals are sets of events, grown by
one rule after the other until nothing changes. Cost: cubic and more; for traces of up to some hundred events.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.trace import Trace

_TOUCHING = (Op.READ, Op.WRITE)
_LIVING = (Op.FORK, Op.JOIN, Op.BEGIN, Op.END)
_LOCKING = {Op.ACQUIRE, Op.RELEASE, Op.REQUEST}


class Orders:
    """See the module. Events are rows."""

    def __init__(self, trace: Trace, data: list[bool] | None = None) -> None:
        self.threads = [int(thread) for thread in trace.thread]
        self.ops = [Op(int(op)) for op in trace.op]
        self.targets = [int(target) for target in trace.target]
        self.others = [int(thread) for thread in trace.thread_of_target]
        self.size = len(self.ops)
        met = {x: {op for op, y in zip(self.ops, self.targets, strict=True) if x == y} for x in self.targets}
        self.locks = {x for x, ops in met.items() if ops <= _LOCKING}
        self.data = {x for x, ops in met.items() if ops <= set(_TOUCHING) and (data is None or data[x])}
        self.release_of = self._sections()
        self.source_of = self._sources()

    # -- the trace ----------------------------------------------------------------------------------------------------

    def _sections(self) -> dict[int, int | None]:
        """By outermost acquire: its release."""
        found: dict[int, int | None] = {}
        held: dict[tuple[int, int], list[int]] = {}
        for row in range(self.size):
            own = held.setdefault((self.threads[row], self.targets[row]), [])
            if self.ops[row] is Op.ACQUIRE:
                own.append(row)
                if len(own) == 1:
                    found[row] = None
            elif self.ops[row] is Op.RELEASE and own:
                acquire = own.pop()
                if not own:
                    found[acquire] = row
        return found

    def _sources(self) -> dict[int, int]:
        """By event that reads: the event that it takes its value from, if there is one; locks are left out."""
        last: dict[int, int] = {}
        found = {}
        for row, (op, target) in enumerate(zip(self.ops, self.targets, strict=True)):
            if op in _LIVING or target in self.locks:
                continue
            if READS[op] and target in last:
                found[row] = last[target]
            if WRITES[op]:
                last[target] = row
        return found

    def _asked_for(self, row: int) -> Iterator[int]:
        """The events that always come before an event: those of its thread, its fork, the thread that it joins, and the
        fork of that."""
        for earlier in range(row):
            op, other = self.ops[earlier], self.others[self.targets[earlier]]
            asked = {self.threads[row]} | ({self.others[self.targets[row]]} if self.ops[row] is Op.JOIN else set())
            if self.threads[earlier] in asked or op is Op.FORK and other in asked - {-1}:
                yield earlier

    def conflicts(self) -> Iterator[tuple[int, int]]:
        for one, other in product(range(self.size), repeat=2):
            ops = self.ops[one], self.ops[other]
            if one < other and self.targets[one] == self.targets[other] and self.threads[one] != self.threads[other]:
                if self.targets[one] in self.data and Op.WRITE in ops:
                    yield one, other

    # -- happens-before -----------------------------------------------------------------------------------------------

    def _closed(self, reading: bool) -> list[int]:
        before = [0] * self.size
        for row in range(self.size):
            known = set(self._asked_for(row)) | set(self._told(row))
            if reading and row in self.source_of:
                known.add(self.source_of[row])
            for earlier in known:
                before[row] |= before[earlier] | 1 << earlier
        return before

    def _told(self, row: int) -> Iterator[int]:
        """By operations that order, whatever was written to their target before; by an acquire of a lock releases."""
        op, target = self.ops[row], self.targets[row]
        if op in _LIVING or target in self.data or not READS[op]:
            return
        for earlier in range(row):
            takes = target in self.locks and self.ops[earlier] is Op.ACQUIRE
            if self.targets[earlier] == target and WRITES[self.ops[earlier]] and not takes:
                yield earlier

    def hb(self) -> set[tuple[int, int]]:
        before = self._closed(reading=False)
        return {(one, other) for one, other in self.conflicts() if not before[other] >> one & 1}

    def shb(self) -> set[tuple[int, int]]:
        """The pairs that race by SHB: the reads-from edge to the later event itself does not order them."""
        before = self._closed(reading=True)
        found = set()
        for one, other in self.conflicts():
            known = list(self._asked_for(other))
            if not any(one == earlier or before[earlier] >> one & 1 for earlier in known):
                found.add((one, other))
        return found

    # -- sync-preserving ----------------------------------------------------------------------------------------------

    def ideal(self, *events: int) -> set[int]:
        """The events that must come before these events, if these come next."""
        found = {earlier for event in events for earlier in self._asked_for(event)}
        size = -1
        while len(found) != size:
            size = len(found)
            for row in list(found):
                found |= set(self._asked_for(row))
                if row in self.source_of:
                    found.add(self.source_of[row])
            taken = [row for row in sorted(found) if row in self.release_of]
            for one, other in product(taken, taken):
                if one < other and self.targets[one] == self.targets[other]:
                    release = self.release_of[one]
                    assert release is not None
                    found.add(release)
        return found

    def _can_come_next(self, *events: int) -> bool:
        return not self.ideal(*events) & set(events)

    def sync_preserving(self) -> set[tuple[int, int]]:
        return {pair for pair in self.conflicts() if self._can_come_next(*pair)}

    def held(self, event: int) -> set[int]:
        """The locks held before an event."""
        return {
            self.targets[row]
            for row, release in self.release_of.items()
            if row < event and self.threads[row] == self.threads[event] and (release is None or release >= event)
        }

    def deadlocks(self) -> set[frozenset[int]]:
        """Acquires of different locks by different threads that hold no lock in common, each of a lock that the next
        one's thread holds, and all can come next."""
        inner = [row for row in self.release_of if self.held(row)]
        found = set()
        for length in range(2, len(set(self.threads)) + 1):
            for circle in permutations(inner, length):
                if circle[0] == min(circle) and self._is_pattern(circle) and self._can_come_next(*circle):
                    found.add(frozenset(circle))
        return found

    def _is_pattern(self, circle: tuple[int, ...]) -> bool:
        if len({self.threads[row] for row in circle}) < len(circle):
            return False
        held = [self.held(row) for row in circle]
        if any(one & other for one, other in zip(held, held[1:] + held[:1], strict=True) if len(circle) == 2):
            return False
        if any(held[i] & held[j] for i in range(len(circle)) for j in range(i)):
            return False
        return all(self.targets[row] in held[(i + 1) % len(circle)] for i, row in enumerate(circle))
