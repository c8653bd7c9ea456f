"""Checks hold every order of a C program to a property: their verdicts equal those of an automaton that is run over all
interleavings of the threads' events, as those of the same program in Python do (test_checked_properties.py)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.property.test_checked_properties import Act, _cases

from mazurka.explore.explorer import Explorer
from mazurka.explore.outcome import Inconclusive, Verified, Violation
from mazurka.program.llvm.opening import open_program
from mazurka.program.protocol import FailureKind
from mazurka.program.settings import ProgramSettings
from mazurka.properties.property import EventDeclaration, Named, Operand, Pointcut, PointcutKind, Property
from mazurka.trace.patterns import Stated

_SHARE = 4
_PROGRAMS = 16

_HEAD = """
#include <pthread.h>
#include <stddef.h>
struct cell { int a, b, c; };
static struct cell cells[3];
static int a0, b0, c0;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void a_0(void) {} void b_0(void) {} void c_0(void) {}
void a_1(int x) {} void b_1(int x) {} void c_1(int x) {}
void a_2(int x, int y) {} void b_2(int x, int y) {} void c_2(int x, int y) {}
"""


def _program(threads: list[list[Act]], stores: bool) -> str:
    lines = [_HEAD]
    for number, acts in enumerate(threads):
        lines.append(f"void *thread_{number}(void *arg) {{")
        lines += [f"    {_statement(act, stores)}" for act in acts]
        lines += ["    return NULL;", "}"]
    lines += ["int main(void) {", f"    pthread_t t[{len(threads)}];"]
    lines += [f"    pthread_create(&t[{n}], NULL, thread_{n}, NULL);" for n in range(len(threads))]
    lines += [f"    pthread_join(t[{n}], NULL);" for n in range(len(threads))]
    return "\n".join([*lines, "    return 0;", "}"]) + "\n"


def _statement(act: Act, stores: bool) -> str:
    if act.name in ("acquire", "release"):
        return f"pthread_mutex_{'lock' if act.name == 'acquire' else 'unlock'}(&lock);"
    if not stores:
        return f"{act.name}_{len(act.objects)}({', '.join(map(str, act.objects))});"
    if not act.objects:
        return f"{act.name}0 = 1;"
    field = f"cells[{act.objects[0]}].{act.name}"
    if act.name == "a":  # by a pointer to the field
        return f"{{ int *field = &{field}; *field = {act.objects[-1]}; }}"
    return f"{field} = {act.objects[-1]};"


def _property(stated: Stated, stores: bool) -> Property:
    declared = []
    for event, parameters in stated.events.items():
        operands: tuple[Operand, ...] | None = tuple(map(Named, parameters))
        kind, name = PointcutKind.CALL, f"c:{event}_{len(parameters)}"
        if stores:
            kind = PointcutKind.SET
            name, operands = (f"c:cell.{event}", operands) if parameters else (f"c:{event}0", None)
        declared.append(EventDeclaration(event, parameters, (Pointcut(kind, (name,), operands=operands),)))
    names = tuple(dict.fromkeys(each for parameters in stated.events.values() for each in parameters))
    return Property("p", names, tuple(declared), stated.pattern)


@pytest.mark.sampled
@pytest.mark.parametrize("strategy", ["dpor", "mcr"])
@pytest.mark.parametrize("first", range(0, _PROGRAMS, _SHARE))
def test_verdicts_equal_those_over_all_orders(first: int, strategy: str, tmp_path: Path) -> None:
    decided = 0
    for seed, stated, threads, violated in _cases(first):
        stores = seed % 2 == 0
        file = tmp_path / f"checked_{seed}.c"
        file.write_text(_program(threads, stores))
        program = open_program(str(file), (), ProgramSettings(properties=(_property(stated, stores),)))
        explorer = Explorer(program, strategy)
        for _ in explorer.progress():
            pass
        verdict = explorer.outcome.verdict
        if isinstance(verdict, Inconclusive):
            if "||" in str(stated.pattern):
                assert "at once" in verdict.reason
            else:  # of stores, whose event is a part of the step
                assert stores
                assert strategy == "mcr"
                assert "may depend on values" in verdict.reason
            continue
        assert isinstance(verdict, Verified | Violation), verdict
        assert all(each.failure.kind is FailureKind.PROPERTY for each in explorer.outcome.found)
        assert bool(explorer.outcome.found) == violated, f"seed {seed}: {stated.pattern}\n{file.read_text()}"
        decided += 1
    assert decided
