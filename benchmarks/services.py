"""Whole programs, by the default search: CPU seconds to the seeded bug, and what is said of the repaired program.

    make bench ARGS=services                  half an hour
    make bench ARGS="services --only 'm*'"    those whose names begin so

Each file of ``programs/services`` is a service with one bug; with the argument ``repaired`` it has none. The bug has to
be found within ten CPU seconds, and of the repaired program all orders with up to two preemptions have to be covered
within ``--seconds`` CPU seconds, if it is not verified. ``programs/growing/orders.py`` is correct, too, and shows how
the number of executions grows with its orders and workers. Each function of ``programs/textbook`` is correct, and has
to be verified in two. Beside each bug: its kind, ``pct`` alone, frontrun (``services_frontrun.py``, for ten seconds,
not of the CPU), and the first of 1,000 runs on real threads that fails, with a switch interval of a microsecond.

CPU seconds are those of one process, from its start on, with the explanation of the bug left out; frontrun's are those
of its search alone. The interpreter and Mazurka take half a second to start.
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.row import ROOT, SRC, Row, Settings

_SERVICES: Final = ROOT / "benchmarks" / "programs" / "services"
_TEXTBOOK: Final = ROOT / "benchmarks" / "programs" / "textbook"
_ORDERS: Final = ROOT / "benchmarks" / "programs" / "growing" / "orders.py"
_PEER: Final = ROOT / "benchmarks" / "services_frontrun.py"

#: The demands: CPU seconds to a bug, preemptions, CPU seconds of a textbook program.
_TO_THE_BUG: Final = 10.0
_PREEMPTIONS: Final = 2
_TEXTBOOK_SECONDS: Final = 2.0

#: The arguments of the service of orders, and the most executions until it is verified; None: two preemptions in so
#: many CPU seconds.
_GROWTH: Final = (("2 2", 30), ("3 2", 150), ("4 2", 800), ("4 2 join", 800), ("8 3", None))
_TO_THE_BOUND: Final = 20.0

#: Runs with real threads, and seconds after which one of them counts as stuck.
_REAL_RUNS: Final = 1000
_STUCK: Final = 5

#: Runs a program until a run fails or is stuck, and says which one. Each run is a fork, which has to import nothing.
_RUN_REPEATEDLY: Final = """
import os, runpy, signal, sys, threading
runs, stuck, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
sys.argv = sys.argv[3:]
runpy.run_path(path)
for number in range(1, runs + 1):
    if not (process := os.fork()):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        threading.excepthook = lambda _: os._exit(1)
        signal.alarm(stuck)
        sys.setswitchinterval(1e-6)
        runpy.run_path(path, run_name="__main__")
        for thread in threading.enumerate():  # as the interpreter does at its end
            if thread is not threading.main_thread() and not thread.daemon:
                thread.join()
        os._exit(0)
    if os.waitpid(process, 0)[1]:
        print(number)
        break
"""


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


def services(only: str = "*") -> list[Path]:
    return sorted(path for path in _SERVICES.glob("*.py") if fnmatch.fnmatch(path.stem, only))


def kind(path: Path) -> str:
    """Of the seeded bug, as the head of the program names it."""
    found = re.search(r"^Seeded \(([^)]+)\):", path.read_text(), re.MULTILINE)
    assert found is not None, path
    return found[1]


def textbook(only: str = "*") -> list[str]:
    """The targets: a function of a file each."""
    return [
        f"{path}::{name}"
        for path in sorted(_TEXTBOOK.glob("*.py"))
        for name in re.findall(r"^def ([a-z]\w*)\(\)", path.read_text(), re.MULTILINE)
        if fnmatch.fnmatch(name, only)
    ]


def measure(settings: Settings) -> Iterator[Row]:
    paths, targets = services(settings.only), textbook(settings.only)
    with ThreadPoolExecutor(settings.jobs) as pool:
        most = min(settings.seconds, _TO_THE_BUG)
        bugs = pool.map(lambda path: checked(str(path), seconds=most), paths)
        sampled = pool.map(lambda path: checked(str(path), strategy="pct", seconds=most), paths)
        peers = pool.map(lambda path: _by_frontrun(path, settings.frontrun, most), paths)
        real = pool.map(_on_real_threads, paths)
        repaired = pool.map(lambda path: checked(str(path), "repaired", seconds=settings.seconds), paths)
        growing = [each for each in _GROWTH if fnmatch.fnmatch("orders", settings.only)]
        grown = pool.map(lambda each: checked(str(_ORDERS), *each[0].split(), seconds=_TO_THE_BOUND), growing)
        verified = pool.map(lambda target: checked(target, seconds=_TEXTBOOK_SECONDS), targets)
        for path, bug, *beside in zip(paths, bugs, sampled, peers, real, strict=True):
            yield _bug_row(path, bug, *beside)
        for path, said in zip(paths, repaired, strict=True):
            yield _repaired_row(f"{path.stem}, repaired", said)
        for (arguments, most_executions), said in zip(growing, grown, strict=True):
            yield _growth_row(f"orders {arguments}", most_executions, said)
        for target, said in zip(targets, verified, strict=True):
            yield _textbook_row(target.rpartition("::")[2], said)


def _bug_row(path: Path, bug: Checked | str, pct: Checked | str, peer: str, real: str) -> Row:
    figure, demanded = f"{path.stem}, bug", f"<= {_TO_THE_BUG:g} s"
    if isinstance(bug, str):
        return Row(figure, demanded, "failed", note=bug, holds=False)
    if isinstance(pct, Checked):
        pct = f"{pct.seconds:.1f} s, {pct.executions:,} executions" if pct.verdict == "violation" else "not found"
    note = f"{bug.executions:,} executions; pct: {pct}; frontrun: {peer}; real threads: {real}"
    found = bug.verdict == "violation"
    measured = f"{bug.seconds:.1f} s" if found else bug.verdict
    return Row(figure, demanded, measured, kind(path), note, found)


def _repaired_row(figure: str, said: Checked | str) -> Row:
    demanded = f"{_PREEMPTIONS} preemptions"
    if isinstance(said, str):
        return Row(figure, demanded, "failed", note=said, holds=False)
    note = f"{said.executions:,} executions, {said.seconds:.1f} s; {said.strategy}: {said.reason}"
    covered = -1 if said.preemptions is None else said.preemptions
    holds = said.verdict == "verified" or (said.verdict == "inconclusive" and covered >= _PREEMPTIONS)
    measured = said.verdict if said.verdict != "inconclusive" else f"{covered} preemptions" if covered >= 0 else "none"
    return Row(figure, demanded, measured, note=note, holds=holds)


def _growth_row(figure: str, most: int | None, said: Checked | str) -> Row:
    if most is None or isinstance(said, str):
        return _repaired_row(figure, said)
    holds = said.verdict == "verified" and said.executions <= most
    measured = f"{said.executions:,}" if said.verdict == "verified" else said.verdict
    return Row(figure, f"<= {most}", measured, "executions", f"{said.seconds:.1f} s; {said.strategy}", holds)


def _textbook_row(figure: str, said: Checked | str) -> Row:
    if isinstance(said, str):
        return Row(figure, "verified", "failed", note=said, holds=False)
    note = f"{said.executions:,} executions, {said.seconds:.1f} s; {said.strategy}: {said.reason}"
    return Row(figure, "verified", said.verdict, note=note, holds=said.verdict == "verified")


def _by_frontrun(path: Path, python: str, seconds: float) -> str:
    if not python:
        return "not run (--frontrun PYTHON)"
    launcher = str(Path(python).with_name("frontrun"))
    command = [launcher, python, str(_PEER), str(seconds), str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds + 60)
    except subprocess.TimeoutExpired:
        return "no result"
    if done.returncode != 0:
        return f"ended with {(done.stderr.strip() or '?').splitlines()[-1][:90]}"
    said = json.loads(done.stdout.splitlines()[-1])
    words = {True: "not found", False: f"{said['seconds']:.1f} s", None: "gave up"}[said["holds"]]
    return f"{words}, {said['executions']:,} executions"


def first_failing_run(path: Path, *arguments: str, runs: int = _REAL_RUNS) -> int | None:
    """Of so many runs on real threads; a run that is stuck fails, too."""
    command = [sys.executable, "-c", _RUN_REPEATEDLY, str(runs), str(_STUCK), str(path), *arguments]
    number = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return int(number) if number else None


def _on_real_threads(path: Path) -> str:
    failing = first_failing_run(path)
    return f"none of {_REAL_RUNS:,} runs fails" if failing is None else f"run {failing} fails"


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
