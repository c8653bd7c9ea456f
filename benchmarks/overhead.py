"""What instrumentation costs a program with one thread: the same work plain and instrumented, side by side in one run.

    python benchmarks/overhead.py [--repeat N] [PACKAGE TESTS ...]

Without arguments it measures programs of its own, small enough to read, that do little but what hooks slow down.
Given a package and the directory of its test suite (say `cachetools /tmp/cachetools/tests`), it runs that suite in
child processes, plain and with the package and the tests instrumented. Hooks are live, but there is nothing to
schedule. Prints the ratio of the times with its spread. Exits with 1 if a suite's results differ, or a ratio is 15
or more.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 15.0

PROGRAMS = {
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

SUITE = """
import sys
sys.path[:0] = [{src!r}, {parent!r}]
import pytest
if {instrumented}:
    from mazurka.program.python import hooks, loader
    hooks.install()
    loader.Loader([{tests!r}], [{package!r}]).install()
raise SystemExit(pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:mazurka",
"--assert=plain", {tests!r}]))
"""


def main() -> int:
    """Measure, print, and say whether all is well."""
    parser = argparse.ArgumentParser(description="overhead of instrumentation with nothing to schedule")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("pairs", nargs="*", metavar="PACKAGE TESTS")
    arguments = parser.parse_args()
    worst = 0.0
    same = True
    if arguments.pairs:
        for package, tests in zip(arguments.pairs[::2], arguments.pairs[1::2], strict=True):
            ratio, equal = measure_suite(package, tests, arguments.repeat)
            worst, same = max(worst, ratio), same and equal
    else:
        for name, source in PROGRAMS.items():
            worst = max(worst, measure_program(name, source, arguments.repeat))
    return 0 if same and worst < LIMIT else 1


def measure_program(name: str, source: str, repeat: int) -> float:
    """Time one program of ours both ways."""
    sys.path.insert(0, str(ROOT / "src"))
    from mazurka.program.python import hooks, instrument

    hooks.install()
    plain: dict[str, Any] = {"__name__": name}
    rewritten: dict[str, Any] = {"__name__": name}
    exec(compile(source, f"<{name}>", "exec"), plain)
    exec(instrument.instrument_source(source, f"<{name}>"), rewritten)
    assert plain["work"]() == rewritten["work"]()
    return report(name, [(_time(plain["work"]), _time(rewritten["work"])) for _ in range(repeat)])


def _time(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def measure_suite(package: str, tests: str, repeat: int) -> tuple[float, bool]:
    """Time a package's test suite both ways, and compare the results."""
    pairs = []
    equal = True
    for _ in range(repeat):
        (before, one), (after, other) = (_run_suite(package, tests, instrumented) for instrumented in (False, True))
        pairs.append((before, after))
        if one != other:
            print(f"{package}: the results differ: {one} against {other}")
            equal = False
    return report(package, pairs, one), equal


def _run_suite(package: str, tests: str, instrumented: bool) -> tuple[float, str]:
    script = SUITE.format(
        src=str(ROOT / "src"),
        parent=str(Path(tests).resolve().parent),
        tests=tests,
        package=package,
        instrumented=instrumented,
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    last = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else done.stderr.strip()[-200:]
    outcome, _, duration = last.strip("= ").partition(" in ")
    if not duration:
        raise SystemExit(f"{package}: its tests do not run: {last}")
    return float(duration.partition("s")[0]), outcome


def report(name: str, pairs: list[tuple[float, float]], outcome: str = "") -> float:
    """Print the ratio of instrumented to plain."""
    ratios = [after / before for before, after in pairs]
    middle = statistics.median(ratios)
    plain = statistics.median(before for before, _ in pairs)
    print(
        f"{name:14} plain {plain * 1000:9.1f} ms   instrumented {middle:5.2f} x   "
        f"({min(ratios):.2f} to {max(ratios):.2f})   {outcome}"
    )
    return middle


if __name__ == "__main__":
    raise SystemExit(main())
