"""What one execution of a whole program costs with each strategy: CPU seconds, the strategy's own included, as a ratio
to those of ``dfs``, whose own part is next to nothing.

    make bench ARGS="speed --strategy mcr"

The programs are some of ``programs/services``, repaired. Each search makes 200 executions, or all there are, in a
process of its own; executions before it last began again count for nothing. frontrun has no entry for whole programs.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Final

from benchmarks.row import ROOT, SRC, Row, Settings, middle
from benchmarks.strategies import chosen, settings_for

#: Every so many services one is measured.
_EVERY: Final = 5

_EXECUTIONS: Final = 200
_COMPARED: Final = ("random", "dpor", "icb-dpor", "mcr", "se-mcr")


def measure(settings: Settings) -> Iterator[Row]:
    services = sorted((ROOT / "benchmarks" / "programs" / "services").glob("*.py"))[::_EVERY]
    plain = {path: _milliseconds("dfs", str(path)) for path in services}
    for strategy in chosen(settings, _COMPARED):
        made = {path: _milliseconds(strategy, str(path)) for path in services}
        ratios = [made[path] / plain[path] for path in services]
        note = f"{statistics.median(made.values()):.1f} ms against {statistics.median(plain.values()):.1f}"
        yield Row(f"an execution of a service, {strategy}: CPU", "", *middle(ratios, "x of dfs"), note=note)


def _milliseconds(strategy: str, target: str) -> float:
    """The CPU time of an execution, on average."""
    command = [sys.executable, "-m", "benchmarks.execution_cost", strategy, target, "repaired"]
    environment = {**os.environ, "PYTHONPATH": f"{SRC}{os.pathsep}{ROOT}"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout.splitlines()[-1]))


def main(strategy: str, target: str, *arguments: str) -> None:
    from mazurka.config import Options
    from mazurka.explore.explorer import Budget, Explorer
    from mazurka.workflows.program_spec import open_program, subject_of

    cpu = time.process_time  # that of a checked program is a model
    name, settings = settings_for(strategy, "search")
    options = Options(strategy=name, time_limit=None, jobs=1, save=False)
    program = open_program(subject_of(target, arguments, options), options)
    program.prepare()
    explorer = Explorer(program, name, settings=settings, budget=Budget(_EXECUTIONS), stop_at_first=False)
    begun, before, executions = cpu(), 0, 0
    for progress in explorer.progress():
        executions = progress.executions
        if progress.restarted:
            begun, before = cpu(), executions
    print(json.dumps((cpu() - begun) / (executions - before) * 1e3))


if __name__ == "__main__":
    main(*sys.argv[1:])
