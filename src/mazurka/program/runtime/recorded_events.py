"""The events of properties in a controlled run that is recorded: no monitor sees them, they become rows of its trace.

An event that takes place with a step of the run, or of an atomic section, follows the rows of that step and refers to
them (:mod:`mazurka.trace.property_events`); another one is a row alone. Events before there are two threads are
recorded, too, since they may begin a word.

No branches are recorded: all that a thread does depends on all that it has read before. So an event needs the values of
earlier steps in any case; it depends on that of its own step if the step may store nothing (a compare and exchange) or
has several accesses (an atomic section).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple, Protocol

from mazurka.program.protocol import Step
from mazurka.properties.property import Property
from mazurka.properties.reached import Reached
from mazurka.trace.event import Op
from mazurka.trace.ids import SiteNumber, ThreadIndex
from mazurka.trace.property_events import target_of
from mazurka.trace.targets import Target

#: How long the log, or the buffer of events, was before an operation.
Mark = int

_OP: Final = 1  # the place of the operation in an entry of the log


class PropertyEventSink(Protocol):
    """Takes the events of properties in controlled runs: monitors, or a recorder."""

    def begin(self) -> None:
        """A run begins."""
        ...

    def see(
        self, run: Any, stated: Property, event: str, objects: tuple[str, ...], site: int, mark: Mark | None
    ) -> None:
        """An event takes place in a controlled run, with the step since ``mark`` or as a step of its own."""
        ...

    def reached(self) -> dict[str, Reached]:
        """What the run has had of each property so far, if its events are not only recorded."""
        ...


class RecordedEvent(NamedTuple):
    """An event, after so many steps of the log."""

    steps: int
    thread: int
    target: Target
    site: int


class EventRecorder:
    """Records the events of a run. ``is_within_step``: whether the running thread is in a step that goes on, such as an
    atomic section; if that has no access yet, it gets one."""

    def __init__(self, is_within_step: Callable[[Any, int], bool]) -> None:
        self.events: list[RecordedEvent] = []
        self._is_within_step = is_within_step

    def begin(self) -> None:
        """See :class:`PropertyEventSink`."""
        self.events.clear()

    def see(
        self, run: Any, stated: Property, event: str, objects: tuple[str, ...], site: int, mark: Mark | None
    ) -> None:
        """See :class:`PropertyEventSink`."""
        if run.aborting:
            return
        within = self._is_within_step(run, site)
        has_step = mark is not None and len(run.log) > mark and run.log[-1][0] == run.current.index
        needs_value = within or (has_step and run.log[-1][_OP] is Op.RMW)
        target = target_of(stated.name, event, objects, within or has_step, needs_value)
        self.events.append(RecordedEvent(len(run.log), run.current.index, target, site))

    def reached(self) -> dict[str, Reached]:
        """See :class:`PropertyEventSink`."""
        return {}


def with_events(log: Sequence[Any], events: Sequence[RecordedEvent]) -> Iterator[Any]:
    """The steps of a run, each followed by the events that take place with it or after it."""
    place = 0
    for number in range(len(log) + 1):
        while place < len(events) and events[place].steps == number:
            each = events[place]
            yield Step(ThreadIndex(each.thread), Op.POINT, each.target, SiteNumber(each.site), point=False)
            place += 1
        if number < len(log):
            yield log[number]
