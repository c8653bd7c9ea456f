"""How fast wcp, dc and wdc are, what memory they take, and what they find in real traces.

Generated traces of 1, 20 and 200 million events, by 8 to 64 threads; then the cost against threads, locks, nesting and
what is shared, at 5 million. The rate is that of one thread of the operating system, once compiled, the drawing of the
trace left out. Beside it: how many racy events, bytes in tables for each event, and how many times RAPID's rate for WCP
that is (measured with RAPID on real traces: 22,000 to 107,000 events a second, depending on the trace).

*Idle*: a thread that knows nothing lives throughout, so nothing can be forgotten (order/sections.py).

With ``TRACES=FOLDER``, the racy events of the traces in that folder, beside RAPID's count where known.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from benchmarks.generated_traces import Shape, chunks_of, numbers_of
from benchmarks.row import Row, Settings
from mazurka.order import dc, wcp, wdc
from mazurka.order.streaming import Columns, Sizes
from mazurka.trace.reading import read_trace

_STREAMS: Final = {
    "wdc": wdc.weak_doesnt_commute,
    "dc": dc.doesnt_commute,
    "wcp": wcp.weak_causal_precedence,
}
_RACES: Final = {"wdc": wdc.races, "dc": dc.races, "wcp": wcp.races}
_DEMANDED: Final = 5e6
_RAPID: Final = (22e3, 107e3)
_MILLION: Final = 1_000_000

#: Racy events that RAPID reports under WCP; where it lists a thread's own sections, too (order/wcp.py), in brackets.
_RAPID_FINDS: Final = {
    "Account": "20",
    "Deadlock": "2",
    "cache4j_dlf": "44 (30)",
    "jigsaw": "133 (121)",
}

_CURVE: Final = {
    "2 threads": {"threads": 2},
    "128 threads": {"threads": 128},
    "512 threads": {"threads": 512},
    "10 locks": {"locks": 10},
    "10,000 locks": {"locks": 10_000, "variables": _MILLION},
    "100,000 locks": {"locks": 100_000, "variables": _MILLION},
    "a third of the sections nested": {"nesting": 0.2, "section": 3.0, "accesses": 0.7, "locks": 1_000},
    "few writes": {"writes": 0.01},
    "1 % strays": {"stray": 0.01},
}


def measure(settings: Settings) -> Iterator[Row]:
    for order in _STREAMS:
        _run(order, Shape(100_000))
    for length in (1, 20, 200):
        for threads in (8, 64):
            shape = Shape(length * _MILLION, threads=threads)
            for order in _STREAMS:
                yield _row(order, f"{length} M events, {threads} threads", shape, demanded=True)
    base = Shape(5 * _MILLION, threads=32)
    for name, changes in _CURVE.items():
        for order in _STREAMS:
            yield _row(order, name, replace(base, **changes))
    for order in _STREAMS:
        yield _row(order, "32 threads, one more idle", base, idle=1)
    yield from _real_traces(os.environ.get("TRACES", ""))


def _row(order: str, name: str, shape: Shape, idle: int = 0, demanded: bool = False) -> Row:
    rate, racy, size, events = _run(order, shape, idle)
    return Row(
        f"{order}, {name}",
        f"{_DEMANDED / 1e6:.0f} M events/s" if demanded else "",
        f"{rate / 1e6:.1f} M events/s",
        f"{rate / _RAPID[1]:.0f} to {rate / _RAPID[0]:.0f} x RAPID",
        f"{racy} racy_events; {size / 1e6:.0f} MB, {size / events:.2g} B/event",
        rate >= _DEMANDED if demanded else None,
    )


def _run(order: str, shape: Shape, idle: int = 0) -> tuple[float, int, int, int]:
    """Events a second, racy events, bytes, events."""
    numbers = numbers_of(shape)
    sizes = Sizes(numbers.threads + idle, numbers.thread_of_target)
    stream = _STREAMS[order]()
    seconds, events = 0.0, 0
    for chunk in chunks_of(shape):
        columns = Columns(*chunk)
        start = time.perf_counter()
        stream.feed(columns, sizes)
        seconds += time.perf_counter() - start
        events += len(columns.thread)
    return events / seconds, len(stream.racy_events()), stream.size(), events


def _real_traces(folder: str) -> Iterator[Row]:
    for path in sorted(Path(folder).glob("*.data")) if folder else ():
        trace = read_trace(path)
        for order, races in _RACES.items():
            known = _RAPID_FINDS.get(path.stem, "") if order == "wcp" else ""
            found = len(races(trace))
            yield Row(f"{order}, {path.stem}", known, f"{found}", note="racy_events; demanded: RAPID's")
