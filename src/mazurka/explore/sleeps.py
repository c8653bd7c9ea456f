"""Ends of sleeps as parts of the steps after them, where virtual time counts.

Definition. In executions in time (``in_time`` in dpor.py) the end of a sleep is in an order with every step of other
threads, since their clocks decide whether it may come. But nobody sees it until the thread makes its next step. If that
step never waits, the two are one event: the end of a sleep is a right mover (Lipton: Reduction, CACM 18(12), 1975).

The proof is in docs/explanation/time.md. It rests on the scheduler (``TimedScheduler``): a thread has the same clock
before and after the end of its sleep, and holds others up in the same way; and how far time has come never goes back,
so a sleep that may end now may end later.

Sleeps are left alone once a thread is held in a loop because it would only repeat itself, and if an execution has
another thread move between the two steps; the search then begins again.

Cost: a pass over the steps of executions in which threads sleep.
"""

from __future__ import annotations

from typing import Final

from mazurka.explore.merged_run import MergedRun, accesses_of, event_of, is_of_content
from mazurka.explore.strategy import JournalRecord
from mazurka.program.protocol import Run
from mazurka.program.runtime.lazy_run import Entry
from mazurka.trace.event import Op
from mazurka.trace.targets import TIME, Kind, Target, is_only_content, of_kinds

_is_event: Final = of_kinds(Kind.EVENT, Kind.WAKE)
_is_end: Final = of_kinds(Kind.QUEUE_END)
_CONTENT_OPS: Final = (Op.READ, Op.WRITE, Op.RMW)


class Sleeps:
    """Whether the executions of a search have shown that sleeps are to be left alone."""

    def __init__(self) -> None:
        self._alone = False

    def begin_again(self, earlier: Sleeps) -> None:
        """A search begins, or begins again: keep what is known."""
        self._alone = earlier._alone

    def record(self) -> JournalRecord:
        """The knowledge as a journal record."""
        return ("sleeps", int(self._alone))

    def recall(self, record: JournalRecord) -> bool:
        """Take over a record, if it is one of these; returns whether it is."""
        if record[0] != "sleeps":
            return False
        self._alone = bool(record[1])
        return True

    def hold(self) -> bool:
        """A thread is held in a loop; returns whether the search has to begin again."""
        before, self._alone = self._alone, True
        return not before

    def merged(self, run: Run) -> Run | None:
        """An execution in time, with ends of sleeps as parts of the steps after them; None if it contradicts what the
        search has assumed."""
        entries = run.entries()
        if self._alone or not any(entry[1] is Op.SLEEP for entry in entries):
            return run
        if any(each.repeats is not None for each in run.blocked):
            self._alone = True
            return None
        steps: list[Entry] = []
        starts: list[int] = []
        ended: dict[int, int] = {}  # by thread whose sleep has ended with its last step at a point: that event's place
        last = -1  # the place of the last event
        points = 0
        for number, entry in enumerate(entries):
            task, op = entry[:2]
            place = ended.get(task)
            if not entry[4]:
                if place is not None and not is_of_content(entry):
                    del ended[task]  # another thread may wait for this step
                steps.append(entry)
                continue
            if place is not None:
                del ended[task]
                if number not in run.bounded and _never_waits(entry):
                    if place != last:
                        self._alone = True
                        return None
                    steps[place] = _joined(steps[place], entry)
                    points += 1
                    continue
            if op is Op.SLEEP:
                ended[task] = len(steps)
            last = len(steps)
            starts.append(points)
            points += 1
            steps.append(entry)
        events = {start: event for event, start in enumerate(starts)}
        choices = [(events[point], chosen, enabled) for point, chosen, enabled in run.decisions() if point in events]
        made = MergedRun(run.tasks, steps, choices)
        made.blocked, made.starts = run.blocked, starts
        return made


def _never_waits(entry: Entry) -> bool:
    """Whether a step can be made at any time."""
    return all(target == TIME or _is_possible(op, target) for op, target in accesses_of(entry))


def _is_possible(op: Op, target: Target) -> bool:
    if _is_event(target):
        return op is Op.WRITE
    return op in _CONTENT_OPS and (is_only_content(target) or _is_end(target))


def _joined(sleep: Entry, entry: Entry) -> Entry:
    """The end of a sleep and the step after it as one event."""
    others = [each for each in accesses_of(entry) if each[1] != TIME]
    return event_of(entry[0], 2, [(Op.RMW, TIME), *others], site=entry[3])
