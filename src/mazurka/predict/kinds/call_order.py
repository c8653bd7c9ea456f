"""Call order violations: two calls that do not commute, and may come in the other order than in the trace.

The field calls them *commutativity order violations* (thesis, definition 3.3.1). What marked methods do
(`mazurka.linearizable`) is known by the specification and the executable model of their type
(:mod:`mazurka.commute`): a file written to after it was closed, a notification before a thread waits for it. Both calls
may be made under one lock.

The rows of a finding are those at which the calls begin, the earlier one in the trace first. Candidates are by
:mod:`mazurka.predict.call_orders`, which also decides them: the question here has calls for events that do nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from mazurka.causal.question import Question
from mazurka.predict.call_orders.candidates import pairs
from mazurka.predict.call_orders.objects import ModelledCalls
from mazurka.predict.kinds.definition import LIMIT, Doing, Rows
from mazurka.trace.ids import StepIndex
from mazurka.trace.trace import Trace
from mazurka.witness.witness import CallsReversed

#: Calls of conditions.
_WAITS: Final = re.compile(r"\.wait\('")
_NOTIFIES: Final = re.compile(r"\.notify(_all)?\(\)")


def candidates(trace: Trace, thorough: bool) -> Iterable[Rows]:  # each pair of rows is one of its own
    """See :class:`~mazurka.predict.kinds.definition.Definition`."""
    return candidates_of(ModelledCalls(trace), False, LIMIT + 1)


def candidates_of(calls: ModelledCalls, by_order: bool, most: int | None = None) -> Iterable[Rows]:
    """The rows at which two calls begin; ``by_order``: those that the order edc leaves; ``most``: so many of two
    places."""
    events = calls.events.calls
    found = pairs(calls, by_order, most)
    return ((events[each.first].begin, events[each.second].begin) for each in found)


def claim(rows: Rows) -> CallsReversed:
    """The second takes effect before the first."""
    return CallsReversed(StepIndex(rows[0]), StepIndex(rows[1]))


def question(rows: Rows, trace: Trace) -> Question:  # of calls that are no events the causal model knows too little
    """Can the second have begun where the first is next?"""
    return Question(happen=rows[1:], next=rows[:1])


def sentence(events: Sequence[Doing]) -> str:
    """The words of the finding: the calls, and the effect of their order."""
    first, second = events
    late, early = _outcome(first), _outcome(second)
    then = "" if late or early else "; both return the same, but the object is in another state"
    if then and _WAITS.search(first.target) and _NOTIFIES.search(second.target):
        then = ", which then is not woken by it: the notification is lost"
    return f"{second.thread} calls {second.target}{early} before {first.thread} calls {first.target}{late}{then}"


def ending(events: Sequence[Doing]) -> str:
    """How the order ends."""
    return f"then {events[0].thread} calls {events[0].target}"


def _outcome(event: Doing) -> str:
    """The result of a call, if it is another one than in the trace."""
    if event.gives == event.had:
        return ""
    return f", which then {event.gives}" + (
        f" and not {event.had.removeprefix('returns ')}" if _both_return(event) else ""
    )


def _both_return(event: Doing) -> bool:
    return all(each.startswith("returns ") for each in (event.had, event.gives))
