"""Checks a witness against its trace, by walking the order once.

An order of steps is feasible for every program that has the trace if (maximal causal model; dissertation of S. Huang,
ch. 3.1.1)

1. it contains a prefix of each thread, in program order;
2. each read takes its value from the same write as in the trace, or the initial value as there (with
   equal recorded values any write will do). This covers beginnings and joins of threads, and locks whose state some
   step reads; the previous holder of a lock that is only acquired and released does not matter;
3. the operations are possible: no thread takes a lock that another one holds, goes on without having been
   woken, joins a thread that has not ended (:mod:`mazurka.trace.wellformed`).

The order proves a claim if the claim holds at its end (:mod:`mazurka.witness.claim`). A separate check compares the
recorded values with those last written (:func:`contradictions`): parts of a program that are not tracked may have
written other values.

Traces that were recorded or read from a file, whose rows are steps of their own, are checked by the same rules with
NumPy (:mod:`mazurka.witness.columns`), since they may be long.

Shares no code with the search for orders. Cost: linear in the trace, some microseconds an event.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.ids import StepIndex
from mazurka.trace.targets import is_counter
from mazurka.trace.trace import NO_VALUE, Trace
from mazurka.trace.wellformed import Walk
from mazurka.witness.claim import Claimed
from mazurka.witness.values import Values
from mazurka.witness.witness import CallsReversed, Witness

if TYPE_CHECKING:
    from mazurka.trace.logged_calls import CallSemantics
    from mazurka.witness.calls import CallChecker
    from mazurka.witness.columns import RecordedTrace

#: In place of a source: the initial value.
_INITIAL: Final = -1

#: The only operations on a lock of which only mutual exclusion can be observed.
_EXCLUDING: Final = frozenset({Op.ACQUIRE, Op.RELEASE, Op.REQUEST})

_Rows = dict[int, list[int]]


class Checker:
    """Checks witnesses of one trace, which it indexes once. Claims about calls need the semantics of their types."""

    def __init__(self, trace: Trace, semantics: CallSemantics | None = None) -> None:
        self._trace = trace
        self._recorded: RecordedTrace | None = None
        self._calls: CallChecker | None = None
        self._semantics = semantics
        if not isinstance(trace.thread, array):
            from mazurka.witness.columns import RecordedTrace

            self._recorded = RecordedTrace(trace)

    def beside(self) -> Checker:
        """Another checker of the same trace, for use at the same time."""
        other = copy(self)
        other._recorded = copy(self._recorded)  # data common to all witnesses is not copied
        other._calls = None
        return other

    def objections(self, witness: Witness) -> list[str]:
        """All objections to the witness; empty if it is accepted."""
        if isinstance(witness.claim, CallsReversed):
            return self._objections_to_calls(witness, witness.claim)
        if self._recorded is not None:
            return list(self._recorded.objections(witness))
        if witness.prefix:
            order = (*sorted(set(self._trace.step))[: witness.prefix], *witness.order)
            witness = replace(witness, order=order, prefix=0)
        return _objections(self._trace, witness)

    def _objections_to_calls(self, witness: Witness, claim: CallsReversed) -> list[str]:
        if self._recorded is None or self._semantics is None:
            return ["claims about calls need a recorded trace, and a specification of the calls"]
        if self._calls is None:
            from mazurka.witness.calls import CallChecker

            self._calls = CallChecker(self._trace, self._semantics)
        return list(self._calls.objections(witness, claim))


def objections(trace: Trace, witness: Witness) -> list[str]:
    """All objections to one witness of a trace."""
    return Checker(trace).objections(witness)


def _objections(trace: Trace, witness: Witness) -> list[str]:
    rows = _rows_of_steps(trace)
    unknown = [step for step in witness.order if step not in rows]
    if unknown:
        return [f"step {unknown[0]} is not in the trace"]
    return [
        *_prefixes(trace, witness, rows),
        *_reads(trace, witness, rows),
        *_meaning(trace, witness, rows),
    ]


def contradictions(trace: Trace, witness: Witness) -> list[str]:
    """The recorded values along the order that contradict the writes before."""
    rows, values = _rows_of_steps(trace), Values(trace)
    found = (values.contradictions_of(rows[step]) for step in witness.order)
    return [text for each in found for text in each]


def _rows_of_steps(trace: Trace) -> _Rows:
    rows: _Rows = {}
    for row, step in enumerate(trace.step):
        rows.setdefault(step, []).append(row)
    return rows


def _prefixes(trace: Trace, witness: Witness, rows: _Rows) -> Iterable[str]:
    """Program order: each thread's steps in the order are a prefix of its steps in the trace."""
    does: dict[int, list[StepIndex]] = {}
    for step in witness.order:
        does.setdefault(trace.thread[rows[step][0]], []).append(step)
    for thread, steps in does.items():
        own = list(dict.fromkeys(trace.step[row] for row in trace.rows_of_thread[thread]))
        if steps != own[: len(steps)]:
            yield f"the steps of thread {trace.threads[thread]} are no prefix of its steps in the trace"
        for step in steps[:-1]:
            if step in witness.unread:
                yield f"step {step} has successors, so its reads matter"


def _sources(trace: Trace, order: Iterable[int], rows: _Rows) -> dict[int, int]:
    """For each row that reads, the row of its source if steps happen in ``order``."""
    last: dict[int, int] = {}
    found = {}
    for step in order:
        for row in rows[step]:
            if READS[trace.op[row]]:
                found[row] = last.get(trace.target[row], _INITIAL)
        for row in rows[step]:
            if WRITES[trace.op[row]]:
                last[trace.target[row]] = row
    return found


def _reads(trace: Trace, witness: Witness, rows: _Rows) -> Iterable[str]:
    before = _sources(trace, sorted(rows), rows)
    after = _sources(trace, witness.order, rows)
    looked_at = {target for op, target in zip(trace.op, trace.target, strict=True) if op not in _EXCLUDING}
    initial = {
        trace.target[row]: trace.value[row]
        for row, writer in before.items()
        if writer == _INITIAL and trace.op[row] == Op.READ
    }
    for row, source in after.items():
        if trace.target[row] not in looked_at:
            continue
        if before[row] == source or trace.step[row] in witness.unread:
            continue
        had, has = (
            initial.get(trace.target[row], NO_VALUE) if writer == _INITIAL else trace.value[writer]
            for writer in (before[row], source)
        )
        if had == has != NO_VALUE:
            continue
        yield f"step {trace.step[row]} reads {trace.targets[trace.target[row]]} from another write"


def _meaning(trace: Trace, witness: Witness, rows: _Rows) -> Iterable[str]:
    walk, values = Walk(trace), Values(trace)
    for step in witness.order:
        if step in witness.unread and any(trace.op[row] == Op.REQUEST for row in rows[step]):
            continue  # an attempt without a recorded result
        yield from (f"step {step}: {text}" for text in walk.defects_of(rows[step]))
        for text in values.contradictions_of(rows[step]):
            if is_counter(trace.targets[trace.target[rows[step][0]]]):
                yield text
    if witness.claim is not None:
        yield from Claimed(trace, walk, values, witness.order).objections(witness.claim)
