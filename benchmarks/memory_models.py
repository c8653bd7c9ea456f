"""Under which memory models algorithms are violated that hold under sequential consistency."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.counts import published
from benchmarks.row import Row, Settings
from benchmarks.search import Search, search
from benchmarks.strategies import chosen


def measure(settings: Settings) -> Iterator[Row]:
    for name, models in published()["violated"].items():
        for model in ("sc", "tso", "pso"):
            for strategy in chosen(settings, ("mcr",)):
                made = search(strategy, f"{name}.py", seconds=settings.seconds, stop=True, model=model)
                yield _row(f"{name} under {model}, {strategy}", "violated" if model in models else "holds", made)


def _row(figure: str, demanded: str, made: Search | str) -> Row:
    if isinstance(made, str):
        return Row(figure, demanded, "failed", note=made, holds=False)
    measured = "violated" if made.kinds else "holds" if made.complete else "not finished"
    note = f"{made.executions:,} executions, {made.seconds:.2f} s"
    return Row(figure, demanded, measured, note=note, holds=measured == demanded)
