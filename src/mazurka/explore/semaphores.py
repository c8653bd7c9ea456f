"""Operations of semaphores as parts of the steps beside them, so that fewer orders are executed.

Definition. A semaphore is *plain* if in no execution (i) a thread takes a permit with a limit or without waiting, or
looks how many there are, (ii) a thread gives back a permit of a semaphore with a bound that it has not taken itself.
Taking a permit of a plain semaphore is a right mover, giving one back a left mover (Lipton: Reduction, CACM 18(12),
1975). So an acquire is one event with the next step of its thread, if that never waits: an access of data, a critical
section that is a single event (sections.py), a release. And a release is one event with the step of its thread before
it, if that is an event of one of these kinds, too.

A semaphore is *private* if each of these events leaves as many permits as there were. Then nobody ever waits for it,
and it is left out. Else its events read or write a target of kind PERMITS: an acquire writes it, a release only reads
it. So releases commute. Whether there is a permit in another order of events is known: it can be counted (races.py).

Likewise the unfinished tasks of a queue without a maximum size, for which threads wait by ``join``: what changes their
number, ``put`` and ``task_done``, reads such a target, a ``join`` writes it. These are events of their own.

How it is used. :meth:`Semaphores.merged` makes of an execution, after its sections are single events, one with such
events. The knowledge of semaphores that are not plain, or not private, grows with the executions of a search; if an
execution contradicts what was assumed, the search begins again. The proof is in docs/explanation/semaphores.md.

Bounded search does without: a thread that stands before an acquire can move where another one has not yet taken the
last permit, and a switch away from it counts.

Cost: two passes over the steps of programs with semaphores.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Final

from mazurka.explore.merged_run import MergedRun, accesses_of, event_of, is_event, is_of_content, permits_of, points_of
from mazurka.explore.strategy import JournalRecord
from mazurka.program.protocol import Run
from mazurka.program.runtime.lazy_run import Entry
from mazurka.trace.event import Op
from mazurka.trace.fingerprints import fingerprint_of_name
from mazurka.trace.targets import Kind, Target, of_kinds

_is_semaphore: Final = of_kinds(Kind.SEMAPHORE)
_is_counted: Final = of_kinds(Kind.SEMAPHORE, Kind.UNFINISHED)
_is_lock: Final = of_kinds(Kind.LOCK)
_is_permits: Final = of_kinds(Kind.PERMITS)


class _Event:
    """An event of a thread, which begins with a point."""

    __slots__ = ("accesses", "changes", "entry", "is_open", "points", "span", "start", "taken")

    def __init__(self, entry: Entry, start: int, span: tuple[int, int]) -> None:
        self.entry = entry  # the first of its steps
        self.start = start  # its first point
        self.span = span  # of its first step
        self.points = 0
        self.accesses: dict[tuple[Op, Target], None] = {}  # but for the first operation, if that takes a permit
        self.taken: Target | None = None  # the semaphore of which it takes a permit
        self.changes: Counter[Target] = Counter()  # by semaphore: of the number of permits
        self.is_open = False  # whether it only takes a permit, so far


class Semaphores:
    """What the executions of a search have shown about semaphores, each by its fingerprint."""

    def __init__(self) -> None:
        self._not_plain: set[int] = set()
        self._not_private: set[int] = set()
        self._private: set[int] = set()
        self._begun = False  # whether the search has taken any semaphore for plain or private

    # -- knowledge ----------------------------------------------------------------------------------------------------

    def begin_again(self, earlier: Semaphores) -> None:
        """A search begins, or begins again: keep what is known."""
        self._not_plain, self._not_private = earlier._not_plain, earlier._not_private
        self._private = earlier._private - self._not_private - self._not_plain
        self._begun = False

    def record(self) -> JournalRecord:
        """The knowledge as a journal record."""
        known = [sorted(each) for each in (self._not_plain, self._not_private, self._private)]
        return ("semaphores", json.dumps([*known, self._begun]))

    def recall(self, record: JournalRecord) -> bool:
        """Take over a record, if it is one of these; returns whether it is."""
        if record[0] != "semaphores":
            return False
        *known, self._begun = json.loads(record[1])
        self._not_plain, self._not_private, self._private = map(set, known)
        return True

    def learn(self, run: Run) -> bool:
        """Learn from an execution; returns whether the search has to begin again, since it contradicts what was
        assumed."""
        before = len(self._not_plain)
        owned: Counter[tuple[int, Target]] = Counter()
        left: dict[Target, int] = {}  # by semaphore: the number of permits
        used: set[Target] = set()
        tells = bool(run.untracked or run.uncontrolled) or any(each.repeats is not None for each in run.blocked)
        for number, entry in enumerate(run.entries()):
            noted = run.count_changes.get(number)
            for _, target in accesses_of(entry):
                if _is_counted(target):
                    used.add(target)
                    if noted is None or target != noted.target:
                        self._not_plain.add(fingerprint_of_name(target))
            if noted is not None:
                target, change, number_before, has_bound = noted
                if left.get(target, number_before) != number_before:  # something else has changed it
                    self._not_plain.add(fingerprint_of_name(target))
                left[target] = number_before + change
                own = owned[entry[0], target] = owned[entry[0], target] - change
                if has_bound and own < 0:
                    self._not_plain.add(fingerprint_of_name(target))
                owned[entry[0], target] = max(own, 0)
        if tells:
            self._not_plain.update(map(fingerprint_of_name, used))
        return self._begun and len(self._not_plain) != before

    def is_release(self, run: Run, number: int) -> bool:
        """Whether a step only gives back permits of a plain semaphore."""
        noted = run.count_changes.get(number)
        return noted is not None and noted.change > 0 and _is_semaphore(noted.target) and self._is_plain(noted.target)

    def has_semaphores(self, run: Run) -> bool:
        """Whether an execution uses a plain semaphore."""
        return bool(run.count_changes) and any(map(_is_semaphore, self._used(run)))

    def op_of(self, run: Run, number: int, op: Op, target: Target) -> Op:
        """How an access of a step orders it: by plain numbers, operations that only change them are in no order with
        one another."""
        noted = run.count_changes.get(number)
        if noted is None or noted.target != target or not self._is_plain(target):
            return op
        if _is_semaphore(target):
            return Op.READ if noted.change > 0 else op
        return Op.READ if noted.change else Op.RMW

    def is_private(self, target: Target) -> bool:
        """Whether a target is a plain semaphore for which nobody ever waits."""
        return _is_semaphore(target) and fingerprint_of_name(target) in self._private

    @property
    def private(self) -> int:
        """How many semaphores are private."""
        return len(self._private)

    def _used(self, run: Run) -> set[Target]:
        """The plain semaphores, and numbers of unfinished tasks, that an execution uses."""
        return {noted.target for noted in run.count_changes.values() if self._is_plain(noted.target)}

    def _is_plain(self, semaphore: Target) -> bool:
        return fingerprint_of_name(semaphore) not in self._not_plain

    # -- merging ------------------------------------------------------------------------------------------------------

    def merged(self, run: Run, original: Run) -> tuple[Run, bool]:
        """An execution, with or without sections as single events, with operations of semaphores as parts of events;
        and whether the search has to begin again, since it contradicts what was assumed. ``original`` is the execution
        with all its steps."""
        if not self._used(original):
            self._begun = True
            return run, False
        before = len(self._not_plain), len(self._not_private)
        steps = self._steps(run, original)
        for event in steps:
            if isinstance(event, _Event):
                for semaphore, change in event.changes.items():
                    if change or event.taken != semaphore or not _is_semaphore(semaphore):
                        self._not_private.add(fingerprint_of_name(semaphore))
        for blocked in original.blocked:
            if _is_counted(blocked.target):
                self._not_private.add(fingerprint_of_name(blocked.target))
        if len(self._not_plain) != before[0] or (self._begun and len(self._not_private) != before[1]):
            return run, True
        self._begun = True
        self._private |= {fingerprint_of_name(each) for each in self._used(original)} - self._not_private
        return self._made(steps, original), False

    def _steps(self, run: Run, original: Run) -> list[Entry | _Event]:
        """The steps of an execution, with events in place of points."""
        spans = run.spans if isinstance(run, MergedRun) else None
        steps: list[Entry | _Event] = []
        last: dict[int, _Event | None] = {}  # by thread: its last event, if others may become part of it
        latest: _Event | None = None
        point = 0
        for number, entry in enumerate(run.entries()):
            task, op, target = entry[:3]
            earlier = last.get(task)
            if not entry[4]:
                steps.append(entry)
                if earlier is not None and not is_of_content(entry):
                    earlier.is_open = False
                    if not (op is Op.RELEASE and _is_lock(target)):
                        last[task] = None
                continue
            span = (number, number + 1) if spans is None else spans[number]
            noted = original.count_changes.get(span[0])
            if noted is not None and not self._is_plain(noted.target):
                noted = None
            change = 0 if noted is None or not _is_semaphore(target) else noted.change
            is_free = is_event(entry) or is_of_content(entry)
            if earlier is not None and (change > 0 or (earlier.is_open and is_free)):
                event = earlier
                if latest is not event:  # another thread has moved in between
                    self._not_plain.update(
                        map(fingerprint_of_name, {*event.changes, target} if change else event.changes)
                    )
            else:
                event = _Event(entry, point, span)
                steps.append(event)
            event.is_open = change < 0
            if change < 0:
                event.taken = target
            elif change > 0:
                event.accesses[Op.READ, permits_of(target)] = None
            else:
                others = accesses_of(entry)
                if noted is not None:  # of a queue
                    others = [each for each in others if each[1] != noted.target]
                    if noted.change:
                        event.accesses[Op.READ, permits_of(noted.target)] = None
                    else:
                        event.taken = noted.target
                event.accesses.update(dict.fromkeys([each for each in others if each[0] is not Op.NOP]))
            self._count(event, task, span, original)
            passed = points_of(accesses_of(entry))
            event.points += passed
            point += passed
            latest = event
            last[task] = event if change or is_free else None
        return steps

    def _count(self, event: _Event, task: int, span: tuple[int, int], original: Run) -> None:
        """Enter how steps of an event change the number of permits."""
        entries = original.entries()
        for number in range(*span):
            noted = original.count_changes.get(number)
            if noted is not None and entries[number][0] == task and self._is_plain(noted.target):
                event.changes[noted.target] += noted.change

    def _made(self, steps: list[Entry | _Event], original: Run) -> Run:
        entries: list[Entry] = []
        starts: list[int] = []
        changes: dict[int, dict[Target, int]] = {}
        for step in steps:
            if isinstance(step, _Event):
                if step.changes:
                    changes[len(starts)] = {permits_of(each): change for each, change in step.changes.items()}
                starts.append(step.start)
                step = self._entry(step)
            entries.append(step)
        events = {start: event for event, start in enumerate(starts)}
        choices = [
            (events[point], chosen, enabled) for point, chosen, enabled in original.decisions() if point in events
        ]
        made = MergedRun(original.tasks, entries, choices)
        made.blocked = [
            replace(each, op=Op.ACQUIRE, target=permits_of(each.target))
            if _is_counted(each.target) and self._is_plain(each.target)
            else each
            for each in original.blocked
        ]
        made.starts, made.changes, made.initially = starts, changes, {}
        for _, noted in sorted(original.count_changes.items()):
            made.initially.setdefault(permits_of(noted.target), noted.before)
        return made

    def _entry(self, event: _Event) -> Entry:
        """An event as a step."""
        if not event.changes:
            return event.entry
        accesses = [each for each in event.accesses if not self._stands_for_private(each[1])]
        taken = None if event.taken is None or self.is_private(event.taken) else permits_of(event.taken)
        return event_of(event.entry[0], event.points, accesses, taken)

    def _stands_for_private(self, target: Target) -> bool:
        return _is_permits(target) and self.is_private((Kind.SEMAPHORE.tag, *target[1:]))
