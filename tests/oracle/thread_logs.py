"""All orders of the events of small per-thread logs in which they can have happened, by definition: every interleaving
is tried, and kept while each read gives the value that its location has.

The initial value of a location is that of its first read before any write; so an order has a map of initial values. An
order can be relied upon if all orders have its initial values, too: another execution with these logs can have begun
with any of theirs, and with any value where they have none.

Waits are as in :mod:`tests.oracle.predictable`, but a thread only goes on once a notification has woken it.

Cost: exponential; for logs of some twenty events.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tests.oracle.predictable import Predictable

from mazurka.trace.event import Op
from mazurka.trace.trace import Trace

_NOBODY, _WOKEN, _UNKNOWN = -1, -2, -3


class _State(NamedTuple):
    at: tuple[int, ...]
    asleep: tuple[int, ...]
    now: tuple[int, ...]  # by target: its value
    initial: frozenset[tuple[int, int]]


class Orders:
    """See the module. Of the trace only the order in each thread is looked at."""

    def __init__(self, trace: Trace) -> None:
        self.known = Predictable(trace)  # for its tables, none of which depends on the order of threads
        k = self.known
        self.rows, self.ops, self.targets, self.values = k.rows, k.ops, k.targets, k.values
        self.updates = {
            x
            for x in range(len(trace.targets))
            if any(op is Op.RMW and target == x for op, target in zip(self.ops, self.targets, strict=True))
        }
        self.numbers = [int(text[1:]) if str(text).startswith("#") else _UNKNOWN for text in trace.values]
        threads = len(self.rows)
        now = tuple([0 if x in self.updates else _UNKNOWN for x in range(len(trace.targets))])
        self.start = _State((0,) * threads, (_NOBODY,) * threads, now, frozenset())

    def initial_values(self) -> set[frozenset[tuple[int, int]]]:
        """The initial values, by location, of each order of all events."""
        seen, stack, found = {self.start}, [self.start], set()
        while stack:
            state = stack.pop()
            if all(at == len(rows) for at, rows in zip(state.at, self.rows, strict=True)):
                found.add(state.initial)
            for after in self._steps(state):
                if after not in seen:
                    seen.add(after)
                    stack.append(after)
        return found

    def reliable(self) -> set[frozenset[tuple[int, int]]]:
        """Those of orders that can be relied upon."""
        found = self.initial_values()
        return {each for each in found if all(each <= other for other in found)}

    def _steps(self, state: _State) -> Iterator[_State]:
        for thread, rows in enumerate(self.rows):
            if state.at[thread] == len(rows):
                continue
            row = rows[state.at[thread]]
            fork = self.known.fork_of.get(thread)
            if fork is not None and not self.known._done(state, fork):  # type: ignore[arg-type]  # it has what is read
                continue
            if row in self.known.wakes and state.asleep[thread] >= 0:
                continue
            if self._is_possible(state, row, thread):
                yield from self._after(state, row, thread)

    def _is_possible(self, state: _State, row: int, thread: int) -> bool:
        op, target = self.ops[row], self.targets[row]
        if op is Op.ACQUIRE:
            held = self.known.held
            return all(t == thread or target not in held[t][at] for t, at in enumerate(state.at))
        if op is Op.JOIN:
            other = self.known.others[target]
            return other < 0 or state.at[other] == len(self.rows[other])
        return True

    def _after(self, state: _State, row: int, thread: int) -> Iterator[_State]:
        op, target, value = self.ops[row], self.targets[row], self.values[row]
        at, asleep, now, initial = list(state.at), list(state.asleep), list(state.now), state.initial
        at[thread] += 1
        if target in self.updates and op in (Op.READ, Op.WRITE, Op.RMW):
            if now[target] != self.numbers[value] - (op is not Op.READ):
                return
            now[target] = self.numbers[value]
        elif op is Op.READ:
            if now[target] == _UNKNOWN:
                now[target], initial = value, initial | {(target, value)}
            if now[target] != value:
                return
        elif op is Op.WRITE:
            now[target] = value
        if row in self.known.wakes:
            asleep[thread] = _NOBODY
        if row in self.known.parks:
            asleep[thread] = row
        parks = self.known.parks
        sleepers = [t for t, park in enumerate(asleep) if park >= 0 and self.targets[parks[park][0]] == target]
        choices = [sleepers]
        if op is Op.NOTIFY and sleepers:
            choices = [[t] for t in sleepers]
        for woken in choices if op in (Op.NOTIFY, Op.NOTIFY_ALL) else [[]]:
            then = tuple(_WOKEN if t in woken else park for t, park in enumerate(asleep))
            yield _State(tuple(at), then, tuple(now), initial)
