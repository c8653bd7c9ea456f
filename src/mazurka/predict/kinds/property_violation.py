"""Violations of properties that users state (:mod:`mazurka.properties`).

The rows of a finding are those with POINT of the events that make up a word of the pattern.
:mod:`mazurka.predict.property_search` finds the candidates and decides them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mazurka.causal.question import Question, in_order
from mazurka.predict.kinds.definition import Doing, Rows
from mazurka.trace.conditions_on_objects import MARK
from mazurka.trace.ids import StepIndex
from mazurka.trace.property_events import parsed
from mazurka.trace.trace import Trace
from mazurka.witness.witness import Claim, Ordered, PropertyViolation


def candidates(trace: Trace, thorough: bool) -> Iterable[Rows]:  # the stage has its own
    """See :class:`~mazurka.predict.kinds.definition.Definition`."""
    return ()


def claim(rows: Rows) -> Claim:
    """The claim that the events come in this order; the stage makes the claim about the property."""
    return Ordered(tuple(map(StepIndex, rows)))


def question(rows: Rows, trace: Trace) -> Question:  # the same for any trace
    """Whether the events can happen in this order."""
    return Question(happen=rows, constraints=in_order(rows))


def sentence(events: Sequence[Doing]) -> str:
    """The words of the finding: who did it, in the order in which it happened."""
    return ", then ".join(f"{each.thread} performs {each.target}" for each in events)


def ending(events: Sequence[Doing]) -> str:  # of all of them
    """How the order ends."""
    return "with these events in this order"


def call_of(text: str) -> str:
    """A property event in words, from the name of its target."""
    try:
        _, event, objects = parsed(text)
    except ValueError:
        return text
    return f"{event}({', '.join(each.removeprefix(MARK) for each in objects)})"


def bound_by(violation: PropertyViolation) -> dict[str, str]:
    """The names of the objects and threads that a violation binds, by parameter and attribute."""
    return dict(violation.objects) | {name: thread or "another thread" for name, thread in violation.threads}
