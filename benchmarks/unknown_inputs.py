"""Unknown inputs searched together with the orders (``unfolding``), against classes of inputs, each with all orders.

    make bench ARGS=unknown-inputs

Both searches go to their end, without cutoffs. The programs are tasks of ``benchmarks/c_tasks`` with inputs, and
families in which the paths multiply. The solver's questions of the first search are asked again of z3 alone. Seconds
are those of the processor.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchmarks.c_tasks import TASKS
from benchmarks.row import Row, Settings
from mazurka.explore.explorer import Budget, Explorer
from mazurka.explore.strategy import StrategySettings
from mazurka.program.llvm.program import CProgram
from mazurka.program.settings import ProgramSettings
from mazurka.replay.replayer import with_inputs
from mazurka.symbolic.input_classes import Z3InputSolver
from mazurka.symbolic.path_solver import PathSolver, Z3ConditionSolver
from mazurka.symbolic.values import PathCondition
from mazurka.unfold.strategy import UnfoldingSearch

_TASKS: Final = (
    "pthread-nondet/array_of_inputs",
    "pthread-nondet/bounded_loop",
    "pthread-nondet/chosen_lock",
    "pthread-nondet/chosen_lock_same",
    "pthread-nondet/secret_number",
    "pthread-driver-races/ioctl_or_stop",
    "pthread-driver-races/ioctl_after_stop",
)

_HEAD: Final = """
#include <pthread.h>
extern unsigned __VERIFIER_nondet_uint(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
"""

#: Each thread tests an input of its own, then takes a lock.
_OWN: Final = """
int x;
void *work(void *p) {
    if (__VERIFIER_nondet_uint() > 5) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); }
    return 0;
}
"""

#: One input is tested against another number by each thread, where it sees that another thread has been before.
_LATE: Final = """
unsigned n; int x;
void *work(void *p) {
    pthread_mutex_lock(&m);
    int seen = x;
    x = (long)p;
    if (seen && n > seen * 10 + (long)p) x = 0;
    pthread_mutex_unlock(&m);
    return 0;
}
"""

#: Each thread takes its part of a packet: the input decides which threads meet.
_PACKET: Final = """
unsigned n; int x[4];
void *work(void *p) {
    int at = (n >> 2 * (long)p) & 3;
    if (at) { x[at]++; }
    return 0;
}
"""

#: Two threads test eight inputs, of which no two are compared.
_PARSER: Final = """
unsigned n[8]; int x;
void *work(void *p) {
    int found = 0;
    for (int k = (long)p - 1; k < 8; k += 2) if (n[k] * 7 + 3 > 1000) found++;
    if (found == 4) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); }
    return 0;
}
"""


def _family(text: str, threads: int, asks: bool) -> str:
    begin = "".join(f"pthread_create(&t[{each}], 0, work, (void *){each + 1}L); " for each in range(threads))
    end = "".join(f"pthread_join(t[{each}], 0); " for each in range(threads))
    given = "n = __VERIFIER_nondet_uint(); " if asks else ""
    if text is _PARSER:
        given = "for (int k = 0; k < 8; k++) n[k] = __VERIFIER_nondet_uint(); "
    return f"{_HEAD}{text}int main(void) {{ pthread_t t[{threads}]; {given}{begin}{end}return 0; }}\n"


_FAMILIES: Final = {
    **{f"own inputs of {count} threads": _family(_OWN, count, asks=False) for count in (2, 3, 4)},
    **{f"late tests of {count} threads": _family(_LATE, count, asks=True) for count in (2, 3, 4)},
    **{f"packet for {count} threads": _family(_PACKET, count, asks=True) for count in (2, 3)},
    "parser of eight inputs": _family(_PARSER, 2, asks=True),
}


@dataclass
class _Recorded(PathSolver):
    """A path solver that keeps the questions."""

    asked: list[tuple[PathCondition, ...]] = field(default_factory=list)
    seconds: float = 0.0

    def find(self, conditions: Iterable[PathCondition]) -> dict[str, int] | None:
        wanted = tuple(conditions)
        started = time.process_time()
        found = super().find(wanted)
        self.seconds += time.process_time() - started
        self.asked.append(wanted)
        return found


def measure(settings: Settings) -> Iterator[Row]:
    questions: list[tuple[PathCondition, ...]] = []
    seconds = 0.0
    counts = [0, 0, 0, 0]
    with tempfile.TemporaryDirectory() as folder:
        for name, path in _programs(Path(folder)):
            program = CProgram(str(path), (), (), ProgramSettings())
            for _ in range(2):  # the second search has all points from its beginning
                started = time.process_time()
                explorer, solver = _together(program, settings.seconds)
                together = time.process_time() - started
            started = time.process_time()
            classes, executions, complete = _by_classes(program, settings.seconds)
            apart = time.process_time() - started
            outcome = explorer.outcome
            assert outcome is not None
            note = f"{outcome.paths} paths; {classes} classes: {executions:,} executions in {apart:.2f} s"
            note += "" if complete else ", unfinished"
            yield Row(
                name,
                f"<= {executions:,}" if complete else "",
                f"{outcome.executions:,}",
                f"{together:.2f} s",
                note if outcome.complete else f"unfinished; {note}",
                outcome.executions <= executions if complete and outcome.complete else None,
            )
            questions += solver.asked
            seconds += solver.seconds
            one = solver.counts
            counts = [a + b for a, b in zip(counts, (one.same, one.tried, one.contained, one.solved), strict=True)]
    yield from _solving(questions, seconds, counts)


def _programs(folder: Path) -> Iterator[tuple[str, Path]]:
    for task in _TASKS:
        yield task, TASKS / f"{task}.c"
    for name, text in _FAMILIES.items():
        path = folder / f"{name.replace(' ', '_')}.c"
        path.write_text(text)
        yield name, path


def _together(program: CProgram, seconds: float) -> tuple[Explorer, _Recorded]:
    recorded = _Recorded(Z3ConditionSolver())
    explorer = _explorer(program, StrategySettings(cutoffs=False), seconds)
    strategy = explorer.strategy
    assert isinstance(strategy, UnfoldingSearch)
    strategy.solver.solver = recorded
    explorer.run()
    return explorer, recorded


def _by_classes(program: CProgram, seconds: float) -> tuple[int, int, bool]:
    """Classes, executions, and whether all were covered."""
    solver, classes, executions = Z3InputSolver(), 0, 0
    inputs: dict[str, int] | None = {}
    end = time.process_time() + seconds
    while inputs is not None:
        with with_inputs(program, inputs):
            outcome = _explorer(program, StrategySettings(cutoffs=False, branches=False), seconds).run()
        classes, executions = classes + 1, executions + outcome.executions
        if not outcome.complete or time.process_time() > end:
            return classes, executions, False
        solver.exclude(outcome.conditions)
        inputs = solver.next_inputs(seconds)
    return classes, executions, True


def _explorer(program: CProgram, settings: StrategySettings, seconds: float) -> Explorer:
    points = program.learned.points
    budget = Budget(seconds=seconds)
    return Explorer(program, "unfolding", settings=settings, stop_at_first=False, learned=points, budget=budget)


def _solving(questions: Sequence[tuple[PathCondition, ...]], seconds: float, counts: Sequence[int]) -> Iterator[Row]:
    same, tried, contained, solved = counts
    total = sum(counts)
    asked = len(questions)
    yield Row("questions about paths", "", f"{asked:,}", note=f"{total:,} sets of conditions without common inputs")
    for name, count in (("answered before", same), ("inputs of others", tried), ("contradictions", contained)):
        yield Row(f"  {name}", "", f"{count / total:.0%}" if total else "none")
    yield Row("  by z3", "", f"{solved / total:.1%}" if total else "none", note=f"{solved:,}")
    alone = Z3ConditionSolver()
    started = time.process_time()
    sample = questions[:: max(1, asked // 2_000)]
    for each in sample:
        alone.solve(each)
    rate = len(sample) / (time.process_time() - started)
    ratio = asked / seconds / rate
    yield Row(
        "questions a second", "", f"{asked / seconds:,.0f}", note=f"z3 alone: {rate:,.0f}, {ratio:.0f} times fewer"
    )
