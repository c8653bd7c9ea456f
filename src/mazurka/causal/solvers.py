"""The solvers by name. A new one is one file and one row here, and its name in ``config.SOLVERS``."""

from __future__ import annotations

from collections.abc import Callable

from mazurka.causal.solver import Solver
from mazurka.errors import UsageError


def _search() -> Solver:
    from mazurka.causal.search import SearchSolver

    return SearchSolver()


def _closure() -> Solver:
    from mazurka.causal.closure import ClosureSolver

    return ClosureSolver()


def _z3() -> Solver:
    from mazurka.causal.z3 import Z3Solver

    return Z3Solver()


#: The default first.
SOLVERS: dict[str, Callable[[], Solver]] = {"search": _search, "closure": _closure, "z3": _z3}


def make_solver(name: str) -> Solver:
    """The solver of that name."""
    made = SOLVERS.get(name)
    if made is None:
        raise UsageError("unknown-solver", f"there is no solver {name!r}", hint=f"choose one of: {', '.join(SOLVERS)}")
    return made()
