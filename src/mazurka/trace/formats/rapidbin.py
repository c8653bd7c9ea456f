"""RapidBin: a header and one 64-bit word per event, big-endian, as RAPID's binary writer makes them.

======================  =================================================================
header, 18 bytes        threads (16 bits), locks (32), variables (32), events (64); the
                        top bit of each is a flag and ignored
word, from the lowest   thread (10 bits), operation (4), operand (34), location (15)
operation               0 acq, 1 rel, 2 r, 3 w, 4 fork, 5 join, 6 begin, 7 end, 8 req
======================  =================================================================

Names are numbers: ``T3``, ``L3``, ``V3`` and the location ``3`` are what RAPID calls them in STD, and so do we; what
begin and end name is not looked at. Of the header only the count of events is relied upon. Written, names of that form
keep their number and others are numbered anew, which is told; more threads, operands or locations than there are bits,
and operations not in the list, are errors. Cost: vectorised, 200 ns an event.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from mazurka.trace.columns import Columns, Names, Parts
from mazurka.trace.event import Op
from mazurka.trace.formats.gathering import NO_SITE, Interning
from mazurka.trace.formats.line_writing import cannot_carry
from mazurka.trace.formats.source import Source
from mazurka.trace.formats.words import KINDS
from mazurka.trace.locations import location_of, text_of
from mazurka.trace.trace import NO_VALUE

_HEADER: Final = struct.Struct(">hiiq")
_OPS: Final = (Op.ACQUIRE, Op.RELEASE, Op.READ, Op.WRITE, Op.FORK, Op.JOIN, Op.BEGIN, Op.END, Op.REQUEST)
_LETTERS: Final = {"thread": "T", "lock": "L", "var": "V"}
_OWN: Final = (_OPS.index(Op.BEGIN), _OPS.index(Op.END))
_THREAD_BITS, _OP_BITS, _OPERAND_BITS, _LOCATION_BITS = 10, 4, 34, 15
_OPERAND_AT: Final = _THREAD_BITS + _OP_BITS
_LOCATION_AT: Final = _OPERAND_AT + _OPERAND_BITS

_KIND_OF_CODE: Final = np.array([list(_LETTERS).index(KINDS[op]) for op in _OPS], np.int64)
_OP_OF_CODE: Final = np.array(_OPS, np.int8)
_CODE_OF_OP: Final = np.full(len(Op), -1, np.int64)
_CODE_OF_OP[list(_OPS)] = range(len(_OPS))


def read(source: Source) -> Parts:
    head = source.read(_HEADER.size)
    if len(head) < _HEADER.size:
        raise source.truncated(f"{len(head)} bytes are no header")
    events = _HEADER.unpack(head)[3] & (1 << 63) - 1
    tables = _Numbered()
    return Parts(tables.names, _rows(source, tables, events))


class _Numbered:
    """Tables of names that are numbers: a column of keys becomes a column of the numbers given to them."""

    def __init__(self) -> None:
        self.threads: Interning[int] = Interning("T{}".format)
        self.targets: Interning[int] = Interning(_target)
        self.locations: Interning[int] = Interning(lambda number: location_of(str(number)))
        self.names = Names(self.threads.names, self.targets.names, (), self.locations.names)

    @staticmethod
    def column(table: Interning[int], keys: NDArray[np.int64]) -> NDArray[np.int32]:
        """New keys are numbered in order of appearance."""
        found, first, which = np.unique(keys, return_index=True, return_inverse=True)
        for key in found[np.argsort(first)].tolist():
            table[key]
        return np.array([table[key] for key in found.tolist()], np.int32)[which]


def _target(key: int) -> tuple[str, str]:
    kind = list(_LETTERS)[key >> _OPERAND_BITS]
    return kind, f"{_LETTERS[kind]}{key & (1 << _OPERAND_BITS) - 1}"


def _rows(source: Source, tables: _Numbered, events: int) -> Iterator[Columns]:
    done = 0
    while done < events:
        raw = source.read(8 * min(events - done, 1 << 19))
        if len(raw) % 8 or not raw:
            raise source.truncated(f"it ends within event {done + len(raw) // 8} of {events}")
        yield _columns(source, tables, np.frombuffer(raw, ">i8").astype(np.int64), done)
        done += len(raw) // 8
    if source.read(1):
        raise source.garbled(_HEADER.size + 8 * events, f"more data after the {events} events that it tells of")


def _columns(source: Source, tables: _Numbered, words: NDArray[np.int64], before: int) -> Columns:
    thread = words & (1 << _THREAD_BITS) - 1
    code = words >> _THREAD_BITS & (1 << _OP_BITS) - 1
    operand = words >> _OPERAND_AT & (1 << _OPERAND_BITS) - 1
    location = words >> _LOCATION_AT & (1 << _LOCATION_BITS) - 1
    if len(unknown := np.flatnonzero((code >= len(_OPS)) | (words < 0))):
        event = before + int(unknown[0])
        raise source.garbled(_HEADER.size + 8 * event, f"event {event} has no operation known: {code[unknown[0]]}")
    own = np.isin(code, _OWN)
    operand[own] = thread[own]
    target = _KIND_OF_CODE[code] << _OPERAND_BITS | operand
    threads = np.column_stack([thread, np.where(_KIND_OF_CODE[code] == 0, operand, thread)]).ravel()
    return Columns(
        tables.column(tables.threads, threads)[::2].copy(),
        _OP_OF_CODE[code],
        tables.column(tables.targets, target),
        np.full(len(words), NO_VALUE, np.int32),
        tables.column(tables.locations, location),
    )


def write(parts: Parts, out: BinaryIO) -> list[str]:
    """By way of memory, 8 bytes an event: the header comes first and tells counts that are known only at the end."""
    numbers = {kind: _Numbers(letter) for kind, letter in _LETTERS.items()}
    places = _Numbers("")
    events, valued = 0, False
    words = []
    for part in parts.rows:
        words.append(_words(part, parts.names, numbers, places, events).astype(">i8"))
        events += part.rows
        valued = valued or bool((part.value != NO_VALUE).any())
    threads, locks, variables = (numbers[kind].count for kind in _LETTERS)
    out.write(_HEADER.pack(min(threads, 0x7FFF), min(locks, 0x7FFFFFFF), min(variables, 0x7FFFFFFF), events))
    out.writelines(each.tobytes() for each in words)
    anew = [f"names of {kind}s" for kind in _LETTERS if numbers[kind].anew] + ["locations"] * places.anew
    return [f"{what}, numbered instead" for what in anew] + ["values"] * valued


class _Numbers:
    """Which number is written for which name."""

    def __init__(self, letter: str) -> None:
        self._form = re.compile(letter + r"(0|[1-9]\d{0,9})", re.ASCII)
        self._given: dict[str, int] = {}
        self._used: set[int] = set()
        self.anew = False

    @property
    def count(self) -> int:
        return max(self._used, default=-1) + 1

    def of(self, name: str) -> int:
        if name not in self._given:
            found = self._form.fullmatch(name)
            number = int(found[1]) if found else len(self._given)
            if found is None or number in self._used:
                self.anew = True
                while number in self._used:
                    number += 1
            self._given[name] = number
            self._used.add(number)
        return self._given[name]


def _words(
    part: Columns, names: Names, numbers: dict[str, _Numbers], places: _Numbers, before: int
) -> NDArray[np.int64]:
    code = _CODE_OF_OP[part.op]
    if len(unknown := np.flatnonzero(code < 0)):
        row = int(unknown[0])
        raise cannot_carry("rapidbin", before + row, f"an operation {Op(int(part.op[row])).name}")

    def operand(number: int) -> int:
        kind, name = names.targets[number]
        return numbers[kind].of(name) if kind in numbers else -1

    def location(site: int) -> int:
        return 0 if site == NO_SITE else places.of(text_of(names.locations[site]))

    threads = _mapped(part.thread, lambda number: numbers["thread"].of(names.threads[number]))
    operands = np.where(np.isin(code, _OWN), 0, _mapped(part.target, operand))
    locations = _mapped(part.site, location)
    for column, bits, what in (
        (threads, _THREAD_BITS, "threads"),
        (operands, _OPERAND_BITS, "locks or variables"),
        (locations, _LOCATION_BITS, "locations"),
    ):
        if len(over := np.flatnonzero((column < 0) | (column >= 1 << bits))):
            raise cannot_carry("rapidbin", before + int(over[0]), f"more than {1 << bits:,} {what}")
    return threads | code << _THREAD_BITS | operands << _OPERAND_AT | locations << _LOCATION_AT


def _mapped(column: NDArray[np.int32], number: Any) -> NDArray[np.int64]:
    found, first, which = np.unique(column, return_index=True, return_inverse=True)
    mapped = np.zeros(len(found), np.int64)
    for at in np.argsort(first):
        mapped[at] = number(int(found[at]))
    return mapped[which]
