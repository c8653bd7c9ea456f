"""Names as bytes, interned by compiled code: an open-addressing hash table in arrays.

A name and a small number, its *kind*, have one *key* of 64 bits. For names of up to seven bytes the key is the kind and
the bytes themselves, so that comparing keys is enough; for longer ones, and those with bytes beyond ASCII, it is a hash
with the top bit set, and kind and bytes are compared, too. Names hold no control characters, and the empty name of kind
0 stands for no name; so no key is 0, which marks a free slot.

Names are decoded when asked for. Memory: 16 bytes per slot, 13 per name, and the bytes of the names; at most half of
the slots are taken. Cost: 5 ns to find a short name that is in the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from mazurka.jit.compile import jit
from mazurka.trace.columns import LARGEST
from mazurka.trace.formats.gathering import too_many

#: The number of the empty name of kind 0.
NONE: Final = -1

#: Names up to this long are their own keys.
SHORT: Final = 7
_KIND_AT: Final = np.uint64(56)
_LONG: Final = np.uint64(1 << 63)
_EIGHT: Final = np.uint64(8)
_MULTIPLIER: Final = np.uint64(0x9E3779B97F4A7C15)
_PRIME: Final = np.uint64(0x100000001B3)
_MIXED_FROM: Final = np.uint64(29)

_Name = TypeVar("_Name")


class Slots(NamedTuple):
    """The arrays of a table; ``counts`` are the numbers of names and of bytes in it. An entry is a key and a number
    next to one another, so that a look-up touches memory once."""

    entries: Any
    kinds: Any
    starts: Any
    bytes: Any
    counts: Any


class Spans:
    """Where names are in some bytes, and their keys."""

    def __init__(self, size: int) -> None:
        self.starts = np.empty(size, np.int32)
        self.ends = np.empty(size, np.int32)
        self.keys = np.empty(size, np.uint64)

    @property
    def arrays(self) -> tuple[Any, Any, Any]:
        """Starts, ends and keys, as kernels take them."""
        return self.starts, self.ends, self.keys


class ByteNames(Sequence[_Name], Generic[_Name]):
    """A table, and the meaning of its names: ``made`` makes a name of a kind and a text."""

    def __init__(self, made: Callable[[int, str], _Name], slots: int = 1 << 12) -> None:
        self._made = made
        self._numbers: dict[tuple[int, str], int] = {}  # of names that code that is not compiled has asked for
        self.slots = _empty(slots, slots // 2, 8 * slots)

    def grow(self, largest: int = LARGEST) -> None:
        """Double the room for names and for bytes."""
        old = self.slots
        names, used = old.counts
        if names >= largest:
            raise too_many("names")
        new = _empty(len(old.entries), 2 * len(old.kinds), 2 * len(old.bytes))
        new.kinds[:names], new.starts[: names + 1], new.bytes[:used] = (
            old.kinds[:names],
            old.starts[: names + 1],
            old.bytes[:used],
        )
        new.counts[:] = old.counts
        _rehashed(old, new)
        self.slots = new

    def number(self, kind: int, name: str) -> int:
        """The number of a name, a new one if it is new; for code that is not compiled."""
        known = self._numbers.get((kind, name))
        if known is not None:
            return known
        spans = Spans(1)
        data = np.frombuffer(name.encode(), np.uint8)
        spans.starts[0], spans.ends[0], spans.keys[0] = 0, len(data), _key(data, kind)
        number = np.empty(1, np.int32)
        self.column(data, spans, np.array([kind], np.uint8), 0, 1, number)
        return self._numbers.setdefault((kind, name), int(number[0]))

    def column(
        self, data: NDArray[np.uint8], spans: Spans, kinds: NDArray[np.uint8], first: int, last: int, out: Any
    ) -> None:
        """Puts the numbers of the names in ``data`` whose spans are ``first`` to ``last`` into ``out``."""
        while (first := _interned(self.slots, data, *spans.arrays, kinds, first, last, out)) < last:
            self.grow()

    def __len__(self) -> int:
        return int(self.slots.counts[0])

    @overload
    def __getitem__(self, number: int) -> _Name: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[_Name]: ...
    def __getitem__(self, number: int | slice) -> _Name | Sequence[_Name]:
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        if not -len(self) <= number < len(self):
            raise IndexError(number)
        number %= len(self)
        start, end = self.slots.starts[number : number + 2]
        return self._made(int(self.slots.kinds[number]), self.slots.bytes[start:end].tobytes().decode())


def _empty(slots: int, names: int, room: int) -> Slots:
    return Slots(
        np.zeros(2 * slots, np.uint64),
        np.zeros(names, np.uint8),
        np.zeros(names + 1, np.int64),
        np.zeros(room, np.uint8),
        np.zeros(2, np.int64),
    )


@jit
def extended(key, length, byte):
    """The key of a name that is one byte longer than the name of ``length`` bytes whose key is ``key``."""
    if length < SHORT:
        return key << _EIGHT | np.uint64(byte)
    return key * _PRIME ^ np.uint64(byte)


@jit
def finished(key, length, kind):
    """The key of a whole name of a kind."""
    if length <= SHORT:
        return key | np.uint64(kind) << _KIND_AT
    return key ^ np.uint64(kind) << _KIND_AT | _LONG


@jit
def _key(data, kind):
    key, strange = np.uint64(0), False
    for at in range(len(data)):
        key = extended(key, at, data[at])
        strange |= data[at] >= 128
    return finished(key, len(data), kind) | (_LONG if strange else np.uint64(0))


@jit
def _interned(slots, data, starts, ends, keys, kinds, first, last, out):
    """Interns spans from ``first`` on; returns the number of the first one that is new and does not fit. Arrays are
    unpacked once, not per name."""
    entries = slots.entries
    known_kinds, known_starts, known_bytes = slots.kinds, slots.starts, slots.bytes
    mask = len(entries) // 2 - 1
    for at in range(first, last):
        key = keys[at]
        start, length = starts[at], ends[at] - starts[at]
        if key == 0:
            out[at] = NONE
            continue
        slot = _slot(key, mask)
        number = np.int64(NONE)
        while entries[2 * slot] != 0:
            if entries[2 * slot] == key:
                number = np.int64(entries[2 * slot + 1])
                if not key & _LONG:
                    break
                known = known_starts[number]
                same = known_kinds[number] == kinds[at] and known_starts[number + 1] - known == length
                offset = 0
                while same and offset < length:
                    same = known_bytes[known + offset] == data[start + offset]
                    offset += 1
                if same:
                    break
                number = np.int64(NONE)
            slot = (slot + 1) & mask
        if number == NONE:
            number = _added(slots, slot, data[start : start + length], key, kinds[at])
            if number == NONE:
                return at
        out[at] = number
    return last


@jit
def _slot(key, mask):
    mixed = key * _MULTIPLIER
    return np.int64((mixed ^ mixed >> _MIXED_FROM) >> np.uint64(8)) & mask


@jit
def _added(slots, slot, name, key, kind):
    """The number of a new name, NONE if the table is full."""
    number, used = slots.counts[0], slots.counts[1]
    if number >= len(slots.kinds) or used + len(name) > len(slots.bytes):
        return NONE
    for at in range(len(name)):
        slots.bytes[used + at] = name[at]
    slots.kinds[number] = kind
    slots.starts[number + 1] = used + len(name)
    slots.entries[2 * slot] = key
    slots.entries[2 * slot + 1] = number
    slots.counts[0] += 1
    slots.counts[1] += len(name)
    return number


@jit
def _rehashed(old, new):
    mask = len(new.entries) // 2 - 1
    for at in range(0, len(old.entries), 2):
        key = old.entries[at]
        if key != 0:
            slot = _slot(key, mask)
            while new.entries[2 * slot] != 0:
                slot = (slot + 1) & mask
            new.entries[2 * slot] = key
            new.entries[2 * slot + 1] = old.entries[at + 1]
