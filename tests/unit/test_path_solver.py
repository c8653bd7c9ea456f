"""The solver of path conditions: independent sets, answers that are used again, and terms as texts."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest

from mazurka.symbolic.path_solver import PathSolver, Z3ConditionSolver, satisfies
from mazurka.symbolic.terms import Term, as_text, constant, extended, extracted, from_text, operation, variable
from mazurka.symbolic.values import PathCondition

_N, _M, _K = (variable(name, 8) for name in "nmk")


def _below(term: Term, limit: int, holds: bool = True) -> PathCondition:
    return PathCondition(operation("ult", term, constant(limit, term.width)), holds)


def _counted() -> PathSolver:
    return PathSolver(Z3ConditionSolver())


def test_conditions_without_common_inputs_are_apart() -> None:
    small, equal = _below(_N, 5), PathCondition(operation("eq", _N, _M), True)
    apart = _below(_K, 3, holds=False)
    parts = _counted().independent([small, apart, equal])
    assert sorted(map(len, parts)) == [1, 2]
    assert frozenset([small, equal]) in parts


def test_a_longer_path_asks_about_its_last_condition_only() -> None:
    solver = _counted()
    path = [_below(_N, 5), _below(_M, 200, holds=False)]
    found = solver.find(path)
    assert found is not None
    assert satisfies(found, path)
    assert solver.counts.solved + solver.counts.tried == 2
    assert solver.find([*path, _below(_K, 7)]) is not None
    assert solver.counts.same == 2


def test_what_contains_a_contradiction_is_one() -> None:
    solver = _counted()
    contradiction = [_below(_N, 5), _below(_N, 7, holds=False)]
    assert solver.find(contradiction) is None
    before = solver.counts.solved
    assert solver.find([*contradiction, PathCondition(operation("eq", _N, _M), True)]) is None
    assert (solver.counts.contained, solver.counts.solved) == (1, before)


def test_inputs_of_executions_are_tried() -> None:
    solver = _counted()
    solver.learn({"n": 33, "m": 2})
    product = operation("mul", _N, constant(3, 8))
    assert solver.find([PathCondition(operation("eq", product, constant(99, 8)), True)]) == {"n": 33}
    assert (solver.counts.tried, solver.counts.solved) == (1, 0)


def test_a_solver_that_gives_up_says_so() -> None:
    wide = [variable(name, 64) for name in "ab"]
    product = operation("mul", *wide)
    hard = [
        PathCondition(operation("eq", product, constant(0xD3C21BCECCEDA101, 64)), True),
        *[PathCondition(operation("ult", each, constant(2, 64)), False) for each in wide],
        *[_below(each, 1 << 33) for each in wide],
    ]
    with pytest.raises(TimeoutError):
        Z3ConditionSolver(effort=1_000).solve(hard)


def _random_term(draw: random.Random, depth: int) -> Term:
    if not depth or draw.random() < 0.2:
        return draw.choice((_N, _M, _K, constant(draw.randrange(256), 8)))
    one, other = _random_term(draw, depth - 1), _random_term(draw, depth - 1)
    match draw.randrange(3):
        case 0:
            return operation(draw.choice(("add", "sub", "mul", "and", "or", "xor", "udiv", "urem")), one, other)
        case 1:
            return extracted(extended(one, 16, signed=draw.random() < 0.5), draw.randrange(8), 8)
    return extended(operation(draw.choice(("eq", "ult", "slt")), one, other), 8, signed=False)


def _conditions(draw: random.Random) -> Iterable[PathCondition]:
    for _ in range(draw.randint(1, 4)):
        yield PathCondition(operation("ult", _random_term(draw, 3), _random_term(draw, 2)), draw.random() < 0.5)


def test_answers_are_those_of_the_solver_without_help() -> None:
    solver, alone = _counted(), Z3ConditionSolver()
    for seed in range(60):
        wanted = [each for each in _conditions(random.Random(seed)) if each.term.op != "const"]
        if not wanted:
            continue
        found = solver.find(wanted)
        assert (found is None) == (alone.solve(wanted) is None), seed
        assert found is None or satisfies(found, wanted), seed


def test_terms_come_back_from_their_texts() -> None:
    draw = random.Random(7)
    for _ in range(100):
        term = _random_term(draw, 4)
        assert from_text(as_text(term)) is term
