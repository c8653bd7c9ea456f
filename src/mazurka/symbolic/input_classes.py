"""The search for inputs that take paths which no inputs before have taken.

A *class* of inputs is a set for which a program does the same: all conditions that it has met, in all executions for
one of them, have the same truth values. So after a complete search for these inputs the class is covered, whatever the
strategy. The next inputs are outside of all classes before; if there are none, all inputs are covered.

Cost: with z3 some milliseconds for the next inputs, and half a second once to import it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from mazurka.symbolic.values import PathCondition
from mazurka.symbolic.z3_formulas import Formulas


class InputSolver(Protocol):
    """Finds inputs."""

    def exclude(self, conditions: Iterable[PathCondition]) -> None:
        """No further inputs are wanted for which all of these conditions hold as they are given."""
        ...

    def next_inputs(self, seconds: float | None) -> dict[str, int] | None:
        """Inputs that have not been excluded; None if there are none. Raises ``TimeoutError`` if ``seconds`` did not
        suffice."""
        ...


class Z3InputSolver:
    """An :class:`InputSolver` that asks z3; raises :class:`~mazurka.errors.MazurkaError` without it."""

    def __init__(self) -> None:
        self._formulas = Formulas()
        self._solver = self._formulas.solver()

    def exclude(self, conditions: Iterable[PathCondition]) -> None:
        parts = []
        for each in conditions:
            holds = self._formulas.holds(each)
            if each.always:
                self._solver.add(holds)
            else:
                parts.append(self._formulas.z3.Not(holds))
        self._solver.add(self._formulas.any_of(parts))

    def next_inputs(self, seconds: float | None) -> dict[str, int] | None:
        z3, inputs = self._formulas.z3, self._formulas.inputs
        if seconds is not None:
            self._solver.set("timeout", max(int(seconds * 1000), 1))
        self._solver.push()
        self._solver.add(*[small for each in inputs.values() if (small := self._formulas.is_small(each)) is not None])
        answer = self._solver.check()
        if answer != z3.sat:
            self._solver.pop()
            self._solver.push()
            answer = self._solver.check()
        found = None
        if answer == z3.sat:
            model = self._solver.model()
            values = {term: model.eval(each, model_completion=True) for term, each in inputs.items()}
            found = {term.arguments[0]: value.as_long() for term, value in values.items()}
        self._solver.pop()
        if answer == z3.unknown:
            raise TimeoutError(self._solver.reason_unknown())
        return found
