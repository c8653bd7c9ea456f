"""Makes nodes of a syntax tree, with the positions of the nodes that they replace, and answers simple questions about
nodes."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator
from typing import Final, TypeVar

_N = TypeVar("_N", bound=ast.AST)

#: Expressions that make a container of its elements.
DISPLAYS: Final = (ast.Tuple, ast.List, ast.Set, ast.Dict)

#: Expressions whose value is a new object.
FRESH: Final = (*DISPLAYS, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)


def at(node: _N, like: ast.AST) -> _N:
    """The node, with the source position of ``like``, so that tracebacks are those of the original."""
    place, mine = vars(like), vars(node)  # like `ast.copy_location`, but faster
    for name in _PLACE:
        if name in place:
            mine[name] = place[name]
    return node


_PLACE: Final = ("lineno", "col_offset", "end_lineno", "end_col_offset")


def constant(value: object, like: ast.AST) -> ast.expr:
    """A literal."""
    return at(ast.Constant(value), like)  # type: ignore[arg-type]  # strings, numbers and None only


def reading(name: str, like: ast.AST) -> ast.expr:
    """A read of a name."""
    return at(ast.Name(name, ast.Load()), like)


def named(name: str, like: ast.AST) -> list[ast.expr]:
    """A name as an argument of a hook."""
    return [constant(name, like)]


def children(node: ast.AST) -> Iterator[ast.AST]:
    """The direct children of a node; faster than the function of `ast`, and without expression contexts."""
    for value in vars(node).values():
        if isinstance(value, list):
            for each in value:
                if isinstance(each, ast.AST):
                    yield each
        elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
            yield value


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes in a node, and itself."""
    found = [node]
    for each in found:
        yield each
        found += children(each)


def copied(node: ast.expr) -> ast.expr:
    """A second copy of an operand that has not been rewritten."""
    if isinstance(node, ast.Name):
        return reading(node.id, node)
    if isinstance(node, ast.Constant):
        return at(ast.Constant(node.value, node.kind), node)
    return copy.deepcopy(node)


def flat(targets: list[ast.expr]) -> Iterable[ast.expr]:
    """The targets within tuples and lists of targets."""
    for target in targets:
        if isinstance(target, (ast.Tuple, ast.List)):
            yield from flat(target.elts)
        else:
            yield target


def binds(node: ast.expr) -> bool:
    """Whether evaluating an expression may bind a local variable."""
    return any(isinstance(each, ast.NamedExpr) for each in walk(node))


def parameter_names(args: ast.arguments) -> set[str]:
    """All parameters of a function, of any kind."""
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    return {each.arg for each in every if each is not None}


#: Expressions that hold no call, no scope of their own and no binding, if they consist of such expressions only.
_CALLING_NOTHING: Final = (
    ast.Name,
    ast.Constant,
    ast.Attribute,
    ast.Subscript,
    ast.Slice,
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.BoolOp,
    ast.IfExp,
    ast.Tuple,
    ast.List,
    ast.Set,
    ast.Dict,
    ast.Starred,
    ast.JoinedStr,
    ast.FormattedValue,
)


def calls_nothing(node: ast.expr) -> bool:
    """Whether evaluating an expression calls no function by name: operators and properties may still run code of the
    program."""
    if isinstance(node, (ast.Name, ast.Constant)):
        return not (isinstance(node, ast.Name) and node.id == "id")  # `id` is another function in a run
    if not isinstance(node, _CALLING_NOTHING) or (isinstance(node, ast.Attribute) and node.attr == "__dict__"):
        return False
    return all(calls_nothing(each) for each in children(node) if isinstance(each, ast.expr))


def duplicate(node: _N) -> _N:
    """A deep copy of a node, to be rewritten apart from it."""
    fields = {name: _duplicated(value) for name, value in ast.iter_fields(node)}
    return at(type(node)(**fields), node)


def _duplicated(value: object) -> object:
    if isinstance(value, list):
        return [_duplicated(each) for each in value]
    return duplicate(value) if isinstance(value, (ast.expr, ast.comprehension, ast.keyword)) else value


def elements(node: ast.expr) -> list[ast.expr]:
    """The elements of a display."""
    if isinstance(node, ast.Dict):
        return [*filter(None, node.keys), *node.values]
    return node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else []


def is_ours(node: ast.expr) -> bool:
    """Whether a name is one that the rewriter made (``@``), which needs no hook."""
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
