"""The memory that Python and native code share: words by which one sets limits for the other, objects, and frames.

*Words*: see :class:`Word`. *Objects*: a table of the objects in memory that native code may access, each in the place
that its number is hashed to; an object that is missing there is Python's. *Frames*: each function that leaves writes
one, the innermost first: a word with the number of the function and the label, words that say which promoted variables
have values, and the variables that are live at the label.
"""

from __future__ import annotations

import ctypes
from typing import Final

#: The entries of the table, and the bytes of one: number, address of the data, address of the shadow (0: all bytes are
#: initialised), size, flags.
ENTRIES: Final = 1 << 16
ENTRY_SIZE: Final = 32

#: The bytes for frames.
FRAMES_SIZE: Final = 1 << 20

#: Flags of objects: native code may read them, or write them, while there is one thread; it may always read them.
READ_ALONE, WRITE_ALONE, READ_ALWAYS = 1, 2, 4

#: By such numbers an object's number is hashed: its place among the objects of its thread, and those of the threads.
PLACES: Final = 20
SPREAD: Final = 4099


class Word:
    """The places of the words."""

    PASSES = 0  # passes of loops so far
    STOP_AT = 1  # at so many passes Python counts the next
    TOP = 2  # the address where the next frame is written
    DEPTH = 3  # calls that may still be nested
    FUEL = 4  # calls that may still be made
    READS = 5  # flags that allow a read now
    WRITES = 6  # flags that allow a write now
    SOLO = 7  # 1: there is one thread
    RESULT = 8  # of the function that was entered
    MISSED = 9  # the number of an object that is missing in the table
    COUNT = 10


def place_of(number: int) -> int:
    """The place of an object in the table."""
    return (number + (number >> PLACES) * SPREAD) & (ENTRIES - 1)


class Context:
    """The shared memory of one machine."""

    def __init__(self) -> None:
        self._words = bytearray(8 * Word.COUNT)
        self._frames = bytearray(FRAMES_SIZE)
        self._table = bytearray(ENTRIES * ENTRY_SIZE)
        self.words = memoryview(self._words).cast("q")
        self.frames = memoryview(self._frames)
        self.table = memoryview(self._table)
        self.words_at = address_of(self._words)
        self.frames_at = address_of(self._frames)
        self.table_at = address_of(self._table)


def address_of(content: bytearray) -> int:
    """The address of bytes in the memory of this process. It is theirs for as long as they keep their length."""
    return ctypes.addressof(ctypes.c_char.from_buffer(content))
