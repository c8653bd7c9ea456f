"""The findings of `mazurka predict` by default, and its speed: on generated traces, and on the real ones in the folder
that the environment variable TRACES names (RapidBin files of the SPDOffline benchmarks; re-entrant locks are mended).

Demanded of real traces are the findings of the best sound tool, or of exhaustive search where that came to an end; of
generated ones two million events a second on two processors, from columns in memory to checked findings. In brackets
the rate by the time that the threads had a processor, all together; and the bytes an event that it took on top of the
trace, at most. ``MILLIONS`` (default "1 5 20") says how many million events; 200 need 18 GB.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.generated_traces import Shape, columns_of, numbers_of
from benchmarks.row import Row, Settings
from mazurka.report.prediction_report import PredictionReport
from mazurka.trace.event import Location
from mazurka.trace.reading import read_trace
from mazurka.trace.repair import repaired
from mazurka.trace.trace import Trace
from mazurka.workflows.predicting import Numbered, Request, predict

#: Racy events that a sound tool finds: OSR, or exhaustive search.
_RACY: Final = {"jigsaw": 97, "cache4j_dlf": 26, "Account": 3, "Deadlock": 1}

#: Deadlocks by exhaustive search.
_DEADLOCKS: Final = {"Bensalem": 1, "StringBuffer": 2, "Deadlock": 0, "Transfer": 0}

_SECONDS: Final = {"jigsaw": 10.0}
_RATE: Final = 2_000_000
_MILLION: Final = 1_000_000
_SITES: Final = 1_000


def measure(settings: Settings) -> Iterator[Row]:
    yield from _real_traces(os.environ.get("TRACES", ""), settings.seconds)
    with _two_processors():
        _report(generated(Shape(600_000)), settings.seconds)  # loads compiled code
        for length in map(int, os.environ.get("MILLIONS", "1 5 20").split()):
            for threads in (8, 64):
                shape = Shape(length * _MILLION, threads=threads)
                yield _rate(shape, f"{length} M events, {threads} threads", settings)


@contextmanager
def _two_processors() -> Iterator[None]:
    """For now all threads share two of them, where the system can do that."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    all_of_them = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(all_of_them)[-2:])
    try:
        yield
    finally:
        os.sched_setaffinity(0, all_of_them)


def _report(trace: Trace, limit: float) -> tuple[PredictionReport, float]:
    began = time.process_time()
    report = predict(Numbered(trace), Request("", "auto", ("race", "deadlock"), time_limit=limit))
    assert not report.refused
    return report, time.process_time() - began


def _real_traces(folder: str, limit: float) -> Iterator[Row]:
    for path in sorted(Path(folder).glob("*.data")) if folder else ():
        trace = repaired(read_trace(path)).trace
        _report(trace, limit)
        report, seconds = _report(trace, limit)
        counts, name = report.counts, path.stem
        note = f"{counts['race_locations']} race_locations; {report.undecided} undecided; {seconds:.2f} s"
        least = _RACY.get(name)
        yield Row(
            f"{name}, racy_events",
            "" if least is None else f"at least {least}",
            str(counts["racy_events"]),
            note=note,
            holds=None if least is None else counts["racy_events"] >= least,
        )
        exact = _DEADLOCKS.get(name)
        yield Row(
            f"{name}, deadlocks",
            "" if exact is None else f"{exact}",
            str(counts["deadlocks"]),
            holds=None if exact is None else counts["deadlocks"] == exact,
        )
        if name in _SECONDS:
            most = _SECONDS[name]
            yield Row(f"{name}, whole", f"under {most:g} s", f"{seconds:.2f} s", holds=seconds < most)


def _rate(shape: Shape, name: str, settings: Settings) -> Row:
    trace = generated(shape)
    with Memory() as memory:
        began = time.perf_counter()
        report, worked = _report(trace, max(settings.seconds, len(trace) / _MILLION))
        seconds = time.perf_counter() - began
    counts = report.counts
    return Row(
        f"auto, {name}",
        f"{_RATE / 1e6:g} M events/s",
        f"{len(trace) / seconds / 1e6:.2f} M events/s",
        f"({len(trace) / worked / 1e6:.2f})",
        f"{', '.join(f'{counts[each]} {each}' for each in ('racy_events', 'race_locations', 'deadlocks'))}; "
        f"{report.undecided} undecided; {memory.most / len(trace):.0f} B/event",
        holds=len(trace) / seconds >= _RATE,
    )


class Memory:
    """The memory that a block takes at most, in bytes: a thread looks again and again (0 where it can't)."""

    def __init__(self) -> None:
        self.most = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> Memory:
        self._before = _resident()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._done.wait(0.01):
            self.most = max(self.most, _resident() - self._before)


def _resident() -> int:
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGESIZE") if statm.exists() else 0


def generated(shape: Shape) -> Trace:
    """A trace as if read from a file."""
    columns, numbers = columns_of(shape), numbers_of(shape)
    targets = [
        *(("thread", str(number)) for number in range(shape.threads)),
        *(("lock", str(number)) for number in range(shape.locks)),
        *(("var", str(number)) for number in range(shape.variables)),
    ]
    rows = len(columns.thread)
    return Trace(
        np.arange(rows, dtype=np.int32),
        *columns,
        np.full(rows, -1, np.int32),
        (columns.target % _SITES).astype(np.int32),
        [str(number) for number in range(numbers.threads)],
        targets,
        [],
        [Location("generated", line + 1) for line in range(_SITES)],
    )
