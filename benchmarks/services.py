"""Whole programs, by the default search: CPU seconds to the seeded bug, and what is said of the repaired program.

    make bench ARGS="services --seconds 20"

Each file of ``programs/services`` is a service of 100 to 125 lines with one bug; with the argument ``repaired`` it has
none. The bug has to be found within ten CPU seconds, and of the repaired program all orders with up to two preemptions
have to be covered within ``--seconds`` CPU seconds, if it is not verified. Each function of ``programs/textbook`` is
correct, and has to be verified in two. Beside: ``pct`` alone, and runs with real threads and short switch intervals.

CPU seconds are those of one process, from its start on, with the explanation of the bug left out. The interpreter and
Mazurka take half a second to start.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

from benchmarks.row import ROOT, SRC, Row, Settings

_SERVICES: Final = ROOT / "benchmarks" / "programs" / "services"
_TEXTBOOK: Final = ROOT / "benchmarks" / "programs" / "textbook" / "textbook.py"

#: The demands: CPU seconds to a bug, preemptions, CPU seconds of a textbook program.
_TO_THE_BUG: Final = 10.0
_PREEMPTIONS: Final = 2
_TEXTBOOK_SECONDS: Final = 2.0

#: Runs with real threads, and seconds after which one of them counts as stuck.
_REAL_RUNS: Final = 20
_STUCK: Final = 5.0


@dataclass(frozen=True, slots=True)
class Checked:
    """What was said of a program. ``seconds`` are CPU seconds, to the first failure if there is one."""

    verdict: str
    executions: int
    seconds: float
    strategy: str
    preemptions: int | None
    reason: str


def checked(target: str, *arguments: str, strategy: str = "auto", seconds: float) -> Checked | str:
    """Check a program for so many CPU seconds; text if that can't be done."""
    command = [sys.executable, "-m", "benchmarks.services", str(seconds), strategy, target, *arguments]
    environment = {**os.environ, "PYTHONPATH": f"{SRC}{os.pathsep}{ROOT}"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return (done.stderr.strip() or f"status {done.returncode}").splitlines()[-1]
    return Checked(**json.loads(done.stdout.splitlines()[-1]))


def measure(settings: Settings) -> Iterator[Row]:
    services = sorted(path for path in _SERVICES.glob("*.py"))
    functions = re.findall(r"^def ([a-z]\w*)\(", _TEXTBOOK.read_text(), re.MULTILINE)
    with ThreadPoolExecutor(settings.jobs) as pool:
        most = min(settings.seconds, _TO_THE_BUG)
        bugs = pool.map(lambda path: checked(str(path), seconds=most), services)
        sampled = pool.map(lambda path: checked(str(path), strategy="pct", seconds=most), services)
        real = pool.map(_failing_runs, map(str, services))
        repaired = pool.map(lambda path: checked(str(path), "repaired", seconds=settings.seconds), services)
        textbook = pool.map(lambda name: checked(f"{_TEXTBOOK}::{name}", seconds=_TEXTBOOK_SECONDS), functions)
        for path, bug, beside, failing in zip(services, bugs, sampled, real, strict=True):
            yield _bug_row(path.stem, bug, beside, failing)
        for path, said in zip(services, repaired, strict=True):
            yield _repaired_row(f"{path.stem}, repaired", said)
        for name, said in zip(functions, textbook, strict=True):
            yield _textbook_row(name, said)


def _bug_row(figure: str, bug: Checked | str, beside: Checked | str, failing: int) -> Row:
    demanded = f"<= {_TO_THE_BUG:g} s"
    if isinstance(bug, str):
        return Row(f"{figure}, bug", demanded, "failed", note=bug, holds=False)
    pct = f"{beside.seconds:.1f} s" if isinstance(beside, Checked) and beside.verdict == "violation" else "not found"
    note = f"{bug.executions:,} executions; pct: {pct}; real threads: {failing} of {_REAL_RUNS} runs"
    found = bug.verdict == "violation"
    return Row(f"{figure}, bug", demanded, f"{bug.seconds:.1f} s" if found else bug.verdict, note=note, holds=found)


def _repaired_row(figure: str, said: Checked | str) -> Row:
    demanded = f"{_PREEMPTIONS} preemptions"
    if isinstance(said, str):
        return Row(figure, demanded, "failed", note=said, holds=False)
    note = f"{said.executions:,} executions, {said.seconds:.1f} s; {said.strategy}: {said.reason}"
    covered = -1 if said.preemptions is None else said.preemptions
    holds = said.verdict == "verified" or (said.verdict == "inconclusive" and covered >= _PREEMPTIONS)
    measured = said.verdict if said.verdict != "inconclusive" else f"{covered} preemptions" if covered >= 0 else "none"
    return Row(figure, demanded, measured, note=note, holds=holds)


def _textbook_row(figure: str, said: Checked | str) -> Row:
    if isinstance(said, str):
        return Row(figure, "verified", "failed", note=said, holds=False)
    note = f"{said.executions:,} executions, {said.seconds:.1f} s; {said.strategy}: {said.reason}"
    return Row(figure, "verified", said.verdict, note=note, holds=said.verdict == "verified")


def _failing_runs(path: str) -> int:
    """How many of some runs with real threads fail."""
    run = f"import sys, runpy; sys.setswitchinterval(1e-6); runpy.run_path({path!r}, run_name='__main__')"
    failing = 0
    for _ in range(_REAL_RUNS):
        try:
            done = subprocess.run([sys.executable, "-c", run], capture_output=True, check=False, timeout=_STUCK)
            failing += done.returncode != 0
        except subprocess.TimeoutExpired:
            failing += 1
    return failing


def main(seconds: str, strategy: str, target: str, *arguments: str) -> None:
    from mazurka.config import Options
    from mazurka.workflows.checking import NullObserver, check
    from mazurka.workflows.program_spec import open_program, subject_of

    cpu = time.process_time  # that of a checked program is a model
    limit, first = float(seconds), list[float]()

    class Limited(NullObserver):
        """Stops the search by the CPU time, whatever else the machine does."""

        def interrupted(self) -> bool:
            return cpu() > limit

        def found(self, failing: Any) -> None:
            first.append(cpu())

    options = Options(strategy=strategy, time_limit=None, jobs=1, save=False)
    subject = subject_of(target, arguments, options)
    report = check(open_program(subject, options), subject, options, watcher=Limited())
    covered = report.coverage.preemptions if report.coverage is not None else None
    spent = first[0] if first else cpu()
    made = Checked(report.verdict.value, report.executions, spent, report.strategy, covered, report.reason)
    print(json.dumps({name: getattr(made, name) for name in made.__slots__}))


if __name__ == "__main__":
    main(*sys.argv[1:])
