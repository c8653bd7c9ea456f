"""The solvers agree with each other on the queries an exploration asks, and every order they give keeps what it
must."""

from __future__ import annotations

from itertools import permutations
from typing import Any

from hypothesis import assume, given
from tests.oracle.drive import reach
from tests.oracle.generate import programs
from tests.oracle.language import SmallProgram

from mazurka.causal.history import INITIAL, History
from mazurka.causal.search import SearchSolver
from mazurka.causal.solver import Answer, Extra, Feasible, Infeasible, Query
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


def check_order(history: History, query: Query, order: tuple[int, ...]) -> None:
    """Independent of both: replay the order and look at every read."""
    base = len(history.numbers)
    wanted = {step for t, count in enumerate(query.past) for step in history.threads[t][:count]}
    assert set(order) == wanted | set(range(base, base + len(query.extras)))
    assert len(order) == len(set(order))
    at = [0] * len(history.threads)
    last: dict[Any, int] = {}
    for step in order:
        extra = query.extras[step - base] if step >= base else None
        thread = history.numbers[step] if extra is None else extra.thread
        if extra is None:
            assert history.threads[thread][at[thread]] == step
        else:
            assert at[thread] >= query.past[thread]
        at[thread] += 1
        reads, writes = (history.reads[step], history.writes[step]) if extra is None else (extra.reads, extra.writes)
        for target, source in reads:
            assert last.get(target, INITIAL) == source
        for target in writes:
            last[target] = step


@given(programs())
def test_solvers_agree_on_what_explorations_ask(program: SmallProgram) -> None:
    both = Both()
    try:
        reach(program, lambda: ReadsFromSearch(both), limit=150)
    except AssertionError as error:
        assume("does not end" not in str(error))
        raise


@given(programs())
def test_exploring_with_z3_reaches_the_same(program: SmallProgram) -> None:
    try:
        known = reach(program, "mcr", limit=12)
    except AssertionError:
        assume(False)
    assert reach(program, "mcr", solver="z3").everything == known.everything


def test_search_agrees_with_all_orders() -> None:
    """On made-up histories too small to be wrong about: every order tried."""
    import random

    rng = random.Random(7)
    feasible = 0
    for _ in range(400):
        log, extra = _random_log(rng)
        history = History(["0", "0.1", "0.2"], log)
        past = tuple(len(row) for row in history.threads)
        query = Query(past, (extra,))
        answer = SearchSolver().solve(history, query)
        expected = _by_force(history, query)
        assert isinstance(answer, Feasible if expected else Infeasible)
        feasible += expected
        if isinstance(answer, Feasible):
            check_order(history, query, answer.order)
    assert 40 < feasible < 360


def _random_log(rng: Any) -> tuple[list[tuple[Any, ...]], Extra]:
    from mazurka.trace.event import Op

    ops = (Op.READ, Op.WRITE, Op.RMW)
    log = [
        (rng.randrange(3), rng.choice(ops), ("v", rng.randrange(2)), 0, True, None, ())
        for _ in range(rng.randrange(2, 6))
    ]
    target = ("v", rng.randrange(2))
    writers = [i for i, entry in enumerate(log) if entry[2] == target and entry[1] is not Op.READ]
    source = rng.choice([INITIAL, *writers])
    return log, Extra(rng.randrange(3), ((target, source),), (target,) if rng.random() < 0.5 else ())


def _by_force(history: History, query: Query) -> bool:
    base = len(history.numbers)
    for order in permutations(range(base + 1)):
        try:
            check_order(history, query, order)
        except AssertionError:
            continue
        return True
    return False
