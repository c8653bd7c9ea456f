"""Attributes and items, read, assigned to and deleted; targets of other statements (`for`, `with`)."""

from __future__ import annotations

import ast
from typing import Final

from mazurka.program.python.analysis.scopes import VariableKind
from mazurka.program.python.instrument.rewrite.asked_modules import ATTRIBUTE
from mazurka.program.python.instrument.rewrite.names import cell
from mazurka.program.python.instrument.rewrite.nodes import at, constant, copied, flat, named, text_of
from mazurka.program.python.instrument.rewrite.rewriter import Rewriter, Rule


def attribute(r: Rewriter, node: ast.Attribute) -> ast.expr:
    """A read of an attribute."""
    if node.attr == ATTRIBUTE:
        r.asks_for_modules(node)
    if isinstance(node.value, ast.Name) and node.value.id.startswith("@"):
        return node
    node.value = announced(r, node, "ra", "read")
    return node


def announced(r: Rewriter, node: ast.Attribute, hook: str, kind: str) -> ast.expr:
    """The object of an attribute access, passed through a hook that announces the access of that kind."""
    name, value = r.mangled(node.attr), node.value

    def with_hook() -> ast.expr:
        return r.hook(hook, [r.visit(value), constant(name, node), r.site(node, kind, name)], value)

    return with_hook() if name == "__dict__" else r.doubled(value, with_hook)


def subscript(r: Rewriter, node: ast.Subscript) -> ast.expr:
    """A read of an item; a key whose evaluation has no effect is evaluated twice, any other once."""
    if r.steady(node.slice):
        return keyed(r, node, "ri", "read item")
    if isinstance(node.slice, ast.Slice) and steady_slice(r, node.slice):
        return sliced(r, node, "ri", "read item")
    args = [r.visit(node.value), key_of(r, node.slice), r.site(node, "read item", text_of(node.slice))]
    return r.through("getitem", r.hook("rp", args, node), node)


def keyed(r: Rewriter, node: ast.Subscript, hook: str, kind: str) -> ast.Subscript:
    """``value[key]`` with a steady key."""
    value = node.value
    if hook in _OF_OWN and r.is_own(value) and (hook == "ri" or not r.loops):
        hook = _OF_OWN[hook]  # a store is an effect of the passes of a loop

    def with_hook() -> ast.expr:
        args = [r.visit(value), copied(node.slice), r.site(node, kind, text_of(node.slice))]
        return r.hook(hook, args, value)

    node.value = r.doubled(value, with_hook)
    return node


#: Hooks for items -> those for items of containers that no other code has.
_OF_OWN: Final = {"ri": "rio", "wi": "wio", "di": "dio"}


def sliced(r: Rewriter, node: ast.Subscript, hook: str, kind: str) -> ast.Subscript:
    """``value[a:b]`` with steady bounds: the hook needs no bounds."""
    value = node.value

    def with_hook() -> ast.expr:
        args = [r.visit(value), key_of(r, copied(node.slice)), r.site(node, kind, "slice")]
        return r.hook(hook, args, value)

    node.value = r.doubled(value, with_hook)
    return node


def steady_slice(r: Rewriter, node: ast.Slice) -> bool:
    """Whether evaluating the bounds twice gives the same values and has no effect."""
    return all(r.steady(part) for part in (node.lower, node.upper, node.step) if part is not None)


def key_of(r: Rewriter, node: ast.expr) -> ast.expr:
    """A subscript's key as an expression."""
    if isinstance(node, ast.Slice):
        parts = [r.visit(part) if part else constant(None, node) for part in (node.lower, node.upper, node.step)]
        return r.hook("slice", parts, node)
    if isinstance(node, ast.Tuple):
        node.elts = [key_of(r, part) for part in node.elts]
        return node
    if isinstance(node, ast.Starred):
        node.value = r.visit(node.value)
        return node
    result: ast.expr = r.visit(node)
    return result


def assigned(r: Rewriter, node: ast.expr) -> ast.expr:
    """The target of any kind of assignment."""
    if r.weaver is not None and (made := r.weaver.target(node)) is not None:
        return made
    if isinstance(node, ast.Attribute):
        r.stores(node)
        node.value = announced(r, node, "wa", "store")
    elif isinstance(node, ast.Subscript):
        if r.steady(node.slice):
            return keyed(r, node, "wi", "write item")
        if isinstance(node.slice, ast.Slice) and steady_slice(r, node.slice):
            return sliced(r, node, "wi", "write item")
        site = r.site(node, "write item", text_of(node.slice))
        is_own = r.is_own(node.value) and not r.loops
        node.value = r.hook("wko" if is_own else "wk", [r.visit(node.value), key_of(r, node.slice), site], node.value)
        node.slice = r.hook("pop", [], node)
    elif isinstance(node, ast.Starred):
        node.value = assigned(r, node.value)
    elif isinstance(node, (ast.Tuple, ast.List)):
        node.elts = [assigned(r, part) for part in node.elts]
    elif isinstance(node, ast.Name) and r.resolve(node.id)[0] is VariableKind.GLOBAL and not node.id.startswith("@"):
        name = r.mangled(node.id)
        space = r.hook("gd", [*named(name, node), r.site(node, "global", name)], node)
        return at(ast.Subscript(space, constant(name, node), ast.Store()), node)
    elif isinstance(node, ast.Name) and is_shared_cell(r, node.id):
        name = r.mangled(node.id)
        content = r.hook("sc", [cell(r, node.id, node), *named(name, node), r.site(node, "write", name)], node)
        return at(ast.Attribute(content, "cell_contents", ast.Store()), node)
    return node


def is_shared_cell(r: Rewriter, name: str) -> bool:
    """Whether a name is a closure variable that a store can reach through its cell."""
    return not name.startswith("@") and r.resolve(name)[0] is VariableKind.CELL and r.scope.kind == "function"


def bound(r: Rewriter, node: ast.expr) -> list[ast.stmt]:
    """Statements that are never executed: they bind the closure variables of a target, which so stay variables of their
    function."""
    names = [each for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]
    stores: list[ast.expr] = [at(ast.Name(each.id, ast.Store()), each) for each in names if is_shared_cell(r, each.id)]
    if not stores:
        return []
    return [at(ast.If(constant(False, node), [at(ast.Assign(stores, constant(None, node)), node)], []), node)]


def delete(r: Rewriter, node: ast.Delete) -> list[ast.stmt]:
    """One statement for each target, with its hook."""
    statements: list[ast.stmt] = []
    for target in flat(node.targets):
        statements += delete_one(r, target, node)
    return statements


def delete_one(r: Rewriter, target: ast.expr, node: ast.Delete) -> list[ast.stmt]:
    """The deletion of an attribute, an item or a name."""
    if r.weaver is not None and (made := r.weaver.target(target, True)) is not None:
        return [at(ast.Delete([made]), node)]
    if isinstance(target, ast.Attribute):
        r.stores(target)
        target.value = announced(r, target, "da", "store")
    elif isinstance(target, ast.Subscript):
        if r.steady(target.slice):
            return [at(ast.Delete([keyed(r, target, "di", "delete item")]), node)]
        else:
            site = r.site(target, "delete item", text_of(target.slice))
            hook = r.hook("dp", [r.visit(target.value), key_of(r, target.slice), site], target)
            return [at(ast.Expr(r.through("delitem", hook, target)), node)]
    elif isinstance(target, ast.Name):
        return [*unbinding(r, target), at(ast.Delete([target]), node)]
    return [at(ast.Delete([target]), node)]


def unbinding(r: Rewriter, node: ast.Name) -> list[ast.stmt]:
    """The statement that announces the deletion of a name, if the name is shared."""
    variable, _ = r.resolve(node.id)
    name = r.mangled(node.id)
    if variable is VariableKind.GLOBAL:
        hook = r.hook("xg", [*named(name, node), r.site(node, "global", name)], node)
    elif variable is VariableKind.CELL:
        hook = r.hook("xc", [cell(r, node.id, node), *named(name, node), r.site(node, "write", name)], node)
    else:
        return []
    return [at(ast.Expr(hook), node)]


RULES: Final[dict[type[ast.AST], Rule]] = {
    ast.Attribute: attribute,
    ast.Subscript: subscript,
    ast.Delete: delete,
}
