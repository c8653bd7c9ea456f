"""The worked example of docs/explanation/closure.md, and the patent's figures that the model decides."""

from __future__ import annotations

import pytest

from mazurka.causal.closure import Closure
from mazurka.causal.history import INITIAL
from mazurka.causal.model_from_trace import model_of_trace
from mazurka.causal.question import Before, Question, Sees
from mazurka.causal.solver import Feasible, Infeasible, UnsatCore
from mazurka.causal.z3 import Z3Solver
from mazurka.program.protocol import Step
from mazurka.trace.event import Op
from mazurka.trace.trace import trace_of

A1, A2, B1, B2, C1, C2 = range(6)

EXAMPLE = [(0, "w", "x"), (0, "r", "y"), (1, "w", "y"), (1, "r", "x"), (2, "w", "x"), (2, "r", "x")]

_OPS = {"r": Op.READ, "w": Op.WRITE, "acq": Op.ACQUIRE, "rel": Op.RELEASE, "br": Op.BRANCH}
_OPS |= {"fork": Op.FORK, "begin": Op.BEGIN, "end": Op.END, "join": Op.JOIN}


def closure_of(rows: list[tuple[object, ...]], branches: bool = False) -> Closure:
    """Rows are (thread, operation, target) and perhaps a value."""
    log = [Step(t, _OPS[op], target, 0, True, *value) for t, op, target, *value in rows]  # type: ignore[index]
    return Closure(model_of_trace(trace_of([str(t) for t in range(3)], log), branches))


def kept(*reads: tuple[int, str, int]) -> Question:
    return Question((A2, B2, C2), constraints=tuple(Sees(read, target, (write,)) for read, target, write in reads))


def test_the_first_question_of_the_example() -> None:
    answer = closure_of(EXAMPLE).decide(kept((A2, "y", B1), (B2, "x", A1), (C2, "x", C1)))
    assert answer == Feasible((A1, B1, A2, B2, C1, C2))


def test_the_second_question_of_the_example() -> None:
    answer = closure_of(EXAMPLE).decide(kept((A2, "y", INITIAL), (B2, "x", INITIAL), (C2, "x", C1)))
    assert answer == Infeasible(UnsatCore(((INITIAL, A2), (INITIAL, B2))))


# The patent's FIG. 1 and 4: a fork, two sections of a lock, a branch on the value read, a join.
FORK, ACQ1, W_X, W_Y, REL1, BEGIN, ACQ2, R_Y, REL2, R_X, BRANCH, W_Z, END, JOIN, R_Z = range(15)
PATENT = [
    (0, "fork", ("thread", "1")),
    (0, "acq", "l"),
    (0, "w", "x", 1),
    (0, "w", "y", 1),
    (0, "rel", "l"),
    (1, "begin", ("thread", "1")),
    (1, "acq", "l"),
    (1, "r", "y", 1),
    (1, "rel", "l"),
    (1, "r", "x", 1),
    (1, "br", ("branch",)),
    (1, "w", "z", 1),
    (1, "end", ("thread", "1")),
    (0, "join", ("thread", "1")),
    (0, "r", "z", 1),
]


@pytest.mark.parametrize(("pair", "races"), [((W_X, R_X), True), ((W_Y, R_Y), False), ((W_Z, R_Z), False)])
def test_only_the_race_of_the_patents_example_is_one(pair: tuple[int, int], races: bool) -> None:
    closure = closure_of(PATENT, branches=True)
    question = Question(next=pair)
    assert isinstance(closure.decide(question), Feasible) is races
    assert isinstance(Z3Solver().decide(closure.model, question), Feasible) is races


def test_without_branches_the_race_depends_on_what_was_read() -> None:
    """Every read may have been followed by a branch then, also that of y, which is under the lock."""
    rows = [row for row in PATENT if row[1] != "br"]
    assert isinstance(closure_of(rows).decide(Question(next=(W_X, R_X))), Infeasible)


@pytest.mark.parametrize("branch", [False, True])
def test_a_read_counts_only_for_what_a_branch_guards(branch: bool) -> None:
    """FIG. 2: x is written, y is written; y is read, in a loop's test or not, and x is read."""
    rows: list[tuple[object, ...]] = [(0, "w", "x", 1), (0, "w", "y", 1), (1, "r", "y", 1)]
    rows += [(1, "br", ("branch",))] * branch + [(1, "r", "x", 1)]
    answer = closure_of(rows, branches=True).decide(Question(next=(0, len(rows) - 1)))
    assert isinstance(answer, Infeasible if branch else Feasible)


def test_two_threads_about_to_block_each_other_are_a_deadlock() -> None:
    """What follows can't be placed; the patent's encoding, which places all events, has no answer."""
    rows: list[tuple[object, ...]] = [(0, "acq", "l"), (0, "acq", "m"), (0, "rel", "m"), (0, "rel", "l")]
    rows += [(1, "acq", "m"), (1, "acq", "l"), (1, "rel", "l"), (1, "rel", "m")]
    assert isinstance(closure_of(rows).decide(Question(next=(1, 5))), Feasible)
    assert isinstance(closure_of(rows).decide(Question(happen=(0, 4), next=(1, 5))), Feasible)
    assert isinstance(closure_of(rows).decide(Question(constraints=(Before(0, 4), Before(4, 2)))), Infeasible)
