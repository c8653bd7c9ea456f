"""Events on their way to a trace: written as they are while the program runs, made into columns afterwards.

A file holds one segment: threads and objects that got names since the last one, and events ``[thread, operation,
target, value, site]``, by `marshal`, after its check sum. It is written under another name and then renamed: a
recorder that is killed loses the segment it was at and no more. :func:`finish` makes the trace of them; it can do so
again if it was killed itself.

Cost: 0.2 microseconds an event to write; one and a half to make columns of it.
"""

from __future__ import annotations

import json
import marshal
import os
import zlib
from array import array
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from mazurka.errors import MazurkaError
from mazurka.program.protocol import Target
from mazurka.program.python import sites
from mazurka.trace.columns import Columns, Names
from mazurka.trace.event import Location
from mazurka.trace.formats.parquet import Segments
from mazurka.trace.trace import NO_VALUE

#: In a recording, what it is a recording of.
DESCRIPTION: Final = "recording.json"

_SUFFIX: Final = ".raw"

#: How long a text may be that stands for a value.
_LONG: Final = 60

#: What a target's kind is called in traces.
_KINDS: Final = {"s": "structure", "v": "values", "o": "object"}


class RawWriter:
    """Writes segments to a directory, which must not be there yet, and what is ``known`` of the program."""

    def __init__(self, directory: Path, known: Mapping[str, object]) -> None:
        directory.mkdir(parents=True)
        (directory / DESCRIPTION).write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
        self._directory = directory
        self._count = 0

    def write(self, events: list[list[Any]], threads: list[str], labels: list[tuple[int, str]]) -> None:
        """One segment; ``labels`` are taken out."""
        told = labels[:]
        data = marshal.dumps((threads, told, events))
        path = self._directory / f"{self._count:06}{_SUFFIX}"
        unfinished = path.with_suffix(".unfinished")
        with unfinished.open("wb") as out:
            out.write(zlib.crc32(data).to_bytes(4, "big"))
            out.write(data)
        os.replace(unfinished, path)
        self._count += 1
        del labels[: len(told)]


def finish(directory: Path) -> int:
    """Make a trace of the segments there are, in their place; how many events it has."""
    raw = sorted(directory.glob(f"*{_SUFFIX}"))
    if not raw:
        return 0
    for left in (*directory.glob("*.parquet"), *directory.glob("*.unfinished")):
        left.unlink()  # of an attempt that was killed
    making = _Making()
    segments = Segments(directory / "columns", making.names)
    count = 0
    for path in raw:
        rows = making.columns(*_read(path))
        segments.add(rows)
        count += rows.rows
    for made in sorted((directory / "columns").iterdir()):
        os.replace(made, directory / made.name)
    (directory / "columns").rmdir()
    for path in raw:
        path.unlink()
    return count


def _read(path: Path) -> tuple[list[str], list[tuple[int, str]], list[list[Any]]]:
    data = path.read_bytes()
    if zlib.crc32(data[4:]).to_bytes(4, "big") != data[:4]:
        raise MazurkaError("trace-unreadable", "its check sum is wrong", where=str(path), hint="record again")
    threads, labels, events = marshal.loads(data[4:])
    return threads, labels, events


class _Making:
    """Makes columns of events, segment by segment."""

    def __init__(self) -> None:
        self._threads: list[str] = []
        self._targets: list[tuple[str, str]] = []
        self._values: list[str] = []
        self._locations: list[Location] = []
        self._numbers: tuple[dict[Any, int], ...] = ({}, {}, {})  # of targets, values and sites
        self._labels: dict[int, str] = {}  # objects by number
        self.names = Names(self._threads, self._targets, self._values, self._locations)

    def columns(self, threads: list[str], labels: list[tuple[int, str]], events: list[list[Any]]) -> Columns:
        self._threads[:] = threads
        self._labels.update(labels)
        targets, values, locations = self._numbers
        thread, op, target, value, site = array("i"), array("b"), array("i"), array("i"), array("i")
        for index, done, touched, told, place in events:
            thread.append(index)
            op.append(done)
            number = targets.get(touched)
            target.append(self._new_target(touched) if number is None else number)
            if told is None:
                value.append(NO_VALUE)
            else:
                number = values.get(told)
                value.append(self._new_value(told) if number is None else number)
            number = locations.get(place)
            site.append(self._new_location(place) if number is None else number)
        return Columns(*(np.asarray(column) for column in (thread, op, target, value, site)))

    def _new_target(self, target: Target) -> int:
        number = self._numbers[0][target] = len(self._targets)
        self._targets.append(self._words(target))
        return number

    def _new_value(self, key: Any) -> int:
        text = self._text(key)
        number = self._numbers[1][key] = len(self._values)
        self._values.append(text)
        return number

    def _new_location(self, site: Any) -> int:
        if type(site) is tuple:
            file, line, function = site
            known: Location | None = Location(file, line, 0, function)
        else:
            known = sites.location(site)
        number = NO_VALUE if known is None else len(self._locations)
        self._numbers[2][site] = number
        if known is not None:
            self._locations.append(known)
        return number

    def _words(self, target: Target) -> tuple[str, str]:
        """A target's kind and name; different targets get different ones."""
        kind, *parts = target
        match kind:
            case "a":
                return "var", f"{self._label(parts[0])}.{parts[1]}"
            case "i":
                return "var", f"{self._label(parts[0])}[{self._text(parts[1])}]"
            case "g":
                return "var", f"{parts[0]}.{parts[1]}"
            case "c":
                return "var", f"{self._label(parts[0])}.cell"
            case "thread":
                return "thread", parts[0]
        return _KINDS.get(kind, str(kind)), " ".join(map(self._text, parts))

    def _label(self, number: Any) -> str:
        own = self._labels.get(abs(number), f"object#{number}")
        return own if number > 0 else f"vars({own})"

    def _text(self, key: Any) -> str:
        """A value's key, or part of a target, in words; different ones differ."""
        match key:
            case ("object", int(number)):
                return self._label(number)
            case ("tuple", *parts):
                return f"({', '.join(map(self._text, parts))})"
            case (str(kind), value) if kind in ("int", "str", "bool", "NoneType", "bytes"):
                text = repr(value)
                return text if len(text) <= _LONG else f"{text[:_LONG]}... {zlib.crc32(text.encode()):x}"
            case int() if key in self._labels:
                return self._labels[key]
        return repr(key)
