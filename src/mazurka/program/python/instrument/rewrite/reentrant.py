"""Functions that native operations call: they report their begin and return (semantics/reentrant.py).

Such functions are methods with special names (``__lt__``), functions that the module uses as a value and does not just
call (a key function, a default's factory), decorated functions, and every ``lambda``. Generators are not among them:
iterations over them are wrapped.
"""

from __future__ import annotations

import ast
from enum import Enum
from typing import Final

from mazurka.program.python.instrument.rewrite.nodes import children, walk

#: Methods that native code calls when it is inside no announced operation, or at the end of one.
_APART: Final = frozenset(
    "__init__ __new__ __del__ __enter__ __exit__ __init_subclass__ __class_getitem__ __set_name__ __post_init__ "
    "__getattr__ __getattribute__ __setattr__ __delattr__ __get__ __set__ __delete__".split()
)

#: Decorators that don't hand the function to code that would call it during an operation.
_HARMLESS: Final = frozenset("property staticmethod classmethod setter getter deleter contextmanager override".split())


class How(Enum):
    """How a function reports that it returns."""

    BY_RETURN = "each `return` and `raise` does"
    AT_YIELDS = "it is a generator: its `yield` do"
    FINALLY = "its body is enclosed: there may be more to do once a `return` has its value"


def possible(tree: ast.Module) -> dict[ast.AST, How]:
    """The functions of a module that may be called during an operation."""
    nodes = [*walk(tree)]
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    values = {"keys"} | {
        node.attr if isinstance(node, ast.Attribute) else node.id
        for node in nodes
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load) and id(node) not in called
    }
    found: dict[ast.AST, How] = {}
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            own = _own(node)
            if any(isinstance(each, (ast.Yield, ast.YieldFrom)) for each in own):
                found[node] = How.AT_YIELDS
            elif _may_be(node, own, values):
                found[node] = _how(own)
    return found


def _may_be(node: ast.FunctionDef, own: list[ast.AST], values: set[str]) -> bool:
    if node.name.startswith("__") and node.name.endswith("__"):
        return node.name not in _APART
    if not any(isinstance(each, ast.Return) and each.value is not None for each in own):
        return False  # no code uses its result
    names = {getattr(each, "attr", getattr(each, "id", "")) for each in node.decorator_list}
    if "property" in names:
        return False
    return node.name in values or bool(names - _HARMLESS)


def _own(function: ast.FunctionDef) -> list[ast.AST]:
    """The nodes of a function, without those of functions and classes in it."""
    inside: list[ast.AST] = [*function.body]
    for node in inside:
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            inside += children(node)
    return inside


def _how(own: list[ast.AST]) -> How:
    nested = (inner for node in own if isinstance(node, (ast.With, ast.Try)) for inner in walk(node))
    return How.FINALLY if any(isinstance(node, (ast.Return, ast.Raise)) for node in nested) else How.BY_RETURN
