"""The search for inputs that take paths which no inputs before have taken.

A *class* of inputs is a set for which a program does the same: all conditions that it has met, in all executions for
one of them, have the same truth values. So after a complete search for these inputs the class is covered, whatever the
strategy. The next inputs are outside of all classes before; if there are none, all inputs are covered.

Cost: with z3 some milliseconds for the next inputs, and half a second once to import it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any, Final, Protocol

from mazurka.errors import MazurkaError
from mazurka.symbolic.terms import TESTS, Term
from mazurka.symbolic.values import PathCondition

#: Inputs below this are tried first: reports are easier to read.
_SMALL: Final = 16

_OPERATIONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "shl": operator.lshift,
    "ashr": operator.rshift,
}


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
        try:
            import z3
        except ImportError:
            raise MazurkaError(
                "no-z3",
                "the program depends on unknown inputs: the search for other inputs needs z3",
                hint="pip install 'mazurka[z3]'",
            ) from None
        self._z3 = z3
        self._context = z3.Context()
        self._solver = z3.SolverFor("QF_BV", ctx=self._context)
        self._made: dict[Term, Any] = {}
        self._inputs: dict[str, Any] = {}

    def exclude(self, conditions: Iterable[PathCondition]) -> None:
        z3 = self._z3
        one = z3.BitVecVal(1, 1, ctx=self._context)
        parts = []
        for each in conditions:
            holds = (self._formula(each.term) == one) == z3.BoolVal(each.holds, ctx=self._context)
            if each.always:
                self._solver.add(holds)
            else:
                parts.append(z3.Not(holds))
        self._solver.add(z3.Or(*parts) if parts else z3.BoolVal(False, ctx=self._context))

    def next_inputs(self, seconds: float | None) -> dict[str, int] | None:
        z3 = self._z3
        if seconds is not None:
            self._solver.set("timeout", max(int(seconds * 1000), 1))
        self._solver.push()
        for each in self._inputs.values():
            if each.size() > 1:
                offset = z3.BitVecVal(_SMALL, each.size(), ctx=self._context)
                limit = z3.BitVecVal(min(2 * _SMALL, (1 << each.size()) - 1), each.size(), ctx=self._context)
                self._solver.add(z3.ULE(each + offset, limit))
        answer = self._solver.check()
        if answer != z3.sat:
            self._solver.pop()
            self._solver.push()
            answer = self._solver.check()
        found = None
        if answer == z3.sat:
            model = self._solver.model()
            values = {name: model.eval(each, model_completion=True) for name, each in self._inputs.items()}
            found = {name: value.as_long() for name, value in values.items()}
        self._solver.pop()
        if answer == z3.unknown:
            raise TimeoutError(self._solver.reason_unknown())
        return found

    def _formula(self, term: Term) -> Any:
        made = self._made
        stack = [term]
        while stack:
            at = stack[-1]
            waiting = [each for each in at.arguments if isinstance(each, Term) and each not in made]
            if waiting:
                stack += waiting
                continue
            stack.pop()
            if at not in made:
                made[at] = self._translated(at)
        return made[term]

    def _translated(self, term: Term) -> Any:
        z3, made = self._z3, self._made
        match term.op:
            case "var":
                name = term.arguments[0]
                found = self._inputs[name] = z3.BitVec(name, term.width, ctx=self._context)
                return found
            case "const":
                return z3.BitVecVal(term.arguments[0], term.width, ctx=self._context)
            case "extract":
                low = term.arguments[1]
                return z3.Extract(low + term.width - 1, low, made[term.arguments[0]])
            case "zext" | "sext":
                inner = made[term.arguments[0]]
                extend = z3.ZeroExt if term.op == "zext" else z3.SignExt
                return extend(term.width - inner.size(), inner)
        one, other = (made[each] for each in term.arguments)
        if term.op in TESTS:
            yes, no = z3.BitVecVal(1, 1, ctx=self._context), z3.BitVecVal(0, 1, ctx=self._context)
            test = {"eq": operator.eq, "ult": z3.ULT, "slt": operator.lt}[term.op]
            return z3.If(test(one, other), yes, no)
        unsigned = {"udiv": z3.UDiv, "urem": z3.URem, "lshr": z3.LShR}
        return (_OPERATIONS.get(term.op) or unsigned[term.op])(one, other)
