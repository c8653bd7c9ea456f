"""The violations of properties that a trace proves are those of the oracle, which tries all orders; each finding has a
witness that the checker accepts; and a monitor sees in every execution the words that the oracle sees."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.oracle.properties import (
    Shown,
    Violations,
    ViolationsOfWholeOperations,
    in_language,
    random_objects,
    random_property,
    with_conditions,
    with_distinct,
)
from tests.oracle.random_traces import Recorder

from mazurka.causal.solver import Infeasible, Unknown
from mazurka.predict import questions
from mazurka.predict.property_search import PropertySearch
from mazurka.program.protocol import Step
from mazurka.properties.automaton import Automaton
from mazurka.trace.columns import assemble, parts_of
from mazurka.trace.event import Op
from mazurka.trace.patterns import Stated, letters, protocol
from mazurka.trace.property_events import target_of
from mazurka.trace.trace import Trace, trace_of
from mazurka.witness import Checker, PropertyViolation, Witness

#: Traces per test run; ``make test-long`` draws three thousand.
_TRACES = {"long": 3_000}.get(os.environ.get("HYPOTHESIS_PROFILE", ""), 240)
_SHARE = 60


def drawn(seed: int, waiting: bool = False) -> tuple[Trace, Stated]:
    """A trace with property events, some of which take place with an access, and a property. ``waiting``: threads may
    wait on a condition."""
    rng = random.Random(seed)
    stated = with_conditions(random_property(rng), rng) if seed % 4 == 3 else random_property(rng)
    stated = with_distinct(stated) if seed % 5 == 1 else stated
    recorder = Recorder(rng, rng.choice((2, 2, 3)), bool(seed & 1), bool(seed & 2), waiting)
    recorder.record(rng.randrange(1, 7))
    changed = [step.op in (Op.READ, Op.WRITE) and seed % 3 == 0 and rng.random() < 0.4 for step in recorder.log]
    log = [
        step._replace(op=Op.RMW, value=None) if change else step
        for step, change in zip(recorder.log, changed, strict=True)
    ]
    for _ in range(rng.randrange(3, 7)):
        event = rng.choice("abc")
        objects = random_objects(stated, event, rng)
        place = rng.randrange(len(log) + 1)
        glued = place > 0 and log[place - 1].op in (Op.READ, Op.WRITE, Op.RMW) and rng.random() < 0.6
        alive = [t for t in range(len(recorder.names)) if not _is_not_alive(log, place, t)]
        if not alive:
            continue
        thread = log[place - 1].task if glued else rng.choice(alive)
        needs_value = glued and log[place - 1].op is not Op.WRITE and seed % 7 < 3
        log.insert(place, Step(thread, Op.POINT, target_of("p", event, objects, glued, needs_value), 0, True))
    return assemble(parts_of(trace_of(recorder.names, log))), stated


def _is_not_alive(log: list[Step], place: int, thread: int) -> bool:
    return (
        any(step.op is Op.END and step.task == thread for step in log[:place])
        or any(
            (step.op is Op.JOIN and step.target[-1] == str(thread) and number < place)
            or (step.op in (Op.FORK, Op.BEGIN) and step.target[-1] == str(thread) and number >= place)
            for number, step in enumerate(log)
        )
        or _is_parked(log, place, thread)
    )


def _is_parked(log: list[Step], place: int, thread: int) -> bool:
    """Whether a thread waits on a condition, or is giving up its lock for that."""
    before = [step.op for step in log[:place] if step.task == thread]
    after = [step.op for step in log[place:] if step.task == thread]
    return Op.WAIT in (*before[-1:], *after[:1]) or (before[-2:] == [Op.WAIT, Op.RELEASE])


def _found(trace: Trace, stated: Stated) -> Iterator[tuple[Shown, Witness]]:
    """All answers to all candidates; none may be undecided."""
    search = PropertySearch(trace, stated)
    for several in search.groups().values():
        for candidate in several:
            answer = search.decide(candidate)
            assert isinstance(answer, Witness | Infeasible), answer
            if isinstance(answer, Witness):
                claim = answer.claim
                assert isinstance(claim, PropertyViolation)
                yield Shown(tuple(claim.steps), 2 * claim.at_once), answer
    assert not search.left, (str(stated.pattern), search.left)


@pytest.mark.sampled
@pytest.mark.parametrize("first", range(0, _TRACES, _SHARE))
def test_violations_are_those_of_the_oracle(first: int) -> None:
    violated = 0
    for seed in range(first, first + _SHARE):
        trace, stated = drawn(seed)
        expected = Violations(trace, stated).all()
        checker = Checker(trace)
        found = set()
        for shown, witness in _found(trace, stated):
            assert shown in expected, (seed, str(stated.pattern), shown)
            assert not checker.objections(witness), (seed, str(stated.pattern), checker.objections(witness))
            found.add(shown)
        ends = [{ends_of(each, stated) for each in several} for several in (found, expected)]
        assert ends[0] == ends[1], (seed, str(stated.pattern), found, expected)
        violated += bool(expected)
    assert violated


@pytest.mark.parametrize("first", range(0, _TRACES // 4, _SHARE))
def test_few_rows_refute_no_violation(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of long traces a few rows are asked first, and windows see no other rows: what they refute is no violation."""
    asked = 0
    for seed in range(first, first + _SHARE):
        trace, stated = drawn(seed)
        rng = random.Random(seed)
        monkeypatch.setattr(questions, "_CLOSE", rng.choice((0, 1, 2)))
        expected, checker = Violations(trace, stated).all(), Checker(trace)
        for window in (None, rng.choice((8, 12))):
            search = PropertySearch(trace, stated, window)
            answers = [search.decide(each) for group in search.groups().values() for each in group]
            found = set()
            for answer in answers:
                if isinstance(answer, Witness):
                    assert isinstance(answer.claim, PropertyViolation)
                    found.add(Shown(tuple(answer.claim.steps), 2 * answer.claim.at_once))
                    assert not checker.objections(answer), (seed, str(stated.pattern), checker.objections(answer))
            undecided = any(isinstance(answer, Unknown) for answer in answers)
            ends = [{ends_of(each, stated) for each in several} for several in (found, expected)]
            assert ends[0] == ends[1] or (undecided and window and ends[0] < ends[1]), (seed, str(stated.pattern))
            asked += len(answers)
    assert asked


def operations(seed: int) -> tuple[Trace, Stated]:
    """A trace of operations of one to three accesses, most of them with property events, and a property."""
    rng = random.Random(seed)
    stated = random_property(rng)
    threads = 2
    log = [Step(0, Op.FORK, ("thread", str(each)), 0, True) for each in range(1, threads)]
    for number in range(1, rng.randrange(4, 7)):
        thread = rng.randrange(threads)
        log += [
            Step(thread, rng.choice((Op.READ, Op.WRITE, Op.RMW)), ("var", rng.choice("xyz")), number, True)
            for _ in range(rng.choice((1, 2, 2, 3)))
        ]
        names = [rng.choice("abc") for _ in range(rng.choice((0, 1, 1, 2)))]
        needs_value = seed % 7 < 2 and rng.random() < 0.5
        for event in sorted(names, key=lambda each: each not in stated.before):  # as they are recorded
            objects = [rng.choice("01") for _ in stated.events[event]]
            target = target_of("p", event, objects, True, needs_value)
            log.append(Step(thread, Op.POINT, target, number, True))
    trace = trace_of([str(each) for each in range(threads)], log)
    return assemble(parts_of(replace(trace, locations=tuple(f"p.py:{n}" for n in range(6))))), stated


@pytest.mark.sampled
@pytest.mark.parametrize("first", range(0, _TRACES, _SHARE))
def test_violations_are_those_of_whole_operations(first: int) -> None:
    """Of operations of several rows nothing is reported that is not in an execution of whole operations; what is
    refuted is in none."""
    violated = several = 0
    for seed in range(first, first + _SHARE):
        trace, stated = operations(seed)
        expected = ViolationsOfWholeOperations(trace, stated).all()
        checker, search = Checker(trace), PropertySearch(trace, stated)
        several += any(event.first != event.row for event in search.events)
        found, undecided = set(), False
        for candidate in (each for group in search.groups().values() for each in group):
            answer = search.decide(candidate)
            undecided |= isinstance(answer, Unknown)
            if isinstance(answer, Witness):
                assert isinstance(answer.claim, PropertyViolation)
                shown = Shown(tuple(answer.claim.steps), 2 * answer.claim.at_once)
                assert shown in expected, (seed, str(stated.pattern), shown)
                assert not checker.objections(answer), (seed, str(stated.pattern), checker.objections(answer))
                found.add(shown)
        ends = [{ends_of(each, stated) for each in several_} for several_ in (found, expected)]
        assert undecided or ends[0] == ends[1], (seed, str(stated.pattern), found, expected)
        violated += bool(found)
    assert violated
    assert several


def ends_of(shown: Shown, stated: Stated) -> tuple[int, ...]:
    """The first and last events of a violation, or the two at once: of the violations that differ only in events
    between these, one is found; of a protocol the last."""
    if shown.at_once:
        return shown.points[-2:]
    return shown.points[-1:] if protocol(stated.pattern) is not None else (shown.points[0], shown.points[-1])


@pytest.mark.parametrize("first", range(0, _TRACES, _SHARE))
def test_automata_decide_words(first: int) -> None:
    for seed in range(first, first + _SHARE):
        rng = random.Random(seed)
        pattern = protocol(random_property(rng).pattern) or random_property(rng).pattern
        if "||" in str(pattern):
            continue
        alphabet = sorted({frozenset({letter}) for letter in letters(pattern)}, key=str)
        word = tuple(rng.choice(alphabet) for _ in range(rng.randrange(6)))
        automaton = Automaton(pattern, alphabet)
        state = automaton.start
        for symbol in word:
            state = automaton.after(state, symbol)
        assert automaton.accepts(state) == in_language(pattern, word), (seed, str(pattern), word)
