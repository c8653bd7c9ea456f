"""The orders in a report answer as the solver of the causal model does, pair by pair."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

from tests.oracle.random_traces import random_trace

from mazurka.causal.closure import ClosureSolver
from mazurka.causal.model_from_trace import model_of_trace
from mazurka.causal.question import Before, Question
from mazurka.causal.solver import Feasible
from mazurka.report.details import OrderReason, Orders
from mazurka.trace.trace import Trace
from mazurka.workflows.possible_orders import orders_of

#: Generated traces, and pairs of each.
TRACES, PAIRS = (400, 20) if os.environ.get("HYPOTHESIS_PROFILE") == "long" else (40, 8)


def generated() -> Iterator[tuple[random.Random, Trace]]:
    for seed in range(TRACES):
        rng = random.Random(seed)
        yield rng, random_trace(rng, rng.randrange(6, 40), rng.randrange(2, 5), valued=rng.random() < 0.6)


def possible(orders: Orders, earlier: int, later: int) -> bool:
    """The walk that a reader of the report makes (page/orders.js)."""
    reached, found = {earlier}, [earlier]
    while found:
        step = found.pop()
        fresh = {edge.second for edge in orders.edges if edge.first == step} - reached
        reached |= fresh
        found += fresh
    return later not in reached or (earlier, later) in orders.possible


def test_the_walk_answers_as_the_solver() -> None:
    answers = {True: 0, False: 0}
    for rng, trace in generated():
        orders = orders_of(trace, len(trace))
        assert orders is not None
        assert not orders.undecided
        model = model_of_trace(trace)
        for _ in range(PAIRS):
            earlier, later = sorted(rng.sample(range(len(trace)), 2))
            answer = ClosureSolver().decide(model, Question(constraints=(Before(later, earlier),)))
            expected = isinstance(answer, Feasible)
            assert possible(orders, earlier + 1, later + 1) is expected
            answers[expected] += 1
    assert min(answers.values()) > TRACES  # both answers are frequent


def test_edges_have_reasons() -> None:
    seen = set()
    for _, trace in generated():
        orders = orders_of(trace, len(trace))
        assert orders is not None
        for edge in orders.edges:
            assert edge.first < edge.second
            same = trace.thread[edge.first - 1] == trace.thread[edge.second - 1]
            assert (edge.reason is OrderReason.PROGRAM) == same
            seen.add(edge.reason)
    assert {OrderReason.PROGRAM, OrderReason.FORK, OrderReason.JOIN, OrderReason.LOCK, OrderReason.READ} <= seen


def test_of_a_long_execution_the_given_steps_are_asked_about() -> None:
    trace = random_trace(random.Random(1), 200, 3)
    orders = orders_of(trace, 150, first=(3, 7), most=20)
    assert orders is not None
    assert len(orders.steps) == 20
    assert {4, 8} < set(orders.steps)
    assert max(orders.steps) <= 150
