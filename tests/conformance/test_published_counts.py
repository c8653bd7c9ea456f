"""Programs of the literature, with the counts other tools report: dpor-rf executes as many runs as there are reads-from
classes, dpor as there are Mazurkiewicz traces, mcr as there are combinations of read values, and all reach the outcomes
that the oracle gives."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any, Final

import pytest
from tests.oracle.benchmarks import REFERENCES, account_checked, dead_lock, rv_example_checked, string_buffer
from tests.oracle.drive import reach
from tests.oracle.enumerate import (
    Everything,
    everything,
    final_states,
    interleavings,
    mazurkiewicz_classes,
    reads_from_classes,
)
from tests.oracle.program import OracleProgram

from mazurka.explore.explorer import Explorer
from mazurka.explore.outcome import Verified, Violation
from mazurka.program.protocol import FailureKind

#: The ten final values of (x, y) and whether the error was reached, under sequential consistency.
RV_FINAL_STATES = {
    (0, 1, 0),
    (0, 2, 0),
    (1, 1, 0),
    (1, 2, 0),
    (2, 1, 0),
    (2, 1, 1),
    (2, 2, 0),
    (2, 2, 1),
    (2, 3, 0),
    (2, 3, 1),
}

SMALL = sorted(name for name, reference in REFERENCES.items() if not reference.large)

#: Those that take a strategy several seconds, and those that take the oracle so long.
_SLOW = {"Account(3)": pytest.mark.long, "PingPong(4)": pytest.mark.long, "Counter(4)": pytest.mark.slow}
_SLOW_TO_ENUMERATE = dict.fromkeys(("Counter(4)", "RVExample", "fib(4)", "locked(5)", "racyc(4)"), pytest.mark.long)


def _marked(names: Iterable[str], marks: dict[str, Any]) -> list[Any]:
    return [pytest.param(name, marks=marks.get(name, ())) for name in sorted(names)]


@functools.cache
def _by_writes(name: str) -> tuple[Everything, int, int, int]:
    """The results of dpor-rf, which several tests look at: all outcomes; executions, those followed, those repeated."""
    reached = reach(REFERENCES[name].make(), "dpor-rf")
    return reached.everything, reached.executions, reached.followed, reached.strategy.counters.repeated


@pytest.mark.sampled
@pytest.mark.parametrize("name", _marked(REFERENCES, _SLOW))
def test_dpor_rf_runs_as_many_as_published(name: str) -> None:
    reference = REFERENCES[name]
    _, executions, followed, repeated = _by_writes(name)
    assert repeated == 0
    assert followed == executions
    if reference.rf is not None:
        assert executions == reference.rf


#: Programs with critical sections that commute, which `dpor` takes for single events: of these there are fewer classes.
#: In the second it takes sections for such until its second execution contradicts that, and begins again: 2 and 3.
_OF_SECTIONS: Final = {"Allocation(4,1,2)": 4, "StringBuffer": 5}


@pytest.mark.sampled
@pytest.mark.parametrize("name", SMALL)
def test_dpor_runs_as_many_as_published(name: str) -> None:
    reference = REFERENCES[name]
    program = reference.make()
    reached = reach(program, "dpor")
    classes = _OF_SECTIONS.get(name) or reference.maz or mazurkiewicz_classes(program)
    assert reached.followed == reached.executions == classes
    assert reached.strategy.incompleteness_reason() == ""
    if reached.executions < 100:
        assert reached.everything == everything(program)
        assert reference.rf is None or _by_writes(name)[1] == reference.rf


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["indexer(12)", "lastwrite(5)", "nwr(5)", pytest.param("racyc(5)", marks=pytest.mark.long), "readers(8)"]
)
def test_dpor_runs_as_many_as_published_in_large_programs(name: str) -> None:
    reference = REFERENCES[name]
    reached = reach(reference.make(), "dpor")
    assert reached.followed == reached.executions == reference.maz


@pytest.mark.sampled
@pytest.mark.parametrize("name", _marked(SMALL, _SLOW_TO_ENUMERATE))
def test_the_oracle_counts_as_published_and_all_is_reached(name: str) -> None:
    reference = REFERENCES[name]
    program = reference.make()
    classes = reads_from_classes(program)
    if reference.rf is not None:
        assert classes == reference.rf
    if reference.maz is not None:
        assert mazurkiewicz_classes(program) == reference.maz
    answer, by_values = everything(program), reach(program, "mcr")
    by_writes, executions, _, _ = _by_writes(name)
    assert executions == classes
    assert len(by_values.everything.reads) <= by_values.executions <= classes
    for reached in (by_writes, by_values.everything):
        assert reached.reads == answer.reads
        assert reached.deadlocks == answer.deadlocks


def _rv(finals: Iterable[Any]) -> set[tuple[int, int, int]]:
    error = rv_example_checked().code[2].names.index("e")
    return {(dict(shared)["x"], dict(shared)["y"], values[2][error]) for shared, values, *_ in finals}


def test_rv_example_has_ten_final_states() -> None:
    program = rv_example_checked()
    assert _rv(final_states(program)) == RV_FINAL_STATES
    assert _rv(reach(program, "mcr").everything.finals) == RV_FINAL_STATES


@pytest.mark.long
def test_rv_example_by_depth_first_search() -> None:
    """All interleavings of its points; the oracle's state graph says how many there are."""
    program = rv_example_checked()
    reached = reach(program, "dfs", limit=200_000)
    assert reached.executions == interleavings(program) == 107_714
    assert _rv(reached.everything.finals) == RV_FINAL_STATES


@pytest.mark.parametrize("strategy", ["mcr", "dfs"])
@pytest.mark.parametrize(
    ("name", "kind"),
    [("account", FailureKind.ASSERTION), ("deadlock", FailureKind.DEADLOCK), ("buffer", FailureKind.ASSERTION)],
)
def test_known_bugs_are_found(strategy: str, name: str, kind: FailureKind) -> None:
    program = {"account": account_checked(2), "deadlock": dead_lock(), "buffer": string_buffer()}[name]
    outcome = Explorer(OracleProgram(program), strategy).run()
    assert isinstance(outcome.verdict, Violation)
    assert outcome.verdict.first.failure.kind is kind
    if strategy == "mcr":
        assert outcome.executions <= 5  # few deviations first


def test_correct_programs_are_verified() -> None:
    for name in ("locked(4)", "Airline(4)", "WaitNotify", "Pool107"):
        outcome = Explorer(OracleProgram(REFERENCES[name].make())).run()
        assert isinstance(outcome.verdict, Verified), (name, outcome.verdict)
