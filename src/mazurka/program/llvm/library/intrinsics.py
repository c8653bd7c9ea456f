"""LLVM's own functions of integers, floats, and vectors of these, made by their names as they are called.

Source: the LLVM language reference, "Intrinsic Functions". A vector is a tuple; a function of vectors is that of their
elements, one by one.
"""

from __future__ import annotations

import functools
import math
import operator
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.library.floats import DOUBLES, TO_INTEGERS, class_of, fused, signed, to_integer
from mazurka.program.llvm.operations import single

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

_TYPE: Final = re.compile(r"(?:v\d+)?([ipf])(\d+)")

#: Called with the arguments.
Plain = Callable[..., Any]


def _with_overflow(name: str, bits: int) -> Plain:
    is_signed, operation = name.startswith("s"), _ARITHMETIC[name[1:4]]

    def called(one: int, other: int) -> tuple[int, int]:
        exact = operation(signed(one, bits), signed(other, bits)) if is_signed else operation(one, other)
        low, high = _range(bits, is_signed)
        return exact & ((1 << bits) - 1), int(not low <= exact <= high)

    return called


def _saturated(name: str, bits: int) -> Plain:
    is_signed, operation = name.startswith("s"), _ARITHMETIC[name[1:4]]

    def called(one: int, other: int) -> int:
        exact = operation(signed(one, bits), signed(other, bits)) if is_signed else operation(one, other)
        low, high = _range(bits, is_signed)
        return int(max(low, min(exact, high)))

    return called


def _range(bits: int, is_signed: bool) -> tuple[int, int]:
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)


_ARITHMETIC: Final[dict[str, Callable[[int, int], int]]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
}


def _chosen(name: str, bits: int) -> Plain:
    choose = max if name.endswith("max") else min
    if name.startswith("u"):
        return choose
    return lambda one, other: choose(one, other, key=lambda each: signed(each, bits))


def _three_way(name: str, bits: int) -> Plain:
    """The result, 1, 0 or -1, is of another type than the arguments."""

    def called(one: int, other: int) -> int:
        first, second = (signed(each, bits) if name == "scmp" else each for each in (one, other))
        return (first > second) - (first < second)

    return called


def _funnel(name: str, bits: int) -> Plain:
    def called(one: int, other: int, count: int) -> int:
        both = one << bits | other
        count %= bits
        return both >> (bits - count) if name == "fshl" else both >> count

    return called


def _swapped(value: int, bits: int) -> int:
    return int.from_bytes(value.to_bytes(bits // 8, "little"), "big")


#: Of integers, by name: makes the function for a number of bits.
_INTEGERS: Final[dict[str, Callable[[int], Plain]]] = {
    "ctpop": lambda bits: lambda value: value.bit_count(),
    "ctlz": lambda bits: lambda value, *_poison: bits - value.bit_length(),
    "cttz": lambda bits: lambda value, *_poison: (value & -value).bit_length() - 1 if value else bits,
    "bswap": lambda bits: lambda value: _swapped(value, bits),
    "bitreverse": lambda bits: lambda value: int(f"{value:0{bits}b}"[::-1], 2),
    "abs": lambda bits: lambda value, *_poison: abs(signed(value, bits)),
    "ptrmask": lambda bits: operator.and_,
    "expect": lambda bits: lambda value, *_likely: value,
    **{name: functools.partial(_chosen, name) for name in ("smax", "smin", "umax", "umin")},
    **{name: functools.partial(_funnel, name) for name in ("fshl", "fshr")},
    **{name: functools.partial(_saturated, name) for name in ("sadd.sat", "uadd.sat", "ssub.sat", "usub.sat")},
    **{
        f"{sign}{name}.with.overflow": functools.partial(_with_overflow, f"{sign}{name}")
        for sign in "su"
        for name in _ARITHMETIC
    },
}

_BITWISE: Final[dict[str, Callable[[int, int], int]]] = {
    **_ARITHMETIC,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
}

_NAMES: Final = {"maxnum": "fmax", "minnum": "fmin", "maximumnum": "fmax", "minimumnum": "fmin", "powi": "pow"}


#: The bits for the classes of :func:`class_of` of negative and positive numbers.
_NEGATIVE, _POSITIVE = (3, 1 << 2, 1 << 5, 1 << 4, 1 << 3), (3, 1 << 9, 1 << 6, 1 << 7, 1 << 8)


def _is_of_classes(value: float, classes: int) -> int:
    bits = _NEGATIVE if math.copysign(1, value) < 0 else _POSITIVE
    return int(bits[class_of(value)] & classes != 0)


def _of_floats(name: str, bits: int) -> Plain | None:
    if name == "fmuladd":
        rounds = single if bits == 32 else float
        return lambda one, other, added: rounds(one * other) + added
    if name == "fma":
        return fused
    if name == "is.fpclass":
        return _is_of_classes
    if name == "frexp":
        return lambda value: math.frexp(value) if math.isfinite(value) else (value, 0)
    if name == "modf":
        return math.modf
    if name == "powi":
        return lambda value, power: DOUBLES["pow"](value, signed(power, 32))
    return DOUBLES.get(_NAMES.get(name, name))


def _reduced(name: str, kind: str, bits: int) -> Plain | None:
    """A function of all elements of a vector."""
    if name in ("fadd", "fmul"):
        operation: Plain = operator.add if name == "fadd" else operator.mul
        rounds = single if bits == 32 else float
        return lambda start, vector: functools.reduce(lambda one, other: rounds(operation(one, other)), vector, start)
    if name in ("fmax", "fmin") and kind == "f":
        return lambda vector: functools.reduce(DOUBLES[name], vector)
    if name in _BITWISE:
        return lambda vector: functools.reduce(_BITWISE[name], vector) & ((1 << bits) - 1)
    if name in ("smax", "smin", "umax", "umin"):
        return lambda vector: functools.reduce(_chosen(name, bits), vector)
    return None


def _by_elements(function: Plain, fit: Callable[[Any], Any]) -> Plain:
    def called(*arguments: Any) -> Any:
        count = next(len(each) for each in arguments if isinstance(each, tuple))
        rows: Sequence[Any] = [each if isinstance(each, tuple) else (each,) * count for each in arguments]
        return tuple([fit(function(*each)) for each in zip(*rows, strict=True)])

    return called


def intrinsic(name: str) -> Callable[..., Any] | None:
    """The function of a name, called with the machine, the site and the arguments; None if it is not known."""
    words = name.split(".")[1:]
    types = [found for each in words if (found := _TYPE.fullmatch(each))]
    base = ".".join(each for each in words if not _TYPE.fullmatch(each))
    if not types:
        return None
    kind, bits = types[0][1], 64 if types[0][1] == "p" else int(types[0][2])
    function: Plain | None
    if base.startswith("vector.reduce."):
        function = _reduced(base.removeprefix("vector.reduce."), kind, bits)
    elif base in ("scmp", "ucmp"):
        function = _three_way(base, int(types[-1][2]))
    elif base in TO_INTEGERS:
        function = to_integer(base)
    elif kind == "f":
        function = _of_floats(base, bits)
    else:
        function = _INTEGERS[base](bits) if base in _INTEGERS else None
    if function is None:
        return None
    if types[0][0].startswith("v") and not base.startswith("vector.reduce."):
        if base.endswith(".with.overflow"):
            return None
        mask = (1 << bits) - 1
        fit: Callable[[Any], Any] = (single if bits == 32 else float) if kind == "f" else (lambda value: value & mask)
        function = _by_elements(function, fit)
    plain = function

    def called(_machine: Machine, _site: int, *arguments: Any) -> Any:
        return plain(*arguments)

    return called
