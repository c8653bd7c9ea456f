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
- branches on unknown inputs (*loc*): the condition's other truth value, after the same history (events.py). Whether
  inputs satisfy it is asked where a configuration is to have it (alternatives.py).

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
    rows = zip(execution.events, execution.numbers, execution.clocks, strict=True)
    for number, (event, thread, clock) in enumerate(rows):
        past = _past([*clock[:thread], clock[thread] - 1, *clock[thread + 1 :]], by_thread)
        condition = execution.conditions.get(number)
        if condition is None:
            made = [_event(unfolding, event, past)]
        else:
            made = unfolding.branches(event.thread, past, condition)
        by_thread[thread].append(made[-1])
        events += made
        for each in made:
            unfolding.execute(each)
    return events


def extensions_of(execution: Execution, events: list[UnfoldingEvent], unfolding: Unfolding) -> list[Extension]:
    """The conflicting extensions of the configuration of these events, which are those of the execution; without those
    of branches, which are known with these."""
    by_thread: list[list[UnfoldingEvent]] = [[] for _ in execution.tasks]
    grouped = by_number(execution, events)
    for group, thread in zip(grouped, execution.numbers, strict=True):
        by_thread[thread].append(group[-1])
    found = []
    for reversal in execution.reversals():
        past = _past(execution.past(reversal), by_thread)
        event = _event(unfolding, reversal.items[-1].event, past, reversal.varies)
        found.append(Extension(event, grouped[reversal.depth][0]))
    return found


def by_number(execution: Execution, events: list[UnfoldingEvent]) -> list[list[UnfoldingEvent]]:
    """For each event of an execution, those of the unfolding that it stands for."""
    left = iter(events)
    grouped = []
    for number in range(len(execution.events)):
        group, condition = [next(left)], execution.conditions.get(number)
        while group[-1].condition != condition:
            group.append(next(left))
        grouped.append(group)
    return grouped


def _past(clock: list[int], by_thread: list[list[UnfoldingEvent]]) -> dict[str, UnfoldingEvent]:
    last = [done[count - 1] for done, count in zip(by_thread, clock, strict=True) if count]
    return {event.thread: event for event in last}


def _event(
    unfolding: Unfolding, event: PointEvent, past: dict[str, UnfoldingEvent], varies: bool = False
) -> UnfoldingEvent:
    return unfolding.event(event.thread, event.reads, event.writes, past, varies)
