"""The properties whose events a recording has: `mazurka record` keeps them in a file of the recording."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from mazurka.errors import UsageError
from mazurka.properties.property import Property
from mazurka.trace.property_events import property_events
from mazurka.trace.trace import Trace

#: The file of a recording that describes its program.
DESCRIPTION: Final = "recording.json"

#: The name of the file.
PROPERTIES: Final = "properties.mzp"


def keep_properties(trace: Path, properties: Sequence[Property]) -> None:
    """Note in a recording which properties' events it has."""
    if properties:
        (trace / PROPERTIES).write_text("\n".join(map(str, properties)), encoding="utf-8")


def recorded_properties(trace: Path) -> tuple[Property, ...]:
    """The properties of a recording; none if the trace is no recording, or has no property events."""
    if not (trace / PROPERTIES).is_file():
        return ()
    from mazurka.properties.registry import find

    return find(str(trace / PROPERTIES))


def require_events(path: Path, trace: Trace, wanted: Mapping[str, Sequence[Property]]) -> None:
    """Raise UsageError if a trace was made without the events of wanted properties, by their name or file: nothing
    could be found then, whatever the program does."""
    recorded = {each.name: each for each in recorded_properties(path)}
    for name, properties in wanted.items():
        known = [recorded[each.name] for each in properties if each.name in recorded]
        changed = [each.name for each in properties if each.name in recorded and not _same(each, recorded[each.name])]
        if changed:
            why = f"the recording has the events of {changed[0]} as they were stated before"
        elif not known and not any(property_events(trace, each.name) for each in properties):
            why = f"this trace has no events of {', '.join(each.name for each in properties)}"
        else:
            continue
        hint = f"record them: mazurka record --property {name} {_program(path)}"
        raise UsageError("no-property-events", why, where=str(path), hint=hint)


def _same(one: Property, other: Property) -> bool:
    """Whether two properties have the same events; their patterns may differ."""
    return set(one.events) == set(other.events)


def _program(path: Path) -> str:
    """The program of a recording, as the command line names it."""
    try:
        known = json.loads((path / DESCRIPTION).read_text(encoding="utf-8"))
        return " ".join([known["program"], *(["--", *known["arguments"]] if known["arguments"] else [])])
    except (OSError, ValueError, KeyError, TypeError):
        return "PROGRAM"
