"""The strategies that measurements go over, by name; ``se-mcr`` under two, as it has two promises."""

from __future__ import annotations

from typing import Any, Final

from benchmarks.row import Settings
from mazurka.explore.registry import STRATEGIES, make_strategy
from mazurka.explore.strategy import StrategySettings as Told

#: ``se-mcr`` in its form for programs whose final states are looked at: one execution of each class.
CLASSES: Final = "se-mcr, classes"

#: ``ncmc`` likewise: one execution of each combination of results.
ALL_RESULTS: Final = "ncmc, classes"


def complete() -> tuple[str, ...]:
    """All that say they end only when nothing is left."""
    names = [name for name in STRATEGIES if make_strategy(name).exhaustive]
    return (*names, CLASSES)


def chosen(settings: Settings, default: tuple[str, ...]) -> tuple[str, ...]:
    """Those that were asked for."""
    return complete() if settings.strategies == ("all",) else settings.strategies or default


def settings_for(name: str, solver: str = "search") -> tuple[str, Told]:
    """The strategy's own name, and its settings."""
    if name in (CLASSES, ALL_RESULTS):
        return name.partition(",")[0], Told(solver=solver, finals=True)
    return name, Told(solver=solver)


def made(name: str) -> Any:
    """The strategy itself."""
    return make_strategy(*settings_for(name))
