"""Conditions on the objects of parameters, in property events: ``?table in 'insert into users'`` in the place of an
object stands for every value of ``table`` for which it holds (patent, FIG. 19).

A condition is a text of a trace, so it is interpreted, never executed: constants, names of parameters, ``and``, ``or``,
``not``, comparisons, ``+``, ``-``, ``len`` and ``isinstance`` with classes of builtins. It is decided if the names of
the objects are those of plain values; otherwise :class:`UndecidedCondition` is raised.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

#: Begins the text of a condition.
MARK: Final = "?"

_CLASSES: Final = {each.__name__: each for each in (int, float, str, bytes, bool, complex, tuple, list, type(None))}
_COMPARISONS: Final[dict[type, Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: lambda one, other: type(one) is type(other) and one == other,
    ast.IsNot: lambda one, other: not (type(one) is type(other) and one == other),
    ast.In: lambda one, other: one in other,
    ast.NotIn: lambda one, other: one not in other,
}


class UndecidedCondition(Exception):
    """The condition is none, or looks at more than plain values."""


def is_condition(text: str) -> bool:
    """Whether a text in the place of an object is a condition."""
    return text.startswith(MARK)


def agree(parameters: Sequence[str], objects: Sequence[str], bound: Mapping[str, str]) -> bool:
    """Whether the objects of an event are those that parameters are bound to, and its conditions hold for these."""
    if any(bound.get(p) != x for p, x in zip(parameters, objects, strict=True) if not is_condition(x)):
        return False
    return all(holds(text, bound) for text in dict.fromkeys(filter(is_condition, objects)))


def holds(text: str, bound: Mapping[str, str]) -> bool:
    """Whether a condition holds for the objects of these names. Raises :class:`UndecidedCondition`."""
    try:
        tree = _parsed(text.removeprefix(MARK))
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} & bound.keys()
        return bool(_value(tree, {name: ast.literal_eval(bound[name]) for name in names}))
    except Exception as error:  # a comparison of values of different kinds, for instance
        raise UndecidedCondition(text) from error


@lru_cache(maxsize=4096)
def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _value(node: ast.expr, bound: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return bound[name]
        case ast.Tuple(elts=parts):
            return tuple([_value(each, bound) for each in parts])
        case ast.List(elts=parts):
            return [_value(each, bound) for each in parts]
        case ast.BoolOp(op=ast.And(), values=parts):
            return all(_value(each, bound) for each in parts)
        case ast.BoolOp(values=parts):
            return any(_value(each, bound) for each in parts)
        case ast.UnaryOp(op=ast.Not(), operand=part):
            return not _value(part, bound)
        case ast.UnaryOp(op=ast.USub(), operand=part):
            return -_value(part, bound)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            one, other = _value(left, bound), _value(right, bound)
            return one + other if isinstance(node.op, ast.Add) else one - other
        case ast.Compare(left=left, ops=operators, comparators=others):
            values = [_value(each, bound) for each in (left, *others)]
            steps = zip(operators, values, values[1:], strict=False)
            return all(_COMPARISONS[type(each)](one, other) for each, one, other in steps)
        case ast.Call(func=ast.Name(id="len"), args=[part], keywords=[]):
            return len(_value(part, bound))
        case ast.Call(func=ast.Name(id="isinstance"), args=[part, kind], keywords=[]):
            kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
            return isinstance(_value(part, bound), tuple(_CLASSES[ast.unparse(each)] for each in kinds))
    raise UndecidedCondition(ast.unparse(node))
