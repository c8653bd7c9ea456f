"""Runs a strategy over a small program to its end, and gives the outcomes that it reached in the oracle's terms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.oracle.enumerate import Everything
from tests.oracle.language import SmallProgram
from tests.oracle.program import OracleProgram

from mazurka.explore.registry import make_strategy
from mazurka.explore.strategy import Strategy, StrategySettings
from mazurka.program.memory import MemoryModel
from mazurka.program.protocol import FailureKind


class Unfinished(Exception):
    """The search took more executions than it was allowed."""


@dataclass(frozen=True, slots=True)
class Reached:
    """The outcomes that a strategy reached, and the number of executions; ``followed`` of them went as planned."""

    everything: Everything
    executions: int
    followed: int
    strategy: Any


def reach(
    program: SmallProgram,
    strategy: str | Callable[[], Strategy] = "mcr",
    *,
    solver: str = "search",
    joint: bool = False,
    limit: int = 100_000,
    model: MemoryModel = MemoryModel.SC,
) -> Reached:
    """Explore ``program`` with nothing but the strategy (no loop, no budget but ``limit``)."""
    runner = OracleProgram(program, joint, model=model)
    made: Any = make_strategy(strategy, StrategySettings(solver=solver)) if isinstance(strategy, str) else strategy()
    finals, reads, deadlocks = set(), set(), set()
    followed = 0
    while (seed := made.next_seed()) is not None:
        if runner.executions >= limit:
            raise Unfinished(limit)
        run = runner.execute(seed.plan)
        made.observe(seed, run)
        if run.divergence is not None:
            continue
        followed += 1
        final, vectors = run.result
        finals.add(final)
        reads.add((vectors, final[3]))
        if any(failure.kind is FailureKind.DEADLOCK for failure in run.failures):
            deadlocks.add(final[3])
    return Reached(
        Everything(frozenset(finals), frozenset(reads), frozenset(deadlocks)), runner.executions, followed, made
    )
