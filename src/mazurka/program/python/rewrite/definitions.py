"""Statements that open a scope or bind names: functions, classes, ``with``, ``import``, ``except``, ``match``."""

from __future__ import annotations

import ast
import sys
from typing import Final

from mazurka.program.python.rewrite import midst
from mazurka.program.python.rewrite.calls import is_builtin
from mazurka.program.python.rewrite.items import assigned, bound
from mazurka.program.python.rewrite.loops import leave
from mazurka.program.python.rewrite.names import cell, stored, told
from mazurka.program.python.rewrite.nodes import (
    MAYBE_CONTAINER,
    at,
    constant,
    copied,
    is_ours,
    named,
    parameter_names,
    text_of,
)
from mazurka.program.python.rewrite.operators import tested, used
from mazurka.program.python.rewrite.rewriter import Rewriter, Rule
from mazurka.program.python.scopes import Variable

_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


def with_(r: Rewriter, node: ast.With | ast.AsyncWith) -> ast.stmt:
    kept: list[ast.stmt] = []
    ends: list[ast.stmt] = []
    for item in node.items:
        manager = item.context_expr
        item.context_expr = r.visit(manager)
        if isinstance(node, ast.With) and isinstance(manager, MAYBE_CONTAINER) and not is_ours(manager):
            site = r.site(manager, "call", text_of(manager))
            item.context_expr = r.hook("w", [item.context_expr, site], manager)
            ends.insert(0, at(ast.Expr(r.hook("wx", [copied(site)], manager)), manager))
        if item.optional_vars is not None:
            kept += bound(r, item.optional_vars)
            item.optional_vars = assigned(r, item.optional_vars)
    body = r.statements(node.body)
    for end in ends:
        for part in ast.walk(end):
            if hasattr(part, "lineno"):
                ast.copy_location(part, body[0])
    node.body = [*([at(ast.Try(body, [], [], ends), body[0])] if ends else body), *kept]
    return node


def imported_names(r: Rewriter, node: ast.Import | ast.ImportFrom) -> list[ast.stmt]:
    if isinstance(node, ast.ImportFrom) and node.module == "__future__":
        return [node]
    kept: list[ast.stmt] = []
    for alias in node.names:
        name = alias.asname or alias.name.partition(".")[0]
        if alias.name == "*" or r.what(name)[0] is not Variable.GLOBAL:
            kept += told(r, [name] if alias.name != "*" else [], node)
        elif alias.asname is not None or isinstance(node, ast.ImportFrom) or "." not in alias.name:
            # Bound under a name that nobody else has, and then by an assignment that tells.
            alias.asname = f"__mz_{name}__"
            value = stored(r, name, at(ast.Name(alias.asname, ast.Load()), node), node)
            kept.append(at(ast.Assign([at(ast.Name(name, ast.Store()), node)], value), node))
            kept.append(at(ast.Delete([at(ast.Name(alias.asname, ast.Del()), node)]), node))
        else:
            kept += told(r, [name], node)
    return [node, *kept]


def except_handler(r: Rewriter, node: ast.ExceptHandler) -> ast.ExceptHandler:
    node.type = node.type and r.visit(node.type)
    node.body = [*told(r, [node.name] if node.name else [], node), *r.statements(node.body)]
    return node


def match(r: Rewriter, node: ast.Match) -> ast.stmt:
    subject = r.visit(node.subject)
    if isinstance(subject, ast.Tuple):
        node.subject = r.hook("u", [subject, r.site(subject, "match")], subject)
    else:
        node.subject = used(r, subject, node.subject, "match")
    for case in node.cases:
        bound = [
            name
            for each in ast.walk(case.pattern)
            for name in (getattr(each, "name", None), getattr(each, "rest", None))
            if name
        ]
        case.guard = case.guard and tested(r, case.guard, True)
        case.body = [*told(r, bound, case.body[0]), *r.statements(case.body)]
    return node


def decorator(r: Rewriter, node: ast.expr) -> ast.expr:
    """One decorator: a call, for which there is no node."""
    value: ast.expr = r.visit(node)
    if r.scope.kind == "module" or (isinstance(node, ast.Name) and is_builtin(r, node)) or is_ours(node):
        return value
    return r.hook("d", [value, r.site(node, "call", text_of(node))], node)


def function_def(r: Rewriter, node: _FUNCTIONS) -> list[ast.stmt]:
    node.decorator_list = [decorator(r, each) for each in node.decorator_list]
    defaults(r, node.args)
    outer, loops = r.scope, r.loops
    r.scope, r.loops = r.scopes.of[node], []
    r.path.append(node.name)
    if node.name == "__del__":
        r.said.add("finalizer")
    docstring = node.body[:1] if ast.get_docstring(node, clean=False) is not None else []
    outer_telling, r.telling = r.telling, r.told_of.get(node) is midst.How.BY_RETURN
    body = r.statements(node.body[len(docstring) :])
    r.telling = outer_telling
    shared = [name for name in r.scope.bindings if name in parameter_names(node.args)]
    started = [
        *call_event(r, node),
        *told(r, [name for name in shared if r.what(name)[0] is Variable.CELL], node),
    ]
    body = [*started, *body] or [at(ast.Pass(), node)]
    node.body = [*docstring, *midst.enclosed(r, node, body)]
    r.path.pop()
    r.scope, r.loops = outer, loops
    return announced_definition(r, node)


def announced_definition(r: Rewriter, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> list[ast.stmt]:
    """A definition whose name is shared: its last decorator tells of the binding, just before it."""
    variable, _ = r.what(node.name)
    name = r.mangled(node.name)
    if variable is Variable.GLOBAL:
        args = [*named(name, node), r.site(node, "global", name)]
        node.decorator_list.insert(0, r.hook("db", args, node))
    elif variable is Variable.CELL and r.scope.kind != "class":
        args = [cell(r, node.name, node), *named(name, node), r.site(node, "write", name)]
        node.decorator_list.insert(0, r.hook("dc", args, node))
    return [node]


def call_event(r: Rewriter, node: _FUNCTIONS) -> list[ast.stmt]:
    if not r.options.calls:
        return []
    hook = r.hook("fn", [*named(".".join(r.path), node), r.site(node, "call")], node.body[0])
    return [at(ast.Expr(hook), node.body[0])]


def defaults(r: Rewriter, args: ast.arguments) -> None:
    args.defaults = [r.visit(each) for each in args.defaults]
    args.kw_defaults = [each and r.visit(each) for each in args.kw_defaults]


def return_(r: Rewriter, node: ast.Return) -> list[ast.stmt]:
    value = node.value
    if value is not None:
        visited: ast.expr = r.visit(value)
        of_iter = bool(r.path) and r.path[-1] == "__iter__"
        node.value = r.hook("ir", [visited, r.site(value, "iterate")], value) if of_iter else visited
    if r.options.calls and r.path:
        value = node.value or constant(None, node)
        node.value = r.hook("ret", [value, *named(".".join(r.path), node), r.site(node, "return")], node)
    if r.telling:
        node.value = midst.ended(r, node.value or constant(None, node))
    return [*(leave(r, site, node) for site in r.loops), node]


def raise_(r: Rewriter, node: ast.Raise) -> ast.stmt:
    node.exc = node.exc and r.visit(node.exc)
    node.cause = node.cause and r.visit(node.cause)
    if r.telling and node.exc is not None:
        node.exc = midst.ended(r, node.exc)
    return node


def lambda_(r: Rewriter, node: ast.Lambda) -> ast.expr:
    defaults(r, node.args)
    outer, loops = r.scope, r.loops
    r.scope, r.loops = r.scopes.of[node], []
    r.path.append("<lambda>")
    node.body = midst.enclosed_value(r, r.visit(node.body))
    r.path.pop()
    r.scope, r.loops = outer, loops
    return node


def class_def(r: Rewriter, node: ast.ClassDef) -> list[ast.stmt]:
    node.decorator_list = [decorator(r, each) for each in node.decorator_list]
    outer, loops, owner = r.scope, r.loops, r.owner
    parameters = getattr(node, "type_params", None)
    if parameters:
        r.scope = r.scopes.of[parameters[0]]
    node.bases = [r.visit(each) for each in node.bases]
    for keyword in node.keywords:
        keyword.value = r.visit(keyword.value)
    r.scope, r.loops, r.owner = r.scopes.of[node], [], node.name
    r.path.append(node.name)
    node.body = r.statements(node.body)
    r.path.pop()
    r.scope, r.loops, r.owner = outer, loops, owner
    return announced_definition(r, node)


RULES: Final[dict[type[ast.AST], Rule]] = {
    ast.With: with_,
    ast.AsyncWith: with_,
    ast.Import: imported_names,
    ast.ImportFrom: imported_names,
    ast.ExceptHandler: except_handler,
    ast.Match: match,
    ast.FunctionDef: function_def,
    ast.AsyncFunctionDef: function_def,
    ast.Lambda: lambda_,
    ast.Return: return_,
    ast.Raise: raise_,
    ast.ClassDef: class_def,
}
if sys.version_info >= (3, 12):
    RULES[ast.TypeAlias] = lambda rewriter, node: node
