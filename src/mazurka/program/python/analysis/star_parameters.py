"""The aliases of ``*args`` and ``**kwargs``: fresh containers of each call, as long as no other code refers to them.

Cost: some passes over each function that has such parameters.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)

#: Methods of a dictionary that return neither it nor a view of it.
_KEEPING: Final = frozenset("get pop setdefault update".split())


def may_be_shared(function: Function, parameter: ast.arg) -> bool:
    """Whether ``*args`` or ``**kwargs`` may be bound to another object later, or other code may have the dictionary."""
    name = parameter.arg
    every = [*ast.walk(function)]
    if any(name in (getattr(node, "name", ""), getattr(node, "rest", "")) for node in every if node is not function):
        return True
    uses = [node for node in every if isinstance(node, ast.Name) and node.id == name]
    if any(not isinstance(node.ctx, ast.Load) for node in uses):
        return True
    kept = {id(used) for node in _own_nodes(function) for used in _keeping(node)}
    return parameter is function.args.kwarg and any(id(node) not in kept for node in uses)


def _keeping(node: ast.AST) -> Iterator[ast.expr]:
    """The operands of a node that it passes to no other code, if they are dictionaries."""
    if isinstance(node, ast.Call):
        yield from (keyword.value for keyword in node.keywords if keyword.arg is None)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _KEEPING:
            yield node.func.value
    elif isinstance(node, ast.Dict):
        yield from (value for key, value in zip(node.keys, node.values, strict=True) if key is None)
    elif isinstance(node, ast.Subscript):
        yield node.value


def _own_nodes(function: Function) -> Iterator[ast.AST]:
    """The nodes of a function, without those that run at another time."""
    waiting: list[ast.AST] = [function.body] if isinstance(function, ast.Lambda) else [*function.body]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, (*_FUNCTIONS, ast.ClassDef, ast.GeneratorExp)):
            yield node
            waiting += ast.iter_child_nodes(node)


__all__ = ["may_be_shared"]
