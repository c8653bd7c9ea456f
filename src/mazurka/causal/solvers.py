"""The solvers by name. A new one is one file and one row here, and its name in ``config.SOLVERS``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from mazurka.causal.solver import Solver
from mazurka.errors import UsageError, import_extra


def _search(limit: int | None) -> Solver:
    from mazurka.causal.search import SearchSolver

    return SearchSolver() if limit is None else SearchSolver(limit)


def _closure(limit: int | None) -> Solver:
    from mazurka.causal.closure import ClosureSolver

    return ClosureSolver() if limit is None else ClosureSolver(limit)


def _z3(_limit: int | None) -> Solver:
    import_extra("z3", "solver z3")
    from mazurka.causal.z3 import Z3Solver

    return Z3Solver()


#: Name -> the function that makes the solver, given the amount of work after which it gives a question up. The default
#: first.
SOLVERS: dict[str, Callable[[int | None], Solver]] = {"search": _search, "closure": _closure, "z3": _z3}


def make_solver(name: str, limit: int | None = None) -> Solver:
    """The solver of that name. It gives a question up after ``limit`` positions (`search`) or contradictions
    (`closure`), by default the solver's own limit; `z3` has a time limit instead."""
    made = SOLVERS.get(name)
    if made is None:
        raise UsageError("unknown-solver", f"there is no solver {name!r}", hint=f"choose one of: {', '.join(SOLVERS)}")
    return made(limit)


#: Makes the default solver for predictors' questions about traces, which has to be complete.
FOR_TRACES: Final = partial(make_solver, "closure")
