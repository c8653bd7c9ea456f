"""The cost of a log of each thread against that of one log of all, in one run: `mazurka record` with four kinds of
buffers (log_buffers.py), on the three programs of recording.py, whose library is recorded, too.

The overhead is the processor time of the program's threads beyond that of the plain program. The patent (003, FIG. 21)
measures the reduction from a log in one order, whose events are synchronised, to logs of threads: 54 % on average, 10
to 82 %. Kinds take turns; the reduction is of medians, its spread over the workloads.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.log_buffers import KINDS
from benchmarks.recording import WORKLOADS, Workload, run
from benchmarks.row import Row, Settings, middle

_DEMANDED: Final = 0.54


def measure(settings: Settings) -> Iterator[Row]:
    reductions: dict[str, list[float]] = {kind: [] for kind in KINDS if kind != "per-thread"}
    for workload in WORKLOADS:
        seconds: dict[str, list[float]] = {kind: [] for kind in ("plain", *KINDS)}
        events = 0
        for kind in KINDS:
            _run(workload, kind)  # which fills the cache of instrumented code
        for _ in range(settings.repetitions):
            for kind, measured in seconds.items():
                once, events = _run(workload, kind)
                measured.append(once)
        plain = statistics.median(seconds.pop("plain"))
        for kind, measured in seconds.items():
            note = f"{events:,} events, plain {plain:.3f} s of processor time"
            yield Row(f"{workload.package}, {kind} log", "", *middle([each - plain for each in measured], " s"), note)
        over = {kind: statistics.median(measured) - plain for kind, measured in seconds.items()}
        for kind, found in reductions.items():
            found.append(1 - over["per-thread"] / over[kind])
    for kind, found in reductions.items():
        low, high = (f"{100 * each:.0f} %" for each in (min(found), max(found)))
        average = statistics.mean(found)
        holds = average >= _DEMANDED if kind == "locked" else None
        demanded = f"at least {100 * _DEMANDED:.0f} %" if kind == "locked" else ""
        figure = f"overhead of logs of threads, below a {kind} log"
        yield Row(figure, demanded, f"{100 * average:.0f} %", f"{low} to {high}", "", holds)


def _run(workload: Workload, kind: str) -> tuple[float, int]:
    """Seconds of the program's threads, and the recorded events."""
    before = ["-m", "benchmarks.log_buffers", kind, "record", "-o", "made", "--include", workload.package]
    with tempfile.TemporaryDirectory() as folder:
        once = run(workload, before if kind != "plain" else [], Path(folder))
    return once.seconds, once.events
