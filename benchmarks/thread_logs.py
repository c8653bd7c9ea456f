"""The cost of a log of each thread against that of one log of all, in one run: `mazurka record` with four kinds of
buffers (log_buffers.py), on the three programs of recording.py, whose library is recorded, too.

The overhead is the processor time of the program's threads beyond that of the plain program. The patent (003, FIG. 21)
measures the reduction from a log in one order, whose events are synchronised, to logs of threads: 54 % on average, 10
to 82 %. The reduction without any log is the most that logs can save. Kinds take turns; a reduction is that of the
medians, its spread that over the workloads.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Final

from benchmarks.log_buffers import KINDS
from benchmarks.recording import WORKLOADS, Workload, run
from benchmarks.row import Row, Settings, middle

_DEMANDED: Final = 0.54

#: The most repetitions, so that all of it takes some minutes.
_ROUNDS: Final = 3

#: The comparisons: the overhead with the first, below that with the second.
_COMPARED: Final = (("per-thread", "locked"), ("per-thread", "shared"), ("none", "shared"), ("none", "locked"))

_NAMES: Final = {
    "shared": "a shared log",
    "locked": "a locked log",
    "per-thread": "logs of threads",
    "none": "no log",
}


def measure(settings: Settings) -> Iterator[Row]:
    reductions: dict[tuple[str, str], list[float]] = {each: [] for each in _COMPARED}
    for workload in WORKLOADS:
        over = yield from _overheads(workload, min(settings.repetitions, _ROUNDS))
        for (kind, below), found in reductions.items():
            found.append(1 - over[kind] / over[below])
    for (kind, below), found in reductions.items():
        low, high = (f"{100 * each:.0f} %" for each in (min(found), max(found)))
        average = statistics.mean(found)
        demanded = (kind, below) == ("per-thread", "locked")
        figure = f"overhead with {_NAMES[kind]}, below that with {_NAMES[below]}"
        yield Row(
            figure,
            f"at least {100 * _DEMANDED:.0f} %" if demanded else "",
            f"{100 * average:.0f} %",
            f"{low} to {high}",
            holds=average >= _DEMANDED if demanded else None,
        )


def _overheads(workload: Workload, repetitions: int) -> Generator[Row, None, dict[str, float]]:
    """The seconds of each kind beyond the plain program's, by kind; a row for each."""
    seconds: dict[str, list[float]] = {kind: [] for kind in ("plain", *KINDS)}
    _run(workload, "none")  # which fills the cache of instrumented code
    events = 0
    for _ in range(repetitions):
        for kind, measured in seconds.items():
            once, made = _run(workload, kind)
            measured.append(once)
            events = max(events, made)
    plain = statistics.median(seconds.pop("plain"))
    for kind, measured in seconds.items():
        note = f"{events:,} events, plain {plain:.3f} s of processor time"
        yield Row(f"{workload.package}, {_NAMES[kind]}", "", *middle([each - plain for each in measured], " s"), note)
    return {kind: statistics.median(measured) - plain for kind, measured in seconds.items()}


def _run(workload: Workload, kind: str) -> tuple[float, int]:
    """Seconds of the program's threads, and the number of events."""
    before = ["-m", "benchmarks.log_buffers", kind, "record", "-o", "made", "--include", workload.package]
    with tempfile.TemporaryDirectory() as folder:
        once = run(workload, before if kind != "plain" else [], Path(folder))
    return once.seconds, once.events
