"""The figures of "Sound and Efficient Concurrency Bug Prediction" (ESEC/FSE 2021): the bugs that their traces show in
another order, and only those. Rows are the figures' lines less one; each thread begins with a branch, as section 2.1
has it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from tests.oracle.predictable import Predictable
from tests.oracle.predictors import by_seqcheck

from mazurka.causal.solver import Infeasible
from mazurka.predict.kinds.registry import ATOMICITY, DEADLOCK
from mazurka.predict.seqcheck.engine import SeqCheck
from mazurka.predict.seqcheck.races import SeqCheckRaces
from mazurka.predict.seqcheck.scan import PAIR
from mazurka.program.protocol import Step
from mazurka.trace.columns import assemble, parts_of
from mazurka.trace.event import Op
from mazurka.trace.trace import Trace, trace_of
from mazurka.witness import AtomicityViolation, Checker, Ordered, Races, Witness

_OPS = {"acq": Op.ACQUIRE, "rel": Op.RELEASE, "rd": Op.READ, "wr": Op.WRITE, "br": Op.BRANCH}


def _trace(*lines: tuple[str, str]) -> Trace:
    """A trace of (thread, event) lines, after a branch of each thread."""
    names = sorted({thread for thread, _ in lines})
    log: list[Step] = [_step(names.index(thread), "br") for thread in names]
    log += [_step(names.index(thread), event) for thread, event in lines]
    return assemble(parts_of(trace_of(names, log)))


def _step(thread: int, event: str) -> Step:
    op, _, rest = event.partition("(")
    name = rest.rstrip(")")
    target: Any = ("none", "") if op == "br" else ("lock" if op in ("acq", "rel") else "var", name)
    return Step(thread, _OPS[op], target, 0, True, None)


def _figure_1() -> Trace:
    second = ["acq(l)", "rd(y)", "wr(x)", "rel(l)"]
    first = ["acq(l)", "rd(x)", "wr(x)", "rel(l)", "wr(y)"]
    return _trace(*[("t2", event) for event in second], *[("t1", event) for event in first])


def _figure_2(swapped: bool = False) -> Trace:
    """``swapped``: the figure's other trace, with lines 6 and 7 in the other order."""
    third = ["wr(y)", "acq(l2)", "wr(p)", "wr(x)", "rel(l2)"]
    if swapped:
        third[2], third[3] = third[3], third[2]
    first = ["acq(l1)", "rd(x)", "br", "wr(p)", "wr(y)", "rel(l1)"]
    second = ["acq(l1)", "rd(x)", "br", "rd(p)", "acq(l2)", "rd(y)", "rel(l2)", "rel(l1)"]
    return _trace(
        *[("t2", event) for event in ("acq(l2)", "wr(x)", "rel(l2)")],
        *[("t3", event) for event in third],
        *[("t1", event) for event in first],
        *[("t2", event) for event in second],
    )


def _row(trace: Trace, line: int) -> int:
    """The row of a line of a figure: after the branches that threads begin with."""
    return len(trace.threads) + line - 1


def _lines(trace: Trace, rows: Iterable[Iterable[int]]) -> set[tuple[int, ...]]:
    return {tuple(sorted(row - len(trace.threads) + 1 for row in each)) for each in rows}


def _races(trace: Trace) -> set[tuple[int, ...]]:
    check = SeqCheck(trace, complete_up_to=0)
    predictor = SeqCheckRaces(each=PAIR)
    found = list(predictor.races(check))
    assert predictor.undecided == predictor.unasked == 0
    for rows in found:
        witness = check.prove(Races(*rows))
        assert isinstance(witness, Witness)
        assert Checker(trace).objections(witness) == []
    assert set(found) == Predictable(trace).races()
    return _lines(trace, found)


def test_figure_1_has_one_race() -> None:
    """M2 takes it for none, since it has every read followed by a branch."""
    assert _races(_figure_1()) == {(2, 9)}


def test_figure_1_can_be_turned_round() -> None:
    trace = _figure_1()
    late, early = _row(trace, 9), _row(trace, 2)
    assert isinstance(SeqCheck(trace).prove(Ordered((late, early))), Witness)


def test_figure_1_without_branches_has_no_race() -> None:
    trace = _figure_1()
    columns = parts_of(trace)
    rows = next(columns.rows).select(slice(len(trace.threads), None))
    plain = assemble(type(columns)(columns.names, iter([rows])))
    assert list(SeqCheckRaces(each=PAIR).races(SeqCheck(plain))) == []
    assert isinstance(SeqCheck(plain, complete_up_to=0).prove(Ordered((8, 1))), Infeasible)


def test_figure_2_has_the_sequence_of_section_3() -> None:
    """A null pointer in the making: written by t3, read by t2, and only then written by t1."""
    trace = _figure_2()
    steps = tuple(_row(trace, line) for line in (6, 18, 12))
    witness = SeqCheck(trace, complete_up_to=0).prove(Ordered(steps))
    assert isinstance(witness, Witness)
    assert Checker(trace).objections(witness) == []


@pytest.mark.parametrize(
    ("swapped", "races"),
    [(False, {(2, 10), (7, 10), (7, 16)}), (True, {(2, 10), (6, 10), (6, 16), (7, 12), (7, 18)})],
)
def test_figure_2_has_these_races(swapped: bool, races: set[tuple[int, ...]]) -> None:
    """Lines 6 and 12 race only where line 6 has become line 7, after what t1 reads (section 2.3)."""
    assert _races(_figure_2(swapped)) == races


@pytest.mark.parametrize("trace", [_figure_1(), _figure_2(), _figure_2(swapped=True)])
def test_no_deadlocks_and_the_atomicity_violations_of_the_oracle(trace: Trace) -> None:
    oracle = Predictable(trace)
    assert not any(isinstance(answer, Witness) for _, answer in by_seqcheck(trace, DEADLOCK))
    assert oracle.deadlocks() == set()
    found = set()
    for rows, answer in by_seqcheck(trace, ATOMICITY):
        if isinstance(answer, Witness):
            assert isinstance(answer.claim, AtomicityViolation)
            assert Checker(trace).objections(answer) == []
            found.add(rows)
    assert found == oracle.atomicity_violations()
