"""The cost of prediction against the length of a trace, its threads and its locks, by engine: plotted.

Generated traces (benchmarks/generated_traces.py); one of length, threads and locks varies, the others stay at two
million events, 16 threads, 100 locks. Nanoseconds an event of processor time, from columns in memory to racy events
(`seqcheck`, `auto`: to checked findings of races and deadlocks). Printed, and drawn to the file that the environment
variable ``PLOT`` names (default: build/curves.svg), both axes logarithmic.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import log10
from pathlib import Path
from typing import Any, Final

from benchmarks.generated_traces import Shape
from benchmarks.predict import generated
from benchmarks.row import ROOT, Row, Settings
from mazurka.order import hb, shb, sync_preserving, wcp, wdc
from mazurka.trace.trace import Trace
from mazurka.workflows.predicting import Numbered, Request, predict

_BASE: Final = Shape(2_000_000, threads=16)

_VARIED: Final = {
    "length": (250_000, 1_000_000, 4_000_000, 16_000_000),
    "threads": (2, 8, 32, 128),
    "locks": (10, 100, 1_000, 10_000),
}


def _order(races: Callable[[Trace], Any]) -> Callable[[Trace], int]:
    return lambda trace: len(races(trace))


def _engine(name: str) -> Callable[[Trace], int]:
    def found(trace: Trace) -> int:
        report = predict(Numbered(trace), Request("", name, ("race", "deadlock")))
        assert not report.refused
        return report.counts["racy_events"] + report.counts["deadlocks"]

    return found


_ENGINES: Final[dict[str, Callable[[Trace], int]]] = {
    "hb": _order(hb.races),
    "shb": _order(shb.races),
    "wcp": _order(wcp.races),
    "wdc": _order(wdc.races),
    "syncp": _order(sync_preserving.races),
    "seqcheck": _engine("seqcheck"),
    "auto": _engine("auto"),
}

_COLOURS: Final = dict(zip(_ENGINES, "#777 #000 #1b9e77 #66a61e #e6ab02 #7570b3 #d95f02".split(), strict=True))

#: By engine: the varied parameter, and nanoseconds an event.
_Lines = dict[str, list[tuple[int, float]]]


def measure(settings: Settings) -> Iterator[Row]:
    """See the module."""
    _lines("length", (600_000,))  # loads compiled code
    panels: dict[str, _Lines] = {}
    for axis, values in _VARIED.items():
        panels[axis] = _lines(axis, values)
        for name, line in panels[axis].items():
            costs = ", ".join(f"{value:,}: {cost:.0f}" for value, cost in line)
            yield Row(f"{name}, by {axis}", "", f"{line[-1][1]:.0f} ns/event", note=costs)
    path = Path(os.environ.get("PLOT", ROOT / "build" / "curves.svg"))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_drawn(panels))
    yield Row("plotted", "", str(path.name), note=str(path))


def _lines(axis: str, values: tuple[int, ...]) -> _Lines:
    lines: _Lines = {name: [] for name in _ENGINES}
    for value in values:
        changes: dict[str, Any] = {axis: value}
        trace = generated(replace(_BASE, **changes))
        for name, engine in _ENGINES.items():
            began = time.process_time()
            engine(trace)
            lines[name].append((value, (time.process_time() - began) / len(trace) * 1e9))
    return lines


# -- the drawing ------------------------------------------------------------------------------------------------------

_WIDTH, _HEIGHT, _LEFT, _TOP, _GAP = 300, 260, 60, 30, 30

#: Decades of nanoseconds an event.
_LOW, _HIGH = 0, 4


def _drawn(panels: dict[str, _Lines]) -> str:
    """An SVG: one panel beside the other, with a legend of the colours."""
    width = _LEFT + len(panels) * (_WIDTH + _GAP) + 70
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {_TOP + _HEIGHT + 50}" font-family="sans-serif"'
        ' font-size="12">',
        f'<rect width="{width}" height="{_TOP + _HEIGHT + 50}" fill="#fff"/>',
    ]
    for number, (axis, lines) in enumerate(panels.items()):
        parts += _panel(_LEFT + number * (_WIDTH + _GAP), axis, lines)
    for number, (name, colour) in enumerate(_COLOURS.items()):
        parts.append(f'<text x="{width - 78}" y="{_TOP + 20 + 18 * number}" fill="{colour}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _panel(left: float, axis: str, lines: _Lines) -> Iterator[str]:
    values = [value for value, _ in next(iter(lines.values()))]
    low, high = log10(values[0]), log10(values[-1])

    def x(value: float) -> float:
        return left + (log10(value) - low) / (high - low) * _WIDTH

    def y(cost: float) -> float:
        return _TOP + _HEIGHT - (log10(max(cost, 1.0)) - _LOW) / (_HIGH - _LOW) * _HEIGHT

    yield f'<rect x="{left}" y="{_TOP}" width="{_WIDTH}" height="{_HEIGHT}" fill="none" stroke="#999"/>'
    yield f'<text x="{left}" y="{_TOP - 10}">ns/event by {axis}</text>'
    for decade in range(_LOW, _HIGH + 1):
        yield f'<text x="{left - 4}" y="{y(10**decade) + 4:.1f}" text-anchor="end" fill="#666">{10**decade:,}</text>'
        yield f'<path d="M{left} {y(10**decade):.1f}h{_WIDTH}" stroke="#ddd"/>'
    for value in values:
        yield f'<text x="{x(value):.1f}" y="{_TOP + _HEIGHT + 18}" text-anchor="middle" fill="#666">{value:,}</text>'
    for name, line in lines.items():
        points = " ".join(f"{x(value):.1f},{y(cost):.1f}" for value, cost in line)
        yield f'<polyline points="{points}" fill="none" stroke="{_COLOURS[name]}" stroke-width="2"/>'
