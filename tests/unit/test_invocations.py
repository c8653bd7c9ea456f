"""Method calls in traces: which rows are invocations, and which can't be."""

from __future__ import annotations

from typing import Any

import pytest

from mazurka.errors import MazurkaError
from mazurka.predict.races import RacePredictor
from mazurka.program.protocol import Step
from mazurka.trace.columns import assemble, parts_of
from mazurka.trace.conflicts import READ_WRITE, shown
from mazurka.trace.event import Op
from mazurka.trace.invocations import Invocation, invocations, method_target, recorded
from mazurka.trace.literals import Opaque, Raised, plain, text_of, value_of
from mazurka.trace.trace import trace_of

ADD = method_target("set", "s", "add")
SIZE = method_target("set", "s", "size")


def step(task: int, op: Op, target: Any, value: Any = None) -> Step:
    return Step(task, op, target, 0, True, value)


def call(task: int, target: Any, *arguments: Any) -> Step:
    return step(task, Op.CALL, target, recorded(arguments))


def returns(task: int, target: Any, result: Any) -> Step:
    return step(task, Op.RETURN, target, recorded(result))


def test_calls_of_two_threads_interleave_and_those_of_one_nest() -> None:
    log = [
        call(0, ADD, "a"),
        call(1, ADD, 1),
        step(0, Op.WRITE, ("var", "x"), "(1,)"),
        call(0, SIZE),
        returns(0, SIZE, 0),
        returns(1, ADD, True),
        returns(0, ADD, Raised("KeyError")),
        call(1, SIZE),  # does not return
    ]
    found = list(invocations(trace_of(["0", "1"], log)))
    assert [(each.begin, each.end, each.thread, each.method) for each in found] == [
        (3, 4, 0, "size"),
        (1, 5, 1, "add"),
        (0, 6, 0, "add"),
    ]
    assert [(each.arguments, each.result) for each in found] == [((), 0), ((1,), True), (("a",), Raised("KeyError"))]
    assert {(each.type_name, each.receiver) for each in found} == {("set", "s")}
    assert str(found[2]) == "s.add('a') = raised('KeyError')"


def test_equal_values_of_different_types_stay_different() -> None:
    log = [each for value in (1, True, 1.0) for each in (call(0, ADD, value), returns(0, ADD, value))]
    found = [each.result for each in invocations(trace_of(["0"], log))]
    assert [type(each) for each in found] == [int, bool, float]


def test_calls_without_values_are_no_invocations() -> None:
    log = [step(0, op, target) for op in (Op.RETURN, Op.CALL) for target in (ADD, ("function", "f"), ("method", "f"))]
    assert list(invocations(trace_of(["0"], log))) == []


def test_names_that_plain_words_would_mix_up() -> None:
    """`parts_of` calls targets by their literals then."""
    log = [
        call(0, ADD),
        returns(0, ADD, None),
        step(0, Op.WRITE, ("v", "a b")),
        step(0, Op.WRITE, ("v", "a", "b")),
    ]
    (found,) = invocations(assemble(parts_of(trace_of(["0"], log))))
    assert (found.type_name, found.receiver, found.method, found.result) == ("set", "s", "add", None)


@pytest.mark.parametrize(
    ("log", "what"),
    [
        ([returns(0, ADD, 1)], "row 0: a method returns"),
        ([call(0, ADD), returns(0, SIZE, 1)], "row 1: a method returns"),
        ([call(0, ADD), returns(1, ADD, 1)], "row 1: a method returns"),
        ([step(0, Op.CALL, ADD, 7), returns(0, ADD, 1)], "row 0: the arguments"),
        ([step(0, Op.CALL, ADD, "f()"), returns(0, ADD, 1)], "row 0: no value"),
        ([call(0, ("method", "x")), returns(0, ("method", "x"), 1)], "row 0: a call of something"),
    ],
)
def test_what_can_be_no_invocation(log: list[Step], what: str) -> None:
    with pytest.raises(MazurkaError, match=what) as raised:
        list(invocations(trace_of(["0", "1"], log)))
    assert raised.value.slug == "trace-malformed"


@pytest.mark.parametrize("names", [("", "s", "add"), ("a set", "s", "add"), ("set", "s", "a b"), ("set", "", "add")])
def test_names_of_methods(names: tuple[str, str, str]) -> None:
    with pytest.raises(ValueError, match="no names"):
        method_target(*names)


def test_objects_are_their_identities() -> None:
    value = plain((1, [2], frozenset({None})), lambda thing: f"{type(thing).__name__}#1")
    assert value == (1, Opaque("list#1"), frozenset({None}))
    assert value_of(text_of(value)) == value


@pytest.mark.parametrize(
    "text", ["", "x", "f(1)", "1 + 1", "[1]", "{1}", "-'a'", "(" * 100, "opaque(1)", "1j", "'a' 'b'(1)", "\0", "-" * 99]
)
def test_texts_of_no_value(text: str) -> None:
    with pytest.raises(ValueError, match=r"no value|nested"):
        value_of(text)


def test_what_conflicts_is_asked_of_a_protocol() -> None:
    """A predictor that is given other conflicts than those of reads and writes goes by them."""

    class OnlyUpdates:
        """Reads and plain writes commute."""

        accesses = tuple(tuple(one is other is Op.RMW for other in Op) for one in Op)

        def invocations(self, one: Invocation, other: Invocation) -> bool:
            return False

    log = [
        step(1, Op.READ, ("var", "z")),
        step(0, Op.WRITE, ("var", "x")),
        step(1, Op.WRITE, ("var", "x")),
        step(0, Op.RMW, ("var", "y"))._replace(site=1),
        step(1, Op.RMW, ("var", "y"))._replace(site=2),
    ]
    trace = trace_of(["0", "1"], log)
    assert [each.rows for each in RacePredictor().predict(trace)] == [(1, 2), (3, 4)]
    assert [each.rows for each in RacePredictor(conflicts=OnlyUpdates()).predict(trace)] == [(3, 4)]
    assert [each.target for each in shown(log)] == [("var", "x"), ("var", "y")]
    assert [each.target for each in shown(log, OnlyUpdates())] == [("var", "y")]


def test_calls_of_one_object_conflict_as_long_as_nothing_is_known_of_its_methods() -> None:
    other = method_target("set", "t", "add")
    log = [each for target in (ADD, SIZE, other) for each in (call(0, target), returns(0, target, 0))]
    one, same, different = invocations(trace_of(["0"], log))
    assert READ_WRITE.invocations(one, same)
    assert not READ_WRITE.invocations(one, different)
