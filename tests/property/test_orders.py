"""hb, shb and sync-preserving races and deadlocks agree with their definitions, however a trace is cut into parts."""

from __future__ import annotations

import os
import random
from itertools import pairwise

import numpy as np
import pytest
from tests.later import Later, called
from tests.oracle.orders import Orders
from tests.oracle.orders_weak import guarded_trace
from tests.oracle.predictable import Predictable
from tests.oracle.random_traces import random_trace

from mazurka.errors import MazurkaError
from mazurka.order.racy_events import RacyEvents
from mazurka.order.streaming import PIECE, EventColumns, Sizes, Stream, sizes_of
from mazurka.order.streaming import columns_of as trace_columns
from mazurka.program.protocol import Step
from mazurka.trace.columns import LARGEST, assemble, parts_of
from mazurka.trace.event import Op
from mazurka.trace.trace import Trace, trace_of
from mazurka.witness import Races, objections

_LONG = os.environ.get("HYPOTHESIS_PROFILE", "") == "long"
_TRACES = 10_000 if _LONG else 150
generated_traces = Later("benchmarks.generated_traces")
hb, shb, sync_preserving = (Later(f"mazurka.order.{name}") for name in ("hb", "shb", "sync_preserving"))
sync_deadlocks = Later("mazurka.predict.deadlocks.sync_preserving")

_STREAMS = {
    "hb": called(hb, "HappensBefore"),
    "shb": called(shb, "SchedulableHappensBefore"),
}


def _draw(seed: int) -> Trace:
    rng = random.Random(seed)
    length = rng.choice((12, 16, 20, 20, 30, 60))
    match rng.randrange(4):
        case 0:
            return guarded_trace(rng, length)
        case 1:
            return _signalling_trace(rng, length)
    return random_trace(rng, length, rng.choice((2, 3, 4)))


def _signalling_trace(rng: random.Random, length: int) -> Trace:
    """Atomic counters and notifications among the accesses; locks that no thread releases, or that threads look at."""
    log: list[Step] = []
    holder: dict[str, int] = {}
    for _ in range(length):
        thread, lock = rng.randrange(3), rng.choice("kl")
        match rng.randrange(8):
            case 0:
                log.append(Step(thread, rng.choice((Op.RMW, Op.NOTIFY)), ("cond", rng.choice("cd")), 0, True, None))
            case 1 if lock not in holder:
                holder[lock] = thread
                log.append(Step(thread, Op.ACQUIRE, ("lock", lock), 0, True, None))
            case 2 if holder.get(lock) == thread:
                del holder[lock]
                log.append(Step(thread, Op.RELEASE, ("lock", lock), 0, True, None))
            case 3 if lock in holder and rng.random() < 0.2:
                log.append(Step(thread, Op.READ, ("lock", lock), 0, True, None))
            case _:
                op = rng.choice((Op.READ, Op.WRITE))
                log.append(Step(thread, op, ("var", rng.choice("xy")), 0, True, None))
    return assemble(parts_of(trace_of(["0", "1", "2"], log)))


def _in_parts(order: Stream, columns: EventColumns, sizes: Sizes, cuts: list[int]) -> RacyEvents:
    for start, end in pairwise([0, *cuts, len(columns.thread)]):
        order.feed(columns.between(start, end), sizes)
    return order.racy_events()


def _later(pairs: set[tuple[int, int]]) -> list[int]:
    return sorted({later for _, later in pairs})


def test_racy_events_are_those_of_the_definitions() -> None:
    for seed in range(_TRACES):
        trace = _draw(seed)
        data = [name[0] == "var" for name in trace.targets]
        oracle, mask = Orders(trace, data), np.array(data)
        wanted = {"hb": oracle.hb(), "shb": oracle.shb(), "sync_preserving": oracle.sync_preserving()}
        for module in (hb, shb, sync_preserving):
            name = module.__name__.rpartition(".")[2]
            found = module.races(trace, mask)
            assert found.event.tolist() == _later(wanted[name]), (name, seed)
            assert set(found.pairs()) <= wanted[name], (name, seed)
        cuts = sorted(random.Random(seed).choices(range(len(trace) + 1), k=3))
        for name, stream in _STREAMS.items():
            with stream(seed % 2 == 0) as order:
                found = _in_parts(order, trace_columns(trace, mask), sizes_of(trace), cuts)
            assert found.event.tolist() == _later(wanted[name]), (name, seed)
        assert wanted["shb"] <= wanted["sync_preserving"], seed


def test_sound_races_have_a_reordering_that_the_checker_believes() -> None:
    witnesses = 0
    for seed in range(_TRACES):
        trace = random_trace(random.Random(seed), 30, 3)
        pairs = {*sync_preserving.races(trace).pairs(), *shb.races(trace).pairs()}
        asked = sync_preserving.SyncPreserving(trace)
        for first, second in pairs:
            witness = asked.witness_of_race(first, second)
            assert witness is not None, seed
            assert witness.claim == Races(first, second), seed
            assert not objections(trace, witness), seed
        witnesses += len(pairs)
    assert witnesses > 2 * _TRACES


def test_sync_preserving_races_are_among_all_that_can_be() -> None:
    for seed in range(_TRACES):
        trace = random_trace(random.Random(seed), 14, 3)
        assert set(sync_preserving.races(trace).pairs()) <= Predictable(trace).races(), seed


def test_sync_preserving_deadlocks_are_those_of_the_definition() -> None:
    deadlocks = 0
    for seed in range(_TRACES):
        trace = deadlocking_trace(random.Random(seed), 24, 3 + seed % 2)
        wanted = Orders(trace).deadlocks()
        predicted = list(sync_deadlocks.SyncDeadlockPredictor().predict(trace))
        found = {frozenset(each.rows) for each in predicted}
        assert found <= wanted, seed
        alike = {_alike(trace, rows) for rows in wanted}
        assert {_alike(trace, rows) for rows in found} == alike, seed
        for each in predicted:
            assert not objections(trace, each.witness), seed
        deadlocks += len(found)
    assert deadlocks > _TRACES // 8


def _alike(trace: Trace, rows: frozenset[int]) -> frozenset[tuple[int, int, frozenset[int]]]:
    held = Orders(trace).held
    return frozenset((int(trace.thread[row]), int(trace.target[row]), frozenset(held(row))) for row in rows)


def deadlocking_trace(rng: random.Random, length: int, threads: int) -> Trace:
    """Sections nest, in any order of the locks, with few accesses between."""
    log: list[Step] = []
    held: list[list[str]] = [[] for _ in range(threads)]
    for _ in range(length):
        thread = rng.randrange(threads)
        free = [lock for lock in "klm" if all(lock not in other for other in held)]
        chance = rng.random()
        if chance < 0.45 and free:
            held[thread].append(rng.choice(free))
            log.append(Step(thread, Op.ACQUIRE, ("lock", held[thread][-1]), 0, True, None))
        elif chance < 0.85 and held[thread]:
            log.append(Step(thread, Op.RELEASE, ("lock", held[thread].pop()), 0, True, None))
        elif chance >= 0.9:
            log.append(Step(thread, rng.choice((Op.READ, Op.WRITE)), ("var", "x"), 0, True, None))
    return assemble(parts_of(trace_of([str(number) for number in range(threads)], log)))


def _large() -> tuple[EventColumns, Sizes]:
    shape = generated_traces.Shape(
        6 * PIECE, threads=12, locks=9, variables=600, nesting=0.1, stray=0.002, accesses=0.7, section=2.0
    )
    numbers = generated_traces.numbers_of(shape)
    return EventColumns(*generated_traces.columns_of(shape)), Sizes(numbers.threads, numbers.thread_of_target)


@pytest.mark.parametrize("name", _STREAMS)
def test_two_threads_find_what_one_does_in_a_trace_that_fills_the_tables(name: str) -> None:
    columns, sizes = _large()
    with _STREAMS[name](False) as one, _STREAMS[name](True) as two:
        one.feed(columns, sizes)
        found = _in_parts(two, columns, sizes, [1000, PIECE + 77])
    assert len(found) > 300
    assert found.event.tolist() == one.racy_events().event.tolist()
    assert found.partner.tolist() == one.racy_events().partner.tolist()


def test_a_trace_that_fills_the_tables_has_all_races_of_schedulable_happens_before() -> None:
    columns, sizes = _large()
    with shb.SchedulableHappensBefore() as order:
        order.feed(columns, sizes)
        some = set(order.racy_events().event.tolist())
    found = sync_preserving.races_of(columns, sizes)
    assert some < set(found.event.tolist())


def test_what_all_threads_know_is_forgotten_and_nothing_else() -> None:
    columns, sizes = _large()
    idle = Sizes(sizes.threads + 1, sizes.thread_of_target)  # a thread that knows nothing: nothing can be forgotten
    with shb.SchedulableHappensBefore(False) as order, shb.SchedulableHappensBefore(False) as hoarder:
        order.feed(columns, sizes)
        hoarder.feed(columns, idle)
        assert order.racy_events().event.tolist() == hoarder.racy_events().event.tolist()
        assert len(order.versions.rows) < len(hoarder.versions.rows)


@pytest.mark.parametrize("forked", [True, False])
def test_a_thread_announced_late_learns_all_that_it_would_have(forked: bool) -> None:
    columns, sizes = _large()
    late, own = sizes.threads, sizes.targets
    wider = Sizes(late + 1, np.append(sizes.thread_of_target, np.int32(late)))
    read = np.arange(own, dtype=np.int32)
    thread = np.concatenate([[0], np.tile([late, 1], own)]).astype(np.int32)
    op = np.concatenate([[Op.FORK if forked else Op.NOTIFY], np.tile([Op.READ, Op.WRITE], own)]).astype(np.int8)
    tail = EventColumns(thread, op, np.concatenate([[own], np.repeat(read, 2)]).astype(np.int32))
    with shb.SchedulableHappensBefore(False) as order, shb.SchedulableHappensBefore(False) as announced:
        order.feed(columns, sizes)
        announced.feed(columns, wider)
        order.feed(tail, wider)
        announced.feed(tail, wider)
        found, wanted = order.racy_events().event.tolist(), announced.racy_events().event.tolist()
    assert found == wanted if forked else set(found) <= set(wanted)
    assert found[-1] > len(columns.thread)


def test_numbers_may_grow_from_part_to_part() -> None:
    trace = _draw(5)
    columns, sizes = trace_columns(trace), sizes_of(trace)
    for stream in _STREAMS.values():
        with stream(False) as order, stream(True) as whole:
            for row in range(len(trace)):
                seen = columns.between(0, row + 1)
                others = sizes.thread_of_target[: int(seen.target.max()) + 1]
                threads = max(int(seen.thread.max()), int(others.max(initial=-1))) + 1
                order.feed(columns.between(row, row + 1), Sizes(threads, others))
            whole.feed(columns, sizes)
            assert order.racy_events().event.tolist() == whole.racy_events().event.tolist()


def _trace(*events: tuple[int, Op, str]) -> Trace:
    kinds = {Op.ACQUIRE: "lock", Op.RELEASE: "lock", Op.FORK: "thread", Op.JOIN: "thread"}
    log = [Step(thread, op, (kinds.get(op, "var"), target), 0, True, None) for thread, op, target in events]
    return assemble(parts_of(trace_of(["0", "1", "2"], log)))


def _found(trace: Trace) -> list[list[tuple[int, int]]]:
    return [list(module.races(trace).pairs()) for module in (hb, shb, sync_preserving)]


_ACQUIRE, _RELEASE, _READ, _WRITE = Op.ACQUIRE, Op.RELEASE, Op.READ, Op.WRITE


def test_what_follows_a_racy_read_is_a_race_for_hb_only() -> None:
    trace = _trace((0, _WRITE, "y"), (0, _WRITE, "x"), (1, _READ, "x"), (1, _WRITE, "y"))
    assert _found(trace) == [[(1, 2), (0, 3)], [(1, 2)], [(1, 2)]]


def test_sections_that_are_not_needed_hide_nothing_from_the_sync_preserving_search() -> None:
    first = [(0, _WRITE, "y"), (0, _ACQUIRE, "l"), (0, _WRITE, "x"), (0, _RELEASE, "l")]
    trace = _trace(*first, (1, _ACQUIRE, "l"), (1, _WRITE, "z"), (1, _RELEASE, "l"), (1, _WRITE, "y"))
    assert _found(trace) == [[], [], [(0, 7)]]


def test_sections_do_not_change_places() -> None:
    first = [(0, _ACQUIRE, "l"), (0, _WRITE, "y"), (0, _RELEASE, "l")]
    trace = _trace(*first, (1, _ACQUIRE, "l"), (1, _RELEASE, "l"), (1, _WRITE, "y"))
    assert _found(trace) == [[], [], []]


def test_a_circle_is_no_deadlock_if_one_thread_waits_for_the_other_to_have_been_through_it() -> None:
    one = [(0, op, lock) for op, lock in ((_ACQUIRE, "a"), (_ACQUIRE, "b"), (_RELEASE, "b"), (_RELEASE, "a"))]
    other = [(1, op, lock) for op, lock in ((_ACQUIRE, "b"), (_ACQUIRE, "a"), (_RELEASE, "a"), (_RELEASE, "b"))]
    predictor = sync_deadlocks.SyncDeadlockPredictor()
    assert [each.rows for each in predictor.predict(_trace(*one, *other))] == [(1, 5)]
    assert not list(predictor.predict(_trace(*one, (0, _WRITE, "flag"), (1, _READ, "flag"), *other)))
    assert not list(predictor.predict(_trace(*one, (0, Op.FORK, "1"), *other)))
    guarded = [[(thread, _ACQUIRE, "g"), *each, (thread, _RELEASE, "g")] for thread, each in enumerate((one, other))]
    assert not list(predictor.predict(_trace(*guarded[0], *guarded[1])))


def test_events_that_cannot_be_numbered_are_refused() -> None:
    columns, sizes = trace_columns(_draw(1)), sizes_of(_draw(1))
    for stream in _STREAMS.values():
        with stream(False) as order:
            order.events = LARGEST - 3
            with pytest.raises(MazurkaError, match="can't be numbered"):
                order.feed(columns, sizes)


def test_an_empty_trace_has_no_races() -> None:
    nothing = np.zeros(0, np.int32)
    columns, sizes = EventColumns(nothing, nothing.astype(np.int8), nothing), Sizes(0, nothing)
    for stream in _STREAMS.values():
        with stream() as order:
            order.feed(columns, sizes)
            assert not len(order.racy_events())
    assert not len(sync_preserving.races_of(columns, sizes))
