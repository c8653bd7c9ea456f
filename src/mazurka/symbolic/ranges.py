"""The numbers that a term can be, roughly: from the least to the greatest, and how many of their lowest bits agree.

That a term is not outside is certain for all inputs; conditions of a path are not considered. So an index of eight bits
has 256 values, whatever is computed of it without wrapping round.

Cost: two microseconds for each part of a term, once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

from mazurka.symbolic.terms import TESTS, Term, parts_not_in


class Range(NamedTuple):
    """The numbers from ``low`` to ``high`` that equal ``low`` in the lowest ``same`` bits."""

    low: int
    high: int
    same: int = 0


_KNOWN: Final[WeakKeyDictionary[Term, Range]] = WeakKeyDictionary()


def range_of(term: Term) -> Range:
    """The range of a term's unsigned value."""
    for part in parts_not_in(_KNOWN, term):
        _KNOWN[part] = _range(part)
    return _KNOWN[term]


def _range(term: Term) -> Range:
    given = term.arguments
    match term.op:
        case "const":
            return Range(given[0], given[0], term.width)
        case "extract":
            low, high, same = _KNOWN[given[0]]
            return _wrapped(low >> given[1], high >> given[1], max(same - given[1], 0), term.width)
        case "zext":
            return _KNOWN[given[0]]
        case "sext" if _KNOWN[given[0]].high < 1 << given[0].width - 1:
            return _KNOWN[given[0]]
        case "ite":
            one, other = _KNOWN[given[1]], _KNOWN[given[2]]
            return _wrapped(min(one.low, other.low), max(one.high, other.high), _same_in_both(one, other), term.width)
    combine = _OPERATIONS.get(term.op)
    if combine is None or term.op in TESTS:
        return Range(0, (1 << term.width) - 1)
    return _wrapped(*combine(_KNOWN[given[0]], _KNOWN[given[1]]), term.width)


def _wrapped(low: int, high: int, same: int, width: int) -> Range:
    """The range of these numbers modulo two to the power of ``width``."""
    if low >> width == high >> width:
        low, high = low & (1 << width) - 1, high & (1 << width) - 1
        return Range(low, high, width if low == high else same)
    same = min(same, width)
    return Range(low & (1 << same) - 1, (1 << width) - 1, same)


def _zeros(number: int) -> int:
    """The lowest bits that are zero."""
    return (number & -number).bit_length() - 1 if number else 64


def _same_in_both(one: Range, other: Range) -> int:
    return min(one.same, other.same, _zeros(one.low ^ other.low))


def _sum(one: Range, other: Range) -> Range:
    return Range(one.low + other.low, one.high + other.high, min(one.same, other.same))


def _difference(one: Range, other: Range) -> Range:
    same = min(one.same, other.same)
    least = one.low - other.high
    least += (one.low - other.low - least) % (1 << same)  # the greatest one may be rough
    return Range(least, one.high - other.low, same)


def _product(one: Range, other: Range) -> Range:
    low, high = one.low * other.low, one.high * other.high
    for number, by in ((one, other), (other, one)):
        if by.low == by.high:
            return Range(low, high, number.same + _zeros(by.low))
    return Range(low, high, 0)


def _and(one: Range, other: Range) -> Range:
    zeros = [_zeros(each.low) for each in (one, other) if each.low == each.high]
    return Range(0, min(one.high, other.high), max(zeros, default=0))


def _or(one: Range, other: Range) -> Range:
    for number, by in ((one, other), (other, one)):
        if by.low == by.high and number.high.bit_length() <= _zeros(by.low):  # they have no bit in common
            return _sum(one, other)
    return Range(0, (1 << max(one.high.bit_length(), other.high.bit_length())) - 1)


def _left(one: Range, count: Range) -> Range:
    if count.low != count.high or count.low > 64:
        return Range(0, 1 << 600)
    return Range(one.low << count.low, one.high << count.low, one.same + count.low)


def _right(one: Range, count: Range) -> Range:
    return Range(one.low >> count.high, one.high >> count.low)


def _quotient(one: Range, by: Range) -> Range:
    return Range(one.low // by.high, one.high // by.low) if by.low else Range(0, 1 << 600)


def _remainder(one: Range, by: Range) -> Range:
    return Range(0, min(one.high, by.high - 1) if by.low else one.high)


_OPERATIONS: Final[dict[str, Callable[[Range, Range], Range]]] = {
    "add": _sum,
    "sub": _difference,
    "mul": _product,
    "and": _and,
    "or": _or,
    "xor": _or,
    "shl": _left,
    "lshr": _right,
    "udiv": _quotient,
    "urem": _remainder,
}
