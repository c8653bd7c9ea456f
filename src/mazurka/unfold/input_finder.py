"""Inputs for the executions of a search, and whether configurations with conditions on them exist.

The solver is made when the first question is asked. Where there is none, or it can't decide, a configuration is taken
for impossible, and the search is in doubt.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from mazurka.errors import MazurkaError
from mazurka.symbolic.path_solver import PathSolver, Z3ConditionSolver
from mazurka.symbolic.values import PathCondition

_UNDECIDED: Final = "the solver could not decide whether inputs take some of the paths"


class InputFinder:
    """Finds inputs. ``trouble`` says why paths may have been left out ("" if none were)."""

    def __init__(self) -> None:
        self.trouble = ""
        self.solver: PathSolver | None = None

    def is_feasible(self, conditions: Sequence[PathCondition]) -> bool:
        """Whether there are inputs for which all of these hold."""
        return self._find(conditions) is not None

    def inputs(self, conditions: Sequence[PathCondition]) -> tuple[tuple[str, int], ...]:
        """Such inputs, which are known to exist."""
        return tuple((self._find(conditions) or {}).items()) if conditions else ()

    def learn(self, inputs: Iterable[tuple[str, int]]) -> None:
        """Keep the inputs of an execution, which may do for other paths, too."""
        if self.solver is not None:
            self.solver.learn(dict(inputs))

    def _find(self, conditions: Sequence[PathCondition]) -> dict[str, int] | None:
        if self.solver is None:
            try:
                self.solver = PathSolver(Z3ConditionSolver())
            except MazurkaError as error:
                self.trouble = f"{error.what} ({error.hint})"
                return None
        try:
            return self.solver.find(conditions)
        except TimeoutError:
            self.trouble = _UNDECIDED
            return None
