"""How functions that native operations call (reentrant.py) report that they begin and that they are left."""

from __future__ import annotations

import ast

from mazurka.program.python.instrument.rewrite.nodes import at, constant
from mazurka.program.python.instrument.rewrite.reentrant import How
from mazurka.program.python.instrument.rewrite.rewriter import Rewriter

_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


def enclosed(r: Rewriter, node: _FUNCTIONS, body: list[ast.stmt]) -> list[ast.stmt]:
    """A function's body, with hooks where it begins and where it is left."""
    how = r.reporting.get(node)
    if how is How.AT_YIELDS:
        last = r.hook("y", [constant(None, body[-1]), r.site(node, "yield")], body[-1])
        return [at(ast.Try(body, [], [], [at(ast.Expr(last), body[-1])]), body[0])]
    if how is None:
        return body
    begins = at(ast.Expr(r.hook("en", [], body[0])), body[0])
    ends = at(ast.Expr(r.hook("ex", [], body[-1])), body[-1])
    if how is How.FINALLY:
        return [begins, at(ast.Try(body, [], [], [ends]), body[0])]
    falls_off = node.name.startswith("__") and not isinstance(body[-1], (ast.Return, ast.Raise))
    return [begins, *body, ends] if falls_off else [begins, *body]


def ended(r: Rewriter, value: ast.expr) -> ast.expr:
    """The value returned or raised, with the hook for leaving the function."""
    return r.hook("el", [constant(None, value), value], value)


def enclosed_value(r: Rewriter, value: ast.expr) -> ast.expr:
    """The value of a lambda, with the hooks for its begin and for leaving it."""
    return r.hook("el", [r.hook("en", [], value), value], value)
