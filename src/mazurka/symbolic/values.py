"""Numbers that depend on unknown inputs, for programs that compute with Python's integers.

A :class:`SymbolicInt` has a value, that for the inputs of this execution, and a term for its value with others. Its
arithmetic is that of integers without bounds: each result is as wide as it has to be. Where a program needs a truth
value, the condition is noted (:class:`PathConditions`): with inputs for which all noted conditions have the same truth
values, the program does the same. Where it needs a definite number (an index, a key of a dictionary, a text), the
condition is that the number is this one.

Terms that are very wide or deep become definite, too; so each operation is exact or ends the choice.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final, NamedTuple

from mazurka.symbolic.terms import Term, constant, extended, extracted, operation, variable

#: Terms that are wider, in bits, or nested deeper become definite numbers.
_WIDEST: Final = 256
_DEEPEST: Final = 400

#: A third of the numbers that are drawn are no further from zero.
_SMALL: Final = 16


class PathCondition(NamedTuple):
    """A term of one bit, and its value in an execution; ``always``: no inputs are allowed with which it has another."""

    term: Term
    holds: bool
    always: bool = False


class InputBranch(NamedTuple):
    """A condition that a thread (by its index) has met, after so many steps of the execution."""

    task: int
    step: int
    condition: PathCondition


class PathConditions:
    """The inputs of an execution, and the conditions on them that it has met. With ``definite_tests`` comparisons give
    plain truth values, on which the program depends from then on. ``place`` gives the running thread, and the number of
    steps so far; None where nothing depends on conditions any more. With ``drawn`` inputs that are not given are drawn,
    by this number and their names."""

    __slots__ = ("_first", "declared", "definite_tests", "drawn", "given", "met", "place", "stale", "used")

    #: Those of the latest execution of this process.
    latest: ClassVar[PathConditions | None] = None

    def __init__(
        self,
        given: Mapping[str, int] | None = None,
        definite_tests: bool = False,
        place: Callable[[], tuple[int, int] | None] | None = None,
        drawn: int | None = None,
    ) -> None:
        self.given = given or {}
        self.definite_tests = definite_tests
        self.place = place
        self.drawn = drawn
        self.stale = (
            False  # whether the execution has used a number of an earlier one, which other inputs do not change
        )
        self._first: dict[tuple[int, PathCondition], int] = {}  # by thread: after how many steps it met a condition
        PathConditions.latest = self
        self.used: dict[str, int] = {}  # in the order in which the program has asked for them
        self.declared: dict[str, int] = {}  # how often each name was declared
        self.met: dict[PathCondition, None] = {}

    def input(
        self, name: str, width: int, *, signed: bool = False, first: int = 0, shown_signed: bool = False
    ) -> SymbolicInt:
        """An input of ``width`` bits; ``first`` is its value if none is given. A name that is declared again stands for
        another input."""
        name = self._declare(name)
        value = self._value(name, name, 0, (1 << width) - 1, first) & (1 << width) - 1
        if signed and value >> width - 1:
            value -= 1 << width
        self.used[name] = value - (1 << width) if shown_signed and value >> width - 1 > 0 else value
        return SymbolicInt(value, variable(name, width), signed, self)

    def _value(self, ranged: str, name: str, low: int, high: int, first: int) -> int:
        """The value of an input, or one that equals it modulo the width."""
        if ranged in self.given or name in self.given or self.drawn is None:
            return self.given.get(ranged, self.given.get(name, first))
        draw = random.Random(f"{self.drawn} {name}")
        near = (max(low, -_SMALL), min(high, _SMALL)) if low <= _SMALL and high >= -_SMALL else (low, high)
        match draw.randrange(3):
            case 0:
                return draw.randint(*near)
            case 1:
                return draw.choice((low, low + high + 1 >> 1, high))
        return draw.randint(low, high)

    def _declare(self, name: str) -> str:
        count = self.declared[name] = self.declared.get(name, 0) + 1
        return name if count == 1 else f"{name} #{count}"

    def number(self, name: str, low: int, high: int) -> Any:
        """An input from ``low`` to ``high``. With another range it is another input, since the range holds for it on
        every path."""
        name = self._declare(name)
        ranged = f"{name} from {low} to {high}"
        width = max(low.bit_length(), high.bit_length()) + 1
        value = self._value(ranged, name, low, high, 0) & (1 << width) - 1
        value -= value >> width - 1 << width
        self.used[name] = value = value if low <= value <= high else min(max(0, low), high)
        number = SymbolicInt(value, variable(ranged, width), True, self)
        definite, self.definite_tests = self.definite_tests, False
        tests = (number >= low, number <= high)
        self.definite_tests = definite
        for test in tests:
            if is_symbolic(test):
                self._meet(PathCondition(test.term, True, True))
        return number

    def note(self, term: Term, holds: bool) -> None:
        """The program depends on a truth value."""
        if term.op != "const":
            self._meet(PathCondition(term, holds))

    def _meet(self, condition: PathCondition) -> None:
        self.met[condition] = None
        if PathConditions.latest is not self and PathConditions.latest is not None:
            PathConditions.latest.stale = True
        place = self.place() if self.place is not None else None
        if place is not None:
            self._first.setdefault((place[0], condition), place[1])

    def branches(self) -> tuple[InputBranch, ...]:
        """The conditions that each thread has met, where it did so first, in the order of the execution."""
        found = [InputBranch(task, step, condition) for (task, condition), step in self._first.items()]
        return tuple(sorted(found, key=lambda each: each.step))


#: The class that symbolic integers say they are of, so that programs treat them as integers.
_INTEGER: Final = type("SymbolicInt", (int,), {})


class SymbolicInt:
    """An integer that depends on inputs; see the module. ``signed`` says how the bits of the term are to be read."""

    __slots__ = ("conditions", "signed", "term", "value")

    value: int
    term: Term
    signed: bool
    conditions: PathConditions

    def __init__(self, value: int, term: Term, signed: bool, conditions: PathConditions) -> None:
        self.value, self.term, self.signed, self.conditions = value, term, signed, conditions

    @property  # type: ignore[misc]  # for isinstance(): programs treat it as the integer that it stands for
    def __class__(self) -> type:
        return _INTEGER

    @property
    def key(self) -> tuple[str, int, str]:
        """A plain value that is equal only for equal numbers that depend on inputs in the same way."""
        return ("symbolic", self.value, f"{self.term.digest} {'signed' if self.signed else 'unsigned'}")

    # -- definite values ----------------------------------------------------------------------------------------------

    def definite(self) -> int:
        """The number; from here on the program depends on its being this one."""
        self.conditions.note(operation("eq", self.term, constant(self.value, self.term.width)), True)
        return self.value

    def __bool__(self) -> bool:
        term, holds = self.term, bool(self.value)
        if term.width == 1:
            self.conditions.note(term, holds)
        else:
            self.conditions.note(operation("eq", term, constant(0, term.width)), not holds)
        return holds

    def __index__(self) -> int:
        return self.definite()

    __int__ = __trunc__ = __floor__ = __ceil__ = __index__

    def __round__(self, digits: int | None = None) -> int:
        return round(self.definite(), digits)

    def __float__(self) -> float:
        return float(self.definite())

    def __complex__(self) -> complex:
        return complex(self.definite())

    def __hash__(self) -> int:
        return hash(self.definite())

    def __repr__(self) -> str:
        return repr(self.definite())

    def __str__(self) -> str:
        return str(self.definite())

    def __format__(self, how: str) -> str:
        return format(self.definite(), how)

    def __reduce__(self) -> tuple[Any, ...]:
        return int, (self.definite(),)

    def __copy__(self) -> SymbolicInt:
        return self

    def __deepcopy__(self, memo: object) -> SymbolicInt:
        return self

    def __getattr__(self, name: str) -> Any:
        return getattr(self.definite(), name)

    # -- arithmetic ---------------------------------------------------------------------------------------------------

    def derived(self, value: int, term: Term, signed: bool) -> Any:
        """The number of a term, which is this value in the execution."""
        if term.op == "const":
            return value
        made = SymbolicInt(value, term, signed, self.conditions)
        return made.definite() if term.width > _WIDEST or term.depth > _DEEPEST else made

    def _operands(self, other: Any) -> tuple[Term, Term, bool, int] | None:
        """Both as terms of one width, which holds either; None if the other is no integer."""
        if isinstance(other, SymbolicInt) or type(other) is SymbolicInt:
            term, signed, value = other.term, other.signed, other.value
            if other.conditions is not self.conditions and PathConditions.latest is not None:
                PathConditions.latest.stale = True
        elif isinstance(other, int):
            value, signed = int(other), other < 0
            term = constant(value, max(value.bit_length() + signed, 1))
        else:
            return None
        both = self.signed or signed
        widths = [
            each.width + (both and not is_signed) for each, is_signed in ((self.term, self.signed), (term, signed))
        ]
        width = max(widths)
        one = extended(self.term, width, signed=self.signed)
        return one, extended(term, width, signed=signed), both, value

    def _sum(self, op: str, other: Any, *, swapped: bool = False) -> Any:
        found = self._operands(other)
        if found is None:
            return NotImplemented
        one, two, signed, value = found
        width = one.width + 1
        one, two = extended(one, width, signed=signed), extended(two, width, signed=signed)
        first, second = self.value, value
        if swapped:
            one, two, first, second = two, one, second, first
        if op == "sub":
            return self.derived(first - second, operation(op, one, two), True)
        return self.derived(first + second, operation(op, one, two), signed)

    def __add__(self, other: Any) -> Any:
        return self._sum("add", other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._sum("sub", other)

    def __rsub__(self, other: Any) -> Any:
        return self._sum("sub", other, swapped=True)

    def __mul__(self, other: Any) -> Any:
        found = self._operands(other)
        if found is None:
            return self.definite() * other
        one, two, signed, value = found
        width = one.width * 2
        one, two = extended(one, width, signed=signed), extended(two, width, signed=signed)
        return self.derived(self.value * value, operation("mul", one, two), signed)

    __rmul__ = __mul__

    def __neg__(self) -> Any:
        return 0 - self

    def __pos__(self) -> SymbolicInt:
        return self

    def __abs__(self) -> Any:
        return -self if self < 0 else self

    def __invert__(self) -> Any:
        return -1 - self

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __floordiv__(self, other: Any) -> Any:
        return _divided(self, other)[0]

    def __rfloordiv__(self, other: Any) -> Any:
        return _divided(other, self)[0]

    def __mod__(self, other: Any) -> Any:
        return _divided(self, other)[1]

    def __rmod__(self, other: Any) -> Any:
        return other % self.definite() if not isinstance(other, int) else _divided(other, self)[1]

    def __truediv__(self, other: Any) -> Any:
        return self.definite() / other

    def __rtruediv__(self, other: Any) -> Any:
        return other / self.definite()

    def __pow__(self, other: Any, modulus: Any = None) -> Any:
        return pow(self.definite(), other, modulus)

    def __rpow__(self, other: Any) -> Any:
        return other ** self.definite()

    # -- bits ---------------------------------------------------------------------------------------------------------

    def __and__(self, other: Any) -> Any:
        if type(other) is int and other >= 0 and not other & other + 1:  # its lowest bits
            count = other.bit_length()
            if not count:
                return 0
            if not self.signed and self.term.width <= count:
                return self
            term = extracted(extended(self.term, max(count, self.term.width), signed=self.signed), 0, count)
            return self.derived(self.value & other, term, False)
        found = self._operands(other)
        if found is None:
            return NotImplemented
        one, two, signed, value = found
        if signed and not (self.signed and not _is_natural(other)):
            width = max(one.width - 1, 1)  # the sign of the result is that of a natural number
            return self.derived(self.value & value, extracted(operation("and", one, two), 0, width), False)
        return self.derived(self.value & value, operation("and", one, two), signed)

    __rand__ = __and__

    def __or__(self, other: Any) -> Any:
        return self._bitwise("or", other)

    __ror__ = __or__

    def __xor__(self, other: Any) -> Any:
        return self._bitwise("xor", other)

    __rxor__ = __xor__

    def _bitwise(self, op: str, other: Any) -> Any:
        found = self._operands(other)
        if found is None:
            return NotImplemented
        one, two, signed, value = found
        return self.derived(self.value | value if op == "or" else self.value ^ value, operation(op, one, two), signed)

    def __lshift__(self, other: Any) -> Any:
        count = other.definite() if is_symbolic(other) else int(other)
        if count > _WIDEST or count < 0:
            return self.definite() << count
        term = extended(self.term, self.term.width + count, signed=self.signed)
        return self.derived(self.value << count, operation("shl", term, constant(count, term.width)), self.signed)

    def __rlshift__(self, other: Any) -> Any:
        return other << self.definite()

    def __rshift__(self, other: Any) -> Any:
        count = other.definite() if is_symbolic(other) else int(other)
        if count < 0:
            return self.definite() >> count
        width = self.term.width
        if count >= width:
            count = width - 1 if self.signed else width
            if not self.signed:
                return 0
        return self.derived(self.value >> count, extracted(self.term, count, width - count), self.signed)

    def __rrshift__(self, other: Any) -> Any:
        return other >> self.definite()

    # -- comparisons --------------------------------------------------------------------------------------------------

    def _test(self, op: str, other: Any, *, swapped: bool = False, negated: bool = False) -> Any:
        found = self._operands(other)
        if found is None:
            return NotImplemented
        one, two, signed, value = found
        first, second = self.value, value
        if swapped:
            one, two, first, second = two, one, second, first
        term = operation(("slt" if signed else "ult") if op == "lt" else op, one, two)
        holds = first == second if op == "eq" else first < second
        if negated:
            term, holds = operation("xor", term, constant(1, 1)), not holds
        if term.op == "const":
            return holds
        made = SymbolicInt(int(holds), term, False, self.conditions)
        return bool(made) if self.conditions.definite_tests else made

    def __eq__(self, other: object) -> Any:
        if isinstance(other, float):
            return self.definite() == other
        return self._test("eq", other)

    def __ne__(self, other: object) -> Any:
        if isinstance(other, float):
            return self.definite() != other
        return self._test("eq", other, negated=True)

    def __lt__(self, other: Any) -> Any:
        return self.definite() < other if isinstance(other, float) else self._test("lt", other)

    def __gt__(self, other: Any) -> Any:
        return self.definite() > other if isinstance(other, float) else self._test("lt", other, swapped=True)

    def __le__(self, other: Any) -> Any:
        if isinstance(other, float):
            return self.definite() <= other
        return self._test("lt", other, swapped=True, negated=True)

    def __ge__(self, other: Any) -> Any:
        if isinstance(other, float):
            return self.definite() >= other
        return self._test("lt", other, negated=True)


def _is_natural(number: Any) -> bool:
    return not number.signed if type(number) is SymbolicInt else bool(number >= 0)


def is_symbolic(number: object) -> bool:
    """Whether a number depends on inputs."""
    return type(number) is SymbolicInt


def _divided(one: Any, other: Any) -> tuple[Any, Any]:
    """Quotient and remainder, rounded towards minus infinity. The signs are conditions of the path."""
    if not (isinstance(one, int) and isinstance(other, int)):
        one, other = (each.definite() if is_symbolic(each) else each for each in (one, other))
        return one // other, one % other
    if other == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    if not _is_natural(other) and other < 0:
        quotient, remainder = _divided(-one, -other)
        return quotient, -remainder
    if not _is_natural(one) and one < 0:
        quotient, remainder = _divided(-one - 1, other)
        return -1 - quotient, other - 1 - remainder
    subject: Any = one if is_symbolic(one) else other
    if not is_symbolic(subject):
        return one // other, one % other
    both: tuple[Any, Any] = (one, other)
    terms = [each.term if is_symbolic(each) else constant(each, max(each.bit_length(), 1)) for each in both]
    width = max(each.width for each in terms)
    first, second = (extended(each, width, signed=False) for each in terms)
    values = [each.value if is_symbolic(each) else each for each in both]
    return (
        subject.derived(values[0] // values[1], operation("udiv", first, second), False),
        subject.derived(values[0] % values[1], operation("urem", first, second), False),
    )


def plain(number: Any) -> Any:
    """The number in this execution, where nothing that the program does depends on it."""
    return number.value if type(number) is SymbolicInt else number
