"""One whole search of a program, in a process of its own.

Prints JSON. ``executions`` are all that were made. Points are learnt, and an exhaustive search that learns one begins
again: ``last`` are those since it last did, which is the number of classes, to be compared with other tools' counts.
A run in which the program prints "not counted" is not.
``running`` are the seconds the program ran, the rest of ``seconds`` went into deciding what to run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any

from benchmarks.row import ROOT, SRC


@dataclass(frozen=True, slots=True)
class Search:
    """What came out."""

    executions: int
    last: int
    seconds: float
    running: float
    complete: bool
    kinds: tuple[str, ...]  # of the distinct failures, by when they were found


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
    told = json.loads(done.stdout.splitlines()[-1])
    return Search(**{**told, "kinds": tuple(told["kinds"])})


def main(seconds: str, strategy: str, model: str, stop: str, target: str, *arguments: str) -> None:
    from mazurka.config import Options
    from mazurka.explore.explorer import Budget, Explorer
    from mazurka.subject import open_program, subject_of

    options = Options(strategy=strategy, memory_model=model, time_limit=float(seconds))
    program = open_program(subject_of(target, arguments, options), options)
    program.prepare()
    timed = _Timed(program)
    explorer = Explorer(timed, strategy, budget=Budget(None, float(seconds)), stop_at_first=stop == "1")
    begun, executions, before = time.perf_counter(), 0, 0
    found: list[Any] = []
    for progress in explorer.progress():
        executions = progress.executions
        if progress.restarted:
            before = timed.counted
        found += progress.new
    outcome = explorer.outcome
    assert outcome is not None
    told = Search(
        executions=executions,
        last=timed.counted - before,
        seconds=time.perf_counter() - begun,
        running=timed.seconds,
        complete=outcome.complete,
        kinds=tuple(each.failure.kind.value for each in found),
    )
    print(json.dumps({name: getattr(told, name) for name in told.__slots__}))


class _Timed:
    """A program that knows how long it ran, and how many of its runs count."""

    def __init__(self, program: Any) -> None:
        self.program = program
        self.seconds = 0.0
        self.counted = 0

    def execute(self, plan: Any) -> Any:
        begun = time.perf_counter()
        run = self.program.execute(plan)
        self.seconds += time.perf_counter() - begun
        self.counted += "not counted" not in run.output
        return run

    def __getattr__(self, name: str) -> Any:
        return getattr(self.program, name)


if __name__ == "__main__":
    main(*sys.argv[1:])
