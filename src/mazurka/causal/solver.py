"""The interface of solvers: from a question about a causal model (question.py) to an answer."""

from __future__ import annotations

from typing import Protocol

from mazurka.causal.history import History
from mazurka.causal.model import Model
from mazurka.causal.question import Question
from mazurka.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Assignment:
    """The choices that an answer makes where constraints leave any.

    ``sources`` has for each :class:`~mazurka.causal.question.Sees` of the question, in its order, the write that is
    seen.
    """

    sources: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Feasible:
    """There is an execution, in this order: events by their numbers in the run, and ``len(history.numbers) + k`` for
    the k-th hypothetical one. ``model`` is given if constraints of the question leave a choice."""

    order: tuple[int, ...]
    model: Assignment | None = None


@dataclass(frozen=True, slots=True)
class UnsatCore:
    """The reason why there is no execution: these constraints alone contradict each other and the model.

    ``sources`` are (write or ``INITIAL``, read) pairs that have to be kept, ``orders`` pairs that the question wants in
    this order; events are numbered as in :class:`Feasible`.
    """

    sources: tuple[tuple[int, int], ...]
    orders: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Infeasible:
    """There is no execution. Some solvers give the reason in ``because``."""

    because: UnsatCore | None = None


@dataclass(frozen=True, slots=True)
class Unknown:
    """The solver gave up."""

    reason: str


Answer = Feasible | Infeasible | Unknown

#: The subject of a question: a trace's model or a run's history.
CausalModel = Model | History


class Solver(Protocol):
    """Decides questions. Implementations agree on all questions on which none of them gives up. Threads do not share a
    solver: it may keep facts learnt about the last model."""

    name: str

    def decide(self, model: CausalModel, question: Question) -> Answer:
        """Whether there is an execution as the question asks, and its order. LookupError if the question names events
        that do not exist."""
        ...
