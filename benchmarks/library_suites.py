"""How often the thread tests of released libraries' own suites get an answer under ``pytest --mazurka``.

    make bench ARGS="suites --seconds 10"              all (up to fifteen minutes each); needs PyPI once
    make bench ARGS="suites --only zict --keep"        one, and puts the figures into docs/reference/libraries.md

The source distributions are those of the versions that :mod:`benchmarks.libraries` pins, downloaded once into
``.cache/suites``. Of each, the files below have the tests that start threads. A suite that takes longer than its limit
is stopped, and its results until then are reported. Each suite runs without Mazurka first, which shows the tests that
start threads: those of them that a stopped suite has not reached count as not verified.
"""

from __future__ import annotations

import collections
import fnmatch
import json
import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchmarks.library_environment import keep, python, version_of
from benchmarks.overhead import unpacked
from benchmarks.row import ROOT, SRC, Row, Settings

#: After how many seconds a suite is stopped.
_LIMIT: Final = 900.0

#: Demanded: the share of tests that start threads that are verified.
_VERIFIED: Final = 0.8

#: The possible verdicts on a test that starts threads.
_VERDICTS: Final = ("verified", "violation", "inconclusive")

_PLUGIN: Final = ROOT / "benchmarks" / "suites"
_COLUMNS: Final = (
    "suite", "tests", "explored", "verified", "violation", "inconclusive", "not reached", "seconds",
    "commonest reasons",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Suite:
    """A package on PyPI, the module that is included, the folder of its sources and the files with its thread tests;
    and further arguments of pytest."""

    package: str
    include: str
    tests: tuple[str, ...]
    source: str = "."
    options: tuple[str, ...] = ()


_SUITES: Final = (
    Suite("zict", "zict", tuple(f"zict/tests/test_{name}.py" for name in ("buffer", "cache", "lru", "sieve", "utils"))),
    Suite(
        "watchdog",
        "watchdog",
        tuple(f"tests/test_{name}.py" for name in ("skip_repeats_queue", "delayed_queue", "observer", "observers_api")),
        "src",
    ),
    Suite("cachetools", "cachetools", ("tests/test_threading.py",), "src"),
    Suite("python-statemachine", "statemachine", ("tests/test_threading.py", "tests/test_internal_triggers.py")),
    # Its conftest starts servers.
    Suite(
        "urllib3",
        "urllib3",
        ("test/test_connectionpool.py", "test/test_poolmanager.py", "test/test_collections.py"),
        "src",
        ("--noconftest",),
    ),
    Suite("SQLAlchemy", "sqlalchemy.pool", ("test/engine/test_pool.py",), "lib"),
    Suite("httpcore", "httpcore", ("tests/_sync/test_connection_pool.py",)),
    Suite("prometheus_client", "prometheus_client", ("tests/test_core.py", "tests/test_graphite_bridge.py")),
    Suite("structlog", "structlog", ("tests/test_threadlocal.py", "tests/processors/test_processors.py"), "src"),
    Suite("APScheduler", "apscheduler", ("tests/test_executors.py", "tests/test_schedulers.py"), "src"),
)


@dataclass(slots=True)
class Outcome:
    """The result of a suite: how many tests ran, the verdicts on those explored, the reasons for missing ones, how many
    tests that start threads were ``unreached``, and how the suite ended."""

    tests: int = 0
    verdicts: collections.Counter[str] = field(default_factory=collections.Counter)
    reasons: collections.Counter[str] = field(default_factory=collections.Counter)
    unreached: int = 0
    seconds: float = 0.0
    ended: str = ""


def measure(settings: Settings) -> Iterator[Row]:
    interpreter = python()
    total: collections.Counter[str] = collections.Counter()
    for suite in _SUITES:
        if not fnmatch.fnmatch(suite.package, settings.only):
            continue
        outcome = _run(interpreter, suite, settings.seconds)
        total += outcome.verdicts
        total["unreached"] += outcome.unreached
        if settings.keep:
            names = [f"{each.package} {version_of(each.package)}" for each in _SUITES]
            keep("## Suites", _COLUMNS, {f"{suite.package} {version_of(suite.package)}": _cells(outcome)}, names)
        yield _row(suite, outcome)
    yield _share("tests that start threads that are verified", total)


def _run(interpreter: Path, suite: Suite, seconds: float) -> Outcome:
    folder = unpacked(f"{suite.package}=={version_of(suite.package)}")
    with tempfile.TemporaryDirectory(prefix="suite-") as scratch:
        log, threaded = Path(scratch, "verdicts"), Path(scratch, "threaded")
        path = os.pathsep.join(map(str, (SRC, _PLUGIN, folder / suite.source, folder)))
        environment = {**os.environ, "PYTHONPATH": path, "SUITE_VERDICTS": str(log), "SUITE_THREADS": str(threaded)}
        command = [str(interpreter), "-m", "pytest", "-q"]
        command += [
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
            "-p",
            "no:cov",
            "-o",
            "addopts=",
            "-o",
            "filterwarnings=",
            *suite.options,
        ]
        command += ["-o", "asyncio_default_fixture_loop_scope=function", *suite.tests]
        _ended([*command, "-p", "thread_log"], folder, environment)
        command += ["-p", "mazurka.pytest_plugin", "-p", "verdict_log", "--mazurka"]
        command += ["--mazurka-include", suite.include, "--mazurka-time-limit", str(seconds)]
        begun = time.monotonic()
        ended = _ended(command, folder, environment)
        outcome = Outcome(seconds=time.monotonic() - begun, ended=ended)
        left = set(_lines(threaded))
        for line in _lines(log):
            test, *verdict = json.loads(line)
            left.discard(test)
            _count(outcome, *verdict)
        outcome.unreached = len(left) if ended else 0
        return outcome


def _lines(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []


def _ended(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    """How pytest ended, if not by itself with tests that passed or failed."""
    with tempfile.TemporaryFile("w+") as captured:
        child = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=captured, stderr=captured, stdin=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        try:
            status = child.wait(_LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            return f"stopped after {_LIMIT:.0f} s"
        if status in (0, 1):
            return ""
        captured.seek(0)
        lines = [line for line in captured.read().splitlines() if line.strip()]
        telling = [line for line in lines if re.match("E  |ERROR|INTERNAL", line)] or lines or ["no output"]
        return f"status {status}: {telling[-1]}"


def _count(outcome: Outcome, _seconds: float, _outcome: str, said: str) -> None:
    outcome.tests += 1
    verdict, _, reason = said.partition(": ")
    if verdict in _VERDICTS:
        outcome.verdicts[verdict] += 1
    if verdict == "inconclusive":
        outcome.reasons[re.sub(r" at \S+:\d+|\S*/site-packages/|\(add --include [^)]*\)", "", reason)] += 1


def _commonest(outcome: Outcome, most: int = 3) -> str:
    reasons = [f"{reason[:120]} ({count})" for reason, count in outcome.reasons.most_common(most)]
    return "; ".join([*([outcome.ended] if outcome.ended else []), *reasons])


def _row(suite: Suite, outcome: Outcome) -> Row:
    said = outcome.verdicts
    measured = f"{said['verified']} verified"
    spread = f"{said['violation']} violation, {said['inconclusive']} inc."
    reached = f"{said.total()} of {outcome.tests} explored, {outcome.unreached} not reached"
    note = f"{reached}, {outcome.seconds:.0f} s; {_commonest(outcome)}"
    return Row(suite.package, "", measured, spread, note)


def _cells(outcome: Outcome) -> Sequence[str]:
    said = outcome.verdicts
    counts = [outcome.tests, said.total(), *(said[each] for each in _VERDICTS), outcome.unreached]
    return *map(str, counts), f"{outcome.seconds:.0f}", _commonest(outcome)


def _share(figure: str, said: collections.Counter[str]) -> Row:
    share = said["verified"] / said.total() if said else 0.0
    total = f"{said['verified']} of {said.total()}"
    return Row(figure, f">= {_VERIFIED:.0%}", f"{share:.0%}", total, holds=share >= _VERIFIED)
