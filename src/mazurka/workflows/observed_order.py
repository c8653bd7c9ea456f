"""The part of a trace that shows a prediction, in the observed and in the predicted order, as data for a report.

A short trace is shown as a whole. Of a long one: the events of the finding; the last events before them of each of
their threads, and of all threads on the same targets; the acquires of the locks held; the starts of their threads.
Branches are left out.

Cost: linear in the length of the witness, and in the events of the finding's targets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from mazurka.report.details import Arrow, Details, OrderReason, StepFacts
from mazurka.report.finding import FindingEvent, ObservedOrder
from mazurka.report.words import shorten
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.trace import NO_VALUE, Trace
from mazurka.witness import Witness

#: Traces of at most so many events are shown as a whole.
WHOLE = 160

#: Otherwise: the last events of each thread before its event of the finding, and the last on each target.
_OF_THREAD = 12
_ON_TARGET = 12

#: The length of a value.
_VALUE = 40

_REASONS = {
    Op.ACQUIRE: OrderReason.LOCK,
    Op.READ: OrderReason.READ,
    Op.RMW: OrderReason.READ,
    Op.BEGIN: OrderReason.FORK,
}


def shown_rows(trace: Trace, rows: Sequence[int]) -> list[int]:
    """The rows of a trace that a finding of these rows shows, ascending."""
    if len(trace) <= WHOLE:
        return list(range(len(trace)))
    chosen = set(rows)
    for row in rows:
        chosen.update(_last(np.asarray(trace.rows_of_thread[trace.thread[row]]), row + 1, _OF_THREAD))
        chosen.update(_last(np.asarray(trace.rows_of_target[trace.target[row]]), max(rows) + 1, _ON_TARGET))
    threads = {int(trace.thread[row]) for row in rows}
    for target, thread in enumerate(trace.thread_of_target):
        if thread in threads:
            chosen.update(int(row) for row in trace.rows_of_target[target] if trace.op[row] == Op.FORK)
    return sorted(chosen)


def _last(rows: np.ndarray[tuple[int], np.dtype[np.int32]], end: int, count: int) -> list[int]:
    before = rows[: np.searchsorted(rows, end)]
    return [int(row) for row in before[-count:]]


def observed_order(
    trace: Trace, rows: Sequence[int], witness: Witness, event: Callable[[int], FindingEvent], held: Sequence[int] = ()
) -> tuple[ObservedOrder, Details]:
    """The part of a trace that a finding of these rows shows, and its details. ``event`` gives an event of a row with
    its locks; ``held`` are further rows to show: of acquires."""
    near = {int(row) for row in (*shown_rows(trace, rows), *held)}
    own = set(map(int, rows))
    shown = sorted(row for row in near if trace.op[row] != Op.BRANCH or row in own)
    events: dict[int, tuple[int, FindingEvent]] = {}
    for row in shown:
        made = replace(event(row), value=_value(trace, row))
        events.setdefault(made.number, (row, made))  # rows of one event have one number: the first counts
    number = {row: made.number for row, made in events.values()}
    happens = [*range(witness.prefix), *witness.order] if len(trace) <= WHOLE else _among(witness, set(number))
    predicted = tuple(dict.fromkeys(number[step] for step in happens if step in number))
    kept = [row for row, _ in events.values()]
    facts = tuple(
        StepFacts(
            Op(int(trace.op[row])).name.lower().replace("_", "-"),
            int(trace.target[row]),
            tuple(lock.name for lock in made.held),
        )
        for row, made in events.values()
    )
    names = dict.fromkeys(made.thread for _, made in events.values())
    found = tuple([number[row] for row in map(int, rows) if row in number])
    details = Details(
        tuple([(name, name) for name in names]), facts, tuple(_arrows(trace, kept, number, events)), found, found
    )
    return ObservedOrder(tuple(made for _, made in events.values()), predicted, len(trace) - len(shown)), details


def _value(trace: Trace, row: int) -> str:
    value = int(trace.value[row])
    touches = READS[trace.op[row]] or WRITES[trace.op[row]]
    return shorten(str(trace.values[value]), _VALUE) if value != NO_VALUE and touches else ""


def _among(witness: Witness, wanted: set[int]) -> Iterator[int]:
    yield from sorted(row for row in wanted if row < witness.prefix)
    yield from (step for step in witness.order if step in wanted)


def _arrows(
    trace: Trace, rows: Sequence[int], number: dict[int, int], events: dict[int, tuple[int, FindingEvent]]
) -> Iterator[Arrow]:
    last: dict[int, int] = {}
    for row in rows:
        op, target = Op(int(trace.op[row])), int(trace.target[row])
        source = last.get(target)
        reason = _REASONS.get(op)
        if READS[op] and reason is not None and source is not None and trace.thread[source] != trace.thread[row]:
            yield Arrow(number[source], number[row], reason, events[number[row]][1].target)
        if WRITES[op]:
            last[target] = row
