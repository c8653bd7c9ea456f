"""Places in a source text, as one text, in trace files.

``file:line``, ``file:line:column`` and either with `` in function``. Any other text, a number of RAPID's for instance,
is no place that can be looked up: it is kept as the file, with line 0. So a text can be restored from its location, and
different texts give different locations.
"""

from __future__ import annotations

import re
from typing import Final

from mazurka.trace.event import Location

_PLACE: Final = re.compile(r"(.+?):([1-9]\d{0,8})(?::([1-9]\d{0,8}))?(?: in (.+))?", re.ASCII | re.DOTALL)


def location_of(text: str) -> Location:
    """The location that ``FILE:LINE[:COLUMN][ in FUNCTION]`` names; any other text is a file without a line."""
    found = _PLACE.fullmatch(text)
    if found is None:
        return Location(text, 0)
    file, line, column, function = found.groups()
    return Location(file, int(line), int(column or 0), function or "")


def text_of(location: Location) -> str:
    """The location as text, which :func:`location_of` reads back."""
    if not location.line:
        return location.file
    column = f":{location.column}" if location.column else ""
    function = f" in {location.function}" if location.function else ""
    return f"{location.file}:{location.line}{column}{function}"
