"""Checks a witness against its trace, by walking the order once.

An order of steps is feasible for every program that has the trace if (maximal causal model; dissertation of S. Huang,
ch. 3.1.1)

1. of each thread it holds a prefix, in program order;
2. each read takes its value from the same write as in the trace, or the initial value as there (with
   equal recorded values any write will do). This covers lock acquires, which read the release before, thread
   beginnings and joins;
3. nobody takes a lock that somebody else holds.

Shares no code with what searches for orders. Cost: linear in the trace.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.trace import NO_VALUE, Trace
from mazurka.witness.witness import Witness

#: The writer of initial values.
_NOBODY: Final = -1


def objections(trace: Trace, witness: Witness) -> list[str]:
    """Everything that speaks against the witness; empty if it is one."""
    rows: dict[int, list[int]] = {}
    for row, step in enumerate(trace.step.tolist()):
        rows.setdefault(step, []).append(row)
    unknown = [step for step in witness.order if step not in rows]
    if unknown:
        return [f"step {unknown[0]} is not in the trace"]
    return [
        *_prefixes(trace, witness, rows),
        *_reads(trace, witness, rows),
        *_locks(trace, witness, rows),
    ]


def _prefixes(trace: Trace, witness: Witness, rows: dict[int, list[int]]) -> Iterable[str]:
    """Program order: what each thread does in the order is how its part of the trace starts."""
    does: dict[int, list[int]] = {}
    for step in witness.order:
        does.setdefault(int(trace.thread[rows[step][0]]), []).append(step)
    for thread, steps in does.items():
        own = list(dict.fromkeys(trace.step[trace.rows_of_thread[thread]].tolist()))
        if steps != own[: len(steps)]:
            yield f"thread {trace.threads[thread]} does not start with the steps it started with"
        for step in steps[:-1]:
            if step in witness.unread:
                yield f"step {step} has successors, so what it reads matters"


def _sources(trace: Trace, order: Iterable[int], rows: dict[int, list[int]]) -> dict[int, int]:
    """By row that reads: the row that wrote what it reads, when steps happen in ``order``."""
    last: dict[int, int] = {}
    found = {}
    for step in order:
        for row in rows[step]:
            if READS[trace.op[row]]:
                found[row] = last.get(int(trace.target[row]), _NOBODY)
        for row in rows[step]:
            if WRITES[trace.op[row]]:
                last[int(trace.target[row])] = row
    return found


def _reads(trace: Trace, witness: Witness, rows: dict[int, list[int]]) -> Iterable[str]:
    before = _sources(trace, sorted(rows), rows)
    after = _sources(trace, witness.order, rows)
    for row, source in after.items():
        if before[row] == source or int(trace.step[row]) in witness.unread:
            continue
        if min(source, before[row]) > _NOBODY and trace.value[source] == trace.value[before[row]] != NO_VALUE:
            continue
        yield f"step {int(trace.step[row])} reads {trace.targets[trace.target[row]]} from another write"


def _locks(trace: Trace, witness: Witness, rows: dict[int, list[int]]) -> Iterable[str]:
    holder: dict[int, tuple[int, int]] = {}
    for step in witness.order:
        for row in rows[step]:
            lock, thread = int(trace.target[row]), int(trace.thread[row])
            owner, depth = holder.get(lock, (thread, 0))
            if trace.op[row] == Op.ACQUIRE:
                if owner != thread:
                    yield f"step {step} takes {trace.targets[lock]} while thread {trace.threads[owner]} has it"
                holder[lock] = (thread, depth + 1)
            elif trace.op[row] == Op.RELEASE:
                holder.pop(lock, None)
                if depth > 1:
                    holder[lock] = (owner, depth - 1)
