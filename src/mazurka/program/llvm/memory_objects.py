"""The objects in the memory of a C program, slots of their bytes, and addresses, which no schedule changes.

An address is the number of an object and an offset. Objects are numbered by the thread that makes them and their place
among those that it has made, so that an address means the same object in every execution (paper of POR-SE, 4.3); the
number of an object that has ended is not used again. Between two objects lie gigabytes that belong to none, so that an
address that has left its object is known to have.

Accesses of objects, which may be steps of threads, are in :mod:`mazurka.program.llvm.memory`.
"""

from __future__ import annotations

import zlib
from typing import Any, Final, NamedTuple

from mazurka.program.llvm.layout import ObjectLayout
from mazurka.program.llvm.ownership import ObjectUse
from mazurka.program.llvm.unknown_bytes import StoredBytes, UnknownBytes
from mazurka.symbolic.values import plain
from mazurka.trace.targets import OBJECT, Target

#: An address: the object's number, and 28 bits for its offset, which is shifted so that negative ones show.
SHIFT: Final = 28
MASK: Final = (1 << SHIFT) - 1
BIAS: Final = 1 << 16

#: The kind of variables of one thread, which end with it.
THREAD: Final = "thread"

#: The kind of the variables of functions, and the bytes of a thread's stack on Linux if nothing else is asked for.
STACK: Final = "stack"
STACK_SIZE: Final = 8 << 20

#: The bytes of the largest object.
LARGEST: Final = (1 << SHIFT) - 2 * BIAS

#: The number of an object: the code of its thread, and so many bits for its place among the objects of the thread.
PLACES: Final = 20
_DIRECT: Final = 4096
_CODES: Final = 1 << 15


class MemoryObject(StoredBytes):
    """An object in memory. ``shadow`` has a byte for each byte that says whether it is initialised; None: all are."""

    __slots__ = (
        *("base", "cells", "is_constant", "is_foreign", "is_shared", "kind", "layout", "life", "live", "mark"),
        *("owner", "serial", "shadow", "size", "use"),
    )

    def __init__(
        self, base: int, size: int, kind: str, layout: ObjectLayout, data: bytearray, owner: str = "", mark: int = 0
    ) -> None:
        super().__init__(data)
        self.base = base
        self.size = size
        self.kind = kind  # "global", "constant", "heap", "stack", "thread", "function"
        self.is_constant = kind in ("constant", "function")
        self.layout = layout
        self.cells = layout.cells
        self.shadow: bytearray | None = None
        self.live = True
        self.owner = owner  # the thread that made it
        self.serial = 0
        self.life: Target = (OBJECT, layout.name)  # written when it ends, read by each use
        self.is_foreign = False  # another thread than the one that made it has touched it
        self.is_shared = True  # each access is a step; otherwise it is owned (ownership.py)
        self.use: ObjectUse | None = None
        self.mark = mark

    @property
    def address(self) -> int:
        """The address of its first byte."""
        return self.base + BIAS

    @property
    def name(self) -> str:
        """Its name, the same in every execution."""
        return self.layout.name

    def content(self) -> tuple[bytes, bytes]:
        """Its bytes, and those that say which of them are initialised."""
        return bytes(self.data), bytes(self.shadow or b"")

    def note(self, at: int, size: int, value: Any) -> int:
        """Note that a number is stored that may depend on inputs; returns its value in this execution."""
        if self.unknown is None:
            self.unknown = UnknownBytes()
        self.unknown.set(at, size, value)
        return int(plain(value))


class MemorySlot(NamedTuple):
    """The bytes of a cell, as :class:`mazurka.program.runtime.relaxed.StoreSlot`; a value is bytes, shadow, and
    the bytes that are unknown."""

    thing: MemoryObject
    at: int
    size: int

    def look(self) -> tuple[bytes, bytes | None, Any]:
        thing, at, end = self.thing, self.at, self.at + self.size
        unknown = thing.unknown.part(at, self.size) if thing.unknown is not None else ()
        return bytes(thing.data[at:end]), bytes(thing.shadow[at:end]) if thing.shadow is not None else None, unknown

    def put(self, value: tuple[bytes, bytes | None, Any]) -> None:
        thing, at, end = self.thing, self.at, self.at + self.size
        if thing.unknown is not None:
            thing.unknown.put(at, self.size, value[2])
        thing.data[at:end] = value[0]
        if thing.shadow is not None and value[1] is not None:
            thing.shadow[at:end] = value[1]


def code_of(thread: str) -> int:
    """The code of a thread of this name in the numbers of its objects; two names may have the same one."""
    births = thread.split(".")[1:]
    code = int(births[0]) if len(births) == 1 else 0
    if len(births) > 1 or code >= _DIRECT:
        code = _DIRECT + zlib.crc32(thread.encode()) % (_CODES - _DIRECT)
    return code


def number_in_library(name: str) -> int:
    """The number of the object of the C library of this name; two names may have the same one."""
    return (_CODES + 1 << PLACES) | zlib.crc32(name.encode()) % (1 << PLACES)


def is_in_library(number: int) -> bool:
    """Whether an object's number is that of an object of the C library."""
    return number >> PLACES == _CODES + 1
