"""The results of a measurement, rows of one table, and its settings."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
SRC: Final = ROOT / "src"


@dataclass(frozen=True, slots=True)
class Row:
    """One figure. ``spread`` is the range over the repetitions; ``holds`` is None where nothing is demanded."""

    figure: str
    demanded: str
    measured: str
    spread: str = ""
    note: str = ""
    holds: bool | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """How much to measure: how often, at most how many seconds for one search, how many programs, and executions; and
    against which frontrun; which strategies (benchmarks.strategies.chosen) under which memory models; in how many
    processes at once; which uses of libraries, suites and whole programs (a shell pattern), and whether to keep their
    results; where to save programs."""

    repetitions: int = 5
    seconds: float = 60.0
    programs: int = 3000
    executions: int = 1_000_000
    frontrun: str = ""
    strategies: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    jobs: int = 1
    only: str = "*"
    keep: bool = False
    save: str = ""


Measure = Callable[[Settings], Iterator[Row]]


def middle(values: Sequence[float], unit: str = "", digits: int = 3) -> tuple[str, str]:
    """Median and range, as text."""
    median, low, high = (f"{value:.{digits}g}" for value in (statistics.median(values), min(values), max(values)))
    return f"{median}{unit}", f"{low} to {high}{unit}"
