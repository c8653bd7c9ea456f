"""What a class is decides how many runs there are: two threads that count K times each, by enumeration and as run.

The figures of docs/decisions/explore-reads-from-classes.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tests.oracle.benchmarks import counter
from tests.oracle.drive import reach
from tests.oracle.enumerate import interleavings, mazurkiewicz_classes, reads_from_classes

from benchmarks.row import Row, Settings

_ROUNDS: Final = (1, 2, 3, 4)


def measure(settings: Settings) -> Iterator[Row]:
    def numbers(count: Any) -> str:
        return " ".join(f"{count(counter(k))}" for k in _ROUNDS)

    for what, count, strategy in (
        ("interleavings", interleavings, "dfs"),
        ("Mazurkiewicz traces", mazurkiewicz_classes, "dpor"),
        ("reads-from classes", reads_from_classes, "mcr"),
    ):
        said = {"dfs": "6 70 924 12870", "dpor": "4 34 328 3334", "mcr": "3 19 141 1107"}[strategy]
        counted = numbers(count)
        yield Row(f"{what}, K = 1 to 4", said, counted, holds=counted == said)
        made = " ".join(str(reach(counter(k), strategy).executions) for k in _ROUNDS)
        yield Row(f"executions of {strategy}", counted, made, holds=made == counted)
