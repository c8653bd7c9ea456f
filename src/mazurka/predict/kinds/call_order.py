"""Call order violations: two calls that do not commute, and may come in the other order than in the trace.

The field calls them *commutativity order violations* (thesis, definition 3.3.1), for instance: a file is written to
after it was closed, or a notification comes before a thread waits for it. The specification and the executable model of
a type (:mod:`mazurka.commute`) define the effects of its marked methods (`mazurka.linearizable`). Both calls may be
made under one lock.

The rows of a finding are those at which the calls begin, the earlier one in the trace first.
:mod:`mazurka.predict.call_orders` finds the candidates and decides them: in the question here calls are events without
effect.
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

#: Calls that wait on a condition.
_WAITS: Final = re.compile(r"\.wait\('")
_NOTIFIES: Final = re.compile(r"\.notify(_all)?\(\)")


def candidates(trace: Trace, thorough: bool) -> Iterable[Rows]:  # none of them implies another
    """See :class:`~mazurka.predict.kinds.definition.Definition`."""
    return candidates_of(ModelledCalls(trace), False, LIMIT + 1)


def candidates_of(calls: ModelledCalls, by_order: bool, most: int | None = None) -> Iterable[Rows]:
    """The rows at which two calls begin; ``by_order``: only pairs that the order edc leaves unordered; ``most``: at
    most so many pairs of the same two places."""
    events = calls.events.calls
    found = pairs(calls, by_order, most)
    return ((events[each.first].begin, events[each.second].begin) for each in found)


def claim(rows: Rows) -> CallsReversed:
    """The claim that the second takes effect before the first."""
    return CallsReversed(StepIndex(rows[0]), StepIndex(rows[1]))


def question(rows: Rows, trace: Trace) -> Question:  # the causal model has no effects of calls
    """Whether the second can have begun when the first is next."""
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
