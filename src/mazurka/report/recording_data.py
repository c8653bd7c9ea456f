"""A recorded trace as data for the page: columns of small integers, packed, and tables of names.

A column is an object: ``base`` is added to each number, ``width`` their bytes (1, 2 or 4), ``data`` base64 of the
numbers, little-endian, unsigned. ``value`` -1 is unknown, ``file`` -1 has no place. Steps have the numbers of the
trace's events as they were read, from 0.

Cost: some passes over the columns; about 10 bytes for each event.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

import mazurka
from mazurka.report.render_json import SCHEMA_VERSION
from mazurka.report.sources import source_of
from mazurka.report.words import LONGEST_NAME, shorten, verb
from mazurka.trace.event import Op
from mazurka.trace.trace import Trace

#: The most events of a page; of a longer trace the first ones are shown.
MOST: Final = 1_000_000

#: The most names of a table; the others have a number only.
_NAMES: Final = 200_000

#: The most files whose sources are kept.
_FILES: Final = 200


def recording_data(trace: Trace, name: str) -> dict[str, Any]:
    """The trace as data."""
    length = min(len(trace), MOST)
    files, file, line = _places(trace, length)
    target = np.asarray(trace.target)[:length]
    named = {
        path: sorted({int(each) for each in line[file == number] if each}) for number, path in enumerate(files[:_FILES])
    }
    sources = {path: source_of(path, lines) for path, lines in named.items()}
    return {
        "mazurka": mazurka.__version__,
        "schema_version": SCHEMA_VERSION,
        "recording": name,
        "columns": {
            "length": length,
            "first": 0,
            "thread": packed(np.asarray(trace.thread)[:length]),
            "op": packed(np.asarray(trace.op)[:length]),
            "target": packed(target),
            "value": packed(np.asarray(trace.value)[:length]),
            "file": packed(file),
            "line": packed(line),
            "threads": [shorten(each, LONGEST_NAME) for each in trace.threads],
            "ops": [op.name.lower().replace("_", "-") for op in Op],
            "words": [verb(op) for op in Op],
            "targets": _names(trace.targets, int(target.max(initial=-1)) + 1),
            "values": [shorten(str(each), LONGEST_NAME) for each in trace.values[:_NAMES]],
            "files": files,
        },
        "omitted": len(trace) - length,
        "sources": {path: source for path, source in sources.items() if source is not None},
    }


def packed(numbers: Any) -> dict[str, Any]:
    """A column of integers, packed (see the module)."""
    column = np.asarray(numbers, np.int64)
    base = int(column.min(initial=0))
    width = next(width for width in (1, 2, 4) if int(column.max(initial=0)) - base < 1 << 8 * width)
    data = (column - base).astype(f"<u{width}").tobytes()
    return {"base": base, "width": width, "data": base64.b64encode(data).decode()}


def _places(trace: Trace, length: int) -> tuple[list[str], Any, Any]:
    """The files, and for each event the number of its file (-1: unknown) and its line."""
    files: dict[str, int] = {}
    numbers = [files.setdefault(location.file, len(files)) for location in trace.locations]
    lines = [location.line for location in trace.locations]
    site = np.asarray(trace.site)[:length].astype(np.int64)
    known = (site >= 0) & (site < len(numbers))
    index = np.where(known, site, 0)
    if not numbers:
        return [], np.full(length, -1), np.zeros(length, np.int64)
    file = np.where(known, np.array(numbers)[index], -1)
    return list(files), file, np.where(known, np.array(lines)[index], 0)


def _names(targets: Sequence[Any], used: int) -> list[str]:
    words = [" ".join(map(str, each[1:])) or str(each[0]) for each in targets[: min(used, _NAMES)]]
    return [shorten(each, LONGEST_NAME) for each in words] + [f"target {number}" for number in range(_NAMES, used)]
