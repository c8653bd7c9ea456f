"""The worked examples of the patent "Maximal Causal Model With Control Flow" (FIG. 1, 2, 4 and 6): the races that it
says there are, and only those. Rows are the figures' line numbers less one.

FIG. 1 and 4 are a program and its trace. Of FIG. 2 both cases are traced, which differ in a branch. FIG. 6 is there for
the implicit branch where an array is indexed with a value that was read.
"""

from __future__ import annotations

from typing import Any

import pytest
from tests.oracle.predictable import Predictable

from mazurka.predict.engines import EngineRun, run
from mazurka.predict.kinds.registry import ENGINES
from mazurka.program.protocol import Step
from mazurka.trace.columns import assemble, parts_of
from mazurka.trace.event import Op
from mazurka.trace.trace import Trace, trace_of
from mazurka.witness import Checker

_T1, _T2 = 0, 1

_FORK = (_T1, Op.FORK, ("thread", "t2"), None)
_ACQUIRE = (_T1, Op.ACQUIRE, ("lock", "l"), None)


def _trace(*events: tuple[int, Op, Any, Any]) -> Trace:
    steps = [Step(thread, op, target, number, True, value) for number, (thread, op, target, value) in enumerate(events)]
    return assemble(parts_of(trace_of(["t1", "t2"], steps)))


def _var(name: str) -> tuple[str, str]:
    return "var", name


_BRANCH = ("none", "")

_FIGURE_4 = (
    (_T1, Op.WRITE, _var("x"), 1),
    (_T1, Op.WRITE, _var("y"), 1),
    (_T1, Op.RELEASE, ("lock", "l"), None),
    (_T2, Op.BEGIN, ("thread", "t2"), None),
    (_T2, Op.ACQUIRE, ("lock", "l"), None),
    (_T2, Op.READ, _var("y"), 1),
    (_T2, Op.RELEASE, ("lock", "l"), None),
    (_T2, Op.READ, _var("x"), 1),
    (_T2, Op.BRANCH, _BRANCH, None),
    (_T2, Op.WRITE, _var("z"), 1),
    (_T2, Op.END, ("thread", "t2"), None),
    (_T1, Op.JOIN, ("thread", "t2"), None),
    (_T1, Op.READ, _var("z"), 1),
    (_T1, Op.BRANCH, _BRANCH, None),
)


def _figure_2(*branches: Any) -> Trace:
    """``y`` is volatile: it does not race."""
    volatile = ("atomic", "y")
    return _trace(
        (_T1, Op.WRITE, _var("x"), 1),
        (_T1, Op.WRITE, volatile, 1),
        (_T2, Op.READ, volatile, 1),
        *branches,
        (_T2, Op.READ, _var("x"), 1),
        (_T2, Op.BRANCH, _BRANCH, None),
    )


_IN_LOOP = (_T2, Op.BRANCH, _BRANCH, None)

_FIGURE_6 = (
    (_T1, Op.ACQUIRE, ("lock", "l"), None),
    (_T1, Op.READ, _var("x"), 0),
    (_T1, Op.BRANCH, _BRANCH, None),  # which element follows depends on x
    (_T1, Op.WRITE, _var("a[0]"), 1),
    (_T1, Op.RELEASE, ("lock", "l"), None),
    (_T2, Op.ACQUIRE, ("lock", "l"), None),
    (_T2, Op.WRITE, _var("x"), 1),
    (_T2, Op.RELEASE, ("lock", "l"), None),
    (_T2, Op.WRITE, _var("a[0]"), 1),
)

_CASES = {
    "figures 1 and 4": (_trace(_FORK, _ACQUIRE, *_FIGURE_4), {(2, 9)}),
    "figure 1, lines 1 and 2 switched": (_trace(_ACQUIRE, _FORK, *_FIGURE_4), set()),
    "figure 2, r1 = y": (_figure_2(), {(0, 3)}),
    "figure 2, while (y == 0)": (_figure_2(_IN_LOOP), set()),
    "figure 6": (_trace(*_FIGURE_6), set()),
    "figure 6 without its implicit branch": (_trace(*_FIGURE_6[:2], *_FIGURE_6[3:], _IN_LOOP), {(2, 7)}),
}


@pytest.mark.parametrize("engine", ["maximal", "auto", "seqcheck"])
@pytest.mark.parametrize("case", _CASES)
def test_the_races_and_only_those(case: str, engine: str) -> None:
    trace, expected = _CASES[case]
    found = list(run(EngineRun(trace), engine, ("race", "deadlock")))
    assert {bug.rows for bug in found} == expected
    assert all(Checker(trace).objections(bug.witness) == [] for bug in found)


@pytest.mark.parametrize("case", _CASES)
def test_the_oracle_agrees(case: str) -> None:
    trace, expected = _CASES[case]
    atomic = {row for row, target in enumerate(trace.target) if trace.targets[target][0] == "atomic"}
    assert {pair for pair in Predictable(trace).races() if not atomic & set(pair)} == expected


def test_figure_1_needs_the_branches() -> None:
    """Without them every read may decide what follows: CP and HB are right that nothing is to be seen."""
    events = [event for event in (_FORK, _ACQUIRE, *_FIGURE_4) if event[1] is not Op.BRANCH]
    for engine in ENGINES:
        assert list(run(EngineRun(_trace(*events)), engine, ("race",))) == []
