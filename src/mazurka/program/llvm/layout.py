"""The locations of a memory object: which bytes of it one target stands for.

An object is divided into words of 8 bytes, and each word into *cells* of 8, 4, 2 or 1 bytes: the largest size such that
every access so far touched whole cells. So accesses conflict if and only if they share a byte, and the fields of a
structure are locations of their own. A smaller access than those before divides the word further: that is a mark among
the learned points, and executions made with the larger cells are made again. Cells that atomic operations touch are
atomic for all: these order threads and do not race.
"""

from __future__ import annotations

from typing import Final
from zlib import crc32

from mazurka.program.protocol import Access
from mazurka.program.runtime.sharing import Sharing
from mazurka.trace.event import Op
from mazurka.trace.targets import ATOMIC, VARIABLE, Target

_WORD: Final = 8
_GRAINS: Final = (1, 2, 4)

#: Added to the marks of divided words, and to those of atomic ones.
_DIVIDED: Final = 1 << 35
_ATOMIC: Final = 1 << 36


#: Layouts are made anew once there are so many.
_MOST: Final = 20_000


class Layouts:
    """The layouts of all objects by name. They serve one execution after another (:meth:`restart`), of which none knows
    more than the marks among the learned points."""

    def __init__(self) -> None:
        self.sharing: Sharing = None  # type: ignore[assignment]  # set by restart()
        self.used: list[ObjectLayout] = []  # in this execution
        self.version = 0  # of the marks among the learned points
        self.learnt: dict[tuple[str, int], tuple[int, bool]] = {}  # of words: the size of cells, whether atomic
        self._points: tuple[set[int], int] = (set(), 0)  # those by which these are known, and how many they were
        self._by_name: dict[str, ObjectLayout] = {}

    def restart(self, sharing: Sharing) -> None:
        """Begin an execution."""
        self.sharing = sharing
        for each in self.used:
            each.restart()
        self.used.clear()
        points, count = self._points
        if points is not sharing.points or count != len(points) or len(self.learnt) > _MOST:
            self._points = (sharing.points, len(sharing.points))
            self.version += 1
            self.learnt.clear()
        if len(self._by_name) > _MOST:
            self._by_name.clear()

    def of(self, name: str) -> ObjectLayout:
        """The layout of an object."""
        found = self._by_name.get(name)
        if found is None:
            found = self._by_name[name] = ObjectLayout(name, self)
        return found


class ObjectLayout:
    """The cells of one object in one execution."""

    __slots__ = ("_atomic", "_cells", "_first", "_grains", "_layouts", "name")

    def __init__(self, name: str, layouts: Layouts) -> None:
        self.name = name
        self._layouts = layouts
        self._grains: dict[int, int] = {}  # word -> the size of its cells, in bytes
        self._atomic: set[int] = set()  # words
        self._cells: dict[tuple[int, int], tuple[Target, ...]] = {}
        # Of first accesses in a word, which it has whole: the version, the size of its cells, and the cells.
        self._first: dict[tuple[int, int], tuple[int, int, tuple[Target, ...]]] = {}

    def restart(self) -> None:
        """Forget the accesses of an execution."""
        self._grains.clear()
        self._atomic.clear()
        self._cells.clear()

    def divisions(self) -> dict[int, tuple[int, bool]]:
        """By word that has been accessed: the size of its cells, and whether they are atomic."""
        return {word: (grain, word in self._atomic) for word, grain in self._grains.items()}

    def cells(self, at: int, size: int) -> tuple[Target, ...]:
        """The cells of an access of ``size`` bytes at an offset."""
        return self._cells.get((at, size)) or self._divide(at, size)

    def atomic_cells(self, at: int, size: int) -> tuple[Target, ...]:
        """The cells of an atomic operation."""
        for word in range(at // _WORD, (at + size - 1) // _WORD + 1):
            if word not in self._atomic:
                self._atomic.add(word)
                self._layouts.used.append(self)
                if word in self._grains:
                    self._learn(word, 0, is_atomic=True)
        return self.cells(at, size)

    def _learn(self, word: int, grain: int, *, is_atomic: bool = False) -> None:
        self._cells.clear()
        self._layouts.learnt.pop((self.name, word), None)
        self._layouts.version += 1
        self._layouts.sharing.learn((-1 - (self._mark(word, grain) | (_ATOMIC if is_atomic else _DIVIDED)),))

    def _mark(self, word: int, grain: int) -> int:
        return crc32(f"{self.name}:{word}:{grain}".encode())

    def _known(self, word: int) -> int:
        """The size of cells that earlier executions have learnt."""
        learnt = self._layouts.learnt
        found = learnt.get((self.name, word))
        if found is None:
            points = self._layouts.sharing.points
            grain = next((each for each in _GRAINS if -1 - (self._mark(word, each) | _DIVIDED) in points), _WORD)
            found = learnt[self.name, word] = grain, -1 - (self._mark(word, 0) | _ATOMIC) in points
        if found[1]:
            self._atomic.add(word)
        return found[0]

    def _divide(self, at: int, size: int) -> tuple[Target, ...]:
        if not self._grains:
            self._layouts.used.append(self)
        word = at // _WORD
        is_first = word not in self._grains and word not in self._atomic
        if is_first and (first := self._first.get((at, size))) is not None and first[0] == self._layouts.version:
            self._grains[word], self._cells[at, size] = first[1:]
            return first[2]
        cells = self._divided(at, size)
        if is_first and word not in self._atomic and at + size <= (word + 1) * _WORD:
            self._first[at, size] = self._layouts.version, self._grains[word], cells
        return cells

    def _divided(self, at: int, size: int) -> tuple[Target, ...]:
        for word in range(at // _WORD, (at + size - 1) // _WORD + 1):
            start, end = max(at, word * _WORD), min(at + size, (word + 1) * _WORD)
            known = self._grains.get(word)
            grain = self._known(word) if known is None else known
            while start % grain or end % grain:
                grain //= 2
            if known is not None and grain < known:
                self._learn(word, grain)
            self._grains[word] = grain
        found: list[Target] = []
        place = at
        while place < at + size:
            word = place // _WORD
            found.append((ATOMIC if word in self._atomic else VARIABLE, self.name, place))
            place += self._grains[word]
        cells = self._cells[at, size] = tuple(found)
        return cells


def further(op: Op, cells: tuple[Target, ...]) -> tuple[Access, ...]:
    """The accesses of a step beyond the first cell that it touches."""
    return tuple([Access(op, cell) for cell in cells[1:]])
