"""Traces drawn at random, our own runs among them, are the same after having been written and read."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracle.generate import random_program
from tests.oracle.program import OracleProgram
from tests.oracle.traces import random_log

from mazurka.errors import MazurkaError
from mazurka.program.protocol import Plan, Step
from mazurka.trace.columns import Parts, assemble, parts_of
from mazurka.trace.event import Event, Location, Op
from mazurka.trace.formats.focs import INVENTED
from mazurka.trace.formats.format import FORMATS, named
from mazurka.trace.invocations import Invocation, invocations, method_target, recorded
from mazurka.trace.literals import Opaque, Raised, Value, value_of
from mazurka.trace.literals import text_of as text_of_value
from mazurka.trace.locations import location_of, text_of
from mazurka.trace.reading import read_trace
from mazurka.trace.trace import Trace, trace_of
from mazurka.trace.writing import write_trace

EVERYTHING = ("parquet", "csv")


def with_places(trace: Trace, rows: int) -> Parts:
    """In parts of so many rows, at places of all kinds."""
    places = [Location("a.py", 3), Location("a.py", 4, 7), Location("b c.py", 5, 0, "f.<locals>.g"), Location("162", 0)]
    parts = parts_of(trace, rows)
    names = parts.names.__class__(parts.names.threads, parts.names.targets, parts.names.values, places)
    return Parts(names, (part._replace(site=part.target % 5 - 1) for part in parts.rows))


def told(trace: Trace, *without: str) -> list[Event]:
    lacking = dict.fromkeys(without)
    return [Event(**{name: getattr(event, name) for name in event.__slots__} | lacking) for event in trace.events()]


@pytest.mark.parametrize("seed", range(25))
def test_random_traces(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    log = random_log(rng, 30, 4, valued=True, branching=True)
    trace = trace_of(["0", "1", "2", "3"], log)
    whole = assemble(with_places(trace, 1 << 20))
    for kind in EVERYTHING:
        path = tmp_path / f"trace.{kind}"
        assert write_trace(with_places(trace, rng.randrange(1, 9)), path, named(kind)) == []
        assert told(read_trace(path)) == told(whole)


@pytest.mark.parametrize("seed", range(10))
def test_runs_of_our_own(tmp_path: Path, seed: int) -> None:
    """Their targets are tuples of any length, and locks are read by attempts that fail."""
    run = OracleProgram(random_program(seed)).execute(Plan())
    trace = trace_of(run.tasks, run.log)
    for kind in EVERYTHING:
        path = tmp_path / f"trace.{kind}"
        write_trace(parts_of(trace, 7), path, named(kind))
        again = read_trace(path)
        assert told(again, "value", "location") == told(assemble(parts_of(trace)), "value", "location")
        assert write_trace(parts_of(again), tmp_path / "again", named(kind)) == []
        assert told(read_trace(tmp_path / "again", kind)) == told(again)


HELD_BY_ALL = frozenset({Op.READ, Op.WRITE, Op.ACQUIRE, Op.RELEASE, Op.FORK, Op.JOIN, Op.BEGIN, Op.END})
THREADS = ("T0", "T1", "worker", "7")


def plain_trace(rng: random.Random) -> Trace:
    """A trace of operations that every format has; some values are known, some of those are numbers."""
    log = random_log(rng, 40, 4, valued=rng.random() < 0.8, branching=False)
    return trace_of(THREADS, [_plain(rng, step) for step in log if step.op in HELD_BY_ALL])


def _plain(rng: random.Random, step: Step) -> Step:
    if step.target[0] == "thread":
        return step._replace(target=("thread", THREADS[int(step.target[1])]))
    value = None if step.value is None else rng.choice((None, f"{step.value}", f"{step.value}!"))
    kind = "lock" if step.op in (Op.ACQUIRE, Op.RELEASE) else "var"
    return step._replace(target=(kind, str(step.target)), value=value)


@pytest.mark.parametrize("kind", [known.name for known in FORMATS if known.name != "rvpredict"])
@pytest.mark.parametrize("seed", range(12))
def test_what_is_not_told_as_lost_is_there(tmp_path: Path, kind: str, seed: int) -> None:
    """Names that are numbered anew are different where they were; all else is as it was."""
    rng = random.Random(seed)
    trace = assemble(with_places(plain_trace(rng), 1 << 20))
    path = tmp_path / "written"
    try:
        lost = write_trace(parts_of(trace, rng.randrange(1, 9)), path, named(kind))
    except MazurkaError as error:
        assert error.slug == "trace-cannot-carry"
        assert kind == "speedygo" or "T7" in str(error)
        return
    told = " ".join(lost)
    left_out = {op for op in (Op.BEGIN, Op.END) if f" {op.name.lower()} event" in told}
    before = [event for event in trace.events() if event.op not in left_out]
    after = list(read_trace(path, kind).events())
    assert [event.op for event in after] == [event.op for event in before]
    for field, word in (("thread", ""), ("target", ""), ("location", "locations"), ("value", "values")):
        if word in lost:
            continue
        pairs = [(getattr(old, field), getattr(new, field)) for old, new in zip(before, after, strict=True)]
        same = {pair for pair in pairs if pair[0] is not None}
        assert len({old for old, _ in same}) == len({new for _, new in same}) == len(same)
        assert "numbered instead" in told or "%20" in told or all(old == new for old, new in same)
        if field == "location":
            assert not {new for old, new in pairs if old is None} & {new for _, new in same}


@pytest.mark.parametrize("seed", range(20))
def test_a_value_that_is_invented_is_that_of_one_write(tmp_path: Path, seed: int) -> None:
    """Into focs, which has no way to say that a value is not known: a read could see any write of its value."""
    before = plain_trace(random.Random(seed))
    path = tmp_path / "a.focs"
    write_trace(parts_of(before, 5), path, named("focs"))
    after = read_trace(path)
    values: dict[str, list[str]] = {}  # that a variable has had
    for old, new in zip(before.events(), after.events(), strict=True):
        if new.op not in (Op.READ, Op.WRITE):
            assert new.value is None
            continue
        had, value = values.setdefault(str(new.target), []), str(new.value)
        if old.value is not None:
            assert int(value.strip("'")) < INVENTED
        elif new.op is Op.WRITE or not had:
            assert value not in had
        else:
            assert value == had[-1]
        had.append(value)


def test_different_names_stay_different() -> None:
    log = [
        Step(0, Op.WRITE, target, 1, True, value, ())
        for target in (("v", "a b"), ("v", "a", "b"))
        for value in (1, "1")
    ]
    names = parts_of(trace_of(["0"], log)).names
    assert len(set(names.targets)) == len(set(names.values)) == 2


@given(st.text())
def test_any_text_is_a_location(text: str) -> None:
    assert text_of(location_of(text)) == text


def values() -> st.SearchStrategy[Value]:
    scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(max_size=4)
    named = st.builds(Opaque, st.text()) | st.builds(Raised, st.text())
    return st.recursive(
        scalars | named, lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner, max_size=3)
    )


@given(values())
def test_any_value_is_a_text(value: Value) -> None:
    text = text_of_value(value)
    assert value_of(text) == value
    assert text_of_value(value_of(text)) == text
    assert text.isprintable()


VALUES = st.sampled_from(
    (None, True, 1, 1.0, "", "a,b %41\n", b"\0", (), (1, ("x",)), frozenset({1, "y"}), Opaque("list#1"), Raised("E"))
)


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from("st"), st.lists(VALUES, max_size=2), VALUES), max_size=9))
def test_invocations_of_several_threads(tmp_path_factory: pytest.TempPathFactory, calls: list[Any]) -> None:
    """Each thread makes a call within its previous one, and all return at the end."""
    log: list[Step] = []
    ends: list[list[Step]] = [[], [], []]
    for number, (thread, receiver, arguments, result) in enumerate(calls):
        target = method_target("pkg.Set", f"{receiver} of 1", f"m{number}")
        log.append(Step(thread, Op.CALL, target, 0, False, recorded(tuple(arguments))))
        log.append(Step(thread, Op.WRITE, ("a", number, "x"), 0, True, result))
        ends[thread].append(Step(thread, Op.RETURN, target, 0, False, recorded(result)))
    log += [each for own in ends for each in reversed(own)]
    trace = trace_of(["0", "1", "2"], log)
    found = list(invocations(trace))
    assert sorted((each.begin // 2, each.arguments, text_of_value(each.result)) for each in found) == [
        (number, tuple(arguments), text_of_value(result)) for number, (*_, arguments, result) in enumerate(calls)
    ]
    for kind in EVERYTHING:
        path = tmp_path_factory.mktemp("calls") / f"trace.{kind}"
        if calls:
            assert write_trace(parts_of(trace, 3), path, named(kind)) in (
                [],
                ["spaces and such in names, written as %20"],
            )
            read = read_trace(path)
            assert [seen(each, read) for each in invocations(read)] == [seen(each, trace) for each in found]


def seen(each: Invocation, trace: Trace) -> tuple[Any, ...]:
    return each.begin, each.end, trace.threads[each.thread], each.type_name, str(each)
