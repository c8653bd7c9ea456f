"""The properties whose events a recording has: `mazurka record` keeps them in a file of the recording."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from mazurka.properties.property import Property

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
