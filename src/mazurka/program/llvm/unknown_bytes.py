"""The bytes of an object in memory that depend on unknown inputs, and accesses at addresses that do."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from mazurka.symbolic.values import SymbolicInt


class UnknownAddress(Protocol):
    """An access at an address that depends on unknown inputs."""

    def hold_initialised(self, site: int) -> None:
        """Find a fault if none of the bytes that it may read has a value."""

    def read(self) -> int:
        """The number there, which may be a term."""

    def write(self, value: Any) -> None:
        """Write a number there."""


class UnknownAddresses(Protocol):
    """Such accesses of a memory: see :mod:`mazurka.program.llvm.unknown_places`."""

    branched: set[int]  # the sites of those that have a branch for each value, without a conflict

    def visit(self, address: SymbolicInt, size: int, site: int, verb: str) -> UnknownAddress | None:
        """Pass an access; None if the address is to become definite first."""


class UnknownByte(NamedTuple):
    """A byte of a number that was stored; ``place`` is 0 for its lowest one, ``size`` the bytes that it has."""

    number: SymbolicInt
    place: int
    size: int


class UnknownBytes:
    """The bytes of one object, by offset; those that are missing are as in its data."""

    __slots__ = ("_bytes",)

    def __init__(self) -> None:
        self._bytes: dict[int, UnknownByte] = {}

    def set(self, at: int, size: int, number: Any) -> None:
        """Note that a number was stored."""
        if type(number) is SymbolicInt:
            for index in range(size):
                self._bytes[at + index] = UnknownByte(number, index, size)
        else:
            for index in range(at, at + size):
                self._bytes.pop(index, None)

    def part(self, at: int, size: int) -> tuple[tuple[int, UnknownByte], ...]:
        """The unknown ones of ``size`` bytes, with their distances from the first."""
        return tuple([(index, found) for index in range(size) if (found := self._bytes.get(at + index)) is not None])

    def put(self, at: int, size: int, part: tuple[tuple[int, UnknownByte], ...]) -> None:
        """Note that bytes were written of which these are unknown."""
        self.set(at, size, 0)
        self._bytes.update((at + index, each) for index, each in part)

    def number(self, at: int, size: int, value: int) -> Any:
        """The unsigned number in ``size`` bytes, which is ``value`` in this execution."""
        part = self.part(at, size)
        if not part:
            return value
        first = part[0][1].number
        if len(part) == size and all(
            each.number is first and each.place == index and each.size == size for index, each in part
        ):
            return first
        known = value
        for index, _ in part:
            known &= ~(255 << 8 * index)
        number: Any = known
        for index, each in part:
            number = number | ((each.number >> 8 * each.place) & 255) << 8 * index
        return number

    def key(self, at: int, size: int, value: int) -> str:
        """A text that is equal only if the bytes, whose number is ``value``, depend on inputs in the same way; "" if
        they do not."""
        part = self.part(at, size)
        if not part:
            return ""
        for index, _ in part:
            value &= ~(255 << 8 * index)
        return " ".join([f"{value:x}", *[f"{index} {each.place} {each.number.key[2]}" for index, each in part]])

    def become_definite(self, at: int, size: int) -> None:
        """From here on the program depends on the values that these bytes have in this execution."""
        for _, each in self.part(at, size):
            int((each.number >> 8 * each.place) & 255)
