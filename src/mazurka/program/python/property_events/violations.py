"""A violation of a property ends a controlled run, as a failure: its events, with their objects, threads and places."""

from __future__ import annotations

from typing import Any

from mazurka.program.protocol import Failure, FailureKind, MatchedEvent
from mazurka.program.python import stacks
from mazurka.program.python.instrument import sites
from mazurka.program.python.property_events.emission import Reported
from mazurka.properties.monitor import Match
from mazurka.properties.property import Property, described


def violated(run: Any, stated: Property, reported: list[Reported], match: Match) -> None:
    """Note the failure, and end the run."""
    events = tuple([_matched(reported[each.number]) for each in match.events])
    message = _words(run, stated, match)
    frames = stacks.readable(stacks.frames())
    run.failures.append(
        Failure(
            FailureKind.PROPERTY,
            message,
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


def _words(run: Any, stated: Property, match: Match) -> str:
    """The description of the property, with the objects and threads of the binding in place of their names."""
    words = stated.description or f"the property {stated.name} is violated"
    bound = dict(match.binding.objects)
    bound.update({name: _thread(run, each) for name, each in match.binding.threads.items() if each is not None})
    filled = described(words, bound)
    unnamed = "" if "{" in stated.description else ", ".join(f"{name} = {thing}" for name, thing in bound.items())
    return f"{filled} ({unnamed})" if unnamed else filled


def _thread(run: Any, name: Any) -> str:
    task = run.by_name.get(name)
    return str(task.label) if task is not None and task.label else "main" if name == "0" else f"thread {name}"
