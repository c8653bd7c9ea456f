"""The block streams of lz4-java, in which Java programs, RV-Predict among them, compress their logs.

=============  ============================================================================
21 bytes       header of a block
=============  ============================================================================
``LZ4Block``   8 bytes
token          1: the method in the upper half (1 stored as it is, 2 LZ4), the lower half is
               the binary logarithm of the largest block, less 10
lengths        compressed and original, 32 bits each, lowest byte first
checksum       32 bits, lowest byte first: the lower 28 of xxHash32 of the original
=============  ============================================================================

The data of a block follows its header; an empty block is the end. All fields are checked. xxHash32 is Collet's, from
its public specification. Cost: LZ4 is Arrow's; the hash is compiled for blocks of more than :data:`_FEW` bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cache
from typing import Any, Final, Protocol

import numpy as np

from mazurka.errors import import_extra
from mazurka.jit.compile import jit, pays

MAGIC: Final = b"LZ4Block"

_HEADER: Final = struct.Struct("<8sBiii")
_STORED, _LZ4 = 0x10, 0x20
_SEED: Final = 0x9747B28C
_LARGEST: Final = 1 << 25

#: Blocks up to this size are hashed without a compiler.
_FEW: Final = 1 << 14

_MASK: Final = 0xFFFFFFFF
_A, _B, _C, _D, _E = 2654435761, 2246822519, 3266489917, 668265263, 374761393


class Packed(Protocol):
    """A file that is read from its start to its end."""

    def read(self) -> bytes:
        """The next bytes, at least one; none at the end."""
        ...

    def exactly(self, size: int) -> bytes:
        """The next ``size`` bytes; a file that ends before is an error."""
        ...

    def damaged(self, message: str) -> Exception:
        """The error to raise about content that can't be decoded."""
        ...


class Blocks:
    """The data of a stream."""

    def __init__(self, packed: Packed) -> None:
        self._packed = packed
        self._block = memoryview(b"")
        self._is_over = False

    def read(self, size: int) -> bytes:
        """The next bytes, at most ``size``; none at the end."""
        while not self._block and not self._is_over:
            self._block = memoryview(self._next())
        data, self._block = bytes(self._block[:size]), self._block[size:]
        return data

    def _next(self) -> bytes:
        magic, token, packed, original, checksum = _HEADER.unpack(self._packed.exactly(_HEADER.size))
        method, most = token & 0xF0, 1 << (10 + (token & 0x0F))
        if magic != MAGIC or method not in (_STORED, _LZ4) or not 0 <= original <= most <= _LARGEST:
            raise self._packed.damaged("no header of a block")
        if packed < 0 or (original == 0) != (packed == 0) or (method == _STORED and packed != original):
            raise self._packed.damaged("no lengths of a block")
        self._is_over = not original
        if self._is_over and self._packed.read():
            raise self._packed.damaged("data after the last block")
        data = _unpacked(self._packed.exactly(packed), original, method, self._packed.damaged)
        if original and checksum_of(data) != checksum:
            raise self._packed.damaged("a block has another checksum")
        return data

    def close(self) -> None:
        """No effect: the caller that opened the file closes it."""


def _unpacked(data: bytes, size: int, method: int, damage: Callable[[str], Exception]) -> bytes:
    if method == _STORED:
        return data
    pa = import_extra("pyarrow", "a log that RV-Predict has compressed")
    try:
        unpacked: bytes = pa.Codec("lz4_raw").decompress(data, size, asbytes=True)
    except (OSError, pa.ArrowException) as error:
        raise damage(str(error)) from error
    if len(unpacked) != size:
        raise damage("a block of another length than it says")
    return unpacked


def checksum_of(data: bytes) -> int:
    """The header of a block."""
    if pays(len(data), _FEW + 1):
        return int(_compiled()(np.frombuffer(data, np.uint8), _SEED)) & 0x0FFFFFFF
    return hash_of(data, _SEED) & 0x0FFFFFFF


@cache
def _compiled() -> Callable[[Any, int], int]:
    return jit(hash_of)


def hash_of(data: Any, seed: int) -> int:
    """xxHash32 of a sequence of bytes. Compiled, products wrap at 64 bits, which leaves the 32 that count."""
    size, at = len(data), 0
    if size >= 16:
        a, b, c, d = (seed + _A + _B) & _MASK, (seed + _B) & _MASK, seed, (seed - _A) & _MASK
        while at + 16 <= size:
            for lane in range(4):
                start = at + 4 * lane
                word = data[start] | data[start + 1] << 8 | data[start + 2] << 16 | data[start + 3] << 24
                mixed = (a + word * _B) & _MASK
                a, b, c, d = b, c, d, ((mixed << 13 | mixed >> 19) * _A) & _MASK
            at += 16
        state = ((a << 1 | a >> 31) + (b << 7 | b >> 25) + (c << 12 | c >> 20) + (d << 18 | d >> 14)) & _MASK
    else:
        state = (seed + _E) & _MASK
    state = (state + size) & _MASK
    while at + 4 <= size:
        word = data[at] | data[at + 1] << 8 | data[at + 2] << 16 | data[at + 3] << 24
        state = (state + word * _C) & _MASK
        state = ((state << 17 | state >> 15) * _D) & _MASK
        at += 4
    while at < size:
        state = (state + data[at] * _E) & _MASK
        state = ((state << 11 | state >> 21) * _A) & _MASK
        at += 1
    state = ((state ^ state >> 15) * _B) & _MASK
    state = ((state ^ state >> 13) * _C) & _MASK
    return state ^ state >> 16
