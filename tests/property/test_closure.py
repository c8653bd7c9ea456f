"""`closure` answers as the definition does, as z3 does, and as the explorers' search does; its orders and its reasons
hold."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields
from typing import Any

import pytest
from tests.oracle.benchmarks import REFERENCES
from tests.oracle.drive import Unfinished, reach
from tests.oracle.traces import Reorderings, random_knot, random_log, random_puzzle, random_questions
from tests.property.causal_histories import check_order, random_query

from mazurka.causal.closure import Closure, ClosureSolver, close
from mazurka.causal.explain import ConflictReasons
from mazurka.causal.history import INITIAL, History
from mazurka.causal.model import Model, model_of_history
from mazurka.causal.model_from_trace import model_of_trace
from mazurka.causal.question import Question, Sees
from mazurka.causal.search import SearchSolver
from mazurka.causal.solver import Answer, CausalModel, Feasible, Infeasible
from mazurka.causal.z3 import Z3Solver
from mazurka.explore.mcr import ReadsFromSearch
from mazurka.program.protocol import Step
from mazurka.trace.event import Op
from mazurka.trace.trace import trace_of

#: Generated traces; each is asked about ten questions.
TRACES = 12_000 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 400


def generated(seeds: range, longest: int = 12) -> Iterator[tuple[list[Step], bool, Model, list[Question]]]:
    for seed in seeds:
        rng = random.Random(seed)
        branching = rng.random() < 0.5
        log = random_log(rng, rng.randrange(4, longest), rng.randrange(2, 5), rng.random() < 0.7, branching)
        if log:
            model = model_of_trace(trace_of(list("01234"), log), branching)
            yield log, branching, model, random_questions(rng, log)


class Contrary(Closure):
    """Tries the least likely order first, so that it has to learn from contradictions."""

    def _guess(self) -> Answer | None:
        return None

    def _sources(self, read: int, found: ConflictReasons | None = None) -> list[int]:
        return super()._sources(read, found)[::-1]

    def _undecided(self) -> tuple[int, int]:
        first, second = super()._undecided()
        return second, first


@pytest.mark.parametrize(("kind", "longest"), [(Closure, 12), (Contrary, 20)])
def test_answers_are_those_of_the_definition(kind: type[Closure], longest: int) -> None:
    kinds: Counter[str] = Counter()
    for log, branching, model, questions in generated(range(TRACES), longest):
        reorderings, closure = Reorderings(log, branching), kind(model)
        for question in questions:
            answer = closure.decide(question)
            kinds[type(answer).__name__] += 1
            assert isinstance(answer, Feasible) == reorderings.answers(question), (log, branching, question, answer)
            if isinstance(answer, Feasible):
                assert reorderings.objection(answer.order, question) == "", (log, branching, question, answer)
    assert sum(kinds.values()) > 8 * TRACES
    assert min(kinds["Feasible"], kinds["Infeasible"]) > TRACES
    assert kinds["Unknown"] == 0


@pytest.mark.sampled
@pytest.mark.parametrize("kind", [Closure, Contrary])
@pytest.mark.parametrize("locks", [False, True], ids=["sources", "locks"])
def test_what_contradictions_teach_is_true(kind: type[Closure], locks: bool) -> None:
    """On questions made to lead to contradictions."""
    rng = random.Random(6)
    hard = 0
    while hard < TRACES // (5 if locks else 25):
        log, question = random_puzzle(rng, 4, 14) if locks else random_knot(rng, 15, 4)
        closure = kind(model_of_trace(trace_of(list("01234567"), log)))
        answer = closure.decide(question)
        if closure.contradictions > 1:
            hard += 1
            assert isinstance(answer, Feasible) == Reorderings(log, False).answers(question), (log, question, answer)


def test_answers_are_those_of_z3() -> None:
    z3 = Z3Solver()
    for log, _, model, questions in generated(range(20_000, 20_000 + TRACES // 20), longest=18):
        closure = Closure(model)
        for question in questions:
            assert type(closure.decide(question)) is type(z3.decide(model, question)), (log, question)


def test_a_read_sees_one_of_several_writes() -> None:
    """`closure` tries one after the other, z3 leaves it open; both tell which one it is."""
    z3, kinds = Z3Solver(), Counter[str]()
    for log, branching, model, _ in generated(range(50_000, 50_000 + TRACES // 4), longest=14):
        rng, reorderings, closure = random.Random(len(log)), Reorderings(log, branching), ClosureSolver()
        reads = [i for i, step in enumerate(log) if step.op is Op.READ]
        for read in rng.sample(reads, min(3, len(reads))):
            target = log[read].target
            writes = [i for i, step in enumerate(log) if step.op is Op.WRITE and step.target == target]
            sources = tuple(rng.sample([INITIAL, *writes], rng.randint(1, min(2, len(writes) + 1))))
            question = Question(tuple(rng.choices(range(len(log)), k=3)), constraints=(Sees(read, target, sources),))
            expected = reorderings.answers(question)
            for solver in (closure, z3):
                answer = solver.decide(model, question)
                kinds[type(answer).__name__] += 1
                assert isinstance(answer, Feasible) == expected, (log, question, answer)
                if isinstance(answer, Feasible):
                    assert answer.model is not None
                    told = Question(question.happen, constraints=(Sees(read, target, answer.model.sources),))
                    assert reorderings.answers(told), (log, told, answer)
    assert min(kinds["Feasible"], kinds["Infeasible"]) > 30


def test_a_question_pushed_is_part_of_those_asked_then() -> None:
    for log, _, model, questions in generated(range(30_000, 30_000 + TRACES // 10)):
        closure, rng = Closure(model), random.Random(len(log))
        pushed, asked = rng.choice(questions), rng.choice(questions)
        joined = Question(*(a + b for a, b in zip(_parts(pushed), _parts(asked), strict=True)))
        reads = [each.read for each in joined.constraints if isinstance(each, Sees)]
        if len(set(reads)) < len(reads):
            continue
        alone = Closure(model).decide(joined)
        closure.push(pushed)
        assert type(closure.decide(asked)) is type(alone), (log, pushed, asked)
        closure.pop()
        assert type(closure.decide(asked)) is type(Closure(model).decide(asked)), (log, pushed, asked)


def _parts(question: Question) -> tuple[Any, ...]:
    return tuple(getattr(question, part.name) for part in fields(question))


@pytest.mark.parametrize(("kind", "longest"), [(Closure, 14), (Contrary, 40)])
def test_explorers_queries_are_answered_as_by_search(kind: type[Closure], longest: int) -> None:
    rng = random.Random(3)
    feasible = 0
    for _ in range(2_000):
        history, query = random_query(rng, longest, 4)
        model, asked = model_of_history(history, query)
        answer, expected = kind(model).decide(asked), SearchSolver().decide(history, query)
        assert type(answer) is type(expected), (history.reads, query)
        if isinstance(answer, Feasible):
            check_order(history, query, answer.order)
            feasible += 1
    assert 300 < feasible < 1_700


def test_a_reason_is_enough_to_make_it_impossible() -> None:
    """Whatever other reads may see: keeping the sources in the reason can't be."""
    rng = random.Random(4)
    reasons = 0
    while reasons < 200:
        history, query = random_query(rng, 14, 4)
        answer = close(history, query)
        if not isinstance(answer, Infeasible):
            continue
        assert answer.because is not None
        kept = {read for _, read in answer.because.sources}
        model, asked = model_of_history(history, query)
        for read, event in enumerate(model.read_event):
            if model.rank[event] not in kept:
                model.read_sync[read] = 0  # its guard is 0, so it counts no more
        assert isinstance(Closure(model).decide(asked), Infeasible)
        reasons += 1


class _Compares:
    """Answers an exploration's queries and has them answered by closure, too."""

    name = "compares"

    def __init__(self) -> None:
        self.search = SearchSolver()
        self.queries = 0

    def decide(self, history: CausalModel, query: Question) -> Answer:
        assert isinstance(history, History)
        answer, other = self.search.decide(history, query), close(history, query)
        self.queries += 1
        assert type(answer) is type(other), query
        if isinstance(other, Feasible):
            check_order(history, query, other.order)
        return answer


@pytest.mark.slow
def test_queries_of_the_benchmarks_are_answered_as_by_search() -> None:
    queries = 0
    for reference in REFERENCES.values():
        solver = _Compares()
        with suppress(Unfinished):
            reach(reference.make(), lambda solver=solver: ReadsFromSearch(solver), limit=40)
        queries += solver.queries
    assert queries > 2_000


def test_gives_up_when_told() -> None:
    rng = random.Random(11)
    answers = Counter(type(close(*random_query(rng, 40, 4), limit=0)).__name__ for _ in range(200))
    assert answers["Infeasible"]
    assert answers["Feasible"]
