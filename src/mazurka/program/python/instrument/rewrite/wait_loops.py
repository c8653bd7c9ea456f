"""Loops that wait for a condition, ``while test: condition.wait()`` or ``condition.wait_for(lambda: not test)``: they
are noted among the sites, for primitives/wait_loops.py. Before ``wait`` there may be tests after which the thread
leaves the loop: ``if closed: return``."""

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


def note_function(r: Rewriter, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """Note a function that only returns the value of an expression, which the test of such a loop may call."""
    given, body = node.args, node.body[ast.get_docstring(node, clean=False) is not None :]
    if isinstance(node, ast.FunctionDef) and len(body) == 1 and isinstance(body[0], ast.Return) and body[0].value:
        if not (given.posonlyargs or given.vararg or given.kwonlyargs or given.kwarg or given.defaults):
            text = json.dumps([node.name, [each.arg for each in given.args], ast.unparse(body[0].value)])
            r.number(node.decorator_list[0] if node.decorator_list else node, sites.EXPRESSION, text)


def _text_of(node: ast.AST) -> str:
    """The condition, the test, and the limit of such a loop; empty if it is none."""
    match node:
        case ast.While(test, [*guards, ast.Expr(ast.Call(ast.Attribute(condition, "wait"), args, named))]):
            if node.orelse or not all(map(_leaves, guards)):
                return ""
            # the thread waits if it leaves the loop neither here nor there
            leaving = [f"not ({ast.unparse(each.test)})" for each in guards if isinstance(each, ast.If)]
            text = " and ".join([f"({ast.unparse(test)})", *leaving]) if leaving else ast.unparse(test)
        case ast.Call(ast.Attribute(condition, "wait_for"), [ast.Lambda(given, wanted), *args], named):
            if _has_any(given):
                return ""
            text = f"not ({ast.unparse(wanted)})"
        case _:
            return ""
    limits = [*args, *[each.value for each in named if each.arg == "timeout"]]
    if not _is_path(condition) or len(limits) > 1 or len(limits) < len(args) + len(named):
        return ""
    return json.dumps([ast.unparse(condition), text, *map(ast.unparse, limits)])


def _leaves(guard: ast.stmt) -> bool:
    """Whether a statement tests something, and leaves the loop if it is true."""
    match guard:
        case ast.If(body=[*_, ast.Return() | ast.Break() | ast.Raise()], orelse=[]):
            return True
    return False


def _is_path(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _has_any(given: ast.arguments) -> bool:
    """Whether a function has parameters."""
    return bool(given.posonlyargs or given.args or given.vararg or given.kwonlyargs or given.kwarg)
