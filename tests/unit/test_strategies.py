"""The table of strategies: its rows agree with the strategies, and all lists of strategies with it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.oracle.language import Read, SmallProgram, Write
from tests.oracle.program import OracleProgram

from mazurka.config import KEYS, Options
from mazurka.explore.outcome import Predictions
from mazurka.explore.registry import STRATEGIES, StrategyRow, make_strategy, scope_of
from mazurka.explore.strategy import Estimate, JournalRecord, Seed, Strategy, StrategySettings
from mazurka.program.protocol import Run
from mazurka.workflows.timing import TIMED

_DOCS = Path(__file__).parents[2] / "docs" / "reference"
_ROW = re.compile(r"^\| `([^`]+)` \| ([^|]+) \| [^|]+ \| ([^|]+) \|", re.MULTILINE)


@pytest.mark.parametrize("row", STRATEGIES.values(), ids=STRATEGIES)
def test_a_row_tells_the_truth_of_its_strategy(row: StrategyRow) -> None:
    made = make_strategy(row.name)
    assert made.exhaustive is row.exhaustive
    assert made.name == {"auto": "mcr"}.get(row.name, row.name)  # of the two, the one that is there at first
    assert made.estimate().done == 0
    assert made.needs_advance is (type(made).advance is not Strategy.advance)


def test_strategies_are_listed_by_the_table() -> None:
    assert KEYS["strategy"].choices == tuple(STRATEGIES)
    assert Options().strategy == next(iter(STRATEGIES))
    assert TIMED == ("dpor", "icb")
    assert scope_of("dfs") == "interleavings"


def test_the_pages_list_the_strategies_of_the_table() -> None:
    page = (_DOCS / "strategies.md").read_text(encoding="utf-8")
    told = [(name, runs, complete.startswith(("yes", "the same"))) for name, runs, complete in _ROW.findall(page)]
    assert sorted(told) == sorted((row.name, row.runs, row.exhaustive) for row in STRATEGIES.values())
    listed = ", ".join(f"`{name}`" for name in STRATEGIES)
    assert f"exploration algorithm: {listed};" in (_DOCS / "configuration.md").read_text(encoding="utf-8")
    on_the_command_line = listed.replace("`auto`", "`auto` (default)")
    assert f"exploration algorithm: {on_the_command_line};" in (_DOCS / "cli.md").read_text(encoding="utf-8")


class _Once(Strategy):
    """As little as a strategy can be: one run."""

    name = "once"
    exhaustive = False

    def __init__(self) -> None:
        self.runs = 0

    def next_seed(self) -> Seed | None:
        from mazurka.program.protocol import Plan

        return None if self.runs else Seed(0, Plan())

    def observe(self, seed: Seed, run: Run) -> None:
        self.runs += 1

    def estimate(self) -> Estimate:
        return Estimate(self.runs, 1 - self.runs, 1.0)

    def incompleteness_reason(self) -> str:
        return "it runs once"

    def records(self) -> list[JournalRecord]:
        return []

    def restore(self, records: object) -> None:
        return


def test_a_strategy_need_not_do_more_than_decide() -> None:
    from mazurka.explore.batch import BatchLimits, work
    from mazurka.program.source_analysis import NothingKnown

    made = _Once.make(StrategySettings(), NothingKnown())
    program = OracleProgram(SmallProgram(((Write("x", "1"),), (Read("a", "x"),))))
    batch = work(program, made, BatchLimits(10.0, None, {}, True, False, float("inf")))
    assert batch.statistics.executions == 1
    assert not made.divisible
    assert made.grant_leases(3) == []
    assert not made.prune_from(1)
    assert not made.has_own_work()
    assert made.advance(0.0)
    assert made.predictions() == Predictions()
    assert made.summary() == ""
    with pytest.raises(LookupError, match="once has granted no lease 4"):
        made.settle_lease(4, None)
