"""Reads and validates the segments of recordings (raw.py): a file may be damaged, or come from elsewhere.

For any bytes, :func:`read` returns a segment that a recorder could have written, or raises a MazurkaError that names
the file and the first wrong byte. It guarantees to the next step (finishing.py) that numbers of rows match, operations
and kinds of targets are known, a target has the parts of its kind, and texts are texts. It does not guarantee that
numbers of objects have names, or sites places: an earlier segment may have them; finishing.py has words for those that
are missing.

Cost: some tens of nanoseconds an item, and a microsecond for each different one.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from mazurka.errors import MazurkaError
from mazurka.program.python.property_events.naming import OBJECT, TUPLE, VALUE
from mazurka.program.python.recording.raw import ADOPTED, HEAD, LARGEST_CODE, MAGIC, MORE, OFFSETS
from mazurka.trace.event import Op
from mazurka.trace.targets import ATTRIBUTE, CELL, GLOBAL, ITEM, Kind, kind_of

Ints = NDArray[np.int64]

#: Bytes of an item: its first, third and second part.
_ITEM: Final = 8 + 8 + 4

_OP: Final = (1 << 5) - 1

#: Lines and columns are smaller.
_MOST: Final = 1 << 31

#: The fields of a place: a site, the file, line and column, the function, the kind of operation, a name, last line and
#: column.
_PLACE: Final = (int, str, int, int, str, str, str, int, int)


def is_property_event(parts: Sequence[Any]) -> bool:
    """Whether these are a property, an event, a number of rows and objects."""
    if not (len(parts) == 4 and isinstance(parts[0], str) and isinstance(parts[1], str) and isinstance(parts[2], int)):
        return False
    return 0 <= parts[2] <= _MOST and isinstance(parts[3], tuple) and all(map(_is_object, parts[3]))


def _is_object(form: Any) -> bool:
    """Whether this is the form of an object in a property event (property_events/naming.py)."""
    match form:
        case (str(how), *parts) if how == TUPLE:
            return all(map(_is_object, parts))
        case (str(how), int()) if how == OBJECT:
            return True
        case (str(how), str()):
            return how == VALUE
    return False


#: The parts of a target after its tag.
_PARTS: Final[dict[Kind, Callable[[Sequence[Any]], bool]]] = {
    Kind.ATTRIBUTE: lambda parts: len(parts) == 2 and _is_int(parts[0]) and _is_text(parts[1]),
    Kind.ITEM: lambda parts: len(parts) == 2 and _is_int(parts[0]),
    Kind.GLOBAL: lambda parts: len(parts) == 2 and all(map(_is_text, parts)),
    Kind.CELL: lambda parts: len(parts) == 1 and _is_int(parts[0]),
    Kind.THREAD: lambda parts: len(parts) == 1 and _is_text(parts[0]),
    Kind.CONDITION: lambda parts: len(parts) == 2 and all(map(_is_int, parts)),
    Kind.WAITER: lambda parts: len(parts) > 0,
    Kind.POINT: is_property_event,
}

#: Offsets of targets in parts whose first part is the number of an object, or a text, and whose second one is a text.
_OF_OBJECTS: Final = [OFFSETS[tag] for tag in (ATTRIBUTE, ITEM, CELL)]
_OF_TEXTS: Final = [OFFSETS[GLOBAL]]
_TO_TEXTS: Final = [OFFSETS[tag] for tag in (ATTRIBUTE, GLOBAL)]


class Segment(NamedTuple):
    """The content of a file; items column by column."""

    labels: list[Any]  # numbers of new objects (negated: code may run when attributes are stored), each with its class
    places: list[list[Any]]  # number and other data of a site
    threads: Ints  # and sites, where MORE is among the codes
    targets: list[Any]
    codes: Ints


def read(path: Path) -> Segment:
    """Read a segment; raises a MazurkaError, `trace-truncated` or `trace-malformed`."""
    return _SegmentReader(path).segment()


class _SegmentReader:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.data = path.read_bytes()

    def segment(self) -> Segment:
        text, items = self._lengths()
        labels, places, things = self._names(HEAD.size, text)
        begin = HEAD.size + text
        first = np.frombuffer(self.data, "<i8", items, begin).astype(np.int64)
        codes = np.frombuffer(self.data, "<i8", items, begin + 8 * items).astype(np.int64)
        numbers = np.frombuffer(self.data, "<i4", items, begin + 16 * items)
        self._none((numbers < 0) | (numbers >= len(things)), begin + 16 * items, 4, "no such name")
        self._check_codes(codes, numbers, things, begin + 8 * items)
        return Segment(labels, places, first, [things[number] for number in numbers.tolist()], codes)

    # -- bytes --------------------------------------------------------------------------------------------------------

    def _lengths(self) -> tuple[int, int]:
        size = len(self.data)
        if self.data[: len(MAGIC)] != MAGIC[:size]:
            self._fail(0, "this is no segment of a recording")
        if size < HEAD.size:
            raise self._truncated(f"it ends after {size} bytes")
        _, check, text, items = HEAD.unpack_from(self.data)
        whole = HEAD.size + text + _ITEM * items
        if size < whole:
            raise self._truncated(f"it ends after {size} bytes of {whole}")
        if size > whole:
            self._fail(whole, "there are bytes after its end")
        if zlib.crc32(memoryview(self.data)[HEAD.size :]) != check:
            self._fail(len(MAGIC), "its check sum is wrong")
        return text, items

    def _truncated(self, problem: str) -> MazurkaError:
        return MazurkaError("trace-truncated", problem, where=str(self.path))

    def _fail(self, byte: int, problem: str) -> NoReturn:
        raise MazurkaError("trace-malformed", problem, where=f"{self.path}, byte {byte}")

    def _none(self, wrong: NDArray[np.bool_], begin: int, size: int, problem: str) -> None:
        """Fail if any item of a column is wrong."""
        if wrong.any():
            self._fail(begin + size * int(wrong.argmax()), problem)

    # -- names --------------------------------------------------------------------------------------------------------

    def _names(self, begin: int, length: int) -> tuple[list[Any], list[list[Any]], list[Any]]:
        """Labels, places, and the kinds of second items."""
        try:
            parsed = json.loads(self.data[begin : begin + length].decode("ascii"))
        except UnicodeDecodeError as error:
            self._fail(begin + error.start, "no ASCII")
        except json.JSONDecodeError as error:
            self._fail(begin + error.pos, f"no JSON: {error.msg}")
        except (RecursionError, ValueError) as error:  # an integer of too many digits
            self._fail(begin, f"no names: {type(error).__name__}")
        if not (isinstance(parsed, list) and len(parsed) == 3 and all(isinstance(part, list) for part in parsed)):
            self._fail(begin, "no lists of names, places and items")
        labels, places, things = parsed
        self._check(labels[::2], _is_number, begin, "number of an object")
        self._check(labels[1::2], _is_text, begin, "name of a class")
        if len(labels) % 2:
            self._fail(begin, "an object without a class")
        self._check(places, _is_place, begin, "place")
        try:
            return labels, places, [_thing(thing) for thing in things]
        except (ValueError, RecursionError) as error:
            self._fail(begin, f"no valid item: {error}")

    def _check(self, found: Sequence[Any], holds: Callable[[Any], bool], begin: int, kind: str) -> None:
        for number, each in enumerate(found):
            if not holds(each):
                self._fail(begin, f"from here on, {kind} {number} is invalid")

    # -- items --------------------------------------------------------------------------------------------------------

    def _check_codes(self, codes: Ints, numbers: NDArray[np.int32], things: list[Any], begin: int) -> None:
        """Check that each code is known, and has its number of items and a target that it may have."""
        named = (codes > LARGEST_CODE) | (codes < -LARGEST_CODE)
        spelt_out = (codes >= 0) & ~named
        self._none(codes == np.iinfo(np.int64).min, begin, 8, "no site")
        known = np.isin(codes & _OP, [op.value for op in Op]) & np.isin(codes & ~_OP, [0, *OFFSETS.values()])
        fine = named | (spelt_out & known) | (codes == MORE) | (codes == ADOPTED)
        self._none(~fine, begin, 8, "no operation")
        follows = np.append(codes[1:] == MORE, False)
        self._none(spelt_out != follows, begin, 8, "an event of too few items, or too many")
        if len(codes) and codes[0] == MORE:
            self._fail(begin, "an event of too few items, or too many")
        objects, texts, targets = (_which(things, holds) for holds in (_is_number, _is_text, _is_target))
        self._none((codes == ADOPTED) & ~texts[numbers], begin, 8, "no thread adopts this thread")
        offsets = codes & ~_OP
        on_objects = named | (spelt_out & np.isin(offsets, _OF_OBJECTS))
        self._none(on_objects & ~objects[numbers], begin, 8, "an operation without an object")
        self._none(spelt_out & (offsets == 0) & ~targets[numbers], begin, 8, "an operation without a target")
        self._none(spelt_out & np.isin(offsets, _OF_TEXTS) & ~texts[numbers], begin, 8, "a global of no module")
        named_by_next = np.append(False, (spelt_out & np.isin(offsets, _TO_TEXTS))[:-1])
        self._none(named_by_next & ~texts[numbers], begin, 8, "an attribute, or global, without a name")


def _which(things: list[Any], holds: Callable[[Any], bool]) -> NDArray[np.bool_]:
    return np.fromiter(map(holds, things), np.bool_, len(things))


def _is_int(thing: Any) -> bool:
    return isinstance(thing, int)


def _is_number(thing: Any) -> bool:
    return isinstance(thing, int) and -(1 << 63) < thing < 1 << 63


def _is_text(thing: Any) -> bool:
    return isinstance(thing, str)


def _is_target(thing: Any) -> bool:
    if not (isinstance(thing, tuple) and thing and isinstance(thing[0], str)):
        return False
    holds = _PARTS.get(kind_of(thing))
    return holds is None or holds(thing[1:])


def _is_place(parsed: Any) -> bool:
    """Whether a place has the fields of `sites.Site` after its number."""
    if not (isinstance(parsed, list) and len(parsed) == len(_PLACE)):
        return False
    if not all(type(part) is kind for part, kind in zip(parsed, _PLACE, strict=True)):
        return False
    return 0 < parsed[0] < 1 << 63 and all(0 <= parsed[at] < _MOST for at in (2, 3, 7, 8))


def _thing(parsed: Any) -> Any:
    """The second item that JSON stands for; raises ValueError if no recorder writes it."""
    match parsed:
        case str() | int() | float() | None:
            return parsed
        case list():
            return tuple([_thing(part) for part in parsed])
        case {"bytes": str(digits)} if len(parsed) == 1:
            return bytes.fromhex(digits)
        case {"complex": [int() | float() as real, int() | float() as imaginary]} if len(parsed) == 1:
            return complex(real, imaginary)
        case {"int": str(digits)} if len(parsed) == 1:
            return int(digits, 16)
    raise ValueError(f"a {type(parsed).__name__}")
