"""Events on their way to disk: written as they are while the program runs; finishing.py makes a trace of them.

A file holds one segment, by `marshal`, after its check sum: objects that got numbers since the last one, the places of
sites that show for the first time, and events, each ``thread, operation, target, value, site``, one after the other.
Threads are named as the system does, which gives a name again when its bearer has ended; so an event of its own
(:data:`ADOPTED`) says who bears one from there on. Most targets are spelt out: ``thread, operation + offset, number of
an object, attribute or key, site``, where the offset (:data:`OFFSETS`) says of which kind the target is. A segment is
written under another name and then renamed: a recorder that is killed loses the segment it was at and no more.

NumPy is not imported here, nor by whatever else runs beside the program: it starts threads.

Cost: a fifth of a microsecond an event.
"""

from __future__ import annotations

import contextlib
import json
import marshal
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from mazurka.errors import MazurkaError
from mazurka.program.python import sites

#: In a recording, what it is a recording of.
DESCRIPTION: Final = "recording.json"

#: In place of an operation: the thread is called, from here on, what stands for the target.
ADOPTED: Final = -1

#: What is added to the code of an operation on a target that starts with this, and has no more than two other parts.
OFFSETS: Final = {kind: (1 + place) << 5 for place, kind in enumerate(("a", "i", "s", "v", "g", "c"))}

#: What the names of segments end with.
SUFFIX: Final = ".raw"


class RawWriter:
    """Writes segments to a directory, which must not be there yet, and what is ``known`` of the program."""

    def __init__(self, directory: Path, known: Mapping[str, object]) -> None:
        try:
            directory.mkdir(parents=True)
            _write(directory / DESCRIPTION, json.dumps(known, indent=1).encode() + b"\n")
        except OSError as error:
            with contextlib.suppress(OSError):
                directory.rmdir()
            raise MazurkaError(
                "trace-unwritable", f"can't be written: {error.strerror}", where=str(directory)
            ) from error
        self._directory = directory
        self.segments = 0
        self._sites: set[int] = set()  # whose places have been written

    def write(self, events: list[Any], labels: list[Any]) -> None:
        """One segment; ``labels`` are taken out."""
        told = labels[:]
        fresh = {site for site in set(events[4::5]) if type(site) is int} - self._sites
        self._sites |= fresh
        places = [(site, *known) for site in fresh if (known := sites.site(site)) is not None]
        data = marshal.dumps((told, places, events))
        _write(self._directory / f"{self.segments:06}{SUFFIX}", zlib.crc32(data).to_bytes(4, "big"), data)
        self.segments += 1
        del labels[: len(told)]


def _write(path: Path, *pieces: bytes) -> None:
    """All of it or nothing."""
    unfinished = path.with_suffix(".unfinished")
    try:
        with unfinished.open("wb") as out:
            out.writelines(pieces)
        os.replace(unfinished, path)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise


class Segment(NamedTuple):
    """What a file holds."""

    labels: list[Any]  # numbers of new objects (negated: code may run when attributes are stored), each with its class
    places: list[tuple[Any, ...]]  # number and what else there is to a site
    events: list[Any]


def read(path: Path) -> Segment:
    """A segment."""
    data = path.read_bytes()
    if zlib.crc32(data[4:]).to_bytes(4, "big") != data[:4]:
        raise MazurkaError("trace-unreadable", "its check sum is wrong", where=str(path), hint="record again")
    return Segment(*marshal.loads(data[4:]))
