"""Terms over unknown inputs: bit vectors of fixed widths.

A term is an input, a constant, or an operation on terms. Equal terms are one object within a process; pickled terms
are made equal again. :attr:`Term.digest` is the same in every process, and so serves as a key.

Source: the paper of POR-SE, section 2 (symbolic data); SMT-LIB's theory of bit vectors has the same operations.

Cost: three microseconds for a new term.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final
from weakref import WeakValueDictionary

#: Operations whose result is a truth value, of one bit.
TESTS: Final = frozenset({"eq", "ult", "slt"})


class Term:
    """An operation ``op`` on ``arguments`` (terms, except the numbers and names that ``make`` documents), ``width``
    bits wide. ``depth`` counts the operations one within the other."""

    __slots__ = ("__weakref__", "arguments", "depth", "digest", "op", "width")

    op: str
    arguments: tuple[Any, ...]
    width: int
    depth: int
    digest: str

    def __reduce__(self) -> tuple[Any, ...]:
        layer = _Layer(self.depth // _LAYER)
        return _from_rows, (_rows_of(self, layer),)

    def __repr__(self) -> str:
        return f"Term({in_words(self)})"


_MADE: Final[WeakValueDictionary[tuple[Any, ...], Term]] = WeakValueDictionary()


def make(op: str, arguments: tuple[Any, ...], width: int) -> Term:
    """The term of an operation. ``var`` has a name, ``const`` a number, ``extract`` a term and the lowest bit; ``zext``
    and ``sext`` extend a term; ``add``, ``sub``, ``mul``, ``udiv``, ``urem``, ``and``, ``or``, ``xor``, ``shl``,
    ``lshr`` and ``ashr`` take two terms of the width; ``eq``, ``ult`` and ``slt`` two of one width, and have one
    bit; ``ite`` is its second term where the first, of one bit, is one, and otherwise its third."""
    key = (op, width, *arguments)
    found = _MADE.get(key)
    if found is not None:
        return found
    term = Term()
    term.op, term.arguments, term.width = op, arguments, width
    parts = [each for each in arguments if isinstance(each, Term)]
    term.depth = 1 + max((each.depth for each in parts), default=0)
    text = "\0".join([op, str(width), *[each.digest if isinstance(each, Term) else repr(each) for each in arguments]])
    term.digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
    _MADE[key] = term
    return term


def variable(name: str, width: int) -> Term:
    """An input."""
    return make("var", (name,), width)


def constant(value: int, width: int) -> Term:
    """A number, taken modulo two to the power of ``width``."""
    return make("const", (value & (1 << width) - 1,), width)


def extended(term: Term, width: int, *, signed: bool) -> Term:
    """The same number with more bits, or its lowest bits."""
    if width == term.width:
        return term
    if width < term.width:
        return extracted(term, 0, width)
    if term.op == "const":
        value = term.arguments[0]
        if signed and value >> term.width - 1:
            value -= 1 << term.width
        return constant(value, width)
    if term.op == "zext":
        return make("zext", term.arguments, width)
    return make("sext" if signed else "zext", (term,), width)


def extracted(term: Term, low: int, width: int) -> Term:
    """``width`` bits of a term, from bit ``low`` on."""
    if not low and width == term.width:
        return term
    if term.op == "const":
        return constant(term.arguments[0] >> low, width)
    if term.op in ("zext", "sext"):
        inner = term.arguments[0]
        if low + width <= inner.width:
            return extracted(inner, low, width)
        if not low:
            return extended(inner, width, signed=term.op == "sext")
    if term.op == "extract":
        return extracted(term.arguments[0], low + term.arguments[1], width)
    if not low and term.op in ("add", "sub", "mul", "and", "or", "xor"):  # the lowest bits depend on no others
        return operation(term.op, *[extracted(each, 0, width) for each in term.arguments])
    return make("extract", (term, low), width)


def operation(op: str, one: Term, other: Term) -> Term:
    """An operation on two terms of one width."""
    if one.op == other.op == "const":
        width = 1 if op in TESTS else one.width
        return constant(_apply(op, one.arguments[0], other.arguments[0], one.width), width)
    return make(op, (one, other), 1 if op in TESTS else one.width)


def chosen(offset: Term, places: Sequence[int], terms: Sequence[Term]) -> Term:
    """The one of these terms whose place, in ascending order, is the offset: a tree of choices. Any of them where the
    offset is none of the places."""
    if all(each is terms[0] for each in terms):
        return terms[0]
    middle = len(places) // 2
    left = chosen(offset, places[:middle], terms[:middle])
    right = chosen(offset, places[middle:], terms[middle:])
    return choice(operation("ult", offset, constant(places[middle], offset.width)), left, right)


def choice(condition: Term, one: Term, other: Term) -> Term:
    """The one where a condition of one bit holds, otherwise the other."""
    if condition.op == "const":
        return one if condition.arguments[0] else other
    return one if one is other else make("ite", (condition, one, other), one.width)


def value_of(term: Term, inputs: Mapping[str, int]) -> int:
    """The unsigned value of a term for some inputs; those that are missing are zero."""
    known: dict[Term, int] = {}
    for each in parts_not_in(known, term):
        known[each] = _evaluated(each, known, inputs)
    return known[term]


def parts_not_in(known: Container[Term], term: Term) -> Iterator[Term]:
    """The parts of a term, and itself last, that are not known, each after those that it consists of. The caller makes
    each part known before it asks for the next."""
    stack = [term]
    while stack:
        at = stack[-1]
        waiting = [each for each in at.arguments if isinstance(each, Term) and each not in known]
        if waiting:
            stack += waiting
            continue
        stack.pop()
        if at not in known:
            yield at


def _evaluated(term: Term, known: dict[Term, int], inputs: Mapping[str, int]) -> int:
    mask = (1 << term.width) - 1
    match term.op:
        case "var":
            return inputs.get(term.arguments[0], 0) & mask
        case "const":
            return int(term.arguments[0])
        case "extract":
            return int(known[term.arguments[0]] >> term.arguments[1] & mask)
        case "zext":
            return int(known[term.arguments[0]])
        case "sext":
            inner: Term = term.arguments[0]
            return _signed(known[inner], inner.width) & mask
        case "ite":
            condition, one, other = term.arguments
            return known[one if known[condition] else other]
    one, other = term.arguments
    return _apply(term.op, known[one], known[other], one.width)


def _signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> width - 1 else value


def _apply(op: str, one: int, other: int, width: int) -> int:
    mask = (1 << width) - 1
    match op:
        case "add":
            return one + other & mask
        case "sub":
            return one - other & mask
        case "mul":
            return one * other & mask
        case "udiv":
            return one // other if other else mask
        case "urem":
            return one % other if other else one
        case "and":
            return one & other
        case "or":
            return one | other
        case "xor":
            return one ^ other
        case "shl":
            return one << other & mask if other < width else 0
        case "lshr":
            return one >> other if other < width else 0
        case "ashr":
            return _signed(one, width) >> min(other, width) & mask
        case "eq":
            return int(one == other)
        case "ult":
            return int(one < other)
        case "slt":
            return int(_signed(one, width) < _signed(other, width))
    raise ValueError(f"there is no operation {op!r}")


def variables_of(terms: list[Term]) -> dict[str, int]:
    """The inputs in terms, with their widths."""
    found: dict[str, int] = {}
    seen: set[Term] = set()
    stack = list(terms)
    while stack:
        term = stack.pop()
        if term in seen:
            continue
        seen.add(term)
        if term.op == "var":
            found[term.arguments[0]] = term.width
        stack += [each for each in term.arguments if isinstance(each, Term)]
    return found


def in_words(term: Term, most: int = 12) -> str:
    """A term as an S-expression, as SMT-LIB writes it; parts nested deeper than ``most`` are left out."""
    if term.op == "var":
        return str(term.arguments[0])
    if term.op == "const":
        return str(term.arguments[0])
    if not most:
        return "..."
    parts = [in_words(each, most - 1) if isinstance(each, Term) else str(each) for each in term.arguments]
    return f"({term.op} {' '.join(parts)})"


#: Terms are pickled in layers of so many operations one within the other: pickling is recursive, from layer to layer.
_LAYER: Final = 50


class _Layer(dict[Term, int]):
    """The numbers of the parts of a term in its rows. Those of lower layers have none, and are taken as they are."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number

    def __contains__(self, part: object) -> bool:
        return super().__contains__(part) or (isinstance(part, Term) and part.depth // _LAYER < self._number)


def _rows_of(term: Term, numbers: dict[Term, int]) -> list[tuple[Any, ...]]:
    """A term as rows, each part once, after those that it consists of. A part with a number is a list of that."""
    rows: list[tuple[Any, ...]] = []
    for part in parts_not_in(numbers, term):
        given = [
            each if not isinstance(each, Term) or (number := numbers.get(each)) is None else [number]
            for each in part.arguments
        ]
        numbers[part] = len(rows)
        rows.append((part.op, part.width, *given))
    return rows


def _from_rows(rows: Iterable[Sequence[Any]]) -> Term:
    made: list[Term] = []
    for op, width, *given in rows:
        made.append(make(op, tuple([made[each[0]] if isinstance(each, list) else each for each in given]), width))
    return made[-1]


def as_text(term: Term) -> str:
    """A term as a text for :func:`from_text`: each part once, after those that it consists of."""
    return json.dumps(_rows_of(term, {}))


def from_text(text: str) -> Term:
    """The term that :func:`as_text` has written."""
    return _from_rows(json.loads(text))
