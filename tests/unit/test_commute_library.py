"""The library of specifications: every condition against the executable model, in all states of a small scope."""

from __future__ import annotations

import inspect
import random
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pytest

import mazurka.commute.library
from mazurka.commute.access_points import translated
from mazurka.commute.conflicts import SpecifiedConflicts, states_before
from mazurka.commute.registry import TYPES, shared_type, specification
from mazurka.commute.shared_type import BLOCKED, SharedType, name_of
from mazurka.commute.specification import Specification, specifications_of
from mazurka.commute.verification import PairCheck, cases_of, states_of, verify
from mazurka.errors import MazurkaError
from mazurka.trace.ids import Row, ThreadIndex
from mazurka.trace.invocations import Invocation

VARIANTS = [(name, variant) for name in TYPES for variant in specifications_of(shared_type(name))]

#: Coarse conditions that compare two calls by more than equality have no access points.
ORDERED = {"queue.PriorityQueue", "priority_queue", "max_register"}


@cache
def checks(name: str, variant: str) -> list[PairCheck]:
    return verify(specification(name, variant))


def test_every_type_has_its_row() -> None:
    found = {
        value
        for module in iter_modules(mazurka.commute.library.__path__)
        for value in vars(import_module(f"mazurka.commute.library.{module.name}")).values()
        if inspect.isclass(value) and issubclass(value, SharedType) and value is not SharedType
    }
    assert {shared_type(name) for name in TYPES} == found
    assert [name_of(shared_type(name)) for name in TYPES] == list(TYPES)
    with pytest.raises(MazurkaError, match="did you mean deque"):
        shared_type("deqeu")


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_conditions_are_sound(name: str, variant: str) -> None:
    found = checks(name, variant)
    methods = len(specification(name, variant).methods)
    assert len(found) == methods * (methods + 1) // 2
    assert [str(each.counterexample) for each in found if not each.is_sound] == []
    assert specification(name, variant).fragment in ("L2", "L1" if variant == "fine" else "L2")


@pytest.mark.parametrize("name", TYPES)
def test_fine_conditions_are_exact(name: str) -> None:
    assert [f"{each.methods}: {each.missed}" for each in checks(name, "fine") if not each.is_exact] == []


@pytest.mark.parametrize("name", [name for name, variant in VARIANTS if variant == "coarse"])
def test_coarse_conditions_hold_for_less(name: str) -> None:
    for fine, coarse in zip(checks(name, "fine"), checks(name, "coarse"), strict=True):
        assert (fine.methods, fine.cases, fine.commuting) == (coarse.methods, coarse.cases, coarse.commuting)
        assert coarse.admitted <= fine.admitted


@pytest.mark.parametrize("name", TYPES)
def test_a_condition_that_is_too_weak_has_a_counterexample(name: str) -> None:
    """Each fine condition made true, where not all calls commute."""
    kind, inexact = shared_type(name), 0
    for each in checks(name, "fine"):
        if each.commuting < each.cases:
            wrong = {"fine": f"{each.methods[0]} || {each.methods[1]} : True", "coarse": ""}
            specified = specifications_of(type(kind.__name__, (kind,), wrong))["fine"]
            found = {check.methods: check for check in verify(specified)}
            assert found[each.methods].counterexample is not None
            inexact += 1
            break
    assert inexact or name == "frozenset"


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_access_points_represent_the_condition(name: str, variant: str) -> None:
    """Calls touch points that conflict iff the condition is false, or is not translated: for all calls with results."""
    specified = specification(name, variant)
    points = translated(specified)
    assert not points.weaker or specified.fragment == "L1" or name in ORDERED
    states = states_of(specified.kind)
    names = list(specified.methods)
    for at, one in enumerate(names):
        for other in names[at:]:
            translates = (one, other) not in points.weaker
            for case in cases_of(specified.kind, specified.methods[one], specified.methods[other], states):
                for pair in case.pairs():
                    touched = [
                        points.touched(method, side.arguments, side.result)
                        for method, side in ((one, pair.one), (other, pair.two))
                    ]
                    assert points.commute(*touched) == (translates and specified.holds(one, other, pair))
    assert all(number in points.conflicts[other] for number, own in enumerate(points.conflicts) for other in own)


def test_why_conditions_are_not_translated() -> None:
    weaker = translated(specification("max_register", "coarse")).weaker
    assert weaker == {("write", "read"): "`v1 < r2` compares the two calls by a relation other than equality"}
    table = """
        read  || write : r1 == v2
        write || write : v1 != v2 or 1 == 1 and v1 == 0 and v2 == 0
        read  || read  : True
    """
    changes = {"fine": "", "coarse": table}
    points = translated(specifications_of(type("Odd", (shared_type("max_register"),), changes))["coarse"])
    assert points.weaker == {
        ("write", "write"): "`1 == 1` is about neither call",
        ("write", "read"): "`v1 == r2` can hold because terms of the two calls are equal",
    }


def test_access_points_of_a_set_are_reads_and_writes_of_elements() -> None:
    points = translated(specification("concurrent_set", "coarse"))
    add, none, one = (points.touched("add", *each) for each in (((1,), True), ((1,), False), ((2,), True)))
    size = points.touched("size", (), 3)
    assert not points.commute(add, none)
    assert points.commute(none, none)
    assert points.commute(add, one)
    assert not points.commute(add, size)
    assert points.commute(none, size)
    with pytest.raises(KeyError):
        points.touched("update", (1,), None)


def calls_of(specified: Specification, rng: random.Random) -> tuple[Any, list[Invocation]]:
    """Some calls of one object, one after the other, with a state that it began in."""
    kind = specified.kind
    state = initial = rng.choice(list(kind.initials))
    calls: list[Invocation] = []
    for _ in range(40):
        method = rng.choice(list(specified.methods.values()))
        arguments = tuple(rng.choice(list(kind.scope[parameter])) for parameter in method.parameters)
        step = method.step(state, *arguments)
        if step is BLOCKED or not kind().bounded(step[0]):
            continue
        row = Row(2 * len(calls))
        called = (specified.name, "o", method.name, arguments, step[1])
        calls.append(Invocation(row, Row(row + 1), ThreadIndex(len(calls) % 2), *called))
        state = step[0]
    return initial, calls


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_neighbours_that_do_not_conflict_can_be_exchanged(name: str, variant: str) -> None:
    """As explorers use it: an execution in which two such calls change places gives the same results and states."""
    specified = specification(name, variant)
    exchanged = 0
    for seed in range(20):
        initial, calls = calls_of(specified, random.Random(seed))
        states = dict(states_before(specified.kind, initial, calls))
        assert len(states) == len(calls)
        conflicts = SpecifiedConflicts({name: specified}, states)
        for at in range(len(calls) - 2):
            if conflicts.invocations(calls[at], calls[at + 1]):
                continue
            exchanged += 1
            order = [*calls[:at], calls[at + 1], calls[at], *calls[at + 2 :]]
            after = dict(states_before(specified.kind, initial, order))
            assert len(after) == len(calls)
            assert after[calls[at + 2].begin] == states[calls[at + 2].begin]
    assert exchanged or name in ("itertools.count", "threading.Lock", "threading.Barrier")


def call(method: str, *arguments: Any, receiver: str = "o", kind: str = "set", begin: int = 0) -> Invocation:
    return Invocation(Row(begin), Row(begin + 1), ThreadIndex(0), kind, receiver, method, arguments, None)


def test_what_is_not_specified_conflicts() -> None:
    fine = specification("set", "fine")
    conflicts = SpecifiedConflicts({"set": fine})
    assert not conflicts.invocations(call("add", 1), call("add", 2))
    assert not conflicts.invocations(call("pop"), call("pop", receiver="p"))
    assert conflicts.invocations(call("add", 1), call("pop"))
    assert conflicts.invocations(call("add", 1), call("add"))
    assert conflicts.invocations(call("add", 1, kind="list"), call("add", 2, kind="list"))
    # A condition that looks at a state holds only where the states are known.
    assert conflicts.invocations(call("contains", 1), call("clear", begin=2))
    known = SpecifiedConflicts({"set": fine}, {Row(0): frozenset(), Row(2): frozenset()})
    assert not known.invocations(call("contains", 1), call("clear", begin=2))


def test_states_are_known_up_to_what_the_model_does_not_explain() -> None:
    calls = [call("add", 1), call("size", begin=2), call("add", 2, begin=4)]
    assert list(states_before(shared_type("set"), frozenset(), calls)) == [(0, frozenset()), (2, frozenset({1}))]


def test_models_that_fail_are_told() -> None:
    class Failing(SharedType):
        initials = (0,)

        def get(self, s: int) -> Any:
            return s, [1]

        fine = "get || get : True"

    with pytest.raises(MazurkaError, match=r"the model fails: get\(\) in state 0: TypeError"):
        verify(specifications_of(Failing)["fine"])


def test_a_scope_without_an_end_is_told() -> None:
    class Endless(SharedType):
        initials = (0,)

        def next(self, s: int) -> Any:
            return s + 1, s

        fine = "next || next : False"

    with pytest.raises(MazurkaError, match="more than 20,000 states"):
        states_of(Endless)


#: Values of the larger scopes, by parameter: more than the library's own, falsy ones, and None where there is one.
LARGER = {
    "k": ("a", "b", "c"),
    "n": (-1, 0, 1, 2),
    "i": (0, 1, 2, 3),
    "x": range(4),
    "y": range(4),
    "w": (-1, 0, 1, 2),
    "d": ("a", "b", "c"),
    "t": ("1", "2", "3"),
}


def larger(kind: type[SharedType]) -> type[SharedType]:
    """The same type in a larger scope."""
    scope = {parameter: LARGER.get(parameter, ()) or (*kind.scope[parameter], 7) for parameter in kind.scope}
    if name_of(kind) == "list":
        scope["i"] = range(-4, 5)
    if name_of(kind) == "concurrent.futures.Executor":
        scope["v"] = ("f", "g", "h")
    changes: dict[str, Any] = {"scope": scope}
    if name_of(kind) in ("union_find", "partition"):
        changes["initials"] = (tuple(range(4)),)
    return type(kind.__name__, (kind,), changes)


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in TYPES if shared_type(name).scope])
def test_conditions_in_larger_scopes(name: str) -> None:
    for variant, specified in specifications_of(larger(shared_type(name))).items():
        found = verify(specified)
        assert [str(each.counterexample) for each in found if not each.is_sound] == []
        assert variant == "coarse" or [each.methods for each in found if not each.is_exact] == []
