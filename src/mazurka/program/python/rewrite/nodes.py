"""Makes nodes of a syntax tree, placed where those stand that they replace, and asks simple questions about them."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable
from typing import Final, TypeVar

_N = TypeVar("_N", bound=ast.AST)

#: Expressions that make a container of its elements.
DISPLAYS: Final = (ast.Tuple, ast.List, ast.Set, ast.Dict)

#: Expressions whose value nobody else has.
FRESH: Final = (*DISPLAYS, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)


def at(node: _N, like: ast.AST) -> _N:
    return ast.copy_location(node, like)


def constant(value: object, like: ast.AST) -> ast.expr:
    return at(ast.Constant(value), like)  # type: ignore[arg-type]  # strings, numbers and None only


def reading(name: str, like: ast.AST) -> ast.expr:
    return at(ast.Name(name, ast.Load()), like)


def named(name: str, like: ast.AST) -> list[ast.expr]:
    return [constant(name, like)]


def copied(node: ast.expr) -> ast.expr:
    """A second copy of an operand that has not been rewritten."""
    if isinstance(node, ast.Name):
        return reading(node.id, node)
    if isinstance(node, ast.Constant):
        return at(ast.Constant(node.value, node.kind), node)
    return copy.deepcopy(node)


def flat(targets: list[ast.expr]) -> Iterable[ast.expr]:
    for target in targets:
        if isinstance(target, (ast.Tuple, ast.List)):
            yield from flat(target.elts)
        else:
            yield target


def binds(node: ast.expr) -> bool:
    """Whether evaluating it may give a local another value."""
    return any(isinstance(each, ast.NamedExpr) for each in ast.walk(node))


def parameter_names(args: ast.arguments) -> set[str]:
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    return {each.arg for each in every if each is not None}


def elements(node: ast.expr) -> list[ast.expr]:
    """What a display puts into its container."""
    if isinstance(node, ast.Dict):
        return [*filter(None, node.keys), *node.values]
    return node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else []


def is_ours(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id.startswith("@")


def text_of(node: ast.expr) -> str:
    """A short text for a key or a function, for a site's name."""
    if isinstance(node, ast.Constant):
        return repr(node.value)
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        start = text_of(node.value)
        return f"{start}.{node.attr}" if start else node.attr
    return ""
