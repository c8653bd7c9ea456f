"""The cost of a log of each thread against that of one log of all, in one run: `mazurka record` with four kinds of
buffers (log_buffers.py), on the three programs of recording.py, whose library is recorded, too.

The patent (003, FIG. 21) runs its instrumented programs in three modes, without a log, with logs of threads, and with a
log in one order, each event of which holds a global lock; against the first, logs of threads reduce the time by 54 % on
average, from 10 to 82 %. So the demand is on the overhead beyond the same instrumented program without a log, where
events are made and thrown away. The overhead beyond the plain program is printed, too: it has the hooks in it, which no
log changes.

All times are processor time of the program's threads, the least of some runs: other processes only add to it. Kinds
take turns. The spread of a reduction is that over the workloads.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Final

from benchmarks.log_buffers import KINDS
from benchmarks.recording import WORKLOADS, Workload, run
from benchmarks.row import Row, Settings

_DEMANDED: Final = 0.54

#: The most repetitions, so that all of it takes some minutes.
_ROUNDS: Final = 5

#: The comparisons: the time with the first kind beyond that of the third, below that with the second.
_COMPARED: Final = (
    ("per-thread", "locked", "none"),
    ("per-thread", "locked", "plain"),
    ("per-thread", "shared", "plain"),
    ("none", "locked", "plain"),
)

_NAMES: Final = {
    "plain": "the plain program",
    "shared": "a shared log",
    "locked": "a locked log",
    "per-thread": "logs of threads",
    "none": "no log",
}


def measure(settings: Settings) -> Iterator[Row]:
    reductions: dict[tuple[str, str, str], list[float]] = {each: [] for each in _COMPARED}
    for workload in WORKLOADS:
        spent = yield from _seconds(workload, min(settings.repetitions, _ROUNDS))
        for (kind, below, base), found in reductions.items():
            found.append(1 - (spent[kind] - spent[base]) / (spent[below] - spent[base]))
    for (kind, below, base), found in reductions.items():
        low, high = (f"{100 * each:.0f} %" for each in (min(found), max(found)))
        average = statistics.mean(found)
        demanded = base == "none"
        yield Row(
            f"{_NAMES[kind]} instead of {_NAMES[below]}, overhead beyond {_NAMES[base]}",
            f"{100 * _DEMANDED:.0f} % less" if demanded else "",
            f"{100 * average:.0f} % less",
            f"{low} to {high}",
            holds=average >= _DEMANDED if demanded else None,
        )


def _seconds(workload: Workload, repetitions: int) -> Generator[Row, None, dict[str, float]]:
    """The seconds of the plain program and of each kind; a row for each kind."""
    seconds: dict[str, list[float]] = {kind: [] for kind in ("plain", *KINDS)}
    _run(workload, "none")  # which fills the cache of instrumented code
    events = 0
    for _ in range(repetitions):
        for kind, measured in seconds.items():
            once, made = _run(workload, kind)
            measured.append(once)
            events = max(events, made)
    least = {kind: min(measured) for kind, measured in seconds.items()}
    for kind in KINDS:
        note = f"{events:,} events, plain {least['plain']:.3f} s of processor time"
        spread = f"to {max(seconds[kind]) - least['plain']:.3g} s"
        yield Row(f"{workload.package}, {_NAMES[kind]}", "", f"{least[kind] - least['plain']:.3g} s", spread, note)
    return least


def _run(workload: Workload, kind: str) -> tuple[float, int]:
    """Seconds of the program's threads, and the number of events."""
    before = ["-m", "benchmarks.log_buffers", kind, "record", "-o", "made", "--include", workload.package]
    with tempfile.TemporaryDirectory() as folder:
        once = run(workload, before if kind != "plain" else [], Path(folder))
    return once.seconds, once.events
