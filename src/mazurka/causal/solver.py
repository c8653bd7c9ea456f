"""The seam to solvers: a question about a causal model (question.py) in, an answer out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from mazurka.causal.history import History
from mazurka.causal.model import Model
from mazurka.causal.question import Question


@dataclass(frozen=True, slots=True)
class Assignment:
    """The choices of an answer where constraints leave any.

    ``sources`` are, by :class:`~mazurka.causal.question.Sees` of the question in its order, the write that is seen.
    """

    sources: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Feasible:
    """Yes, in this order: events by their numbers in the run, and ``len(history.numbers) + k`` for the k-th
    hypothetical one. ``model`` is given if constraints of the question leave something to choose."""

    order: tuple[int, ...]
    model: Assignment | None = None


@dataclass(frozen=True, slots=True)
class UnsatCore:
    """Why there is none: these alone contradict each other and the model.

    ``sources`` are (write or ``INITIAL``, read) pairs that were to be kept, ``orders`` pairs that were asked to be in
    this order, numbered as in the answer's order.
    """

    sources: tuple[tuple[int, int], ...]
    orders: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Infeasible:
    """No order does it. ``because`` is given by solvers that know."""

    because: UnsatCore | None = None


@dataclass(frozen=True, slots=True)
class Unknown:
    """The solver gave up."""

    reason: str


Answer = Feasible | Infeasible | Unknown

#: The subject of a question: a trace's model or a run's history.
CausalModel = Model | History


class Solver(Protocol):
    """Decides questions. Implementations agree wherever none of them gives up. Threads do not share one: it may keep
    what it has learnt of the last model."""

    name: str

    def decide(self, model: CausalModel, question: Question) -> Answer:
        """Whether there is an execution as asked, and in which order. LookupError if there are no such events."""
        ...
