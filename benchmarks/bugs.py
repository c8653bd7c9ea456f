"""How many executions it takes to the known bug of each program that has one (``bug`` in its file)."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.counts import published
from benchmarks.row import Row, Settings
from benchmarks.search import search


def measure(settings: Settings) -> Iterator[Row]:
    for name, kind in published()["bugs"].items():
        for strategy in settings.strategies:
            made = search(strategy, f"{name}.py::bug", seconds=settings.seconds, stop=True)
            if isinstance(made, str):
                yield Row(f"{name} {strategy}", kind, "failed", note=made, holds=False)
                continue
            found = made.kinds[0] if made.kinds else "nothing"
            note = f"after {made.first:,} executions, {made.seconds:.2f} s"
            yield Row(f"{name} {strategy}", kind, found, note=note, holds=found == kind)
