"""The cost of `mazurka record` for three threaded programs that use released libraries, pinned.

Each runs plain, recorded with its own modules tracked, and recorded with the library included, one after the other, in
processes of their own; the slow-down is the ratio of the processor time that its threads took, which a busy machine
sways less than the clock. The first recording of each is thrown away: it fills the cache of instrumented code.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.real.cases import python_path

from benchmarks.row import ROOT, Row, Settings, middle

#: Demanded where the program's own modules are tracked.
_LIMIT: Final = 8.0

_COUNTS: Final = re.compile(r"recorded ([\d,]+) events of .* kept ([\d,]+)")


@dataclass(frozen=True, slots=True)
class Workload:
    """A program in benchmarks/workloads, and the library it uses."""

    program: str
    package: str
    requirements: tuple[str, ...]


WORKLOADS: Final = (
    Workload("templates.py", "jinja2", ("Jinja2==2.11.3", "markupsafe==2.0.1")),
    Workload("cache.py", "cachetools", ("cachetools==5.3.1",)),
    Workload("database.py", "sqlalchemy", ("SQLAlchemy==2.0.36", "typing_extensions==4.12.2")),
)


@dataclass(frozen=True, slots=True)
class Once:
    """Processor seconds of the threads, and of all work after them; and the recorded events."""

    seconds: float
    afterwards: float
    events: int = 0
    kept: int = 0
    size: int = 0


def measure(settings: Settings) -> Iterator[Row]:
    for workload in WORKLOADS:
        own, included, valued = (), ("--include", workload.package), ("--include", workload.package, "--values")
        for suffix, options in (("", own), (", included", included), (", included, with values", valued)):
            _recorded(workload, options)
            pairs = [(_plain(workload), _recorded(workload, options)) for _ in range(settings.repetitions)]
            yield from _rows(f"{workload.package}{suffix}", pairs, demanded=not suffix)


def _rows(name: str, pairs: list[tuple[Once, Once]], demanded: bool) -> Iterator[Row]:
    ratios = [slow.seconds / plain.seconds for plain, slow in pairs]
    holds = statistics.median(ratios) < _LIMIT if demanded else None
    note = f"plain {statistics.median(plain.seconds for plain, _ in pairs):.3f} s of processor time"
    yield Row(f"recorded: {name}", f"under {_LIMIT:.0f}x" if demanded else "", *middle(ratios, "x"), note, holds)
    if not demanded:
        last = pairs[-1][1]
        microseconds = [1e6 * (slow.seconds - plain.seconds) / slow.events for plain, slow in pairs]
        yield Row("  an event", "", *middle(microseconds, " us"), f"{last.events:,} events")
        finishing = [1e6 * slow.afterwards / slow.events for _, slow in pairs]
        note = f"{last.kept:,} events kept, {last.size / max(last.kept, 1):.1f} bytes each"
        yield Row("  an event, finishing", "", *middle(finishing, " us"), note)


def _plain(workload: Workload) -> Once:
    with tempfile.TemporaryDirectory() as folder:
        return run(workload, [], Path(folder))


def _recorded(workload: Workload, options: tuple[str, ...]) -> Once:
    with tempfile.TemporaryDirectory() as folder:
        return run(workload, ["-m", "mazurka", "record", "-o", "made", *options], Path(folder))


def run(workload: Workload, before: list[str], folder: Path) -> Once:
    """Run a workload, with these arguments ``before`` its name, in a folder of its own: the libraries lie in ours, and
    would be taken for the program's own modules."""
    shutil.copy(ROOT / "benchmarks" / "workloads" / workload.program, folder)
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, *before, workload.program],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((python_path(workload.requirements), str(ROOT)))},
        capture_output=True,
        text=True,
        check=True,
    )
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = now.ru_utime + now.ru_stime - spent.ru_utime - spent.ru_stime
    started, ended = map(float, done.stdout.split())
    found = _COUNTS.search(done.stderr)
    if found is None:
        return Once(ended - started, total - ended)
    events, kept = (int(number.replace(",", "")) for number in found.groups())
    size = sum(each.stat().st_size for each in folder.glob("made/*.parquet"))
    return Once(ended - started, total - ended, events, kept, size)
