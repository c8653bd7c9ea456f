"""Loops that wait for a condition, ``while test: condition.wait()``: they are noted among the sites, for
primitives/wait_loops.py."""

from __future__ import annotations

import ast
import json

from mazurka.program.python.instrument import sites
from mazurka.program.python.instrument.rewrite.rewriter import Rewriter


def note_with(r: Rewriter, node: ast.With | ast.AsyncWith) -> None:
    """Note a ``with`` that does nothing before such a loop."""
    if isinstance(node, ast.With) and len(node.items) == 1 and node.items[0].optional_vars is None:
        manager = node.items[0].context_expr
        loop = _text_of(node.body[0])
        if loop and _is_path(manager):
            r.number(manager, sites.WITH_LOOP, loop)


def note_while(r: Rewriter, node: ast.While) -> None:
    """Note a loop that does nothing but wait."""
    if loop := _text_of(node):
        r.number(node.body[0], sites.WAIT_LOOP, loop)


def _text_of(node: ast.stmt) -> str:
    """The condition and the test of such a loop; empty if the statement is none."""
    match node:
        case ast.While(test, [ast.Expr(ast.Call(ast.Attribute(condition, "wait"), [], []))]):
            return json.dumps([ast.unparse(condition), ast.unparse(test)]) if _is_path(condition) else ""
    return ""


def _is_path(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)
