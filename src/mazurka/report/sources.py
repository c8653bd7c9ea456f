"""The source lines that a report shows, so that it can be read where the files are not.

Of each file the lines around those that steps, frames and rows name; a file that can't be read has none. The digest is
that of the whole file: a reader that has the file too can see whether it has changed since. Files are named as
everywhere in the report.

Cost: each file is read once; at most :data:`LINES` lines of each are kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from mazurka.replay.anchor import places_of, portable_path
from mazurka.report.finding import Finding, Row
from mazurka.report.report import Report
from mazurka.trace.event import Location

#: Lines that are kept before and after each named one.
AROUND: Final = 12

#: The most lines of one file.
LINES: Final = 2_000

#: The most characters of a line.
_WIDTH: Final = 400

#: The largest file that is read, in bytes.
_LARGEST: Final = 4_000_000


def sources_data(report: Report) -> dict[str, Any]:
    """By name of a file, its lines by numbers (as runs: the first line's number and the lines) and its digest."""
    named: dict[str, set[int]] = {}
    paths: dict[str, str] = {}
    for finding in report.findings:
        root = None if finding.predicted else report.root
        for location in _locations(finding):
            name = location.file if root is None else portable_path(location.file, root)
            paths.setdefault(name, location.file)
            named.setdefault(name, set()).add(location.line)
    read = {name: source_of(paths[name], lines, report.root) for name, lines in sorted(named.items())}
    return {name: data for name, data in read.items() if data is not None}


def file_digest(content: bytes) -> str:
    """The digest of a file's content."""
    return hashlib.sha256(content).hexdigest()[:16]


def file_content(path: str, root: str = "") -> bytes | None:
    """The content of a source file, wherever it is; None if it can't be read, or is no text."""
    for place in (path, *places_of(path, root)):
        try:
            if Path(place).is_file() and Path(place).stat().st_size <= _LARGEST:
                return Path(place).read_bytes()
        except (OSError, ValueError):
            continue
    return None


def _locations(finding: Finding) -> Iterator[Location]:
    observed = finding.observed.events if finding.observed is not None else ()
    rows = [row.location for row in finding.explanation.rows if isinstance(row, Row)]
    steps = [event.location for event in (*finding.execution, *observed, *finding.events)]
    frames = [frame.location for frame in finding.failure.frames] if finding.failure is not None else []
    for location in (finding.location, *rows, *steps, *frames):
        if location is not None and location.line:
            yield location


def source_of(path: str, named: Iterable[int], root: str = "") -> dict[str, Any] | None:
    """The lines of a file around those named, and its digest; None if it can't be read."""
    content = file_content(path, root)
    if content is None or b"\0" in content:
        return None
    lines = content.decode("utf-8", "replace").split("\n")
    around = {near for line in named for near in range(max(line - AROUND, 1), min(line + AROUND, len(lines)) + 1)}
    return {"digest": file_digest(content), "lines": list(_stretches(lines, sorted(around)[:LINES]))}


def _stretches(lines: list[str], numbers: list[int]) -> Iterator[dict[str, Any]]:
    start = 0
    for at, number in enumerate(numbers):
        if at + 1 == len(numbers) or numbers[at + 1] != number + 1:
            shown = numbers[start : at + 1]
            yield {"first": shown[0], "text": [lines[each - 1].rstrip("\r")[:_WIDTH] for each in shown]}
            start = at + 1
