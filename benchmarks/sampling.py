"""How soon samplers meet a bug: the median number of executions to the first failure, over 20 seeds, side by side.

The programs are those of benchmarks/programs that have a bug, and the real cases (tests/real). All samplers see the
same points: some random walks learn them first, which don't count. A search that finds nothing within the limit counts
as the limit. Nothing is demanded.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any, Final

from benchmarks.counts import published
from benchmarks.row import ROOT, SRC, Row, Settings
from mazurka.explore.registry import make_strategy
from mazurka.explore.strategy import StrategySettings as Told

SAMPLERS: Final = ("random", "pct", "pos", "surw")
SEEDS: Final = 20
LIMIT: Final = 300
WARMING: Final = 20

#: Seeds this far apart share no run: a run's seed is the search's plus its number.
_APART: Final = 100_003


def measure(settings: Settings) -> Iterator[Row]:
    from tests.real.cases import BUGS, REPAIRED, python_path

    for name in published()["bugs"]:
        path = ROOT / "benchmarks" / "programs" / f"{name}.py"
        yield from _rows(name, settings.seconds, f"{path}::bug", "", str(SRC))
    for bug in BUGS:
        if bug.case not in REPAIRED:
            case = bug.case
            path = ROOT / "tests" / "real" / case.script
            yield from _rows(str(bug), settings.seconds, str(path), case.include, python_path(case.requirements))


def _rows(figure: str, seconds: float, target: str, include: str, path: str) -> Iterator[Row]:
    command = [sys.executable, "-m", "benchmarks.sampling", str(seconds), target, include]
    environment = {**os.environ, "PYTHONPATH": f"{path}{os.pathsep}{ROOT}"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        yield Row(figure, "", "failed", note=(done.stderr.strip() or "?").splitlines()[-1], holds=False)
        return
    for sampler, counts in json.loads(done.stdout.splitlines()[-1]).items():
        missed = sum(count >= LIMIT for count in counts)
        note = f"{missed} of {len(counts)} found nothing" if missed else ""
        if len(counts) < SEEDS:
            note = f"only {len(counts)} seeds in the time; {note}".rstrip("; ")
        middle = f"{statistics.median(counts):g}" if counts else "?"
        spread = f"{min(counts)} to {max(counts)}" if counts else ""
        yield Row(f"{figure} {sampler}", "", middle, spread, note)


def main(seconds: str, target: str, include: str) -> None:
    from mazurka.config import Options
    from mazurka.workflows.program_spec import open_program, subject_of

    options = Options(include=tuple(filter(None, [include])))
    program = open_program(subject_of(target, (), options), options)
    program.prepare()
    _first_failure(program, make_strategy("random", Told(seed=-_APART)), WARMING, stop=False)
    found = {sampler: list(_counts(program, sampler, float(seconds))) for sampler in SAMPLERS}
    program.close()
    print(json.dumps(found))


def _counts(program: Any, sampler: str, seconds: float) -> Iterator[int]:
    """The executions to the first failure, by seed, until the time is up."""
    deadline = time.perf_counter() + seconds
    for seed in range(SEEDS):
        if time.perf_counter() < deadline:
            yield _first_failure(program, make_strategy(sampler, Told(seed=seed * _APART)), LIMIT)


def _first_failure(program: Any, strategy: Any, limit: int, stop: bool = True) -> int:
    """The number of the first run that fails; the limit if none does."""
    for number in range(1, limit + 1):
        seed = strategy.next_seed()
        run = program.execute(seed.plan)
        strategy.observe(seed, run)
        if run.failures and stop:
            return number
    return limit


if __name__ == "__main__":
    main(*sys.argv[1:])
