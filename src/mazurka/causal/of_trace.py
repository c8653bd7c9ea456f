"""The causal model of a recorded trace (see model.py for what it says).

How rows are read:

- FORK and BEGIN, END and JOIN of the same thread: must-happen-before.
- A target that is only acquired, released and requested, by one holder at a time, is a lock: its outermost sections
  exclude each other. One that is also looked at or waited for (try-locks, semaphores, conditions) is like a variable
  whose every reader needs the write it had: stricter, and always sound.
- READ and WRITE of other targets are data. A read may take any write of the same value, if values are recorded.
- BRANCH guards what follows it, if ``branches``; otherwise every read may have been followed by a branch. Initial
  values are those that reads of them gave.

Cost: one pass over the rows, some microseconds each.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from mazurka.causal.history import INITIAL
from mazurka.causal.model import NEVER_LEFT, Model, lay_out
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.trace import NO_VALUE, Trace

_LOCKING: Final = frozenset({Op.ACQUIRE, Op.RELEASE, Op.REQUEST})
_THREADS: Final = frozenset({Op.FORK, Op.JOIN, Op.BEGIN, Op.END})

#: First components of targets of our own front ends whose READ may have waited for the value it got.
_WAITED_FOR: Final = frozenset({"wake", "thread", "lock", "cond", "sem", "queue", "event", "barrier"})


def model_of_trace(trace: Trace, branches: bool = False) -> Model:
    """The model; ranks of events are the trace's steps."""
    return _Reading(trace, branches).run()


class _Reading:
    def __init__(self, trace: Trace, branches: bool) -> None:
        self.trace = trace
        self.branches = branches
        self.rows: list[tuple[int, int, Op, int, int]] = list(
            zip(
                trace.step.tolist(),
                trace.thread.tolist(),
                map(Op, trace.op.tolist()),
                trace.target.tolist(),
                trace.value.tolist(),
                strict=True,
            )
        )
        self.model = Model([0])
        self.model.targets = len(trace.targets)
        self.model.target_numbers = {name: number for number, name in enumerate(trace.targets)}
        self.group_of_source: dict[tuple[int, int], int] = {}

    def run(self) -> Model:
        self._number()
        locks, data = self._kinds()
        sources, initial = self._sources()
        self._accesses(locks, data, sources, initial)
        self._sections(locks)
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
        model.enters = [-1] * len(model.rank)
        model.leaves = [-1] * len(model.rank)

    def _kinds(self) -> tuple[set[int], set[int]]:
        """Targets that are locks, and targets that are data."""
        ops: dict[int, set[Op]] = {}
        crowded: set[int] = set()
        before = (-1, Op.READ)
        for step, _, op, target, _ in self.rows:
            ops.setdefault(target, set()).add(op)
            if before == (step, op) and op in _LOCKING:
                crowded.add(target)  # an event enters and leaves one section each
            before = (step, op)
        locks = {t for t, met in ops.items() if met <= _LOCKING and Op.ACQUIRE in met and t not in crowded}
        held: dict[int, tuple[int, int]] = {}
        for _, thread, op, target, _ in self.rows:
            if target in locks and op is not Op.REQUEST:
                owner, depth = held.get(target, (thread, 0))
                if owner != thread and depth or op is Op.RELEASE and not depth:
                    locks.discard(target)
                held[target] = (thread, depth + (1 if op is Op.ACQUIRE else -1))
        names = self.trace.targets
        data = {t for t, met in ops.items() if met <= {Op.READ, Op.WRITE} and not _may_wait(names[t])}
        return locks, data

    def _sources(self) -> tuple[dict[int, int], dict[int, int]]:
        """By row that reads: the row it reads from; and by target the initial value, where a read gave it."""
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
                    if op in _THREADS:
                        model.need += [self._event(source)] if source != INITIAL else []
                    else:
                        wanted[len(model.read_event)] = self._group(target, value, source, target in data, initial)
                        model.read_event.append(event)
                        model.read_target.append(target)
                        model.read_source.append(self._event(source))
                        model.read_sync.append(int(target not in data))
                if WRITES[op] and op not in _THREADS and event not in writers[target].get(thread, ())[-1:]:
                    writers[target].setdefault(thread, []).append(event)
                    model.write.append(target)
            model.need_at.append(len(model.need))
            model.read_at.append(len(model.read_event))
            model.write_at.append(len(model.write))
        lay_out(writers, model.col_at, model.col_thread, model.col_from, model.col_to, model.col)
        self._groups(list(wanted.values()), data, initial)

    def _event(self, row: int) -> int:
        return INITIAL if row == INITIAL else self.model.event_of[self.rows[row][0]]

    def _group(self, target: int, value: int, source: int, data: bool, initial: dict[int, int]) -> tuple[int, int]:
        """A name for the writes that give a read what it got: (target, value), or (-1 - source row, target)."""
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
        model = self.model
        open_sections: dict[int, tuple[int, int]] = {}  # lock -> section, depth
        taking: dict[int, dict[int, list[int]]] = {lock: {} for lock in sorted(locks)}
        numbers = {lock: number for number, lock in enumerate(taking)}
        for step, thread, op, target, _ in self.rows:
            if target not in locks or op is Op.REQUEST:
                continue
            event = model.event_of[step]
            section, depth = open_sections.get(target, (-1, 0))
            if op is Op.ACQUIRE:
                if not depth:
                    section = len(model.section_from)
                    model.section_from.append(event)
                    model.section_to.append(NEVER_LEFT)
                    model.section_lock.append(numbers[target])
                    model.enters[event] = section
                    taking[target].setdefault(thread, []).append(event)
                open_sections[target] = (section, depth + 1)
            else:
                open_sections[target] = (section, depth - 1)
                if depth == 1:
                    model.section_to[section] = event
                    model.leaves[event] = section
        lay_out(taking.values(), model.lock_at, model.lock_thread, model.lock_from, model.lock_to, model.taking)


def _may_wait(name: Any) -> bool:
    return isinstance(name, tuple) and bool(name) and name[0] in _WAITED_FOR
