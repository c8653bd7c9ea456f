"""wcp, dc and wdc agree with their definitions, however a trace is cut into parts and whichever state is forgotten."""

from __future__ import annotations

import os
import random
from collections import Counter
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.drawn import some_of
from tests.later import Later, called
from tests.oracle.orders_weak import WeakOrders, guarded_trace
from tests.oracle.predictable import Predictable
from tests.oracle.random_traces import random_trace

from mazurka.order.racy_events import RacyEvents
from mazurka.order.streaming import EventColumns, Sizes, sizes_of
from mazurka.order.streaming import columns_of as trace_columns
from mazurka.program.protocol import Step
from mazurka.trace.columns import assemble, parts_of
from mazurka.trace.event import Op
from mazurka.trace.trace import Trace, trace_of

if TYPE_CHECKING:
    from mazurka.order.weak import WeakOrder
    from mazurka.order.weak_kernel import WeakOrderState

generated_traces = Later("benchmarks.generated_traces")
dc, wcp, wdc = (Later(f"mazurka.order.{name}") for name in ("dc", "wcp", "wdc"))
of_sections = Later("mazurka.order.sections")

_LONG = os.environ.get("HYPOTHESIS_PROFILE", "") == "long"
_TRACES = 10_000 if _LONG else some_of(300)
_ORDERS = {
    "wdc": (called(wdc, "races"), called(wdc, "weak_doesnt_commute"), WeakOrders.wdc),
    "dc": (called(dc, "races"), called(dc, "doesnt_commute"), WeakOrders.dc),
    "wcp": (called(wcp, "races"), called(wcp, "weak_causal_precedence"), WeakOrders.wcp),
}

#: Operations by code (negative: on targets that are no data) -> how often each is drawn.
_ANYTHING = {0: 3, 1: 2, 2: 2, 3: 2, 5: 1, 6: 1, 8: 1, 9: 1, 10: 1, 11: 1, 12: 1, 18: 1, -1: 1, -2: 1}


def _draw(seed: int) -> Trace:
    rng = random.Random(seed)
    length = rng.choice((12, 20, 30, 60, 100))
    return random_trace(rng, length, rng.choice((2, 3, 4))) if rng.random() < 0.2 else guarded_trace(rng, length)


def _in_parts(order: WeakOrder, columns: EventColumns, sizes: Sizes, cuts: list[int]) -> RacyEvents:
    """Fed part by part, with all forgotten that can be in between."""
    for start, end in pairwise([0, *cuts, len(columns.thread)]):
        order.feed(EventColumns(*(column[start:end] for column in columns)), sizes)
        order.forget()
    return order.racy_events()


def test_racy_events_are_those_of_the_definitions() -> None:
    for seed in range(_TRACES):
        trace = _draw(seed)
        oracle = WeakOrders(trace)
        racy: dict[str, set[int]] = {}
        for name, (races, stream, definition) in _ORDERS.items():
            wanted = oracle.races(definition(oracle))
            racy[name] = {later for _, later in wanted}
            cuts = sorted(random.Random(seed).choices(range(len(trace) + 1), k=3))
            found = (races(trace), _in_parts(stream(), trace_columns(trace), sizes_of(trace), cuts))
            for each in found:
                assert set(each.pairs()) <= wanted, (name, seed)
                assert each.event.tolist() == sorted(racy[name]), (name, seed)
        assert racy["wcp"] <= racy["dc"] <= racy["wdc"], seed


@pytest.mark.parametrize("name", _ORDERS)
def test_parts_and_forgetting_change_nothing_in_a_trace_that_fills_the_tables(name: str) -> None:
    shape = generated_traces.Shape(
        60_000, threads=12, locks=9, variables=600, nesting=0.1, stray=0.002, accesses=0.7, section=2.0
    )
    numbers, columns = generated_traces.numbers_of(shape), EventColumns(*generated_traces.columns_of(shape))
    sizes = Sizes(numbers.threads, numbers.thread_of_target)
    whole = _ORDERS[name][1]()
    whole.feed(columns, sizes)
    parts = _in_parts(_ORDERS[name][1](), columns, sizes, list(range(0, 60_000, 777)))
    known = _in_parts(_ORDERS[name][1](np.arange(1, 12, dtype=np.int32)), columns, sizes, [100, 30_000])
    racy = whole.racy_events().event.tolist()
    assert len(racy) > 50
    assert parts.event.tolist() == known.event.tolist() == racy


@pytest.mark.parametrize("name", _ORDERS)
def test_tables_do_not_grow_with_the_trace(name: str) -> None:
    shape = generated_traces.Shape(
        600_000, threads=8, locks=20, variables=2_000, nesting=0.1, section=3.0, accesses=0.8
    )
    numbers, order = generated_traces.numbers_of(shape), _ORDERS[name][1]()
    sizes = []
    for chunk in generated_traces.chunks_of(shape, 100_000):
        order.feed(EventColumns(*chunk), Sizes(numbers.threads, numbers.thread_of_target))
        sizes.append(order.size())
    assert sizes[-1] <= 1.2 * sizes[1]


@pytest.mark.parametrize("name", _ORDERS)
def test_tables_agree_with_each_other_whatever_is_fed(name: str) -> None:
    rng = np.random.default_rng(7)
    kinds = [code for op, often in _ANYTHING.items() for code in [op] * often]
    for size in (300, 3_000, 20_000):
        op = rng.choice(kinds, size).astype(np.int8)
        first = np.select([np.isin(op, [2, 3]), np.isin(op, [8, 9, 10, 11])], [6, 0], 9)
        target = (first + rng.integers(0, np.select([first == 6, first == 0], [3, 6], 20))).astype(np.int32)
        thread = np.repeat(rng.integers(0, 6, size // 3 + 1), 3)[:size].astype(np.int32)
        sizes = Sizes(6, np.array([*range(6)] + [-1] * 23, np.int32))
        order = _ORDERS[name][1]()
        _in_parts(order, EventColumns(thread, op, target), sizes, [size // 3])
        order.feed(EventColumns(thread, op, target), sizes)
        _check_references(order.tables())


def _check_references(tables: WeakOrderState) -> None:
    """Each section and row of clocks is free, or is said to be referred to as often as it is."""
    sections, clocks, readers, nested = tables.sections, tables.clocks, tables.readers, tables.nested
    held = [row[:depth] for row, depth in zip(tables.held.section, tables.held.depth, strict=True)]
    nodes = []
    for node in tables.touched.entry[:, of_sections.READER]:
        while node >= 0:
            nodes.append(node)
            node = readers.next[node]
    lists = [nested.section[start : start + length] for start, length, _ in nested.place.reshape(-1, 3)]
    writers = [writer for writer in tables.touched.entry[:, of_sections.WRITER] if writer >= 0]
    referred = Counter(map(int, chain(*held, writers, readers.section[nodes], *lists)))
    free = set(sections.free[: sections.spare[0]].tolist())
    assert referred == {each: uses for each, uses in enumerate(sections.uses.tolist()) if each not in free}
    assert len(nodes) == len(readers.section) - readers.spare[0]
    told = [sections.published[each, 2] for each in referred]
    rows = Counter(int(row) for row in chain(told, clocks.shared, clocks.published[:, 2]) if row >= 0)
    free = set(clocks.free[: clocks.spare[0]].tolist())
    assert rows == {each: uses for each, uses in enumerate(clocks.uses.tolist()) if each not in free}


def test_the_first_race_under_wcp_is_one_or_there_is_a_deadlock() -> None:
    real = 0
    for seed in range(_TRACES // 2):
        rng = random.Random(seed)
        trace = guarded_trace(rng, 14) if seed % 2 else random_trace(rng, 14)
        found = wcp.races(trace)
        if len(found):
            possible = Predictable(trace)
            first_is_real = int(found.event[0]) in {later for _, later in possible.races()}
            assert first_is_real or possible.deadlocks(), seed
            real += first_is_real
    assert real > _TRACES // 5


def test_numbers_may_grow_from_part_to_part() -> None:
    trace = _draw(5)
    columns, sizes = trace_columns(trace), sizes_of(trace)
    for _, stream, _ in _ORDERS.values():
        order = stream()
        for row in range(len(trace)):
            seen = EventColumns(*(column[: row + 1] for column in columns))
            threads, targets = int(seen.thread.max()) + 1, int(seen.target.max()) + 1
            others = sizes.thread_of_target[:targets]
            threads = max(threads, int(others.max(initial=-1)) + 1)
            order.feed(EventColumns(*(column[row : row + 1] for column in columns)), Sizes(threads, others))
        whole = stream()
        whole.feed(columns, sizes)
        assert order.racy_events().event.tolist() == whole.racy_events().event.tolist()


def _trace(*events: tuple[int, Op, str]) -> Trace:
    kinds = {Op.ACQUIRE: "lock", Op.RELEASE: "lock", Op.FORK: "thread", Op.JOIN: "thread", Op.NOTIFY: "cond"}
    log = [Step(thread, op, (kinds.get(op, "var"), target), 0, True, None) for thread, op, target in events]
    return assemble(parts_of(trace_of("0123", log)))


def _under(thread: int, lock: str, *events: tuple[int, Op, str]) -> list[tuple[int, Op, str]]:
    return [(thread, Op.ACQUIRE, lock), *events, (thread, Op.RELEASE, lock)]


def test_more_locks_may_be_held_than_there_is_room_for_at_first() -> None:
    locks = [f"l{number}" for number in range(20)]
    takes = [(0, Op.ACQUIRE, lock) for lock in locks] + [(0, Op.WRITE, "x")] + [(0, Op.RELEASE, lock) for lock in locks]
    for races, _, _ in _ORDERS.values():
        assert not len(races(_trace(*takes, *_under(1, "l0", (1, Op.WRITE, "x")))))
        assert len(races(_trace(*takes, *_under(1, "other", (1, Op.WRITE, "x"))))) == 1


def test_sections_that_do_not_conflict_leave_a_race_that_happens_before_hides() -> None:
    first = [(0, Op.WRITE, "y"), *_under(0, "l", (0, Op.WRITE, "x"))]
    trace = _trace(*first, *_under(1, "l", (1, Op.WRITE, "z")), (1, Op.WRITE, "y"))
    for races, _, _ in _ORDERS.values():
        assert list(races(trace).pairs()) == [(0, 7)]


def test_only_rule_b_orders_what_an_inner_section_tells_of_an_outer_one() -> None:
    trace = _trace(
        *_under(0, "outer", *_under(0, "inner", (0, Op.WRITE, "x")), (0, Op.WRITE, "y")),
        *_under(2, "inner", (2, Op.READ, "x")),
        *_under(2, "other", (2, Op.WRITE, "z")),
        *_under(1, "outer", *_under(1, "other", (1, Op.READ, "z"))),
        (1, Op.WRITE, "y"),
    )
    assert list(wdc.races(trace).pairs()) == [(4, 17)]
    assert not len(dc.races(trace))
    assert not len(wcp.races(trace))


def test_only_wcp_composes_with_the_order_of_locks() -> None:
    trace = _trace(
        (0, Op.WRITE, "y"),
        *_under(0, "k"),
        *_under(1, "k"),
        *_under(1, "l", (1, Op.WRITE, "x")),
        *_under(2, "l", (2, Op.READ, "x")),
        (2, Op.WRITE, "y"),
    )
    assert [len(races(trace)) for races, _, _ in _ORDERS.values()] == [1, 1, 0]


def test_what_precedes_a_thread_of_its_own_precedes_whoever_takes_a_lock_from_it() -> None:
    there = [(0, Op.WRITE, "y"), *_under(0, "l", (0, Op.WRITE, "x")), *_under(1, "l", (1, Op.READ, "x"))]
    by_conflict = [*_under(1, "m", (1, Op.WRITE, "z")), *_under(0, "m", (0, Op.READ, "z"))]
    by_lock = [*_under(1, "m"), *_under(0, "m")]
    by_notification = [(1, Op.NOTIFY, "c"), (0, Op.NOTIFY, "c")]
    by_fork_and_join = [(0, Op.FORK, "3"), (0, Op.JOIN, "3")]
    on = [*_under(0, "k"), *_under(2, "k"), (2, Op.WRITE, "y")]
    for back in (by_conflict, by_lock, by_notification, by_fork_and_join):
        assert [len(races(_trace(*there, *back, *on))) for races, _, _ in _ORDERS.values()] == [1, 1, 0]
    assert [len(races(_trace(*there, *on))) for races, _, _ in _ORDERS.values()] == [1, 1, 1]


def test_sections_of_one_thread_order_nothing_among_themselves() -> None:
    before = [(0, Op.WRITE, "y"), *_under(0, "k"), *_under(1, "k")]
    trace = _trace(*before, *_under(1, "l"), *_under(1, "l"), (1, Op.WRITE, "y"), *_under(0, "l"))
    assert Predictable(trace).races() == {(0, 9)}
    for races, _, _ in _ORDERS.values():
        assert list(races(trace).pairs()) == [(0, 9)]


def test_forks_joins_and_notifications_order() -> None:
    written = (0, Op.WRITE, "x")
    forked = _trace(written, (0, Op.FORK, "1"), (1, Op.WRITE, "x"), (0, Op.JOIN, "1"), (0, Op.READ, "x"))
    notified = _trace(written, (0, Op.NOTIFY, "c"), (1, Op.NOTIFY, "c"), (1, Op.WRITE, "x"))
    for races, _, _ in _ORDERS.values():
        assert not len(races(forked))
        assert not len(races(notified))


def test_what_is_no_data_orders() -> None:
    trace = _trace((0, Op.WRITE, "x"), (0, Op.WRITE, "flag"), (1, Op.READ, "flag"), (1, Op.WRITE, "x"))
    data = np.array([target[1] == "x" for target in trace.targets])
    for races, _, _ in _ORDERS.values():
        assert list(races(trace).pairs()) == [(1, 2), (0, 3)]
        assert not len(races(trace, data))


def test_an_empty_trace_has_no_races() -> None:
    nothing = np.zeros(0, np.int32)
    for _, stream, _ in _ORDERS.values():
        order = stream()
        order.feed(EventColumns(nothing, nothing.astype(np.int8), nothing), Sizes(0, nothing))
        assert not len(order.racy_events())
