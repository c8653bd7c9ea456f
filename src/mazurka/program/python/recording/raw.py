"""Events on their way to disk: written as they are while the program runs; finishing.py makes a trace of them.

A file holds one segment: objects that got numbers since the last one, the places of sites that occur for the first
time, and events, column by column. An event is three items, or twice three:

- ``thread, number of an object, site``: the attribute that the site names is read, or written if the site is negated;
- ``thread, target, operation, site, value, MORE``: any other event;
- ``thread, number of an object, operation + offset, site, attribute or key, MORE``: the same with the target in parts,
  where the offset (:data:`OFFSETS`) gives its kind;
- ``thread, name, ADOPTED``: the thread has this name from here on. Threads are given by the system's identifiers, which
  the system assigns again when a thread has ended.

Sites (sites.py) are larger than any operation, or 0. A segment is written under another name and then renamed: a
recorder that is killed loses only the segment that it was writing.

In bytes, least significant first: :data:`HEAD`, with a check sum of the rest and the lengths; the names of objects,
the places and the different second items as JSON, in ASCII (:func:`spelt` encodes objects that JSON lacks);
then all first and all third items, 8 bytes each, and for each second item its number among the different ones, 4 bytes.
It contains no code. Its reader (reading.py) validates all of it.

NumPy is not imported here, nor by other modules that run beside the program: it starts threads.

Cost: a tenth of a microsecond an event.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import struct
import sys
import zlib
from array import array
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from mazurka.errors import MazurkaError
from mazurka.program.python.instrument import sites
from mazurka.program.python.instrument.own import copy_of
from mazurka.trace.targets import ATTRIBUTE, CELL, GLOBAL, HIDDEN, ITEM, LOCK, STRUCTURE, VALUES

#: The description of the program in a recording.
DESCRIPTION: Final = "recording.json"

#: In place of a site: these three items belong to the three before.
MORE: Final = -1

#: In place of a site: the thread has the name in place of the object from here on.
ADOPTED: Final = -2

#: Sites are larger, unless a file's name has the check sum 0.
LARGEST_CODE: Final = (1 << 20) - 1

#: The first character of a value that is the text of a literal (trace/literals.py), not a key.
LITERAL: Final = "literal"

#: Tag of a target with at most two other parts -> the number that is added to the code of an operation on it.
OFFSETS: Final = {
    tag: (1 + place) << 5 for place, tag in enumerate((ATTRIBUTE, ITEM, STRUCTURE, VALUES, GLOBAL, CELL, LOCK, HIDDEN))
}

#: The start of the names of threads that execute tasks, each of which is a thread of its own.
WORKER: Final = "worker"

#: The suffix of segments.
SUFFIX: Final = ".raw"

#: The head of a segment: :data:`MAGIC`, the check sum of all that follows it, bytes of JSON, number of items.
HEAD: Final = struct.Struct("<8sIQQ")
MAGIC: Final = b"mzrkseg\x01"

#: Longer integers are spelt in hexadecimal if there is one of so many decimal digits that Python makes none.
_LONGEST: Final = 1 << 64


class RawWriter:
    """Writes segments, and the ``known`` facts about the program, to a directory, which must not exist yet."""

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
        self._met: set[int] = set()  # numbers of sites whose places have been written, and other numbers

    def write(self, events: list[Any], labels: list[Any]) -> None:
        """Write one segment; ``events`` and ``labels`` are emptied."""
        names, first, targets, codes = labels[:], events[::3], events[1::3], events[2::3]
        events.clear()  # objects without other references are written faster
        fresh = {*first, *codes} - self._met  # some of these are names of threads
        self._met |= fresh
        places = [(site, *known) for site in map(abs, fresh) if (known := sites.site(site)) is not None]
        things = dict(zip(dict.fromkeys(targets), itertools.count()))
        numbers = array("i", [*map(things.__getitem__, targets)])  # from a list in half the time
        pieces = (_encoded(names, places, things), *map(_bytes, (array("q", first), array("q", codes), numbers)))
        check = 0
        for piece in pieces:
            check = zlib.crc32(piece, check)
        head = HEAD.pack(MAGIC, check, len(pieces[0]), len(first))
        _write(self._directory / f"{self.segments:06}{SUFFIX}", head, *pieces)
        self.segments += 1
        del labels[: len(names)]


def _write(path: Path, *pieces: bytes) -> None:
    """Write a file as a whole or not at all."""
    unfinished = path.with_suffix(".unfinished")
    try:
        with unfinished.open("wb") as out:
            out.writelines(pieces)
        os.replace(unfinished, path)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise


def _bytes(numbers: array[int]) -> bytes:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def _encoded(labels: list[Any], places: list[tuple[Any, ...]], things: Iterable[Any]) -> bytes:
    whole = [labels, places, list(things)]
    try:
        return _ENCODE(whole).encode("ascii")
    except ValueError:  # an integer of thousands of digits
        return _ENCODE([labels, places, [_short(thing) for thing in whole[2]]]).encode("ascii")


def _short(thing: Any) -> Any:
    """An object without long integers, which are spelt in hexadecimal."""
    if type(thing) is tuple:
        return tuple([_short(part) for part in thing])
    return {"int": hex(thing)} if type(thing) is int and abs(thing) >= _LONGEST else thing


def spelt(thing: Any) -> dict[str, Any]:
    """The encoding of an object that JSON does not have."""
    match thing:
        case bytes():
            return {"bytes": thing.hex()}
        case complex():
            return {"complex": [thing.real, thing.imag]}
    raise TypeError(f"a {type(thing).__name__} in a target, or for a value")


#: The function of a copy, since the module that the program uses may be instrumented.
_ENCODE: Final[Callable[[Any], str]] = (
    copy_of("json.encoder").JSONEncoder(check_circular=False, separators=(",", ":"), default=spelt).encode
)
