"""edc reports the candidates that its definition has, whatever commutes; with reads and writes it is wdc."""

from __future__ import annotations

import os
import random
from collections import Counter
from dataclasses import replace
from itertools import product

from tests.later import Later
from tests.oracle.order_extended import ExtendedOrder
from tests.oracle.orders_weak import guarded_trace

from mazurka.order.edc import Actions, candidates, read_write
from mazurka.trace.event import Op
from mazurka.trace.trace import Trace

wdc = Later("mazurka.order.wdc")

_TRACES = 10_000 if os.environ.get("HYPOTHESIS_PROFILE", "") == "long" else 200


def _draw(seed: int) -> tuple[Trace, random.Random]:
    rng = random.Random(seed)
    return guarded_trace(rng, rng.choice((12, 20, 30, 60))), rng


def _actions(trace: Trace, rng: random.Random) -> tuple[Actions, set[tuple[int, int]], set[tuple[int, int]]]:
    """Each access touches one point or two; any points may conflict, and some that do order."""
    count = rng.choice((2, 4, 8))
    chance, telling = rng.choice((0.1, 0.3, 0.7)), rng.choice((0.2, 0.6, 1.0))
    conflicts = {
        pair
        for one, other in product(range(count), repeat=2)
        if one <= other and rng.random() < chance
        for pair in ((one, other), (other, one))
    }
    orders = {pair for pair in sorted(conflicts) if rng.random() < telling}
    touched = {
        row: tuple(sorted(rng.sample(range(count), rng.choice((1, 1, 2)))))
        for row, op in enumerate(trace.op)
        if op in (Op.READ, Op.WRITE)
    }
    relation = [[other for other in range(count) if (point, other) in conflicts] for point in range(count)]
    before = [[other for other in range(count) if (other, point) in orders] for point in range(count)]
    return Actions(touched, relation, before), conflicts, orders


def test_candidates_are_those_of_the_definition() -> None:
    deferred = racy = 0
    for seed in range(_TRACES):
        trace, rng = _draw(seed)
        actions, conflicts, orders = _actions(trace, rng)
        wanted = ExtendedOrder(trace, actions.touched, conflicts, orders).candidates()
        found = list(candidates(trace, actions))
        assert {each[:3] for each in found} == wanted, seed
        assert len(found) == len(wanted), seed
        deferred += sum(bool(each.locks) for each in found)
        racy += sum(not each.locks for each in found)
    assert deferred > _TRACES // 2
    assert racy > _TRACES


def test_without_an_order_of_its_own_all_that_does_not_commute_orders() -> None:
    for seed in range(_TRACES // 4):
        trace, rng = _draw(seed)
        actions, conflicts, _ = _actions(trace, rng)
        wanted = ExtendedOrder(trace, actions.touched, conflicts, conflicts).candidates()
        found = list(candidates(trace, Actions(actions.touched, actions.conflicts)))
        assert {each[:3] for each in found} == wanted, seed
        assert not any(each.locks for each in found), seed


def test_of_two_sites_there_are_as_many_candidates_as_are_wanted() -> None:
    cut = 0
    for seed in range(_TRACES):
        trace, rng = _draw(seed)
        actions, conflicts, orders = _actions(trace, rng)
        sites, most = {row: rng.randrange(3) for row in actions.touched}, rng.choice((1, 2, 3))
        wanted = ExtendedOrder(trace, actions.touched, conflicts, orders).candidates()
        found = list(candidates(trace, replace(actions, sites=sites, most=most)))
        assert wanted >= {each[:3] for each in found}, seed
        assert len(found) == len(set(found)), seed
        counts = Counter((sites[first], sites[second]) for first, second, _ in wanted)
        told = Counter(each.sites for each in found)
        assert told == {key: min(number, most) for key, number in counts.items()}, seed
        cut += len(found) < len(wanted)
    assert cut > _TRACES // 4


def test_of_reads_and_writes_it_is_weak_doesnt_commute() -> None:
    for seed in range(_TRACES):
        trace, _ = _draw(seed)
        racy = sorted({each.second for each in candidates(trace, read_write(trace))})
        assert racy == wdc.races(trace).event.tolist(), seed
