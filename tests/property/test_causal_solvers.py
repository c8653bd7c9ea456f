"""The solvers agree with each other on the queries an exploration asks, and every order they give keeps what it
must."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from itertools import permutations

import pytest
from hypothesis import assume, given
from tests.oracle.drive import Unfinished, reach
from tests.oracle.generate import programs
from tests.oracle.language import SmallProgram
from tests.property.causal_histories import check_order, random_query

from mazurka.causal.closure import close
from mazurka.causal.history import History
from mazurka.causal.search import SearchSolver
from mazurka.causal.solver import Answer, Feasible, Infeasible, Query
from mazurka.causal.z3 import Z3Solver
from mazurka.explore.mcr import ReadsFromSearch


class Both:
    """Asks two solvers and compares."""

    name = "both"

    def __init__(self) -> None:
        self.queries = 0
        self.search = SearchSolver()
        self.z3 = Z3Solver()

    def solve(self, history: History, query: Query) -> Answer:
        answer = self.search.solve(history, query)
        self.queries += 1
        if self.queries <= 40:  # z3 takes some milliseconds for each
            other = self.z3.solve(history, query)
            assert type(answer) is type(other), (query, answer, other)
            for one in (answer, other):
                if isinstance(one, Feasible):
                    check_order(history, query, one.order)
        return answer


@given(programs())
def test_solvers_agree_on_what_explorations_ask(program: SmallProgram) -> None:
    both = Both()
    with suppress(Unfinished):
        reach(program, lambda: ReadsFromSearch(both), limit=150)


@given(programs())
def test_exploring_with_another_solver_reaches_the_same(program: SmallProgram) -> None:
    try:
        known = reach(program, "mcr", limit=12)
    except Unfinished:
        assume(False)
    for solver in ("closure", "z3"):
        assert reach(program, "mcr", solver=solver).everything == known.everything


@pytest.mark.parametrize("solve", [SearchSolver().solve, close], ids=["search", "closure"])
def test_answers_are_those_of_all_orders_tried(solve: Callable[[History, Query], Answer]) -> None:
    """On made-up histories too small to be wrong about."""
    rng = random.Random(7)
    feasible = 0
    for _ in range(400):
        history, query = random_query(rng, 6, 3)
        answer = solve(history, query)
        expected = _by_force(history, query)
        assert isinstance(answer, Feasible if expected else Infeasible)
        feasible += expected
        if isinstance(answer, Feasible):
            check_order(history, query, answer.order)
    assert 40 < feasible < 360


def _by_force(history: History, query: Query) -> bool:
    base = len(history.numbers)
    for order in permutations(range(base + 1)):
        try:
            check_order(history, query, order)
        except AssertionError:
            continue
        return True
    return False
