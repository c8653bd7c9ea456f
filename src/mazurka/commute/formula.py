"""Formulas of commutativity conditions: their syntax, the names they mention, and their evaluation.

Definition (thesis, figure 4.5). A formula of the logic L1 is built of the arguments and results of two calls,
constants, functions of these and of abstract states, arithmetic, comparisons, and boolean connectives; it has no
quantifiers. In the fragment L2 no function sees a state.

=====================  =====================================================================================
in a text              meaning
=====================  =====================================================================================
``v1``, ``v2``         the argument for the parameter ``v``, of the first and of the second method of the pair
``r1``, ``r2``         their results
``s``                  the abstract state in which the earlier of the two calls begins
``s1``, ``s2``         the abstract states in which each of them begins (the thesis's sigma)
=====================  =====================================================================================

Departure: ``s`` is our addition, since exact conditions in the literature refer to that state; it equals ``s1`` or
``s2``.

Cost: a formula is compiled once, to a tree of closures; its evaluation takes about 0.1 microseconds a node.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias, assert_never

from mazurka.lazy_dataclass import dataclass
from mazurka.trace.literals import Value

#: An abstract state: any hashable value of a model.
State: TypeAlias = Any

#: The state in which the earlier call begins, as the side of a :class:`Sigma`.
EARLIER: Final = 0


@dataclass(frozen=True, slots=True)
class Constant:
    """A truth value, a number, a text, None, or a tuple of these."""

    value: Value


@dataclass(frozen=True, slots=True)
class ArgumentOf:
    """An argument of the call on a side, 1 or 2, by its parameter."""

    side: int
    name: str


@dataclass(frozen=True, slots=True)
class ResultOf:
    """The result of the call on a side, 1 or 2."""

    side: int


@dataclass(frozen=True, slots=True)
class Sigma:
    """The state in which the call of a side, 1 or 2, begins; :data:`EARLIER`: that of the call that comes first."""

    side: int


@dataclass(frozen=True, slots=True)
class Apply:
    """A function of the type, or an arithmetic operation (``+``), of values and states."""

    function: str
    arguments: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison; ``relation`` is one of :data:`RELATIONS`."""

    relation: str
    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Not:
    """Negation."""

    part: Formula


@dataclass(frozen=True, slots=True)
class And:
    """Conjunction of two or more, from the left: parts after a false one are not evaluated."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Disjunction of two or more, from the left: parts after a true one are not evaluated."""

    parts: tuple[Formula, ...]


Formula: TypeAlias = Constant | ArgumentOf | ResultOf | Sigma | Apply | Compare | Not | And | Or

TRUE: Final = Constant(True)
FALSE: Final = Constant(False)

RELATIONS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda each, among: each in among,
    "not in": lambda each, among: each not in among,
}

ARITHMETIC: Final[Mapping[str, Callable[..., Any]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
}


class Side(NamedTuple):
    """A call as the input of a formula: arguments in the order of the parameters, result, and the state before it."""

    arguments: Sequence[Value]
    result: Value
    state: State


class Pair(NamedTuple):
    """The input of a formula's evaluation; ``earlier`` is the state before the call that comes first."""

    one: Side
    two: Side
    earlier: State


def parts_of(formula: Formula) -> tuple[Formula, ...]:
    """The direct parts of a formula."""
    match formula:
        case Apply(_, arguments):
            return arguments
        case Compare(_, left, right):
            return (left, right)
        case Not(part):
            return (part,)
        case And(parts) | Or(parts):
            return parts
        case Constant() | ArgumentOf() | ResultOf() | Sigma():
            return ()
    assert_never(formula)


def within(formula: Formula) -> Iterator[Formula]:
    """The formula and all its parts."""
    yield formula
    for part in parts_of(formula):
        yield from within(part)


def sides_of(formula: Formula) -> frozenset[int]:
    """The calls that a formula mentions, 1 and 2."""
    return frozenset(each.side for each in within(formula) if isinstance(each, ArgumentOf | ResultOf | Sigma)) - {
        EARLIER
    }


def mentions_state(formula: Formula) -> bool:
    """Whether a formula mentions a state, and so is not in L2."""
    return any(isinstance(each, Sigma) for each in within(formula))


def rebuilt(formula: Formula, change: Callable[[Formula], Formula]) -> Formula:
    """The formula with its direct parts changed."""
    match formula:
        case Apply(function, arguments):
            return Apply(function, tuple(map(change, arguments)))
        case Compare(relation, left, right):
            return Compare(relation, change(left), change(right))
        case Not(part):
            return Not(change(part))
        case And(parts):
            return And(tuple(map(change, parts)))
        case Or(parts):
            return Or(tuple(map(change, parts)))
        case Constant() | ArgumentOf() | ResultOf() | Sigma():
            return formula
    assert_never(formula)


def swapped(formula: Formula) -> Formula:
    """The formula with the two calls exchanged."""
    match formula:
        case ArgumentOf(side, name):
            return ArgumentOf(3 - side, name)
        case ResultOf(side):
            return ResultOf(3 - side)
        case Sigma(side) if side != EARLIER:
            return Sigma(3 - side)
    return rebuilt(formula, swapped)


def compiled(
    formula: Formula,
    functions: Mapping[str, Callable[..., Any]],
    parameters: tuple[Sequence[str], Sequence[str]],
) -> Callable[[Pair], Any]:
    """The function that evaluates the formula for a pair of calls of methods with these parameters."""

    def go(each: Formula) -> Callable[[Pair], Any]:
        return compiled(each, functions, parameters)

    match formula:
        case Constant(value):
            return lambda pair: value
        case ArgumentOf(side, name):
            at, index = side - 1, parameters[side - 1].index(name)
            return lambda pair: pair[at][0][index]
        case ResultOf(side):
            at = side - 1
            return lambda pair: pair[at][1]
        case Sigma(side):
            if side == EARLIER:
                return lambda pair: pair[2]
            at = side - 1
            return lambda pair: pair[at][2]
        case Apply(function, arguments):
            apply, terms = functions.get(function) or ARITHMETIC[function], [go(each) for each in arguments]
            return lambda pair: apply(*[term(pair) for term in terms])
        case Compare(relation, left, right):
            holds, one, other = RELATIONS[relation], go(left), go(right)
            return lambda pair: holds(one(pair), other(pair))
        case Not(part):
            negated = go(part)
            return lambda pair: not negated(pair)
        case And(parts):
            conjuncts = [go(each) for each in parts]
            return lambda pair: all(each(pair) for each in conjuncts)
        case Or(parts):
            disjuncts = [go(each) for each in parts]
            return lambda pair: any(each(pair) for each in disjuncts)
    assert_never(formula)


_LOOSEST, _TIGHTEST = 0, 9
_BINDS: Final = {Or: 1, And: 2, Not: 3, Compare: 4}


def in_words(formula: Formula) -> str:
    """The formula as it is written in a specification."""
    return _written(formula, _LOOSEST)


def _written(formula: Formula, outer: int) -> str:
    own = _BINDS.get(type(formula), _TIGHTEST)
    match formula:
        case Constant(value):
            return repr(value)
        case ArgumentOf(side, name):
            return f"{name}{side}"
        case ResultOf(side):
            return f"r{side}"
        case Sigma(side):
            return f"s{side}" if side != EARLIER else "s"
        case Apply("-", (only,)):
            return f"-{_written(only, _TIGHTEST)}"
        case Apply(function, (left, right)) if function in ARITHMETIC:
            return f"({_written(left, 5)} {function} {_written(right, 5)})"
        case Apply(function, arguments):
            return f"{function}({', '.join(_written(each, _LOOSEST) for each in arguments)})"
        case Compare(relation, left, right):
            text = f"{_written(left, own + 1)} {relation} {_written(right, own + 1)}"
        case Not(Compare("==" | "in" as relation, left, right)):
            return _written(Compare({"==": "!=", "in": "not in"}[relation], left, right), outer)
        case Not(part):
            text = f"not {_written(part, own)}"
        case And(parts):
            text = " and ".join(_written(each, own + 1) for each in parts)
        case Or(parts):
            text = " or ".join(_written(each, own + 1) for each in parts)
        case _:
            assert_never(formula)
    return f"({text})" if own < outer else text
