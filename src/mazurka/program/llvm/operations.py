"""Operations of LLVM IR that are no expressions of Python. Integers are given and returned as their unsigned values."""

from __future__ import annotations

import math
import struct
from typing import Any, Final

from mazurka.program.llvm.faults import ProgramFault

_SINGLE: Final = struct.Struct("<f")
_DOUBLE: Final = struct.Struct("<d")
_HALF: Final = struct.Struct("<e")


def single(value: float) -> float:
    """A value rounded to single precision."""
    try:
        return float(_SINGLE.unpack(_SINGLE.pack(value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def bits_float(value: float) -> int:
    """The bits of a float."""
    return int.from_bytes(_SINGLE.pack(value), "little")


def float_float(bits: int) -> float:
    """The float of these bits."""
    return float(_SINGLE.unpack(bits.to_bytes(4, "little"))[0])


def bits_double(value: float) -> int:
    """The bits of a double."""
    return int.from_bytes(_DOUBLE.pack(value), "little")


def float_double(bits: int) -> float:
    """The double of these bits."""
    return float(_DOUBLE.unpack(bits.to_bytes(8, "little"))[0])


def bits_half(value: float) -> int:
    """The bits of a half."""
    return int.from_bytes(_HALF.pack(value), "little")


def float_half(bits: int) -> float:
    """The half of these bits."""
    return float(_HALF.unpack(bits.to_bytes(2, "little"))[0])


def bits_x86_fp80(value: float) -> int:
    """The bits of a ``long double``, which is computed in double precision."""
    if value == 0 or math.isinf(value) or math.isnan(value):
        exponent = 0 if value == 0 else 0x7FFF
        mantissa = 0 if value == 0 else 1 << 63 | (math.isnan(value) << 62)
    else:
        fraction, power = math.frexp(abs(value))
        exponent, mantissa = power - 1 + 16383, int(fraction * (1 << 64))
    return (int(math.copysign(1, value) < 0) << 79) | exponent << 64 | mantissa


def float_x86_fp80(bits: int) -> float:
    """The ``long double`` of these bits, in double precision."""
    sign = -1.0 if bits >> 79 & 1 else 1.0
    exponent, mantissa = bits >> 64 & 0x7FFF, bits & (1 << 64) - 1
    if exponent == 0x7FFF:
        return sign * math.inf if mantissa << 1 & (1 << 64) - 1 == 0 else math.nan
    return sign * math.ldexp(mantissa, exponent - 16383 - 63)


def fdiv(one: float, other: float) -> float:
    """The quotient, as IEEE 754 has it."""
    if other:
        return one / other
    if one == 0 or one != one:
        return math.nan
    return math.copysign(math.inf, one) * math.copysign(1.0, other)


def frem(one: float, other: float) -> float:
    """The remainder, as ``fmod`` has it."""
    if other == 0 or math.isinf(one) or one != one or other != other:
        return math.nan
    return math.fmod(one, other)


def to_int(value: float, mask: int) -> int:
    """A float as an integer of so many bits; 0 where it has no such value (poison)."""
    return int(value) & mask if math.isfinite(value) else 0


def sdiv(one: int, other: int, sign: int, mask: int, site: int) -> int:
    """The quotient of signed integers, rounded towards zero."""
    first, second = (one ^ sign) - sign, (other ^ sign) - sign
    if not second:
        return no_divisor(site)
    quotient = abs(first) // abs(second)
    if (first < 0) == (second < 0) and quotient == sign:
        raise ProgramFault("overflow", "divides the least integer by -1", site)
    return (quotient if (first < 0) == (second < 0) else -quotient) & mask


def srem(one: int, other: int, sign: int, mask: int, site: int) -> int:
    """The remainder of signed integers, with the sign of the first."""
    first, second = (one ^ sign) - sign, (other ^ sign) - sign
    if not second:
        return no_divisor(site)
    remainder = abs(first) % abs(second)
    return (-remainder if first < 0 else remainder) & mask


def no_divisor(site: int) -> int:
    """A division by zero."""
    raise ProgramFault("division by zero", "divides by zero", site)


def unreachable(site: int) -> None:
    """Control has come where the program says that it can't."""
    raise ProgramFault("undefined behaviour", "comes to a place that the program declares unreachable", site)


def uninitialised(name: str, site: int) -> int:
    """A variable without a value is read."""
    raise ProgramFault("uninitialised read", f"reads {name}, which has no value yet", site)


def no_value(name: str, site: int) -> None:
    """The value of a call is used that has none."""
    raise ProgramFault("uninitialised read", f"uses the value of {name}(), which has returned none", site)


def insert(whole: tuple[Any, ...], part: Any, indices: tuple[int, ...]) -> tuple[Any, ...]:
    """An aggregate with one part replaced."""
    first, *rest = indices
    new = insert(whole[first], part, tuple(rest)) if rest else part
    return (*whole[:first], new, *whole[first + 1 :])


#: The operations by the names that translated functions call them by.
OPERATIONS: Final = {
    each.__name__: each
    for each in (
        *(single, bits_float, float_float, bits_double, float_double, bits_half, float_half),
        *(
            bits_x86_fp80,
            float_x86_fp80,
            fdiv,
            frem,
            to_int,
            sdiv,
            srem,
            no_divisor,
            unreachable,
            uninitialised,
            no_value,
            insert,
        ),
    )
}
