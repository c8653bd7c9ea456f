"""Violations of properties predicted from one recorded execution of a C program are those that the trace proves, by an
oracle that tries all orders of it; and the program has one: a depth-first search that is held to the property fails.

The programs have values that events depend on: arguments and conditions that are read from shared variables, atomic
updates, compare and exchange."""

from __future__ import annotations

import os
import random
from dataclasses import replace
from pathlib import Path

import pytest
from tests.drawn import some_of
from tests.oracle.properties import Shown, Violations, random_property
from tests.property.test_properties import ends_of

from mazurka.causal.solver import Infeasible
from mazurka.explore.explorer import Explorer
from mazurka.explore.outcome import Inconclusive
from mazurka.predict.property_search import PropertySearch
from mazurka.program.llvm.opening import open_program
from mazurka.program.settings import ProgramSettings
from mazurka.properties.property import (
    Anything,
    EventDeclaration,
    Moment,
    Named,
    Operand,
    Pointcut,
    PointcutKind,
    Property,
)
from mazurka.trace.columns import assemble, parts_of
from mazurka.trace.patterns import Concatenation, Letter, Stated
from mazurka.trace.trace import Trace
from mazurka.witness import Checker, PropertyViolation, Witness
from mazurka.workflows.recording_runs import record_run

_SHARE = some_of(12)
_PROGRAMS = {"long": 300}.get(os.environ.get("HYPOTHESIS_PROFILE", ""), some_of(12))

#: The seeds of the recorded executions of a program.
_ORDERS = (0, 1)

_HEAD = """
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
static int v;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
"""


def _statement(event: str, count: int, how: str, rng: random.Random) -> str:
    """A statement of a thread that may be an event."""
    if how == "call":
        values = [rng.choice(("1", "1", "2", "v")) for _ in range(count)]
        call = f"{event}_call({', '.join(values)});"
        return f"if (v == {rng.choice((0, 1))}) {call}" if rng.random() < 0.3 else call
    if how == "store":
        return f"{event}_var = {rng.choice(('1', '2', 'v'))};"
    return rng.choice(
        (
            f"atomic_fetch_add(&{event}_var, 1);",
            f"{event}_var = 1;",
            f"{{ int old = 0; atomic_compare_exchange_strong(&{event}_var, &old, {rng.choice((1, 2))}); }}",
        )
    )


def _drawn(seed: int) -> tuple[str, Property]:
    """A program and a property that its statements may violate."""
    rng = random.Random(seed)
    stated = random_property(rng)
    if rng.random() < 0.5:  # a word that many executions have
        first, second = rng.choice("abc"), rng.choice("abc")
        stated = replace(stated, pattern=Concatenation((Letter(first, "s"), Letter(second, "t"))))
    kinds = {
        event: "call" if len(parameters) > 1 else rng.choice(("call", "store", "atomic"))
        for event, parameters in stated.events.items()
    }
    lines = [_HEAD]
    for event, parameters in stated.events.items():
        if kinds[event] == "call":
            taken = ", ".join(f"int {name}" for name in parameters) or "void"
            lines.append(f"static void {event}_call({taken}) {{}}")
        else:
            lines.append(f"static {'_Atomic int' if kinds[event] == 'atomic' else 'int'} {event}_var;")
    threads = rng.choice((2, 2, 3))
    for number in range(threads):
        lines.append(f"static void *thread_{number}(void *arg) {{")
        for _ in range(rng.choice((2, 2, 3) if threads == 2 else (1, 2))):
            event = rng.choice("abc")
            made = _statement(event, len(stated.events[event]), kinds[event], rng)
            made = made if rng.random() < 0.85 else f"v = {rng.choice((1, 2))};"
            if rng.random() < 0.25:
                made = f"pthread_mutex_lock(&lock); {made} pthread_mutex_unlock(&lock);"
            lines.append(f"    {made}")
        lines += ["    return NULL;", "}"]
    lines += ["int main(void) {", f"    pthread_t t[{threads}];"]
    lines += [f"    pthread_create(&t[{n}], NULL, thread_{n}, NULL);" for n in range(threads)]
    lines += [f"    pthread_join(t[{n}], NULL);" for n in range(threads)]
    return "\n".join([*lines, "    return 0;", "}"]) + "\n", _property(stated, kinds)


def _property(stated: Stated, kinds: dict[str, str]) -> Property:
    declared = []
    for event, parameters in stated.events.items():
        moment = Moment.BEFORE if event in stated.before else Moment.RETURNING
        named: tuple[Operand, ...] = tuple(map(Named, parameters))
        if kinds[event] == "call":
            pointcut = Pointcut(PointcutKind.CALL, (f"c:{event}_call",), moment, named)
        else:
            operands = (Anything(), *named) if parameters else None
            pointcut = Pointcut(PointcutKind.SET, (f"c:{event}_var",), moment, operands)
        declared.append(EventDeclaration(event, parameters, (pointcut,)))
    names = tuple(dict.fromkeys(each for parameters in stated.events.values() for each in parameters))
    return Property("p", names, tuple(declared), stated.pattern)


def _recorded(file: Path, stated: Property, seed: int) -> Trace:
    program = open_program(str(file), (), ProgramSettings(properties=(stated,), records_events=True))
    recorded = record_run(program, seed)
    assert not recorded.run.failures
    return assemble(parts_of(recorded.trace))


def _predicted(trace: Trace, stated: Property) -> set[Shown]:
    """The violations of a trace; each has a witness that the checker accepts, and none is undecided."""
    search, checker, found = PropertySearch(trace, stated.stated), Checker(trace), set()
    for candidate in (each for several in search.groups().values() for each in several):
        answer = search.decide(candidate)
        assert isinstance(answer, Witness | Infeasible), answer
        if isinstance(answer, Witness):
            assert not checker.objections(answer), checker.objections(answer)
            assert isinstance(answer.claim, PropertyViolation)
            found.add(Shown(tuple(answer.claim.steps), 2 * answer.claim.at_once))
    assert not search.left
    return found


def _may_violate(file: Path, stated: Property) -> bool:
    """Whether a depth-first search finds a violation; also if it can't decide that."""
    explorer = Explorer(open_program(str(file), (), ProgramSettings(properties=(stated,))), "dfs")
    for _ in explorer.progress():
        pass
    outcome = explorer.outcome
    if isinstance(outcome.verdict, Inconclusive):
        assert "at once" in outcome.verdict.reason, outcome.verdict.reason
        return True
    return bool(outcome.found)


@pytest.mark.parametrize("first", range(0, _PROGRAMS, _SHARE))
def test_predictions_are_those_of_the_oracle_and_happen(first: int, tmp_path: Path) -> None:
    predicted = 0
    for seed in range(first, first + _SHARE):
        source, stated = _drawn(seed)
        file = tmp_path / f"recorded_{seed}.c"
        file.write_text(source)
        for order in _ORDERS:
            trace = _recorded(file, stated, order)
            found = _predicted(trace, stated)
            expected = Violations(trace, stated.stated).all()
            assert found <= expected, (seed, order, str(stated), source)
            ends = [{ends_of(each, stated.stated) for each in several} for several in (found, expected)]
            assert ends[0] == ends[1], (seed, order, str(stated), source)
            assert not found or _may_violate(file, stated), (seed, order, str(stated), source)
            predicted += bool(found)
    assert predicted
