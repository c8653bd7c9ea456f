"""Reports property events to the run in progress: to the recording, or to the monitors of a controlled run.

An operation that is one step of the model is an event *with* that step. In a recording the event is a POINT that
follows the rows of the step and refers to them; in a controlled run it is part of the step
(:mod:`mazurka.program.runtime.property_monitors`). An operation without a step gets one of its own for the event.

A violation ends the run, as a failure whose kind is the name of the property.

Cost: some microseconds for each event; nothing where no property is active.
"""

from __future__ import annotations

from _thread import get_ident
from collections.abc import Sequence
from typing import Any, Final

from mazurka.program.python.property_events.naming import name_of, recorded
from mazurka.program.python.property_events.pointcuts import Described, Firing, Pointcuts
from mazurka.program.python.recording.raw import MORE
from mazurka.program.runtime.property_monitors import PropertyMonitors, Standing, Violated
from mazurka.program.runtime.recorded_events import Mark
from mazurka.properties.property import Anything, Moment, Pointcut, PointcutKind, Property
from mazurka.trace.event import Op
from mazurka.trace.targets import BRANCH, Kind

_POINT: Final = Op.POINT.value
_BRANCH: Final = (BRANCH, Op.BRANCH.value, 0, None, MORE)


class Emitter:
    """The properties that programs are held to, and the state of the present run."""

    def __init__(self, properties: Sequence[Property], on_violation: Violated | None = None) -> None:
        self.properties = tuple(properties)
        self.pointcuts = Pointcuts(properties)
        self.monitors = PropertyMonitors(properties, on_violation)
        self.has_pairs = any(self.monitors.paired.values()) and on_violation is not None

    def begin(self) -> None:
        """A run begins."""
        self.pointcuts.forget()
        self.monitors.begin()

    def finish(self, run: Any) -> None:
        """A run has ended: count undecided conditions, and forget its objects."""
        for condition, times in self.pointcuts.uncertain.items():
            run.untracked[f"a condition that looks at more than plain values, {condition},"] = times
        self.pointcuts.uncertain.clear()
        self.pointcuts.forget()

    # -- an operation -------------------------------------------------------------------------------------------------

    def begun(self, firings: list[Firing]) -> list[Firing]:
        """The events before an operation that is about to begin: those whose conditions are met now."""
        before = [each for each in firings if each.rule.pointcut.moment is Moment.BEFORE]
        return [each for each in before if self.pointcuts.is_met(each, None, False)]

    def stand(self, run: Any, firings: list[Firing], site: int, can_wait: bool) -> None:
        """A thread is about to make an operation: its events before that are the next of the thread. Where two events
        at once are a violation, this is a step of its own, so explorers look at all orders of these."""
        if run.solo or run.aborting:
            return
        for firing in firings:
            stated, event = firing.rule.property, firing.rule.event.name
            if event not in self.monitors.paired[stated.name]:
                continue
            if firing.rule.pointcut.moment is not Moment.BEFORE or can_wait:
                run.untracked[f"whether {event} of {stated.name} is at once with another event (||)"] = 1
            elif self.pointcuts.is_met(firing, None, False):
                objects = tuple(name_of(firing.bound[each]) for each in firing.rule.event.parameters)
                self.monitors.stands(run, stated, Standing(event, run.current.name, objects, site))

    def move(self, run: Any) -> None:
        """The running thread has made its operation."""
        self.monitors.move(run)

    def guard(self, run: Any, described: Sequence[Described]) -> None:
        """A value is about to be stored: if an event depends on it, so it does on the reads that the value comes from,
        also on that of an augmented assignment."""
        rules = ((rule, each) for each in described for rule in self.pointcuts.named(each.operation, each.name))
        if any(_depends_on_stored(rule.pointcut) and self.pointcuts.names(rule, each) for rule, each in rules):
            run.buffer.extend((get_ident(), *_BRANCH))

    def emit(self, run: Any, firings: list[Firing], site: int, mark: Mark) -> None:
        """Report events, each once: several of its pointcuts may describe one operation."""
        reported = set()
        for firing in firings:
            things = [firing.bound[each] for each in firing.rule.event.parameters]
            event = (firing.rule.property.name, firing.rule.event.name, id(firing.subject), *map(id, things))
            if event in reported:
                continue
            reported.add(event)
            if run.is_recording:
                _record(run, firing, things, site, mark)
            else:
                objects = tuple(map(name_of, things))
                self.monitors.see(run, firing.rule.property, firing.rule.event.name, objects, site, mark)

    def emit_end(self, run: Any, firings: list[Firing], result: Any, fails: bool, site: int, mark: Mark) -> None:
        """Report the events after an operation, with its result, or the exception that it has raised."""
        ended = []
        for firing in firings:
            moment = firing.rule.pointcut.moment
            if moment is Moment.BEFORE or moment is (Moment.RETURNING if fails else Moment.RAISING):
                continue
            if self.pointcuts.is_met(firing, result, moment is not Moment.AFTER):
                ended.append(firing)
        self.emit(run, ended, site, mark)


# -- recordings -------------------------------------------------------------------------------------------------------


def marked(run: Any) -> Mark:
    """The mark before an operation."""
    return len(run.buffer) if run.is_recording else len(run.log)


def _record(run: Any, firing: Firing, things: list[Any], site: int, mark: Mark) -> None:
    me = get_ident()
    parts = tuple(map(recorded, things))
    rows = _rows_since(run.buffer, mark, me)
    target = (Kind.POINT.tag, firing.rule.property.name, firing.rule.event.name, rows, parts)
    run.settle()
    if _may_depend_on_values(firing.rule.pointcut, rows):
        run.buffer.extend((me, *_BRANCH))
    run.buffer.extend((me, target, _POINT, site, None, MORE))


def _may_depend_on_values(pointcut: Pointcut, rows: int) -> bool:
    """Whether an event may not happen if the operation reads another value; without rows, such as an operator's, if the
    thread has read other operands before. Those that a store depends on come before it (:meth:`Emitter.guard`)."""
    if pointcut.moment in (Moment.RETURNING, Moment.RAISING) or pointcut.condition:
        return True
    return rows == 0 and not all(isinstance(each, Anything) for each in pointcut.operands or ())


def _depends_on_stored(pointcut: Pointcut) -> bool:
    """Whether an event of a store may not happen, or bind another object, if another value is stored."""
    place = 1 if pointcut.kind is PointcutKind.SET else 2
    operands = pointcut.operands or ()
    value = operands[place : place + 1] if Anything(more=True) not in operands[:place] else operands
    return pointcut.condition != "" or not all(isinstance(each, Anything) for each in value)


#: Further rows of one operation are not counted.
_MOST_ROWS: Final = 64


def _rows_since(buffer: list[Any], mark: Mark, me: int) -> int:
    """How many events the thread has added since the mark (in a list that may have been written in between)."""
    tail = buffer[mark:] if len(buffer) >= mark else buffer[:]
    count, place = 0, 0
    while place + 2 < len(tail) and count < _MOST_ROWS:
        count += tail[place] == me and tail[place + 2] != MORE
        place += 6 if place + 5 < len(tail) and tail[place + 5] == MORE else 3
    return count
