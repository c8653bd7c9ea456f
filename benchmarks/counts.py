"""How many executions every program of the literature takes, beside the published counts (programs/counts.json).

Of each program there is one line with the counts of all strategies beside those published, and then one per strategy:
its promise, executions, and the shares of the time for the solver, for other decisions, and for running.

A strategy that promises one execution per class must make exactly as many as the tool that counts those classes;
``se-mcr`` at most as many as the tool that needs fewest, and none that reads the same values as an earlier one.
Executions before a search began again, because it had learnt a point, and runs that do not count are listed beside.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from benchmarks.row import ROOT, Row, Settings
from benchmarks.search import Search, search
from benchmarks.strategies import CLASSES, chosen

#: The published count that a strategy promises to meet.
_PROMISED: Final = {"dpor": "maz", "dpor-rf": "rf"}
#: The strategy that promises to need no more than any of the tools.
_FEWEST: Final = "se-mcr"
#: Those that promise not to read the same twice.
_EACH_ONCE: Final = ("mcr", _FEWEST, CLASSES)
_TOOLS: Final = ("maz", "rf", "observers", "jmcr", "frontrun")


def published() -> Any:
    """Counts and known bugs of all programs."""
    return json.loads((ROOT / "benchmarks" / "programs" / "counts.json").read_text())


def measure(settings: Settings) -> Iterator[Row]:
    strategies = chosen(settings, ("mcr",))
    programs = [(name, counts) for name, rows in published()["programs"].items() for counts in rows]

    def searched(cell: tuple[str, Any, str]) -> Search | str:
        name, counts, strategy = cell
        return search(strategy, f"{name}.py", *counts["arguments"], seconds=settings.seconds)

    with ThreadPoolExecutor(settings.jobs) as pool:
        cells = [(name, counts, strategy) for name, counts in programs for strategy in strategies]
        found = pool.map(searched, cells)
        for name, counts in programs:
            made = {strategy: next(found) for strategy in strategies}
            figure = f"{name}({', '.join(map(str, counts['arguments']))})"
            if len(made) > 1:
                yield _line(figure, counts, made)
            for strategy, search_made in made.items():
                yield _row(f"{figure} {strategy}", counts, strategy, search_made)


def _line(figure: str, counts: Any, made: dict[str, Search | str]) -> Row:
    """All strategies of one program."""
    known = _known(counts)
    fewest = min(known, key=known.__getitem__, default="")
    notes = ", ".join(f"{strategy} {_count(each)}" for strategy, each in made.items())
    there = ", ".join(f"{tool} {count:,}" for tool, count in known.items())
    least = f"{known[fewest]:,}" if fewest else ""
    complete = [each.last for each in made.values() if isinstance(each, Search) and each.complete]
    ours = f"{min(complete):,}" if complete else "not finished"
    return Row(figure, least, ours, note=f"{notes}; published: {there or 'nothing'}")


def _row(figure: str, counts: Any, strategy: str, made: Search | str) -> Row:
    if isinstance(made, str):
        return Row(figure, "", "failed", note=made, holds=False)
    known = _known(counts)
    tool = _PROMISED.get(strategy, "")
    if strategy == _FEWEST and known:
        tool = min(known, key=known.__getitem__)
    promised = known.pop(tool, None)
    others = [f"{each} {count:,}" for each, count in known.items()]
    notes = [", ".join(others)] if others else []
    notes += [f"{made.seconds:.2f} s: solver {made.solving:.2f}, deciding {made.deciding:.2f}, runs {made.running:.2f}"]
    notes += [f"{made.executions / made.seconds:,.0f}/s"]
    if made.repeats is not None:
        notes.append(f"{made.repeats:,} repeats")
    if made.executions != made.last:
        notes.append(f"{made.executions:,} in all")
    if "note" in counts:
        notes.append(counts["note"])
    repeats = strategy in _EACH_ONCE and made.repeats
    return Row(
        figure,
        f"{tool} {promised:,}" if promised is not None else "",
        _count(made),
        "",
        "; ".join(notes),
        False if repeats else _holds(made, promised, strategy) if "note" not in counts else None,
    )


def _known(counts: Any) -> dict[str, int]:
    return {tool: counts[tool] for tool in _TOOLS if counts.get(tool) is not None}


def _count(made: Search | str) -> str:
    if isinstance(made, str):
        return "failed"
    return f"{made.last:,}" if made.complete else f"more than {made.last:,}"


def _holds(made: Search, promised: int | None, strategy: str) -> bool | None:
    if promised is None or not made.complete:
        return None
    return made.last <= promised if strategy == _FEWEST else made.last == promised
