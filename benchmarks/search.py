"""One whole search of a program, in a process of its own.

Prints JSON. ``executions`` are all that were made. Points are learnt, and an exhaustive search that learns one begins
again: ``last`` are those since it last did, which is the number of classes, to be compared with other tools' counts.
A run in which the program prints "not counted" is not. Of ``seconds``, the program ran for ``running`` and a solver
answered for ``solving``; the rest is the time of other decisions. ``repeats`` are executions since then
in which the threads read the same values as in an earlier one (readings.py), if the strategy has values recorded.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any

from benchmarks.readings import reading
from benchmarks.row import ROOT, SRC


@dataclass(frozen=True, slots=True)
class Search:
    """The result of a search."""

    executions: int
    last: int
    seconds: float
    running: float
    solving: float
    repeats: int | None
    complete: bool
    kinds: tuple[str, ...]  # of the distinct failures, by when they were found

    @property
    def deciding(self) -> float:
        """Seconds that went neither into the program nor into a solver."""
        return self.seconds - self.running - self.solving


def search(
    strategy: str, target: str, *arguments: object, seconds: float = 60.0, stop: bool = False, model: str = "sc"
) -> Search | str:
    """Search ``target`` (a file of benchmarks/programs, perhaps with ``::function``); text if that can't be done."""
    path = str(ROOT / "benchmarks" / "programs" / target)
    command = [sys.executable, "-m", "benchmarks.search", str(seconds), strategy, model, str(int(stop)), path]
    environment = {**os.environ, "PYTHONPATH": f"{SRC}{os.pathsep}{ROOT}"}
    done = subprocess.run(
        [*command, *map(str, arguments)], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        return (done.stderr.strip() or f"status {done.returncode}").splitlines()[-1]
    result = json.loads(done.stdout.splitlines()[-1])
    return Search(**{**result, "kinds": tuple(result["kinds"])})


def main(seconds: str, strategy: str, model: str, stop: str, target: str, *arguments: str) -> None:
    from benchmarks.strategies import settings_for
    from mazurka.causal.solvers import SOLVERS
    from mazurka.config import Options
    from mazurka.explore.explorer import Budget, Explorer
    from mazurka.explore.registry import STRATEGIES
    from mazurka.program.protocol import learned_points
    from mazurka.program.runtime.task import CALLS_AS_STEPS
    from mazurka.workflows.program_spec import open_program, subject_of

    solver = _TimedSolver(SOLVERS["search"](None))
    SOLVERS[solver.name] = lambda _limit: solver
    name, settings = settings_for(strategy, solver.name)
    options = Options(strategy=name, memory_model=model, time_limit=float(seconds))
    program = open_program(subject_of(target, arguments, options), options)
    if STRATEGIES[name].calls:
        learned_points(program).points.add(CALLS_AS_STEPS)
    program.prepare()
    timed = _Timed(program)
    budget = Budget(None, float(seconds))
    explorer = Explorer(timed, name, settings=settings, budget=budget, stop_at_first=stop == "1")
    begun, executions = time.perf_counter(), 0
    found: list[Any] = []
    for progress in explorer.progress():
        executions = progress.executions
        if progress.restarted:
            timed.reset()
        found += progress.new
    outcome = explorer.outcome
    assert outcome is not None
    made = Search(
        executions=executions,
        last=timed.counted,
        seconds=time.perf_counter() - begun - timed.looking,
        running=timed.seconds,
        solving=solver.seconds,
        repeats=timed.counted - len(timed.readings) if 0 < timed.counted == timed.with_values else None,
        complete=outcome.complete,
        kinds=tuple(each.failure.kind.value for each in found),
    )
    print(json.dumps({name: getattr(made, name) for name in made.__slots__}))


class _TimedSolver:
    """A solver that knows how long it took."""

    name = "timed"

    def __init__(self, solver: Any) -> None:
        self.solver = solver
        self.seconds = 0.0

    def decide(self, history: Any, question: Any) -> Any:
        begun = time.perf_counter()
        answer = self.solver.decide(history, question)
        self.seconds += time.perf_counter() - begun
        return answer


class _Timed:
    """A program that knows how long it ran, how many of its runs count, and the values that they read."""

    def __init__(self, program: Any) -> None:
        self.program = program
        self.seconds = 0.0
        self.looking = 0.0  # seconds of looking at the values read
        self.reset()

    def reset(self) -> None:
        self.counted = self.with_values = 0
        self.readings: set[bytes] = set()

    def execute(self, plan: Any) -> Any:
        begun = time.perf_counter()
        run = self.program.execute(plan)
        ended = time.perf_counter()
        self.seconds += ended - begun
        if "not counted" not in run.output:
            self.counted += 1
            if plan.values or plan.keys:
                self.with_values += 1
                self.readings.add(reading(run))
                self.looking += time.perf_counter() - ended
        return run

    def __getattr__(self, name: str) -> Any:
        return getattr(self.program, name)


if __name__ == "__main__":
    main(*sys.argv[1:])
