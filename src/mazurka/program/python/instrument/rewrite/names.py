"""Reads and bindings of globals and of variables that functions share; plain locals stay as they are.

Where an expression gives the new value, the hook stands before the binding; where a statement binds (``import``,
``def``, ``except``), a hook after it reports the binding.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Final

from mazurka.program.python.analysis.scopes import VariableKind
from mazurka.program.python.instrument.rewrite.nodes import at, constant, named, reading
from mazurka.program.python.instrument.rewrite.rewriter import Rewriter, Rule


def name_(r: Rewriter, node: ast.Name) -> ast.expr:
    """A read of a name: with a hook if it is a global variable, a captured one or that of a class."""
    if not isinstance(node.ctx, ast.Load) or node.id.startswith("@"):
        return node
    variable, _ = r.resolve(node.id)
    name = r.mangled(node.id)
    if node.id == "id" and variable is VariableKind.BUILTIN:
        return reading("__mz_id__", node)
    if variable is VariableKind.GLOBAL and name in r.scopes.module.lazy:
        comes_from = [constant(each, node) for each in r.scopes.module.lazy[name]]
        hook = r.hook("rz", [*comes_from, constant(name, node), r.site(node, "global", name)], node)
    elif variable is VariableKind.GLOBAL:
        hook = r.hook("rg", [*global_arguments(r, name, node), r.site(node, "global", name)], node)
    elif variable is VariableKind.CELL:
        hook = r.hook("rc", [cell(r, node.id, node), *named(name, node), r.site(node, "read", name)], node)
    elif variable is VariableKind.CLASS and r.scopes.module.bindings.get(name, 0) > 1:
        hook = r.hook("rn", [*named(name, node), r.site(node, "global", name)], node)
    else:
        return node
    return at(ast.IfExp(hook, node, reading(node.id, node)), node)


def global_arguments(r: Rewriter, name: str, like: ast.AST) -> list[ast.expr]:
    """Arguments of a hook for a global: the module's name, if the source shows it, and the variable's."""
    known = r.module_known and r.scope.kind != "class" and r.resolve("__name__")[1] is r.scopes.module
    return [reading("__name__", like) if known else constant(None, like), constant(name, like)]


def cell(r: Rewriter, name: str, like: ast.AST) -> ast.expr:
    """A function whose only free variable is the name; its argument distinguishes it from functions of the program."""
    marker = at(ast.arg("__mz__"), like)
    arguments = ast.arguments([], [marker], None, [], [], None, [])
    return at(ast.Lambda(arguments, reading(name, like)), like)


def stored(r: Rewriter, name: str, value: ast.expr, like: ast.AST) -> ast.expr:
    """``value``, which is already rewritten, announced if it is about to be bound to a shared name."""
    variable, _ = r.resolve(name)
    mangled = r.mangled(name)
    if variable is VariableKind.GLOBAL:
        args = [value, *global_arguments(r, mangled, like), r.site(like, "global", mangled)]
        return r.hook("wg", args, like)
    if variable is VariableKind.CELL:
        args = [value, cell(r, name, like), *named(mangled, like), r.site(like, "write", mangled)]
        return r.hook("wc", args, like)
    return value


def parameters_reported(r: Rewriter, names: Iterable[str], like: ast.AST) -> list[ast.stmt]:
    """Statements that report, at the start of a function, the parameters that are closure variables."""
    cells = [name for name in names if r.resolve(name)[0] is VariableKind.CELL]
    return [at(ast.Expr(_bound_cell(r, "pc", name, like)), like) for name in cells]


def _bound_cell(r: Rewriter, hook: str, name: str, like: ast.AST) -> ast.Call:
    mangled = r.mangled(name)
    return r.hook(hook, [cell(r, name, like), *named(mangled, like), r.site(like, "write", mangled)], like)


def bindings_reported(r: Rewriter, names: Iterable[str], like: ast.AST) -> list[ast.stmt]:
    """Statements that report shared names that have just been bound without a hook."""
    statements: list[ast.stmt] = []
    for name in names:
        if name.startswith("@"):
            continue
        variable, _ = r.resolve(name)
        mangled = r.mangled(name)
        if variable is VariableKind.GLOBAL:
            hook = r.hook("bg", [*named(mangled, like), r.site(like, "global", mangled)], like)
        elif variable is VariableKind.CELL:
            hook = _bound_cell(r, "bc", name, like)
        else:
            continue
        statements.append(at(ast.Expr(hook), like))
    return statements


def named_expr(r: Rewriter, node: ast.NamedExpr) -> ast.expr:
    """``name := value``."""
    node.value = stored(r, node.target.id, r.visit(node.value), node.value)
    return node


RULES: Final[dict[type[ast.AST], Rule]] = {
    ast.Name: name_,
    ast.NamedExpr: named_expr,
}
