"""Whether it would pay to go on from stored states rather than to execute again (POR-SE, section 4.1: standby states).

    make bench ARGS=standby

A state that is stored is a process, forked where an execution stands: neither threads of programs, which are greenlets
with their C stacks, nor Python's frames can be copied within a process. Each execution from it takes another fork, and
its record has to come back. Measured are the part of the points that repeat the beginning of an earlier execution, the
seconds that those take, and the seconds of a fork that sends back the record of the rest. Seconds of executions are
those of the processor; those of forks are elapsed, the least of some.
"""

from __future__ import annotations

import os
import pickle
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.c_tasks import TASKS
from benchmarks.row import Row, Settings
from mazurka.explore.explorer import Explorer
from mazurka.explore.strategy import StrategySettings
from mazurka.program.llvm.program import CProgram
from mazurka.program.protocol import Plan, Run
from mazurka.program.settings import ProgramSettings

_TASKS: Final = (
    "pthread-nondet/bounded_loop",
    "pthread-complex/stealing_deque_undisputed",
    "pthread-ext/condition_of_two",
    "pthread-divine/handed_semaphores",
    "pthread-lit/next_cell",
    "pthread-atomic/dekker",
)

_EXECUTIONS: Final = 200
_WARM: Final = 20

#: A program whose executions have a long way before it has threads.
_LONG: Final = """
#include <pthread.h>
int x, sum;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *work(void *p) {{
    for (int k = 0; k < {turns}; k++) {{ pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); }}
    return 0;
}}
int main(void) {{
    pthread_t t[2];
    for (int k = 0; k < {size}; k++) sum ^= k;
    for (int k = 0; k < 2; k++) pthread_create(&t[k], 0, work, 0);
    for (int k = 0; k < 2; k++) pthread_join(t[k], 0);
    return 0;
}}
"""


class _Observed(CProgram):
    """A program that keeps how much of its executions repeats earlier ones."""

    def begin(self) -> None:
        """Forget all executions."""
        self.schedules: set[tuple[str, ...]] = set()
        self.repeated = self.points = 0
        self.seconds = 0.0
        self.last: Run | None = None

    def execute(self, plan: Plan) -> Run:
        started = time.process_time()
        run = super().execute(plan)
        self.seconds += time.process_time() - started
        schedule = run.schedule()
        self.points += len(schedule)
        self.repeated += next(
            (length for length in range(len(schedule), 0, -1) if schedule[:length] in self.schedules), 0
        )
        self.schedules.update(schedule[:length] for length in range(1, len(schedule) + 1))
        self.last = run
        return run


def measure(settings: Settings) -> Iterator[Row]:
    for name in _TASKS:
        program, executions = _searched(TASKS / f"{name}.c")
        share = program.repeated / max(program.points, 1)
        note = f"{share:.0%} of the points repeated, {executions:,} executions"
        yield _row(name, program, executions, share * program.seconds / executions, note)
    with tempfile.TemporaryDirectory() as folder:
        for size in (100, 1_000, 10_000):
            path = Path(folder, f"way_{size}.c")
            path.write_text(_LONG.format(size=size, turns=0))
            saved = _repeated(path)
            path.write_text(_LONG.format(size=size, turns=3))
            program, executions = _searched(path)
            yield _row(
                f"threads after {size:,} turns of a loop", program, executions, saved, f"{executions:,} executions"
            )


def _searched(path: Path) -> tuple[_Observed, int]:
    """The program after a search, and the number of executions."""
    program = _Observed(str(path), (), (), ProgramSettings())
    for _ in range(2):  # the second search has all points from its beginning
        program.begin()
        points = program.learned.points
        settings = StrategySettings(cutoffs=False)
        explorer = Explorer(program, "unfolding", settings=settings, stop_at_first=False, learned=points)
        for progress in explorer.progress():
            if progress.executions >= _EXECUTIONS:
                break
    assert explorer.outcome is not None
    return program, explorer.outcome.executions


def _repeated(path: Path) -> float:
    """Seconds of an execution, after some."""
    program = CProgram(str(path), (), (), ProgramSettings())
    for _ in range(_WARM):
        program.execute(Plan())
    started = time.process_time()
    for _ in range(_WARM):
        program.execute(Plan())
    return (time.process_time() - started) / _WARM


def _row(name: str, program: _Observed, executions: int, saved: float, note: str) -> Row:
    assert program.last is not None
    one = program.seconds / executions
    fork = min(_forked(program.last) for _ in range(30))
    shown = f"{saved * 1e3:.2f} ms of {one * 1e3:.2f}"
    return Row(name, "", shown, f"fork {fork * 1e3:.2f} ms", f"{note}; saves {saved / fork:.2f} of a fork")


def _forked(run: Run) -> float:
    """Seconds until a forked process has sent back the record of half an execution."""
    rest = run.log[len(run.log) // 2 :]
    started = time.perf_counter()
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        with os.fdopen(writing, "wb") as out:
            pickle.dump([tuple(step) for step in rest], out, pickle.HIGHEST_PROTOCOL)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as back:
        pickle.load(back)
    os.waitpid(child, 0)
    return time.perf_counter() - started
