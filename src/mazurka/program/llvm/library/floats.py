"""``math.h``, and the texts of floats. Source: C17, 7.12, 7.22.1.3 and annex F.

A function of ``float`` rounds the result of the one of ``double``; ``long double`` is computed in double precision.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.library.thread_storage import set_errno
from mazurka.program.llvm.operations import bits_double, bits_float, bits_x86_fp80

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

_EDOM, _ERANGE = 33, 34


def signed(value: int, bits: int) -> int:
    """The number in two's complement that an unsigned one stands for; a negative one is itself."""
    return value - (1 << bits) if value >> (bits - 1) > 0 else value


def fused(one: float, other: float, added: float) -> float:
    """``fma``: the exact product and sum, rounded once."""
    if not (math.isfinite(one) and math.isfinite(other) and math.isfinite(added)):
        return one * other + added
    exact = Fraction(one) * Fraction(other) + Fraction(added)
    try:
        return float(exact) if exact else one * other + added
    except OverflowError:
        return math.copysign(math.inf, exact)


def _integral(to_integer: Callable[[float], int]) -> Callable[[float], float]:
    """A function that rounds to an integer, with the sign of its argument."""

    def called(value: float) -> float:
        return math.copysign(to_integer(value), value) if math.isfinite(value) else value

    return called


def _half_away(value: float) -> int:
    whole = math.trunc(value)
    return whole + int(math.copysign(abs(value - whole) >= 0.5, value))


def _power(base: float, exponent: float) -> float:
    odd = math.isfinite(exponent) and exponent == int(exponent) and int(exponent) % 2 == 1
    if base == 0 and exponent < 0:
        return math.copysign(math.inf, base) if odd else math.inf
    try:
        return math.pow(base, exponent)
    except ValueError:
        return math.nan
    except OverflowError:
        return -math.inf if base < 0 and odd else math.inf


def _remainder(one: float, other: float) -> float:
    return math.nan if math.isinf(one) or other == 0 else math.remainder(one, other)


def _largest(one: float, other: float) -> float:
    return other if math.isnan(one) else one if math.isnan(other) else max(one, other)


def _smallest(one: float, other: float) -> float:
    return other if math.isnan(one) else one if math.isnan(other) else min(one, other)


def _positive_difference(one: float, other: float) -> float:
    return one - other if one > other else math.nan if math.isnan(one) or math.isnan(other) else 0.0


def _scaled(value: float, power: int) -> float:
    try:
        return math.ldexp(value, signed(power, 32))
    except OverflowError:
        return math.copysign(math.inf, value)


#: The values at poles, by function and argument.
_POLES: Final = {
    **{(name, 0.0): -math.inf for name in ("log", "log2", "log10", "logb")},
    ("log1p", -1.0): -math.inf,
    ("atanh", 1.0): math.inf,
    ("atanh", -1.0): -math.inf,
}


def _ieee(name: str) -> Callable[..., float]:
    """A function of Python's that gives infinities and NaNs, as IEEE 754 has it, where Python raises."""
    function = getattr(math, name)

    def called(*given: float) -> float:
        try:
            return float(function(*given))
        except OverflowError:
            return math.copysign(math.inf, given[0]) if name in ("sinh", "expm1") else math.inf
        except ValueError:
            return _POLES.get((name, given[0]), math.nan)

    return called


def _exponent(value: float) -> float:
    if value == 0:
        return -math.inf
    return float(math.frexp(value)[1] - 1) if math.isfinite(value) else abs(value)


def _gamma(value: float) -> float:
    if value == 0:
        return math.copysign(math.inf, value)
    try:
        return math.gamma(value)
    except OverflowError:
        return math.inf
    except ValueError:
        return math.nan


def _log_of_gamma(value: float) -> float:
    try:
        return math.lgamma(value)
    except (OverflowError, ValueError):
        return math.inf


#: Functions of doubles by their names in C.
DOUBLES: Final[dict[str, Callable[..., float]]] = {
    **{
        name: _ieee(name)
        for name in (
            "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 expm1 log log2 log10 log1p sqrt"
            " cbrt hypot fmod erf erfc"
        ).split()
    },
    "pow": _power,
    "logb": _exponent,
    "tgamma": _gamma,
    "lgamma": _log_of_gamma,
    "remainder": _remainder,
    "floor": _integral(math.floor),
    "ceil": _integral(math.ceil),
    "trunc": _integral(math.trunc),
    "round": _integral(_half_away),
    **dict.fromkeys(("rint", "nearbyint", "roundeven"), _integral(round)),
    "fabs": abs,
    "fmax": _largest,
    "fmin": _smallest,
    "fdim": _positive_difference,
    "copysign": math.copysign,
    "nextafter": math.nextafter,
    **dict.fromkeys(("ldexp", "scalbn", "scalbln"), _scaled),
    "canonicalize": float,
}

#: Those that set ``errno``, with their results outside of the domain.
_SETTING: Final = frozenset(
    "asin acos acosh atanh exp exp2 expm1 sinh cosh log log2 log10 log1p pow sqrt fmod hypot tgamma ldexp".split()
)


def _setting_errno(name: str) -> Callable[..., float]:
    function = DOUBLES[name]
    if name not in _SETTING:
        return _as_function(function)

    def called(m: Machine, _site: int, *given: float) -> float:
        value = function(*given)
        if math.isnan(value) and not any(map(math.isnan, given)):
            set_errno(m, _EDOM)
        elif math.isinf(value) and not any(map(math.isinf, given)):
            set_errno(m, _ERANGE)
        return value

    return called


def _parts(m: Machine, site: int, value: float, place: int) -> float:
    """``frexp``."""
    fraction, power = math.frexp(value) if math.isfinite(value) else (value, 0)
    m.memory.store(place, 4, power & 0xFFFFFFFF, site)
    return fraction


def _split(bits: Callable[[float], int], size: int) -> Callable[..., float]:
    """``modf``, for a type of floats."""

    def called(m: Machine, site: int, value: float, place: int) -> float:
        fraction, whole = math.modf(value)
        m.memory.store(place, size, bits(whole), site)
        return fraction

    return called


TO_INTEGERS: Final = ("lround", "llround", "lrint", "llrint")


def to_integer(name: str) -> Callable[[float], int]:
    """``lround`` and the like; a number that does not fit becomes the smallest integer, as on x86-64."""
    function = DOUBLES[name.removeprefix("l").removeprefix("l")]
    smallest = -(1 << 63)
    return lambda value: int(function(value)) if math.isfinite(value) and abs(value) < 1 << 63 else smallest


def _as_function(plain: Callable[..., Any]) -> Callable[..., Any]:
    return lambda m, site, *given: plain(*given)


def class_of(value: float) -> int:
    """``fpclassify``, as glibc numbers the classes: NaN, infinite, zero, subnormal, normal."""
    if math.isnan(value):
        return 0
    return 1 if math.isinf(value) else 2 if value == 0 else 3 if abs(value) < 2.0**-1022 else 4


#: Tests and classes, which are integers.
_TESTS: Final[dict[str, Callable[..., int]]] = {
    **dict.fromkeys(("isnan", "__isnan"), lambda m, site, value: int(math.isnan(value))),
    **dict.fromkeys(("isinf", "__isinf"), lambda m, site, value: int(math.isinf(value)) * (1 if value > 0 else -1)),
    **dict.fromkeys(("finite", "__finite"), lambda m, site, value: int(math.isfinite(value))),
    "__signbit": lambda m, site, value: int(math.copysign(1, value) < 0),
    "__fpclassify": _as_function(class_of),
    "ilogb": lambda m, site, value: (
        int(_exponent(value)) if math.isfinite(value) and value else -(1 << 31) if value == 0 else (1 << 31) - 1
    ),
    **{name: _as_function(to_integer(name)) for name in TO_INTEGERS},
}

# -- texts -------------------------------------------------------------------------------------------------------------

_FLOAT: Final = re.compile(
    rb"[ \t\n\v\f\r]*([+-]?)(?:(inf(?:inity)?)|(nan(?:\(\w*\))?)"
    rb"|(0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?\d+)?)|((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?))",
    re.IGNORECASE,
)


def float_of(text: bytes) -> tuple[float, int]:
    """The float that a text begins with, and how many bytes of the text it takes: 0 if it begins with none."""
    found = _FLOAT.match(text)
    if found is None:
        return 0.0, 0
    sign = -1.0 if found[1] == b"-" else 1.0
    if found[2]:
        return sign * math.inf, found.end()
    if found[3]:
        return math.copysign(math.nan, sign), found.end()
    try:
        value = float.fromhex(found[4].decode()) if found[4] else float(found[5])
    except OverflowError:
        value = math.inf
    return sign * value, found.end()


def _strtod(m: Machine, site: int, address: int, end: int) -> float:
    text = m.memory.text(address, site)
    value, taken = float_of(text)
    if math.isinf(value) and text[:taken].lower().find(b"inf") < 0:
        set_errno(m, _ERANGE)
    if end:
        m.memory.store(end, 8, address + taken, site)
    return value


def _of_all_widths(functions: dict[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    return {f"{name}{width}": function for name, function in functions.items() for width in ("", "f", "l")}


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    **_of_all_widths({name: _setting_errno(name) for name in DOUBLES}),
    **_of_all_widths({"frexp": _parts, "fma": _as_function(fused), **_TESTS}),
    "modf": _split(bits_double, 8),
    "modff": _split(bits_float, 4),
    "modfl": _split(bits_x86_fp80, 10),
    **_of_all_widths({"nan": lambda m, site, text: math.nan}),
    "atof": lambda m, site, address: float_of(m.memory.text(address, site))[0],
    **dict.fromkeys(("strtod", "strtof", "strtold"), _strtod),
}
