"""Loops and comprehensions: what is gone through visits before each native step; passes of ``while`` are counted."""

from __future__ import annotations

import ast
from typing import Final

from mazurka.program.python.rewrite.items import assigned, bound
from mazurka.program.python.rewrite.nodes import MAYBE_CONTAINER, at, constant
from mazurka.program.python.rewrite.operators import tested
from mazurka.program.python.rewrite.rewriter import Rewriter, Rule

_LOOP_VARIABLES = ast.For | ast.AsyncFor


def while_(r: Rewriter, node: ast.While) -> list[ast.stmt]:
    site = r.number(node, "loop")
    node.test = tested(r, node.test, True)
    r.loops.append(site)
    body = r.statements(node.body)
    r.loops.pop()
    node.body = [at(ast.Expr(r.hook("l", [constant(site, node)], node.test)), node.test), *body]
    node.orelse = r.statements(node.orelse)
    return [node, leave(r, site, node.test)]


def leave(r: Rewriter, site: int, like: ast.AST) -> ast.stmt:
    return at(ast.Expr(r.hook("x", [constant(site, like)], like)), like)


def for_(r: Rewriter, node: _LOOP_VARIABLES) -> ast.stmt:
    iterable = r.visit(node.iter)
    if isinstance(node, ast.For):
        iterable = iterated(r, iterable, node.iter)
    kept = bound(r, node.target)
    node.iter, node.target = iterable, assigned(r, node.target)
    node.body = [*r.statements(node.body), *kept]
    node.orelse = r.statements(node.orelse)
    return node


def iterated(r: Rewriter, value: ast.expr, original: ast.expr) -> ast.expr:
    if isinstance(original, (*MAYBE_CONTAINER, ast.BoolOp)) and not is_range(r, original):
        return r.hook("it", [value, r.site(original, "iterate")], original)
    return value


def is_range(r: Rewriter, node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and r.is_builtin(node.func, ("range",))


def comprehension(r: Rewriter, node: ast.expr) -> ast.expr:
    generators: list[ast.comprehension] = node.generators  # type: ignore[attr-defined]  # only comprehensions get here
    first = generators[0]
    outermost = iterator(r, first)
    outer, r.scope = r.scope, r.scopes.of[node]
    for generator in generators:
        generator.iter = outermost if generator is first else iterator(r, generator)
        generator.target = assigned(r, generator.target)
        generator.ifs = [tested(r, each, False) for each in generator.ifs]
    for field in ("key", "value", "elt"):
        if hasattr(node, field):
            setattr(node, field, r.visit(getattr(node, field)))
    if isinstance(node, ast.GeneratorExp):
        node.elt = r.hook("y", [node.elt, r.site(node, "yield")], node.elt)
    r.scope = outer
    if isinstance(node, ast.GeneratorExp) and not first.is_async:
        first.iter = r.hook("yi", [first.iter, r.site(node, "yield")], first.iter)
    return node


def yield_(r: Rewriter, node: ast.Yield) -> ast.expr:
    """A generator hands a value out: until it has, nobody else can run it."""
    value = r.visit(node.value) if node.value is not None else constant(None, node)
    node.value = r.hook("y", [value, r.site(node, "yield")], node)
    return node


def yield_from(r: Rewriter, node: ast.YieldFrom) -> ast.expr:
    node.value = r.hook("yf", [r.visit(node.value), r.site(node.value, "iterate")], node.value)
    return node


def iterator(r: Rewriter, generator: ast.comprehension) -> ast.expr:
    value = r.visit(generator.iter)
    return value if generator.is_async else iterated(r, value, generator.iter)


RULES: Final[dict[type[ast.AST], Rule]] = {
    ast.While: while_,
    **dict.fromkeys((ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp), comprehension),
    ast.For: for_,
    ast.AsyncFor: for_,
    ast.Yield: yield_,
    ast.YieldFrom: yield_from,
}
