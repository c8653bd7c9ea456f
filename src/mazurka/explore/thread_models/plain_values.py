"""Reads plain values in the format of `marshal`, and no others, from files of any origin. `marshal` itself also reads
code, and crafted bytes can make it crash the interpreter.

Plain are None, truth values, numbers, texts, bytes, tuples, lists and dictionaries (CPython, `Python/marshal.c`,
versions 2 to 5). For any bytes, the result is such a value, or a ValueError.

Cost: about a microsecond a value.
"""

from __future__ import annotations

import struct
from typing import Any, Final

#: Mazurka does not write values that are nested deeper.
_DEEPEST: Final = 100

_SHARED: Final = 0x80  # a flag: later parts may refer to the next one
_END: Final = object()
_CONSTANTS: Final = {ord("N"): None, ord("T"): True, ord("F"): False, ord("0"): _END}
_SMALL: Final = ord("i")
_AGAIN: Final = ord("r")
_INT: Final = struct.Struct("<i")
_FLOAT: Final = struct.Struct("<d")


def plain_value(data: bytes) -> Any:
    """The value that consists of all the bytes."""
    reader = _RunReader(data)
    try:
        value = reader.value(0)
    except (IndexError, struct.error, UnicodeDecodeError) as error:
        raise ValueError(f"byte {reader.at}: {error}") from None
    if reader.at != len(data) or value is _END:
        raise ValueError(f"byte {reader.at}: more, or less, than a value")
    return value


class _RunReader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self.shared: list[Any] = []

    def value(self, depth: int) -> Any:
        if depth > _DEEPEST:
            raise ValueError(f"byte {self.at}: nested too deep")
        code = self.data[self.at]
        self.at += 1
        if code == _SMALL:
            self.at += 4
            return _INT.unpack_from(self.data, self.at - 4)[0]
        if code in _CONSTANTS:
            return _CONSTANTS[code]
        if code == _AGAIN:
            found = self.shared[self._length(len(self.shared))]
            if found is _END:
                raise ValueError(f"byte {self.at}: a value within itself")
            return found
        place = -1
        if code & _SHARED:  # it is numbered before its parts
            place = len(self.shared)
            self.shared.append(_END)
        made = self._made(bytes((code & ~_SHARED,)), depth)
        if place >= 0:
            self.shared[place] = made
        return made

    def _made(self, kind: bytes, depth: int) -> Any:
        match kind:
            case b"i":
                return _INT.unpack(self._bytes(4))[0]
            case b"l":
                return self._long()
            case b"g":
                return _FLOAT.unpack(self._bytes(8))[0]
            case b"y":
                return complex(*[_FLOAT.unpack(self._bytes(8))[0] for _ in range(2)])
            case b"s":
                return self._bytes(self._length())
            case b"u" | b"t":
                return self._bytes(self._length()).decode("utf-8", "surrogatepass")
            case b"a" | b"A":
                return self._bytes(self._length()).decode("ascii")
            case b"z" | b"Z":
                return self._bytes(self._bytes(1)[0]).decode("ascii")
            case b"(" | b"[":
                parts = self._parts(self._length(), depth)
                return tuple(parts) if kind == b"(" else parts
            case b")":
                return tuple(self._parts(self._bytes(1)[0], depth))
            case b"{":
                return self._mapping(depth)
        raise ValueError(f"byte {self.at - 1}: no plain value")

    def _bytes(self, count: int) -> bytes:
        found = self.data[self.at : self.at + count]
        if len(found) < count:
            raise ValueError(f"byte {len(self.data)}: it ends here")
        self.at += count
        return found

    def _length(self, limit: int | None = None) -> int:
        """A length, which must not exceed the remaining bytes."""
        length: int = _INT.unpack(self._bytes(4))[0]
        if not 0 <= length <= (len(self.data) - self.at if limit is None else limit):
            raise ValueError(f"byte {self.at - 4}: no length")
        return length

    def _long(self) -> int:
        """An integer in digits of fifteen bits."""
        digits: int = _INT.unpack(self._bytes(4))[0]
        found = 0
        for place, digit in enumerate(struct.iter_unpack("<H", self._bytes(2 * abs(digits)))):
            found |= (digit[0] & 0x7FFF) << (15 * place)
        return -found if digits < 0 else found

    def _parts(self, count: int, depth: int) -> list[Any]:
        found = [self.value(depth + 1) for _ in range(count)]
        if any(part is _END for part in found):
            raise ValueError(f"byte {self.at}: a value is missing")
        return found

    def _mapping(self, depth: int) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        while (key := self.value(depth + 1)) is not _END:
            (value,) = self._parts(1, depth)
            try:
                found[key] = value
            except TypeError:
                raise ValueError(f"byte {self.at}: no key") from None
        return found
