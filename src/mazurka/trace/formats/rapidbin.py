"""RapidBin: a header and one 64-bit word per event, big-endian, as RAPID's binary writer makes them.

======================  =================================================================
header, 18 bytes        threads (16 bits), locks (32), variables (32), events (64); the
                        top bit of each is a flag and ignored
word, from the lowest   thread (10 bits), operation (4), operand (34), location (15)
operation               0 acq, 1 rel, 2 r, 3 w, 4 fork, 5 join, 6 begin, 7 end, 8 req
======================  =================================================================

Names are numbers; they are read as ``T3``, ``L3``, ``V3`` and the location ``3``, RAPID's names for them in STD. The
operands of begin and end are not looked at. Of the header only the count of events is relied upon. When written, names
of that form keep their number and others are numbered anew, which is reported; more threads, operands or locations than
the bits can number, and operations not in the list, are errors. Cost: vectorised, 60 ns an event.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from mazurka.trace.columns import Columns, Names, Parts
from mazurka.trace.event import Op
from mazurka.trace.formats.gathering import Interning
from mazurka.trace.formats.line_writing import cannot_carry
from mazurka.trace.formats.numbering import NameNumbering
from mazurka.trace.formats.source import TraceSource
from mazurka.trace.formats.words import KINDS
from mazurka.trace.locations import location_of, text_of
from mazurka.trace.targets import LOCK, THREAD, VARIABLE
from mazurka.trace.trace import NO_VALUE

_HEADER: Final = struct.Struct(">hiiq")
_OPS: Final = (Op.ACQUIRE, Op.RELEASE, Op.READ, Op.WRITE, Op.FORK, Op.JOIN, Op.BEGIN, Op.END, Op.REQUEST)
_LETTERS: Final = {THREAD: "T", LOCK: "L", VARIABLE: "V"}
_OWN: Final = (_OPS.index(Op.BEGIN), _OPS.index(Op.END))
_THREAD_BITS, _OP_BITS, _OPERAND_BITS, _LOCATION_BITS = 10, 4, 34, 15
_OPERAND_AT: Final = _THREAD_BITS + _OP_BITS
_LOCATION_AT: Final = _OPERAND_AT + _OPERAND_BITS

#: Keys below this are numbered by way of an array, 4 bytes each.
_DENSE: Final = 1 << 24

_KIND_OF_CODE: Final = np.array([list(_LETTERS).index(KINDS[op]) for op in _OPS], np.int64)
_OP_OF_CODE: Final = np.array(_OPS, np.int8)
_CODE_OF_OP: Final = np.full(len(Op), -1, np.int64)
_CODE_OF_OP[list(_OPS)] = range(len(_OPS))


def read(source: TraceSource) -> Parts:
    """See ``Module.read``; a file shorter than its header says is an error ``trace-truncated``."""
    head = source.read(_HEADER.size)
    if len(head) < _HEADER.size:
        raise source.truncated(f"{len(head)} bytes are no header")
    events = _HEADER.unpack(head)[3] & (1 << 63) - 1
    tables = _RapidTables()
    return Parts(tables.names, _rows(source, tables, events))


class _DenseNumbers:
    """Numbers for keys, given in order of appearance; keys up to :data:`_DENSE` are looked up in an array."""

    def __init__(self, made: Callable[[int], Any]) -> None:
        self.table: Interning[int] = Interning(made)
        self._known = np.zeros(0, np.int32)

    def of(self, keys: NDArray[np.int64]) -> NDArray[np.int32]:
        largest = int(keys.max(initial=0))
        if largest >= _DENSE:
            return self._sorted(keys)
        if largest >= len(self._known):
            more = np.full(2 * largest + 1 - len(self._known), -1, np.int32)
            self._known = np.concatenate([self._known, more])
        numbers = self._known[keys]
        new = numbers < 0
        if new.any():
            self._known[keys[new]] = self._sorted(keys[new])
            numbers = self._known[keys]
        return numbers

    def _sorted(self, keys: NDArray[np.int64]) -> NDArray[np.int32]:
        found, first, which = np.unique(keys, return_index=True, return_inverse=True)
        for key in found[np.argsort(first)].tolist():
            self.table[key]
        return np.array([self.table[key] for key in found.tolist()], np.int32)[which]


class _RapidTables:
    """The tables of names; the key of a target is 3 x operand + kind."""

    def __init__(self) -> None:
        self.threads = _DenseNumbers("T{}".format)
        self.targets = _DenseNumbers(_target)
        self.locations = _DenseNumbers(lambda number: location_of(str(number)))
        self.names = Names(self.threads.table.names, self.targets.table.names, (), self.locations.table.names)


def _target(key: int) -> tuple[str, str]:
    operand, kind = divmod(key, len(_LETTERS))
    name = list(_LETTERS)[kind]
    return name, f"{_LETTERS[name]}{operand}"


def _rows(source: TraceSource, tables: _RapidTables, events: int) -> Iterator[Columns]:
    done = 0
    while done < events:
        raw = source.read(8 * min(events - done, 1 << 19))
        if len(raw) % 8 or not raw:
            raise source.truncated(f"it ends within event {done + len(raw) // 8} of {events}")
        yield _columns(source, tables, np.frombuffer(raw, ">i8").astype(np.int64), done)
        done += len(raw) // 8
    if source.read(1):
        raise source.garbled(_HEADER.size + 8 * events, f"more data after the {events} events of its header")


def _columns(source: TraceSource, tables: _RapidTables, words: NDArray[np.int64], before: int) -> Columns:
    thread = words & (1 << _THREAD_BITS) - 1
    code = words >> _THREAD_BITS & (1 << _OP_BITS) - 1
    operand = words >> _OPERAND_AT & (1 << _OPERAND_BITS) - 1
    location = words >> _LOCATION_AT & (1 << _LOCATION_BITS) - 1
    if len(unknown := np.flatnonzero((code >= len(_OPS)) | (words < 0))):
        event = before + int(unknown[0])
        raise source.garbled(_HEADER.size + 8 * event, f"event {event} has no operation known: {code[unknown[0]]}")
    own = np.isin(code, _OWN)
    operand[own] = thread[own]
    kind = _KIND_OF_CODE[code]
    columns = Columns(
        tables.threads.of(thread),
        _OP_OF_CODE[code],
        tables.targets.of(operand * len(_LETTERS) + kind),
        np.full(len(words), NO_VALUE, np.int32),
        tables.locations.of(location),
    )
    tables.threads.of(operand[kind == 0])  # also threads that are only started or joined
    return columns


def write(parts: Parts, out: BinaryIO) -> list[str]:
    """Holds the trace in memory, 8 bytes an event: the header comes first and has counts that are known only at the
    end."""
    written = _Written(parts.names)
    events, valued = 0, False
    words = []
    for part in parts.rows:
        words.append(_words(part, written, events).astype(">i8"))
        events += part.rows
        valued = valued or bool((part.value != NO_VALUE).any())
    threads, locks, variables = (written.numbers[kind].count for kind in _LETTERS)
    out.write(_HEADER.pack(min(threads, 0x7FFF), min(locks, 0x7FFFFFFF), min(variables, 0x7FFFFFFF), events))
    out.writelines(each.tobytes() for each in words)
    renumbered = [f"names of {kind}s" for kind in _LETTERS if written.numbers[kind].renumbered]
    renumbered += ["locations"] * written.places.renumbered
    return [f"{names}, numbered instead" for names in renumbered] + ["values"] * valued


class _Written:
    """The numbers to write, for the numbers in each column."""

    def __init__(self, names: Names) -> None:
        bits = {THREAD: _THREAD_BITS, LOCK: _OPERAND_BITS, VARIABLE: _OPERAND_BITS}
        self.numbers = {kind: NameNumbering(letter, (1 << bits[kind]) - 1) for kind, letter in _LETTERS.items()}
        self.places = NameNumbering("", (1 << _LOCATION_BITS) - 1, first=1)  # 0: no location
        self._names = names
        self._threads: list[int] = []
        self._targets: list[int] = []
        self._locations = [0]  # for no location

    def threads(self, column: NDArray[np.int32]) -> NDArray[np.int64]:
        new = self._names.threads[len(self._threads) : int(column.max(initial=-1)) + 1]
        self._threads += [self.numbers[THREAD].of(name) for name in new]
        return np.array(self._threads, np.int64)[column]

    def targets(self, column: NDArray[np.int32]) -> NDArray[np.int64]:
        new = self._names.targets[len(self._targets) : int(column.max(initial=-1)) + 1]
        self._targets += [self.numbers[kind].of(name) if kind in self.numbers else -1 for kind, name in new]
        return np.array(self._targets, np.int64)[column]

    def locations(self, column: NDArray[np.int32]) -> NDArray[np.int64]:
        new = self._names.locations[len(self._locations) - 1 : int(column.max(initial=-1)) + 1]
        self._locations += [self.places.of(text_of(location)) for location in new]
        return np.array(self._locations, np.int64)[column + 1]


def _words(part: Columns, written: _Written, before: int) -> NDArray[np.int64]:
    code = _CODE_OF_OP[part.op]
    if len(unknown := np.flatnonzero(code < 0)):
        row = int(unknown[0])
        raise cannot_carry("rapidbin", before + row, Op(int(part.op[row])).name.lower())
    threads = written.threads(part.thread)
    operands = np.where(np.isin(code, _OWN), 0, written.targets(part.target))
    locations = written.locations(part.site)
    for column, bits, things in (
        (threads, _THREAD_BITS, "threads"),
        (operands, _OPERAND_BITS, "locks or variables"),
        (locations, _LOCATION_BITS, "locations"),
    ):
        if len(over := np.flatnonzero((column < 0) | (column >= 1 << bits))):
            raise cannot_carry("rapidbin", before + int(over[0]), f"more than {1 << bits:,} {things}")
    words: NDArray[np.int64] = threads | code << _THREAD_BITS | operands << _OPERAND_AT | locations << _LOCATION_AT
    return words
