"""Published commutativity conditions: those of the thesis's tables, and how many calls commute by exact ones.

Counts are of all states of a small scope and all arguments, of calls that can be made in some order; they depend on the
scope alone, whoever counts.
"""

from __future__ import annotations

from typing import Any

import pytest

from mazurka.commute.formula import TRUE, in_words
from mazurka.commute.registry import shared_type, specification
from mazurka.commute.shared_type import SharedType, methods_of
from mazurka.commute.specification import specifications_of
from mazurka.commute.verification import PairCheck, cases_of, states_of, verify
from mazurka.trace.literals import Raised


def checked(kind: type[SharedType], **changes: Any) -> dict[tuple[str, str], PairCheck]:
    specified = next(iter(specifications_of(type(kind.__name__, (kind,), changes)).values()))
    return {each.methods: each for each in verify(specified)}


#: Thesis, tables 4.1 and 4.2; nil is None. `hash_table.size` is there in terms of the results of `put`.
TABLES = {
    "concurrent_set": """
        add      || add      : v1 != v2 or r1 == False and r2 == False
        add      || contains : v1 != v2 or r1 == False
        contains || contains : True
    """,
    "hash_table": """
        put  || put  : k1 != k2 or v1 == r1 and v2 == r2
        put  || get  : k1 != k2 or v1 == r1
        put  || size : v1 != None and r1 != None
        get  || get, size : True
        size || size : True
    """,
}


@pytest.mark.parametrize("name", TABLES)
def test_conditions_of_the_thesis_are_sound_and_as_exact_as_ours(name: str) -> None:
    theirs = checked(shared_type(name), fine="", coarse=TABLES[name])
    ours = {each.methods: each for each in verify(specification(name, "coarse"))}
    specified = specifications_of(type("Table", (shared_type(name),), {"fine": "", "coarse": TABLES[name]}))["coarse"]
    compared = [methods for methods in ours if in_words(specified.condition(*methods)) != "False"]
    assert len(compared) == {"concurrent_set": 3, "hash_table": 6}[name]
    for methods in compared:
        assert theirs[methods].is_sound
        assert theirs[methods].admitted == ours[methods].admitted


#: Thesis, figure 3.2: pairs of calls that are order violations if nothing orders them, and pairs that always commute.
NEVER = {
    "memory": ["read free", "write free"],
    "channel": ["send close"],
    "threading.Condition": ["wait notify", "wait notify_all"],
    "context": ["cancel err"],
}
ALWAYS = {
    "threading.Condition": ["notify notify", "notify notify_all", "notify_all notify_all"],
    "context": ["err err", "cancel cancel"],
}


@pytest.mark.parametrize("name", NEVER)
def test_order_violations_of_the_thesis(name: str) -> None:
    """Calls that all went well do not commute; the thesis has no conditions on results here."""
    kind = shared_type(name)
    methods = methods_of(kind)
    coarse = specification(name, "coarse")
    for pair in NEVER[name]:
        one, other = pair.split()
        for case in cases_of(kind, methods[one], methods[other], states_of(kind)):
            for each in case.pairs():
                if not isinstance(each.one.result, Raised) and not isinstance(each.two.result, Raised):
                    assert not coarse.holds(one, other, each)
    for pair in ALWAYS.get(name, ()):
        one, other = pair.split()
        assert coarse.condition(one, other) == TRUE


#: Fine conditions: how many of the cases commute, and of how many; with scopes where the library has larger ones.
COUNTS: dict[str, tuple[dict[str, Any], dict[str, tuple[int, int]]]] = {
    "concurrent_set": (
        {},
        {
            "add add": (60, 72),
            "add remove": (48, 72),
            "add contains": (60, 72),
            "add size": (12, 24),
            "add clear": (0, 24),
            "remove size": (12, 24),
            "contains clear": (12, 24),
            "size clear": (1, 8),
            "add pop_min": (10, 24),
            "contains pop_min": (17, 24),
            "pop_min pop_min": (1, 8),
        },
    ),
    "set": ({}, {"add add": (72, 72), "add discard": (48, 72), "discard clear": (24, 24), "discard size": (12, 24)}),
    "hash_table": (
        {},
        {
            "put put": (84, 144),
            "put remove": (36, 72),
            "put get": (48, 72),
            "put contains": (60, 72),
            "put size": (24, 36),
            "remove remove": (24, 36),
            "remove size": (6, 18),
            "put_if_absent put_if_absent": (132, 144),
            "get put_if_absent": (60, 72),
            "put put_if_absent": (96, 144),
        },
    ),
    "dict": (
        {"scope": {"k": ("a", "b"), "v": (1, 2)}},
        {"set set": (108, 144), "set get": (48, 72), "set contains": (60, 72), "set size": (24, 36)},
    ),
    "counter": (
        {},
        {
            "add add": (245, 245),
            "add fetch_add": (35, 245),
            "fetch_add fetch_add": (5, 245),
            "add read": (5, 35),
            "add is_zero": (25, 35),
            "inc is_zero": (3, 5),
            "fetch_add reset": (1, 35),
            "read reset": (1, 5),
        },
    ),
    "register": (
        {},
        {
            "read write": (3, 9),
            "write write": (9, 27),
            "swap swap": (3, 27),
            "read cas": (21, 27),
            "write cas": (39, 81),
            "cas cas": (183, 243),
        },
    ),
    "stack": ({}, {"push push": (30, 60), "push pop": (14, 30), "pop pop": (7, 15), "pop size": (1, 15)}),
    "queue": ({}, {"enq enq": (30, 60), "enq deq": (28, 30), "deq deq": (7, 15), "deq empty": (13, 15)}),
    "bounded_queue": (
        {"initials": (((), 2),)},
        {"put put": (18, 28), "put get": (4, 14), "get get": (3, 7), "put full": (10, 14), "get full": (3, 7)},
    ),
    "priority_queue": ({}, {"push push": (180, 180), "push pop": (45, 60), "pop pop": (10, 20), "push min": (45, 60)}),
    "array_list": (
        {},
        {
            "append append": (30, 60),
            "append get": (76, 90),
            "append set": (152, 180),
            "append contains": (52, 60),
            "get set": (236, 270),
            "set set": (472, 540),
            "pop_last get": (31, 45),
            "pop_last set": (62, 90),
            "get clear": (11, 45),
        },
    ),
    "union_find": (
        {},
        {"find find": (90, 90), "find union": (228, 270), "same union": (702, 810), "union union": (750, 810)},
    ),
    "partition": ({}, {"union union": (405, 405), "same union": (345, 405)}),
    "max_register": ({}, {"write write": (27, 27), "write read": (6, 9)}),
}


@pytest.mark.parametrize("name", COUNTS)
def test_how_many_calls_commute(name: str) -> None:
    changes, counts = COUNTS[name]
    found = checked(shared_type(name), **changes)
    for pair, expected in counts.items():
        one, other = pair.split()
        check = found[one, other]
        assert (check.commuting, check.cases) == expected, pair
        assert check.is_exact
