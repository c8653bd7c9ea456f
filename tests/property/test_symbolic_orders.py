"""The unfolding of a program with unknown inputs: its complete configurations are the pairs of a Mazurkiewicz trace
and a path that some input takes, and the search ends with the outcomes of all inputs.

The oracle searches all orders for each concrete input. ``make test-long`` takes 1,000 programs.
"""

from __future__ import annotations

import itertools
import os
import random
from pathlib import Path
from typing import Final

import pytest
from tests.unit.c_programs import opened

from mazurka.explore.explorer import Budget, Explorer
from mazurka.explore.outcome import Outcome, Verified, Violation
from mazurka.explore.races import Execution
from mazurka.explore.strategy import JournalRecord, StrategySettings
from mazurka.program.llvm.program import CProgram
from mazurka.program.protocol import Failure, Plan, Run
from mazurka.replay.replayer import with_inputs
from mazurka.unfold.events import Unfolding, UnfoldingEvent
from mazurka.unfold.extensions import events_of
from mazurka.unfold.searchers import SEARCHERS
from mazurka.unfold.strategy import UnfoldingSearch

_LONG: Final = os.environ.get("HYPOTHESIS_PROFILE") == "long"
_PROGRAMS: Final = 1_000 if _LONG else 8
_FURTHER: Final = 200 if _LONG else 2

_HEAD: Final = """
#include <fcntl.h>
#include <unistd.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void klee_make_symbolic(void *, unsigned long, const char *);
int x, y, a[4], pipes[2];
unsigned n, m;
unsigned char k;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
"""

_STATEMENTS: Final = (
    "if (n > {a}) {{ pthread_mutex_lock(&lock); x += {b}; pthread_mutex_unlock(&lock); }}",
    "if (n == m) y = {a};",
    "pthread_mutex_lock(&lock); x += n; pthread_mutex_unlock(&lock);",
    "pthread_mutex_lock(&other); if (x > {a}) y += m; pthread_mutex_unlock(&other);",
    "if (y > {a}) y = {b};",
    "a[m] = {a};",
    "if (a[n] == {a}) x = {b};",
    "pthread_mutex_lock(m > {a} ? &lock : &other); x = {b}; pthread_mutex_unlock(m > {a} ? &lock : &other);",
    "if (k > m + {a}) {{ y = n; }} else if (n > {a}) {{ x = k; }}",
    "for (unsigned i = 0; i < (n & 1); i++) {{ pthread_mutex_lock(&lock); y++; pthread_mutex_unlock(&lock); }}",
    "__VERIFIER_assume(x <= n + {b});",
    "{{ unsigned own = __VERIFIER_nondet_uint(); __VERIFIER_assume(own < 2); if (own > {a}) x = m; }}",
    "{{ unsigned char sent = n + {a}; write(pipes[1], &sent, 1); }}",
    "write(pipes[1], &m, 1);",
    "{{ unsigned char got = 0; read(pipes[0], &got, 1); if (got > {a}) x = got; }}",
    "{{ unsigned char got = {b}; if (read(pipes[0], &got, 1) == 1 && got == {a}) y = {b}; }}",
)

_CHECKS: Final = ("x != {c}", "y != {c}", "x + y < {c} + 3", "a[1] != {c}", "x != (int)n + {c}")


def _program(seed: int) -> str:
    draw = random.Random(seed)
    lines = [_HEAD]
    for number in range(draw.choice((2, 2, 3))):
        lines.append(f"void *work_{number}(void *p) {{")
        texts = [draw.choice(_STATEMENTS) for _ in range(draw.randint(1, 2))]
        lines += [f"    {each.format(a=draw.randint(0, 3), b=draw.randint(1, 3))}" for each in texts]
        lines.append("    return 0;\n}")
    count = sum(line.startswith("void *work") for line in lines)
    lines += [
        "int main(void) {",
        "    pipe(pipes); fcntl(pipes[0], F_SETFL, O_NONBLOCK);",
        "    n = __VERIFIER_nondet_uint() & 3;",
        "    m = __VERIFIER_nondet_uint() & 3;",
        '    klee_make_symbolic(&k, sizeof k, "k"); __VERIFIER_assume(k < 2);',
        f"    pthread_t t[{count}];",
        *[f"    pthread_create(&t[{each}], 0, work_{each}, 0);" for each in range(count)],
        *[f"    pthread_join(t[{each}], 0);" for each in range(count)],
        f"    assert({draw.choice(_CHECKS).format(c=draw.randint(1, 6))});",
        "    return 0;\n}",
    ]
    return "\n".join(lines)


#: The values of inputs that programs tell apart. Assumptions exclude the last one of k, and of inputs of threads.
_VALUES: Final = {"nondet_uint()": 4, "nondet_uint() #2": 4, "k": 3}


class _Concrete:
    """The configurations and failures of a program, by the orders of each concrete input."""

    def __init__(self, program: CProgram) -> None:
        self.program = program
        self.unfolding = Unfolding()
        self.configurations: set[frozenset[UnfoldingEvent]] = set()
        self.failures: set[tuple[str, ...]] = set()
        values, asked = dict(_VALUES), set(_VALUES)
        while True:
            for given in itertools.product(*map(range, values.values())):
                with with_inputs(program, dict(zip(values, given, strict=True))):
                    assert self._explored(asked).complete
            if asked == set(values):
                break
            values.update(dict.fromkeys(asked - set(values), 3))

    def _explored(self, asked: set[str]) -> Outcome:
        def look(run: Run) -> Failure | None:
            asked.update(dict(run.inputs))
            if not run.found_new_points:
                self._add(run)
            return None

        points = self.program.learned.points
        return Explorer(self.program, "dpor", stop_at_first=False, postcondition=look, learned=points).run()

    def _add(self, run: Run) -> None:
        events = events_of(Execution(run, branches=run.branches), self.unfolding)
        self.configurations.add(frozenset(events))
        self.failures |= {failure.identity for failure in run.failures}


def _searched(program: CProgram, settings: StrategySettings) -> tuple[Explorer, Outcome]:
    explorer = Explorer(program, "unfolding", settings=settings, stop_at_first=False, learned=program.learned.points)
    return explorer, explorer.run()


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(_PROGRAMS))
def test_each_order_and_path_is_one_configuration(seed: int, tmp_path: Path) -> None:
    _check(opened(tmp_path, _program(seed)))


def _check(program: CProgram) -> None:
    points: set[int] = set()
    while True:  # until no search meets new points
        points = set(program.learned.points)
        explorer, outcome = _searched(program, StrategySettings(cutoffs=False))
        known = _Concrete(program)
        if points == program.learned.points:
            break
    strategy = explorer.strategy
    assert isinstance(strategy, UnfoldingSearch)
    assert strategy.incompleteness_reason() == ""
    assert strategy.tree.explored == len(known.configurations)
    assert {each.failure.identity for each in outcome.found} == known.failures
    assert isinstance(outcome.verdict, Violation if known.failures else Verified)
    for each in outcome.found:
        with with_inputs(program, dict(each.inputs)):
            assert each.failure.identity in {f.identity for f in program.execute(Plan(each.schedule)).failures}
    _, with_cutoffs = _searched(program, StrategySettings())
    assert {each.failure.identity for each in with_cutoffs.found} == known.failures
    assert with_cutoffs.complete


def test_conditions_that_exclude_each_other_only_together(tmp_path: Path) -> None:
    """No two of the three conditions contradict each other."""
    conditions = ("n > 0", "n < 2", "n != 1")
    threads = [
        f"void *work_{number}(void *p) {{ if ({each}) {{ pthread_mutex_lock(&lock); x++; "
        "pthread_mutex_unlock(&lock); } return 0; }"
        for number, each in enumerate(conditions)
    ]
    starts = [f"pthread_create(&t[{number}], 0, work_{number}, 0);" for number in range(3)]
    ends = [f"pthread_join(t[{number}], 0);" for number in range(3)]
    given = "n = __VERIFIER_nondet_uint() & 3;"
    lines = [_HEAD, *threads, "int main(void) {", "pthread_t t[3];", given, *starts, *ends, "assert(x < 3);", "}"]
    _check(opened(tmp_path, "\n".join(lines)))


@pytest.mark.parametrize("order", SEARCHERS)
def test_searches_go_on_from_their_records(order: str, tmp_path: Path) -> None:
    """A search that is taken over by another after each third run, a run being lost in between, is the same search."""
    for seed in range(100, 100 + _FURTHER):
        program = opened(tmp_path, _program(seed))
        settings = StrategySettings(cutoffs=False, search_order=order)
        explorer, outcome = _searched(program, settings)
        assert isinstance(explorer.strategy, UnfoldingSearch)
        made, done = UnfoldingSearch(order), 0
        records: list[JournalRecord] = []
        failures: set[tuple[str, ...]] = set()
        while (seed_ := made.next_seed()) is not None:
            done += 1
            run = program.execute(seed_.plan)
            if done % 4 == 3:
                made = UnfoldingSearch(order)
                made.restore(records)
                continue
            made.observe(seed_, run)
            records += made.records()
            failures |= {failure.identity for failure in run.failures}
        assert made.incompleteness_reason() == ""
        assert made.tree.explored == explorer.strategy.tree.explored
        assert made.input_paths() == explorer.strategy.input_paths()
        assert failures == {each.failure.identity for each in outcome.found}


def test_paths_come_before_orders(tmp_path: Path) -> None:
    """The input has five paths, the threads have many orders."""
    thread = (
        "void *work_{0}(void *p) {{ for (int i = 0; i < 3; i++) "
        "{{ pthread_mutex_lock(&lock); x++; pthread_mutex_unlock(&lock); }}"
        " if (!{0}) for (unsigned i = 0; i < 4 && i < n; i++) y++; return 0; }}"
    )
    lines = [
        _HEAD,
        *[thread.format(each) for each in range(3)],
        "int main(void) { pthread_t t[3]; n = __VERIFIER_nondet_uint();",
        *[f"pthread_create(&t[{each}], 0, work_{each}, 0);" for each in range(3)],
        *[f"pthread_join(t[{each}], 0);" for each in range(3)],
        "}",
    ]
    program = opened(tmp_path, "\n".join(lines))
    settings = StrategySettings(cutoffs=False, search_order="paths")
    outcome = Explorer(program, "unfolding", budget=Budget(20), settings=settings).run()
    assert not outcome.complete
    assert outcome.paths == 5
