"""``stdarg.h``, and the arguments of functions of the library that take a variable number of them.

Source: System V ABI, AMD64 supplement, 3.5.7. A ``va_list`` is a structure of 24 bytes: the offsets of the next integer
and of the next float in the area of registers, the address of the next argument that was passed in memory, and the
address of the area of registers. ``va_arg`` is compiled to accesses to these. Both areas are objects on the stack that
hold the arguments and nothing else, so that reading more than were given is a fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.faults import ProgramFault
from mazurka.program.llvm.memory_objects import STACK, MemoryObject
from mazurka.program.llvm.operations import bits_double, bits_x86_fp80, float_double, float_x86_fp80

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

#: Classes of arguments.
INTEGER, DOUBLE, LONG_DOUBLE = "integer", "double", "long double"

#: Gives the next argument, of a class.
NextArgument = Callable[[str], Any]

#: The registers for integers and for floats, and the bytes that each has in the area.
_INTEGERS, _FLOATS = 6, 8
_WORD, _SLOT = 8, 16
_FIRST_FLOAT: Final = _INTEGERS * _WORD
_AREA: Final = _FIRST_FLOAT + _FLOATS * _SLOT

#: The offsets in a ``va_list``.
_FLOAT_AT, _MEMORY_AT, _AREA_AT, _SIZE = 4, 8, 16, 24


class LongDouble(float):
    """A variable argument of type ``long double``."""


class ByValue(int):
    """A variable argument that is a structure passed in memory: the address of its copy."""

    size: int
    alignment: int


def by_value(address: int, size: int, alignment: int) -> ByValue:
    """A structure as an argument."""
    made = ByValue(address)
    made.size, made.alignment = size, alignment
    return made


class _Areas:
    """The two areas of a call, as they are filled."""

    def __init__(self, integers: int, floats: int) -> None:
        self.integer = min(integers, _INTEGERS) * _WORD
        self.float = _FIRST_FLOAT + min(floats, _FLOATS) * _SLOT
        self.registers: list[tuple[int, Any]] = []  # offsets and words
        self.words: list[tuple[int, Any]] = []  # the same of those in memory
        self.copies: list[tuple[int, ByValue]] = []
        self.size = 0  # of the area in memory

    def add(self, value: Any) -> None:
        """Add an argument."""
        if isinstance(value, ByValue):
            self.copies.append((self._room(value.size, value.alignment), value))
        elif isinstance(value, LongDouble):
            at = self._room(16, 16)
            bits = bits_x86_fp80(value)
            self.words += [(at, bits & (1 << 64) - 1), (at + _WORD, bits >> 64)]
        elif isinstance(value, float):
            if self.float < _AREA:
                self.registers.append((self.float, bits_double(value)))
                self.float += _SLOT
            else:
                self.words.append((self._room(_WORD, _WORD), bits_double(value)))
        elif self.integer < _FIRST_FLOAT:
            self.registers.append((self.integer, value))
            self.integer += _WORD
        else:
            self.words.append((self._room(_WORD, _WORD), value))

    def _room(self, size: int, alignment: int) -> int:
        at = self.size + -self.size % max(alignment, _WORD)
        self.size = at + size + -size % _WORD
        return at


def begin(
    m: Machine, place: int, given: tuple[Any, ...], named: tuple[int, int], mine: list[MemoryObject], site: int
) -> None:
    """``va_start``: ``given`` are the variable arguments, ``named`` the numbers of named parameters that are integers
    or pointers, and floats."""
    areas = _Areas(*named)
    integer, float_ = areas.integer, areas.float
    for value in given:
        if isinstance(value, tuple):
            m.run.stop(f"the run was cut: a vector is passed as a variable argument ({m.location(site)})")
        areas.add(value)
    registers = m.memory.allocate(_AREA, STACK, "variable arguments in registers")
    others = m.memory.allocate(areas.size, STACK, "variable arguments in memory")
    mine += (registers, others)
    for area, words in ((registers, areas.registers), (others, areas.words)):
        for at, value in words:
            m.memory.put(area, at, _WORD, value)
    for at, copied in areas.copies:
        m.memory.copy(others.address + at, copied, copied.size, site)
    fields = (integer, 4), (float_, 4), (others.address, _WORD), (registers.address, _WORD)
    for at, (value, size) in zip((0, _FLOAT_AT, _MEMORY_AT, _AREA_AT), fields, strict=True):
        m.memory.store(place + at, size, value, site)


def from_list(m: Machine, site: int, place: int) -> NextArgument:
    """The arguments that a ``va_list`` stands for; taking one changes it."""

    def take(kind: str) -> Any:
        field, end, step = (_FLOAT_AT, _AREA, _SLOT) if kind == DOUBLE else (0, _FIRST_FLOAT, _WORD)
        offset = m.memory.load(place + field, 4, site) if kind != LONG_DOUBLE else end
        if offset < end:
            address = m.memory.load(place + _AREA_AT, _WORD, site) + offset
            m.memory.store(place + field, 4, offset + step, site)
        else:
            size = 16 if kind == LONG_DOUBLE else _WORD
            address = m.memory.load(place + _MEMORY_AT, _WORD, site)
            address += -address % size
            m.memory.store(place + _MEMORY_AT, _WORD, address + size, site)
        if kind == LONG_DOUBLE:
            low, high = (m.memory.load(address + at, _WORD, site) for at in (0, _WORD))
            return float_x86_fp80(int(low) | int(high) << 64)
        value = m.memory.load(address, _WORD, site)
        return float_double(int(value)) if kind == DOUBLE else value

    return take


def from_call(m: Machine, site: int, given: Iterable[Any]) -> NextArgument:
    """The arguments of a call."""
    left = iter(given)

    def take(_kind: str) -> Any:
        for value in left:
            return value
        raise ProgramFault("undefined behaviour", "passes fewer arguments than the format has conversions", site)

    return take


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "llvm.va_copy": lambda m, site, to, source: m.memory.copy(to, source, _SIZE, site),
    "llvm.va_end": lambda m, site, place: None,
}
