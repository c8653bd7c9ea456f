"""Reads formulas, and tables of them, from texts: Python's expressions, of which only a part is allowed.

A table has a line for a pair of methods, or for several pairs at once::

    add || add                : v1 != v2 or v1 in s
    contains, size || size    : True
    # A line without || continues the one before.

Invariant: a text is parsed, never executed. Mistakes are errors ``specification`` with the line.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import Final

from mazurka.commute.formula import (
    ARITHMETIC,
    EARLIER,
    FALSE,
    TRUE,
    And,
    Apply,
    ArgumentOf,
    Compare,
    Constant,
    Formula,
    Not,
    Or,
    ResultOf,
    Sigma,
)
from mazurka.errors import MazurkaError, did_you_mean
from mazurka.lazy_dataclass import dataclass
from mazurka.trace.literals import value_of

_RELATIONS: Final = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "==",
    ast.IsNot: "!=",
}
_OPERATORS: Final = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%"}

#: Names that parameters can't have, since they have a meaning in formulas.
RESERVED: Final = frozenset({"r", "s"})


@dataclass(frozen=True, slots=True)
class TableLine:
    """A line of a table; ``number`` counts from 0."""

    number: int
    ones: tuple[str, ...]
    twos: tuple[str, ...]
    formula: str

    def pairs(self) -> Iterator[tuple[str, str]]:
        """The pairs of methods of the line."""
        return product(self.ones, self.twos)


class Wrong(Exception):
    """A formula or a line that can't be read; the message says why."""


def lines_of(table: str, place: Callable[[int], str]) -> Iterator[TableLine]:
    """The lines of a table; ``place`` says where a line is, for errors."""
    gathered: list[tuple[int, str]] = []
    for number, text in enumerate(table.splitlines()):
        content = text.partition("#")[0].strip()
        if not content:
            continue
        if "||" in content:
            gathered.append((number, content))
        elif gathered:
            gathered[-1] = (gathered[-1][0], f"{gathered[-1][1]} {content}")
        else:
            raise wrong(place(number), "a condition without a pair of methods before it, as in `add || add : True`")
    for number, content in gathered:
        pair, colon, formula = content.partition(":")
        ones, _, twos = pair.partition("||")
        names = [tuple(name.strip() for name in side.split(",")) for side in (ones, twos)]
        if not colon or not all(name.isidentifier() for side in names for name in side):
            raise wrong(place(number), f"not of the form `method || method : formula`: {content}")
        yield TableLine(number, names[0], names[1], formula.strip())


def wrong(where: str, message: str, hint: str = "") -> MazurkaError:
    """An error about a specification."""
    return MazurkaError("specification", message, where=where, hint=hint)


def formula_of(text: str, parameters: tuple[Sequence[str], Sequence[str]], functions: Mapping[str, object]) -> Formula:
    """The formula of a text for two methods with these parameters; :class:`Wrong` if the text is no formula."""
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise Wrong(f"no formula: {getattr(error, 'msg', error)}: {text}") from None
    names: dict[str, Formula] = {
        "s": Sigma(EARLIER),
        "s1": Sigma(1),
        "s2": Sigma(2),
        "r1": ResultOf(1),
        "r2": ResultOf(2),
    }
    for side, own in enumerate(parameters, 1):
        names |= {f"{name}{side}": ArgumentOf(side, name) for name in own}
    try:
        return _Reading(names, functions).formula(tree)
    except RecursionError:
        raise Wrong("a formula nested too deep") from None


class _Reading:
    """Translates Python's expressions to formulas, as far as they are formulas."""

    def __init__(self, names: Mapping[str, Formula], functions: Collection[str]) -> None:
        self._names = names
        self._functions = functions

    def formula(self, node: ast.expr) -> Formula:
        match node:
            case ast.BoolOp(ast.And(), values):
                return _joined(And, [self.formula(each) for each in values])
            case ast.BoolOp(_, values):
                return _joined(Or, [self.formula(each) for each in values])
            case ast.UnaryOp(ast.Not(), operand):
                return Not(self.formula(operand))
            case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as number)):
                return Constant(-number)
            case ast.UnaryOp(ast.USub(), operand):
                return Apply("-", (Constant(0), self.formula(operand)))
            case ast.BinOp(left, operation, right) if type(operation) in _OPERATORS:
                return Apply(_OPERATORS[type(operation)], (self.formula(left), self.formula(right)))
            case ast.Compare(left, operations, others):
                return self._comparison(left, operations, others)
            case ast.Call(ast.Name(name), arguments, []):
                return self._applied(name, arguments)
            case ast.Name(name):
                return self._named(name)
            case ast.Constant() | ast.Tuple():
                return _constant(node)
        raise Wrong(f"not part of the logic: {ast.unparse(node)}")

    def _comparison(self, left: ast.expr, operations: Sequence[ast.cmpop], others: Sequence[ast.expr]) -> Formula:
        terms = [self.formula(each) for each in (left, *others)]
        found: list[Formula] = [
            Compare(_RELATIONS[type(operation)], terms[at], terms[at + 1]) for at, operation in enumerate(operations)
        ]
        return _joined(And, found)

    def _applied(self, name: str, arguments: Sequence[ast.expr]) -> Formula:
        if name not in self._functions or name in ARITHMETIC:
            known = ", ".join(sorted(self._functions))
            raise Wrong(f"there is no function {name}; {did_you_mean(name, self._functions) or f'there are {known}'}")
        return Apply(name, tuple(map(self.formula, arguments)))

    def _named(self, name: str) -> Formula:
        if name not in self._names:
            known = ", ".join(self._names)
            raise Wrong(f"there is no {name}; {did_you_mean(name, self._names) or f'there are {known}'}")
        return self._names[name]


def _joined(kind: type[And | Or], parts: Sequence[Formula]) -> Formula:
    """The connective of several parts, without parts that do not affect its value."""
    neutral, deciding = (TRUE, FALSE) if kind is And else (FALSE, TRUE)
    left = [part for part in parts if part != neutral]
    if deciding in left:
        return deciding
    if not left:
        return neutral
    return left[0] if len(left) == 1 else kind(tuple(left))


def _constant(node: ast.expr) -> Formula:
    try:
        return Constant(value_of(ast.unparse(node)))
    except ValueError as error:
        raise Wrong(str(error)) from None
