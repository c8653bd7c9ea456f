"""Call order violations that are predicted are those of the oracle, on generated traces of calls; their witnesses are
believed by a checker that shares no code with the predictors, and others are not."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.later import Later
from tests.oracle.call_orders import PossibleCallOrders
from tests.oracle.call_traces import CalledTrace, called_trace

from mazurka.program.protocol import Step
from mazurka.trace.columns import assemble, parts_of
from mazurka.trace.event import Op
from mazurka.trace.invocations import method_target, recorded
from mazurka.trace.trace import trace_of
from mazurka.witness.witness import AssumedObject, CallsReversed, Witness

engines = Later("mazurka.predict.engines")
vindication = Later("mazurka.predict.call_orders.vindication")
objects = Later("mazurka.predict.call_orders.objects")
call_order = Later("mazurka.predict.kinds.call_order")
solver = Later("mazurka.causal.solver")
effects = Later("mazurka.commute.effects")
check = Later("mazurka.witness.check")

_TRACES = 3_000 if os.environ.get("HYPOTHESIS_PROFILE", "") == "long" else 150
_SHARE = 50


def _draw(seed: int) -> tuple[CalledTrace, int]:
    rng = random.Random(seed)
    threads = rng.choice((2, 2, 3))
    return called_trace(rng, rng.randrange(8, 20), threads), threads


def _found(called: CalledTrace) -> Iterator[tuple[tuple[int, int], Witness]]:
    """All that is proven, by the rows at which calls take effect."""
    calls = objects.ModelledCalls(called.trace)
    orders = vindication.CallOrders(calls)
    for rows in call_order.candidates_of(calls, False):
        answer = orders.ask(call_order.claim(rows))
        assert not isinstance(answer, solver.Unknown)
        if isinstance(answer, Witness):
            yield (called.effect[rows[0]], called.effect[rows[1]]), answer


@pytest.mark.parametrize("first", range(0, _TRACES, _SHARE))
def test_call_orders_are_those_of_the_oracle(first: int) -> None:
    met: Counter[str] = Counter()
    for seed in range(first, first + _SHARE):
        called, threads = _draw(seed)
        checker = check.Checker(called.trace, effects.LibraryModels())
        found = dict(_found(called))
        for witness in found.values():
            assert checker.objections(witness) == [], seed
        assert set(found) == PossibleCallOrders(called).violations(), seed
        met[f"{threads} threads"] += len(found)
    assert sum(met.values()) > 0


def test_values_that_are_equal_but_not_the_same_are_not_mixed_up() -> None:
    """What reads 1 after True was written would be taken for kept, since states are compared as Python does."""
    for values, modelled in (
        ((1, 2), True),
        ((1, True), False),
        ((0, 2), True),
        ((False, 2), False),
        ((1.0, 1), False),
    ):
        log = []
        for thread, value in enumerate(values):
            target = method_target("register", "o", "write")
            log.append(Step(thread, Op.CALL, target, 0, True, recorded((value,))))
            log.append(Step(thread, Op.RETURN, target, 0, True, recorded(None)))
        calls = objects.ModelledCalls(assemble(parts_of(trace_of(("a", "b"), log))))
        assert bool(calls.objects) is modelled
        assert bool(calls.unknown) == (not modelled)


def test_an_object_that_its_model_does_not_explain_is_named_with_the_reason() -> None:
    for arguments, why in (
        ((1, 2), "register o: o.write(1, 2) has other arguments than write in the model of its type"),
        ((1,), "register o: no state of the model of its type explains the results of its calls"),
    ):
        target = method_target("register", "o", "write")
        log = [
            Step(0, Op.CALL, target, 0, True, recorded(arguments)),
            Step(0, Op.RETURN, target, 0, True, recorded("no result of a write")),
        ]
        assert objects.ModelledCalls(assemble(parts_of(trace_of(("a", "b"), log)))).unknown == [why]


def test_every_engine_says_only_what_is_so() -> None:
    """One finding for each pair of places: here all have places of their own, or all the same."""
    met: Counter[str] = Counter()
    for seed in range(_TRACES // 3):
        called, _ = _draw(seed)
        expected = PossibleCallOrders(called).violations()
        for engine in ("auto", "edc", "maximal"):
            search = engines.EngineRun(called.trace)
            bugs = list(engines.run(search, engine, ("call-order",)))
            told = {(called.effect[bug.rows[0]], called.effect[bug.rows[1]]) for bug in bugs}
            assert not any(bug.objections for bug in bugs), seed
            assert told <= expected, seed
            assert bool(told) == bool(expected) or engine == "edc", seed
            met[engine] += len(told)
    assert min(met.values()) > _TRACES // 20


def test_windows_find_what_the_whole_trace_has() -> None:
    """The rows before a window happen as they did; what is found so is found without a window, too."""
    found = later = 0
    for seed in range(_TRACES // 5):
        rng = random.Random(seed)
        called = called_trace(rng, 60, 3)
        checker = check.Checker(called.trace, effects.LibraryModels())
        calls = objects.ModelledCalls(called.trace)
        whole, within = vindication.CallOrders(calls), vindication.CallOrders(calls, 30)
        for rows in list(call_order.candidates_of(calls, False))[:30]:
            answer = within.ask(call_order.claim(rows))
            if isinstance(answer, Witness):
                assert checker.objections(answer) == [], seed
                assert isinstance(whole.ask(call_order.claim(rows)), Witness), seed
                found += 1
                later += answer.prefix > 0
    assert found > later > 0


def test_what_is_not_so_is_not_believed() -> None:
    """Witnesses of other calls, with other results, from other states, or in another order."""
    refused: Counter[str] = Counter()
    chance = random.Random(1)
    for seed in range(_TRACES):
        called, _ = _draw(seed)
        expected = PossibleCallOrders(called).violations()
        checker = check.Checker(called.trace, effects.LibraryModels())
        for _, witness in _found(called):
            for why, spoilt in _spoilt(called, expected, witness, chance):
                assert checker.objections(spoilt), f"{seed}: believed although {why}: {spoilt}"
                refused[why] += 1
        assert check.Checker(called.trace).objections(Witness((), claim=CallsReversed(0, 1)))
    assert len(refused) == 8
    assert min(refused.values()) > _TRACES // 25, refused


def _spoilt(
    called: CalledTrace, expected: set[tuple[int, int]], witness: Witness, chance: random.Random
) -> Iterator[tuple[str, Witness]]:
    claim, order = witness.claim, witness.order
    assert isinstance(claim, CallsReversed)
    for first, second in ((chance.choice(list(called.effect)), claim.second), (claim.second, claim.first)):
        if (called.effect[first], called.effect[second]) not in expected:
            yield (
                "other calls come in another order",
                replace(witness, claim=replace(claim, first=first, second=second)),
            )
    returns = claim.returns
    yield "something else is returned", replace(witness, claim=replace(claim, returns=("'x'", returns[1])))
    yield "the second waits", replace(witness, claim=replace(claim, returns=(returns[0], None)))
    thing, *others = claim.objects
    if thing.type_name in ("memory", "channel", "concurrent_set", "queue"):
        unknown = AssumedObject(thing.type_name, thing.name, ("7",))
        yield "no such state explains the trace", replace(witness, claim=replace(claim, objects=(unknown, *others)))
    named = tuple(each for each in claim.objects if each.name != "o" and each.name != "p")
    yield "the objects are not named", replace(witness, claim=replace(claim, objects=named))
    if witness.unread:
        yield "what is changed is said to be kept", replace(witness, unread=frozenset())
    yield "the second has not happened", replace(witness, order=order[: order.index(called.effect[claim.second])])
    for here in range(len(order) - 1):
        one, two = order[here : here + 2]
        if called.trace.thread[one] == called.trace.thread[two]:
            yield "a thread goes backwards", replace(witness, order=(*order[:here], two, one, *order[here + 2 :]))
