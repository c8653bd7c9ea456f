"""The types of LLVM IR, with their sizes and layouts on x86-64.

Sizes and alignments are in bytes, offsets count from the start of the value. Source: the LLVM language reference, and
the data layout string of x86-64: integers, pointers and floats are aligned to their sizes, ``x86_fp80`` and i128 to 16.
"""

from __future__ import annotations

from dataclasses import field
from typing import Final

from mazurka.lazy_dataclass import dataclass


class Type:
    """A type. ``size`` and ``align`` are those of a value in memory."""

    size: int
    align: int


@dataclass(frozen=True, slots=True)
class Int(Type):
    """``iN``."""

    bits: int

    @property
    def size(self) -> int:  # type: ignore[override]
        """In bytes."""
        return -(-((self.bits + 7) // 8) // self.align) * self.align

    @property
    def align(self) -> int:  # type: ignore[override]
        """In bytes."""
        size = (self.bits + 7) // 8
        return min(1 << (size - 1).bit_length(), 16)

    def __str__(self) -> str:
        return f"i{self.bits}"


@dataclass(frozen=True, slots=True)
class Pointer(Type):
    """``ptr``."""

    size = 8
    align = 8

    def __str__(self) -> str:
        return "ptr"


@dataclass(frozen=True, slots=True)
class Float(Type):
    """``float``, ``double`` or ``x86_fp80``; values of the last are computed in double precision."""

    name: str

    @property
    def size(self) -> int:  # type: ignore[override]
        """In bytes."""
        return {"half": 2, "float": 4, "double": 8}.get(self.name, 16)

    @property
    def align(self) -> int:  # type: ignore[override]
        """In bytes."""
        return self.size

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Void(Type):
    """``void``, and the types of labels and metadata, which no value in memory has."""

    size = 0
    align = 1

    def __str__(self) -> str:
        return "void"


@dataclass(frozen=True, slots=True)
class Array(Type):
    """``[count x element]``, or with ``vector`` ``<count x element>``."""

    count: int
    element: Type
    vector: bool = False

    @property
    def size(self) -> int:  # type: ignore[override]
        """In bytes."""
        size = self.count * self.element.size
        return 1 << (size - 1).bit_length() if self.vector and size else size

    @property
    def align(self) -> int:  # type: ignore[override]
        """In bytes."""
        return max(self.size, 1) if self.vector else self.element.align

    def __str__(self) -> str:
        return f"{'<' if self.vector else '['}{self.count} x {self.element}{'>' if self.vector else ']'}"


@dataclass(slots=True, eq=False)
class Struct(Type):
    """A structure; a named one gets its fields when its definition is read."""

    fields: tuple[Type, ...] = ()
    packed: bool = False
    name: str = ""
    _offsets: tuple[int, ...] | None = field(default=None, repr=False)
    _size: int = 0

    def _lay_out(self) -> tuple[int, ...]:
        if self._offsets is None:
            at, offsets = 0, []
            for each in self.fields:
                align = 1 if self.packed else each.align
                at = -(-at // align) * align
                offsets.append(at)
                at += each.size
            self._size = -(-at // self.align) * self.align
            self._offsets = tuple(offsets)
        return self._offsets

    @property
    def size(self) -> int:  # type: ignore[override]
        """In bytes."""
        self._lay_out()
        return self._size

    @property
    def align(self) -> int:  # type: ignore[override]
        """In bytes."""
        return 1 if self.packed else max((each.align for each in self.fields), default=1)

    def offset(self, index: int) -> int:
        """The offset of a field."""
        return self._lay_out()[index]

    def __str__(self) -> str:
        return self.name or f"{{{', '.join(map(str, self.fields))}}}"


POINTER: Final = Pointer()
VOID: Final = Void()
