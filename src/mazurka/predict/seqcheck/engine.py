"""SeqCheck: decides questions about other orders of traces of millions of events (Cai, Yun, Wang, Qiao, Palsberg,
"Sound and Efficient Concurrency Bug Prediction", ESEC/FSE 2021).

A question names events that are to happen, pairs of them in order, and events that are to be next, all at once
(:class:`~mazurka.causal.question.Question`; :class:`~mazurka.causal.model.Model` defines the possible executions). Two
events that are next are adjacent: a race. The paper's sequences ``<e1 .. en>`` are ``happen`` and ``Before`` for all
but the last event, and ``next`` for the last one or the adjacent ones at the end (:func:`sequence`).

The questions are answered by kernels (:mod:`~mazurka.predict.seqcheck.decide`) that are sound both ways, and complete
for two threads if no values are recorded. Questions that they do not decide are handed to the complete solver of
:mod:`mazurka.causal` if the trace is short enough for it; otherwise they are ``Unknown``. Each row has to be a step of
its own, as in traces from elsewhere.

Cost: the index, about 50 ns an event; questions mostly some microseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import field
from typing import Any, Final

import numpy as np

from mazurka.causal.model import Model
from mazurka.causal.model_from_trace import model_of_trace
from mazurka.causal.question import Before, Question, in_order
from mazurka.causal.solver import Answer, Feasible, Infeasible, Solver, Unknown
from mazurka.causal.solvers import FOR_TRACES
from mazurka.lazy_dataclass import dataclass
from mazurka.predict.kinds.deadlock import joins_of
from mazurka.predict.kinds.order_violation import is_early
from mazurka.predict.questions import question_of, steps_of
from mazurka.predict.seqcheck.cone import ALLOWED, Cone, cone_of
from mazurka.predict.seqcheck.decide import NO, YES
from mazurka.predict.seqcheck.index import NONE, READ, Ints, TraceIndex, index_of
from mazurka.predict.seqcheck.kernel import kernel_for
from mazurka.trace.event import Op
from mazurka.trace.ids import StepIndex
from mazurka.trace.indexes import Rows
from mazurka.trace.trace import NO_VALUE, Trace
from mazurka.witness.witness import Claim, Deadlocks, OrderViolation, Races, Witness

#: The complete solver is used for traces of at most so many events.
COMPLETE_UP_TO: Final = 300_000

#: In place of the row that was read from: it is of the same thread, or does not matter.
_OWN: Final = -2

_READING: Final = (int(Op.READ), int(Op.RMW))
_WRITING: Final = (int(Op.WRITE), int(Op.RMW))

#: Traces of fewer rows are indexed as a whole.
_SHORT: Final = 1_000

#: The number of events, besides half of the trace's, that questions may examine before far windows are given up.
_WORK: Final = 6_000_000


def sequence(events: Sequence[int], adjacent: int = 1) -> Question:
    """The question whether events can happen in this order, the last ``adjacent`` of them right after one another."""
    first, last = tuple(events[: len(events) - adjacent]), tuple(events[len(events) - adjacent :])
    return Question(happen=first, next=last, constraints=in_order(first))


def _pairs(question: Question) -> list[tuple[int, int]]:
    """The order constraints of a question, the only ones that SeqCheck supports."""
    pairs = []
    for constraint in question.constraints:
        if not isinstance(constraint, Before):
            raise ValueError(f"SeqCheck decides no question with {constraint}")
        pairs.append((constraint.first, constraint.second))
    return pairs


@dataclass(slots=True)
class SeqCheck:
    """Answers questions about one trace. Events are rows; for traces of up to ``complete_up_to`` rows undecided
    questions go to the complete solver. Unless ``whole``, only rows that other threads may observe are indexed, and can
    be asked about; by default short traces are indexed as a whole. ``work`` bounds the cost of all questions together,
    ``solver`` makes a complete solver."""

    trace: Trace
    complete_up_to: int = COMPLETE_UP_TO
    whole: bool | None = None
    work: int = _WORK
    kernel: Any = None
    solver: Callable[[], Solver] = FOR_TRACES
    index: TraceIndex = field(init=False)
    rows: Ints = field(init=False)
    cone: Cone = field(init=False)
    slot: Ints = field(init=False)
    _model: Model | None = field(default=None, init=False)
    _by_thread: tuple[Ints, Ints, Ints] | None = field(default=None, init=False)
    _initial: dict[int, int] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if not np.array_equal(self.trace.step, np.arange(len(self.trace))):
            raise ValueError("SeqCheck needs a trace in which each row is a step of its own")
        if self.kernel is None:
            self.kernel = kernel_for(len(self.trace))
        if self.whole is None:
            self.whole = len(self.trace) < _SHORT
        self.index, self.rows = index_of(self.trace, self.kernel, self.whole)
        targets = len(self.trace.targets)
        self.cone = cone_of(len(self.trace.threads), targets)
        self.slot = np.full(targets, NONE, np.int64)
        self.cone.reg[ALLOWED] = self.work + len(self.rows) // 2

    def beside(self) -> SeqCheck:
        """A second engine for the same trace, which may be used at the same time."""
        self._threads()
        other = copy(self)
        other.cone = cone_of(len(self.trace.threads), len(self.trace.targets))
        other.slot = np.full(len(self.trace.targets), NONE, np.int64)
        other.cone.reg[ALLOWED] = self.cone.reg[ALLOWED]
        other._model = None
        return other

    def shortly(self, question: Question) -> tuple[int, int, tuple[StepIndex, ...]]:
        """The kernels' answer: YES, NO or UNDECIDED; the number of first rows in their order, and the rows after
        them."""
        answer, since, events = self.quickly(question, True)
        if answer != YES:
            return answer, 0, ()
        prefix = int(self.rows[since]) if since else 0
        return answer, prefix, self._with_the_others(prefix, self.rows[events], question.next)

    def prove(self, claim: Claim) -> Witness | Infeasible | Unknown:
        """A witness of a claim about other orders, that there is none, or that it is undecided."""
        steps = steps_of(claim)
        if isinstance(claim, OrderViolation) and not self._looks_at(steps):
            return Unknown("about an event that other threads do not observe")
        if isinstance(claim, Deadlocks) and joins_of(steps, self.trace):
            return Unknown("threads join one another")
        standing = isinstance(claim, Races | Deadlocks)
        question = Question(next=steps) if standing else sequence(steps)
        answer, prefix, rows = self.shortly(question)
        early = isinstance(claim, OrderViolation) and is_early(
            steps, self.trace
        )  # the kernels are asked for more than the claim
        if answer == NO and not early:
            return Infeasible()
        free = answer != YES or not standing or self.kernel.frees(self.index, self.cone)
        if answer != YES:
            complete = self.completely(question_of(claim, self.trace) if early else question)
            if not isinstance(complete, Feasible):
                return complete
            rows = tuple(map(StepIndex, complete.order))
        if not standing and (answer == YES or not early):
            rows = (*rows, StepIndex(steps[-1]))
        return Witness(rows, self._unread(prefix, rows) if free else frozenset(), claim, prefix)

    def witness(self, claim: Races, since: int, rows: Ints, free: bool) -> Witness:
        """The witness of a race: the rows before ``since`` in their order, then ``rows``; ``free``: some reads among
        these may give other values."""
        prefix = int(self.rows[since]) if since else 0
        order = self._with_the_others(prefix, self.rows[rows], (claim.first, claim.second))
        return Witness(order, self._unread(prefix, order) if free else frozenset(), claim, prefix)

    def _unread(self, prefix: int, rows: Sequence[StepIndex]) -> frozenset[StepIndex]:
        """Rows that read other values than in the trace. A row outside the set reads its own thread's write."""
        trace, order = self.trace, np.array(rows, np.int64)
        columns = (np.asarray(column)[order].tolist() for column in (trace.op, trace.target, trace.thread))
        last: dict[int, int] = {}
        found: set[StepIndex] = set()
        doubtful: set[int] = set()  # writes of threads that had read another value
        broken: set[int] = set()  # these threads
        for row, had, op, target, thread in zip(order.tolist(), self._sources(order).tolist(), *columns, strict=True):
            if op in _READING:
                source = last.get(target, NONE)
                same = source == had or had == _OWN or (source == NONE and had < prefix)
                if source in doubtful or not (same or self._gives(source, row)):
                    found.add(StepIndex(row))
                    broken.add(thread)
            if op in _WRITING:
                last[target] = row
                if thread in broken:
                    doubtful.add(row)
        return frozenset(found)

    def _sources(self, rows: Ints) -> Ints:
        """For each row that reads, the row that it reads from, or NONE; _OWN if that can be no other thread's."""
        if not len(self.rows):
            return np.full(len(rows), _OWN)
        at = np.minimum(np.searchsorted(self.rows, rows.astype(self.rows.dtype)), len(self.rows) - 1)
        link = self.index.link[self.index.event[at]]
        sources = np.where(link == NONE, NONE, self.rows[self.index.row[link]])
        return np.where(self.rows[at] == rows, sources, _OWN)

    def _gives(self, source: int, row: int) -> bool:
        """Whether ``source`` gives a read its value in the trace; NONE stands for the initial value. False for an event
        that reads and writes at once, for which the trace records one value only."""
        value = self.trace.value
        if value[row] == NO_VALUE or self.trace.op[row] == Op.RMW:
            return False
        if source != NONE:
            return bool(value[source] == value[row])
        if self._initial is None:
            index = self.index
            rows = self.rows[index.row[(index.kind == READ) & (index.link == NONE)]].tolist()
            self._initial = {int(self.trace.target[each]): int(value[each]) for each in rows}
        return bool(self._initial.get(int(self.trace.target[row]), NO_VALUE) == value[row])

    def quickly(self, question: Question, tell: bool = False) -> tuple[int, int, Ints]:
        """As :meth:`shortly`, but in numbers of the indexed rows, and without the others."""
        last, before = set(question.next), _pairs(question)
        if any(first in last for first, _ in before):
            return NO, 0, np.empty(0, np.int64)
        happen = {*question.happen, *(row for pair in before for row in pair)} - last
        pairs = [self._events(pair) for pair in before if pair[1] not in last]
        answer: tuple[int, int, Ints] = self.kernel.decide(
            self.index,
            self.cone,
            self.slot,
            self._events(sorted(happen)),
            self._events(sorted(last)),
            np.array(pairs, np.int64).reshape(len(pairs), 2),
            tell,
        )
        return answer

    def completely(self, question: Question) -> Answer:
        """The complete solver's answer, if it is used."""
        if len(self.trace) > self.complete_up_to:
            return Unknown(f"undecided, and the trace has more than {self.complete_up_to} rows")
        if self._model is None:
            self._model = model_of_trace(self.trace, branches=bool(len(self.index.guard)))
        return self.solver().decide(self._model, question)

    def _looks_at(self, rows: Sequence[int]) -> bool:
        """Whether all of ``rows`` are indexed, so that they can be asked about."""
        wanted = np.array(rows, self.rows.dtype)
        at = np.minimum(np.searchsorted(self.rows, wanted), max(len(self.rows) - 1, 0))
        return not rows or (len(self.rows) > 0 and bool((self.rows[at] == wanted).all()))

    def _events(self, rows: Sequence[int]) -> Ints:
        at = np.searchsorted(self.rows, np.array(rows, self.rows.dtype))
        if not self._looks_at(rows):
            raise ValueError(f"some of the rows {list(rows)} can't be observed by other threads")
        return self.index.event[at].astype(np.int64) if len(rows) else np.empty(0, np.int64)

    def _with_the_others(self, prefix: int, rows: Ints, next_: tuple[int, ...]) -> tuple[StepIndex, ...]:
        """The rows in order, and before each the rows of its thread that are not indexed."""
        if self.whole:
            return tuple(rows.tolist())
        starts, own, place = self._threads()
        chosen = np.concatenate([rows, np.array(next_, np.int64)])
        thread = np.asarray(self.trace.thread)
        return tuple(self.kernel.put_back(starts, own, place, thread, chosen, len(rows), prefix).tolist())

    def _threads(self) -> tuple[Ints, Ints, Ints]:
        """The rows sorted by thread: where each thread's rows begin, the sorted rows, and the index of each row in
        them."""
        if self._by_thread is None:
            indexed = self.trace.rows_of_thread
            own = indexed.order if isinstance(indexed, Rows) else np.concatenate([*indexed, np.empty(0, np.int32)])
            starts = np.cumsum([0, *map(len, indexed)])
            place = np.empty(len(own), np.int32)
            place[own] = np.arange(len(own), dtype=np.int32)
            self._by_thread = starts, own, place
        return self._by_thread
