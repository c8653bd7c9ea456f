"""wcp, dc and wdc of a small trace, from their definitions: rules applied until nothing changes.

Orders are relations as bit sets: ``before[e]`` has bit d if d is ordered before e. Cost: cubic and more; for traces of
up to a hundred events.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from mazurka.program.protocol import Step
from mazurka.trace.columns import assemble, parts_of
from mazurka.trace.event import Op
from mazurka.trace.trace import Trace, trace_of

_DATA = (Op.READ, Op.WRITE)


@dataclass(frozen=True)
class Section:
    """From the outermost acquire to its release (None: never); ``events`` as a bit set, both ends included."""

    thread: int
    lock: int
    acquire: int
    release: int | None
    events: int


class WeakOrders:
    """See the module. Events are rows."""

    def __init__(self, trace: Trace) -> None:
        self.threads = [int(thread) for thread in trace.thread]
        self.ops = [Op(int(op)) for op in trace.op]
        self.targets = [int(target) for target in trace.target]
        self.others = [int(thread) for thread in trace.thread_of_target]
        self.size = len(self.ops)
        self.sections = self._sections()
        self.bound = self._bound()
        self.conflicting = self._conflicting_sections()

    def wdc(self) -> list[int]:
        """Definition 2.2.2 of the thesis; forks, joins as program order."""
        return self._closed(self._joined(self._program_order(), self.bound, self.conflicting))

    def dc(self) -> list[int]:
        """The same, and rule (b)."""
        before = self.wdc()
        while self._apply_b(before):
            before = self._closed(before)
        return before

    def wcp(self) -> list[int]:
        """Without program order, but composed with happens-before; rule (b)."""
        happens_before = self._closed(self._joined(self._program_order(), self.bound, self._lock_order()))
        before = self._joined(self.bound, self.conflicting)
        changed = True
        while changed:
            changed = self._compose(before, happens_before) or self._apply_b(before)
        return before

    def races(self, before: list[int]) -> set[tuple[int, int]]:
        """Conflicting events that are not ordered, ascending."""
        return {
            (one, other)
            for other in range(self.size)
            for one in range(other)
            if self._conflict(one, other) and not before[other] >> one & 1
        }

    # -- what orders -------------------------------------------------------------------------------------------------

    def _sections(self) -> list[Section]:
        found: list[Section] = []
        open_: dict[tuple[int, int], list[int]] = {}
        for row, (thread, op, target) in enumerate(zip(self.threads, self.ops, self.targets, strict=True)):
            held = open_.setdefault((thread, target), [])
            if op is Op.ACQUIRE:
                held.append(row)
            elif op is Op.RELEASE and held:
                acquire = held.pop()
                if not held:
                    found.append(self._section(thread, target, acquire, row))
        found += [self._section(*key, held[0], None) for key, held in open_.items() if held]
        return sorted(found, key=lambda section: section.acquire)

    def _section(self, thread: int, lock: int, acquire: int, release: int | None) -> Section:
        end = self.size if release is None else release + 1
        events = sum(1 << row for row in range(acquire, end) if self.threads[row] == thread)
        return Section(thread, lock, acquire, release, events)

    def _program_order(self) -> list[int]:
        return [self._of_thread(self.threads[row]) & (1 << row) - 1 for row in range(self.size)]

    def _of_thread(self, thread: int) -> int:
        return sum(1 << row for row in range(self.size) if self.threads[row] == thread)

    def _bound(self) -> list[int]:
        """Fork before the thread's later events and its join (whether or not it does anything), earlier events of a
        thread before its join."""
        before = [0] * self.size
        for row, op in enumerate(self.ops):
            other = self.others[self.targets[row]] if op in (Op.FORK, Op.JOIN) else -1
            if other >= 0 and op is Op.JOIN:
                before[row] |= self._of_thread(other) & (1 << row) - 1
            elif other >= 0:
                for later in range(row + 1, self.size):
                    joins = self.ops[later] is Op.JOIN and self.targets[later] == self.targets[row]
                    before[later] |= (joins or self.threads[later] == other) << row
        return before

    def _lock_order(self) -> list[int]:
        before = [0] * self.size
        for one, other in self._pairs():
            before[other.acquire] |= 1 << one
        return before

    def _conflicting_sections(self) -> list[int]:
        """Rule (a)."""
        before = [0] * self.size
        sections = {section.release: section for section in self.sections}
        for release, other in self._pairs():
            mine, theirs = sections[release].events, other.events
            for row in range(self.size):
                if theirs >> row & 1 and any(mine >> e & 1 and self._conflict(e, row) for e in range(release)):
                    before[row] |= 1 << release
        return before

    def _pairs(self) -> list[tuple[int, Section]]:
        """Releases, and later sections of the same lock by other threads."""
        return [
            (one.release, other)
            for one in self.sections
            for other in self.sections
            if one.release is not None
            and one.release < other.acquire
            and one.lock == other.lock
            and one.thread != other.thread
        ]

    def _conflict(self, one: int, other: int) -> bool:
        ops = self.ops[one], self.ops[other]
        return (
            self.targets[one] == self.targets[other]
            and self.threads[one] != self.threads[other]
            and all(op in _DATA for op in ops)
            and Op.WRITE in ops
        )

    # -- until nothing changes ---------------------------------------------------------------------------------------

    def _apply_b(self, before: list[int]) -> bool:
        """Rule (b), once for each pair of sections; whether that ordered anything."""
        changed = False
        sections = {section.release: section for section in self.sections}
        for release, other in self._pairs():
            if other.release is None or before[other.release] >> release & 1:
                continue
            rows = [row for row in range(self.size) if other.events >> row & 1]
            if any(before[row] & sections[release].events for row in rows):
                before[other.release] |= 1 << release
                changed = True
        return changed

    def _compose(self, before: list[int], outer: list[int]) -> bool:
        """Compose with an order on either side, and with itself, once."""
        changed = False
        for row in range(self.size):
            found = before[row]
            for earlier in range(row):
                if outer[row] >> earlier & 1:
                    found |= before[earlier]
                if before[row] >> earlier & 1:
                    found |= outer[earlier]
            changed |= found != before[row]
            before[row] = found
        return changed

    def _closed(self, before: list[int]) -> list[int]:
        """Transitively; order is by row, so one pass is enough."""
        closed = list(before)
        for row in range(self.size):
            for earlier in range(row):
                if before[row] >> earlier & 1:
                    closed[row] |= closed[earlier]
        return closed

    @staticmethod
    def _joined(*relations: list[int]) -> list[int]:
        return [any_of(sets) for sets in zip(*relations, strict=True)]


def any_of(sets: tuple[int, ...]) -> int:
    union = 0
    for each in sets:
        union |= each
    return union


# -- traces to try ----------------------------------------------------------------------------------------------------


def guarded_trace(rng: random.Random, length: int) -> Trace:
    """Mostly of critical sections, nested and overlapping, in which a few places are accessed: many events are ordered,
    by few other ways than one."""
    return _Guarded(rng).run(length)


class _Guarded:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.names = [str(number) for number in range(rng.choice((2, 3, 3, 4, 5)))]
        self.locks = "klmn"[: rng.choice((1, 2, 3, 4))]
        self.places = "uvwxyz"[: rng.choice((2, 4, 6))]
        self.bare = rng.choice((0.02, 0.1, 0.3))  # chance to access outside of all sections
        self.faithful = rng.choice((0.0, 0.8, 0.97))  # chance that a place is accessed under its lock
        self.leave = rng.choice(((0.2, 0.2, 0.2), (0.5, 0.5, 0.5), (0.15, 0.6, 0.8)))  # by depth
        self.enter = rng.choice((0.1, 0.4, 0.6))
        self.writing = rng.choice((0.2, 0.5, 0.8))
        self.log: list[Step] = []
        self.held: list[list[str]] = [[] for _ in self.names]
        self.waiting = [n for n in range(1, len(self.names)) if rng.random() < 0.3]
        self.alive = [n for n in range(len(self.names)) if n not in self.waiting]
        self.gone: list[int] = []

    def run(self, length: int) -> Trace:
        for _ in range(20 * length):
            if len(self.log) >= length or not self.alive:
                break
            self._act(self.rng.choice(self.alive))
        for thread, locks in enumerate(self.held):
            while locks and self.rng.random() < 0.9:
                self._emit(thread, Op.RELEASE, ("lock", locks.pop()))
        return assemble(parts_of(trace_of(self.names, self.log)))

    def _emit(self, thread: int, op: Op, target: tuple[str, str]) -> None:
        self.log.append(Step(thread, op, target, 0, True, None))

    def _act(self, thread: int) -> None:
        held, chance = self.held[thread], self.rng.random()
        if chance < 0.05:
            self._live(thread)
        elif held and chance < self.leave[len(held) - 1]:
            lock = held[-1] if self.rng.random() < 0.8 else self.rng.choice(held)
            held.remove(lock)
            self._emit(thread, Op.RELEASE, ("lock", lock))
        elif len(held) < 3 and self.rng.random() < (self.enter if held else 1 - self.bare):
            lock = self.rng.choice(self.locks)
            if all(lock not in other for other in self.held if other is not held):
                held.append(lock)
                self._emit(thread, Op.ACQUIRE, ("lock", lock))
        else:
            op = Op.WRITE if self.rng.random() < self.writing else Op.READ
            self._emit(thread, op, ("var", self._place(held)))

    def _place(self, held: list[str]) -> str:
        """Most often one that belongs to the innermost lock."""
        own = self.places[self.locks.index(held[-1]) :: len(self.locks)] if held else ""
        return self.rng.choice(own if own and self.rng.random() < self.faithful else self.places)

    def _live(self, thread: int) -> None:
        if self.waiting:
            child = self.waiting.pop()
            self.alive.append(child)
            self._emit(thread, Op.FORK, ("thread", self.names[child]))
        elif self.gone and self.rng.random() < 0.5:
            self._emit(thread, Op.JOIN, ("thread", self.names[self.gone.pop()]))
        elif not self.held[thread] and self.rng.random() < 0.2:
            self.alive.remove(thread)
            self.gone.append(thread)
            self._emit(thread, Op.END, ("thread", self.names[thread]))
