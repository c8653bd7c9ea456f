"""The one language in which explorers and predictors ask whether other executions are possible.

A :class:`Question` is about the events of a run, by their numbers in it. It is asked about one of two representations
of the run, which differ in the values that an execution has to keep:

- a :class:`~mazurka.causal.model.Model` (the maximal causal model of a trace): reads that an event depends on get the
  same value as in the run, from any write; the solver chooses the events that take place besides those asked for;
- a :class:`~mazurka.causal.history.History` (used by explorers): every read takes its value from the same write as in
  the run. That is: between a read and its source no other step writes the target, and a read of the initial value
  precedes all its writers. A step that both reads and writes a target is indivisible, so two of them never share a
  source.

A prefix of each thread takes place, so an event implies those before it in its thread. If the question is about a
history, ``happen`` has to be closed under reads-from, too (:meth:`~mazurka.causal.history.History.include`), and no
other event takes place unless the question has further parts (:attr:`Question.is_plain`).

Constraints beyond the events that take place are of type :data:`Constraint`: a new one is a class here and a member of
the union, and ``assert_never`` makes every solver handle it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, starmap
from typing import Any

from mazurka.lazy_dataclass import dataclass
from mazurka.trace.ids import StepIndex


@dataclass(frozen=True, slots=True)
class HypotheticalEvent:
    """A step that did not happen in the run in this form: its reads are listed with the sources that they shall have.

    It comes right after the events of its ``thread`` (a number) that take place. A source is a step of the history,
    ``INITIAL``, or ``len(history.numbers) + k`` for the k-th hypothetical event of the question.
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
    """Constraints that events happen in this order."""
    return tuple(starmap(Before, pairwise(events)))


@dataclass(frozen=True, slots=True)
class Question:
    """Asks whether there is an execution in which all of this holds. See the module.

    ``happen`` take place. ``next`` do not, but each is the next event of its thread, all at once: two accesses race,
    several requests of locks are a deadlock. ``blocked`` are like ``next``, except that other threads' events that they
    need (the end of a thread that is joined, a notification) need not have happened. ``never`` do not take place,
    wherever their threads are. ``hypothetical`` events take place, each after the events of its thread that happen;
    they can only be asked of histories.
    """

    happen: tuple[int, ...] = ()
    next: tuple[int, ...] = ()
    blocked: tuple[int, ...] = ()
    never: tuple[int, ...] = ()
    hypothetical: tuple[HypotheticalEvent, ...] = ()
    constraints: tuple[Constraint, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether the question is only whether events, or hypothetical ones, can happen."""
        return not (self.next or self.blocked or self.never or self.constraints)
