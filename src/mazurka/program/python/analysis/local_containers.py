"""The containers of a function that no other code can have while the function uses them.

A local variable has one if all its values are displays, comprehensions, or new containers without arguments, and if it
is used for nothing but items, methods that keep no reference to their object, tests of membership, loops, and builtins
that only read. What is in the container may well be shared. One that is returned does not count: a race of others for
it could not be executed the other way round, if its first accesses were missing.

Code that looks at frames, and generators, whose frames others may have, could get at such a variable all the same: the
first is noted for the whole program (:mod:`~mazurka.program.python.instrument.rewrite.rewriter`), generators have none.

Cost: a pass over each function, and over those inside of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_FRESH: Final = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_MAKERS: Final = frozenset("list dict set".split())

#: Nodes whose code runs at another time, or in another scope.
_ELSEWHERE: Final = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef),
    *(ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp),
)
_WAITING: Final = (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith)

#: Methods of lists, dictionaries and sets that return neither the object nor something that leads to it.
METHODS: Final = frozenset(
    "append insert pop clear extend remove index count get setdefault update popitem add discard".split()
)

#: Builtins that only read their argument, and do not keep it.
_READERS: Final = frozenset("len sum min max sorted any all list tuple set frozenset".split())

#: Builtins that show the variables of the function that calls them.
_SHOWING: Final = frozenset("locals vars dir eval exec".split())


def local_containers(function: Function) -> set[str]:
    """The names of these variables."""
    if isinstance(function, ast.Lambda):
        return set()
    own = [*_own_nodes(function)]
    made = {
        node.targets[0].id
        for node in own
        if isinstance(node, ast.Assign) and _is_simple(node) and isinstance(node.targets[0], ast.Name)
    }
    if not made or any(isinstance(node, _WAITING) or _shows_variables(node) for node in own):
        return set()
    allowed = {id(name) for node in own for name in _harmless_uses(node)}
    for node in ast.walk(function):
        if isinstance(node, ast.Name):
            if id(node) not in allowed:
                made.discard(node.id)
        elif node is not function:
            made.difference_update(_bound_otherwise(node))
    return made


def _is_simple(node: ast.Assign) -> bool:
    return len(node.targets) == 1 and _is_fresh(node.value)


def _is_fresh(node: ast.expr) -> bool:
    """Whether an expression makes a new container."""
    match node:
        case ast.Call(ast.Name(name), [], []):
            return name in _MAKERS
        case ast.BinOp(ast.List(), ast.Mult(), ast.Constant() | ast.Name()):
            return True
    return isinstance(node, _FRESH)


def _harmless_uses(node: ast.AST) -> Iterator[ast.expr]:
    """The operands of a node that it passes to no other code, if they are containers."""
    match node:
        case ast.Assign([ast.Name() as target], value) if _is_fresh(value):
            yield target
        case ast.Subscript(value):
            yield value
        case ast.Call(ast.Attribute(value, name)) if name in METHODS:
            yield value
        case ast.Call(ast.Name(name), [argument], []) if name in _READERS:
            yield argument
        case ast.Compare(_, [ast.In() | ast.NotIn()], [container]):
            yield container
        case ast.For(_, iterable):
            yield iterable


def _bound_otherwise(node: ast.AST) -> Iterator[str]:
    """The names that a node binds, or declares, other than by an expression."""
    for field in ("name", "rest", "asname", "arg"):
        if isinstance(found := getattr(node, field, None), str):
            yield found
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        yield from node.names


def _shows_variables(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in _SHOWING


def _own_nodes(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.AST]:
    """The nodes that run as parts of a function itself."""
    waiting: list[ast.AST] = [*function.body]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _ELSEWHERE):
            waiting += ast.iter_child_nodes(node)


__all__ = ["METHODS", "local_containers"]
