"""Thrift's compact protocol, in which the headers of Parquet files are written.

Specification: Apache Thrift, ``doc/specs/thrift-compact-protocol.md``. A struct is a dict from the numbers of its
fields to values: booleans, integers, bytes, lists and structs. Values are written by their types in Python; an
integer has to say its width (:class:`Int32`, :class:`Int64`). Floats, sets and maps, which no header of ours has, are
refused.

Reading never takes more time or memory than the data is long: lengths are compared with the bytes that are left, and
structs are nested at most :data:`_DEEPEST` deep. Whatever is wrong is a :class:`ThriftError`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)

#: The deepest nesting of structs and lists. Those of Parquet are five deep.
_DEEPEST: Final = 16

#: The most bytes of a variable-length integer of 64 bits.
_LONGEST: Final = 10


class ThriftError(ValueError):
    """Bytes that are no data of this protocol."""


class Int32(int):
    """An integer of 32 bits."""


class Int64(int):
    """An integer of 64 bits."""


Struct = Mapping[int, Any]


def varint(number: int) -> bytes:
    """A whole number from 0, seven bits a byte, the lowest first."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def written(struct: Struct) -> bytes:
    """A struct as bytes; fields that are None are left out."""
    out, before = bytearray(), 0
    for number, value in sorted(struct.items()):
        if value is None:
            continue
        kind = _kind(value)
        if number - before <= 15:
            out.append((number - before) << 4 | kind)
        else:
            out.append(kind)
            out += varint(_zigzag(number))
        if kind not in (_TRUE, _FALSE):
            out += _value(value)
        before = number
    out.append(0)
    return bytes(out)


def _zigzag(number: int) -> int:
    return number << 1 if number >= 0 else (-number << 1) - 1


def _kind(value: Any) -> int:
    match value:
        case bool():
            return _TRUE if value else _FALSE
        case Int32():
            return _I32
        case Int64():
            return _I64
        case bytes() | str():
            return _BINARY
        case list():
            return _LIST
    return _STRUCT


def _value(value: Any) -> bytes:
    match value:
        case int():
            return varint(_zigzag(value))
        case str():
            return _value(value.encode())
        case bytes():
            return varint(len(value)) + value
        case list():
            kind = _kind(value[0]) if value else _STRUCT
            start = bytes([len(value) << 4 | kind]) if len(value) < 15 else bytes([0xF0 | kind]) + varint(len(value))
            return start + b"".join(map(_value, value))
    return written(value)


class Reader:
    """Reads structs from bytes; ``at`` is the place of the next one."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self._data = data
        self.at = at

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """The struct that begins here."""
        found: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            kind = head & 0x0F
            number = number + (head >> 4) if head >> 4 else self._integer()
            found[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind, depth)
        return found

    def varint(self) -> int:
        """A whole number from 0."""
        number = 0
        for place in range(_LONGEST):
            byte = self._byte()
            number |= (byte & 0x7F) << (7 * place)
            if byte < 0x80:
                return number
        raise ThriftError("an integer that is too long")

    def _byte(self) -> int:
        if self.at >= len(self._data):
            raise ThriftError("it ends within a header")
        self.at += 1
        return self._data[self.at - 1]

    def _integer(self) -> int:
        number = self.varint()
        return number >> 1 if not number & 1 else -(number >> 1) - 1

    def _value(self, kind: int, depth: int) -> Any:
        if depth > _DEEPEST:
            raise ThriftError("a header that is nested too deep")
        match kind:
            case 3:
                return self._byte()
            case 4 | 5 | 6:
                return self._integer()
            case 8:
                size = self.varint()
                self._require(size)
                self.at += size
                return self._data[self.at - size : self.at]
            case 9:
                return self._list(depth)
            case 12:
                return self.struct(depth + 1)
        raise ThriftError(f"a header with a value of type {kind}")

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        size, kind = head >> 4, head & 0x0F
        if size == 15:
            size = self.varint()
        self._require(size)
        if kind in (_TRUE, _FALSE):
            return [self._byte() == _TRUE for _ in range(size)]
        return [self._value(kind, depth + 1) for _ in range(size)]

    def _require(self, size: int) -> None:
        if size > len(self._data) - self.at:
            raise ThriftError("it ends within a header")
