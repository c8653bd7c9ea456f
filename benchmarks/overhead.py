"""The cost of instrumentation for a program with one thread: the same work plain and instrumented, side by side in one
run.

The test suites of three released packages, pinned, run in child processes, plain and with the package and its tests
instrumented; and programs of our own that mostly do operations that hooks slow down. Hooks are live, but there is
nothing to schedule. A suite's results have to be the same; it runs without settings of pytest. Packages come as
source distributions, once, into ``.cache/suites``.

    python -m benchmarks.overhead PACKAGE TESTS      another package, and the folder with its tests
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.row import ROOT, SRC, Row, Settings, middle

_LIMIT: Final = 15.0
_CACHE: Final = ROOT / ".cache" / "suites"


@dataclass(frozen=True, slots=True)
class Suite:
    """A released package; ``source`` and ``tests`` are folders in its source distribution."""

    requirement: str
    package: str
    source: str
    tests: str


_SUITES: Final = (
    Suite("cachetools==5.3.1", "cachetools", "src", "tests"),
    Suite("more-itertools==10.5.0", "more_itertools", ".", "tests"),
    Suite("toolz==1.0.0", "toolz", ".", "toolz/tests"),
)

_PROGRAMS: Final = {
    "attributes": """
class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def move(self, dx, dy):
        self.x += dx
        self.y += dy
        return self.x * self.x + self.y * self.y

def work():
    point = Point(0, 0)
    for step in range(20000):
        point.move(step, 1)
    return point.x
""",
    "containers": """
def work():
    counts = {}
    order = []
    for number in range(20000):
        key = number % 97
        if key in counts:
            counts[key] += 1
        else:
            counts[key] = 1
            order.append(key)
    return sum(counts[key] for key in order)
""",
    "functions": """
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

def work():
    return fibonacci(18)
""",
    "sieve": """
def work():
    limit = 20000
    sieve = [True] * limit
    for number in range(2, 142):
        if sieve[number]:
            for multiple in range(number * number, limit, number):
                sieve[multiple] = False
    return sum(sieve)
""",
}

_RUN: Final = """
import sys
import pytest
if {instrumented}:
    from mazurka.program.python.instrument import loader
    from mazurka.program.python.semantics import hooks
    hooks.install()
    loader.Loader([{tests!r}], [{package!r}]).install()
raise SystemExit(pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:mazurka",
"-c", "/dev/null", "--rootdir", {tests!r}, "--assert=plain", {tests!r}]))
"""


def measure(settings: Settings) -> Iterator[Row]:
    for suite in _SUITES:
        folder = unpacked(suite.requirement)
        places = folder / suite.source, folder / suite.tests
        yield measure_suite(suite.requirement, suite.package, *places, settings.repetitions)
    for name, source in _PROGRAMS.items():
        yield _measure_program(name, source, settings.repetitions)


def unpacked(requirement: str) -> Path:
    """The folder of the source distribution of a pinned package."""
    folder = _CACHE / requirement.replace("==", "-")
    if not folder.exists():
        _CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=_CACHE, prefix=".new-") as scratch:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
            command += ["--no-binary", requirement.partition("==")[0], "--dest", scratch, requirement]
            subprocess.run(command, check=True)
            (archive,) = Path(scratch).glob("*.tar.gz")
            with tarfile.open(archive) as packed:
                packed.extractall(scratch, filter="data")
            (unpacked,) = (each for each in Path(scratch).iterdir() if each.is_dir())
            unpacked.rename(folder)
    return folder


def measure_suite(name: str, package: str, source: Path, tests: Path, repetitions: int) -> Row:
    """Run a package's test suite both ways; the results are compared, too."""
    runs = [
        [_run_suite(package, source, tests, instrumented) for instrumented in (False, True)] for _ in range(repetitions)
    ]
    results = {result for pair in runs for _, result in pair}
    times = [(plain, slow) for (plain, _), (slow, _) in runs]
    note = f"both ways {'; '.join(sorted(results))}, plain {min(plain for plain, _ in times):.2f} s"
    same = len(results) == 1
    return _row(
        f"test suite of {name}", times, note if same else note.replace("both ways", "THE RESULTS DIFFER:"), same
    )


def _run_suite(package: str, source: Path, tests: Path, instrumented: bool) -> tuple[float, str]:
    """Seconds by pytest's own account, and its last line without them."""
    script = _RUN.format(tests=str(tests), package=package, instrumented=instrumented)
    path = os.pathsep.join([str(SRC), str(source)])
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tests.parent,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    last = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else done.stderr.strip()[-200:]
    outcome, _, duration = last.strip("= ").partition(" in ")
    if not duration:
        raise SystemExit(f"{package}: its tests do not run: {last}")
    return float(duration.partition("s")[0]), outcome


def _measure_program(name: str, source: str, repetitions: int) -> Row:
    from mazurka.program.python.instrument import instrument
    from mazurka.program.python.semantics import hooks

    hooks.install()
    plain: dict[str, Any] = {"__name__": name}
    rewritten: dict[str, Any] = {"__name__": name}
    exec(compile(source, f"<{name}>", "exec"), plain)
    exec(instrument.instrument_source(source, f"<{name}>"), rewritten)
    pairs = [(_time(plain["work"]), _time(rewritten["work"])) for _ in range(repetitions)]
    return _row(f"loop over {name}", pairs, "", plain["work"]() == rewritten["work"](), demanded=False)


def _time(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _row(figure: str, pairs: list[tuple[float, float]], note: str, same: bool, demanded: bool = True) -> Row:
    ratios = [slow / plain for plain, slow in pairs]
    holds = same and (sorted(ratios)[len(ratios) // 2] < _LIMIT or not demanded)
    limit = f"under {_LIMIT:.0f}x" if demanded else ""
    return Row(figure, limit, *middle(ratios, "x"), note, holds if demanded or not same else None)


if __name__ == "__main__":
    sys.path.insert(0, str(SRC))
    _package, _tests = sys.argv[1:]
    print(measure_suite(_package, _package, Path(_tests).resolve().parent, Path(_tests).resolve(), 5))
