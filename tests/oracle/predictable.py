"""The executions that one small trace proves possible: all its correct reorderings, by definition, and the bugs that
they show.

A correct reordering takes of each thread a prefix, in program order, so that

- the events of a thread that come after its fork in the trace come after it; a join comes after all events of the
  joined thread, and, without branch events, only if all its reads have the values of the trace: it might not end
  otherwise;
- no thread takes a lock that another one holds (re-entrant: the outermost acquire and release count);
- an event takes place only if the reads that its existence depends on have the values of the trace: with branch events
  the reads before the last branch before it in its thread (a branch itself: all reads before it), without any all
  reads.

- a thread that waits on a condition (three events of one lock, and any others that touch nothing) is parked, and goes
  on once woken: a notification of one wakes any of those that are parked, if there are any, one of all wakes them all.
  Waits that went on in the trace without having been woken may do so at any time: their time has run out.

A read has the value of the trace if it takes its value from the same write as there, or from one of the same recorded
value (the initial value likewise), and that write has the value of the trace: all reads before it in its thread have
the values of the trace. Updates (RMW) have the values that they write; those that they read are not recorded.

Bugs:

- *races* are two conflicting accesses of different threads that are both next;
- *deadlocks* are threads each of which stands before the acquire of a lock that the next one holds, or joins the next;
- *communication deadlocks* are threads that never go on: each stands before the acquire of a lock that one of them
  holds, or the join of one of them, or is parked, and then all other threads have ended (with END, or with their last
  event before they were joined) or are never started;
- *atomicity violations* are accesses of another thread between two consecutive ones of a place by one thread that no
  serial order explains (read-write-read, write-write-read, read-write-write, write-read-write);
- *order violations* are a use of a place before another thread's first write of it in the trace (or the write that it
  would make), or after another thread's freeing of it, which comes later in the trace.

Cost: exponential; for traces of up to some twenty events.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.trace import NO_VALUE, Trace

_DATA = (Op.READ, Op.WRITE, Op.RMW)
_NOBODY, _WOKEN = -1, -2
ALWAYS = 1 << 30

#: Which of three accesses write, that are unserialisable.
UNSERIALISABLE = {(False, True, False), (True, True, False), (False, True, True), (True, False, True)}


class Reached(NamedTuple):
    """Between two events: how far each thread is, who wrote each place last, and by thread the first of its reads that
    gave something else."""

    at: tuple[int, ...]
    last: tuple[int, ...]
    broken: tuple[int, ...]
    asleep: tuple[int, ...]  # by thread: the event that parked it, _NOBODY, or _WOKEN


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
        threads = len(self.rows)
        self.start = Reached((0,) * threads, (_NOBODY,) * len(trace.targets), (ALWAYS,) * threads, (_NOBODY,) * threads)
        self._read()
        self._hold()
        self._wait()

    def _read(self) -> None:
        branching = self.branching = Op.BRANCH in self.ops
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
                if self.sources[row] == _NOBODY and self.values[row] != NO_VALUE and op is Op.READ:
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

    def _wait(self) -> None:
        """By the event that parks a thread: the wait, the event with which it goes on, and whether the trace has the
        lock that it releases."""
        self.parks: dict[int, tuple[int, int, bool]] = {}
        for own in self.rows:
            rows = [row for row in own if READS[self.ops[row]] or WRITES[self.ops[row]]]
            for n, row in enumerate(rows):
                if self.ops[row] is Op.WAIT:
                    park, wake, told = self._gives_up(rows, n)
                    self.parks[park] = row, wake, told
        self.wakes = {wake for _, wake, _ in self.parks.values() if wake != _NOBODY}
        parked: list[tuple[int, int]] = []
        late = set()
        for row, op in enumerate(self.ops):
            late |= {park for wake, park in parked if wake == row}
            parked = [each for each in parked if each[0] != row]
            if row in self.parks:
                wake = self.parks[row][1]
                parked.append((ALWAYS if wake == _NOBODY else wake, row))
            elif op in (Op.NOTIFY, Op.NOTIFY_ALL):
                here = sorted(each for each in parked if self.targets[self.parks[each[1]][0]] == self.targets[row])
                woken = here if op is Op.NOTIFY_ALL else here[:1]
                parked = [each for each in parked if each not in woken]
        self.late = late

    def _gives_up(self, rows: list[int], n: int) -> tuple[int, int, bool]:
        """Of the n-th of a thread's events that touch something, a wait: the event that parks the thread, the event
        with which it goes on, and whether it names a lock."""

        def is_(m: int, op: Op, lock: int) -> bool:
            return 0 <= m < len(rows) and self.ops[rows[m]] is op and self.targets[rows[m]] == lock

        def wake(m: int) -> int:
            return rows[m] if m < len(rows) else _NOBODY

        for park in (n + 1, n - 1):
            if 0 <= park < len(rows) and self.ops[rows[park]] is Op.RELEASE:
                lock, after = self.targets[rows[park]], n + 1
                while park > n and is_(after, Op.RELEASE, lock):
                    after += 1
                if after >= len(rows) or is_(after, Op.ACQUIRE, lock):
                    return rows[min(park, n)], wake(after), True
        return rows[n], wake(n + 1), False

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
        """The events that can take place next, each with the state after it."""
        for row in self.standing(state):
            if self._possible(state, row):
                yield from ((row, after) for after in self._after(state, row))

    def standing(self, state: Reached) -> Iterator[int]:
        """The next event of each thread, if it is sure that it is the next, whether or not it can take place now."""
        for thread, rows in enumerate(self.rows):
            if state.at[thread] == len(rows):
                continue
            row = rows[state.at[thread]]
            forked = self.fork_of.get(thread, row)
            if row in self.wakes and state.asleep[thread] >= 0:
                continue
            if state.broken[thread] >= self.guards[row] and (forked >= row or self._done(state, forked)):
                yield row

    def _done(self, state: Reached, row: int) -> bool:
        return state.at[self.threads[row]] > self.index[row]

    def _possible(self, state: Reached, row: int) -> bool:
        if self.ops[row] is Op.JOIN:
            other = self.others[self.targets[row]]
            ended = other < 0 or state.at[other] == len(self.rows[other])
            if other < 0 or not any(own < row for own in self.rows[other]):  # it has done nothing, but was started
                forks = [at for at in range(row) if self.ops[at] is Op.FORK and self.targets[at] == self.targets[row]]
                ended = ended and all(self._done(state, fork) for fork in forks[-1:])
            return ended and (self.branching or state.broken[other] == ALWAYS)
        if self.ops[row] is Op.ACQUIRE:
            return all(
                thread == self.threads[row] or self.targets[row] not in self.held[thread][at]
                for thread, at in enumerate(state.at)
            )
        return True

    def _after(self, state: Reached, row: int) -> Iterator[Reached]:
        thread, target, op = self.threads[row], self.targets[row], self.ops[row]
        at, last, broken, asleep = list(state.at), list(state.last), list(state.broken), list(state.asleep)
        at[thread] += 1
        if row in self.sources and not self._gives(state, row):
            broken[thread] = min(broken[thread], self.index[row])
        if op in _DATA and WRITES[op]:
            last[target] = row
        if row in self.wakes:
            asleep[thread] = _NOBODY
        if row in self.parks and row not in self.late:
            asleep[thread] = row
        sleepers = [t for t, park in enumerate(asleep) if park >= 0 and self.targets[self.parks[park][0]] == target]
        choices = [sleepers]
        if op is Op.NOTIFY and sleepers:
            choices = [[t] for t in sleepers]
        for woken in choices if op in (Op.NOTIFY, Op.NOTIFY_ALL) else [[]]:
            then = tuple(_WOKEN if t in woken else park for t, park in enumerate(asleep))
            yield Reached(tuple(at), tuple(last), tuple(broken), then)

    def _gives(self, state: Reached, row: int) -> bool:
        """Whether a read has the value of the trace."""
        source = state.last[self.targets[row]]
        if source != _NOBODY and state.broken[self.threads[source]] <= self.index[source]:
            return False
        if source == self.sources[row]:
            return True
        value = self.initial.get(self.targets[row], NO_VALUE) if source == _NOBODY else self.values[source]
        return self.ops[row] is Op.READ and value == self.values[row] != NO_VALUE

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
        """Sets of acquires and joins, one of each thread of a circle."""
        found = set()
        for state in self.reachable():
            waits = {}  # thread -> (acquire or join, for whom)
            for row in self.standing(state):
                if self.ops[row] is Op.ACQUIRE:
                    for thread, at in enumerate(state.at):
                        if thread != self.threads[row] and self.targets[row] in self.held[thread][at]:
                            waits[self.threads[row]] = (row, thread)
                elif self.ops[row] is Op.JOIN and not self._possible(state, row):
                    waits[self.threads[row]] = (row, self.others[self.targets[row]])
            for first in waits:
                circle, thread = [], first
                while thread in waits and len(circle) <= len(waits):
                    circle.append(waits[thread][0])
                    thread = waits[thread][1]
                    if thread == first:
                        found.add(frozenset(circle))
                        break
        return found

    def communication_deadlocks(self) -> set[frozenset[int]]:
        """Waits, and acquires and joins that are next: the most threads that never go on together."""
        found = set()
        for state in self.reachable():
            reasons = self._reasons(state)
            while lost := [row for row in reasons if not self._holds(state, row, reasons)]:
                for row in lost:
                    del reasons[row]
            found.add(frozenset(reasons))
        return found - {frozenset()}

    def is_communication_deadlock(self, rows: frozenset[int]) -> bool:
        """Whether these can be such, all of them needed or not."""
        for state in self.reachable():
            reasons = self._reasons(state)
            if rows <= reasons.keys():
                chosen = {row: reasons[row] for row in rows}
                if all(self._holds(state, row, chosen) for row in rows):
                    return True
        return False

    def _reasons(self, state: Reached) -> dict[int, int]:
        """The waits that threads may never get past: for each the thread that it waits for, _NOBODY if it is parked."""
        found = {}
        for row in self.standing(state):
            if self.ops[row] is Op.ACQUIRE:
                for t, at in enumerate(state.at):
                    vague = state.asleep[t] >= 0 and not self.parks[state.asleep[t]][2]  # it may have given it up
                    if t != self.threads[row] and self.targets[row] in self.held[t][at] and not vague:
                        found[row] = t
            elif self.ops[row] is Op.JOIN and not self._possible(state, row):
                found[row] = self.others[self.targets[row]]
        for thread, park in enumerate(state.asleep):
            if park >= 0:
                wait, wake, _ = self.parks[park]
                if state.at[thread] == (len(self.rows[thread]) if wake == _NOBODY else self.index[wake]):
                    found[wait] = _NOBODY
        return found

    def _holds(self, state: Reached, row: int, reasons: dict[int, int]) -> bool:
        """Whether a thread never gets past an event, given that others don't."""
        stuck = {self.threads[each] for each in reasons}
        if reasons[row] != _NOBODY:
            return reasons[row] in stuck
        return all(t in stuck or self._over(state, t) for t in range(len(self.rows)))

    def _over(self, state: Reached, thread: int) -> bool:
        """Whether a thread has ended for sure, or has not been started."""
        rows = self.rows[thread]
        if thread in self.fork_of and not self._done(state, self.fork_of[thread]):
            return True
        if state.at[thread] < len(rows) or not rows:
            return False
        joined = any(op is Op.JOIN and self.others[x] == thread for op, x in zip(self.ops, self.targets, strict=True))
        return self.ops[rows[-1]] is Op.END or (joined and state.broken[thread] != self.index[rows[-1]])

    def order_violations(self) -> set[tuple[int, int]]:
        """(use, first write of the place) or (freeing of the place, use)."""
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
        """Whether two events, the later one first, are an order violation."""
        use = second if self.ops[first] is Op.FREE else first
        if self.threads[first] == self.threads[second] or self.ops[use] not in _DATA:
            return False
        if use == second:
            return self.names[self.targets[first]] == self.names[self.targets[use]]
        touching = [row for row, op in enumerate(self.ops) if op in _DATA and self.targets[row] == self.targets[use]]
        return touching[0] == second and self.ops[second] is Op.WRITE

    def atomicity_violations(self) -> set[tuple[int, int, int]]:
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
        """The accesses that can come between two others and make them unserialisable."""
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
