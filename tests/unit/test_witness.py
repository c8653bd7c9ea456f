"""The checker accepts exactly the orders that keep all constraints."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import pytest
from tests.oracle.drive import reach
from tests.oracle.generate import random_program
from tests.oracle.language import Lock, Read, SmallProgram, Unlock, Write
from tests.oracle.program import OracleProgram

from mazurka.causal.history import History
from mazurka.causal.question import Question
from mazurka.causal.search import SearchSolver
from mazurka.causal.solver import Answer, CausalModel, Feasible
from mazurka.explore import mcr
from mazurka.explore.mcr import ReadsFromSearch
from mazurka.program.protocol import Plan, Step
from mazurka.trace.event import Op
from mazurka.trace.trace import trace_of
from mazurka.witness import LivelockLasso, StuckThread, Witness, objections


def step(task: int, op: Op, target: str, value: Any = None) -> Step:
    return Step(task, op, (target,), 0, True, value)


def test_program_order_is_kept() -> None:
    trace = trace_of(["0"], [step(0, Op.WRITE, "x"), step(0, Op.WRITE, "y")])
    assert objections(trace, Witness((0, 1))) == []
    assert objections(trace, Witness((0,))) == []
    assert objections(trace, Witness((1,))) != []
    assert objections(trace, Witness((1, 0))) != []
    assert objections(trace, Witness((0, 0))) != []
    assert objections(trace, Witness((0, 1, 2))) == ["step 2 is not in the trace"]


def test_reads_keep_their_writes_or_their_values() -> None:
    log = [step(0, Op.WRITE, "x", 1), step(1, Op.WRITE, "x", 1), step(2, Op.READ, "x", 1), step(3, Op.WRITE, "x", 2)]
    trace = trace_of(["0", "0.1", "0.2", "0.3"], log)
    assert objections(trace, Witness((1, 0, 2))) == []
    assert objections(trace, Witness((0, 2))) == []
    assert objections(trace, Witness((0, 1, 3, 2))) == ["step 2 reads ('x',) from another write"]
    assert objections(trace, Witness((2,))) != []
    assert objections(trace, Witness((2,), frozenset({2}))) == []


def test_a_read_that_is_not_kept_must_be_the_last_of_its_thread() -> None:
    trace = trace_of(["0", "0.1"], [step(0, Op.WRITE, "x"), step(1, Op.READ, "x"), step(1, Op.WRITE, "y")])
    assert objections(trace, Witness((1, 2), frozenset({1}))) == ["step 1 has successors, so its reads matter"]


def test_locks_exclude() -> None:
    body = (Lock("l"), Read("a", "x"), Write("x", "a + 1"), Unlock("l"))
    run = OracleProgram(SmallProgram((body, body))).execute(Plan())
    trace = trace_of(run.tasks, run.log)
    first = [i for i, s in enumerate(run.log) if s.op in (Op.ACQUIRE, Op.RELEASE)]
    assert objections(trace, Witness(tuple(range(len(run.log))))) == []
    overlapping = [i for i in range(len(run.log)) if i != first[1]]
    assert any("while thread" in text for text in objections(trace, Witness(tuple(overlapping))))


def test_rounds_are_alike() -> None:
    rounds = [step(1, Op.WRITE, "x", 1), step(1, Op.READ, "x", 1)] * 2
    log = [step(0, Op.WRITE, "y", 0), *rounds, step(1, Op.WRITE, "x", 2), step(1, Op.READ, "x", 2)]
    trace = trace_of(["0", "0.1"], log)
    waits = (StuckThread("0", Op.JOIN, ("thread", "0.1")),)

    def said(end: int, claim: LivelockLasso) -> list[str]:
        return objections(trace, Witness(tuple(range(end)), claim=claim))

    assert said(5, LivelockLasso(2, waits)) == []
    assert said(5, LivelockLasso(2, ())) == ["the claim has no reason why thread 0 could not go on"]
    for end, steps in ((5, 1), (4, 2), (5, 3), (5, 0), (7, 2)):
        assert said(end, LivelockLasso(steps, waits)) == [f"the last {steps} steps do not repeat the steps before them"]


def test_agrees_with_what_the_program_does() -> None:
    """For every order of a small trace: a witness leads, on the program, to the same steps with the same reads."""
    program = SmallProgram(((Write("x", "1"), Read("a", "y")), (Write("y", "1"), Read("b", "x"))))
    run = OracleProgram(program).execute(Plan())
    trace = trace_of(run.tasks, run.log)
    points = [i for i, s in enumerate(run.log) if s.point]
    start = tuple(i for i in range(min(points)))
    believed = set()
    for order in permutations(points):
        if objections(trace, Witness((*start, *[i for i in order if i in points]))):
            continue
        believed.add(order)
        again = OracleProgram(program).execute(Plan(tuple(run.tasks[run.log[i].task] for i in order)))
        assert again.result == run.result
    assert believed


def test_believes_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Orders that the explorer's solver gives are witnesses; the checker shares no code with it."""
    monkeypatch.setattr(mcr, "_MOMENT", math.inf)  # the queries are about the last run
    checked = 0

    class Checked:
        name = "checked"

        def __init__(self) -> None:
            self.solver = SearchSolver()

        def decide(self, history: CausalModel, query: Question) -> Answer:
            assert isinstance(history, History)
            nonlocal checked
            answer = self.solver.decide(history, query)
            if isinstance(answer, Feasible):
                order = tuple(i for i in answer.order if i < len(history.numbers))
                assert objections(traces[-1], Witness(order)) == []
                checked += 1
            return answer

    traces: list[Any] = []

    class Recording(ReadsFromSearch):
        def observe(self, seed: Any, run: Any) -> None:
            traces.append(trace_of(run.tasks, run.log))
            super().observe(seed, run)

    for number in range(40):
        reach(random_program(number), lambda: Recording(Checked(), repeats=True))
    assert checked > 200
