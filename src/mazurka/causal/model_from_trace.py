"""The causal model of a recorded trace (model.py defines it).

How rows are read:

- A FORK must happen before the events of the thread it starts, and these before its JOIN. Traces of other tools may
  lack BEGIN and END, or have the BEGIN before the FORK.
- A target that is only acquired, released and requested, by one holder at a time, is a lock: its outermost sections
  exclude each other. A target that is also looked at or waited for (try-locks, semaphores, conditions) is treated as a
  variable of which every read needs the same source as in the run: stricter, and always sound.
- For a condition that is only waited for and notified, the event with which a waiting thread goes on
  (:mod:`mazurka.trace.waits`) is the wake-up. It needs the notification that woke it in the run (which wakes the thread
  that goes on first), after the thread was parked. When that notification comes, no other thread is parked there, but
  those that were parked in the run, and in the order of the run (patent, "Implementation"). If that takes more than
  :data:`_APART` pairs, a notification may come where it wakes any of the parked threads, which is all that conditions
  guarantee. Traces of our own front ends record the thread that a notification woke, by a write that the wake-up reads;
  in these, conditions are treated as variables.
- READ and WRITE of other targets are data. A read may take any write of the same value, if values are recorded.
- BRANCH guards the events after it, if ``branches``; otherwise every read may have been followed by a branch, also one
  before the join of its thread. The initial value of a target is the one that reads of it gave.

Cost: one pass over the rows, some microseconds each; of long recorded traces less (:mod:`.model_from_columns`).
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from mazurka.causal.history import INITIAL
from mazurka.causal.model import NEVER_LEFT, Model, lay_out
from mazurka.causal.state import COMPILE_FROM
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.targets import Kind, is_only_content, kind_of, may_wait
from mazurka.trace.trace import NO_VALUE, Trace
from mazurka.trace.waits import Wait, waits_of

_LOCKING: Final = frozenset({Op.ACQUIRE, Op.RELEASE, Op.REQUEST})
_SIGNALLING: Final = frozenset({Op.WAIT, Op.NOTIFY, Op.NOTIFY_ALL})
_THREADS: Final = frozenset({Op.FORK, Op.JOIN, Op.BEGIN, Op.END})

#: The largest number of pairs of notifications and waits that are kept apart.
_APART: Final = 500_000


def model_of_trace(
    trace: Trace,
    branches: bool = False,
    start: int = 0,
    waits: Sequence[Wait] | None = None,
    wakers: Mapping[int, tuple[int, bool]] | None = None,
    relaxes_updates: bool = False,
) -> Model:
    """The model; the ranks of events are the trace's steps. Steps before ``start`` happen before all others. ``waits``:
    if the trace is part of a larger one, the waits that :func:`waits_of` finds in the whole trace, in steps. With
    ``wakers`` it is a *loose* model, which refutes nothing feasible: ``wakers`` maps the step with which a waiting
    thread goes on to a notification, the only one that its wait needs, and to whether that is the only possible one,
    before which the thread has to be parked. With ``relaxes_updates`` an operation that reads and writes at once
    (RMW) a location of the program's values may, like a read, give another value if nothing depends on it: it begins
    then, but it need not write."""
    if len(trace) >= COMPILE_FROM and not isinstance(trace.thread, array):
        from mazurka.causal.model_from_columns import model_of_columns

        model = model_of_columns(trace, branches, start, relaxes_updates=relaxes_updates)
        if model is not None:
            return model
    return _TraceReading(trace, branches, start, waits, wakers, relaxes_updates).run()


class _TraceReading:
    def __init__(
        self,
        trace: Trace,
        branches: bool,
        start: int,
        waits: Sequence[Wait] | None,
        wakers: Mapping[int, tuple[int, bool]] | None,
        relaxes_updates: bool,
    ) -> None:
        self.trace = trace
        self.relaxes_updates = relaxes_updates
        self.waits, self.wakers = waits, wakers
        self.start = start
        self.branches = branches
        self.rows: list[tuple[int, int, Op, int, int]] = list(
            zip(
                trace.step,
                trace.thread.tolist(),
                map(Op, trace.op.tolist()),
                trace.target.tolist(),
                trace.value.tolist(),
                strict=True,
            )
        )
        self.model = Model([0], keeps=not branches)
        self.model.targets = len(trace.targets)
        self.model.target_numbers = {name: number for number, name in enumerate(trace.targets)}
        self.group_of_source: dict[tuple[int, int], int] = {}

    def run(self) -> Model:
        self._number()
        locks, data, signals = self._kinds()
        self._sections(locks)
        self._waits(signals)
        self._lives()
        self._lay_out_sections()
        sources, initial = self._sources()
        self._accesses(locks | signals, data, sources, initial)
        return self.model

    def _number(self) -> None:
        """Events are steps, numbered by thread."""
        model = self.model
        steps: list[dict[int, None]] = [{} for _ in self.trace.threads]
        for step, thread, *_ in self.rows:
            steps[thread][step] = None
        for thread, own in enumerate(steps):
            for step in own:
                model.event_of[step] = len(model.rank)
                model.rank.append(step)
                model.thread.append(thread)
            model.starts.append(len(model.rank))
        self.needs: list[list[int]] = [[] for _ in model.rank]

    def _lives(self) -> None:
        """A thread does nothing before its fork, nor after its join; it is not joined before its fork."""
        model, threads = self.model, self.trace.thread_of_target
        forks: dict[int, int] = {}
        for step, _, op, target, _ in self.rows:
            if op is not Op.FORK and op is not Op.JOIN:
                continue
            other, event = threads[target], model.event_of[step]
            begin, end = model.starts[other : other + 2] if other >= 0 else (0, 0)
            here = bisect_left(model.rank, step, begin, end)
            if op is Op.FORK:
                forks[target] = event
                if here < end:
                    self.needs[here].append(event)
            elif here > begin:
                self.needs[event].append(here - 1)
            elif target in forks:
                self.needs[event].append(forks[target])
        if self.start:
            self._begin_after_start()

    def _begin_after_start(self) -> None:
        model, bounds = self.model, list(pairwise(self.model.starts))
        begins = [bisect_left(model.rank, self.start, first, end) for first, end in bounds]
        done = [begin - 1 for begin, (first, _) in zip(begins, bounds, strict=True) if begin > first]
        for begin, (_, end) in zip(begins, bounds, strict=True):
            if begin < end:
                self.needs[begin] += done

    def _kinds(self) -> tuple[set[int], set[int], set[int]]:
        """The targets that are locks, those that are data, and the conditions whose wake-ups are not recorded."""
        ops: dict[int, set[Op]] = {}
        for _, _, op, target, _ in self.rows:
            ops.setdefault(target, set()).add(op)
        locks = {t for t, met in ops.items() if met <= _LOCKING and Op.ACQUIRE in met}
        held: dict[int, tuple[int, int]] = {}
        for _, thread, op, target, _ in self.rows:
            if target in locks and op is not Op.REQUEST:
                owner, depth = held.get(target, (thread, 0))
                if owner != thread and depth or op is Op.RELEASE and not depth:
                    locks.discard(target)
                held[target] = (thread, depth + (1 if op is Op.ACQUIRE else -1))
        names = self.trace.targets
        data = {t for t, met in ops.items() if met <= {Op.READ, Op.WRITE} and not may_wait(names[t])}
        updated = {t for t, met in ops.items() if Op.RMW in met and met <= {Op.READ, Op.WRITE, Op.RMW}}
        self.relaxed = {t for t in updated if self.relaxes_updates and is_only_content(names[t])}
        told = any(kind_of(name) is Kind.WAKE for name in names)
        signals = {t for t, met in ops.items() if met <= _SIGNALLING and not told}
        return locks, data, signals

    def _sources(self) -> tuple[dict[int, int], dict[int, int]]:
        """For each row that reads, the row it reads from; and for each target its initial value, if a read shows it."""
        last: dict[int, int] = {}
        sources: dict[int, int] = {}
        initial: dict[int, int] = {}
        pending: list[tuple[int, int]] = []
        for row, (step, _, op, target, value) in enumerate(self.rows):
            if pending and self.rows[pending[0][1]][0] != step:
                last.update(pending)
                pending.clear()
            if READS[op]:
                sources[row] = last.get(target, INITIAL)
                if sources[row] == INITIAL and value != NO_VALUE:
                    initial[target] = value
            if WRITES[op]:
                pending.append((target, row))  # takes effect once the step's reads are done
        return sources, initial

    # -- accesses -----------------------------------------------------------------------------------------------------

    def _accesses(self, locks: set[int], data: set[int], sources: dict[int, int], initial: dict[int, int]) -> None:
        model = self.model
        by_event: list[list[int]] = [[] for _ in model.rank]
        for row, entry in enumerate(self.rows):
            by_event[model.event_of[entry[0]]].append(row)
        writers: list[dict[int, list[int]]] = [{} for _ in range(model.targets)]
        wanted: dict[int, tuple[int, int]] = {}
        for event, rows in enumerate(by_event):
            position = event - model.starts[model.thread[event]]
            guards = not self.branches or any(self.rows[row][2] is Op.BRANCH for row in rows)
            model.guard.append(position if guards else 0)
            for row in rows:
                _, thread, op, target, value = self.rows[row]
                if target in locks or op is Op.BRANCH:
                    continue
                if READS[op]:
                    source = sources[row]
                    if op not in _THREADS:
                        wanted[len(model.read_event)] = self._group(target, value, source, target in data, initial)
                        model.read_event.append(event)
                        model.read_target.append(target)
                        model.read_source.append(self._event(source))
                        model.read_sync.append(int(target not in data and target not in self.relaxed))
                if WRITES[op] and op not in _THREADS and event not in writers[target].get(thread, ())[-1:]:
                    writers[target].setdefault(thread, []).append(event)
                    model.write.append(target)
            model.need += self.needs[event]
            model.need_at.append(len(model.need))
            model.read_at.append(len(model.read_event))
            model.write_at.append(len(model.write))
        lay_out(writers, model.col_at, model.col_thread, model.col_from, model.col_to, model.col)
        self._groups(list(wanted.values()), data, initial)

    def _event(self, row: int) -> int:
        return INITIAL if row == INITIAL else self.model.event_of[self.rows[row][0]]

    def _group(self, target: int, value: int, source: int, data: bool, initial: dict[int, int]) -> tuple[int, int]:
        """A name for the writes that give a read the same value: (target, value), or (-1 - source row, target)."""
        written = initial.get(target, NO_VALUE) if source == INITIAL else self.rows[source][4]
        if data and value != NO_VALUE and value == written:
            return target, value
        return -2 - source, target  # -1 for the initial value

    def _groups(self, names: Iterable[tuple[int, int]], data: set[int], initial: dict[int, int]) -> None:
        model = self.model
        equal: dict[tuple[int, int], list[int]] = {}
        for step, _, op, target, value in self.rows:
            if target in data and op is Op.WRITE and value != NO_VALUE:
                equal.setdefault((target, value), []).append(model.event_of[step])
        for target, value in initial.items():
            if target in data:
                equal.setdefault((target, value), []).append(INITIAL)
        numbers: dict[tuple[int, int], int] = {}
        for name in names:
            if name not in numbers:
                numbers[name] = len(model.group_at) - 1
                model.group += equal[name] if name[0] >= 0 else [self._event(-2 - name[0])]
                model.group_at.append(len(model.group))
            model.read_group.append(numbers[name])

    # -- locks --------------------------------------------------------------------------------------------------------

    def _sections(self, locks: set[int]) -> None:
        open_sections: dict[int, tuple[int, int]] = {}  # lock -> section, depth
        numbers = {lock: number for number, lock in enumerate(sorted(locks))}
        for step, _, op, target, _ in self.rows:
            if target not in locks or op is Op.REQUEST:
                continue
            event = self.model.event_of[step]
            section, depth = open_sections.get(target, (-1, 0))
            if op is Op.ACQUIRE:
                section = section if depth else self._enter(event, numbers[target])
                open_sections[target] = (section, depth + 1)
            else:
                open_sections[target] = (section, depth - 1)
                if depth == 1:
                    self.model.section_to[section] = event

    def _enter(self, event: int, lock: int, left: int = NEVER_LEFT) -> int:
        """Add a section; returns its number."""
        model = self.model
        model.section_from.append(event)
        model.section_to.append(left)
        model.section_lock.append(lock)
        return len(model.section_from) - 1

    def _lay_out_sections(self) -> None:
        """Sections by lock and thread, and by the events that enter and leave them."""
        model = self.model
        entered: list[list[int]] = [[] for _ in model.rank]
        left: list[list[int]] = [[] for _ in model.rank]
        by_lock: list[dict[int, list[int]]] = [{} for _ in range(max(model.section_lock, default=-1) + 1)]
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

    # -- conditions ---------------------------------------------------------------------------------------------------

    def _waits(self, signals: set[int]) -> None:
        """Each wake-up needs its notification; a notification must not come while other threads wait that it would wake
        instead."""
        model = self.model
        parked: dict[int, list[tuple[int, int]]] = {}  # signal -> (park, wake) by when they parked
        pairs: list[list[tuple[int, int]]] = [[] for _ in model.rank]
        if self.wakers is not None:
            self._wakers(self.wakers, pairs)
            signals = set()
        waits: dict[int, list[tuple[int, int]]] = {}
        single: list[tuple[int, int, int, list[int]]] = []  # (signal, notification, park that it ended, other parks)
        parks = self._parks() if signals else {}
        for step, _, op, target, _ in self.rows:
            if step in parks:
                wait, signal = parks.pop(step)
                if signal in signals:
                    parked.setdefault(signal, []).append(wait)
                    waits.setdefault(signal, []).append(wait)
            if target not in signals or op is Op.WAIT:
                continue
            event = model.event_of[step]
            here = parked.setdefault(target, [])
            here[:] = [(park, wake) for park, wake in here if wake == NEVER_LEFT or model.rank[wake] > step]
            ended = here[:] if op is Op.NOTIFY_ALL else sorted(here, key=self._goes_on)[:1]
            for park, wake in ended:
                here.remove((park, wake))
                if wake != NEVER_LEFT:
                    self.needs[wake].append(event)
                    pairs[wake].append((park, event))
                if op is Op.NOTIFY:
                    single.append((target, event, park, [other for other, _ in here]))
        self._keep_apart(single, waits, pairs)
        for own in pairs:
            model.pair_first += [first for first, _ in own]
            model.pair_second += [second for _, second in own]
            model.pair_at.append(len(model.pair_first))

    def _goes_on(self, wait: tuple[int, int]) -> tuple[bool, int]:
        """Sorts waits by when their threads go on."""
        return wait[1] == NEVER_LEFT, self.model.rank[wait[1]]

    def _wakers(self, wakers: Mapping[int, tuple[int, bool]], pairs: list[list[tuple[int, int]]]) -> None:
        """The edges that hold for all matches of notifications and waits."""
        event_of = self.model.event_of
        for (park, wake), _ in self._parks().values():
            if wake != NEVER_LEFT and self.model.rank[wake] in wakers:
                row, only = wakers[self.model.rank[wake]]
                self.needs[wake].append(event_of[row])
                pairs[wake] += [(park, event_of[row])] if only else []

    def _parks(self) -> dict[int, tuple[tuple[int, int], int]]:
        """For each step that parks a thread: the events that park it and wake it up, and the condition."""
        event_of, found = self.model.event_of, {}
        waits = self.waits if self.waits is not None else list(map(self._in_steps, waits_of(self.trace)))
        for wait in waits:
            if wait.parks in event_of:
                found[wait.parks] = (event_of[wait.parks], event_of.get(wait.goes_on, NEVER_LEFT)), wait.condition
        return found

    def _in_steps(self, wait: Wait) -> Wait:
        step = self.trace.step
        goes_on = step[wait.goes_on] if wait.goes_on >= 0 else wait.goes_on
        return wait._replace(row=step[wait.row], parks=step[wait.parks], goes_on=goes_on)

    def _keep_apart(
        self,
        single: list[tuple[int, int, int, list[int]]],
        waits: dict[int, list[tuple[int, int]]],
        pairs: list[list[tuple[int, int]]],
    ) -> None:
        """When a notification of one thread comes, no thread is parked but its own, and those that parked later than
        that in the run and were still parked."""
        lock = max(self.model.section_lock, default=-1)
        if sum(len(waits.get(signal, ())) for signal, *_ in single) > _APART:
            return
        for signal, notification, park, after in single:
            for other, wake in waits[signal]:
                if other in after:
                    pair = (park, other) if self.model.rank[park] < self.model.rank[other] else (other, park)
                    pairs[park].append(pair)
                    pairs[other].append(pair)
                elif other != park:
                    lock += 1
                    self._enter(notification, lock, notification)
                    self._enter(other, lock, wake)
