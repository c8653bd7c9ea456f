"""Events on their way to disk: written as they are while the program runs; finishing.py makes a trace of them.

A file holds one segment, by `marshal`, after its check sum: objects that got numbers since the last one, the places of
sites that show for the first time, and events, column by column. An event is three items, or twice three:

- ``thread, number of an object, site``: the attribute that the site names is read, or written if the site is negated;
- ``thread, target, operation, site, value, MORE``: anything else;
- ``thread, number of an object, operation + offset, site, attribute or key, MORE``: the same, the target spelt out,
  where the offset (:data:`OFFSETS`) says of which kind it is;
- ``thread, name, ADOPTED``: the thread is called so from here on. Threads are named as the system does, which gives a
  name again when its bearer has ended.

Sites (sites.py) are larger than any operation, or 0. A segment is written under another name and then renamed: a
recorder that is killed loses the segment it was at and no more.

NumPy is not imported here, nor by whatever else runs beside the program: it starts threads.

Cost: a tenth of a microsecond an event.
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
from mazurka.program.python.instrument import sites
from mazurka.trace.targets import ATTRIBUTE, CELL, GLOBAL, HIDDEN, ITEM, LOCK, STRUCTURE, VALUES

#: In a recording, what it is a recording of.
DESCRIPTION: Final = "recording.json"

#: In place of a site: these three belong to those before.
MORE: Final = -1

#: In place of a site: the thread is called, from here on, what stands for the object.
ADOPTED: Final = -2

#: Sites are larger, unless a file's name has the check sum 0.
LARGEST_CODE: Final = (1 << 20) - 1

#: What is added to the code of an operation on a target that starts with this, and has no more than two other parts.
OFFSETS: Final = {
    tag: (1 + place) << 5 for place, tag in enumerate((ATTRIBUTE, ITEM, STRUCTURE, VALUES, GLOBAL, CELL, LOCK, HIDDEN))
}

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
        self._met: set[int] = set()  # numbers of sites whose places have been written, and others

    def write(self, events: list[Any], labels: list[Any]) -> None:
        """One segment; ``events`` and ``labels`` are taken out."""
        told, first, targets, codes = labels[:], events[::3], events[1::3], events[2::3]
        events.clear()  # what nobody else holds is written faster
        fresh = {*first, *codes} - self._met  # of which some are names of threads
        self._met |= fresh
        places = [(site, *known) for site in map(abs, fresh) if (known := sites.site(site)) is not None]
        data = marshal.dumps((told, places, first, targets, codes))
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
    threads: list[int]  # and sites, where MORE is among the codes
    targets: list[Any]
    codes: list[int]


def read(path: Path) -> Segment:
    """A segment."""
    data = path.read_bytes()
    if zlib.crc32(data[4:]).to_bytes(4, "big") != data[:4]:
        raise MazurkaError("trace-unreadable", "its check sum is wrong", where=str(path), hint="record again")
    return Segment(*marshal.loads(data[4:]))
