"""One order of the events of per-thread logs in which they can have happened: the trace that predictions start from.

Source: patent 003 ("Constraint Modeling"), whose model of GPredict is built of thread-local traces. Where its formula
orders the events of a violation, here the closure solver is asked for an order of all events, and the causal model of
that trace (:mod:`.model_from_trace`) for violations. Nothing is lost by that: an execution that has the same values is
one of every program that has the actual one (the axioms of "Feasibility"), so both have the same correct reorderings.

The constraints on the order of *all* events:

- program order, forks and joins (Phi_mhb), exclusion of the sections of a lock (Phi_lock);
- each read takes its value from a write of an equal value (Phi_rw). An initial value is known only if some read can
  have it from no write. So a location without one is read after a write of it; if no order is left then, initial values
  that all possible executions agree on are taken;
- a location with operations that read and write at once, or a lock that threads look at, has numbers of its updates in
  place of values (``#1``, ``#2``, ...), and these are in order;
- each wait after which its thread goes on is ended by a notification of its condition, after the thread is parked and
  before it goes on; one of a single thread ends at most one wait (Phi_signal). A wake-up is an event of its own, right
  after its notification: it updates the condition, so that no second one reads from the same notification.

Departure: in the patent, all other waits of the condition are over, or begin later, when a notification of one thread
comes; then two threads that wait, and are notified one after the other, have no order. Here any number may wait.

Invariant: the order was accepted by :mod:`mazurka.witness.thread_logs`. If there is none, or the logs leave open which
write a read is from, :class:`~mazurka.errors.MazurkaError` says so, and nothing is predicted.

Cost: a quick search (:mod:`.interleaving`), some ten microseconds an event. Where it finds no order, a model and one
question about all events (closure.py): a millisecond an event, or it gives up. Hard are equal values that are written
again and again, and hundreds of waits that many notifications can end.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice, product
from typing import Any, Final, NamedTuple

import numpy as np

from mazurka.causal.closure import ClosureSolver
from mazurka.causal.history import INITIAL
from mazurka.causal.interleaving import Interleaving
from mazurka.causal.model import NEVER_LEFT, Model, lay_out
from mazurka.causal.question import Question
from mazurka.causal.solver import Answer, Feasible, Unknown
from mazurka.errors import MazurkaError
from mazurka.trace.columns import columns_of
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.trace import NO_VALUE, Trace
from mazurka.trace.waits import NONE, waits_of
from mazurka.witness.thread_logs import objections_to_order

_LOCKING: Final = frozenset({Op.ACQUIRE, Op.RELEASE})
_SIGNALLING: Final = frozenset({Op.WAIT, Op.NOTIFY, Op.NOTIFY_ALL})
_THREADS: Final = frozenset({Op.FORK, Op.JOIN, Op.BEGIN, Op.END})

#: The most combinations of initial values, and of kinds of notifications, that are tried.
_MOST: Final = 512

#: The solver gives up after so many contradictions, times events, but not before :data:`_LEAST`.
_CONTRADICTIONS: Final = 2_000_000
_LEAST: Final = 200

#: For each wait of a condition with both kinds of notifications, whether one of all threads ends it; None: either.
_Ends = Mapping[int, bool] | None


class Merged(NamedTuple):
    """A trace in an order of its events in which it can have happened, and for each row its row in the logs."""

    trace: Trace
    rows: Any


def merged(logs: Trace, where: str = "") -> Merged:
    """The events of per-thread logs in one order; of ``logs`` only the order within each thread counts. ``where`` names
    them in errors."""
    made = _Logs(logs, where)
    order = np.array(made.order(), np.int64)
    rows = columns_of(logs).select(order)
    step = np.arange(len(order), dtype=np.int32)
    return Merged(Trace(step, *rows, logs.threads, logs.targets, logs.values, logs.locations), order)


class _Logs:
    """The contents of logs, in any order of their threads. Rows are numbers of events, as in the trace."""

    def __init__(self, trace: Trace, where: str) -> None:
        self.trace, self.where = trace, where
        self.op = list(map(Op, np.asarray(trace.op).tolist()))
        self.thread, self.target, self.value = (
            np.asarray(column).tolist() for column in (trace.thread, trace.target, trace.value)
        )
        self.own: list[list[int]] = [np.asarray(rows).tolist() for rows in trace.rows_of_thread]
        self.index = [0] * len(self.op)
        for own in self.own:
            for at, row in enumerate(own):
                self.index[row] = at
        self.of_target: dict[int, list[int]] = defaultdict(list)
        for row, (op, target) in enumerate(zip(self.op, self.target, strict=True)):
            if READS[op] or WRITES[op]:
                self.of_target[target].append(row)
        self.needs: list[tuple[int, int]] = []  # (event, event that must happen before it)
        self.data: list[int] = []  # locations whose reads are explained by values
        self.conditions: list[int] = []
        self.locks: list[int] = []
        self.sections: list[tuple[int, int, int]] = []  # (lock, first event, last event or NEVER_LEFT)
        for target, rows in self.of_target.items():
            self._see(target, rows)
        self._see_threads()
        self.waits = [wait for wait in waits_of(trace) if wait.goes_on != NONE]
        self.forced: dict[int, int] = {}  # by location: its initial value, if only that explains a read
        self.open: dict[int, list[int]] = {}  # by location: other values that it may have had at first
        for target in self.data:
            self._see_initial(target)

    def _fail(self, why: str, hint: str = "") -> MazurkaError:
        return MazurkaError("trace-unordered", why, where=self.where, hint=hint)

    def _name(self, target: int) -> str:
        return " ".join(map(str, self.trace.targets[target]))

    # -- targets ------------------------------------------------------------------------------------------------------

    def _see(self, target: int, rows: list[int]) -> None:
        ops = {self.op[row] for row in rows}
        if ops <= _LOCKING:
            self.locks.append(target)
            self._see_lock(target, rows)
        elif ops <= _SIGNALLING:
            self.conditions.append(target)
        elif ops <= _THREADS or ops == {Op.WRITE}:
            pass
        elif ops <= {Op.READ, Op.WRITE}:
            self._see_data(target, rows)
        elif len({self.thread[row] for row in rows}) > 1 or all(self.value[row] != NO_VALUE for row in rows):
            self._see_updates(target, rows)

    def _see_data(self, location: int, rows: list[int]) -> None:
        if all(self.value[row] != NO_VALUE for row in rows):
            self.data.append(location)
        elif len({self.thread[row] for row in rows}) > 1 and any(self.op[row] is Op.WRITE for row in rows):
            hint = "record with values, or in one order of all events"
            raise self._fail(f"accesses of {self._name(location)} have no values, so its reads can be from any", hint)

    def _see_lock(self, lock: int, rows: list[int]) -> None:
        held: dict[int, list[int]] = {}
        for row in rows:
            thread = self.thread[row]
            if self.op[row] is Op.ACQUIRE:
                held.setdefault(thread, []).append(row)
            elif not held.get(thread):
                raise self._fail(f"event {row} releases {self._name(lock)}, which its thread does not hold")
            else:
                first = held[thread].pop()
                if not held[thread]:
                    self.sections.append((lock, first, row))
        self.sections += [(lock, open_[0], NEVER_LEFT) for open_ in held.values() if open_]

    def _see_updates(self, target: int, rows: list[int]) -> None:
        """A location whose updates are numbered: they are in this order, and each read between two of them."""
        updates: dict[int, int] = {0: -1}
        for row in rows:
            if WRITES[self.op[row]] and updates.setdefault(self._number(row), row) != row:
                raise self._fail(f"two updates of {self._name(target)} have the same number")
        if sorted(updates) != list(range(len(updates))):
            raise self._fail(f"the updates of {self._name(target)} are not numbered from 1 on")
        self.needs += [(updates[n], updates[n - 1]) for n in range(2, len(updates))]
        for row in rows:
            if WRITES[self.op[row]]:
                continue
            if (number := self._number(row)) not in updates:
                raise self._fail(f"event {row} sees an update of {self._name(target)} that is not there")
            self.needs += [(row, updates[number])] if number else []
            self.needs += [(updates[number + 1], row)] if number + 1 in updates else []

    def _number(self, row: int) -> int:
        value = self.value[row]
        text = str(self.trace.values[value]) if value != NO_VALUE else ""
        if not (text.startswith("#") and text[1:].isdecimal()):
            what = f"event {row} has no number of an update (#1, #2, ...)"
            why = f"{self._name(self.target[row])} is read and written at once"
            raise self._fail(f"{what}, but {why}", "record in one order of all events")
        return int(text[1:])

    def _see_threads(self) -> None:
        forks: dict[int, int] = {}
        others = self.trace.thread_of_target
        for row, op in enumerate(self.op):
            if op is not Op.FORK:
                continue
            if self.target[row] in forks:
                raise self._fail(f"{self._name(self.target[row])} is started twice")
            forks[self.target[row]] = row
            other = int(others[self.target[row]])
            self.needs += [(self.own[other][0], row)] if other >= 0 and self.own[other] else []
        for row, op in enumerate(self.op):
            if op is Op.JOIN:
                other = int(others[self.target[row]])
                if other >= 0 and self.own[other]:
                    self.needs.append((row, self.own[other][-1]))
                elif self.target[row] in forks:
                    self.needs.append((row, forks[self.target[row]]))

    def _see_initial(self, location: int) -> None:
        """Reads that no write explains have the initial value."""
        rows = self.of_target[location]
        written: dict[int, set[int]] = {}  # by value: the threads that write it
        for row in rows:
            if self.op[row] is Op.WRITE:
                written.setdefault(self.value[row], set()).add(self.thread[row])
        latest: dict[int, int] = {}  # by thread: the value that it wrote last
        possible: dict[int, None] = {}
        for row in rows:
            thread, value = self.thread[row], self.value[row]
            if self.op[row] is Op.WRITE:
                latest[thread] = value
            elif thread not in latest:
                possible[value] = None
                if not written.get(value, set()) - {thread} and self.forced.setdefault(location, value) != value:
                    raise self._fail(f"event {row} reads from {self._name(location)} a value that no event writes")
            elif latest[thread] != value and not written.get(value, set()) - {thread}:
                raise self._fail(f"event {row} reads from {self._name(location)} a value that no event writes")
        if location not in self.forced and possible:
            self.open[location] = list(possible)

    def clocks(self) -> list[int]:
        """For each row a logical clock, larger than those of the rows that must come before it, as far as known."""
        needed: dict[int, list[int]] = defaultdict(list)
        for row, before in self.needs:
            needed[row].append(before)
        for location in self.data:
            writes: dict[int, list[int]] = defaultdict(list)
            for row in self.of_target[location]:
                if self.op[row] is Op.WRITE:
                    writes[self.value[row]].append(row)
            for row in self.of_target[location]:
                if self.op[row] is Op.READ and len(writes[self.value[row]]) == 1:
                    needed[row] += writes[self.value[row]]
        clocks, at, now = [0] * len(self.op), [0] * len(self.own), 0
        done = [False] * len(self.op)
        moved = True
        while moved:
            moved = False
            for thread, own in enumerate(self.own):
                while at[thread] < len(own) and all(done[before] for before in needed[own[at[thread]]]):
                    row = own[at[thread]]
                    now = clocks[own[at[thread] - 1]] if at[thread] else 0
                    clocks[row] = 1 + max([now, *(clocks[before] for before in needed[row])])
                    done[row] = moved = True
                    at[thread] += 1
        for thread, own in enumerate(self.own):  # in a circle of needs
            for place in range(at[thread], len(own)):
                clocks[own[place]] = 1 + (clocks[own[place - 1]] if place else 0)
        return clocks

    # -- an order -----------------------------------------------------------------------------------------------------

    def order(self) -> list[int]:
        """All rows in an order in which they can have happened."""
        found = self._with(self.forced)
        if found is not None:
            return found
        choices = [[NO_VALUE, *values] for values in self.open.values()]
        possible: list[tuple[dict[int, int], list[int]]] = []
        for number, chosen in enumerate(product(*choices)):
            if number >= _MOST:
                raise self._fail("too many initial values of locations are unknown")
            known = {x: value for x, value in zip(self.open, chosen, strict=True) if value != NO_VALUE}
            order = self._with(self.forced | known) if known else None
            if order is not None:
                possible.append((self.forced | known, order))
        worlds = [world for world, _ in possible]
        for world, order in possible:
            if all(world.items() <= other.items() for other in worlds):
                return order
        if possible:
            names = ", ".join(self._name(x) for x in self.open if len({w.get(x, NO_VALUE) for w in worlds}) > 1)
            raise self._fail(f"the initial values of {names} are unknown, and several are possible")
        raise self._fail("there is no order in which its events can have happened", "are the logs whole?")

    def _with(self, initial: Mapping[int, int]) -> list[int] | None:
        """An order with these initial values, if there is one."""
        quick = Interleaving(self, initial).run()
        if quick is not None:
            whole = list(self._spelt(quick))
            if next(objections_to_order(self.trace, whole, initial), None) is None:
                return whole
        both = self._with_both_kinds()
        first = self._answer(initial, None)
        if not both or first is not None:
            return first
        for number, ends in enumerate(product((True, False), repeat=len(both))):
            if number >= _MOST:
                raise self._fail("too many waits can be ended by notifications of both kinds")
            order = self._answer(initial, dict(zip(both, ends, strict=True)))
            if order is not None:
                return order
        return None

    def _with_both_kinds(self) -> list[int]:
        """The waits, by number, of conditions with notifications of one thread and of all."""
        kinds = {x: {self.op[row] for row in self.of_target[x]} - {Op.WAIT} for x in self.conditions}
        return [n for n, wait in enumerate(self.waits) if len(kinds[wait.condition]) > 1]

    def _answer(self, initial: Mapping[int, int], ends: _Ends) -> list[int] | None:
        making = _ModelOfLogs(self, initial, ends)
        if not making.is_explained:
            return None
        limit = max(_LEAST, _CONTRADICTIONS // len(self.op))
        answer: Answer = ClosureSolver(limit).decide(making.model, Question(happen=making.model.last_events()))
        if isinstance(answer, Unknown):
            raise self._fail(f"no order of its events was found: {answer.reason}")
        if not isinstance(answer, Feasible):
            return None
        rows = map(making.row_of_rank.get, answer.order)
        order = list(self._spelt(row for row in rows if row is not None))
        objection = next(objections_to_order(self.trace, order, initial), None)
        if objection is None:
            return order
        if ends is None and self._with_both_kinds():
            return None
        raise self._fail(f"the order that was found is rejected: {objection}")

    def _spelt(self, rows: Iterable[int]) -> Iterator[int]:
        """All rows; events that touch nothing come right after the one before in their thread."""
        for row in rows:
            yield row
            for after in islice(self.own[self.thread[row]], self.index[row] + 1, None):
                if READS[self.op[after]] or WRITES[self.op[after]]:
                    break
                yield after


class _ModelOfLogs:
    """The causal model of logs in which all events happen: an event for each row that touches something, and one for
    each wake-up."""

    def __init__(self, logs: _Logs, initial: Mapping[int, int], ends: _Ends) -> None:
        self.logs, self.initial, self.ends = logs, initial, ends
        self.model = Model([0])
        self.event: dict[int, int] = {}
        self.row_of_rank: dict[int, int] = {}
        self.reads: dict[int, list[tuple[int, list[int]]]] = defaultdict(list)  # event -> (target, possible sources)
        self.writes: dict[int, list[int]] = defaultdict(list)
        self.needed: dict[int, list[int]] = defaultdict(list)
        self._number()
        self.targets = len(logs.trace.targets)
        for event, needed in logs.needs:
            self.needed[self._at(event)].append(self._at(needed, last=True))
        for location in logs.data:
            self._see_accesses(location)
        self._see_wakes()
        self.is_explained = all(sources for several in self.reads.values() for _, sources in several)
        self._lay_out()

    def _number(self) -> None:
        """Events by thread; wake-ups in a further thread for each one that waits. Ranks are the order to
        prefer."""
        model, logs = self.model, self.logs
        self.wake_ups = {}
        waiting: dict[int, list[int]] = defaultdict(list)
        for number, wait in enumerate(logs.waits):
            waiting[logs.thread[wait.row]].append(number)
        places: list[tuple[int, int]] = []  # of events: place in the thread, thread
        rows: list[int | None] = []
        clocks = logs.clocks()
        for own in logs.own:
            for at, row in enumerate(own):
                if not at or READS[logs.op[row]] or WRITES[logs.op[row]]:
                    self.event[row] = len(rows)
                    rows.append(row)
                    places.append((clocks[row], len(model.starts)))
            self._end_thread(len(rows))
        for numbers in waiting.values():
            for number in sorted(numbers, key=lambda n: logs.index[logs.waits[n].parks]):
                self.wake_ups[number] = len(rows)
                rows.append(None)
                places.append((clocks[logs.waits[number].goes_on], len(model.starts)))
            self._end_thread(len(rows))
        model.rank = [0] * len(rows)
        for rank, event in enumerate(sorted(range(len(rows)), key=places.__getitem__)):
            model.rank[event] = rank
            model.event_of[rank] = event
            row_of = rows[event]
            if row_of is not None:
                self.row_of_rank[rank] = row_of

    def _end_thread(self, events: int) -> None:
        model = self.model
        model.thread += [len(model.starts) - 1] * (events - model.starts[-1])
        model.starts.append(events)

    def _at(self, row: int, last: bool = False) -> int:
        """The event of a row; of one that touches nothing, that of the row ``last`` before it with an event."""
        logs = self.logs
        while last and row not in self.event:
            row = logs.own[logs.thread[row]][logs.index[row] - 1]
        return self.event[row]

    # -- constraints --------------------------------------------------------------------------------------------------

    def _see_accesses(self, location: int) -> None:
        logs = self.logs
        writes: dict[int, list[int]] = defaultdict(list)
        rows = logs.of_target[location]
        if location in self.initial:
            writes[self.initial[location]].append(INITIAL)
        for row in rows:
            if logs.op[row] is Op.WRITE:
                writes[logs.value[row]].append(self.event[row])
                self.writes[self.event[row]].append(location)
        for row in rows:
            if logs.op[row] is Op.READ:
                self.reads[self.event[row]].append((location, writes[logs.value[row]]))

    def _see_wakes(self) -> None:
        """Each wake-up takes place after its thread is parked, before it goes on, and right after a notification."""
        logs = self.logs
        by_condition: dict[int, list[int]] = defaultdict(list)
        for number, wait in enumerate(logs.waits):
            wake = self.wake_ups[number]
            self.needed[wake].append(self.event[wait.parks])
            self.needed[self.event[wait.goes_on]].append(wake)
            by_condition[wait.condition].append(number)
        for condition, numbers in by_condition.items():
            rows = logs.of_target[condition]
            single = [self.event[row] for row in rows if logs.op[row] is Op.NOTIFY]
            of_all = [self.event[row] for row in rows if logs.op[row] is Op.NOTIFY_ALL]
            known = {n: self.ends.get(n, not single) if self.ends is not None else not single for n in numbers}
            apart = self.ends is not None or not single or not of_all
            self._see_single(condition, numbers, single if apart else [*single, *of_all], known, not apart)
            self._see_of_all([n for n in numbers if known[n]], of_all)

    def _see_single(
        self, condition: int, numbers: list[int], sources: list[int], of_all: Mapping[int, bool], chained: bool
    ) -> None:
        """Wake-ups that update the condition, so that no two read from one notification. ``chained``: unless the first
        of them is of all threads, which the check decides."""
        own = [self.wake_ups[n] for n in numbers if not of_all[n]]
        for event in (*sources, *own, *self._parks(numbers)):
            self.writes[event].append(condition)
        for wake in own:
            self.reads[wake].append((condition, [*sources, *(each for each in own if chained and each != wake)]))

    def _see_of_all(self, numbers: list[int], sources: list[int]) -> None:
        if not numbers:
            return
        target, self.targets = self.targets, self.targets + 1
        for event in (*sources, *self._parks(numbers)):
            self.writes[event].append(target)
        for number in numbers:
            self.reads[self.wake_ups[number]].append((target, sources))

    def _parks(self, numbers: list[int]) -> set[int]:
        """The events that park threads: none comes between a notification and its wake-ups."""
        return {self.event[self.logs.waits[number].parks] for number in numbers}

    # -- layout -------------------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        model = self.model
        model.targets = self.targets
        writers: list[dict[int, list[int]]] = [{} for _ in range(self.targets)]
        groups: dict[int, int] = {}
        for event, thread in enumerate(model.thread):
            model.guard.append(0)
            for target, sources in self.reads[event]:
                group = groups.get(id(sources))
                if group is None:
                    group = groups[id(sources)] = len(model.group_at) - 1
                    model.group += sources
                    model.group_at.append(len(model.group))
                model.read_event.append(event)
                model.read_target.append(target)
                model.read_source.append(self._likeliest(event, sources))
                model.read_sync.append(1)  # also a thread's last read counts
                model.read_group.append(group)
            for target in self.writes[event]:
                writers[target].setdefault(thread, []).append(event)
                model.write.append(target)
            model.need += self.needed[event]
            model.need_at.append(len(model.need))
            model.read_at.append(len(model.read_event))
            model.write_at.append(len(model.write))
            model.pair_at.append(0)
        lay_out(writers, model.col_at, model.col_thread, model.col_from, model.col_to, model.col)
        self._lay_out_sections()

    def _likeliest(self, event: int, sources: list[int]) -> int:
        """The source to try first: the last one before the event by ranks, so the nearest in the threads."""
        rank = self.model.rank
        before = [each for each in sources if each != INITIAL and rank[each] < rank[event]]
        if before:
            return max(before, key=rank.__getitem__)
        return sources[0] if sources else INITIAL

    def _lay_out_sections(self) -> None:
        model = self.model
        numbers: dict[int, int] = {}
        for lock, first, last in self.logs.sections:
            model.section_from.append(self.event[first])
            model.section_to.append(self.event[last] if last != NEVER_LEFT else NEVER_LEFT)
            model.section_lock.append(numbers.setdefault(lock, len(numbers)))
        entered: list[list[int]] = [[] for _ in model.rank]
        left: list[list[int]] = [[] for _ in model.rank]
        by_lock: list[dict[int, list[int]]] = [{} for _ in numbers]
        for section in sorted(range(len(model.section_from)), key=model.section_from.__getitem__):
            event = model.section_from[section]
            entered[event].append(section)
            if model.section_to[section] != NEVER_LEFT:
                left[model.section_to[section]].append(section)
            by_lock[model.section_lock[section]].setdefault(model.thread[event], []).append(section)
        lay_out(by_lock, model.lock_at, model.lock_thread, model.lock_from, model.lock_to, model.taken)
        model.taking += [model.section_from[section] for section in model.taken]
        for lists, at, flat in ((entered, model.enter_at, model.enter), (left, model.leave_at, model.leave)):
            for sections in lists:
                flat += sections
                at.append(len(flat))
