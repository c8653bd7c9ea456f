"""How many executions it takes to the known bugs of each program that has some (``bug`` in its file)."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.counts import published
from benchmarks.row import Row, Settings
from benchmarks.search import search
from benchmarks.strategies import chosen


def measure(settings: Settings) -> Iterator[Row]:
    for name, kinds in published()["bugs"].items():
        for strategy in chosen(settings, ("mcr",)):
            yield _row(f"{name} {strategy}", kinds, strategy, f"{name}.py::bug", settings.seconds)


def _row(figure: str, kinds: list[str], strategy: str, target: str, seconds: float) -> Row:
    """Several kinds are looked for to the end, one only until it is found."""
    made = search(strategy, target, seconds=seconds, stop=len(kinds) == 1)
    if isinstance(made, str):
        return Row(figure, ", ".join(kinds), "failed", note=made, holds=False)
    found = ", ".join(sorted(set(made.kinds))) or "nothing"
    note = f"{made.executions:,} executions, {made.seconds:.2f} s"
    return Row(figure, ", ".join(kinds), found, note=note, holds=set(kinds) <= set(made.kinds))
