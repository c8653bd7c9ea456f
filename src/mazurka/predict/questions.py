"""Decides claims about a recorded trace by its maximal causal model; a feasible one comes back with its witness.

With ``window`` the model covers so many rows at a time (patent, "Implementation", Handling Long Traces): the rows
before a window happen in their order, so only reorderings that go beyond the window are missed. Windows overlap by
half, so that events less than half a window apart are in one window. A model is kept until another window is needed.

That a claim is impossible is mostly shown by nearby events: in a long trace the rows around those asked about are first
modelled alone, without constraints from the others (:mod:`mazurka.causal.model_from_columns`); those about properties
even before that with a few rows around them.

Cost: a model takes some microseconds (of a long trace some tenths of one) and 100 bytes an event, and its closure 4
bytes x threads an event; a question mostly takes well under a millisecond, and some milliseconds if many events have to
move.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, cast

import numpy as np

from mazurka.causal.model import Model
from mazurka.causal.model_from_columns import model_of_columns
from mazurka.causal.model_from_trace import model_of_trace
from mazurka.causal.question import Before, Question, in_order
from mazurka.causal.solver import Answer, Feasible, Infeasible, Solver, Unknown
from mazurka.causal.solvers import FOR_TRACES
from mazurka.predict.kinds.registry import KIND_OF_CLAIM, definition
from mazurka.predict.relaxed_reads import RelaxedReads
from mazurka.predict.thread_local import ThreadLocalEvents
from mazurka.predict.wakers import wakers_of
from mazurka.trace.columns import columns_of
from mazurka.trace.event import Op
from mazurka.trace.ids import StepIndex
from mazurka.trace.trace import Trace
from mazurka.trace.waits import waits_of
from mazurka.witness.witness import (
    AtomicityViolation,
    CallsReversed,
    Claim,
    CommunicationDeadlock,
    Deadlocks,
    Ordered,
    OrderViolation,
    PropertyViolation,
    Races,
    Witness,
)

Ints = Any  # an integer array

_LOCKING: Final = (int(Op.ACQUIRE), int(Op.RELEASE))

#: Contradictions after which a question is given up.
_LIMIT: Final = 2_000

_SOLVER: Final = partial(FOR_TRACES, _LIMIT)

#: Models of at least so many rows leave out thread-local events.
_LONG: Final = 10_000

#: Questions are first asked of so many rows, or twice as many, on each side of the rows asked about.
_NEARBY: Final = 5_000

#: Questions about properties are few, and most of them are refuted by the rows asked about and this many on each side.
_CLOSE: Final = 64

#: Claims whose last reads may give other values even if the trace has no branches.
_RELAXED: Final = (Ordered, AtomicityViolation, OrderViolation, CallsReversed, PropertyViolation)

#: The answer to a claim.
Verdict = Witness | Infeasible | Unknown


class Questions:
    """See the module. Each row of the trace is a step of its own. ``solver`` makes two solvers: one for the windows,
    and one for the nearby models that may refute a claim sooner. ``relaxes_updates``: for claims for which it suffices
    that an update begins (:func:`~mazurka.causal.model_from_trace.model_of_trace`)."""

    def __init__(
        self,
        trace: Trace,
        window: int | None = None,
        solver: Callable[[], Solver] = _SOLVER,
        relaxes_updates: bool = False,
    ) -> None:
        self.trace = trace
        self._relaxes_updates = relaxes_updates
        self.window = window if window and window < len(trace) else None
        self._locking = np.flatnonzero(np.isin(columns_of(trace).op, _LOCKING))
        self._branches = bool((columns_of(trace).op == Op.BRANCH).any())
        self._solver = solver()
        self._looked_at = 0  # how many of these have been looked at
        self._depth = np.zeros(len(trace.targets))  # by lock: how often it is held after these
        self._of: tuple[int, ThreadLocalEvents | None] = (
            -1,
            None,
        )  # the first row of the model, and the events that it leaves out
        self._unnoticed: ThreadLocalEvents | None = None
        self._model: Model | None = None
        self._refuter = solver()
        self._cut = 0, 0  # the rows of the nearby model
        self._nearby: Model | None = None
        self._held: frozenset[int] = frozenset()
        self._waits = waits_of(trace)
        self._unread: RelaxedReads | None = None
        self._loose: Model | None = None

    def ask(self, claim: Claim) -> Verdict:
        """A witness of the claim, or that there is none; with a window only nearby events can show that there is
        none."""
        return self.prove(claim, question_of(claim, self.trace))

    def prove(self, claim: Claim, question: Question, loosely: Question | None = None) -> Verdict:
        """A witness of the claim, or that there is none, by the model's answer to a question. If threads wait on
        conditions, there is none only if the loose model refutes the question, too, or ``loosely`` in its place."""
        pairs = [each for each in question.constraints if isinstance(each, Before)]
        inside = [*steps_of(claim), *(pair.second for pair in pairs)]
        rows = [*inside, *question.happen, *question.next, *question.blocked, *(pair.first for pair in pairs)]
        begin = self._window_of(min(inside), max(rows))
        if begin is None:
            return Unknown("too far apart for a window")
        if any(row < begin for row in question.never):
            return Unknown("not within a window")
        if self._is_refuted_nearby(min(rows), max(rows), question):
            return Infeasible()
        left_out = self._left_out([*rows, *question.never])
        answer = self._decide(begin, self._within(begin, question), left_out)
        if isinstance(answer, Feasible):
            order = answer.order
            if left_out is not None:
                order = left_out.put_back(order, (*question.next, *question.blocked))
            return self._witness(begin, order, claim)
        if isinstance(answer, Infeasible) and self.window is not None:
            return Unknown("not within a window")
        if isinstance(answer, Infeasible) and self._waits and not self._is_refuted_loosely(loosely or question):
            return Unknown("another notification might end a wait")
        return answer

    def _is_refuted_loosely(self, question: Question) -> bool:
        """Whether the question has no answer for any match of notifications and waits."""
        if self._loose is None:
            wakers = wakers_of(self.trace, self._waits)
            self._loose = model_of_trace(
                self.trace, self._branches, wakers=wakers, relaxes_updates=self._relaxes_updates
            )
        return isinstance(self._refuter.decide(self._loose, question), Infeasible)

    def _window_of(self, first: int, last: int) -> int | None:
        """The first row of the window in which two rows are furthest from the edges."""
        if self.window is None:
            return 0
        half = self.window // 2
        begin = max(0, first // half * half - (half if last - first // half * half < half else 0))
        return begin if last < begin + 2 * half else None

    def _is_refuted_nearby(self, first: int, last: int, question: Question) -> bool:
        """Whether events shortly before two rows, between them and shortly after suffice to refute a question."""
        if not isinstance(self.trace.thread, np.ndarray):
            return False
        if self._relaxes_updates and self._is_refuted_by(first - _CLOSE, last + 1 + _CLOSE, question):
            return True
        return self._is_refuted_by((first // _NEARBY - 1) * _NEARBY, (last // _NEARBY + 2) * _NEARBY, question)

    def _is_refuted_by(self, first: int, end: int, question: Question) -> bool:
        """Whether some rows alone refute a question; only asked if they are a small part of the trace."""
        begin, end = max(0, first), min(len(self.trace), end)
        share = 4 if self._relaxes_updates else 2  # questions about properties are few, so a second model pays later
        if share * (end - begin) > len(self.trace):
            return False
        if self._cut != (begin, end):
            rows = np.array([*self._held_at(begin), *range(begin, end)], np.int32)
            self._nearby = model_of_columns(
                self._part(rows), self._branches, cut=True, relaxes_updates=self._relaxes_updates
            )
            self._cut = begin, end
        if self._nearby is None:
            return False
        never = tuple([row for row in question.never if row in self._nearby.event_of])
        return isinstance(self._refuter.decide(self._nearby, replace(question, never=never)), Infeasible)

    def _left_out(self, asked: Sequence[int]) -> ThreadLocalEvents | None:
        """The events that a model leaves out, unless the question names them."""
        if self.window is not None or self._waits or len(self.trace) < _LONG:
            return None
        self._unnoticed = self._unnoticed or ThreadLocalEvents(self.trace)
        return self._unnoticed if self._unnoticed.are_others(asked) else None

    def _decide(self, begin: int, question: Question, left_out: ThreadLocalEvents | None) -> Answer:
        if self._model is None or self._of != (begin, left_out):
            self._of = begin, left_out
            self._model = self._model_from(begin, left_out)
        return self._solver.decide(self._model, question)

    def _within(self, begin: int, question: Question) -> Question:
        """The part of a question about rows from ``begin`` on, within the window."""
        if self.window is None:
            return question
        happen = tuple(row for row in question.happen if row >= begin)
        kept = [each for each in question.constraints if not isinstance(each, Before) or each.first >= begin]
        never = tuple(row for row in question.never if row < begin + self.window)
        return replace(question, happen=happen, constraints=tuple(kept), never=never)

    def _model_from(self, begin: int, left_out: ThreadLocalEvents | None) -> Model:
        if self.window is None:
            part = self.trace if left_out is None else self._part(left_out.others)
            return model_of_trace(part, self._branches, relaxes_updates=self._relaxes_updates)
        held = self._held_at(begin)
        self._held = frozenset(held)
        rows = np.array([*held, *range(begin, min(begin + self.window, len(self.trace)))], np.int32)
        part = self._part(rows)
        waits = [wait._replace(parks=wait.parks if wait.parks >= begin else wait.row) for wait in self._waits]
        return model_of_trace(part, self._branches, begin, waits, relaxes_updates=self._relaxes_updates)

    def _part(self, rows: Ints) -> Trace:
        """Some rows as a trace, with only the targets that they touch, since the model's cost depends on the number of
        targets."""
        trace, columns = self.trace, columns_of(self.trace).select(rows)
        targets = trace.targets
        if not self._waits:  # waits identify targets by number
            met, target = np.unique(columns.target, return_inverse=True)
            columns = columns._replace(target=target.astype(np.int32))
            targets = [targets[number] for number in met.tolist()]
        return Trace(rows, *columns, trace.threads, targets, trace.values)

    def _held_at(self, begin: int) -> list[int]:
        """The acquires of locks that are held when the window begins, and waits that have not ended."""
        _, op, target, _, _ = columns_of(self.trace)
        known, end = self._looked_at, int(np.searchsorted(self._locking, begin))
        if end < known:
            known, self._depth[:] = 0, 0
        rows = self._locking[known:end]
        self._depth += np.bincount(target[rows], np.where(op[rows] == int(Op.ACQUIRE), 1, -1), len(self._depth))
        self._looked_at, rows = end, self._locking[:end]
        wanted = int(np.maximum(self._depth, 0).sum())
        held: list[int] = []
        last = 1 << 10
        while len(held) < wanted:  # mostly they have been taken shortly before
            held = _open(rows[-last:], op, target)
            if last >= len(rows):
                break
            last *= 8
        waiting = [wait.row for wait in self._waits if wait.row < begin and not 0 <= wait.goes_on < begin]
        return sorted([*held, *waiting])

    def _witness(self, begin: int, order: tuple[int, ...], claim: Claim) -> Witness:
        order = tuple([row for row in order if row not in self._held]) if self._held else order
        rows, unread = cast("tuple[StepIndex, ...]", order), frozenset[StepIndex]()
        if self._branches or isinstance(claim, _RELAXED):
            self._unread = self._unread or RelaxedReads(self.trace)
            unread = frozenset(map(StepIndex, self._unread.of(order, begin)))
        return Witness(rows, unread, claim, begin)


def _open(rows: Ints, op: Ints, target: Ints) -> list[int]:
    """The acquires among ordered acquires and releases that have no release among them."""
    change = np.where(op[rows] == int(Op.ACQUIRE), 1, -1)
    by_lock = np.argsort(target[rows], kind="stable")
    found: list[int] = []
    for own in np.split(by_lock, np.flatnonzero(np.diff(target[rows[by_lock]])) + 1):
        depth = np.cumsum(change[own])
        least = np.minimum.accumulate(depth[::-1])[::-1]  # the least depth from each row on
        found += rows[own[(change[own] > 0) & (depth == least)]].tolist()
    return found


def steps_of(claim: Claim) -> tuple[int, ...]:
    """The steps named in a claim."""
    match claim:
        case Races(first, second):
            return first, second
        case Deadlocks(steps) | CommunicationDeadlock(steps) | Ordered(steps) | PropertyViolation(steps=steps):
            return steps
        case AtomicityViolation(first, between, last):
            return first, between, last
        case OrderViolation(first, second) | CallsReversed(first, second):
            return first, second
        case _:
            raise TypeError(f"{type(claim).__name__} is no claim about other orders of a trace")


def question_of(claim: Claim, trace: Trace) -> Question:
    """The question about a claim: that of its kind of bug; for other claims whether its steps can happen in their
    order."""
    steps, kind = steps_of(claim), KIND_OF_CLAIM.get(type(claim).__name__)
    if kind is None:
        return Question(happen=steps, constraints=in_order(steps))
    return definition(kind).question(steps, trace)
