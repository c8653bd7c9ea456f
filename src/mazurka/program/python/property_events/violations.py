"""A violation of a property ends a controlled run, as a failure: its events, with their objects, threads and places."""

from __future__ import annotations

from typing import Any

from mazurka.program.protocol import Failure, FailureKind, MatchedEvent
from mazurka.program.python import stacks
from mazurka.program.python.instrument import sites
from mazurka.program.python.property_events.emission import Reported
from mazurka.properties.monitor import Match
from mazurka.properties.property import Property


def violated(run: Any, stated: Property, reported: list[Reported], match: Match) -> None:
    """Note the failure, and end the run."""
    events = tuple([_matched(reported[each.number]) for each in match.events])
    message = stated.description or f"the property {stated.name} is violated"
    objects = ", ".join(f"{parameter} = {thing}" for parameter, thing in _objects(match))
    words = f"{message} ({objects})" if objects else message
    frames = stacks.readable(stacks.frames())
    run.failures.append(
        Failure(
            FailureKind.PROPERTY,
            words,
            run.current.name,
            events[-1].location,
            frames=frames,
            step=len(run.log),
            rule=stated.name,
            events=events,
        )
    )
    run.stop()


def _matched(event: Reported) -> MatchedEvent:
    return MatchedEvent(event.event, event.objects, event.thread, event.step, sites.location(event.site))


def _objects(match: Match) -> list[tuple[str, str]]:
    """The objects of the binding, by parameter."""
    return list(match.binding.objects.items())
