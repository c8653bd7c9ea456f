"""The bytes of an object in memory that depend on unknown inputs, and accesses at addresses that do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple, Protocol

from mazurka.symbolic.terms import Term, choice, constant, extended
from mazurka.symbolic.values import SymbolicInt, plain


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

    @property
    def value(self) -> Any:
        """The byte as a number."""
        return (self.number >> 8 * self.place) & 255


#: Unknown bytes by their distances from the first one, in ascending order.
UnknownPart = tuple[tuple[int, UnknownByte], ...]


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

    def part(self, at: int, size: int) -> UnknownPart:
        """The unknown ones of ``size`` bytes, with their distances from the first."""
        return tuple([(index, found) for index in range(size) if (found := self._bytes.get(at + index)) is not None])

    def put(self, at: int, size: int, part: UnknownPart) -> None:
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
            number = number | each.value << 8 * index
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


class SymbolicBytes:
    """Bytes that are on their way from one place to another, as ``data`` has them in this execution; those of
    ``unknown`` depend on inputs. Slices and sums are such bytes, too."""

    __slots__ = ("data", "unknown")

    def __init__(self, data: bytes = b"", unknown: UnknownPart = ()) -> None:
        self.data = data
        self.unknown = unknown

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, part: slice) -> SymbolicBytes:
        start, end, _ = part.indices(len(self.data))
        return SymbolicBytes(
            self.data[start:end], tuple([(at - start, each) for at, each in self.unknown if start <= at < end])
        )

    def __add__(self, other: SymbolicBytes | bytes) -> SymbolicBytes:
        if isinstance(other, bytes):
            return SymbolicBytes(self.data + other, self.unknown)
        moved = tuple([(len(self.data) + at, each) for at, each in other.unknown])
        return SymbolicBytes(self.data + other.data, self.unknown + moved)

    def __eq__(self, other: object) -> bool:
        """Whether they are the same in this execution, and depend on inputs in the same way."""
        return isinstance(other, SymbolicBytes) and (self.data, self.in_terms()) == (other.data, other.in_terms())

    def __hash__(self) -> int:
        return hash((self.data, self.in_terms()))

    def __repr__(self) -> str:
        return repr(self.data)

    def in_terms(self) -> tuple[bytes, str]:
        """The bytes, where those that are unknown are zero, and a text that is equal only if these depend on inputs in
        the same way."""
        known = bytearray(self.data)
        for at, _ in self.unknown:
            known[at] = 0
        return bytes(known), " ".join([f"{at} {each.place} {each.number.key[2]}" for at, each in self.unknown])

    def numbers(self) -> list[Any]:
        """The bytes as numbers."""
        found: list[Any] = list(self.data)
        for at, each in self.unknown:
            found[at] = each.value
        return found

    def find(self, wanted: int, *, last: bool = False) -> int:
        """The place of the first byte that is this one, or of the last; -1 if there is none. Whether an unknown byte is
        the one is a condition of the path."""
        known = bytearray(self.data)
        for at, _ in self.unknown:
            known[at] = wanted ^ 255
        found = known.rfind(wanted) if last else known.find(wanted)
        for at, each in reversed(self.unknown) if last else self.unknown:
            if found >= 0 and (at < found if last else at > found):
                break
            if each.value == wanted:
                return at
        return found

    def definite(self) -> bytes:
        """The bytes. From here on the program depends on the values that they have in this execution."""
        for _, each in self.unknown:
            int(each.value)
        return self.data


class StoredBytes:
    """Bytes in an object in memory or a file. ``unknown`` is None if no byte depends on inputs."""

    __slots__ = ("data", "unknown")

    def __init__(self, data: bytearray) -> None:
        self.data = data
        self.unknown: UnknownBytes | None = None

    def part(self, at: int, size: int) -> SymbolicBytes:
        """The bytes from an offset on, so many or up to the end."""
        data = bytes(self.data[at : at + size])
        return SymbolicBytes(data, self.unknown.part(at, len(data)) if self.unknown is not None else ())

    def put(self, at: int, content: bytes | SymbolicBytes) -> None:
        """Replace bytes from an offset on."""
        known, unknown = (content, ()) if isinstance(content, bytes) else (content.data, content.unknown)
        if unknown and self.unknown is None:
            self.unknown = UnknownBytes()
        if self.unknown is not None:
            self.unknown.put(at, len(known), unknown)
        self.data[at : at + len(known)] = known

    def find(self, wanted: int, at: int, most: int) -> int:
        """How far behind an offset the first byte is that is this one; -1 if it is none of so many. Whether an unknown
        byte is the one is a condition of the path."""
        if self.unknown is not None:
            return self.part(at, most).find(wanted)
        found = self.data.find(wanted, at, at + most)
        return found - at if found >= 0 else -1

    def resize(self, size: int) -> None:
        """Make it shorter, or longer by zeros."""
        if self.unknown is not None:
            self.unknown.put(size, max(len(self.data) - size, 0), ())
        self.data[size:] = bytes(max(size - len(self.data), 0))


def joined(parts: Iterable[SymbolicBytes]) -> SymbolicBytes:
    """Bytes one after the other."""
    return sum(parts, SymbolicBytes())


def byte_of(number: Any, count: int = 1) -> SymbolicBytes:
    """The lowest byte of a number, so many times."""
    unknown = UnknownByte(number & 255, 0, 1) if type(number) is SymbolicInt else None
    part = tuple([(at, unknown) for at in range(count)]) if unknown is not None else ()
    return SymbolicBytes(bytes([plain(number) & 255]) * count, part)


#: The bits of the result of a comparison.
_INT: Final = 32


def compared(one: list[Any], other: list[Any]) -> Any:
    """The order of two texts, given by their bytes as numbers: 0 if they are equal, 1 if the first one is greater, and
    otherwise -1, as an ``int`` of C without its sign; a term where bytes are unknown."""
    result: Any = (len(one) > len(other)) - (len(one) < len(other)) & (1 << _INT) - 1
    for first, second in reversed(list(zip(one, other, strict=False))):
        order = picked(first < second, (1 << _INT) - 1, 1)
        result = picked(first == second, result, order)
    return result


def picked(condition: Any, one: Any, other: Any) -> Any:
    """The one number where a condition holds, otherwise the other: both are natural, of at most 32 bits."""
    if type(condition) is not SymbolicInt:
        return one if condition else other
    term = choice(condition.term, _term(one), _term(other))
    return condition.derived(plain(one if condition.value else other), term, False)


def _term(number: Any) -> Term:
    return extended(number.term, _INT, signed=False) if type(number) is SymbolicInt else constant(number, _INT)
