"""The speed of hb, shb and the sync-preserving search, the memory that they take, and the races that they find in real
traces.

Generated traces of 1, 20 and 200 million events, by 8 to 64 threads; then the cost against threads, locks, variables
and strays, at 5 million. The rate is that of two threads of the operating system (one for the sync-preserving search),
once compiled, the drawing of the trace left out; beside it how many times RAPID's rate that is (measured with RAPID on
real traces: 148,000 to 362,000 events a second for hb; 3,000 for SyncP), the rate by the time that the busier of the
two threads had a processor, which hardly depends on other work of the machine, how many racy events, and bytes in
tables for each event. With 10 million variables hb and shb wait for memory: a variable is in no cache when its turn
comes, and to make the tables, 28 or 40 bytes a variable, takes longer than the 5 million events.

With ``TRACES=FOLDER``, the racy events of the traces in that folder, demanded where RAPID's count is known.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from benchmarks.generated_traces import Shape, chunks_of, columns_of, numbers_of
from benchmarks.row import Row, Settings
from mazurka.order import hb, shb, sync_preserving
from mazurka.order.streaming import EventColumns, Sizes, Stream
from mazurka.order.sync_search import SyncPreservingSearch
from mazurka.predict.deadlocks.sync_preserving import SyncDeadlockPredictor
from mazurka.trace.reading import read_trace
from mazurka.trace.trace import Trace

_MILLION: Final = 1_000_000
_STREAMS: Final = {"hb": hb.HappensBefore, "shb": shb.SchedulableHappensBefore}
_DEMANDED: Final = {"hb": 60e6, "shb": 60e6, "syncp": 1e6}
_RAPID: Final = {"hb": (148e3, 362e3), "shb": (148e3, 362e3), "syncp": (3e3, 3e3)}

#: Racy events that RAPID reports, under hb, shb and SyncP.
_RAPID_FINDS: Final = {
    "jigsaw": (117, 35, 89),
    "cache4j_dlf": (22, 15, 25),
    "Account": (20, 3, 3),
    "Deadlock": (2, 1, 1),
}

#: Deadlocks that an exhaustive search of all reorderings finds.
_DEADLOCKS: Final = {"Bensalem": 1, "StringBuffer": 2, "Deadlock": 0, "Transfer": 0}

_CURVE: Final = {
    "2 threads": {"threads": 2},
    "128 threads": {"threads": 128},
    "512 threads": {"threads": 512},
    "10 locks": {"locks": 10},
    "10,000 locks": {"locks": 10_000, "variables": _MILLION},
    "10 M variables": {"variables": 10 * _MILLION},
    "half synchronisation": {"accesses": 0.5, "section": 1.0},
    "1 % strays": {"stray": 0.01},
}


@dataclass(slots=True)
class _Cost:
    """The cost of one order for a trace."""

    events: int
    seconds: float
    processor: float
    own: float  # of that, the first thread's
    racy: int
    size: int


def measure(settings: Settings) -> Iterator[Row]:
    _costs(Shape(300_000, variables=1_000))
    for name, shape, demanded in shapes_with(_CURVE):
        yield from _rows(name, shape, demanded)
    for name, trace in real_traces():
        yield from _real(name, trace)


def shapes_with(curve: dict[str, dict[str, float]]) -> Iterator[tuple[str, Shape, bool]]:
    """The traces on which all orders are measured: name, shape, and whether a rate is demanded."""
    for length in (1, 20, 200):
        for threads in (8, 64):
            yield f"{length} M events, {threads} threads", Shape(length * _MILLION, threads=threads), True
    base = Shape(5 * _MILLION, threads=32)
    yield "5 M events, 32 threads, 100 locks", base, False
    for name, changes in curve.items():
        yield f"... {name}", replace(base, **changes), False


def real_traces() -> Iterator[tuple[str, Trace]]:
    """Those in the folder that the environment names."""
    folder = os.environ.get("TRACES", "")
    for path in sorted(Path(folder).glob("*.data")) if folder else ():
        yield path.stem, read_trace(path)


def _rows(name: str, shape: Shape, demanded: bool) -> Iterator[Row]:
    for order, cost in _costs(shape).items():
        rate, rapid = cost.events / cost.seconds, _RAPID[order]
        busier = max(cost.own, cost.processor - cost.own)
        yield Row(
            f"{order}, {name}",
            f"{_DEMANDED[order] / 1e6:.0f} M events/s" if demanded else "",
            f"{rate / 1e6:.1f} M events/s",
            f"{rate / rapid[1]:.0f} to {rate / rapid[0]:.0f} x RAPID",
            f"{cost.events / busier / 1e6:.1f} M events/s of a processor; {cost.racy} racy_events; "
            f"{cost.size / 1e6:.0f} MB, {cost.size / cost.events:.2g} B/event",
            rate >= _DEMANDED[order] if demanded else None,
        )


def _costs(shape: Shape) -> dict[str, _Cost]:
    """Chunk by chunk for the streaming orders, which so see the same; the whole for the search."""
    numbers = numbers_of(shape)
    sizes = Sizes(numbers.threads, numbers.thread_of_target)
    streams: dict[str, Any] = {order: stream() for order, stream in _STREAMS.items()}
    costs = {order: _Cost(0, 0.0, 0.0, 0.0, 0, 0) for order in streams}
    for chunk in chunks_of(shape):
        columns = EventColumns(*chunk)
        for order, stream in streams.items():
            _timed(costs[order], stream, columns, sizes)
    for order, stream in streams.items():
        with stream:
            costs[order].racy, costs[order].size = len(stream.racy_events()), stream.size()
    return costs | {"syncp": _search(shape, sizes)}


def _timed(cost: _Cost, stream: Stream, columns: EventColumns, sizes: Sizes) -> None:
    start, worked, own = time.perf_counter(), time.process_time(), time.thread_time()
    stream.feed(columns, sizes)
    cost.seconds += time.perf_counter() - start
    cost.processor += time.process_time() - worked
    cost.own += time.thread_time() - own
    cost.events += len(columns.thread)


def _search(shape: Shape, sizes: Sizes) -> _Cost:
    columns = EventColumns(*columns_of(shape))
    start, worked = time.perf_counter(), time.process_time()
    search = SyncPreservingSearch(columns, sizes)
    racy = search.run()
    seconds, processor = time.perf_counter() - start, time.process_time() - worked
    return _Cost(len(columns.thread), seconds, processor, processor, len(racy), search.size())


def _real(name: str, trace: Trace) -> Iterator[Row]:
    for place, (order, races) in enumerate({"hb": hb.races, "shb": shb.races, "syncp": sync_preserving.races}.items()):
        found, known = len(races(trace)), _RAPID_FINDS.get(name)
        demanded = str(known[place]) if known else ""
        holds = found == known[place] if known else None
        yield Row(f"{order}, {name}", demanded, str(found), note="racy_events; demanded: RAPID's", holds=holds)
    deadlocks, most = len(list(SyncDeadlockPredictor().predict(trace))), _DEADLOCKS.get(name)
    yield Row(
        f"deadlocks, {name}",
        "" if most is None else f"<= {most}",
        str(deadlocks),
        note="sync-preserving; demanded: no more than there are",
        holds=None if most is None else deadlocks <= most,
    )
