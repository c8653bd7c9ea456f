"""Conditions of pointcuts: the part of Python's expressions that cannot do anything but compare.

Constants, names, ``and``, ``or``, ``not``, comparisons with ``in`` and ``is``, ``+`` and ``-``, ``len(x)`` and
``isinstance(x, CLASS)`` with classes of builtins. A condition is checked when a property is read, and evaluated when
one of its operations takes place; objects of the program may have methods (``__eq__``, ``__contains__``, ``__len__``)
that it calls then.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import islice
from typing import Any, Final

_FUNCTIONS: Final = {"len": len, "isinstance": isinstance}
_CLASSES: Final = {name: each for name, each in vars(builtins).items() if isinstance(each, type)}
_GLOBALS: Final[dict[str, object]] = {"__builtins__": {}, **_CLASSES, **_FUNCTIONS}

_ALLOWED: Final = "a condition compares names and constants, with and, or, not, in, is, len(x) and isinstance(x, CLASS)"


class Refused(Exception):
    """A text that is no condition: a message, and the place as a line and a column of the text, both from 0."""

    def __init__(self, message: str, line: int, column: int, hint: str = "", name: str = "") -> None:
        super().__init__(message)
        self.message, self.line, self.column, self.hint, self.name = message, line, column, hint, name


def checked(text: str, names: Collection[str]) -> str:
    """A condition in normal form; ``names`` are those that it may use. Raises :class:`Refused`."""
    lines = f"({text}\n)".split("\n")
    try:
        tree = ast.parse("\n".join(lines), mode="eval").body
    except SyntaxError as error:
        line = min((error.lineno or 1) - 1, len(lines) - 2)
        column = (error.offset or 1) - 1 - (line == 0)
        raise Refused(f"no condition: {error.msg}", line, max(column, 0)) from None
    except (ValueError, MemoryError, RecursionError):
        raise Refused("no condition", 0, 0) from None
    if isinstance(tree, ast.Tuple | ast.List):
        raise Refused("no condition", 0, 0)
    try:
        objections = [*islice(_objections(tree, names), 1)]
    except RecursionError:
        raise Refused("a condition nested too deep", 0, 0) from None
    for node, message in objections:
        line = node.lineno - 1
        column = len(lines[line].encode()[: node.col_offset].decode()) - (line == 0)
        name = node.id if isinstance(node, ast.Name) else ""
        raise Refused(message, line, column, "" if name else _ALLOWED, name)
    return ast.unparse(tree)


def names_in(condition: str) -> frozenset[str]:
    """The names that a condition mentions, those of functions and classes among them."""
    if not condition:
        return frozenset()
    return frozenset(node.id for node in ast.walk(ast.parse(condition)) if isinstance(node, ast.Name))


def place_of(name: str, condition: str) -> tuple[int, int]:
    """The line and the column, from 0, of a name in a condition."""
    for node in ast.walk(ast.parse(f"({condition}\n)", mode="eval")):
        if isinstance(node, ast.Name) and node.id == name:
            line = node.lineno - 1
            text = f"({condition}\n)".split("\n")[line]
            return line, len(text.encode()[: node.col_offset].decode()) - (line == 0)
    return 0, 0


def closed(condition: str, bound: Mapping[str, object]) -> str | None:
    """A condition with values in place of the names that are bound; None if one of them is no plain value."""
    tree = ast.parse(condition, mode="eval")
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} & bound.keys()
    if any(type(bound[name]) not in _PLAIN or bound[name] != bound[name] for name in used):
        return None

    class Closing(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            value: Any = bound.get(node.id)
            return ast.Constant(value) if node.id in bound else node

    return ast.unparse(ast.fix_missing_locations(Closing().visit(tree)))


_PLAIN: Final = frozenset({int, float, bool, str, bytes, type(None)})


def evaluation(condition: str) -> Callable[[Mapping[str, object]], bool]:
    """A function from the objects that operands bind, by name, to whether the condition holds. It raises the
    exceptions of the comparisons."""
    code = compile(ast.parse(condition, mode="eval"), "<condition>", "eval")
    return lambda bound: bool(eval(code, _GLOBALS, bound))


def _has_no_identity(node: ast.expr) -> bool:
    return isinstance(node, ast.Tuple | ast.List) or (
        isinstance(node, ast.Constant) and not isinstance(node.value, bool | None)
    )


def _objections(node: ast.expr, names: Collection[str]) -> Iterator[tuple[ast.expr, str]]:
    """The parts of an expression that a condition can't have, outer ones first."""
    match node:
        case ast.BoolOp(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
            pass
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=part):
            parts = [part]
        case ast.Compare(left=left, ops=operators, comparators=others):
            parts = [left, *others]
            if any(isinstance(each, ast.Is | ast.IsNot) for each in operators) and any(map(_has_no_identity, parts)):
                yield node, "is compares objects, and this constant is none: use =="
        case ast.BinOp(op=ast.Add() | ast.Sub(), left=left, right=right):
            parts = [left, right]
        case ast.Constant(value=None | bool() | int() | float() | str() | bytes()):
            parts = []
        case ast.Name(id=name):
            parts = []
            if name not in names:
                yield node, f"{name} is not bound by an operand of this pointcut"
        case ast.Call(func=ast.Name(id="len"), args=[part], keywords=[]) if "len" not in names:
            parts = [part]
        case ast.Call(func=ast.Name(id="isinstance"), args=[part, kind], keywords=[]) if "isinstance" not in names:
            parts = [part]
            for each in kind.elts if isinstance(kind, ast.Tuple) else [kind]:
                if not isinstance(each, ast.Name) or each.id not in _CLASSES or each.id in names:
                    yield each, f"{ast.unparse(each)} is no class of builtins"
        case _:
            parts = []
            yield node, f"not allowed in a condition: {ast.unparse(node)}"
    for each in parts:
        yield from _objections(each, names)
