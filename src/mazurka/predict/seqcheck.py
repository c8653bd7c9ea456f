"""SeqCheck: whether events can happen as asked, on whole traces of millions of events (Cai, Yun, Wang, Qiao, Palsberg,
"Sound and Efficient Concurrency Bug Prediction", ESEC/FSE 2021).

A question names events that are to happen, pairs of them in order, and events that are to be next, all at once
(:class:`~mazurka.causal.model.Question`, whose definition of what is possible is the one here). Two that are next are
adjacent: a race. The source's sequences ``<e1 .. en>`` are ``happen`` and ``before`` for all but the last event, and
``next`` for the last one or the adjacent ones at the end (:func:`sequence`).

The questions are answered by kernels (:mod:`~mazurka.predict.seqcheck_decide`) that are sound both ways, and complete
for two threads if no values are recorded. What they leave undecided is handed to the complete solver of
:mod:`mazurka.causal` where the trace is short enough for it; the rest is ``Unknown``. Traces of our own runs, whose steps
may have several rows, go there as a whole.

Cost: the index, about 50 ns an event; questions mostly some microseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np

from mazurka.causal.closure import ClosureSolver
from mazurka.causal.model import Model, Question
from mazurka.causal.of_trace import model_of_trace
from mazurka.causal.solver import Answer, Feasible, Infeasible, Unknown
from mazurka.predict.seqcheck_cone import Cone, cone_of
from mazurka.predict.seqcheck_decide import NO, YES
from mazurka.predict.seqcheck_index import NONE, Index, Ints, index_of
from mazurka.predict.seqcheck_kernel import kernel_for
from mazurka.trace.event import Op
from mazurka.trace.trace import Trace

#: The complete solver's model is made of traces of at most so many events.
COMPLETE_UP_TO: Final = 300_000


def sequence(events: Sequence[int], adjacent: int = 1) -> Question:
    """Do events happen in this order, the last ``adjacent`` of them right after one another?"""
    first, last = tuple(events[: len(events) - adjacent]), tuple(events[len(events) - adjacent :])
    return Question(happen=first, before=tuple(zip(first, first[1:], strict=False)), next=last)


@dataclass(slots=True, weakref_slot=True)
class SeqCheck:
    """Answers questions about one trace. Events are rows; ``complete_up_to`` events what is undecided goes to the complete
    solver."""

    trace: Trace
    complete_up_to: int = COMPLETE_UP_TO
    kernel: Any = None
    index: Index = field(init=False)
    cone: Cone = field(init=False)
    slot: Ints = field(init=False)
    _model: Model | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if self.kernel is None:
            self.kernel = kernel_for(len(self.trace))
        self.index = index_of(self.trace, self.kernel)
        targets = len(self.trace.targets)
        self.cone = cone_of(len(self.trace.threads), targets)
        self.slot = np.full(targets, NONE, np.int64)

    def decide(self, question: Question) -> Answer:
        """``Feasible`` tells the rows in order."""
        answer, since, rows = self.quickly(question, True)
        if answer == YES:
            return Feasible((*range(since), *rows.tolist()))
        return Infeasible() if answer == NO else self.completely(question)

    def quickly(self, question: Question, tell: bool = False) -> tuple[int, int, Ints]:
        """What the kernels say; see :func:`mazurka.predict.seqcheck_decide.decide`."""
        event = self.index.event
        last = set(question.next)
        if any(first in last for first, _ in question.before):
            return NO, 0, np.empty(0, np.int64)
        pairs = [(event[a], event[b]) for a, b in question.before if b not in last]
        happen = {*question.happen, *(a for a, _ in question.before), *(b for _, b in question.before)} - last
        return self.kernel.decide(
            self.index,
            self.cone,
            self.slot,
            event[np.array(sorted(happen), np.int64)].astype(np.int64),
            event[np.array(sorted(last), np.int64)].astype(np.int64),
            np.array(pairs, np.int64).reshape(len(pairs), 2),
            tell,
        )

    def completely(self, question: Question) -> Answer:
        """What the complete solver says, if it is asked."""
        if len(self.trace) > self.complete_up_to:
            return Unknown(f"undecided, and the trace has more than {self.complete_up_to} events")
        if self._model is None:
            self._model = model_of_trace(self.trace, branches=bool(len(self.index.guard)))
        return ClosureSolver().decide(self._model, question)
