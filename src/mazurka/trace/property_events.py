"""Property events in traces: rows with the operation POINT, whose target names the property, the event and the objects
that its parameters stand for.

The target is ``("point", text)``, and the text ``property.event(object, object)``, with one object a parameter in the
order of the event's declaration; in names of objects the characters that have a meaning there are percent-encoded. So
every format of traces that keeps names of targets keeps property events.

A property event may be about an operation that has rows of its own, such as an access of a container. It then takes
place together with it: the text ends with ``^``, and the event's *row* is the last one of its thread before the POINT.
So the moment counts at which the operation takes effect, not the moment at which it was reported. If the text ends
with ``^=``, the event also depends on the value that the operation reads, as a successful compare and exchange does.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Final, NamedTuple
from urllib.parse import quote, unquote

import numpy as np

from mazurka.trace.columns import columns_of
from mazurka.trace.event import Op
from mazurka.trace.targets import Kind, Target, kind_of
from mazurka.trace.trace import Trace

#: Ends the text of a POINT that takes place together with the row before it in its thread.
_WITH_ROW_BEFORE: Final = "^"

#: Ends, after that, the text of one that depends on the value which that row reads.
_WITH_VALUE: Final = "="

_SAFE: Final = "#<>[]{}'\":;=+*/!?@&~$"


class PropertyEvent(NamedTuple):
    """``row`` is the row at which it takes place, ``point`` that of the POINT itself, ``first`` the first row of the
    operation with which it takes place: the rows before ``row`` in its thread that have the same place in the source.
    ``objects`` are named as in the trace. ``needs_value``: it does not take place if its row reads another value."""

    row: int
    point: int
    thread: int
    property: str
    event: str
    objects: tuple[str, ...]
    first: int
    needs_value: bool = False

    def begins(self, before: Container[str]) -> bool:
        """Whether it takes place when its operation begins, whatever that reads; ``before`` are the events that do so
        by their pointcuts."""
        return self.event in before and not self.needs_value


def target_of(
    name: str, event: str, objects: Iterable[str], with_row_before: bool = False, needs_value: bool = False
) -> Target:
    """The target of a property event."""
    text = f"{name}.{event}({','.join(quote(each, safe=_SAFE) for each in objects)})"
    mark = _WITH_ROW_BEFORE + (_WITH_VALUE if needs_value else "") if with_row_before else ""
    return (Kind.POINT.tag, text + mark)


def parsed(text: str) -> tuple[str, str, tuple[str, ...]]:
    """The property, the event and the objects that a target's text names; ValueError if it is no such text."""
    head, opened, rest = text.removesuffix(_WITH_VALUE).removesuffix(_WITH_ROW_BEFORE).partition("(")
    name, dot, event = head.rpartition(".")
    if not opened or not dot or not rest.endswith(")"):
        raise ValueError(f"no name of a property event: {text!r}")
    return name, event, tuple(unquote(each) for each in rest[:-1].split(",")) if rest != ")" else ()


def property_events(trace: Trace, name: str | None = None) -> Sequence[PropertyEvent]:
    """The property events of a trace in its order, those of one property if ``name`` is given. Targets of POINT events
    that are no names of property events are ignored.

    Cost: a pass over the rows of threads that have such events."""
    columns = columns_of(trace)
    points = np.flatnonzero(columns.op == Op.POINT)
    meant: dict[int, tuple[str, str, tuple[str, ...]] | None] = {}
    found: list[PropertyEvent] = []
    for point in points.tolist():
        x = int(columns.target[point])
        if x not in meant:
            meant[x] = _meaning(trace.targets[x])
        known = meant[x]
        if known is not None and name in (None, known[0]):
            first, row = _rows(trace, point)
            needs_value = _mark_of(trace, point) == _WITH_ROW_BEFORE + _WITH_VALUE
            found.append(PropertyEvent(row, point, int(columns.thread[point]), *known, first, needs_value))
    return sorted(found)


def _meaning(target: Target) -> tuple[str, str, tuple[str, ...]] | None:
    try:
        return parsed(str(target[1])) if kind_of(target) is Kind.POINT and len(target) == 2 else None
    except ValueError:
        return None


def _mark_of(trace: Trace, point: int) -> str:
    """The end of the text of a POINT, after the objects."""
    return str(trace.targets[int(trace.target[point])][1]).rpartition(")")[2]


def _rows(trace: Trace, point: int) -> tuple[int, int]:
    """The first and the last row of the operation with which a POINT takes place; without one the POINT itself."""
    if not _mark_of(trace, point):
        return point, point
    own = trace.rows_of_thread[int(trace.thread[point])]
    place = int(np.searchsorted(np.asarray(own), point))
    while place >= 0 and trace.op[int(own[place])] in (Op.POINT, Op.BRANCH):
        place -= 1
    if place < 0:
        return point, point
    first = row = int(own[place])
    while place > 0 and trace.op[int(own[place - 1])] != Op.POINT:
        place -= 1
        if trace.op[int(own[place])] == Op.BRANCH:
            continue
        if trace.site[int(own[place])] != trace.site[row] or trace.site[row] < 0:
            break
        first = int(own[place])
    return first, row
