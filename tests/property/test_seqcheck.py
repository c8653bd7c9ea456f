"""The findings of SeqCheck are those of the oracle: all of them in traces of two threads, some where there are more,
and its refutations are right. Each finding has a witness that the checker believes."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations, islice, pairwise, product

import pytest
from tests.oracle.predictable import UNSERIALISABLE, Predictable
from tests.oracle.random_traces import random_trace

from mazurka.causal.solver import Infeasible
from mazurka.predict.deadlocks.lock_cycles import cycles_of
from mazurka.predict.kinds.order_violation import order_violations_of
from mazurka.predict.seqcheck import decide as seqcheck_decide
from mazurka.predict.seqcheck import kernel as seqcheck_kernel
from mazurka.predict.seqcheck import races as seqcheck_races
from mazurka.predict.seqcheck.engine import SeqCheck, steps_of
from mazurka.predict.seqcheck.kernel import INTERPRETED, compiled
from mazurka.predict.seqcheck.races import SeqCheckRaces
from mazurka.predict.seqcheck.scan import EVENT, PAIR, PLACE
from mazurka.trace.event import WRITES, Op
from mazurka.trace.trace import Trace
from mazurka.witness import AtomicityViolation, Checker, Deadlocks, OrderViolation, Races, Witness
from mazurka.witness.witness import Claim

_LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"

#: Traces of each kind; ``make test-long`` asks for five thousand of each, by compiled code.
_TRACES = 5_000 if _LONG else 240

_KERNEL = compiled() if _LONG else INTERPRETED


def _traces(first: int, threads: tuple[int, ...], valued: bool) -> Iterator[Trace]:
    """Every other one with branches."""
    for seed in range(first, first + _TRACES):
        rng = random.Random(seed)
        yield random_trace(rng, rng.randrange(6, 18), rng.choice(threads), bool(seed & 1), valued)


def _claims(trace: Trace) -> Iterator[Claim]:
    for one, other in combinations(range(len(trace)), 2):
        ops = trace.op[one], trace.op[other]
        alike = trace.target[one] == trace.target[other] and trace.thread[one] != trace.thread[other]
        if alike and all(op in (Op.READ, Op.WRITE) for op in ops) and any(WRITES[op] for op in ops):
            yield Races(one, other)
    yield from map(Deadlocks, cycles_of(trace, joins=False))
    yield from _intruding(trace)


def _intruding(trace: Trace) -> Iterator[Claim]:
    """Claims, including some that are easily seen to be impossible."""
    accesses = [row for row in range(len(trace)) if trace.op[row] in (Op.READ, Op.WRITE)]
    for place, own in product({int(trace.target[row]) for row in accesses}, range(len(trace.threads))):
        here = [row for row in accesses if trace.target[row] == place]
        for first, last in pairwise([row for row in here if trace.thread[row] == own]):
            for between in here:
                written = tuple(WRITES[trace.op[row]] for row in (first, between, last))
                if trace.thread[between] != own and written in UNSERIALISABLE:
                    yield AtomicityViolation(first, between, last)


def _predictable(trace: Trace) -> set[tuple[str, frozenset[int]]]:
    oracle = Predictable(trace)
    kinds: tuple[tuple[str, Iterable[Iterable[int]]], ...] = (
        ("Races", oracle.races()),
        ("Deadlocks", oracle.deadlocks()),
        ("AtomicityViolation", oracle.atomicity_violations()),
    )
    return {(name, frozenset(rows)) for name, found in kinds for rows in found}


def _compare(trace: Trace, check: SeqCheck, met: Counter[str]) -> None:
    expected, checker = _predictable(trace), Checker(trace)
    for claim in _claims(trace):
        answer = check.prove(claim)
        kind = type(claim).__name__
        possible = (kind, frozenset(steps_of(claim))) in expected
        if isinstance(answer, Witness):
            assert checker.objections(answer) == []
        assert possible or not isinstance(answer, Witness)
        assert not possible or not isinstance(answer, Infeasible)
        met[f"{kind} {type(answer).__name__}"] += 1


@pytest.mark.parametrize("whole", [True, False])
def test_it_decides_every_question_about_two_threads(whole: bool) -> None:
    met: Counter[str] = Counter()
    for trace in _traces(0 if whole else 100_000, (2,), valued=False):
        _compare(trace, SeqCheck(trace, complete_up_to=0, whole=whole, kernel=_KERNEL), met)
    assert not [kind for kind in met if "Unknown" in kind]
    for kind in ("Races Witness", "Races Infeasible", "AtomicityViolation Witness", "AtomicityViolation Infeasible"):
        assert met[kind] > _TRACES / 3


@pytest.mark.parametrize("valued", [True, False])
def test_what_it_says_of_more_threads_is_true(valued: bool) -> None:
    met: Counter[str] = Counter()
    for trace in _traces(200_000, (3, 4), valued):
        _compare(trace, SeqCheck(trace, complete_up_to=0, whole=False, kernel=_KERNEL), met)
    assert met["Races Unknown"] < met["Races Witness"] / (4 if valued else 100)
    assert met["Deadlocks Witness"] + met["Deadlocks Infeasible"] > 0


@pytest.mark.parametrize("whole", [True, False])
def test_what_is_updated_orders_threads(whole: bool) -> None:
    met: Counter[str] = Counter()
    for seed in range(700_000, 700_000 + _TRACES // 4):
        rng = random.Random(seed)
        trace = random_trace(rng, rng.randrange(6, 18), 2, updating=True)  # without branches: such reads always count
        _compare(trace, SeqCheck(trace, complete_up_to=0, whole=whole, kernel=_KERNEL), met)
    assert met["Races Witness"] > 0 < met["Races Infeasible"]


def test_with_the_complete_solver_nothing_is_unknown() -> None:
    met: Counter[str] = Counter()
    for trace in _traces(300_000, (2, 3), valued=True):
        _compare(trace, SeqCheck(trace, kernel=_KERNEL), met)
    assert not [kind for kind in met if "Unknown" in kind]


def test_a_pass_finds_all_races_or_one_of_each() -> None:
    for trace in _traces(400_000, (2, 3), valued=False):
        races = Predictable(trace).races()
        found = {}
        for each in (PAIR, EVENT, PLACE):
            predictor = SeqCheckRaces(each=each)
            found[each] = list(predictor.races(SeqCheck(trace, whole=False, kernel=_KERNEL)))
            assert predictor.undecided == predictor.unasked == 0
        assert set(found[PAIR]) == races
        assert sorted(later for _, later in found[EVENT]) == sorted({later for _, later in races})
        assert {_places(trace, rows) for rows in found[PLACE]} == {_places(trace, rows) for rows in races}
        assert len(found[PLACE]) == len({_places(trace, rows) for rows in races})


def test_a_pass_tells_witnesses() -> None:
    for trace in _traces(600_000, (2, 3), valued=False):
        races, checker, told = Predictable(trace).races(), Checker(trace), set()
        for claim, answer in SeqCheckRaces(EVENT | PLACE).answers(SeqCheck(trace, whole=False, kernel=_KERNEL)):
            assert isinstance(answer, Witness)
            assert checker.objections(answer) == []
            told.add((claim.first, claim.second))
        assert told <= races
        assert {later for _, later in told} == {later for _, later in races}
        assert {_places(trace, rows) for rows in told} == {_places(trace, rows) for rows in races}


def test_the_same_is_found_while_functions_are_being_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which are there at any moment, or not."""
    rng = random.Random(1)
    for name in ("decide", "scan"):
        monkeypatch.setitem(seqcheck_kernel._AWAITED, name, lambda: rng.random() < 0.3)
    monkeypatch.setattr(seqcheck_kernel, "compiled", lambda: INTERPRETED)
    monkeypatch.setattr(seqcheck_kernel, "_partly", seqcheck_kernel._partly.__wrapped__)
    monkeypatch.setattr(seqcheck_decide, "_FIRST", 2)
    monkeypatch.setattr(seqcheck_races, "_STEP", 3)
    for trace in islice(_traces(700_000, (2, 3), valued=True), 40):
        told = []
        for kernel in (INTERPRETED, seqcheck_kernel.kernel_for(seqcheck_kernel.COMPILE_FROM)):
            check = SeqCheck(trace, complete_up_to=0, whole=False, work=60, kernel=kernel)
            deadlocks = [check.prove(Deadlocks(circle)) for circle in cycles_of(trace, joins=False)]
            told.append([*SeqCheckRaces(EVENT | PLACE).answers(check), *deadlocks])
        assert told[0] == told[1]


def _places(trace: Trace, rows: tuple[int, int]) -> frozenset[int]:
    return frozenset(int(trace.site[row] if trace.site[row] >= 0 else -2 - trace.target[row]) for row in rows)


def test_order_violations_are_shown_by_an_order_of_the_two() -> None:
    met = 0
    for trace in _traces(500_000, (2, 3), valued=False):
        check, checker = SeqCheck(trace, complete_up_to=0, kernel=_KERNEL), Checker(trace)
        for rows in order_violations_of(trace):
            answer = check.prove(OrderViolation(rows[0], rows[1]))
            assert not isinstance(answer, Infeasible)  # the write need not follow: a refutation of that is left open
            if isinstance(answer, Witness):
                assert checker.objections(answer) == []
                met += 1
    assert met > 0
