"""Which rows of a trace the calls of modelled objects stand for."""

from __future__ import annotations

from typing import Any

from tests.later import Later

from mazurka.program.protocol import Step
from mazurka.trace.columns import assemble, parts_of
from mazurka.trace.event import Op
from mazurka.trace.invocations import method_target, recorded
from mazurka.trace.trace import Trace, trace_of

call_events = Later("mazurka.trace.call_events")

OBJECT = ("memory", "o")
OTHER = ("memory", "p")


def _trace(*events: tuple[int, Op, str] | tuple[int, Op, str, Any]) -> Trace:
    """Of thread, operation, name and value; calls are of the method `read`."""
    kinds = {Op.ACQUIRE: "lock", Op.RELEASE: "lock"}

    def step(thread: int, op: Op, name: str, value: Any = None) -> Step:
        if op in (Op.CALL, Op.RETURN):
            told = recorded(() if op is Op.CALL else value)
            return Step(thread, op, method_target("memory", name, "read"), 0, True, told)
        return Step(thread, op, (kinds.get(op, "var"), name), 0, True, value)

    return assemble(parts_of(trace_of(("1", "2"), [step(*each) for each in events])))


def _locked(thread: int, name: str) -> list[tuple[int, Op, str]]:
    return [
        (thread, Op.CALL, name),
        (thread, Op.ACQUIRE, "m"),
        (thread, Op.READ, "x"),
        (thread, Op.RELEASE, "m"),
        (thread, Op.RETURN, name),
    ]


def _ops(trace: Trace) -> str:
    return " ".join(Op(int(op)).name.lower() for op in trace.op)


def test_what_only_calls_of_an_object_touch_does_not_count() -> None:
    events = call_events.call_events(_trace(*_locked(0, "o"), *_locked(1, "o")), {OBJECT})
    assert _ops(events.trace) == "call nop nop nop return call nop nop nop return"
    assert list(events.calls) == [3, 8]  # where the lock is given back
    assert events.effect == {0: 3, 5: 8}


def test_what_others_touch_does() -> None:
    for other in ((1, Op.READ, "x"), (1, Op.ACQUIRE, "m")):
        events = call_events.call_events(_trace(*_locked(0, "o"), other), {OBJECT})
        kept = "read" if other[1] is Op.READ else "acquire"
        assert kept in _ops(events.trace)
    events = call_events.call_events(_trace(*_locked(0, "o"), *_locked(1, "p")), {OBJECT, OTHER})
    assert "nop" not in _ops(events.trace)
    assert list(events.calls) == [4, 9]  # where they return


def test_calls_that_change_something_besides() -> None:
    started = [(0, Op.CALL, "o"), (0, Op.WRITE, "x"), (0, Op.RETURN, "o")]
    assert call_events.call_events(_trace(*started, *_locked(1, "o")), {OBJECT}).doing_more == frozenset()
    events = call_events.call_events(_trace(*started, (1, Op.READ, "x"), *_locked(1, "o")), {OBJECT})
    assert events.doing_more == {2}
    inside = _trace((0, Op.CALL, "o"), (0, Op.CALL, "p"), (0, Op.RETURN, "p"), (0, Op.RETURN, "o"))
    assert call_events.call_events(inside, {OBJECT, OTHER}).doing_more == {3}


def test_making_an_object_comes_before_its_calls() -> None:
    made = _trace((0, Op.WRITE, "x"), *_locked(0, "o"), *_locked(1, "o"))
    events = call_events.call_events(made, {OBJECT})
    assert events.made == {OBJECT: [0]}
    assert _ops(events.trace).startswith("write call nop nop nop")
    late = _trace(*_locked(0, "o"), (0, Op.WRITE, "x"), *_locked(1, "o"))
    assert "read" in _ops(call_events.call_events(late, {OBJECT}).trace)
    by_two = _trace((0, Op.WRITE, "x"), (1, Op.WRITE, "x"), *_locked(1, "o"))
    assert "read" in _ops(call_events.call_events(by_two, {OBJECT}).trace)


def test_a_call_within_one_of_the_same_object_is_part_of_it() -> None:
    nested = _trace((0, Op.CALL, "o"), (0, Op.CALL, "o"), (0, Op.CALL, "p"), (0, Op.RETURN, "p"), (0, Op.RETURN, "o"))
    again = _trace(*[(0, Op.CALL, each) for each in "oop"], *[(0, Op.RETURN, each) for each in "poo"])
    assert [call.receiver for call in call_events.call_events(again, {OBJECT, OTHER}).calls.values()] == ["p", "o"]
    events = call_events.call_events(nested, {OBJECT, OTHER})
    assert events.unfinished == {0}


def test_calls_of_other_objects_are_in_the_order_of_the_trace() -> None:
    events = call_events.call_events(_trace(*_locked(0, "o"), *_locked(1, "p"), *_locked(0, "p")), {OBJECT})
    rows = [row for row, op in enumerate(events.trace.op) if op == Op.RMW]
    assert rows == [9, 14]
    assert len({int(events.trace.target[row]) for row in rows}) == 1
    assert list(events.calls) == [4]
