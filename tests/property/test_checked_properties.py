"""Checks hold every order of a program to a property: their verdicts equal those of an automaton that is run over all
interleavings of the threads' events."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.drawn import some_of
from tests.oracle.properties import random_property

from mazurka.explore.explorer import Explorer
from mazurka.explore.outcome import Inconclusive, Verified, Violation
from mazurka.program.protocol import FailureKind
from mazurka.program.python.entry import Function
from mazurka.program.python.program import PythonProgram
from mazurka.program.settings import Isolation, ProgramSettings
from mazurka.properties.monitor import Monitor
from mazurka.properties.parsing import parsed
from mazurka.properties.property import Anything, EventDeclaration, Named, Pointcut, PointcutKind, Property
from mazurka.properties.registry import find
from mazurka.trace.patterns import Alternation, Complement, Concatenation, Pattern, Stated, endings

_STRATEGIES = ("mcr", "dpor", "se-mcr", "dfs", "icb-dpor", "mcr-s")
_PROGRAMS = 16
_SHARE = 4
_LOCKINGS = some_of(6)


class Act(NamedTuple):
    """One operation of a thread: an event with its objects, or an operation on the lock."""

    name: str
    objects: tuple[int, ...] = ()


def _threads(rng: random.Random, events: dict[str, tuple[str, ...]]) -> list[list[Act]]:
    threads = []
    for _ in range(rng.choice((2, 2, 3))):
        acts: list[Act] = []
        for _ in range(rng.choice((1, 2, 3) if len(threads) < 2 else (1,))):
            event = rng.choice(sorted(events))
            act = Act(event, tuple(rng.choice((1, 1, 2)) for _ in events[event]))
            acts += [Act("acquire"), act, Act("release")] if rng.random() < 0.2 else [act]
        threads.append(acts)
    return threads


#: Methods of dictionaries that are events, by event and number of objects.
_METHODS = {"a": ("copy", "get", "pop"), "b": ("clear", "__contains__", "setdefault"), "c": ("keys", "get", "get")}


def _names_of(event: str, parameters: tuple[str, ...], module: str, steps: bool) -> tuple[str, ...]:
    """The name of the operation that is an event: of a function, or of a method that is one step."""
    return (f"dict.{_METHODS[event][len(parameters)]}",) if steps else (f"{module}.{event}",)


def _program(threads: list[list[Act]], events: dict[str, tuple[str, ...]], steps: bool) -> str:
    lines = ["import threading", "lock = threading.Lock()", "table = {0: 0}", "other = 0"]
    for event, parameters in events.items():
        lines += [f"def {event}({', '.join(parameters)}):", "    pass"]
    for number, acts in enumerate(threads):
        lines.append(f"def thread_{number}():")
        for act in acts:
            lock = act.name in ("acquire", "release")
            given = ", ".join(map(str, act.objects))
            called = f"table.{_METHODS[act.name][len(act.objects)]}" if steps and not lock else act.name
            lines.append(f"    lock.{act.name}()" if lock else f"    {called}({given})")
    bodies = ", ".join(f"thread_{number}" for number in range(len(threads)))
    lines += ["def program():", f"    threads = [threading.Thread(target=each) for each in ({bodies},)]"]
    lines += ["    for each in threads: each.start()", "    for each in threads: each.join()"]
    return "\n".join(lines) + "\n"


def _orders(threads: list[list[Act]]) -> Iterator[list[tuple[int, Act]]]:
    """All interleavings of the events."""

    def go(at: tuple[int, ...], holder: int | None) -> Iterator[list[tuple[int, Act]]]:
        moved = False
        for thread, acts in enumerate(threads):
            if at[thread] == len(acts):
                continue
            act = acts[at[thread]]
            if act.name == "acquire" and holder is not None:
                continue
            moved = True
            then = (*at[:thread], at[thread] + 1, *at[thread + 1 :])
            held = {"acquire": thread, "release": None}.get(act.name, holder)
            for rest in go(then, held):
                yield [(thread, act), *rest] if act.name not in ("acquire", "release") else rest
        if not moved:
            yield []

    return go((0,) * len(threads), None)


def _is_violated(stated: Stated, threads: list[list[Act]]) -> bool:
    pairs = _in_either_order(stated)
    return any(
        _completes(stated, order) or any(_completes(pairs, each) for each in _with_pairs(threads, order))
        for order in _orders(threads)
    )


def _completes(stated: Stated, order: list[tuple[int, Act]]) -> bool:
    monitor = Monitor(stated)
    return any(
        monitor.see(f"0.{thread + 1}", act.name, tuple(map(str, act.objects))) is not None for thread, act in order
    )


def _in_either_order(stated: Stated) -> Stated:
    """The words that end with two events at once, with these in either order, and in capitals."""
    if isinstance(stated.pattern, Complement):
        return replace(stated, pattern=Alternation(()))
    found: list[Pattern] = []
    for start, pair in endings(stated.pattern):
        if pair is not None:
            capitals = [replace(each, event=each.event.upper()) for each in (pair.first, pair.second)]
            found += [Concatenation((start, one, two)) for one, two in permutations(capitals)]
    events = {**stated.events, **{name.upper(): parameters for name, parameters in stated.events.items()}}
    return replace(stated, events=events, pattern=Alternation(tuple(found)))


def _with_pairs(threads: list[list[Act]], order: list[tuple[int, Act]]) -> Iterator[list[tuple[int, Act]]]:
    """The first events of an order with the next two of two threads, which can both be next unless both hold the
    lock."""
    for place in range(len(order) - 1):
        (one, _), (other, _) = order[place], order[place + 1]
        if one != other and not all(_is_locked(threads, order[:place], each) for each in (one, other)):
            yield order[:place] + [
                (thread, act._replace(name=act.name.upper())) for thread, act in order[place : place + 2]
            ]


def _is_locked(threads: list[list[Act]], before: list[tuple[int, Act]], thread: int) -> bool:
    """Whether the next event of a thread after these events is one for which it takes the lock."""
    made = sum(each[0] == thread for each in before)
    events = [place for place, act in enumerate(threads[thread]) if act.name not in ("acquire", "release")]
    return events[made] > 0 and threads[thread][events[made] - 1].name == "acquire"


def _property(stated: Stated, module: str, steps: bool) -> Property:
    declared = []
    for event, parameters in stated.events.items():
        operands = (*((Anything(),) if steps else ()), *map(Named, parameters))
        pointcut = Pointcut(PointcutKind.CALL, _names_of(event, parameters, module, steps), operands=operands)
        declared.append(EventDeclaration(event, parameters, (pointcut,)))
    names = tuple(dict.fromkeys(each for parameters in stated.events.values() for each in parameters))
    return Property("p", names, tuple(declared), stated.pattern)


def _outcome(file: Path, stated: Stated, strategy: str, steps: bool) -> bool | None:
    settings = ProgramSettings(
        roots=(str(file.parent),), isolation=Isolation.RESTORE, properties=(_property(stated, file.stem, steps),)
    )
    program = PythonProgram(Function(str(file), "program"), settings)
    try:
        program.prepare()
        explorer = Explorer(program, strategy)
        for _ in explorer.progress():
            pass
    finally:
        program.close()
        sys.modules.pop(file.stem, None)
    outcome = explorer.outcome
    if isinstance(outcome.verdict, Inconclusive):  # of methods, whose accesses depend on the dictionary's keys
        assert steps, outcome.verdict.reason
        assert strategy.startswith("mcr")
        assert "may depend on values" in outcome.verdict.reason
        return None
    assert isinstance(outcome.verdict, (Verified, Violation)), outcome.verdict
    for each in outcome.found:
        assert each.failure.kind is FailureKind.PROPERTY
        assert each.failure.kind_name == "p"
    return bool(outcome.found)


@lru_cache
def _cases(first: int) -> list[tuple[int, Stated, list[list[Act]], bool]]:
    cases = []
    for seed in range(first, first + _SHARE):
        rng = random.Random(seed)
        stated = random_property(rng)
        threads = _threads(rng, dict(stated.events))
        cases.append((seed, stated, threads, _is_violated(stated, threads)))
    return cases


def _distinct(stated: Stated) -> bool:
    """Whether methods of dictionaries distinguish the events."""
    named = [(_METHODS[event][len(parameters)], len(parameters)) for event, parameters in stated.events.items()]
    return len(set(named)) == len(named)


@pytest.mark.sampled
@pytest.mark.parametrize("strategy", _STRATEGIES)
@pytest.mark.parametrize("first", range(0, _PROGRAMS, _SHARE))
def test_verdicts_equal_those_over_all_orders(first: int, strategy: str, tmp_path: Path) -> None:
    for seed, stated, threads, violated in _cases(first):
        file = tmp_path / f"checked_{strategy.replace('-', '_')}_{seed}.py"
        steps = seed % 2 == 0 and _distinct(stated)
        file.write_text(_program(threads, dict(stated.events), steps))
        assert _outcome(file, stated, strategy, steps) in (violated, None), (
            f"seed {seed}: {stated.pattern}\n{file.read_text()}"
        )


_KEYS = """
import threading
table = {0: 0, 1: 1, 2: 2}
def work(key):
    if key in table:
        table[key] = 3
    if key in table:
        table[key] = 4
def program():
    threads = [threading.Thread(target=work, args=(each,)) for each in (0, 1, 2)]
    for each in threads: each.start()
    for each in threads: each.join()
"""


_READERS = """
import threading
table = {0: 0}
def work():
    for _ in range(2):
        if 0 in table:
            table[0]
def program():
    threads = [threading.Thread(target=work) for _ in range(3)]
    for each in threads: each.start()
    for each in threads: each.join()
"""


@pytest.mark.parametrize("strategy", _STRATEGIES)
def test_events_that_no_word_has_of_two_threads_are_independent(strategy: str, tmp_path: Path) -> None:
    """One execution stands for all: a check of one thread is in no word with a check of another one."""
    _verify_in_two_executions(_READERS, tmp_path / f"readers_{strategy.replace('-', '_')}.py", strategy)


@pytest.mark.parametrize("strategy", _STRATEGIES)
def test_events_of_different_objects_are_independent(strategy: str, tmp_path: Path) -> None:
    """One execution stands for all, as without the property: keys of one dictionary share no word."""
    _verify_in_two_executions(_KEYS, tmp_path / f"keys_{strategy.replace('-', '_')}.py", strategy)


def _verify_in_two_executions(source: str, file: Path, strategy: str) -> None:
    file.write_text(source)
    (stated,) = [each for each in find("check-then-act") if each.name == "check-then-act"]
    settings = ProgramSettings(roots=(str(file.parent),), isolation=Isolation.RESTORE, properties=(stated,))
    program = PythonProgram(Function(str(file), "program"), settings)
    try:
        program.prepare()
        explorer = Explorer(program, strategy)
        for _ in explorer.progress():
            pass
    finally:
        program.close()
        sys.modules.pop(file.stem, None)
    assert isinstance(explorer.outcome.verdict, Verified), explorer.outcome.verdict
    assert explorer.outcome.executions <= 2


_LOCK_PROPERTY = """
property p({parameters}):
    event a({parameters}): returning call {{threading.Lock, _thread.lock}}.acquire({operands}) -> True
        | returning enter {{threading.Lock, _thread.lock}}({operands})
    event b({parameters}): call {{threading.Lock, _thread.lock}}.release({operands})
        | exit {{threading.Lock, _thread.lock}}({operands})
    event c: call {module}.touch
    pattern: {pattern}
"""


def _locking(rng: random.Random) -> str:
    """A program of two or three threads that take locks, one of which perhaps within the other."""
    lines = ["import threading", "x, y = threading.Lock(), threading.Lock()", "data = [0]"]
    lines += ["def touch():", "    pass"]
    count = rng.choice((2, 2, 3))
    for number in range(count):
        lines.append(f"def thread_{number}():")
        for _ in range(rng.choice((1, 1, 2)) if count == 2 else 1):
            lock = rng.choice("xy")
            inner = rng.choice(("pass", "touch()", f"with {'y' if lock == 'x' else 'x'}: touch()", "data[0] += 1"))
            lines += [f"    with {lock}:", f"        {inner}"]
    bodies = ", ".join(f"thread_{number}" for number in range(count))
    lines += ["def program():", f"    threads = [threading.Thread(target=each) for each in ({bodies},)]"]
    lines += ["    for each in threads: each.start()", "    for each in threads: each.join()"]
    return "\n".join(lines) + "\n"


@pytest.mark.sampled
@pytest.mark.parametrize("first", range(0, 24, _LOCKINGS))
def test_acquires_and_releases_that_are_events(first: int, tmp_path: Path) -> None:
    """A search finds a failure, a deadlock or a violation, if and only if depth-first search does."""
    for seed in range(first, first + _LOCKINGS):
        rng = random.Random(seed)
        file = tmp_path / f"locking_{seed}.py"
        file.write_text(_locking(rng))
        patterns = (
            "a c? b b",
            "a(t1) b(t1) a(t2) c(t2) b(t2) a(t1)",
            "a(t1) b? c(t2)",
            "c(t1) b? a(t2) c(t2)",
            "!((a c* b | c)*)",
        )
        parameters, operands = rng.choice((("l", "l, ..."), ("", "...")))
        text = (
            _LOCK_PROPERTY.format(
                parameters=parameters, operands=operands, module=file.stem, pattern=rng.choice(patterns)
            )
            .replace("p()", "p")
            .replace("a():", "a:")
            .replace("b():", "b:")
        )
        (stated,) = parsed(text)
        found = {strategy: _fails(file, stated, strategy) for strategy in ("dfs", *_STRATEGIES)}
        assert all(each in (found["dfs"], None) for each in found.values()), (seed, found, text, file.read_text())


def _fails(file: Path, stated: Property, strategy: str) -> bool | None:
    """Whether a search finds a failure; None if it is inconclusive."""
    kinds = _kinds_of_failures(file, stated, strategy)
    return None if kinds is None else bool(kinds)


_BOTH_LOCKS = """
import threading
first, second = threading.Lock(), threading.Lock()
def one():
    with first:
        with second: pass
def two():
    with second:
        with first: pass
def program():
    threads = [threading.Thread(target=each) for each in (one, two)]
    for each in threads: each.start()
    for each in threads: each.join()
"""


@pytest.mark.parametrize("name", ["circular-wait", "double-release"])
def test_a_deadlock_is_found_beside_events_of_its_locks(name: str, tmp_path: Path) -> None:
    """The state of the property comes between a release and the next acquire; the acquires can change places."""
    file = tmp_path / f"locks_{name.replace('-', '_')}.py"
    file.write_text(_BOTH_LOCKS)
    (stated,) = [each for each in find(name) if each.name == name]
    assert _fails(file, stated, "dpor")


_BEHIND_A_GATE = _BOTH_LOCKS.replace("    with ", "    with gate, ", 1).replace(
    "two():\n    with ", "two():\n    with gate, "
)


@pytest.mark.parametrize("strategy", ["dfs", "dpor"])
@pytest.mark.parametrize("is_behind_a_gate", [False, True])
def test_threads_that_wait_for_locks_are_at_once(is_behind_a_gate: bool, strategy: str, tmp_path: Path) -> None:
    """Before it gets a lock, a thread stands before one step, by ``acquire`` as by ``with``."""
    file = tmp_path / f"waits_{strategy}_{int(is_behind_a_gate)}.py"
    source = (_BEHIND_A_GATE if is_behind_a_gate else _BOTH_LOCKS).replace(
        "first, second = ", "gate = threading.Lock()\nfirst, second = "
    )
    file.write_text(source)
    (stated,) = find("circular-wait")
    assert _kinds_of_failures(file, stated, strategy) == (set() if is_behind_a_gate else {"circular-wait"})


def _kinds_of_failures(file: Path, stated: Property, strategy: str) -> set[str] | None:
    """The kinds of the failures that a search finds; None if it is inconclusive."""
    settings = ProgramSettings(roots=(str(file.parent),), isolation=Isolation.RESTORE, properties=(stated,))
    program = PythonProgram(Function(str(file), "program"), settings)
    try:
        program.prepare()
        explorer = Explorer(program, strategy)
        for _ in explorer.progress():
            pass
    finally:
        program.close()
        sys.modules.pop(file.stem, None)
    if isinstance(explorer.outcome.verdict, Inconclusive):
        return None
    return {each.failure.kind_name for each in explorer.outcome.found}
