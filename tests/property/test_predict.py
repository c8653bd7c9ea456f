"""The predictions from a trace are those of the oracle: all of them by the complete engines, some by the others; and
each finding has a witness that the checker believes."""

from __future__ import annotations

import functools
import os
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import numpy as np
import pytest
from tests.drawn import some_of
from tests.oracle.monitors import random_monitors
from tests.oracle.predictable import Predictable
from tests.oracle.predictors import by_the_model
from tests.oracle.random_traces import random_trace

from mazurka.causal.solver import Unknown
from mazurka.predict import engines, fast_path
from mazurka.predict.deadlocks import lock_cycles
from mazurka.predict.engines import COMMUNICATION, EngineRun, run
from mazurka.predict.kinds.registry import DEADLOCK, ENGINES, KINDS
from mazurka.program.protocol import Step
from mazurka.report.finding import Finding
from mazurka.trace.columns import assemble, parts_of
from mazurka.trace.event import Op
from mazurka.trace.trace import Trace, trace_of
from mazurka.witness import (
    AtomicityViolation,
    Checker,
    CommunicationDeadlock,
    Deadlocks,
    OrderViolation,
    Races,
    Witness,
)
from mazurka.workflows import predicting
from mazurka.workflows.predicting import Numbered, Request, predict

#: Traces per test run; ``make test-long`` asks for ten thousand of each test.
_TRACES = {"long": 10_000}.get(os.environ.get("HYPOTHESIS_PROFILE", ""), 240)
_SHARE = 120
_LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"


def _traces(first: int) -> list[Trace]:
    """With and without branches, values, and freed places."""
    made = []
    for seed in range(first, first + _SHARE):
        rng = random.Random(seed)
        length, threads = rng.randrange(6, 18), rng.choice((2, 3, 3, 4))
        made.append(
            random_trace(rng, length, threads, branching=bool(seed & 1), valued=bool(seed & 2), freeing=bool(seed & 4))
        )
    return made


def _bugs(trace: Trace) -> dict[str, set[object]]:
    oracle = Predictable(trace)
    return {
        "race": set(oracle.races()),
        "deadlock": set(oracle.deadlocks()),
        "atomicity": set(oracle.atomicity_violations()),
        "order-violation": set(oracle.order_violations()),
        "call-order": set(),  # calls are in other traces: test_call_orders.py
    }


@functools.lru_cache(maxsize=2)  # most tests ask about the same traces
def _bugs_of(first: int) -> list[dict[str, set[object]]]:
    return [_bugs(trace) for trace in _traces(first)]


def _named(kind: str, rows: tuple[int, ...]) -> object:
    return frozenset(rows) if kind == "deadlock" else rows


@pytest.mark.parametrize("first", range(0, _TRACES, _SHARE))
def test_maximal_finds_exactly_what_is_predictable(first: int) -> None:
    met: Counter[str] = Counter()
    for trace, expected in zip(_traces(first), _bugs_of(first), strict=True):
        checker = Checker(trace)
        for kind in KINDS:
            found = set()
            for rows, answer in by_the_model(trace, kind):
                assert not isinstance(answer, Unknown)
                if isinstance(answer, Witness):
                    assert checker.objections(answer) == []
                    found.add(_named(kind, rows))
            assert found == expected[kind]
            met[kind] += len(found)
    assert met["race"] > _SHARE
    assert met["atomicity"] > _SHARE / 2
    assert met["order-violation"] > _SHARE / 4


@pytest.mark.parametrize("window", [4, 8])
def test_windows_only_lose(window: int) -> None:
    lost = 0
    for trace, expected in zip(_traces(0), _bugs_of(0), strict=True):
        checker = Checker(trace)
        for kind in KINDS:
            found, undecided = set(), False
            for rows, answer in by_the_model(trace, kind, window):
                undecided |= isinstance(answer, Unknown)
                if isinstance(answer, Witness):
                    assert checker.objections(answer) == []
                    found.add(_named(kind, rows))
            assert found <= expected[kind]
            lost += len(expected[kind] - found)
            assert undecided or found == expected[kind]
    assert lost > 0


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("engine", "very_long"), [*((engine, False) for engine in ENGINES if "race" in ENGINES[engine]), ("auto", True)]
)
def test_every_engine_tells_only_what_is_so_with_a_witness(
    engine: str, very_long: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that vindicate with the model find each racy event that they propose; ``auto`` finds all, also if it
    takes the traces for very long ones."""
    if very_long:
        monkeypatch.setattr(engines, "_LONG", 0)
    found: Counter[str] = Counter()
    for trace, expected in zip(_traces(0), _bugs_of(0), strict=True):
        checker, told = Checker(trace), {kind: set() for kind in KINDS}
        search = EngineRun(trace)
        for bug in run(search, engine, KINDS):
            assert checker.objections(bug.witness) == []
            if bug.stage == COMMUNICATION:
                assert Predictable(trace).is_communication_deadlock(frozenset(bug.rows))
                continue
            assert _named(bug.kind, bug.rows) in expected[bug.kind]
            told[bug.kind].add(bug.rows[-1])
            found[bug.kind] += 1
        if engine in ("auto", "maximal"):
            assert told["race"] == {rows[-1] for rows in expected["race"]}
            assert all(bool(told[kind]) == bool(expected[kind]) for kind in KINDS)
            assert search.stages[-1].undecided == 0
    assert found["race"] > _SHARE


@pytest.mark.slow
def test_long_traces_are_predicted_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    for trace in _traces(700_000)[: 60 if _LONG else some_of(20)]:
        request = Request("", "auto", tuple(KINDS))
        plain = predict(Numbered(trace), request)
        with monkeypatch.context() as patch:
            patch.setattr(engines, "_LONG", 0)
            patch.setattr(predicting, "_LONG", 0)
            long = predict(Numbered(trace), request)
        assert not plain.refused + long.refused
        assert {**long.counts, "race_pairs": 0} == {**plain.counts, "race_pairs": 0}
        assert {_about(each) for each in long.findings} == {_about(each) for each in plain.findings}


def _about(finding: Finding) -> tuple[str, ...]:
    return finding.kind, *sorted(event.target for event in finding.events)


def _writes(number: int) -> Trace:
    """Two threads that write one place, one after the other, so often each, and each time somewhere else."""
    log = [Step(thread, Op.WRITE, ("var", "x"), 0, True) for _ in range(number) for thread in (0, 1)]
    trace = assemble(parts_of(trace_of("ab", log)))
    return replace(trace, site=np.arange(len(trace)))


def test_each_event_is_asked_about_before_all_pairs_of_places() -> None:
    trace, questions = _writes(40), count()
    search = EngineRun(trace, expired=lambda: next(questions) >= len(trace))
    assert {bug.rows[-1] for bug in run(search, "auto", ("race",))} == set(range(1, len(trace)))
    assert search.stages[-1].undecided > 1_000


def test_it_is_the_number_of_questions_that_makes_compiled_code_worth_it() -> None:
    compiled: list[str] = []
    assert not EngineRun(_writes(40), compiles=lambda: compiled.append("short")).asks_much("race")
    assert not EngineRun(_writes(400), compiles=lambda: compiled.append("no deadlocks")).asks_much("deadlock")
    assert EngineRun(_writes(400), compiles=lambda: compiled.append("dense")).asks_much("race")
    assert compiled == ["dense"]


def test_the_search_for_circles_is_the_same_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    traces = _traces(0)
    interpreted = [list(lock_cycles.patterns_of(trace)) for trace in traces]
    monkeypatch.setattr(lock_cycles, "_COMPILE_FROM", 0)
    assert [list(lock_cycles.patterns_of(trace)) for trace in traces] == interpreted
    assert any(interpreted)


@pytest.mark.slow
def test_the_quick_check_is_the_same_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    traces = _traces(0)
    interpreted = [_candidates(trace) for trace in traces]
    monkeypatch.setattr(fast_path, "_COMPILE_FROM", 0)
    assert [_candidates(trace) for trace in traces] == interpreted
    assert sum(map(len, interpreted)) > _SHARE


def _candidates(trace: Trace) -> list[tuple[int, list[int]]]:
    found = fast_path.candidates_of(trace)
    needs = fast_path.needs_of(trace, list(range(0, len(trace), 3))).tolist()
    return [*((found.row[number], list(found.partners(number))) for number in range(len(found))), *enumerate(needs)]


def test_what_is_waited_for_is_respected() -> None:
    """Where threads wait on conditions. The model has stricter rules than the oracle: a notification keeps to the wait
    that it ended (test_closure.py holds the model to them)."""
    found: Counter[str] = Counter()
    for seed in range(_SHARE):
        rng = random.Random(seed)
        trace = random_trace(rng, rng.randrange(8, 22), rng.choice((2, 3, 4)), bool(seed & 1), bool(seed & 2), True)
        if Op.WAIT not in trace.op:
            continue
        expected, checker, told = _bugs(trace), Checker(trace), {}
        for engine in ("maximal", "auto", "seqcheck", "shb"):
            bugs = list(run(EngineRun(trace), engine, KINDS))
            assert all(checker.objections(bug.witness) == [] for bug in bugs), engine
            assert all(bug.stage == COMMUNICATION or _named(bug.kind, bug.rows) in expected[bug.kind] for bug in bugs)
            told[engine] = {(bug.kind, bug.rows[-1]) for bug in bugs if bug.kind == "race"}
            found[engine] += len(bugs)
        assert told["seqcheck"] | told["shb"] <= told["maximal"] == told["auto"]
    assert min(found[engine] for engine in ("maximal", "seqcheck")) > 20


def _monitors(seeds: int) -> Iterator[Trace]:
    for seed in range(seeds):
        yield random_monitors(random.Random(seed), bool(seed & 1), bool(seed & 2))


def test_communication_deadlocks_are_those_of_the_oracle() -> None:
    """All that is told of threads that wait for one another is so; little is missed: ends after a last read, which
    may or may not have been one."""
    met: Counter[str] = Counter()
    for trace in _monitors(2 * _TRACES):
        oracle, checker = Predictable(trace), Checker(trace)
        told, bugs = 0, list(run(EngineRun(trace), "maximal", (DEADLOCK,)))
        for bug in bugs:
            assert checker.objections(bug.witness) == []
            if bug.stage == COMMUNICATION:
                assert oracle.is_communication_deadlock(frozenset(bug.rows))
                told += Op.WAIT in trace.op[list(bug.rows)]
                for other in (bug.rows[1:], bug.rows[:-1], (*bug.rows[:-1], random.Random(told).randrange(len(trace)))):
                    if not oracle.is_communication_deadlock(frozenset(other)) or not other:
                        assert checker.objections(replace(bug.witness, claim=CommunicationDeadlock(other)))
                        met["refused"] += 1
        there = any(Op.WAIT in trace.op[list(rows)] for rows in oracle.communication_deadlocks())
        met["told"] += bool(told)
        met["there"] += there
        met["joins"] += any(bug.stage != COMMUNICATION and Op.JOIN in trace.op[list(bug.rows)] for bug in bugs)
        assert there or not told
    assert met["told"] > 0.97 * met["there"] > 100
    assert met["refused"] > 100
    assert met["joins"] > 3


@pytest.mark.sampled
@pytest.mark.parametrize("engine", ["auto", "syncp", "seqcheck", "maximal"])
def test_where_threads_wait_for_one_another_every_engine_is_right(engine: str) -> None:
    met: Counter[str] = Counter()
    for number, trace in enumerate(_monitors(_SHARE)):
        expected, checker = _bugs(trace), Checker(trace)
        for bug in run(EngineRun(trace, 6 if number % 3 == 0 else None), engine, KINDS):
            assert checker.objections(bug.witness) == []
            assert bug.stage == COMMUNICATION or _named(bug.kind, bug.rows) in expected[bug.kind]
            met[bug.kind] += 1
    assert met["race"] > 10


def test_what_is_not_so_is_not_believed() -> None:
    """Witnesses of what is predictable, with something else claimed, or in another order."""
    refused: Counter[str] = Counter()
    chance = random.Random(1)
    for trace, bugs in zip(_traces(0), _bugs_of(0), strict=True):
        checker = Checker(trace)
        for kind in KINDS:
            for witness in [answer for _, answer in by_the_model(trace, kind) if isinstance(answer, Witness)]:
                for why, spoilt in _spoilt(trace, bugs, witness, chance):
                    assert checker.objections(spoilt), f"believed although {why}: {spoilt}"
                    refused[why] += 1
    assert len(refused) == 7
    assert min(count for why, count in refused.items() if "waits" not in why) > 40, refused


def _spoilt(
    trace: Trace, bugs: dict[str, set[object]], witness: Witness, chance: random.Random
) -> Iterator[tuple[str, Witness]]:
    other, order = chance.randrange(len(trace)), witness.order
    match witness.claim:
        case Races(first, _):
            if (min(first, other), max(first, other)) not in bugs["race"]:
                yield "another event races", replace(witness, claim=Races(first, other))
        case Deadlocks(steps):
            if frozenset((*steps[:-1], other)) not in bugs["deadlock"]:
                yield "another event waits", replace(witness, claim=Deadlocks((*steps[:-1], other)))
        case AtomicityViolation(first, _, last):
            if (first, other, last) not in bugs["atomicity"]:
                yield "another event intrudes", replace(witness, claim=AtomicityViolation(first, other, last))
        case OrderViolation(first, second):
            if (first, other) not in bugs["order-violation"]:
                yield "another event comes late", replace(witness, claim=OrderViolation(first, other))
            if (other, second) not in bugs["order-violation"]:
                yield "another event comes early", replace(witness, claim=OrderViolation(other, second))
    for here in range(len(order) - 1):
        one, two = order[here : here + 2]
        if trace.thread[one] == trace.thread[two]:
            yield "a thread goes backwards", replace(witness, order=(*order[:here], two, one, *order[here + 2 :]))
            yield "a step is left out", replace(witness, order=(*order[:here], *order[here + 1 :]))
