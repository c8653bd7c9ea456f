"""Symbolic numbers compute as Python's integers do, their terms have the same values for other inputs, and the search
for inputs covers all of them."""

from __future__ import annotations

import itertools
import operator
import random
from collections.abc import Callable
from typing import Any

import pytest

from mazurka.symbolic.input_classes import Z3InputSolver
from mazurka.symbolic.ranges import range_of
from mazurka.symbolic.terms import chosen, constant, extended, operation, value_of, variable
from mazurka.symbolic.values import PathConditions, SymbolicInt
from mazurka.symbolic.z3_formulas import Formulas

_BINARY: list[Callable[[Any, Any], Any]] = [
    operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.and_, operator.or_,
    operator.xor, operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge,
]  # fmt: skip
_UNARY: list[Callable[[Any], Any]] = [
    operator.neg, operator.invert, abs, lambda n: n & 0xFF, lambda n: n << 3, lambda n: n >> 1, lambda n: n ^ 128,
    lambda n: n & 7, lambda n: n - 2, lambda n: 5 - n, lambda n: 3 * n, lambda n: n // 3, lambda n: n % 5,
    lambda n: -7 // n, lambda n: (n ^ 8) - 8, lambda n: n & -4, lambda n: n | 16,
]  # fmt: skip


def _compute(draw: random.Random, numbers: list[Any]) -> list[Any]:
    """Apply drawn operations to numbers; equal draws apply the same."""
    made = list(numbers)
    for _ in range(draw.randint(1, 6)):
        if draw.random() < 0.5:
            function, chosen = draw.choice(_UNARY), [draw.randrange(len(made))]
        else:
            function, chosen = draw.choice(_BINARY), [draw.randrange(len(made)) for _ in range(2)]
        try:
            made.append(function(*[made[at] for at in chosen]))
        except ZeroDivisionError:
            made.append(0)
    return made


def _as_number(number: Any, inputs: dict[str, int]) -> int:
    """The value of a symbolic number for other inputs."""
    if type(number) is not SymbolicInt:
        return int(number)
    value = value_of(number.term, inputs)
    return value - (1 << number.term.width) if number.signed and value >> number.term.width - 1 else value


@pytest.mark.parametrize("first", range(0, 150, 50))
def test_arithmetic_is_that_of_integers(first: int) -> None:
    """For the inputs of the execution, and for all others that meet the same conditions."""
    for seed in range(first, first + 50):
        signed = random.Random(seed).random() < 0.5
        low = -8 if signed else 0
        at = {"a": random.Random(-seed).randrange(16), "b": random.Random(seed + 1).randrange(16)}
        conditions = PathConditions(at)
        numbers = [conditions.input(name, 4, signed=signed) for name in "ab"]
        made = _compute(random.Random(seed), numbers)
        values = {name: number.value for name, number in zip("ab", numbers, strict=True)}
        expected = _compute(random.Random(seed), [values["a"], values["b"]])
        assert [number.value if type(number) is SymbolicInt else int(number) for number in made] == list(
            map(int, expected)
        ), seed
        for a, b in itertools.product(range(low, low + 16, 3), repeat=2):
            others = {"a": a & 15, "b": b & 15}
            if all(value_of(each.term, others) == each.holds for each in conditions.met):
                assert [_as_number(number, others) for number in made] == list(
                    map(int, _compute(random.Random(seed), [a, b]))
                ), (seed, a, b)


def test_terms_are_within_their_ranges() -> None:
    """Choices by an unknown index are among the terms."""
    for seed in range(300):
        draw = random.Random(seed)
        conditions = PathConditions()
        numbers = [conditions.input(name, 4) for name in "ab"]
        made = [each for each in _compute(draw, numbers) if type(each) is SymbolicInt]
        widest = max(each.term.width for each in made)
        terms = [extended(each.term, widest, signed=each.signed) for each in made]
        made_of_all = chosen(numbers[0].term, range(0, 16, 2), [draw.choice(terms) for _ in range(8)])
        for term in (*terms, made_of_all, operation("mul", made_of_all, constant(4, widest))):
            low, high, same = range_of(term)
            for a, b in itertools.product(range(16), repeat=2):
                value = value_of(term, {"a": a, "b": b})
                assert low <= value <= high, (seed, term)
                assert (value - low) % (1 << same) == 0, (seed, term)


def test_the_choice_is_that_of_the_place() -> None:
    index, places = variable("a", 6), range(3, 40, 4)
    terms = [constant(place // 8, 8) for place in places]
    found = chosen(index, places, terms)
    assert [value_of(found, {"a": place}) for place in places] == [place // 8 for place in places]
    formulas = Formulas()
    for place in places:
        formula = formulas.z3.substitute(
            formulas.term(found), (formulas.term(index), formulas.z3.BitVecVal(place, 6, ctx=formulas.context))
        )
        assert formulas.z3.simplify(formula).as_long() == place // 8


def _path(x: Any, y: Any) -> str:
    if x > 200:
        return "large" if x - y == 3 else "other"
    if (x * y) % 7 == 3 and x != y:
        return "product"
    return ["zero", "one", "two"][y] if y < 3 else "rest"


def test_all_paths_are_taken() -> None:
    solver, taken, classes = Z3InputSolver(), set(), 0
    inputs: dict[str, int] | None = {}
    while inputs is not None:
        conditions = PathConditions(inputs)
        taken.add(_path(conditions.input("x", 8), conditions.input("y", 8)))
        classes += 1
        solver.exclude(conditions.met)
        inputs = solver.next_inputs(None)
    assert taken == {_path(x, y) for x in range(256) for y in range(256)}
    assert classes < 20


def test_a_definite_value_is_a_condition() -> None:
    solver, seen = Z3InputSolver(), []
    inputs: dict[str, int] | None = {}
    while inputs is not None:
        conditions = PathConditions(inputs)
        seen.append({0: "a", 1: "b"}.get(conditions.input("x", 2)))
        solver.exclude(conditions.met)
        inputs = solver.next_inputs(None)
    assert sorted(map(str, seen)) == ["None", "None", "a", "b"]
