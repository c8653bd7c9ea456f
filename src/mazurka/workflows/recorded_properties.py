"""The properties whose events a recording has: `mazurka record` writes their texts into its description."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from mazurka.properties.property import Property

_DESCRIPTION: Final = "recording.json"


def recorded_properties(trace: Path) -> tuple[Property, ...]:
    """The properties that the description of a recording states; none if the trace is no recording."""
    try:
        texts = json.loads((trace / _DESCRIPTION).read_text(encoding="utf-8")).get("properties", ())
    except (OSError, ValueError, AttributeError):
        return ()
    if not texts:
        return ()
    from mazurka.properties.parsing import parsed

    return parsed("\n".join(texts), str(trace / _DESCRIPTION))
