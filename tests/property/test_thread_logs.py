"""An order of the events of per-thread logs is found exactly if there is one that can be relied upon, by an oracle that
tries all; and it proves the same as the trace in its own order."""

from __future__ import annotations

import os
import random

import numpy as np
import pytest
from tests.oracle.predictable import Predictable
from tests.oracle.properties import Shown, Violations
from tests.oracle.random_traces import random_trace
from tests.oracle.thread_logs import Orders
from tests.property.test_properties import drawn

from mazurka.causal import interleaving
from mazurka.causal.thread_logs import Merged, _Logs, merged
from mazurka.errors import MazurkaError
from mazurka.predict.property_search import PropertySearch
from mazurka.program.protocol import Step
from mazurka.trace.columns import assemble, columns_of, parts_of
from mazurka.trace.event import Op
from mazurka.trace.trace import NO_VALUE, Trace, trace_of
from mazurka.witness import Checker, PropertyViolation, Witness
from mazurka.witness.thread_logs import objections_to_order

_TRACES = {"long": 3_000}.get(os.environ.get("HYPOTHESIS_PROFILE", ""), 240)
_SHARE = 60


def _reordered(trace: Trace, order: list[int]) -> Trace:
    rows = columns_of(trace).select(np.array(order, np.int64))
    step = np.arange(len(order), dtype=np.int32)
    return Trace(step, *rows, trace.threads, trace.targets, trace.values, trace.locations)


def logs_of(trace: Trace, rng: random.Random) -> tuple[Trace, list[int]]:
    """The same events, those of the threads mixed at random; and the row of each event in the trace."""
    own = [list(map(int, rows)) for rows in trace.rows_of_thread]
    order: list[int] = []
    while any(own):
        order.append(rng.choice([rows for rows in own if rows]).pop(0))
    return _reordered(trace, order), order


def _with_another_value(logs: Trace, rng: random.Random) -> Trace:
    value = np.array(logs.value)
    having = np.flatnonzero(value != NO_VALUE)
    if len(having):
        value[rng.choice(having.tolist())] = rng.randrange(len(logs.values))
    return Trace(
        logs.step, logs.thread, logs.op, logs.target, value, logs.site, logs.threads, logs.targets, logs.values
    )


def signalling(rng: random.Random) -> Trace:
    """A trace of three or four threads that mostly wait and notify, with and without a lock; the updates of a
    counter are numbered."""
    log: list[Step] = []
    threads = rng.choice((3, 3, 4))
    parked: list[int] = []
    lock = ("lock", "l")
    counted = 0
    for _ in range(rng.randrange(4, 10)):
        thread = rng.choice([t for t in range(threads) if t not in parked] or [-1])
        if thread < 0:
            break
        chance = rng.random()
        held = rng.random() < 0.5
        step = [Step(thread, Op.ACQUIRE, lock, 0, True)] if held else []
        if chance < 0.4:
            step.append(Step(thread, Op.WAIT, ("cond", "c"), 0, True))
            step += [Step(thread, Op.RELEASE, lock, 0, True)] if held else []
            parked.append(thread)
        elif chance < 0.8:
            everybody = rng.random() < 0.3
            step.append(Step(thread, Op.NOTIFY_ALL if everybody else Op.NOTIFY, ("cond", "c"), 0, True))
            step += [Step(thread, Op.RELEASE, lock, 0, True)] if held else []
            rng.shuffle(parked)
            for woken in parked if everybody else parked[:1]:
                gave_up = next(s.op is Op.RELEASE for s in reversed(log) if s.task == woken)
                if rng.random() < 0.8:
                    again = [Step(woken, Op.ACQUIRE, lock, 0, True), Step(woken, Op.RELEASE, lock, 0, True)]
                    step += again if gave_up else [Step(woken, Op.READ, ("var", "x"), 0, True, 0)]
            parked = [] if everybody else parked[1:]
        else:
            counted += 1
            step = [Step(thread, Op.RMW, ("hidden", "n"), 0, True, counted)]
        log += step
    trace = assemble(parts_of(trace_of([str(t) for t in range(threads)], log)))
    values = [f"#{text}" if text != "0" else text for text in trace.values]
    return Trace(
        trace.step, trace.thread, trace.op, trace.target, trace.value, trace.site, trace.threads, trace.targets, values
    )


def _trace(seed: int, rng: random.Random) -> Trace:
    if seed % 2:
        return signalling(rng)
    return random_trace(rng, rng.randrange(4, 14), rng.choice((2, 3)), valued=True, waiting=True)


@pytest.fixture(params=["quick", "solver"])
def search(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The quick search first, or the solver alone."""
    if request.param == "solver":
        monkeypatch.setattr(interleaving, "_PATIENCE", 0)
        monkeypatch.setattr(interleaving, "_PATIENCE_EACH", 0)
    return str(request.param)


@pytest.mark.parametrize("first", range(0, _TRACES, _SHARE))
def test_an_order_is_found_if_there_is_one(first: int, search: str) -> None:
    orders = 0
    for seed in range(first, first + _SHARE):
        rng = random.Random(seed)
        logs, _ = logs_of(_trace(seed, rng), rng)
        if seed % 3 == 0:
            logs = _with_another_value(logs, rng)
        expected = Orders(logs).reliable()
        try:
            made: Merged | None = merged(logs)
        except MazurkaError as error:
            assert error.slug == "trace-unordered"
            assert "rejected" not in error.what
            made = None
        assert (made is not None) == bool(expected), (seed, made, expected)
        if made is not None:
            orders += 1
            assert (columns_of(made.trace).thread == columns_of(logs).thread[made.rows]).all()
            initial = frozenset(Predictable(made.trace).initial.items())
            assert any(initial >= each for each in expected), (seed, initial, expected)
            assert _is_one_order(made, logs), seed
    assert orders


def _is_one_order(made: Merged, logs: Trace) -> bool:
    """Whether the order that was found is one of those that the oracle finds, by letting it try this one alone."""
    orders = Orders(logs)
    states = {orders.start}
    for row in made.rows.tolist():
        thread, at = orders.known.threads[row], orders.known.index[row]
        states = {
            after
            for state in states
            if state.at[thread] == at
            for after in orders._steps(state)
            if after.at[thread] == at + 1
        }
    return bool(states)


def _found(trace: Trace, search: PropertySearch) -> set[Shown]:
    found, checker = set(), Checker(trace)
    for several in search.groups().values():
        for candidate in several:
            answer = search.decide(candidate)
            if isinstance(answer, Witness):
                assert not checker.objections(answer)
                assert isinstance(answer.claim, PropertyViolation)
                found.add(Shown(tuple(answer.claim.steps), 2 * answer.claim.at_once))
    return found


@pytest.mark.parametrize("first", range(0, _TRACES, _SHARE))
def test_quick_orders_are_accepted(first: int) -> None:
    """An order of the quick search is an execution, so the check never has to refuse it."""
    found = 0
    for seed in range(first, first + _SHARE):
        rng = random.Random(seed)
        logs = _Logs(logs_of(_trace(seed, rng), rng)[0], "")
        rows = interleaving.Interleaving(logs, logs.forced).run()
        if rows is not None:
            found += 1
            assert not list(objections_to_order(logs.trace, list(logs._spelt(rows)), logs.forced)), seed
    assert found > _SHARE / 2


@pytest.mark.sampled
@pytest.mark.parametrize("first", range(0, _TRACES, _SHARE))
def test_logs_prove_what_the_trace_proves(first: int) -> None:
    """All violations of properties, races and deadlocks, if the logs determine the initial values, else some of
    them."""
    whole = violated = 0
    for seed in range(first, first + _SHARE):
        rng = random.Random(seed)
        trace, stated = drawn(4 * seed + 2, seed % 2 == 0)  # with values
        if any(op == Op.RMW for op in trace.op):
            continue
        logs, order = logs_of(trace, rng)
        try:
            made = merged(logs)
        except MazurkaError:
            assert not Orders(logs).reliable(), seed
            continue
        there = np.array(order)[made.rows]  # by row: that of the trace
        expected = Violations(trace, stated).all()
        all_of_order = {
            Shown(_in_trace(shown.points, there, shown.at_once), shown.at_once)
            for shown in Violations(made.trace, stated).all()
        }
        found = {
            Shown(_in_trace(shown.points, there, shown.at_once), shown.at_once)
            for shown in _found(made.trace, PropertySearch(made.trace, stated))
        }
        expected = {Shown(_sorted_pair(shown.points, shown.at_once), shown.at_once) for shown in expected}
        assert found <= expected, (seed, found, expected)
        assert all_of_order <= expected, (seed, all_of_order, expected)
        before, after = Predictable(trace), Predictable(made.trace)
        races = {_sorted_pair(_in_trace(race, there, 2), 2) for race in after.races()}
        assert races <= before.races(), seed
        if after.initial == before.initial:
            whole += 1
            assert all_of_order == expected, (seed, all_of_order, expected)
            assert races == before.races(), seed
            deadlocks = {frozenset(there[list(each)].tolist()) for each in after.deadlocks()}
            assert deadlocks == before.deadlocks(), seed
            assert bool(found) == bool(expected) or Op.WAIT in trace.op, seed
        violated += bool(expected)
    assert whole
    assert violated


def _in_trace(points: tuple[int, ...], there: np.ndarray, at_once: int) -> tuple[int, ...]:
    return _sorted_pair(tuple(there[list(points)].tolist()), at_once)


def _sorted_pair(points: tuple[int, ...], at_once: int) -> tuple[int, ...]:
    """Two events at once have no order."""
    return (*points[:-2], *sorted(points[-2:])) if at_once else points
