"""The texts that ``printf`` makes. Source: C17, 7.21.6.1."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mazurka.program.llvm.library.floats import signed
from mazurka.program.llvm.library.variable_arguments import DOUBLE, INTEGER, LONG_DOUBLE, NextArgument
from mazurka.program.llvm.operations import float_double

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

_CONVERSION: Final = re.compile(
    rb"%([-+ #0']*)(\*|\d+)?(?:(\.)(\*|\d+)?)?(hh|h|ll|l|q|z|j|t|L)?([diouxXcspfFeEgGaAnm%])"
)
_SIZES: Final = {"hh": 8, "h": 16, "l": 64, "ll": 64, "q": 64, "z": 64, "j": 64, "t": 64}
_FLOATING: Final = "fFeEgGaA"
_BASES: Final = {"u": "d", "o": "o", "x": "x", "X": "X"}


@dataclass(frozen=True, slots=True)
class Conversion:
    """A conversion of a format. ``precision`` is None if it has none."""

    flags: str
    width: int
    precision: int | None
    size: str
    kind: str


def formatted(m: Machine, site: int, pattern: bytes, next_argument: NextArgument) -> bytes:
    """The text of a format and its arguments."""

    def number(given: bytes | None) -> int:
        return signed(int(next_argument(INTEGER)) & 0xFFFFFFFF, 32) if given == b"*" else int(given or b"0")

    def one(match: re.Match[bytes]) -> bytes:
        flags, width, dot, precision, size, kind = match.groups()
        if kind == b"%":
            return b"%"
        wide = number(width)
        exact = number(precision) if dot else None
        how = Conversion(
            flags=flags.decode() + ("-" if wide < 0 else ""),
            width=abs(wide),
            precision=exact if exact is None or exact >= 0 else None,
            size=(size or b"").decode(),
            kind=kind.decode(),
        )
        return _converted(m, site, how, next_argument)

    return _CONVERSION.sub(one, pattern)


def _converted(m: Machine, site: int, how: Conversion, next_argument: NextArgument) -> bytes:
    if how.kind in _FLOATING:
        value = next_argument(LONG_DOUBLE if how.size == "L" else DOUBLE)
        return _of_float(how, value if isinstance(value, float) else float_double(int(value) & (1 << 64) - 1))
    if how.kind in "nm":
        m.run.stop(f"the run was cut: printf with %{how.kind} is not supported ({m.location(site)})")
    value = int(next_argument(INTEGER))
    if how.kind in "diouxX":
        return _of_integer(how, value)
    if how.kind == "c":
        return _justified(how, bytes([value & 255]))
    if how.kind == "s":
        return _justified(how, _text(m, site, how, value))
    return _justified(how, f"{value:#x}".encode() if value else b"(nil)")


def _text(m: Machine, site: int, how: Conversion, address: int) -> bytes:
    most = how.precision
    if not address:
        return b"(null)" if most is None or most >= len("(null)") else b""
    if most is None:
        return bytes(m.memory.text(address, site))
    return bytes(m.memory.text(address, site, most)) if most else b""


def _justified(how: Conversion, text: bytes) -> bytes:
    return text.ljust(how.width) if "-" in how.flags else text.rjust(how.width)


def _of_integer(how: Conversion, value: int) -> bytes:
    bits = _SIZES.get(how.size, 32)
    value &= (1 << bits) - 1
    prefix = ""
    if how.kind in "di":
        value = signed(value, bits)
        prefix = _sign(how, value < 0)
    digits = format(abs(value), _BASES.get(how.kind, "d")) if value or how.precision != 0 else ""
    digits = digits.rjust(how.precision or 0, "0")
    if "#" in how.flags and how.kind in "xX" and value:
        prefix = "0" + how.kind
    elif "#" in how.flags and how.kind == "o" and not digits.startswith("0"):
        digits = "0" + digits
    return _padded(how, prefix, digits, zeros=how.precision is None)


def _of_float(how: Conversion, value: float) -> bytes:
    prefix, size = _sign(how, math.copysign(1, value) < 0), abs(value)
    if not math.isfinite(value):
        digits = "nan" if math.isnan(value) else "inf"
    elif how.kind in "aA":
        prefix, digits = prefix + "0x", _hexadecimal(size, how.precision, "#" in how.flags)
    else:
        digits = format(
            size, f"{'#' if '#' in how.flags else ''}.{6 if how.precision is None else how.precision}{how.kind}"
        )
    if how.kind.isupper():
        prefix, digits = prefix.upper(), digits.upper()
    return _padded(how, prefix, digits, zeros=math.isfinite(value))


def _hexadecimal(value: float, precision: int | None, dotted: bool) -> str:
    """The digits of ``%a`` after "0x"."""
    fraction, power = math.frexp(value)
    bits = int(fraction * (1 << 53))  # the first one is before the point
    power = power - 1 if value else 0
    if value and power < -1022:
        bits, power = bits >> (-1022 - power), -1022
    width = 13 if precision is None else precision
    if width < 13:
        unit = 1 << (13 - width) * 4
        bits = round(bits / unit) * unit  # half to even, which floats of 53 bits are divided exactly for
    digits = format(bits & (1 << 52) - 1, "013x")[:width].ljust(width, "0")
    if precision is None:
        digits = digits.rstrip("0")
    return f"{bits >> 52}{'.' if digits or dotted else ''}{digits}p{power:+d}"


def _sign(how: Conversion, negative: bool) -> str:
    return "-" if negative else "+" if "+" in how.flags else " " if " " in how.flags else ""


def _padded(how: Conversion, prefix: str, digits: str, *, zeros: bool) -> bytes:
    if zeros and "0" in how.flags and "-" not in how.flags:
        digits = digits.rjust(how.width - len(prefix), "0")
    return _justified(how, (prefix + digits).encode())
