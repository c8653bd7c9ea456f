"""Lays an explanation out as text: a column per thread, time downward, the source to the right.

Only one thread acts in a row, so the words of its step may extend over the empty columns to its right; a column need
not be wider than its heading. So any number of threads fit on a line, followed by the source, which is cut at the
width.
"""

from __future__ import annotations

import os
from enum import Enum
from typing import Final

from mazurka.lazy_dataclass import dataclass
from mazurka.replay.anchor import portable_path
from mazurka.report.finding import Explanation, Fold, Row
from mazurka.report.words import cut, one_line
from mazurka.trace.event import Location

_NUMBER: Final = 6
_LABEL: Final = 20
_NARROWEST: Final = 8
_STEP: Final = 24
_GAP: Final = 2
_AND: Final = ", "
_PATH: Final = 24
_SLIGHTLY: Final = 20
_LEFT_OUT: Final = ".../"

#: The least number of steps for which a fold is shown.
_LEAST_FOLD: Final = 3

#: A longer table leaves out folds, then puts all steps of a source line on one line, then leaves out notes.
_MOST_LINES: Final = 17


class _Extra(Enum):
    """A text that takes lines of its own beside the rows."""

    FOLDS = "folds"
    PARTS = "parts"
    NOTES = "notes"


_EXTRAS: Final = (
    frozenset(_Extra),
    frozenset({_Extra.PARTS, _Extra.NOTES}),
    frozenset({_Extra.NOTES}),
    frozenset[_Extra](),
)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text and the style it has on a terminal."""

    text: str
    style: str = ""


def table(explanation: Explanation, width: int, root: str) -> list[Line]:
    """The rows of an explanation as lines of at most ``width`` characters."""
    lines: list[Line] = []
    for extras in _EXTRAS:
        lines = _lines(explanation, width, root, extras)
        if len(lines) <= _MOST_LINES:
            break
    return lines


def _lines(explanation: Explanation, width: int, root: str, extras: frozenset[_Extra]) -> list[Line]:
    longest = max(width * 3 // 5, 40)
    starts, heading = _columns(explanation, longest)
    rows = [row for row in explanation.rows if isinstance(row, Row)]
    lefts = {id(row): _left(row, starts) for row in rows}
    places = {id(row): _place(row.location if row.caller is None else row.caller.location, root) for row in rows}
    left_width = _aligned([len(_AND.join(left)) for left in lefts.values()], len(heading), longest)
    place_width = min(max((len(place) for place in places.values()), default=0), 40)
    lines = [Line(cut(heading, width), "bold")]
    inside: dict[str, str] = {}
    for row in explanation.rows:
        if isinstance(row, Fold):
            if _Extra.FOLDS in extras and row.count >= _LEAST_FOLD:
                lines.append(Line(cut(f"   ... {_fold_text(row)}", width), "dim"))
            continue
        if row.note and _Extra.NOTES in extras:
            lines.append(Line(cut(f"{'':{_NUMBER}}-- {row.note} --", width), "cyan"))
        parts = lefts[id(row)] if _Extra.PARTS in extras else [_AND.join(lefts[id(row)])]
        first, *more = _broken(parts, longest, starts.get(row.thread, _NUMBER))
        style = "red" if row.failing else ""
        before = f"{first:<{left_width}}  {places[id(row)]:<{place_width}}  "
        lines.append(Line(cut(f"{before}{_source(row, root, inside, width - len(before))}".rstrip(), width), style))
        lines += [Line(each, style) for each in more]
    return lines


def _aligned(lengths: list[int], heading: int, longest: int) -> int:
    """The column of the source: right of most rows; the few longer rows have theirs further right."""
    ordered = sorted(lengths)
    most = ordered[len(ordered) * 3 // 4] if ordered else 0
    if ordered and ordered[-1] <= most + _SLIGHTLY:
        most = ordered[-1]
    return min(max(most, min(heading, longest)), longest)


def _columns(explanation: Explanation, longest: int) -> tuple[dict[str, int], str]:
    """The start of each thread's column, and the heading. Where there are many threads, less is shown of long names, to
    leave room for the steps in the last column."""
    short = [column.label.partition(" (")[0] for column in explanation.columns]  # without the function that it runs
    unique = len(set(short)) == len(short)
    names = short if unique else [column.label for column in explanation.columns]
    starts: dict[str, int] = {}
    heading = ""
    for limit in range(_LABEL, _NARROWEST - 1, -1):
        heading = " " * _NUMBER
        for column, name in zip(explanation.columns, names, strict=True):
            starts[column.thread] = len(heading)
            heading += _heading(name, limit).ljust(_NARROWEST) + " " * _GAP
        if max(starts.values(), default=0) + _STEP <= longest:
            break
    return starts, heading.rstrip()


def _heading(label: str, limit: int) -> str:
    """A thread's name in the heading; only the end of a long one, in which names of a pool differ."""
    return label if len(label) <= limit else "..." + label[3 - limit :]


def _left(row: Row, starts: dict[str, int]) -> list[str]:
    """The number, then the thread's step in its column, in parts that may be on lines of their own."""
    number = f"{'!' if row.failing else row.step:>{_NUMBER - 2}}".ljust(starts.get(row.thread, _NUMBER))
    first, *more = map(one_line, row.what)
    return [number + first, *more]


def _broken(parts: list[str], width: int, start: int) -> list[str]:
    """A thread's steps on one source line, broken into as many lines as they need."""
    lines = parts[:1]
    for part in parts[1:]:
        if len(lines[-1]) + len(_AND) + len(part) <= width:
            lines[-1] += _AND + part
        else:
            lines.append(" " * start + part)
    return [cut(line, width) for line in lines]


def _place(location: Location | None, root: str) -> str:
    if location is None:
        return ""
    path = portable_path(location.file, root)
    while len(path) > _PATH and "/" in path.removeprefix(_LEFT_OUT):
        path = _LEFT_OUT + path.removeprefix(_LEFT_OUT).partition("/")[2]
    return f"{path}:{location.line}"


def _source(row: Row, root: str, shown: dict[str, str], width: int) -> str:
    """The source line of a row; of a step inside a library the user's line, cut to leave room for the place in the
    library that it has led to, unless the thread's last row had the same."""
    if row.caller is None:
        return row.text
    place = _place(row.location, root)
    if shown.get(row.thread) == place:
        return row.caller.text
    shown[row.thread] = place
    for each in (place, os.path.basename(place)):
        library = f"   (in {each})"
        if width - len(library) >= min(_LEAST_CODE, len(row.caller.text)):
            return cut(row.caller.text, width - len(library)) + library
    return row.caller.text


#: How much is left of a user's line at least, beside a place in a library.
_LEAST_CODE: Final = 12


def _fold_text(fold: Fold) -> str:
    return ", ".join(f"{count} step{'s' if count > 1 else ''} of {label}" for label, count in fold.steps) + " omitted"
