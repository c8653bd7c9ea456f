"""The properties whose events a recording has: `mazurka record` keeps them in a file of the recording."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from mazurka.properties.property import Property

#: The name of the file.
PROPERTIES: Final = "properties.mzp"


def recorded_properties(trace: Path) -> tuple[Property, ...]:
    """The properties of a recording; none if the trace is no recording, or has no property events."""
    if not (trace / PROPERTIES).is_file():
        return ()
    from mazurka.properties.registry import find

    return find(str(trace / PROPERTIES))
