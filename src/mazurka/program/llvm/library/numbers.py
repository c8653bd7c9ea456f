"""``stdlib.h``'s numbers, ``math.h``, and LLVM's arithmetic functions. Source: C17, 7.12 and 7.22."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.operations import single

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine


def _number(text: bytes, base: int) -> tuple[int, int]:
    """The integer that a text begins with, and how many bytes of the text it takes."""
    at = 0
    while at < len(text) and text[at : at + 1] in b" \t\n\v\f\r" and text[at : at + 1]:
        at += 1
    start, sign = at, 1
    if text[at : at + 1] in (b"+", b"-"):
        sign = -1 if text[at : at + 1] == b"-" else 1
        at += 1
    if text[at : at + 2].lower() == b"0x" and base in (0, 16):
        at, base = at + 2, 16
    elif base == 0:
        base = 8 if text[at : at + 1] == b"0" else 10
    value, first = 0, at
    while at < len(text):
        digit = _DIGITS.find(chr(text[at]).lower())
        if not 0 <= digit < base:
            break
        value = value * base + digit
        at += 1
    return (sign * value, at) if at > first else (0, start if at == first and sign == 1 else 0)


_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


def _strtol(m: Machine, site: int, address: int, end: int, base: int, *, signed: bool = True) -> int:
    value, taken = _number(m.memory.text(address, site), base)
    if end:
        m.memory.store(end, 8, address + taken, site)
    return max(-(1 << 63), min(value, (1 << 63) - 1)) if signed else value


def _atoi(m: Machine, site: int, address: int) -> int:
    return _number(m.memory.text(address, site), 10)[0]


def _float_of(text: bytes) -> float:
    words = text.strip()
    for end in range(len(words), 0, -1):
        try:
            return float(words[:end])
        except ValueError:
            continue
    return 0.0


def _random(m: Machine, _site: int, *_arguments: int) -> int:
    """``rand``: the same numbers in every execution, in the order in which threads ask. Other orders of these calls are
    not tracked."""
    run = m.run
    if not run.solo:
        text = "rand(), whose numbers depend on the order of calls"
        run.untracked[text] = run.untracked.get(text, 0) + 1
    seed = m.state.get("rand", 1) * 1103515245 + 12345 & 0x7FFFFFFF
    m.state["rand"] = seed
    return int(seed)


def _seed(m: Machine, _site: int, seed: int) -> int:
    m.state["rand"] = seed
    return 0


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def _sort(m: Machine, site: int, base: int, count: int, size: int, compare: int) -> None:
    """``qsort``: the elements are read, compared as copies, and written back."""
    items = [m.memory.read(base + at * size, size, site) for at in range(count)]
    places = [m.memory.allocate(size, "heap", "qsort", bytes(size)) for _ in range(2)]

    def order(one: Any, other: Any) -> int:
        for place, item in zip(places, (one, other), strict=True):
            place.data[:] = item
        return _signed(int(m.call(compare, site, places[0].address, places[1].address)), 32)

    m.memory.write(base, b"".join(sorted(items, key=functools.cmp_to_key(order))), site)


def _bsearch(m: Machine, site: int, key: int, base: int, count: int, size: int, compare: int) -> int:
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        order = _signed(int(m.call(compare, site, key, base + middle * size)), 32)
        if not order:
            return base + middle * size
        low, high = (middle + 1, high) if order > 0 else (low, middle)
    return 0


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    def called(_m: Machine, _site: int, *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except (ValueError, OverflowError):
            return math.nan

    return called


def _with_overflow(name: str, bits: int) -> Callable[..., Any]:
    signed, operation = name.startswith("s"), name[1:]

    def called(_m: Machine, _site: int, one: int, other: int) -> tuple[int, int]:
        first, second = (_signed(one, bits), _signed(other, bits)) if signed else (one, other)
        exact = {"add": first + second, "sub": first - second, "mul": first * second}[operation]
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        return exact & ((1 << bits) - 1), int(not low <= exact <= high)

    return called


def _minimum(name: str, bits: int) -> Callable[..., Any]:
    choose = max if name.endswith("max") else min

    def called(_m: Machine, _site: int, one: int, other: int) -> int:
        return choose(one, other, key=lambda each: _signed(each, bits)) if name.startswith("s") else choose(one, other)

    return called


def _counted(name: str, bits: int) -> Callable[..., Any]:
    def called(_m: Machine, _site: int, value: int, *_poison: int) -> int:
        if name == "ctpop":
            return value.bit_count()
        if name == "ctlz":
            return bits - value.bit_length()
        if name == "cttz":
            return (value & -value).bit_length() - 1 if value else bits
        if name == "bswap":
            return int.from_bytes(value.to_bytes(bits // 8, "little"), "big")
        if name == "abs":
            return abs(_signed(value, bits))
        return int(f"{value:0{bits}b}"[::-1], 2)

    return called


def _funnel(name: str, bits: int) -> Callable[..., Any]:
    def called(_m: Machine, _site: int, one: int, other: int, count: int) -> int:
        both = one << bits | other
        count %= bits
        return (both >> (bits - count) if name == "fshl" else both >> count) & ((1 << bits) - 1)

    return called


_MATH: Final = {
    **{name: getattr(math, name) for name in "sin cos tan asin acos atan atan2 sinh cosh tanh exp log2 log10".split()},
    "log": lambda value: math.log(value) if value > 0 else (-math.inf if value == 0 else math.nan),
    "sqrt": math.sqrt,
    "pow": math.pow,
    "floor": lambda value: float(math.floor(value)) if math.isfinite(value) else value,
    "ceil": lambda value: float(math.ceil(value)) if math.isfinite(value) else value,
    "trunc": lambda value: float(math.trunc(value)) if math.isfinite(value) else value,
    "round": lambda value: math.copysign(math.floor(abs(value) + 0.5), value) if math.isfinite(value) else value,
    "rint": lambda value: float(round(value)) if math.isfinite(value) else value,
    "fabs": abs,
    "fmod": math.fmod,
    "fmax": max,
    "fmin": min,
    "copysign": math.copysign,
    "hypot": math.hypot,
}
_LLVM_NAMES: Final = {"maxnum": "fmax", "minnum": "fmin", "rint": "rint", "nearbyint": "rint"}

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "atoi": _atoi,
    "atol": _atoi,
    "atoll": _atoi,
    "atof": lambda m, site, address: _float_of(m.memory.text(address, site)),
    "strtol": _strtol,
    "strtoll": _strtol,
    "strtoul": lambda m, site, address, end, base: _strtol(m, site, address, end, base, signed=False),
    "strtoull": lambda m, site, address, end, base: _strtol(m, site, address, end, base, signed=False),
    "abs": lambda m, site, value: abs(_signed(value, 32)),
    "labs": lambda m, site, value: abs(_signed(value, 64)),
    "rand": _random,
    "random": _random,
    "srand": _seed,
    "srandom": _seed,
    "qsort": _sort,
    "bsearch": _bsearch,
    **{name: _plain(function) for name, function in _MATH.items()},
    **{f"{name}f": _plain(function) for name, function in _MATH.items()},
    **{f"llvm.{name}": _plain(function) for name, function in _MATH.items()},
    **{f"llvm.{name}": _plain(_MATH[same]) for name, same in _LLVM_NAMES.items()},
    "llvm.fmuladd.f32": _plain(lambda one, other, added: single(one * other) + added),
    "llvm.fmuladd": _plain(lambda one, other, added: one * other + added),
    "llvm.fma": _plain(lambda one, other, added: one * other + added),
    "llvm.expect": _plain(lambda value, *_likely: value),
    **{
        f"llvm.{name}.with.overflow.i{bits}": _with_overflow(name, bits)
        for name in ("sadd", "uadd", "ssub", "usub", "smul", "umul")
        for bits in (8, 16, 32, 64)
    },
    **{
        f"llvm.{name}.i{bits}": _minimum(name, bits)
        for name in ("smax", "smin", "umax", "umin")
        for bits in (8, 16, 32, 64)
    },
    **{
        f"llvm.{name}.i{bits}": _counted(name, bits)
        for name in ("ctpop", "ctlz", "cttz", "bswap", "abs", "bitreverse")
        for bits in (8, 16, 32, 64)
    },
    **{f"llvm.{name}.i{bits}": _funnel(name, bits) for name in ("fshl", "fshr") for bits in (8, 16, 32, 64)},
}
