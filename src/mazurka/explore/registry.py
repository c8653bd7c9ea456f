"""The strategies by name. A new one is one file and one row here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from mazurka.errors import UsageError
from mazurka.explore.strategy import Settings, Strategy

if TYPE_CHECKING:
    from mazurka.explore.mcr import ReadsFromSearch
    from mazurka.explore.se_mcr import SwitchEquivalence


def _auto(settings: Settings) -> Strategy:
    from mazurka.explore.portfolio import Portfolio

    if settings.races:  # ``se-mcr`` leaves out orders in which races show
        return _mcr(settings)
    return Portfolio(_mcr(settings), lambda: _se_mcr(settings))


def _reads_from(name: str) -> Callable[[Settings], ReadsFromSearch]:
    def make(settings: Settings) -> ReadsFromSearch:
        from mazurka.causal.solvers import make_solver
        from mazurka.explore.mcr import ReadsFromSearch
        from mazurka.program.python.analysis.checks import uses_of

        return ReadsFromSearch(make_solver(settings.solver), uses_of, name, repeats=name != "mcr" or settings.races)

    return make


def _sliced(name: str) -> Callable[[Settings], Strategy]:
    def make(settings: Settings) -> Strategy:
        from mazurka.causal.solvers import make_solver
        from mazurka.explore.mcr_s import SlicedSearch
        from mazurka.program.python.analysis.checks import uses_of
        from mazurka.program.python.analysis.dependence import SourceDependence

        # Somebody who judges final states may look at what the program itself never does.
        dependence = SourceDependence(final=settings.finals or name != "mcr-s+")
        return SlicedSearch(make_solver(settings.solver), dependence, name, uses_of)

    return make


_mcr: Final = _reads_from("mcr")


def _se_mcr(settings: Settings) -> SwitchEquivalence:
    from mazurka.explore.se_mcr import SwitchEquivalence

    return SwitchEquivalence(classes=settings.finals)


def _dpor(settings: Settings) -> Strategy:
    from mazurka.explore.dpor import OptimalReduction

    return OptimalReduction(settings.timed)


def _icb(_settings: Settings) -> Strategy:
    from mazurka.explore.bounded import ContextBounding

    return ContextBounding()


def _icb_dpor(_settings: Settings) -> Strategy:
    from mazurka.explore.bounded_dpor import BoundedReduction

    return BoundedReduction()


def _dfs(_settings: Settings) -> Strategy:
    from mazurka.explore.dfs import DepthFirst

    return DepthFirst()


def _random(settings: Settings) -> Strategy:
    from mazurka.explore.sampling import RandomWalk

    return RandomWalk(settings.seed)


def _pct(settings: Settings) -> Strategy:
    from mazurka.explore.sampling import Priorities

    return Priorities(settings.seed, settings.depth)


def _pos(settings: Settings) -> Strategy:
    from mazurka.explore.sampling_orders import PartialOrderWalk

    return PartialOrderWalk(settings.seed)


def _surw(settings: Settings) -> Strategy:
    from mazurka.explore.sampling_orders import SelectiveUniformWalk

    return SelectiveUniformWalk(settings.seed)


#: Strategies by name, the default first.
STRATEGIES: dict[str, Callable[[Settings], Strategy]] = {
    "auto": _auto,
    "mcr": _mcr,
    "mcr-s": _sliced("mcr-s"),
    "mcr-s+": _sliced("mcr-s+"),
    "se-mcr": _se_mcr,
    "dpor": _dpor,
    "dpor-rf": _reads_from("dpor-rf"),
    "dfs": _dfs,
    "icb": _icb,
    "icb-dpor": _icb_dpor,
    "random": _random,
    "pct": _pct,
    "pos": _pos,
    "surw": _surw,
}


def make_strategy(name: str, settings: Settings | None = None) -> Strategy:
    """The strategy of that name."""
    made = STRATEGIES.get(name)
    if made is None:
        raise UsageError(
            "unknown-strategy", f"there is no strategy {name!r}", hint=f"choose one of: {', '.join(STRATEGIES)}"
        )
    return made(settings or Settings())
