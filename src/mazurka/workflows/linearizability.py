"""Checks whether calls of a marked class are linearizable, by its specification: explored on clients of two threads.

Definition (Herlihy, Wing, TOPLAS 1990). Calls are linearizable if each outcome of concurrent calls is the outcome of
some sequential order of them. A client brings an object to a state by calls in the main thread, and then makes one call
in each of two threads (two_calls.py). All its outcomes, results and the final state, are explored under ``se-mcr``,
inside the methods, too; by the model of the type each must be the outcome of one of the two orders, and of the actual
order if one call had ended when the other began.

All pairs of calls are tried, in all states that a few calls lead to, with few arguments. So a class that passes is
linearizable for *any two concurrent calls within that scope*; three concurrent calls, or other states, are not tried.

Cost: some ten milliseconds for each client, whose number is that of the states times the square of that of the calls.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from itertools import combinations_with_replacement, product
from pathlib import Path
from typing import Any, Final

from mazurka import marked_methods
from mazurka.commute.effects import effect_of
from mazurka.commute.named import shared_type, trust
from mazurka.commute.shared_type import methods_of
from mazurka.config import Options
from mazurka.errors import MazurkaError
from mazurka.explore.explorer import Budget, Explorer
from mazurka.explore.outcome import Inconclusive
from mazurka.explore.strategy import StrategySettings
from mazurka.lazy_dataclass import dataclass
from mazurka.marked_methods import MarkedClass
from mazurka.program.protocol import Plan, Program, Run, learned_points
from mazurka.trace.literals import text_of
from mazurka.workflows.program_spec import open_program, subject_of
from mazurka.workflows.two_calls import SCRIPT, ClientCall, asked

#: The number of values tried for each parameter, and of states in which calls are made.
_VALUES: Final = 2
_STATES: Final = 6


@dataclass(frozen=True, slots=True)
class NotAtOnce:
    """Two calls with an outcome that no order of them has; or, if ``apart``, that only the order has in which they were
    not made."""

    before: tuple[ClientCall, ...]
    both: tuple[ClientCall, ClientCall]
    results: tuple[str, ...]
    after: str
    apart: bool


@dataclass(slots=True)
class ClassReport:
    """The result for a class; ``reason`` is the reason why it is inconclusive ("" if it is not)."""

    name: str
    type_name: str
    clients: int = 0
    executions: int = 0
    states: int = 0
    wrong: NotAtOnce | None = None
    reason: str = ""
    calls: list[ClientCall] = field(default_factory=list)


def check_classes(file: str, seconds: float) -> Iterator[ClassReport]:
    """Explore the marked classes of a file, each for at most ``seconds`` seconds."""
    path = Path(file)
    if not path.is_file():
        raise MazurkaError("no-such-file", "there is no such file", where=file)
    with _opened(path) as program:
        program.prepare()
        states = json.loads(_run(program, None).output or "{}")
        if not states:
            raise MazurkaError("specification", "no class is marked in this file", where=file)
        for name, state in states.items():
            yield _check_class(program, name, state, seconds)


@contextmanager
def _opened(path: Path) -> Iterator[Program]:
    """The program that makes calls of the classes in a file."""
    folder = str(path.resolve().parent)
    sys.path.insert(0, folder)
    try:
        with tempfile.TemporaryDirectory() as temporary:
            script = os.path.join(temporary, "two_calls.py")
            Path(script).write_text(SCRIPT.replace("{module}", path.stem), encoding="utf-8")
            options = Options(include=(path.stem,))
            program = open_program(subject_of(script, (), options), options)
            try:
                yield program
            finally:
                program.close()
    finally:
        sys.path.remove(folder)


def _run(program: Program, call: Any) -> Run:
    asked.client = call
    return program.execute(Plan())


def _check_class(program: Program, name: str, state: str | None, seconds: float) -> ClassReport:
    marked, methods = marked_methods.known[name]
    report = ClassReport(marked.class_name, marked.type_words)
    trust(marked.type_name)  # which the checked file names
    if state is None:
        report.reason = "it has no `state=`, or no object can be made without arguments"
        return report
    report.calls = _calls(marked.type_name, methods)
    states = _reached(marked.type_name, state, report.calls)
    report.states = len(states)
    for before, held in states.items():
        for both in combinations_with_replacement(report.calls, 2):
            _check_client(program, marked, report, (held, before), both, seconds)
            if report.wrong is not None or report.reason:
                return report
    return report


def _calls(type_name: str, methods: Sequence[str]) -> list[ClientCall]:
    """Calls of the marked methods, with a few of the arguments of the specification's scope."""
    kind = shared_type(type_name)
    models = methods_of(kind)
    return [
        (method, arguments)
        for method in methods
        if method in models
        for arguments in product(*[list(kind.scope[each])[:_VALUES] for each in models[method].parameters])
    ]


def _reached(type_name: str, first: str, calls: Sequence[ClientCall]) -> dict[str, tuple[ClientCall, ...]]:
    """Some states, each with the calls that lead to it."""
    found: dict[str, tuple[ClientCall, ...]] = {first: ()}
    waiting = [first]
    while waiting and len(found) < _STATES:
        state = waiting.pop(0)
        for method, arguments in calls:
            effect = effect_of(type_name, method, text_of(arguments), state)
            if effect is not None and effect.after not in found and len(found) < _STATES:
                found[effect.after] = (*found[state], (method, arguments))
                waiting.append(effect.after)
    return found


class _Gathering:
    """A program that keeps the outcomes of its executions."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.outcomes: set[str] = set()
        self.failure = ""

    def execute(self, plan: Plan) -> Run:
        run = self._program.execute(plan)
        if run.failures:
            self.failure = run.failures[0].message
        elif run.divergence is None and not run.truncated and not run.settled and not run.found_new_points:
            self.outcomes.add(run.output.strip())
        return run

    def __getattr__(self, name: str) -> Any:
        return getattr(self._program, name)


def _check_client(
    program: Program,
    marked: MarkedClass,
    report: ClassReport,
    start: tuple[tuple[ClientCall, ...], str],
    both: tuple[ClientCall, ClientCall],
    seconds: float,
) -> None:
    before, state = start
    allowed = _allowed(marked.type_name, state, both)
    if allowed is None:
        return  # one of the calls would have to wait
    asked.client = (marked, before, both)
    gathering: Any = _Gathering(program)
    settings = StrategySettings(finals=True)
    learned = learned_points(program).points
    outcome_of = Explorer(
        gathering, "se-mcr", settings=settings, budget=Budget(None, seconds), stop_at_first=False, learned=learned
    ).run()
    report.clients += 1
    report.executions += outcome_of.executions
    for each in sorted(gathering.outcomes):
        results, after, held = json.loads(each)
        if not any((*results, held) == found and not after[order[0]] for order, found in allowed.items()):
            report.wrong = NotAtOnce(before, both, tuple(results), held, any(after))
            return
    if gathering.failure:
        report.reason = f"{_words(both)}: {gathering.failure}"
    elif isinstance(outcome_of.verdict, Inconclusive):
        report.reason = f"{_words(both)}: {outcome_of.verdict.reason}"


def _allowed(
    type_name: str, state: str, both: tuple[ClientCall, ClientCall]
) -> dict[tuple[int, int], tuple[str, ...]] | None:
    """The outcomes of the two orders; None if a call would have to wait in one of them."""
    found = {}
    for order in ((0, 1), (1, 0)):
        results, held = ["", ""], state
        for place in order:
            effect = effect_of(type_name, both[place][0], text_of(both[place][1]), held)
            if effect is None:
                return None
            results[place], held = effect
        found[order] = (*results, held)
    return found


def _words(calls: Sequence[ClientCall]) -> str:
    return " || ".join(f"{method}({', '.join(map(text_of, arguments))})" for method, arguments in calls)


def explained(report: ClassReport) -> str:
    """A report in words."""
    name, wrong = f"{report.name} ({report.type_name})", report.wrong
    made = f"{report.clients:,} clients, {report.executions:,} executions"
    if wrong is not None:
        first = f" after {_words(wrong.before).replace(' || ', ', ')}" if wrong.before else ""
        results = " and ".join(wrong.results)
        orders = "the outcome of the other order of the two" if wrong.apart else "no order of the two has this outcome"
        ended = f"return {results}, and leave {wrong.after}: {orders}"
        return f"{name}: not linearizable: {_words(wrong.both)}{first} {ended}"
    if report.reason:
        return f"{name}: inconclusive: {report.reason}"
    return f"{name}: linearizable, for any two of {len(report.calls)} calls at once in {report.states} states ({made})"
