"""Turns a failing run into its :class:`Explanation`: columns, rows, and the sentence.

Rows are the relevant steps in the order of the run; neighbouring ones of one thread on one line are one row. The
failure itself, or the wait of each thread that waits for ever, comes last. Folds count the steps in between; threads
without a row get no column. Cost: one pass over the run and its interferences; called once per distinct failure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from mazurka.program.memory import is_flusher, owner_of
from mazurka.program.protocol import BlockedThread, Failure, Program, Run, Step
from mazurka.replay.anchor import caller_of, source_text, step_location
from mazurka.replay.schedule import fingerprint
from mazurka.replay.switches import cost_until, preemptive_steps
from mazurka.report.detailing import details_of
from mazurka.report.details import Orders
from mazurka.report.execution import events_of, execution_of
from mazurka.report.finding import CheckedWitness, Column, Explanation, Finding, Fold, Row
from mazurka.report.lanes import in_lanes
from mazurka.report.relevance import Relevance, relevance
from mazurka.report.shapes import recognise
from mazurka.report.trail import Trail
from mazurka.report.words import (
    awaited_words,
    ending_words,
    in_queue_words,
    label_of,
    label_of_name,
    owner,
    shorten,
    step_words,
)
from mazurka.trace.conflicts import shown_at
from mazurka.trace.event import Location, Op
from mazurka.trace.ids import StepIndex, ThreadIndex

_LONGEST_MESSAGE: Final = 160


def explain(run: Run, failure: Failure, program: Program) -> Explanation:
    """Explain a failure of a run that was made with detail."""
    trail = Trail(*in_lanes(run, failure))
    return _explained(trail, relevance(trail, program), program)


def _explained(trail: Trail, relevant: Relevance, program: Program) -> Explanation:
    run = trail.run
    shape, sentence = recognise(trail, relevant, program)
    rows = [*_rows(trail, relevant, program), *_endings(trail)]
    mentioned = {row.thread for row in rows if isinstance(row, Row)}
    columns = tuple(Column(name, label_of_name(run, name)) for name in run.tasks if name in mentioned)
    return Explanation(columns, tuple(_without_early_fold(rows)), shape, sentence + _timing(trail) + _left(trail))


def _left(trail: Trail) -> str:
    """The sentence that other threads wait for ever after the failure of one, if they do."""
    if trail.failure.waiting or trail.failure.is_race:
        return ""
    left = [
        f"{label_of_name(trail.run, each.thread)} waits for ever for {awaited_words(trail.run, each)}"
        for failure in trail.run.failures
        if failure.step >= trail.failure.step and failure.thread != trail.failure.thread
        for each in failure.waiting[:_MOST_LEFT]
        if each.thread != trail.failure.thread
    ]
    return f" After that, {' and '.join(left[:_MOST_LEFT])}." if left else ""


#: Of at most so many threads that wait for ever after a failure it is said what for.
_MOST_LEFT: Final = 3


def _timing(trail: Trail) -> str:
    """The sentence that the failure depends on timing, if it does."""
    if not trail.run.lag:
        return ""
    held_up = f"It depends on timing: threads that can run are held up for {trail.run.lag:.3g} s"
    return f" {held_up}, until a timeout fires or a sleep ends."


def describe(
    run: Run,
    failure: Failure,
    program: Program,
    *,
    root: str = "",
    witness: CheckedWitness | None = None,
    replayed: bool | None = None,
    engine: str = "",
    schedule: str = "",
    token: str = "",
    replay: str = "",
    orders: Callable[[Sequence[int]], Orders | None] | None = None,
) -> Finding:
    """A failure of a detailed run as a finding, with its witness, its saved schedule, the token of that, the command
    to replay it. ``orders`` decides which steps can change places, first of all those given, numbered from 0."""
    cost = cost_until(run, failure)
    run, failure = in_lanes(run, failure)
    execution = execution_of(run, failure, program)
    trail = Trail(run, failure)
    relevant = relevance(trail, program)
    details = details_of(trail, relevant, execution)
    first = [number - 1 for number in (*details.conflicting, *details.relevant)]
    return Finding(
        kind=failure.kind_name,
        message=failure.message,
        thread=failure.thread,
        location=_in_user_code(failure),
        explanation=_explained(trail, relevant, program),
        fingerprint=fingerprint(failure, root),
        events=events_of(run, failure, execution),
        witness=witness,
        label=label_of_name(run, failure.thread),
        engine=engine,
        replayed=replayed,
        failure=failure,
        execution=execution,
        cost=cost,
        schedule=schedule,
        token=token,
        replay=replay,
        output=run.output,
        inputs=run.inputs,
        details=details,
        orders=orders(first) if orders is not None else None,
    )


def _in_user_code(failure: Failure) -> Location | None:
    """Where an exception left the user's own code, or the failure is if it has not been there."""
    caller = caller_of(failure.location, failure.frames)
    return failure.location if caller is None else caller.location


def unexplained(failure: Failure, sentence: str) -> Finding:
    """A failure of which no detailed run is available; the sentence says why."""
    return Finding(
        kind=failure.kind_name,
        message=failure.message,
        thread=failure.thread,
        location=_in_user_code(failure),
        explanation=Explanation((), (), None, sentence),
        fingerprint=fingerprint(failure),
        label=f"thread {failure.thread}",
        failure=failure,
    )


def _without_early_fold(rows: list[Row | Fold]) -> list[Row | Fold]:
    """The rows without a fold before the first one, which is of no interest."""
    return rows[1:] if rows and isinstance(rows[0], Fold) else rows


def _rows(trail: Trail, relevant: Relevance, program: Program) -> Iterator[Row | Fold]:
    notes = _notes(trail, relevant)
    row: Row | None = None
    last = -1
    for index in sorted(relevant.steps):
        left_out = _counted(trail.run, range(last + 1, index))
        next_row = _row(trail, relevant, program, index, notes.get(index, ""))
        task = owner(trail.run, trail.run.log[index].task)
        if row is not None and task not in left_out and _continues(row, next_row):
            row = _joined(row, next_row)
            last = index
            continue
        if row is not None:
            yield row
        if left_out:
            yield _fold(trail.run, left_out)
        row, last = next_row, index
    if row is not None:
        yield row
    left_out = _counted(trail.run, range(last + 1, trail.end))
    if left_out:
        yield _fold(trail.run, left_out)


def _counted(run: Run, steps: Iterable[int]) -> Counter[ThreadIndex]:
    """The number of these steps of each thread, including the arrivals of its stores."""
    return Counter(owner(run, run.log[at].task) for at in steps if run.log[at].op is not Op.NOP)


def _fold(run: Run, left_out: Counter[ThreadIndex]) -> Fold:
    return Fold(tuple((label_of(run, task), count) for task, count in sorted(left_out.items())))


def _row(trail: Trail, relevant: Relevance, program: Program, index: int, note: str) -> Row:
    run = trail.run
    step = run.log[index]
    location = step_location(run, program, index)
    words = ending_words(run, StepIndex(index)) if index in run.ended else _words(run, step, location)
    named = [f"{e.event}({', '.join(e.objects)})" for e in trail.failure.events if e.step == index]
    words = ", ".join(named) if named else words
    return Row(
        index + 1,
        owner_of(run.tasks[step.task]),
        (words + (" only now" if any(index == each.arrival for each in relevant.late) else ""),),
        location,
        source_text(location),
        caller_of(location, run.stacks.get(StepIndex(index), ())),
        note,
    )


def _words(run: Run, step: Step, location: Location | None) -> str:
    return in_queue_words(run, step, location) or step_words(run, step)


def _continues(row: Row, following: Row) -> bool:
    if row.thread != following.thread or following.note or row.location is None or following.location is None:
        return False
    return (row.location.file, row.location.line) == (following.location.file, following.location.line)


def _joined(row: Row, following: Row) -> Row:
    steps = row.what if following.what[0] in row.what else row.what + following.what
    return Row(row.step, row.thread, steps, row.location, row.text, row.caller, row.note)


def _notes(trail: Trail, relevant: Relevance) -> dict[int, str]:
    """The reasons for switches: the two accesses of one thread between which another thread runs."""
    notes: dict[int, str] = {}
    shown = relevant.steps
    for each in relevant.interferences:
        if each.before is None or each.after is None or not each.unserialisable or not each.gap.preemptive:
            continue
        inside = [index for index in sorted(shown) if each.gap.before < index < each.gap.after]
        if inside and {each.before.index, each.after.index} <= shown:
            first, second = (_noun(touch.reads, touch.writes) for touch in (each.before, each.after))
            two = f"two {first}s" if first == second else f"{first} and {second}"
            label = label_of(trail.run, trail.run.log[inside[0]].task)
            notes.setdefault(inside[0], f"{label} runs between the {two} of {label_of(trail.run, each.gap.task)}")
    for index in sorted(preemptive_steps(trail.run, trail.end)):
        task = trail.run.log[index].task
        then = next((at for at in sorted(shown) if at >= index), None)
        if then is not None and trail.run.log[then].task == task and not is_flusher(trail.run.tasks[task]):
            notes.setdefault(then, _turn(trail, relevant, task))
    return notes


def _turn(trail: Trail, relevant: Relevance, task: ThreadIndex) -> str:
    """The reason why a thread goes on if no interference explains it."""
    if relevant.half_done is not None and task == trail.task:
        return f"{label_of(trail.run, task)} goes on before {label_of(trail.run, relevant.half_done.task)} has finished"
    return f"the scheduler lets {label_of(trail.run, task)} go on"


def _noun(reads: bool, writes: bool) -> str:
    return "change" if reads and writes else "write" if writes else "read"


def _endings(trail: Trail) -> list[Row]:
    """The failure itself: the exception and its location, or each stuck thread's wait."""
    failure = trail.failure
    number = trail.end + 1
    if failure.is_race and shown_at(trail.run.log, trail.end) is not None:
        return []  # the two accesses are the whole failure
    if failure.waiting:
        return [
            Row(
                number,
                waiting.thread,
                (_ends(trail, waiting),),
                waiting.location,
                source_text(waiting.location),
                failing=True,
            )
            for waiting in (*failure.waiting, *failure.behind)
        ]
    caller = caller_of(failure.location, failure.frames)
    words = ("raises " if failure.exception else "") + shorten(failure.message, _LONGEST_MESSAGE)
    return [
        Row(number, failure.thread, (words,), failure.location, source_text(failure.location), caller, failing=True)
    ]


def _ends(trail: Trail, waiting: BlockedThread) -> str:
    if trail.run.again:
        return "repeats this loop for ever"
    return f"waits for {shorten(awaited_words(trail.run, waiting), _LONGEST_MESSAGE)}"
