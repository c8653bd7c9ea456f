"""Reads whose result only their own thread decides leave nothing in the models of a run."""

from __future__ import annotations

from typing import Any

import pytest

from mazurka.causal.history import History
from mazurka.program.protocol import Access
from mazurka.trace.event import Op
from mazurka.trace.own_reads import is_own_read

SITE = 7
ITEM = ("i", 5, 0)
OWN = (0, Op.READ, ITEM, SITE, False, None, (Access(Op.READ, ("s", 5)),))
SHARED: list[Any] = [
    (0, Op.WRITE, ("a", 5, "x"), SITE, True, None, ()),
    (0, Op.READ, ("a", 5, "x"), SITE, True, None, ()),
]


@pytest.mark.parametrize(
    ("op", "target", "site", "more", "own"),
    [
        (Op.READ, ITEM, SITE, (), True),
        (Op.READ, ITEM, SITE, (Access(Op.READ, ("s", 5)),), True),
        (Op.READ, ITEM, SITE, (Access(Op.RMW, ("s", 5)),), False),
        (Op.READ, ITEM, SITE, (Access(Op.READ, ("lock", "0#1")),), False),
        (Op.WRITE, ITEM, SITE, (), False),
        (Op.READ, ("queued", "0#1", 0), SITE, (), False),
        (Op.READ, ITEM, 0, (), False),
    ],
)
def test_it_is_a_read_of_data_at_a_site(op: Op, target: Any, site: int, more: tuple[Access, ...], own: bool) -> None:
    assert is_own_read(op, target, site, more) is own


def test_the_state_of_a_thread_does_not_depend_on_its_own_reads() -> None:
    with_read = History(["0"], [SHARED[0], OWN, SHARED[1]])
    without = History(["0"], SHARED)
    assert with_read.signature() == without.signature()
    assert with_read.reads == [(), (), ((SHARED[0][2], 0),)]
    assert ITEM not in with_read.looks
