"""Loops that wait for a condition, ``while test: condition.wait()`` or ``condition.wait_for(lambda: not test)``: they
are noted among the sites, for primitives/wait_loops.py."""

from __future__ import annotations

import ast
import json

from mazurka.program.python.instrument import sites
from mazurka.program.python.instrument.rewrite.rewriter import Rewriter


def note_with(r: Rewriter, node: ast.With | ast.AsyncWith) -> None:
    """Note a ``with`` that does nothing before such a loop."""
    if isinstance(node, ast.With) and len(node.items) == 1 and node.items[0].optional_vars is None:
        manager, first = node.items[0].context_expr, node.body[0]
        loop = _text_of(first.value if isinstance(first, ast.Expr) else first)
        if loop and _is_path(manager):
            r.number(manager, sites.WITH_LOOP, loop)


def note_while(r: Rewriter, node: ast.While) -> None:
    """Note a loop that does nothing but wait."""
    if loop := _text_of(node):
        r.number(node.body[0], sites.WAIT_LOOP, loop)


def note_call(r: Rewriter, node: ast.Call) -> None:
    """Note a call of ``wait_for``, which is such a loop."""
    if loop := _text_of(node):
        r.number(node, sites.WAIT_LOOP, loop)


def _text_of(node: ast.AST) -> str:
    """The condition and the test of such a loop; empty if it is none."""
    match node:
        case ast.While(test, [ast.Expr(ast.Call(ast.Attribute(condition, "wait"), [], []))]):
            text = ast.unparse(test)
        case ast.Call(ast.Attribute(condition, "wait_for"), [ast.Lambda(given, wanted)], []) if not _has_any(given):
            text = f"not ({ast.unparse(wanted)})"
        case _:
            return ""
    return json.dumps([ast.unparse(condition), text]) if _is_path(condition) else ""


def _is_path(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _has_any(given: ast.arguments) -> bool:
    """Whether a function has parameters."""
    return bool(given.posonlyargs or given.args or given.vararg or given.kwonlyargs or given.kwarg)
