"""``stdlib.h``'s integers, pseudo-random numbers, sorting and searching. Source: C17, 7.22."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.faults import ProgramFault
from mazurka.program.llvm.library.floats import signed
from mazurka.program.llvm.library.thread_storage import set_errno

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

_EINVAL, _ERANGE = 22, 34


_INTEGER: Final = re.compile(rb"[ \t\n\v\f\r]*([+-]?)(0[xX](?=[0-9a-fA-F]))?(\w*)")
_DIGITS: Final = {each: at for at, each in enumerate(b"0123456789abcdefghijklmnopqrstuvwxyz")}


def integer_of(text: bytes, base: int) -> tuple[int, int]:
    """The integer that a text begins with, and how many bytes of the text it takes: 0 if it begins with none."""
    found = _INTEGER.match(text)
    assert found is not None
    digits, at = found[3], found.start(3)
    if found[2] and base in (0, 16):
        base = 16
    elif found[2]:
        digits, at = found[2] + digits, found.start(2)
    if base == 0:
        base = 8 if digits[:1] == b"0" else 10
    value, count = 0, 0
    for each in digits.lower():
        digit = _DIGITS.get(each, 36)
        if digit >= base:
            break
        value, count = value * base + digit, count + 1
    return (-value if found[1] == b"-" else value), at + count if count else 0


def _strtol(m: Machine, site: int, address: int, end: int, base: int, *, is_signed: bool = True) -> int:
    if base == 1 or base > 36:
        set_errno(m, _EINVAL)
        return 0
    value, taken = integer_of(m.memory.text(address, site), base)
    if end:
        m.memory.store(end, 8, address + taken, site)
    low, high = (-(1 << 63), (1 << 63) - 1) if is_signed else (1 - (1 << 64), (1 << 64) - 1)
    if low <= value <= high:
        return value
    set_errno(m, _ERANGE)
    return high if value > 0 or not is_signed else low


def _strtoul(m: Machine, site: int, address: int, end: int, base: int) -> int:
    return _strtol(m, site, address, end, base, is_signed=False)


def _atoi(m: Machine, site: int, address: int) -> int:
    return _strtol(m, site, address, 0, 10)


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


def _rand_r(m: Machine, site: int, place: int) -> int:
    """``rand_r``, as glibc computes it."""
    seed, result = int(m.memory.load(place, 4, site)), 0
    for width in (11, 10, 10):
        seed = seed * 1103515245 + 12345 & 0xFFFFFFFF
        result = result << width & 0xFFFFFFFF ^ (seed >> 16) % (1 << width)
    m.memory.store(place, 4, seed, site)
    return result


def _sort(m: Machine, site: int, base: int, count: int, size: int, compare: int, *more: int) -> None:
    """``qsort``: the elements are read, compared as copies, and written back."""
    items = [m.memory.read(base + at * size, size, site) for at in range(count)]
    places = [m.memory.allocate(size, "heap", "qsort", bytes(size)) for _ in range(2)]

    def order(one: Any, other: Any) -> int:
        for place, item in zip(places, (one, other), strict=True):
            place.data[:] = item
        return signed(int(m.call_for("i32", compare, site, places[0].address, places[1].address, *more)), 32)

    m.memory.write(base, b"".join(sorted(items, key=functools.cmp_to_key(order))), site)


def _bsearch(m: Machine, site: int, key: int, base: int, count: int, size: int, compare: int) -> int:
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        order = signed(int(m.call_for("i32", compare, site, key, base + middle * size)), 32)
        if not order:
            return base + middle * size
        low, high = (middle + 1, high) if order > 0 else (low, middle)
    return 0


def _quotient(bits: int) -> Callable[..., Any]:
    """``div``: the quotient and the remainder, in one register or in two."""

    def called(_m: Machine, site: int, one: int, other: int) -> Any:
        first, second = signed(one, bits), signed(other, bits)
        if not second:
            raise ProgramFault("division by zero", "divides by zero", site)
        quotient = abs(first) // abs(second) * (-1 if (first < 0) is not (second < 0) else 1)
        parts = [each & ((1 << bits) - 1) for each in (quotient, first - quotient * second)]
        return parts[0] | parts[1] << 32 if bits == 32 else tuple(parts)

    return called


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "atoi": _atoi,
    "atol": _atoi,
    "atoll": _atoi,
    **dict.fromkeys(("strtol", "strtoll", "strtoimax"), _strtol),
    **dict.fromkeys(("strtoul", "strtoull", "strtoumax"), _strtoul),
    "abs": lambda m, site, value: abs(signed(value, 32)),
    "labs": lambda m, site, value: abs(signed(value, 64)),
    "rand": _random,
    "random": _random,
    "srand": _seed,
    "srandom": _seed,
    **dict.fromkeys(("qsort", "qsort_r"), _sort),
    "bsearch": _bsearch,
    "llabs": lambda m, site, value: abs(signed(value, 64)),
    "div": _quotient(32),
    "ldiv": _quotient(64),
    "lldiv": _quotient(64),
    "rand_r": _rand_r,
}
