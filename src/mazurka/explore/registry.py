"""The strategies by name, with their guarantees. A new strategy is one file and one row here.

All code that lists strategies (the configuration, the command line, the search for failures that depend on timing, the
words of a verdict) uses this table. It imports no strategy before one is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mazurka.errors import UsageError
from mazurka.importing import import_quickly
from mazurka.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from mazurka.explore.strategy import Strategy, StrategySettings
    from mazurka.program.source_analysis import SourceAnalysis

#: The scopes of complete searches, in words.
_INTERLEAVINGS: Final = "interleavings"
_NEEDED: Final = "reads-from classes of the needed reads"


@dataclass(frozen=True, slots=True)
class StrategyRow:
    """A strategy: ``implementation`` is its module in this folder, or its full name, and its class."""

    name: str
    implementation: str
    runs: str  # the executions that it makes, in words
    scope: str = ""  # the units all of which it has covered when it ends; "": it samples, and does not end
    every_order: bool = False  # it executes all orders, so a timeout that fires leaves none out
    timed: bool = False  # it can also search the orders that --timing allows
    calls: bool = False  # calls of marked objects are one step each

    @property
    def exhaustive(self) -> bool:
        """Whether no seed left means that all executions are covered."""
        return bool(self.scope)


_ROWS: Final = (
    StrategyRow(
        "auto",
        "portfolio:Portfolio",
        "`mcr`; if it does not end soon, samplers, `icb-dpor`, `dpor` and `se-mcr` beside it",
        "reads-from classes",
    ),
    StrategyRow("mcr", "mcr:ReadsFromSearch", "one order of each combination of values read", "reads-from classes"),
    StrategyRow(
        "mcr-s",
        "mcr_s:SlicedSearch",
        "one order of each reads-from class of needed reads, unless its values repeat",
        _NEEDED,
    ),
    StrategyRow("mcr-s+", "mcr_s:TransitivelySlicedSearch", "the same, with fewer needed reads", _NEEDED),
    StrategyRow(
        "se-mcr", "se_mcr:SwitchEquivalence", "orders in which some thread takes a new step", "histories of reads"
    ),
    StrategyRow(
        "ncmc",
        "ncmc:CommutingCalls",
        "the same, with calls of marked objects, and of builtin containers, for single steps that show their results",
        "histories of reads and results",
        calls=True,
    ),
    StrategyRow(
        "dpor", "dpor:OptimalReduction", "one order of each Mazurkiewicz trace", "Mazurkiewicz traces", timed=True
    ),
    StrategyRow(
        "unfolding",
        "mazurka.unfold.strategy:UnfoldingSearch",
        "one order of each Mazurkiewicz trace, up to states that are known",
        "Mazurkiewicz traces",
    ),
    StrategyRow("dpor-rf", "mcr:ReadsFromClasses", "one order of each reads-from class", "reads-from classes"),
    StrategyRow("dfs", "dfs:DepthFirst", "every order", _INTERLEAVINGS, every_order=True),
    StrategyRow(
        "icb",
        "bounded:ContextBounding",
        "every order, those with the fewest preemptions first",
        _INTERLEAVINGS,
        every_order=True,
        timed=True,
    ),
    StrategyRow(
        "icb-dpor",
        "bounded_dpor:BoundedReduction",
        "of these, those that bounded reduction can't leave out",
        _INTERLEAVINGS,
    ),
    StrategyRow("random", "sampling:RandomWalk", "random orders"),
    StrategyRow("pct", "sampling:Priorities", "random priorities with few changes"),
    StrategyRow("pos", "sampling_orders:PartialOrderWalk", "random priorities of operations"),
    StrategyRow("surw", "sampling_orders:SelectiveUniformWalk", "random orders of the operations on one location"),
)

#: The default first.
STRATEGIES: Final[dict[str, StrategyRow]] = {row.name: row for row in _ROWS}


def scope_of(name: str) -> str:
    """The scope of an exhaustive strategy that has ended, in words; it completes "all ..."."""
    return STRATEGIES[name].scope if name in STRATEGIES else _INTERLEAVINGS


def import_strategy(name: str) -> None:
    """Import the strategy of that name, if there is one: before a program is prepared, since models, such as its clock,
    stand for modules that are imported from then on."""
    if name in STRATEGIES:
        _implementation(STRATEGIES[name])


def _implementation(row: StrategyRow) -> type[Strategy]:
    module, _, kind = row.implementation.partition(":")
    full_name = module if "." in module else f"mazurka.explore.{module}"
    found: type[Strategy] = getattr(import_quickly(full_name), kind)
    return found


def make_strategy(
    name: str, settings: StrategySettings | None = None, source: SourceAnalysis | None = None
) -> Strategy:
    """The strategy of that name; ``source`` is the analysis of the program's source. Unknown name: ``UsageError``."""
    row = STRATEGIES.get(name)
    if row is None:
        raise UsageError(
            "unknown-strategy", f"there is no strategy {name!r}", hint=f"choose one of: {', '.join(STRATEGIES)}"
        )
    from mazurka.explore.strategy import StrategySettings
    from mazurka.program.source_analysis import NothingKnown

    implementation = _implementation(row)
    return implementation.make(settings or StrategySettings(), source or NothingKnown())
