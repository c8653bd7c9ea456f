"""What one small trace proves possible: all its correct reorderings, by definition, and the bugs that they show.

A correct reordering takes of each thread a prefix, in program order, so that

- what a thread does after its fork in the trace comes after it; a join comes after all that the joined thread does;
- nobody takes a lock that somebody else holds (re-entrant: the outermost acquire and release count);
- an event takes place only if the reads its existence depends on gave what they gave: with branch events the reads
  before the last branch before it in its thread (a branch itself: all reads before it), without any all reads.

A read gives what it gave if it takes its value from the write it had, or one of the same recorded value (the initial
value likewise), and that write's value is what it was: all reads before it in its thread gave what they gave.

Bugs: *races* are two conflicting accesses of different threads that are both next; *deadlocks* are threads each of
which stands before the acquire of a lock that the next one holds; *intrusions* are accesses of another thread between
two consecutive ones of a place by one thread that no serial order explains (read-write-read, write-write-read,
read-write-write, write-read-write); *inversions* are a use of a place before what another thread writes there first in
the trace (or would write), or after another thread's freeing of it, which comes later in the trace.

Cost: exponential; for traces of up to some twenty events.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

from mazurka.program.protocol import Step
from mazurka.trace.columns import assemble, parts_of
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.trace import NO_VALUE, Trace, trace_of

_DATA = (Op.READ, Op.WRITE, Op.RMW)
_NOBODY = -1
_ALWAYS = 1 << 30

#: Which of three accesses write, that are unserialisable.
UNSERIALISABLE = {(False, True, False), (True, True, False), (False, True, True), (True, False, True)}


class Reached(NamedTuple):
    """Between two events: how far each thread is, who wrote each place last, and by thread the first of its reads that
    gave something else."""

    at: tuple[int, ...]
    last: tuple[int, ...]
    broken: tuple[int, ...]


class Predictable:
    """See the module. Events are rows of the trace."""

    def __init__(self, trace: Trace) -> None:
        self.names = [name[-1] for name in trace.targets]
        self.ops = [Op(int(op)) for op in trace.op]
        self.threads = [int(thread) for thread in trace.thread]
        self.targets = [int(target) for target in trace.target]
        self.values = [int(value) for value in trace.value]
        self.rows: list[list[int]] = [[] for _ in trace.threads]
        self.index: list[int] = []
        for row, thread in enumerate(self.threads):
            self.index.append(len(self.rows[thread]))
            self.rows[thread].append(row)
        self.others = [int(thread) for thread in trace.thread_of_target]
        self.start = Reached((0,) * len(self.rows), (_NOBODY,) * len(trace.targets), (_ALWAYS,) * len(self.rows))
        self._read()
        self._hold()

    def _read(self) -> None:
        branching = Op.BRANCH in self.ops
        last: dict[int, int] = {}
        branch = [0] * len(self.rows)
        self.sources, self.guards, self.initial = {}, [], {}
        self.fork_of = {self.others[x]: row for row, x in enumerate(self.targets) if self.ops[row] is Op.FORK}
        for row, op in enumerate(self.ops):
            thread, target = self.threads[row], self.targets[row]
            if op is Op.BRANCH or not branching:
                branch[thread] = self.index[row]
            self.guards.append(branch[thread])
            if op in _DATA and READS[op]:
                self.sources[row] = last.get(target, _NOBODY)
                if self.sources[row] == _NOBODY and self.values[row] != NO_VALUE:
                    self.initial[target] = self.values[row]
            if op in _DATA and WRITES[op]:
                last[target] = row

    def _hold(self) -> None:
        """``held[thread][n]``: the locks held after n events, with their depth."""
        self.held: list[list[dict[int, int]]] = []
        for rows in self.rows:
            after: list[dict[int, int]] = [{}]
            for row in rows:
                now, lock = dict(after[-1]), self.targets[row]
                if self.ops[row] is Op.ACQUIRE:
                    now[lock] = now.get(lock, 0) + 1
                elif self.ops[row] is Op.RELEASE:
                    now[lock] -= 1
                after.append({lock: depth for lock, depth in now.items() if depth})
            self.held.append(after)

    # -- going on -----------------------------------------------------------------------------------------------------

    def reachable(self) -> set[Reached]:
        """All states that correct reorderings lead to."""
        seen, stack = {self.start}, [self.start]
        while stack:
            for _, state in self.steps(stack.pop()):
                if state not in seen:
                    seen.add(state)
                    stack.append(state)
        return seen

    def steps(self, state: Reached) -> Iterator[tuple[int, Reached]]:
        """What can take place next, and what comes of it."""
        for row in self.standing(state):
            if self._possible(state, row):
                yield row, self._after(state, row)

    def standing(self, state: Reached) -> Iterator[int]:
        """The next event of each thread, if it is sure that it is the next, whether or not it can take place now."""
        for thread, rows in enumerate(self.rows):
            if state.at[thread] == len(rows):
                continue
            row = rows[state.at[thread]]
            forked = self.fork_of.get(thread, row)
            if state.broken[thread] >= self.guards[row] and (forked >= row or self._done(state, forked)):
                yield row

    def _done(self, state: Reached, row: int) -> bool:
        return state.at[self.threads[row]] > self.index[row]

    def _possible(self, state: Reached, row: int) -> bool:
        if self.ops[row] is Op.JOIN:
            other = self.others[self.targets[row]]
            return other < 0 or state.at[other] == len(self.rows[other])
        if self.ops[row] is Op.ACQUIRE:
            return all(
                thread == self.threads[row] or self.targets[row] not in self.held[thread][at]
                for thread, at in enumerate(state.at)
            )
        return True

    def _after(self, state: Reached, row: int) -> Reached:
        thread, target, op = self.threads[row], self.targets[row], self.ops[row]
        at, last, broken = list(state.at), list(state.last), list(state.broken)
        at[thread] += 1
        if row in self.sources and not self._gives(state, row):
            broken[thread] = min(broken[thread], self.index[row])
        if op in _DATA and WRITES[op]:
            last[target] = row
        return Reached(tuple(at), tuple(last), tuple(broken))

    def _gives(self, state: Reached, row: int) -> bool:
        """Whether a read gives what it gave."""
        source = state.last[self.targets[row]]
        if source != _NOBODY and state.broken[self.threads[source]] <= self.index[source]:
            return False
        if source == self.sources[row]:
            return True
        value = self.initial.get(self.targets[row], NO_VALUE) if source == _NOBODY else self.values[source]
        return value == self.values[row] != NO_VALUE

    # -- bugs ---------------------------------------------------------------------------------------------------------

    def races(self) -> set[tuple[int, int]]:
        """Pairs of rows, ascending."""
        found = set()
        for state in self.reachable():
            standing = list(self.standing(state))
            for one, other in product(standing, standing):
                if one < other and self._conflict(one, other):
                    found.add((one, other))
        return found

    def _conflict(self, one: int, other: int) -> bool:
        ops = self.ops[one], self.ops[other]
        return (
            self.targets[one] == self.targets[other]
            and self.threads[one] != self.threads[other]
            and all(op in _DATA for op in ops)
            and any(WRITES[op] for op in ops)
        )

    def deadlocks(self) -> set[frozenset[int]]:
        """Sets of acquires, one of each thread of a circle."""
        found = set()
        for state in self.reachable():
            waits = {}  # thread -> (acquire, who holds its lock)
            for row in self.standing(state):
                if self.ops[row] is Op.ACQUIRE:
                    for thread, at in enumerate(state.at):
                        if thread != self.threads[row] and self.targets[row] in self.held[thread][at]:
                            waits[self.threads[row]] = (row, thread)
            for first in waits:
                circle, thread = [], first
                while thread in waits and len(circle) <= len(waits):
                    circle.append(waits[thread][0])
                    thread = waits[thread][1]
                    if thread == first:
                        found.add(frozenset(circle))
                        break
        return found

    def inversions(self) -> set[tuple[int, int]]:
        """(use, what writes the place first) or (what frees the place, use)."""
        rows = range(len(self.ops))
        wanted = {pair for pair in product(rows, rows) if pair[0] > pair[1] and self._inverts(*pair)}
        found = set()
        for state in self.reachable():
            happen = {row for row, _ in self.steps(state)}
            for first, second in wanted:
                late = second in happen if self.ops[first] is Op.FREE else not self._done(state, second)
                if late and self._done(state, first):
                    found.add((first, second))
        return found

    def _inverts(self, first: int, second: int) -> bool:
        """Whether two events, the later one first, are what is called an inversion."""
        use = second if self.ops[first] is Op.FREE else first
        if self.threads[first] == self.threads[second] or self.ops[use] not in _DATA:
            return False
        if use == second:
            return self.names[self.targets[first]] == self.names[self.targets[use]]
        touching = [row for row, op in enumerate(self.ops) if op in _DATA and self.targets[row] == self.targets[use]]
        return touching[0] == second and self.ops[second] is Op.WRITE

    def intrusions(self) -> set[tuple[int, int, int]]:
        """(first, between, last)."""
        return {(first, between, last) for first, last in self._consecutive() for between in self._between(first, last)}

    def _consecutive(self) -> Iterator[tuple[int, int]]:
        for rows in self.rows:
            before: dict[int, int] = {}
            for row in rows:
                if self.ops[row] in _DATA:
                    if self.targets[row] in before:
                        yield before[self.targets[row]], row
                    before[self.targets[row]] = row

    def _between(self, first: int, last: int) -> set[int]:
        """What can come between two accesses, of what is unserialisable."""
        thread = self.threads[first]
        found: set[int] = set()
        start: tuple[Reached, frozenset[int]] = (self.start, frozenset())
        seen, stack = {start}, [start]
        while stack:
            state, met = stack.pop()
            begun = state.at[thread] > self.index[first]
            for row, after in self.steps(state):
                if row == last:
                    found |= met
                    continue
                then = met | {row} if begun and self._intrudes(first, row, last) else met
                if (after, then) not in seen:
                    seen.add((after, then))
                    stack.append((after, then))
        return found

    def _intrudes(self, first: int, between: int, last: int) -> bool:
        writes = tuple(WRITES[self.ops[row]] for row in (first, between, last))
        return (
            self.ops[between] in _DATA
            and self.targets[between] == self.targets[first]
            and self.threads[between] != self.threads[first]
            and writes in UNSERIALISABLE
        )


# -- traces to try ----------------------------------------------------------------------------------------------------


def random_trace(
    rng: random.Random,
    length: int,
    threads: int = 3,
    branching: bool = False,
    valued: bool = False,
    waiting: bool = False,
    freeing: bool = False,
) -> Trace:
    """A well-formed trace of up to ``length`` events: two places (which may be freed, if ``freeing``), three locks,
    perhaps forks and joins. If ``waiting`` a condition, too, of which :class:`Predictable` knows nothing."""
    return _Recorder(rng, threads, branching, valued, waiting, freeing).run(length)


class _Recorder:
    """Lets threads do this and that; what can't be done now is not recorded."""

    def __init__(
        self, rng: random.Random, threads: int, branching: bool, valued: bool, waiting: bool, freeing: bool
    ) -> None:
        self.rng, self.branching, self.valued = rng, branching, valued
        self.waiting, self.freeing = waiting, freeing
        self.parked: list[int] = []
        self.log: list[Step] = []
        self.names = [str(number) for number in range(threads)]
        self.held: list[list[str]] = [[] for _ in self.names]
        self.forked = {n for n in range(threads) if n == 0 or rng.random() < 0.6}
        self.alive = set(self.forked)
        self.ended: set[int] = set()
        self.memory: dict[str, int] = {}
        self.sections = rng.choice((0.2, 0.4, 0.9))
        self.patience = rng.choice((2, 3, 7))  # how many events a thread may have in a row
        self.locks = rng.choice(("k", "kl", "kl", "klm"))

    def run(self, length: int) -> Trace:
        for _ in range(20 * length):
            if len(self.log) >= length or not self.alive:
                break
            thread = self.rng.choice(sorted(self.alive))
            for _ in range(self.rng.randrange(1, self.patience)):
                if thread in self.alive:
                    self._act(thread)
        for thread, locks in enumerate(self.held):
            while locks and self.rng.random() < 0.8:
                self._emit(thread, Op.RELEASE, ("lock", locks.pop()))
        return assemble(parts_of(trace_of(self.names, self.log)))

    def _emit(self, thread: int, op: Op, target: Any, value: int | None = None) -> None:
        self.log.append(Step(thread, op, target, 0, True, value if self.valued else None))

    def _act(self, thread: int) -> None:
        chance = self.rng.random()
        if chance < self.sections:
            self._lock(thread)
        elif chance > 0.93:
            self._live(thread)
        elif self.branching and chance > 0.8:
            self._emit(thread, Op.BRANCH, ("none", ""))
        else:
            self._touch(thread, self.rng.choice("xy"))

    def _touch(self, thread: int, place: str) -> None:
        if self.freeing and self.rng.random() < 0.1:
            self._emit(thread, Op.FREE, ("object", place))
        elif self.rng.random() < 0.5:
            self._emit(thread, Op.READ, ("var", place), self.memory.get(place, 0))
        else:
            self.memory[place] = self.rng.randrange(2)
            self._emit(thread, Op.WRITE, ("var", place), self.memory[place])

    def _lock(self, thread: int) -> None:
        held = self.held[thread]
        if held and self.rng.random() < (0.4 if len(held) == 1 else 0.8):
            lock = held[-1] if self.rng.random() < 0.8 else self.rng.choice(held)
            held.remove(lock)
            self._emit(thread, Op.RELEASE, ("lock", lock))
            return
        lock = self.rng.choice([lock for lock in self.locks if lock not in held] or self.locks)
        if all(lock not in other for other in self.held if other is not held):
            held.append(lock)
            self._emit(thread, Op.ACQUIRE, ("lock", lock))

    def _wait_or_notify(self, thread: int) -> None:
        if self.rng.random() < 0.5 and len(self.alive) > 1:
            self._emit(thread, Op.WAIT, ("cond", "c"))
            self.parked.append(thread)
            self.alive.discard(thread)
            return
        everybody = self.rng.random() < 0.3
        self._emit(thread, Op.NOTIFY_ALL if everybody else Op.NOTIFY, ("cond", "c"))
        woken = self.parked if everybody else self.parked[:1]
        self.alive |= set(woken)
        self.parked = self.parked[len(woken) :]

    def _live(self, thread: int) -> None:
        if self.waiting and self.rng.random() < 0.6:
            self._wait_or_notify(thread)
            return
        waiting = [n for n in range(len(self.names)) if n not in self.forked]
        joinable = [n for n in self.ended if n != thread]
        if waiting:
            self.forked.add(waiting[0])
            self.alive.add(waiting[0])
            self._emit(thread, Op.FORK, ("thread", self.names[waiting[0]]))
            if self.rng.random() < 0.5:
                self._emit(waiting[0], Op.BEGIN, ("thread", self.names[waiting[0]]))
        elif joinable:
            self._emit(thread, Op.JOIN, ("thread", self.names[self.rng.choice(joinable)]))
        elif not self.held[thread] and self.rng.random() < 0.5:
            self.alive.discard(thread)
            self.ended.add(thread)
            if self.rng.random() < 0.5:
                self._emit(thread, Op.END, ("thread", self.names[thread]))
