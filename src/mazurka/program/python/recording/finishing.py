"""Makes the trace from a recording's segments (raw.py), and replaces them by it; it can begin again if it was killed.

It leaves out the accesses of locations that only one thread accesses, or that no thread writes: in every reordering of
the trace these have the same values, so they exclude no reordering, and no two of them conflict
(docs/decisions/record-all-keep-what-matters.md). A lock that one thread acquires and another releases guards nothing:
it is recorded like locks that do not belong to the program (locks.py). For a condition it keeps waits and notifications
if they show which notification woke which thread, and otherwise the operations on the locks of the waiting threads
(conditions.py).

Cost: one to two microseconds an event; memory for one segment, and the tables of names; on disk, 20 bytes an event
beside the segments until they are done.
"""

from __future__ import annotations

import json
import os
import shutil
import zlib
from array import array
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mazurka.errors import MazurkaError
from mazurka.lazy_dataclass import dataclass
from mazurka.program.python.instrument.sites import TRUTH_TEST, Site
from mazurka.program.python.property_events.naming import OBJECT, TUPLE, tuple_name
from mazurka.program.python.recording.branches import Branches
from mazurka.program.python.recording.raw import ADOPTED, LARGEST_CODE, LITERAL, MORE, OFFSETS, SUFFIX, WORKER
from mazurka.program.python.recording.reading import Segment, read
from mazurka.trace.columns import Columns, Names
from mazurka.trace.event import WRITES, Location, Op
from mazurka.trace.formats.parquet import Segments
from mazurka.trace.property_events import target_of
from mazurka.trace.targets import (
    ATTRIBUTE,
    BRANCH,
    CELL,
    CONDITION,
    HIDDEN,
    ITEM,
    LOCK,
    STRUCTURE,
    THREAD,
    VALUES,
    VARIABLE,
    Kind,
    Target,
    kind_of,
    of_kinds,
)
from mazurka.trace.trace import NO_VALUE

_COLUMNS: Final = ".npy"

#: A file that exists from the moment at which the trace is whole until the segments are deleted.
_MARKER: Final = "finished.json"

#: The longest text that stands for a value.
_LONG: Final = 60

#: Tags of targets that have no third part.
_WHOLE: Final = frozenset({STRUCTURE, VALUES, CELL, LOCK, HIDDEN})

#: The names in reports of the replacements of the standard library's primitives.
_CALLED: Final = {"RecordedLock": "Lock", "RecordedRLock": "RLock"}

#: Whether accesses of a target count even if only one thread accesses it.
_is_kept: Final = of_kinds(Kind.LOCK, Kind.THREAD, Kind.METHOD, Kind.POINT)

_WRITING: Final = np.array(WRITES)
_READ: Final = Op.READ.value
_WRITE: Final = Op.WRITE.value
_END: Final = Op.END.value
_OP: Final = (1 << 5) - 1
_TAG_AT: Final = {offset: tag for tag, offset in OFFSETS.items()}


@dataclass(frozen=True, slots=True)
class Finished:
    """The numbers of recorded events, of threads, and of events in the trace; and the number of reads whose value was
    not that of the last write, which only happens if events are in a wrong order; whether tasks of executors are
    threads of the trace (``executors.py``)."""

    recorded: int = 0
    threads: int = 0
    events: int = 0
    misread: int = 0
    tasks: bool = False


def finish(directory: Path) -> Finished:
    """Make a trace from the existing segments, and replace them by it.

    Raises a MazurkaError about a segment that no recorder can have written, and OSError if the trace can't be written.
    """
    raw = sorted(directory.glob(f"*{SUFFIX}"))
    if not raw:
        return Finished()
    marker = directory / _MARKER
    if marker.exists():  # an attempt was killed when the trace was whole
        before = _finished(marker)
        _clear(raw, marker)
        return before
    scratch = directory / "columns"
    for left in (*directory.glob("*.parquet"), *directory.glob("*.unfinished")):
        left.unlink()  # left by an attempt that was killed before
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    making, branches = SegmentColumns(), Branches()
    recorded = 0
    for path in raw:
        segment = read(path)
        making.learn(segment)
        for site in making.unknown(segment):
            raise MazurkaError("trace-malformed", f"the recording has no place for site {site}", where=str(path))
        rows = making.columns(segment)
        making.look_at(rows)
        recorded += int((rows.op != Op.BRANCH).sum())
        counts = branches.look_at(rows, len(making.names.targets), making.seen)
        np.save(scratch / f"{path.stem}{_COLUMNS}", np.stack([*rows, counts]))
    making.hide_handed()
    recorded_targets = making.is_recorded()
    branch = making.branch() if branches.idle(recorded_targets) else None
    segments = Segments(scratch / "parts", making.names)
    events = 0
    for path in raw:
        kept = scratch / f"{path.stem}{_COLUMNS}"
        *columns, counts = np.load(kept)
        rows = Columns(*columns)
        kept_rows = recorded_targets[rows.target]
        rows = making.with_rows(rows, kept_rows)
        rows = making.settled(rows._replace(op=rows.op.astype(np.int8)).select(kept_rows))
        events += rows.rows
        segments.add(rows if branch is None else branches.put_into(rows, counts[kept_rows] != 0, branch))
        kept.unlink()
    for made in sorted((scratch / "parts").iterdir()):
        os.replace(made, directory / made.name)
    shutil.rmtree(scratch)
    names = making.names.threads
    done = Finished(recorded, len(names), events, making.misread, any(name.startswith(WORKER) for name in names))
    unfinished = marker.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(asdict(done)), encoding="utf-8")
    os.replace(unfinished, marker)
    _clear(raw, marker)
    return done


def _finished(marker: Path) -> Finished:
    """The description of a finished recording."""
    try:
        counts = json.loads(marker.read_text(encoding="utf-8"))
        if all(type(count) in (int, bool) for count in counts.values()):
            return Finished(**counts)
    except (ValueError, TypeError, AttributeError, RecursionError):
        pass
    raise MazurkaError("trace-malformed", "this does not describe a finished recording", where=str(marker))


def _clear(raw: list[Path], marker: Path) -> None:
    for path in (*raw, marker):
        path.unlink()


class _NumbersOnDemand(dict[Any, int]):
    """Numbers of objects; an object without a number gets one at its first look-up."""

    def __init__(self, give: Callable[[Any], int]) -> None:
        self._give = give

    def __missing__(self, thing: Any) -> int:
        number = self[thing] = self._give(thing)
        return number


class _Point(NamedTuple):
    """The targets of a property event, alone and together with the row before it, and how many rows its operation
    has."""

    alone: int
    together: int
    rows: int


class SegmentColumns:
    """Makes columns of events, segment by segment."""

    def __init__(self) -> None:
        self._threads: list[str] = []
        self._targets: list[tuple[str, str]] = []
        self._values: list[str] = []
        self._locations: list[Location] = []
        self._labels: dict[int, str] = {}  # objects by number
        self._kinds: dict[str, int] = {}  # how many objects there are of each class
        self._seeing: set[int] = set()  # objects whose class may read stored values
        self.seen: list[int] = []  # the attributes of these objects, as targets
        self._sites: dict[int, Site] = {}
        self._spans = _NumbersOnDemand(self._new_span)  # by location, last line and column
        self._bearers = _NumbersOnDemand(lambda _: self._new_thread(f"x{len(self._threads)}"))
        self._touched = _NumbersOnDemand(self._number_of)  # by (offset, object, part)
        self._numbers = _NumbersOnDemand(self._new_target)  # by target
        self._value_numbers = _NumbersOnDemand(self._new_value)
        self._places = _NumbersOnDemand(self._new_location)
        self._always: list[bool] = []  # by target, like the following
        self._only = np.zeros(0, np.int32)  # the thread that touches it; -1: several threads; -2: none yet
        self._written = np.zeros(0, np.bool_)
        self._thread_numbers: dict[str, int] = {}
        self._holders: dict[int, int] = {}  # of locks: the holder
        self._handed: set[int] = set()  # locks that other threads released
        self._waiters: dict[int, list[int]] = {}  # by number of a condition: locks of the threads that waited on it
        self._conditions: dict[tuple[int, int], int] = {}  # by number and that of its lock
        self._vague: set[int] = set()  # conditions whose wake-ups can't be matched
        self._points: dict[int, _Point] = {}  # by target of a property event in the recording
        self._last: dict[int, int] = {}  # by target: its value, as far as it is known
        self.misread = 0
        self.names = Names(self._threads, self._targets, self._values, self._locations)

    def learn(self, segment: Segment) -> None:
        """The names of objects, and the places of sites."""
        for number, name in zip(segment.labels[::2], segment.labels[1::2], strict=True):
            kind = _CALLED.get(name, name)
            count = self._kinds[kind] = self._kinds.get(kind, 0) + 1
            self._labels[abs(number)] = f"{kind}#{count}"
            if number < 0:
                self._seeing.add(-number)
        for number, *parts in segment.places:
            self._sites[number] = Site(*parts)

    def unknown(self, segment: Segment) -> set[int]:
        """Sites that events use to name attributes, and that are no sites of attributes."""
        return set(np.unique(np.abs(segment.codes[np.abs(segment.codes) > LARGEST_CODE])).tolist()) - self._sites.keys()

    def columns(self, segment: Segment) -> Columns:
        """The events of a segment whose names are all known."""
        codes, first = segment.codes, segment.threads
        starts = np.flatnonzero(codes != MORE)
        code, ident = codes[starts], first[starts]
        things = [segment.targets[start] for start in starts.tolist()]
        threads = self._threads_of(ident.tolist(), code.tolist(), things)
        if ADOPTED in code:
            events = np.flatnonzero(code != ADOPTED)
            starts, code, things = starts[events], code[events], [things[event] for event in events.tolist()]
        named = np.abs(code) > LARGEST_CODE  # attributes that sites name
        site = np.where(named, np.abs(code), first[np.minimum(starts + 1, len(first) - 1)])
        code = np.where(named, np.where(code > 0, _READ, _WRITE) + OFFSETS["a"], code)
        offsets = (code & ~_OP).tolist()
        parts, values = self._parts(segment, starts, named.tolist(), site.tolist(), offsets)
        touched = zip(offsets, things, parts, strict=True)
        return Columns(
            threads,
            (code & _OP).astype(np.int8),
            np.asarray(array("i", map(self._touched.__getitem__, touched))),
            np.asarray(array("i", map(self._value_numbers.__getitem__, values))),
            np.asarray(array("i", map(self._places.__getitem__, site.tolist()))),
        )

    def _parts(
        self, segment: Segment, starts: NDArray[np.int64], named: list[bool], site: list[int], offsets: list[int]
    ) -> tuple[list[Any], list[Any]]:
        """The touched part of each object, and values: an event that is spelt out has one of the two."""
        given = [
            None if plain else segment.targets[start + 1] for start, plain in zip(starts.tolist(), named, strict=True)
        ]
        names = self._sites
        parts = [
            names[where].name if plain else part if offset else None
            for part, plain, where, offset in zip(given, named, site, offsets, strict=True)
        ]
        return parts, [None if offset else value for offset, value in zip(offsets, given, strict=True)]

    def _threads_of(self, idents: list[int], codes: list[int], names: list[Any]) -> NDArray[np.int32]:
        """The thread of each event, except for events that name a thread."""
        found = array("i")
        bearers = self._bearers
        for ident, code, name in zip(idents, codes, names, strict=True):
            if code == ADOPTED:
                bearers[ident] = self._new_thread(name)
                continue
            found.append(bearers[ident])
            if code == _END:
                del bearers[ident]
        return np.asarray(found)

    def look_at(self, rows: Columns) -> None:
        """Take in the threads that touch each target, and whether one writes it."""
        more = len(self._targets) - len(self._only)
        self._only = np.concatenate([self._only, np.full(more, -2, np.int32)])
        self._written = np.concatenate([self._written, np.zeros(more, np.bool_)])
        pairs = np.unique(rows.target.astype(np.int64) << 32 | rows.thread)
        targets, threads = pairs >> 32, (pairs & 0xFFFFFFFF).astype(np.int32)
        first = np.flatnonzero(np.diff(targets, prepend=-1))
        several = np.diff(first, append=len(targets)) > 1
        seen, who = targets[first], np.where(several, -1, threads[first])
        before = self._only[seen]
        self._only[seen] = np.where((before == -2) | (before == who), who, -1)
        self._written[rows.target[_WRITING[rows.op]]] = True
        conditions = list(self._conditions.values())
        self._vague |= set(rows.target[(rows.op == Op.RMW) & np.isin(rows.target, conditions)].tolist())
        locking = rows.select((rows.op == Op.ACQUIRE) | (rows.op == Op.RELEASE))
        for thread, op, lock in zip(locking.thread.tolist(), locking.op.tolist(), locking.target.tolist(), strict=True):
            if op == Op.ACQUIRE:
                self._holders[lock] = thread
            elif self._holders.pop(lock, thread) != thread:
                self._handed.add(lock)
        if len(self._values):
            self._check_values(rows)

    def is_recorded(self) -> NDArray[np.bool_]:
        """By target: whether several threads access it and one writes it, or it always counts."""
        shared: NDArray[np.bool_] = self._written & (self._only == -1)
        for (condition, lock), target in self._conditions.items():
            vague = target in self._vague or self._numbers.get((LOCK, lock)) in self._handed
            shared[[target] if vague else self._waiters.get(condition, [])] = False
        return shared | np.array(self._always, np.bool_)

    def settled(self, rows: Columns) -> Columns:
        """Rows with the proper operations of locks that guard nothing."""
        if self._handed:
            handed = np.isin(rows.target, sorted(self._handed))
            rows.op[handed & (rows.op != Op.READ)] = Op.RMW
        return rows

    def branch(self) -> int:
        """The number of the target of BRANCH events."""
        return self._numbers[BRANCH]

    def hide_handed(self) -> None:
        """Rename the targets of locks that one thread acquires and another releases, so that they do not count as
        locks."""
        for lock in self._handed:
            self._targets[lock] = (HIDDEN, self._targets[lock][1])

    def _check_values(self, rows: Columns) -> None:
        """Remove the values of reads that differ from the last write."""
        last = self._last
        columns = (rows.op.tolist(), rows.target.tolist(), rows.value.tolist())
        for row, (op, target, value) in enumerate(zip(*columns, strict=True)):
            if WRITES[op]:
                last[target] = value if op == Op.WRITE else NO_VALUE
            elif op == _READ and value != NO_VALUE and last.setdefault(target, value) not in (value, NO_VALUE):
                rows.value[row] = NO_VALUE
                self.misread += 1

    def _new_thread(self, name: str) -> int:
        """The number of a thread name; a thread that has acted for another one has its own name again afterwards."""
        if name not in self._thread_numbers:
            self._thread_numbers[name] = len(self._threads)
            self._threads.append(_writable(name))
        return self._thread_numbers[name]

    def _number_of(self, touched: tuple[int, Any, Any]) -> int:
        offset, thing, part = touched
        tag = _TAG_AT.get(offset)
        if tag is None:
            return self._numbers[thing]
        if tag == ATTRIBUTE or (tag == ITEM and thing < 0):
            return self._numbers[ATTRIBUTE, abs(thing), part]
        return self._numbers[(tag, thing) if part is None and tag in _WHOLE else (tag, thing, part)]

    def _new_target(self, target: Target) -> int:
        kind, name = self._words(target)
        self._targets.append((_writable(kind), _writable(name)))
        self._always.append(_is_kept(target))
        number = len(self._targets) - 1
        if len(target) > 2 and kind_of(target) is Kind.POINT:
            self._points[number] = self._point(*target[1:])
        match kind_of(target):
            case Kind.WAITER:
                self._waiters.setdefault(target[1], []).append(number)
            case Kind.ATTRIBUTE if target[1] in self._seeing:
                self.seen.append(number)
            case Kind.CONDITION:
                self._conditions[target[1:]] = number
        return number

    def _point(self, name: str, event: str, rows: int, objects: Sequence[Any]) -> _Point:
        """The targets for a property event in the trace; in the recording it has one that tells its rows."""
        named = [self._object(each) for each in objects]
        alone, together = (target_of(name, event, named, with_row) for with_row in (False, True))
        return _Point(self._numbers[alone], self._numbers[together], rows)

    def with_rows(self, rows: Columns, kept: NDArray[np.bool_]) -> Columns:
        """Rows with the targets that property events have in the trace: an event is together with the row before it in
        its thread, if a row of its operation is kept."""
        points = np.flatnonzero(rows.op == Op.POINT)
        if not len(points):
            return rows
        plain = np.flatnonzero((rows.op != Op.POINT) & (rows.op != Op.BRANCH))
        own = {thread: plain[rows.thread[plain] == thread] for thread in np.unique(rows.thread[points]).tolist()}
        for row in points.tolist():
            point = self._points[int(rows.target[row])]
            mine = own[int(rows.thread[row])]
            end = int(np.searchsorted(mine, row))
            together = bool(kept[mine[max(end - point.rows, 0) : end]].any())
            rows.target[row] = point.together if together else point.alone
        return rows

    def _new_value(self, key: Any) -> int:
        if key is None:
            return NO_VALUE
        self._values.append(self._text(key))
        return len(self._values) - 1

    def _new_location(self, site: int) -> int:
        known = self._sites.get(site)
        if known is None:
            return NO_VALUE
        # A truth test, as `while not d`, has no column: so its reads of a container are told from an iteration's.
        column = 0 if known.kind == TRUTH_TEST else known.column
        where = Location(_writable(known.file), known.line, column, _writable(known.function))
        return self._spans[where, known.end_line, known.end_column]

    def _new_span(self, span: tuple[Location, int, int]) -> int:
        self._locations.append(span[0])
        return len(self._locations) - 1

    def _words(self, target: Target) -> tuple[str, str]:
        """A target's tag and name in traces; different targets get different names."""
        parts, kind = target[1:], kind_of(target)
        match kind:
            case Kind.ATTRIBUTE:
                return VARIABLE, f"{self._label(parts[0])}.{parts[1]}"
            case Kind.ITEM:
                return VARIABLE, f"{self._label(parts[0])}[{self._text(parts[1])}]"
            case Kind.GLOBAL:
                return VARIABLE, f"{parts[0]}.{parts[1]}"
            case Kind.CELL:
                return VARIABLE, f"{self._label(parts[0])}.cell"
            case Kind.THREAD:
                return THREAD, parts[0]
            case Kind.CONDITION:
                return CONDITION, self._label(parts[0])
            case Kind.POINT:
                return kind.recorded, " ".join(map(str, parts))
            case Kind.METHOD:
                return kind.recorded, f"{parts[0]} {self._label(parts[1])} {parts[2]}"
        return kind.recorded, " ".join(map(self._part, parts))

    def _object(self, form: Any) -> str:
        """The name of an object of a property event (naming.py)."""
        match form:
            case (str(how), *parts) if how == TUPLE:
                return tuple_name([self._object(part) for part in parts])
            case (str(how), int(number)) if how == OBJECT:
                return self._label(number)
        return str(form[-1])

    def _part(self, part: Any) -> str:
        """A part of a target that names no item: an integer is an object's number."""
        return self._label(part) if isinstance(part, int) and abs(part) in self._labels else self._text(part)

    def _label(self, number: Any) -> str:
        own = self._labels.get(abs(number)) or f"object#{_repr(number)}"
        return own if number > 0 else f"vars({own})"

    def _text(self, key: Any) -> str:
        """A value's key, or part of a target, as a text; different ones have different texts."""
        match key:
            case ("object", int(number)):
                return self._label(number)
            case (str(kind), str(text)) if kind == LITERAL:
                return text
            case ("tuple", *parts):
                return f"({', '.join(map(self._text, parts))})"
            case (str(kind), value) if kind in ("int", "str", "bool", "NoneType", "bytes"):
                text = _repr(value)
                return text if len(text) <= _LONG else f"{text[:_LONG]}... {zlib.crc32(text.encode()):x}"
        return _repr(key)


def _writable(name: str) -> str:
    """A name as a text that can be written: file names and attributes may contain lone surrogates."""
    return name if name.isascii() else name.encode("utf-8", "backslashreplace").decode("utf-8")


def _repr(thing: Any) -> str:
    """The text of an object like that of ``repr``, which fails for integers of thousands of digits."""
    try:
        return repr(thing)
    except ValueError:
        return f"({', '.join(map(_repr, thing))})" if isinstance(thing, tuple) else hex(thing)
