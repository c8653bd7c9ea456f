"""The question every explorer and predictor asks of a causal model, and the protocol of what answers it.

A :class:`Query` names, per thread of a :class:`~mazurka.causal.history.History`, how many of its steps are to happen,
and *extra* steps that happen after those of their thread. The set is closed under program order and reads-from. Asked
is a total order of these steps in which every read still takes its value from the write it had, and the extra steps'
listed reads from the writes listed. That is: between a read and its source no other step writes the target, and a
read of the initial value precedes all its writers. A step that both reads and writes a target is indivisible, so two
of them never share a source.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from mazurka.causal.history import History


@dataclass(frozen=True, slots=True)
class HypotheticalEvent:
    """A step that did not happen in the run like this: its reads are listed with the sources they shall have.

    A source is a step of the history, ``INITIAL``, or ``len(history.numbers) + k`` for the k-th extra step.
    """

    thread: int
    reads: tuple[tuple[Any, int], ...]
    writes: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """Can the first ``past[t]`` steps of every thread ``t`` and then ``extras`` happen, all reads as said?"""

    past: tuple[int, ...]
    extras: tuple[HypotheticalEvent, ...]


@dataclass(frozen=True, slots=True)
class Feasible:
    """Yes, in this order: steps of the history, and ``len(history.numbers) + k`` for the k-th extra step."""

    order: tuple[int, ...]


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


class Solver(Protocol):
    """Decides queries. Implementations agree wherever none of them gives up."""

    name: str

    def solve(self, history: History, query: Query) -> Answer: ...
