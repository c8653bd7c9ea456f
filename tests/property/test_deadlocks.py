"""Deadlocks of threads that take locks in one another, join one another and wait on conditions: all reported ones are
real, and those that only an exhaustive search finds are counted as undecided."""

from __future__ import annotations

import os
import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from tests.drawn import some_of
from tests.oracle.monitors import random_monitors
from tests.oracle.predictable import Predictable

from mazurka.predict.engines import COMMUNICATION, EngineRun, run
from mazurka.predict.kinds.registry import DEADLOCK
from mazurka.trace.event import Op
from mazurka.trace.trace import Trace
from mazurka.witness import Checker, Deadlocks, Witness

#: Traces per test run; ``make test-long`` asks for five hundred.
_TRACES = {"long": 500}.get(os.environ.get("HYPOTHESIS_PROFILE", ""), some_of(100))

#: Where another notification than in the trace ends a wait, or may end it too early.
_WOKEN_OTHERWISE = (130, 595, 704, 1030, 1152, 2937)


def _knot(seed: int) -> Trace:
    """A trace each of whose events has a place of its own."""
    trace = random_monitors(random.Random(seed), bool(seed & 1), bool(seed & 2), knotted=seed % 4 != 3)
    return replace(trace, site=np.arange(len(trace)))


@pytest.mark.parametrize("engine", ["auto", "maximal"])
def test_deadlocks_are_those_of_the_oracle_or_undecided(engine: str) -> None:
    met: Counter[str] = Counter()
    for seed in (*range(_TRACES), *_WOKEN_OTHERWISE):
        trace = _knot(seed)
        oracle, checker, search = Predictable(trace), Checker(trace), EngineRun(trace)
        every, standstills = oracle.deadlocks(), oracle.communication_deadlocks()
        circles = {one for one in every if not any(other < one for other in every)}
        bugs = list(run(search, engine, (DEADLOCK,)))
        assert all(checker.objections(bug.witness) == [] for bug in bugs), seed
        found = {frozenset(bug.rows) for bug in bugs if bug.stage != COMMUNICATION}
        assert found <= every, seed
        waits = _waits(trace, [one for one in standstills if not any(circle <= one for circle in circles)])
        told = _waits(trace, [frozenset(bug.rows) for bug in bugs if bug.stage == COMMUNICATION])
        assert told <= _waits(trace, standstills), seed
        undecided = sum(stage.undecided for stage in search.stages if stage.name != "seqcheck")
        assert undecided or (circles <= found and waits <= told), seed
        met["circles"] += len(circles)
        met["joins"] += sum(bool((trace.op[list(circle)] == Op.JOIN).any()) for circle in circles)
        met["waits"] += len(waits)
        met["undecided"] += bool(undecided)
    assert met["joins"] > _TRACES / 10
    assert met["circles"] - met["joins"] > _TRACES / 25
    assert met["waits"] > _TRACES / 3
    assert met["undecided"] - len(_WOKEN_OTHERWISE) < _TRACES / 50


def _waits(trace: Trace, standstills: list[frozenset[int]] | set[frozenset[int]]) -> set[int]:
    return {row for one in standstills for row in one if trace.op[row] == Op.WAIT}


def test_circles_that_are_none_are_not_believed() -> None:
    """Of the steps of a deadlock one less, in another order, or one that comes to something else."""
    refused: Counter[str] = Counter()
    for seed in range(60):
        trace = _knot(seed)
        oracle, checker, chance = Predictable(trace).deadlocks(), Checker(trace), random.Random(seed)
        for bug in run(EngineRun(trace), "maximal", (DEADLOCK,)):
            if bug.stage == COMMUNICATION:
                continue
            rows = bug.rows
            other = (*rows[:-1], chance.randrange(len(trace)))
            wrong = {"short": rows[:-1], "turned": rows[::-1] if len(rows) > 2 else (), "other": other}
            if frozenset(other) in oracle:
                del wrong["other"]
            for why, steps in wrong.items():
                witness: Witness = replace(bug.witness, claim=Deadlocks(steps))
                assert checker.objections(witness), (seed, why)
                refused[why] += 1
    assert min(refused.values()) > 5
