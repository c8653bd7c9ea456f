"""The one language in which explorers and predictors ask what else could have happened.

A :class:`Question` is about the events of a run, by their numbers in it. What it may be put to sees the run in one of
two ways, and decides what an execution has to keep:

- a :class:`~mazurka.causal.model.Model` (the maximal causal model of a trace): reads that something depends on get the
  value they got, from whichever write; what takes place besides what is asked for is up to the solver;
- a :class:`~mazurka.causal.history.History` (what explorers have): every read takes its value from the very write it
  had. That is: between a read and its source no other step writes the target, and a read of the initial value precedes
  all its writers. A step that both reads and writes a target is indivisible, so two of them never share a source.

Of each thread a prefix takes place, so an event implies those before it in its thread. Of a history,
``happen`` has to be closed under reads-from, too (:meth:`~mazurka.causal.history.History.include`), and nothing else
takes place if nothing else is asked (:attr:`Question.is_plain`).

Constraints beyond the events that take place are of type :data:`Constraint`: a new one is a class here and in the
union, and every solver is made to say what becomes of it (``assert_never``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, starmap
from typing import Any

from mazurka.trace.ids import StepIndex


@dataclass(frozen=True, slots=True)
class HypotheticalEvent:
    """A step that did not happen in the run like this: its reads are listed with the sources they shall have.

    It comes right after what takes place of its ``thread`` (a number). A source is a step of the history, ``INITIAL``,
    or ``len(history.numbers) + k`` for the k-th hypothetical event of the question.
    """

    thread: int
    reads: tuple[tuple[Any, StepIndex], ...]
    writes: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Before:
    """Both events take place, ``first`` before ``second``."""

    first: int
    second: int


@dataclass(frozen=True, slots=True)
class Sees:
    """The event ``read`` takes place, and takes its value of ``target`` from one of ``sources`` (events, or
    ``INITIAL``) wrote in the run: to ask for a value, list the writes of it."""

    read: int
    target: Any
    sources: tuple[int, ...]


Constraint = Before | Sees


def in_order(events: Sequence[int]) -> tuple[Before, ...]:
    """That events happen one after the other."""
    return tuple(starmap(Before, pairwise(events)))


@dataclass(frozen=True, slots=True)
class Question:
    """Is there an execution in which all this holds? See the module.

    ``happen`` take place. ``next`` do not, but each is what its thread would do next, all at once: two accesses race,
    several requests of locks are a deadlock. ``blocked`` are like ``next``, except that other threads' events that they
    need (the end of a thread that is joined, a notification) need not have happened. ``never`` do not take place,
    wherever their threads are. ``hypothetical`` take place, each after what happens of its thread; only histories are
    asked about them.
    """

    happen: tuple[int, ...] = ()
    next: tuple[int, ...] = ()
    blocked: tuple[int, ...] = ()
    never: tuple[int, ...] = ()
    hypothetical: tuple[HypotheticalEvent, ...] = ()
    constraints: tuple[Constraint, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether all that is asked is that events, or hypothetical ones, happen."""
        return not (self.next or self.blocked or self.never or self.constraints)
