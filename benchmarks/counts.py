"""How many executions every program of the literature takes, beside the published counts (programs/counts.json).

A strategy that promises one execution per class must make exactly as many as the tool that counts those classes;
``se-mcr`` at most as many as the tool that needs fewest. Executions before a search began again, because it had learnt
a point, and runs that do not count are told beside.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from benchmarks.row import ROOT, Row, Settings
from benchmarks.search import Search, search

#: The published count that a strategy promises to meet.
_PROMISED: Final = {"mcr": "rf", "dpor": "maz", "dpor-rf": "rf"}
#: The strategy that promises to need no more than any of the tools.
_FEWEST: Final = "se-mcr"
_TOOLS: Final = ("maz", "rf", "observers", "jmcr", "frontrun")


def published() -> Any:
    """Counts and known bugs of all programs."""
    return json.loads((ROOT / "benchmarks" / "programs" / "counts.json").read_text())


def measure(settings: Settings) -> Iterator[Row]:
    for name, rows in published()["programs"].items():
        for counts in rows:
            for strategy in settings.strategies:
                arguments = counts["arguments"]
                made = search(strategy, f"{name}.py", *arguments, seconds=settings.seconds)
                yield _row(f"{name}({', '.join(map(str, arguments))}) {strategy}", counts, strategy, made)


def _row(figure: str, counts: Any, strategy: str, made: Search | str) -> Row:
    if isinstance(made, str):
        return Row(figure, "", "failed", note=made, holds=False)
    known = {tool: counts[tool] for tool in _TOOLS if counts.get(tool) is not None}
    tool = _PROMISED.get(strategy, "")
    if strategy == _FEWEST and known:
        tool = min(known, key=known.__getitem__)
    promised = known.pop(tool, None)
    others = [f"{each} {count:,}" for each, count in known.items()]
    told = [", ".join(others)] if others else []
    told += [f"{made.seconds:.2f} s, deciding {made.seconds - made.running:.2f} s"]
    told += [f"{made.executions / made.seconds:,.0f}/s"]
    if made.executions != made.last:
        told.append(f"{made.executions:,} in all")
    if "note" in counts:
        told.append(counts["note"])
    return Row(
        figure,
        f"{tool} {promised:,}" if promised is not None else "",
        f"{made.last:,}" if made.complete else f"more than {made.last:,}",
        "",
        "; ".join(told),
        _holds(made, promised, strategy) if "note" not in counts else None,
    )


def _holds(made: Search, promised: int | None, strategy: str) -> bool | None:
    if promised is None or not made.complete:
        return None
    return made.last <= promised if strategy == _FEWEST else made.last == promised
