"""Candidates of a growing trace: those of the whole one are among them, whatever the chunks; memory is bounded."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable

from tests.later import Later
from tests.oracle.call_traces import called_trace

from mazurka.program.protocol import Step
from mazurka.trace.columns import assemble, parts_of
from mazurka.trace.event import Op
from mazurka.trace.invocations import invocations, method_target, recorded
from mazurka.trace.trace import Trace, trace_of

streaming = Later("mazurka.predict.call_orders.streaming")
candidates = Later("mazurka.predict.call_orders.candidates")
objects = Later("mazurka.predict.call_orders.objects")

_TRACES = 3_000 if os.environ.get("HYPOTHESIS_PROFILE", "") == "long" else 150

#: Two calls: type, class, method and location of each. Calls that overlap may return in another order than they take
#: effect.
_Pair = frozenset[tuple[object, ...]]


def _streamed(trace: Trace, rows: int) -> set[_Pair]:
    parts = parts_of(trace, rows)
    stream = streaming.StreamedCallOrders()
    return {frozenset(map(tuple, pair)) for columns in parts.rows for pair in stream.feed(columns, parts.names)}


def _whole(trace: Trace) -> set[_Pair]:
    """Those of extended-doesn't-commute on the whole trace, without objects that are not modelled."""
    calls = objects.ModelledCalls(trace)
    by_row = {call.begin: call for call in invocations(trace)}

    def place(row: int) -> tuple[object, ...]:
        call = by_row[calls.events.calls[row].begin]
        return call.type_name, call.receiver, call.method, int(trace.site[call.begin])

    return {frozenset({place(first), place(second)}) for first, second, *_ in candidates.pairs(calls, True)}


def test_no_candidate_of_the_whole_trace_is_missed() -> None:
    common = more = 0
    for seed in range(_TRACES):
        rng = random.Random(seed)
        trace = called_trace(rng, rng.randrange(8, 40), rng.choice((2, 2, 3))).trace
        streamed = _streamed(trace, rng.choice((1, 5, 1_000)))
        assert streamed == _streamed(trace, 7), seed
        wanted = _whole(trace)
        assert wanted <= streamed, seed
        common += len(wanted)
        more += len(streamed - wanted)
    assert common > _TRACES // 2
    assert 0 < more < common


def _calls(events: Iterable[tuple[int, Op | str, str]]) -> Trace:
    """A trace: an operation of a target, or a method of an object called "x", with an argument if it is a set."""
    log = []
    for thread, op, name in events:
        if isinstance(op, Op):
            kind = "thread" if op in (Op.FORK, Op.JOIN) else "lock" if op in (Op.ACQUIRE, Op.RELEASE) else "var"
            log.append(Step(thread, op, (kind, name), 0, True, None))
            continue
        target = method_target(name, "x", op)
        arguments = (1,) if op in ("write", "add") else ()
        log.append(Step(thread, Op.CALL, target, 0, True, recorded(arguments)))
        log.append(Step(thread, Op.RETURN, target, 0, True, recorded(None)))
    return assemble(parts_of(trace_of(("main", "a", "b"), log)))


def test_forks_joins_and_what_sections_observe_order() -> None:
    used, freed = (1, "read", "memory"), (2, "free", "memory")
    assert len(_streamed(_calls([(0, Op.FORK, "a"), (0, Op.FORK, "b"), used, freed]), 1)) == 1
    assert _streamed(_calls([(0, "read", "memory"), (0, Op.FORK, "b"), freed]), 1) == set()
    assert _streamed(_calls([(0, Op.FORK, "a"), used, (0, Op.JOIN, "a"), (0, Op.FORK, "b"), freed]), 1) == set()
    inside = [(1, Op.ACQUIRE, "m"), (1, Op.WRITE, "y"), used, (1, Op.RELEASE, "m"), (2, Op.ACQUIRE, "m")]
    assert len(_streamed(_calls([*inside, freed, (2, Op.RELEASE, "m")]), 1)) == 1
    assert _streamed(_calls([*inside, (2, Op.READ, "y"), freed, (2, Op.RELEASE, "m")]), 1) == set()


def test_memory_does_not_grow_with_the_trace() -> None:
    def kept(times: int) -> int:
        stream = streaming.StreamedCallOrders()
        turn = [(1, Op.ACQUIRE, "m"), (1, "write", "memory"), (1, Op.RELEASE, "m"), (2, "read", "memory")]
        parts = parts_of(_calls(turn * times), 100)
        for columns in parts.rows:
            list(stream.feed(columns, parts.names))
        return stream.kept()

    assert kept(10) == kept(1_000) > 0
