"""Has programs report the events of properties, from the rewriting of their modules on.

Imported only where there are properties: their classes take some milliseconds.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from mazurka.program.python.instrument import woven_names
from mazurka.program.python.instrument.woven_names import WovenNames
from mazurka.program.python.property_events import hooks
from mazurka.program.python.property_events.emission import Emitter
from mazurka.program.python.property_events.unknown_names import impossible_events
from mazurka.program.python.property_events.violations import violated
from mazurka.properties import registry
from mazurka.properties.property import Moment, PointcutKind, Property
from mazurka.properties.reached import Reached


class HeldProperties:
    """Programs report the events of these properties until :meth:`end`. If runs are controlled, a violation ends
    them."""

    def __init__(self, properties: Sequence[Property], controlled: bool) -> None:
        self._before = hooks.active
        self._unweave = weave(properties)
        self._emitter = Emitter(properties, violated if controlled else None)
        self._own = registry.own(properties)
        self.impossible: frozenset[str] | None = None  # events that can't happen, by the modules of all runs so far
        hooks.activate(self._emitter)

    def begin(self) -> None:
        """A run begins."""
        self._emitter.begin()

    def finish(self, run: Any, modules: Mapping[str, Any] | None = None, main: Mapping[str, Any] | None = None) -> None:
        """A run has ended, of a program of these modules, and globals of its main one."""
        self._emitter.finish(run)
        if modules is None or not self._own:
            return
        found = impossible_events(self._own, modules, main or {})
        self.impossible = frozenset(found) if self.impossible is None else self.impossible.intersection(found)

    def reached(self) -> dict[str, Reached]:
        """What the run has had of each property."""
        return self._emitter.monitors.reached()

    def end(self) -> None:
        """Programs report no more events; their hooks stay where they are, and do nothing."""
        hooks.activate(self._before)
        self._unweave()


def weave(properties: Iterable[Property]) -> Callable[[], None]:
    """Have modules that are rewritten from now on get hooks for the events of these properties; calling the result
    ends that."""
    vars(builtins).update(hooks.HOOKS)
    before = woven_names.active
    woven_names.activate(names_of(properties))
    return partial(woven_names.activate, before)


def names_of(properties: Iterable[Property]) -> WovenNames:
    """The names that the events of some properties are about."""
    found: dict[str, set[str]] = {"calls": set(), "exits": set(), "gets": set(), "sets": set(), "deletes": set()}
    for each in properties:
        for event in each.events:
            for pointcut in event.pointcuts:
                last = {name.rpartition(".")[2] for name in pointcut.names}
                found[_FIELD[pointcut.kind]] |= last
                if pointcut.kind is PointcutKind.CALL and pointcut.moment is not Moment.BEFORE:
                    found["exits"] |= last
    return WovenNames(**{field: frozenset(names) for field, names in found.items()})


_FIELD: Final = {
    PointcutKind.CALL: "calls",
    PointcutKind.GET: "gets",
    PointcutKind.SET: "sets",
    PointcutKind.DELETE: "deletes",
}
