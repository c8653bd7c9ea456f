"""Inputs that satisfy the conditions of a path.

*Independence.* Conditions that have no inputs in common, not even through other conditions, are satisfied apart from
each other. A path that is longer by a condition mostly shares all of its sets of conditions but one with paths before.

*Caching* (KLEE's counterexample cache: Cadar, Dunbar, Engler, OSDI 2008). Answers are kept by the set of conditions. A
set that contains an unsatisfiable one is unsatisfiable; and inputs found for other sets, or that executions had, are
tried before the solver is asked.

Cost: some microseconds for each condition where no solver is asked, otherwise milliseconds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any, Final, Protocol

from mazurka.lazy_dataclass import dataclass
from mazurka.symbolic.terms import Term, value_of, variable, variables_of
from mazurka.symbolic.values import PathCondition
from mazurka.symbolic.z3_formulas import Formulas

#: Inputs kept to be tried for other conditions.
_TRIED: Final = 16

#: The effort of z3 for one question, in its own unit: a minute or so, the same on every machine.
_EFFORT: Final = 200_000_000

#: The same for a question that is not hard.
_QUICK: Final = 1_000_000

#: A set of conditions that share inputs.
Conditions = frozenset[PathCondition]


class ConditionSolver(Protocol):
    """Decides sets of conditions."""

    def solve(self, conditions: Iterable[PathCondition]) -> dict[str, int] | None:
        """Inputs for which all of them hold; None if there are none. Raises ``TimeoutError`` if it can't decide."""
        ...


class Z3ConditionSolver:
    """A :class:`ConditionSolver` that asks z3; raises :class:`~mazurka.errors.MazurkaError` without it. Questions go to
    one solver, which takes a third of the time of a new one; those that are hard for it go to a new one."""

    def __init__(self, effort: int = _EFFORT) -> None:
        self._formulas = Formulas()
        self._effort = effort
        self._kept = self._formulas.z3.SimpleSolver(ctx=self._formulas.context)
        self._kept.set("rlimit", min(effort, _QUICK))

    def solve(self, conditions: Iterable[PathCondition]) -> dict[str, int] | None:
        wanted = list(conditions)
        self._kept.push()
        try:
            return self._solved(self._kept, wanted)
        except TimeoutError:
            solver = self._formulas.solver()
            solver.set("rlimit", self._effort)
            return self._solved(solver, wanted)
        finally:
            self._kept.pop()

    def _solved(self, solver: Any, wanted: list[PathCondition]) -> dict[str, int] | None:
        formulas = self._formulas
        solver.add(*map(formulas.holds, wanted))
        names = variables_of([each.term for each in wanted])
        inputs = {name: formulas.term(variable(name, width)) for name, width in names.items()}
        solver.push()
        solver.add(*[small for each in inputs.values() if (small := formulas.is_small(each)) is not None])
        answer = solver.check()
        model = solver.model() if answer == formulas.z3.sat else None
        solver.pop()
        if model is None:
            answer = solver.check()
            if answer == formulas.z3.unknown:
                raise TimeoutError(solver.reason_unknown())
            if answer == formulas.z3.unsat:
                return None
            model = solver.model()
        return {name: model.eval(each, model_completion=True).as_long() for name, each in inputs.items()}


@dataclass(slots=True)
class SolverCounts:
    """How many sets of conditions were decided, and how: by an answer to the same set, by inputs known from elsewhere,
    by a part that is known to be unsatisfiable, or by the solver."""

    same: int = 0
    tried: int = 0
    contained: int = 0
    solved: int = 0

    def total(self) -> int:
        """All sets decided."""
        return self.same + self.tried + self.contained + self.solved


@dataclass(slots=True)
class PathSolver:
    """Satisfies sets of conditions with the help of earlier answers."""

    solver: ConditionSolver
    counts: SolverCounts = field(default_factory=SolverCounts)
    _answers: dict[Conditions, dict[str, int] | None] = field(default_factory=dict)
    _impossible: dict[PathCondition, list[Conditions]] = field(default_factory=dict)  # each under one condition of it
    _models: deque[dict[str, int]] = field(default_factory=lambda: deque(maxlen=_TRIED))
    _variables: dict[Term, frozenset[str]] = field(default_factory=dict)

    def learn(self, inputs: Mapping[str, int]) -> None:
        """Keep the inputs of an execution to be tried."""
        model = dict(inputs)
        if model not in self._models:
            self._models.append(model)

    def find(self, conditions: Iterable[PathCondition]) -> dict[str, int] | None:
        """Inputs for which all conditions hold, those that matter; None if there are none. Raises ``TimeoutError`` if
        the solver can't decide."""
        found: dict[str, int] = {}
        for part in self.independent(conditions):
            model = self._solve(part)
            if model is None:
                return None
            found.update(model)
        return found

    def independent(self, conditions: Iterable[PathCondition]) -> list[Conditions]:
        """The conditions in sets that have no inputs in common."""
        by_input: dict[str, list[PathCondition]] = {}  # shared by all inputs of a set
        for each in dict.fromkeys(conditions):
            joined = [each]
            names = self._inputs(each.term)
            for other in {id(known): known for name in names if (known := by_input.get(name)) is not None}.values():
                joined += other
            for name in {name for condition in joined for name in self._inputs(condition.term)}:
                by_input[name] = joined
        return [frozenset(part) for part in {id(part): part for part in by_input.values()}.values()]

    def _inputs(self, term: Term) -> frozenset[str]:
        found = self._variables.get(term)
        if found is None:
            found = self._variables[term] = frozenset(variables_of([term]))
        return found

    def _solve(self, part: Conditions) -> dict[str, int] | None:
        if part in self._answers:
            self.counts.same += 1
            return self._answers[part]
        model: dict[str, int] | None
        names = {name for each in part for name in self._inputs(each.term)}
        if self._contains_impossible(part):
            self.counts.contained += 1
            model = None
        elif (known := self._known(part)) is not None:
            self.counts.tried += 1
            model = {name: known.get(name, 0) for name in names}
        else:
            self.counts.solved += 1
            model = self.solver.solve(part)
            if model is None:
                self._impossible.setdefault(next(iter(part)), []).append(part)
            else:
                self._models.append(model)
        self._answers[part] = model
        return model

    def _contains_impossible(self, part: Conditions) -> bool:
        return any(known <= part for each in part for known in self._impossible.get(each, ()))

    def _known(self, part: Conditions) -> Mapping[str, int] | None:
        """Inputs from elsewhere that satisfy a set."""
        return next((model for model in reversed(self._models) if satisfies(model, part)), None)


def satisfies(inputs: Mapping[str, int], conditions: Iterable[PathCondition]) -> bool:
    """Whether conditions hold for these inputs; those that are missing are zero."""
    return all(bool(value_of(each.term, inputs)) == each.holds for each in conditions)
