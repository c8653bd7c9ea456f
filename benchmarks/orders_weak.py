"""The speed of wcp, dc and wdc, the memory that they take, and the races that they find in real traces.

Generated traces of 1, 20 and 200 million events, by 8 to 64 threads; then the cost against threads, locks, nesting and
shared locations, at 5 million. The rate is by the processor time of the one thread of the operating system that does it
(the time that passes on an idle machine), once compiled, the drawing of the trace left out. Beside it:
how many times RAPID's rate for WCP that is (measured with RAPID on real traces: 22,000 to 107,000 events a second,
depending on the trace), how many events are racy, and how many bytes all tables take at the end, for each event.

*Idle*: a thread that knows nothing lives throughout, so nothing can be forgotten (order/sections.py).

With ``TRACES=FOLDER``, the racy events of the traces in that folder, beside RAPID's count where known.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

from benchmarks.generated_traces import Shape, chunks_of, numbers_of
from benchmarks.orders import real_traces, shapes_with
from benchmarks.row import Row, Settings
from mazurka.order import dc, wcp, wdc
from mazurka.order.streaming import EventColumns, Sizes
from mazurka.order.weak import WeakOrder

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
    "jigsaw": "133 (119)",
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
    _passed(Shape(100_000))
    for name, shape, demanded in shapes_with(_CURVE):
        yield from _rows(name, shape, demanded=demanded)
    yield from _rows("... one more thread, idle", Shape(5 * _MILLION, threads=32), idle=1)
    for name, trace in real_traces():
        for order, races in _RACES.items():
            known = _RAPID_FINDS.get(name, "") if order == "wcp" else ""
            yield Row(f"{order}, {name}", known, f"{len(races(trace))}", note="racy_events; demanded: RAPID's")


def _rows(name: str, shape: Shape, idle: int = 0, demanded: bool = False) -> Iterator[Row]:
    for order, (stream, rate) in _passed(shape, idle).items():
        yield Row(
            f"{order}, {name}",
            f"{_DEMANDED / 1e6:.0f} M events/s" if demanded else "",
            f"{rate / 1e6:.1f} M events/s",
            f"{rate / _RAPID[1]:.0f} to {rate / _RAPID[0]:.0f} x RAPID",
            f"{len(stream.racy_events())} racy_events; {stream.size() / 1e6:.0f} MB, "
            f"{stream.size() / stream.events:.2g} B/event",
            rate >= _DEMANDED if demanded else None,
        )


def _passed(shape: Shape, idle: int = 0) -> dict[str, tuple[WeakOrder, float]]:
    """Each order, at the end of the trace, and how many events a second it took."""
    numbers = numbers_of(shape)
    sizes = Sizes(numbers.threads + idle, numbers.thread_of_target)
    streams = {order: stream() for order, stream in _STREAMS.items()}
    seconds = dict.fromkeys(streams, 0.0)
    for chunk in chunks_of(shape):
        columns = EventColumns(*chunk)
        for order, stream in streams.items():
            start = time.thread_time()
            stream.feed(columns, sizes)
            seconds[order] += time.thread_time() - start
    return {order: (stream, stream.events / seconds[order]) for order, stream in streams.items()}
