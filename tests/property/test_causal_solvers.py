"""The solvers agree with each other on the queries an exploration asks, and every order that they give keeps all
constraints."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import assume, given
from tests.oracle.drive import Unfinished, reach
from tests.oracle.generate import programs
from tests.oracle.language import SmallProgram
from tests.property.causal_histories import check_order, random_query

from mazurka.causal.closure import close
from mazurka.causal.history import History
from mazurka.causal.question import Before, Question
from mazurka.causal.search import SearchSolver
from mazurka.causal.solver import Answer, CausalModel, Feasible, Infeasible
from mazurka.causal.solvers import make_solver
from mazurka.causal.z3 import Z3Solver
from mazurka.explore.mcr import ReadsFromSearch
from mazurka.trace.event import Op


class Both:
    """Asks two solvers and compares."""

    name = "both"

    def __init__(self) -> None:
        self.queries = 0
        self.search = SearchSolver()
        self.z3 = Z3Solver()

    def decide(self, history: CausalModel, query: Question) -> Answer:
        assert isinstance(history, History)
        answer = self.search.decide(history, query)
        self.queries += 1
        if self.queries <= 40:  # z3 takes some milliseconds for each
            other = self.z3.decide(history, query)
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


@pytest.mark.parametrize("solve", [SearchSolver().decide, close], ids=["search", "closure"])
def test_answers_are_those_of_all_orders_tried(solve: Callable[[History, Question], Answer]) -> None:
    """On made-up histories too small to be wrong about."""
    rng = random.Random(7)
    feasible = 0
    for number in range(800):
        history, query = random_query(rng, 6, 2 + number % 2)
        answer = solve(history, query)
        expected = _by_force(history, query)
        assert isinstance(answer, Feasible if expected else Infeasible)
        feasible += expected
        if isinstance(answer, Feasible):
            check_order(history, query, answer.order)
    assert 80 < feasible < 720


@pytest.mark.parametrize("solver", ["search", "closure", "z3"])
def test_histories_are_asked_about_orders_too(solver: str) -> None:
    """An order of two of the events, the hypothetical one among them."""
    rng, asked, feasible = random.Random(8), make_solver(solver), 0
    for _ in range(120):
        history, query = random_query(rng, 6, 3)
        first, second = rng.sample(range(len(history.numbers) + 1), 2)
        question = replace(query, constraints=(Before(first, second),))
        answer = asked.decide(history, question)
        expected = _by_force(history, query, first, second)
        assert isinstance(answer, Feasible if expected else Infeasible), (history.reads, question)
        feasible += expected
        if isinstance(answer, Feasible):
            check_order(history, query, answer.order)
            assert answer.order.index(first) < answer.order.index(second)
    assert 15 < feasible < 105


@pytest.mark.parametrize("solver", ["search", "closure", "z3"])
def test_histories_are_asked_what_comes_next(solver: str) -> None:
    """Of two threads that touch a place neither need have done it."""
    log = [(0, Op.WRITE, ("v", 0)), (1, Op.WRITE, ("v", 1)), (1, Op.READ, ("v", 0)), (2, Op.READ, ("v", 1))]
    history = History(["0", "1", "2"], [(task, op, target, 0, True, None, ()) for task, op, target in log])
    decide = make_solver(solver).decide
    assert isinstance(decide(history, Question(next=(0, 2))), Feasible)
    assert isinstance(decide(history, Question((3,), next=(0, 2))), Feasible)
    assert isinstance(decide(history, Question((2,), next=(0,))), Infeasible)
    assert isinstance(decide(history, Question((3,), never=(1,))), Infeasible)


def _by_force(history: History, query: Question, *ordered: int) -> bool:
    base = len(history.numbers)
    for order in permutations(range(base + 1)):
        try:
            check_order(history, query, order)
        except AssertionError:
            continue
        if [step for step in order if step in ordered] == list(ordered):
            return True
    return False
