"""Terms as formulas of z3.

Cost: ten microseconds for each new term; half a second to import z3.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

from mazurka.errors import MazurkaError
from mazurka.symbolic.terms import TESTS, Term, parts_not_in
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


class Formulas:
    """Formulas in a context of their own; raises :class:`~mazurka.errors.MazurkaError` without z3. ``inputs`` has the
    variables of the formulas made so far, by their terms."""

    def __init__(self) -> None:
        try:
            import z3
        except ImportError:
            raise MazurkaError(
                "no-z3",
                "the program depends on unknown inputs: the search for other inputs needs z3",
                hint="pip install 'mazurka[z3]'",
            ) from None
        self.z3 = z3
        self.context = z3.Context()
        self.inputs: dict[Term, Any] = {}
        self._made: dict[Term, Any] = {}
        self._one = z3.BitVecVal(1, 1, ctx=self.context)

    def solver(self) -> Any:
        """A new solver of bit vectors."""
        return self.z3.SolverFor("QF_BV", ctx=self.context)

    def holds(self, condition: PathCondition) -> Any:
        """That a condition has its value."""
        formula = self.term(condition.term) == self._one
        return formula if condition.holds else self.z3.Not(formula)

    def any_of(self, parts: list[Any]) -> Any:
        """That one of these holds."""
        return self.z3.Or(*parts) if parts else self.z3.BoolVal(False, ctx=self.context)

    def is_small(self, variable: Any) -> Any:
        """That an input is near zero; None if all its values are."""
        if variable.size() == 1:
            return None
        offset = self.z3.BitVecVal(_SMALL, variable.size(), ctx=self.context)
        limit = self.z3.BitVecVal(min(2 * _SMALL, (1 << variable.size()) - 1), variable.size(), ctx=self.context)
        return self.z3.ULE(variable + offset, limit)

    def term(self, term: Term) -> Any:
        """The formula of a term."""
        for part in parts_not_in(self._made, term):
            self._made[part] = self._translated(part)
        return self._made[term]

    def _translated(self, term: Term) -> Any:
        z3, made = self.z3, self._made
        match term.op:
            case "var":
                found = self.inputs[term] = z3.BitVec(term.arguments[0], term.width, ctx=self.context)
                return found
            case "const":
                return z3.BitVecVal(term.arguments[0], term.width, ctx=self.context)
            case "extract":
                low = term.arguments[1]
                return z3.Extract(low + term.width - 1, low, made[term.arguments[0]])
            case "zext" | "sext":
                inner = made[term.arguments[0]]
                extend = z3.ZeroExt if term.op == "zext" else z3.SignExt
                return extend(term.width - inner.size(), inner)
            case "ite":
                condition, yes, no = (made[each] for each in term.arguments)
                return z3.If(condition == self._one, yes, no)
        one, other = (made[each] for each in term.arguments)
        if term.op in TESTS:
            yes, no = z3.BitVecVal(1, 1, ctx=self.context), z3.BitVecVal(0, 1, ctx=self.context)
            test = {"eq": operator.eq, "ult": z3.ULT, "slt": operator.lt}[term.op]
            return z3.If(test(one, other), yes, no)
        unsigned = {"udiv": z3.UDiv, "urem": z3.URem, "lshr": z3.LShR}
        return (_OPERATIONS.get(term.op) or unsigned[term.op])(one, other)
