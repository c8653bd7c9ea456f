"""The events of an execution, and the conflicting extensions of its configuration.

A *conflicting extension* of a configuration is an event in conflict with one of its events, whose history it contains
(POR-SE, section 3.6 and appendix F). For each pair of events d and e of the configuration such that the thread of e
could have moved before d (a *race*), there is one: the action of e, after the history of e without d and all that
happens after d. It is an alternative to d.

The rules of appendix F, by action:

- *acquire*, the second half of a *wait* (w2): before each earlier acquire of the lock that the thread's own history
  does not need, since the lock is free there. An acquire that waits in vain at the end of the execution has the same
  ones.
- *release*, the first half of a wait (w1), *signal* and *broadcast*: none of their own, if they are made under a lock,
  whose order decides. A front end stops before all others, and then they are reordered as writes of the condition.
- reads, writes and atomic updates of locations: before each access in conflict which directly precedes.
- *try-lock*, and other attempts: as a write or, where the lock is held, a read.
- taking from a *semaphore*, a *read-write lock*, a *barrier*: before each earlier operation on it before which its
  thread need not wait. Where the execution does not determine that, the extension is *unsure*: it is refuted if an
  execution can't follow it.
- *create*, *join*: none; the dependence on them is part of the history.
- branches on symbolic values (*loc*): made by the front end that has symbolic values.

Appendix F enumerates all histories of an action within the configuration, whose number is exponential if there are
concurrent reads. One for each race is enough: take a maximal configuration M that contains the events before d and not
d, and its first event m in conflict with d. The search has executed d where m comes next after it, or as soon as it
need not wait; there, d and m race, and the extension is m. The property tests count.
"""

from __future__ import annotations

from typing import NamedTuple

from mazurka.explore.races import Execution, PointEvent
from mazurka.unfold.events import Unfolding, UnfoldingEvent


class Extension(NamedTuple):
    """``event`` is an alternative to ``first``, which is an event of the execution."""

    event: UnfoldingEvent
    first: UnfoldingEvent


def events_of(execution: Execution, unfolding: Unfolding) -> list[UnfoldingEvent]:
    """The events of an execution, in its order."""
    events: list[UnfoldingEvent] = []
    by_thread: list[list[UnfoldingEvent]] = [[] for _ in execution.tasks]
    for event, thread, clock in zip(execution.events, execution.numbers, execution.clocks, strict=True):
        own = clock[thread]
        made = _event(unfolding, event, [*clock[:thread], own - 1, *clock[thread + 1 :]], by_thread)
        by_thread[thread].append(made)
        events.append(made)
        unfolding.execute(made)
    return events


def extensions_of(execution: Execution, events: list[UnfoldingEvent], unfolding: Unfolding) -> list[Extension]:
    """The conflicting extensions of the configuration of these events, which are those of the execution."""
    by_thread: list[list[UnfoldingEvent]] = [[] for _ in execution.tasks]
    for event, thread in zip(events, execution.numbers, strict=True):
        by_thread[thread].append(event)
    return [
        Extension(
            _event(unfolding, reversal.items[-1].event, execution.past(reversal), by_thread, reversal.varies),
            events[reversal.depth],
        )
        for reversal in execution.reversals()
    ]


def _event(
    unfolding: Unfolding,
    event: PointEvent,
    clock: list[int],
    by_thread: list[list[UnfoldingEvent]],
    varies: bool = False,
) -> UnfoldingEvent:
    past = {}
    for done, count in zip(by_thread, clock, strict=True):
        if count:
            past[done[count - 1].thread] = done[count - 1]
    return unfolding.event(event.thread, event.reads, event.writes, past, varies)
