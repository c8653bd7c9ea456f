"""The maximal causal model as data: the constraints on every execution that a run proves possible.

Definition (patent, "Maximal Causal Model With Control Flow", Definition 2). An execution takes of each thread a prefix
of its events in the run. An event can come next if

- the events that must happen before it have happened: program order, the fork before a thread's begin, the end before
  the join, a notification before the wake-up that was its in the run;
- the reads that its existence depends on give the same values as in the run: all reads of the thread before the last
  branch before the event (``guard``). The other reads may give any value; but where no branches are recorded
  (``keeps``), all reads of a thread have to give the same values before its end can be joined, since it might go on
  otherwise;
- it enters no section of a lock (or waiting period, see below) that excludes it.

A read *gives the same value* if it takes its value from a write of an equal value (or the equal initial value) whose
own value is kept: all reads before the write in its thread give the same values. A value that is not recorded is equal
to itself only. Reads that synchronise (a lock taken in a way that is more than mutual exclusion, a wake-up) always
count, and need their source to happen, not its value.

Events are numbered by thread, then by program order, so that an event's successor is the next number; ``rank`` is
their number in the run, by which questions and answers name them. One event may have several accesses, done at once.

A question (question.py) adds the events that must happen. Only events that these need are made to happen: if an
execution answers a question, so does the execution without the events that no asked or kept event needs.

Departures from the patent. It places all events of the run in the order, also those that no event requires; then there
is no answer for two threads about to block each other, although they can get there. And it counts the branches only of
the events that must come before those asked for; here every event that happens, also for the sake of a lock, happens
only if the branches before it allow it.

Wait and notify follow the patent's first rule: a notification belongs to the same wait as in the run. In traces of our
own front ends that is a write that the wake-up reads.

Cost: linear in the accesses, about 100 bytes each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from typing import Any, Final

from mazurka.causal.history import INITIAL, History
from mazurka.causal.question import HypotheticalEvent, Question
from mazurka.lazy_dataclass import dataclass
from mazurka.trace.ids import StepIndex

#: In place of a section's end: the section is not left in the run.
NEVER_LEFT: Final = -1


@dataclass(slots=True)
class Model:
    """See the module; built by the functions below and not changed afterwards. A list named ``*_at`` gives, for each
    index, where its part begins in the list that follows; it has one more entry at the end."""

    starts: list[int]
    thread: list[int] = field(default_factory=list)
    rank: list[int] = field(default_factory=list)
    guard: list[int] = field(default_factory=list)
    need_at: list[int] = field(default_factory=lambda: [0])
    need: list[int] = field(default_factory=list)
    read_at: list[int] = field(default_factory=lambda: [0])
    read_event: list[int] = field(default_factory=list)
    read_target: list[int] = field(default_factory=list)
    read_sync: list[int] = field(default_factory=list)
    read_source: list[int] = field(default_factory=list)
    read_group: list[int] = field(default_factory=list)
    group_at: list[int] = field(default_factory=lambda: [0])
    group: list[int] = field(default_factory=list)
    write_at: list[int] = field(default_factory=lambda: [0])
    write: list[int] = field(default_factory=list)
    targets: int = 0
    col_at: list[int] = field(default_factory=lambda: [0])
    col_thread: list[int] = field(default_factory=list)
    col_from: list[int] = field(default_factory=list)
    col_to: list[int] = field(default_factory=list)
    col: list[int] = field(default_factory=list)
    pair_at: list[int] = field(default_factory=lambda: [0])
    pair_first: list[int] = field(default_factory=list)
    pair_second: list[int] = field(default_factory=list)
    enter_at: list[int] = field(default_factory=lambda: [0])
    enter: list[int] = field(default_factory=list)
    leave_at: list[int] = field(default_factory=lambda: [0])
    leave: list[int] = field(default_factory=list)
    section_from: list[int] = field(default_factory=list)
    section_to: list[int] = field(default_factory=list)
    section_lock: list[int] = field(default_factory=list)
    lock_at: list[int] = field(default_factory=lambda: [0])
    lock_thread: list[int] = field(default_factory=list)
    lock_from: list[int] = field(default_factory=list)
    lock_to: list[int] = field(default_factory=list)
    taking: list[int] = field(default_factory=list)
    taken: list[int] = field(default_factory=list)
    keeps: bool = False  # whether events that must happen before an event must have read the same values, too
    event_of: dict[int, int] = field(default_factory=dict)  # by rank
    target_numbers: dict[Any, int] = field(default_factory=dict)

    def last_events(self) -> tuple[int, ...]:
        """The ranks of the threads' last events: if they happen, all do."""
        bounds = zip(self.starts, self.starts[1:], strict=False)
        return tuple([self.rank[end - 1] for begin, end in bounds if end > begin])


def model_of_history(history: History, question: Question) -> tuple[Model, Question]:
    """A model for a question about a run's history, and the question to ask of it.

    For explorers every read matters, and the acquires of a lock are reads, so the model has neither choices nor
    sections. A plain question, or one with hypothetical events, needs no events but its own; the k-th hypothetical one
    has rank ``len(history.numbers) + k``.
    """
    base, extras = len(history.numbers), question.hypothetical
    past = history.prefixes(question.happen)
    ends = past if question.is_plain or extras else list(map(len, history.threads))
    for extra in extras:
        ends[extra.thread] = past[extra.thread]
    rows = [history.threads[t][:length] for t, length in enumerate(ends)]
    for number, extra in enumerate(extras):
        rows[extra.thread].append(StepIndex(base + number))
    model = _model_of_rows(history, extras, rows)
    if question.is_plain:
        return model, Question(happen=model.last_events())
    happen = (*question.happen, *range(base, base + len(extras)))
    return model, replace(question, happen=happen, hypothetical=())


def _model_of_rows(history: History, extras: Sequence[HypotheticalEvent], rows: Sequence[Sequence[StepIndex]]) -> Model:
    base = len(history.numbers)
    model = Model([0])
    sources: list[int] = []
    numbers: dict[Any, int] = model.target_numbers
    writers: list[dict[int, list[int]]] = []
    event = 0
    for t, row in enumerate(rows):
        for step in row:
            if step < base:
                reads, writes = history.reads[step], history.writes[step]
            else:
                reads, writes = extras[step - base].reads, extras[step - base].writes
            for target, source in reads:
                model.read_event.append(event)
                model.read_target.append(numbers.setdefault(target, len(numbers)))
                sources.append(source)
            for target in writes:
                x = numbers.setdefault(target, len(numbers))
                while len(writers) <= x:
                    writers.append({})
                writers[x].setdefault(t, []).append(event)
                model.write.append(x)
            model.read_at.append(len(sources))
            model.write_at.append(len(model.write))
            model.event_of[step] = event
            event += 1
        model.rank += row
        model.thread += [t] * len(row)
        model.starts.append(event)
    model.targets = len(numbers)
    model.guard = [0] * event
    model.need_at = model.pair_at = model.enter_at = model.leave_at = [0] * (event + 1)
    model.read_sync = [1] * len(sources)
    model.read_group = list(range(len(sources)))
    model.group_at = list(range(len(sources) + 1))
    writers += [{} for _ in range(len(numbers) - len(writers))]
    lay_out(writers, model.col_at, model.col_thread, model.col_from, model.col_to, model.col)
    known = model.event_of
    model.group = model.read_source = [INITIAL if source == INITIAL else known[source] for source in sources]
    return model


def lay_out(
    lists: Iterable[dict[int, list[int]]],
    at: list[int],
    thread: list[int],
    begin: list[int],
    end: list[int],
    flat: list[int],
) -> None:
    """Concatenate lists of events, by index and thread."""
    for columns in lists:
        for t, events in columns.items():
            thread.append(t)
            begin.append(len(flat))
            flat += events
            end.append(len(flat))
        at.append(len(thread))
