"""Assignments: plain, annotated and augmented.

An augmented one to anything but a plain name is taken apart into a read and a store, each with its hook.
"""

from __future__ import annotations

import ast
from typing import Final

from mazurka.program.python.analysis.scopes import VariableKind
from mazurka.program.python.instrument.rewrite.items import assigned, bound, key_of
from mazurka.program.python.instrument.rewrite.names import stored
from mazurka.program.python.instrument.rewrite.nodes import (
    at,
    binds,
    calls_nothing,
    constant,
    copied,
    duplicate,
    named,
    reading,
    text_of,
)
from mazurka.program.python.instrument.rewrite.operators import used
from mazurka.program.python.instrument.rewrite.rewriter import Rewriter, Rule

_IN_PLACE: Final = {
    "Add": "__iadd__",
    "Sub": "__isub__",
    "Mult": "__imul__",
    "Div": "__itruediv__",
    "FloorDiv": "__ifloordiv__",
    "Mod": "__imod__",
    "Pow": "__ipow__",
    "LShift": "__ilshift__",
    "RShift": "__irshift__",
    "BitOr": "__ior__",
    "BitAnd": "__iand__",
    "BitXor": "__ixor__",
    "MatMult": "__imatmul__",
}


def assign(r: Rewriter, node: ast.Assign) -> list[ast.stmt]:
    """A hook for each target that threads may share; the unpacking of the value is announced, too."""
    kept: list[ast.stmt] = []
    value = r.visit(node.value)
    given_to_slices(r, value, node)
    value = unpacked(r, value, node.value, node.targets)
    if any("__del__" in (getattr(each, "id", ""), getattr(each, "attr", "")) for each in node.targets):
        value = r.hook("fz", [value], node.value)
    if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        if not node.targets[0].id.startswith("@"):
            value = stored(r, node.targets[0].id, value, node.value)
    else:
        if any(map(is_slice, node.targets)):
            value = r.hook("sv", [value], node.value)
        if any(isinstance(each, ast.Attribute) and each.attr == "__dict__" for each in node.targets):
            value = r.hook("ad", [value, r.site(node, "store", "__dict__")], node.value)
        kept = [statement for target in node.targets for statement in bound(r, target)]
        node.targets = [assigned(r, target) for target in node.targets]
    node.value = value
    return [node, *kept]


def is_slice(target: ast.expr) -> bool:
    """Whether a target is a slice."""
    return isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice)


def given_to_slices(r: Rewriter, value: ast.expr, node: ast.Assign) -> None:
    """Announce the element of a tuple that is assigned to a slice, as in ``items[:], old = [], items[:]``, if there is
    one such target and its element is known."""
    target = node.targets[0]
    if not isinstance(value, ast.Tuple) or not isinstance(target, (ast.Tuple, ast.List)) or len(node.targets) > 1:
        return
    slices = [place for place, each in enumerate(target.elts) if is_slice(each)]
    starred = any(isinstance(each, ast.Starred) for each in (*value.elts, *target.elts))
    if len(slices) == 1 and not starred and not is_nested(target) and len(value.elts) == len(target.elts):
        place = slices[0]
        value.elts[place] = r.hook("sv", [value.elts[place]], value.elts[place])


def unpacked(r: Rewriter, value: ast.expr, original: ast.expr, targets: list[ast.expr]) -> ast.expr:
    """``value``, announced as iterated over if a target unpacks it; its elements, too, where targets are nested."""
    parts = [target.elts for target in targets if isinstance(target, (ast.Tuple, ast.List))]
    if not parts:
        return value
    if not any(map(is_nested, targets)):
        return used(r, value, original, "unpack", "us")
    given = value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value]
    if isinstance(value, ast.Tuple) and not any(
        isinstance(each, ast.Starred) or len(part) != len(given) for part in [given, *parts] for each in part
    ):
        value.elts = [unpacked(r, each, each, [part[i] for part in parts]) for i, each in enumerate(given)]
        return value
    return used(r, used(r, value, original, "unpack", "us"), original, "unpack all")


def is_nested(target: ast.expr) -> bool:
    """Whether a target unpacks elements of its elements."""
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
    return any(isinstance(each, (ast.Tuple, ast.List)) for each in parts)


def ann_assign(r: Rewriter, node: ast.AnnAssign) -> ast.stmt:
    """As :func:`assign`; without a value there is nothing to announce."""
    if node.value is not None:
        node.value = r.visit(node.value)
        if isinstance(node.target, ast.Name):
            node.value = stored(r, node.target.id, node.value, node.value)
    if not isinstance(node.target, ast.Name) and node.value is not None:
        node.target = assigned(r, node.target)  # type: ignore[assignment]  # stays an attribute or a subscript
    return node


def aug_assign(r: Rewriter, node: ast.AugAssign) -> ast.stmt:
    """A load, the operation and a store, each with its hook; and the original statement, for times at which hooks are
    inactive."""
    target = node.target
    if r.doubling or not (calls_nothing(target) and calls_nothing(node.value)):
        return augmented(r, node, target)
    hooks, original = r.hooks, at(ast.AugAssign(duplicate(target), node.op, duplicate(node.value)), node)
    r.doubling = True
    statement = augmented(r, node, target)
    r.doubling = False
    return statement if hooks == r.hooks else at(ast.If(r.awake(node), [statement], [original]), node)


def augmented(r: Rewriter, node: ast.AugAssign, target: ast.Name | ast.Attribute | ast.Subscript) -> ast.stmt:
    """The rewritten statement by the kind of target: a name, an attribute or an item."""
    operation = type(node.op).__name__
    if isinstance(target, ast.Name):
        return augment_name(r, node, target, operation)
    if isinstance(target, ast.Attribute):
        load, store = augment_attribute(r, target, node.value)
    else:
        load, store = augment_item(r, target, node.value)
    return at(ast.Assign([store], in_place(r, node, load, operation)), node)


def augment_name(r: Rewriter, node: ast.AugAssign, target: ast.Name, operation: str) -> ast.stmt:
    """``name op= value``; only a global variable, a captured one or that of a class may be shared."""
    variable, _ = r.resolve(target.id)
    if variable in (VariableKind.GLOBAL, VariableKind.CELL, VariableKind.CLASS) or binds(node.value):
        load = r.visit(reading(target.id, target))
        value = stored(r, target.id, in_place(r, node, load, operation), target)
        return at(ast.Assign([target], value), node)
    right = r.visit(node.value)
    if variable in (VariableKind.LOCAL, VariableKind.CONSTANT) and not r.plain(target):
        args = [right, reading(target.id, target), *named(_IN_PLACE[operation], node), r.site(node, "change")]
        right = r.hook("a", args, node.value)
    node.value = right
    return node


def in_place(r: Rewriter, node: ast.AugAssign, load: ast.expr, operation: str) -> ast.expr:
    """The operation between load and store, of the operator that ``operation`` names (``Add``)."""
    right = r.visit(node.value)
    args = [load, right, *named(_IN_PLACE[operation], node), r.site(node, "change")]
    return r.through(f"i{operation}", r.hook("ap", args, node), node)


def augment_attribute(r: Rewriter, target: ast.Attribute, right: ast.expr) -> tuple[ast.expr, ast.expr]:
    """Load and target of ``object.name op= value``; the object is evaluated once."""
    name = r.mangled(target.attr)
    r.stores(target)
    if isinstance(target.value, ast.Name) and r.steady(target.value) and not binds(right):
        load = at(ast.Attribute(copied(target.value), target.attr, ast.Load()), target)
        return r.visit(load), assigned(r, target)
    site = r.site(target, "store", name)
    first = r.hook("ga", [r.visit(target.value), constant(name, target), site], target.value)
    load = at(ast.Attribute(first, target.attr, ast.Load()), target)
    again = r.hook("gw", [constant(name, target), copied(site)], target.value)
    return load, at(ast.Attribute(again, target.attr, ast.Store()), target)


def augment_item(r: Rewriter, target: ast.Subscript, right: ast.expr) -> tuple[ast.expr, ast.expr]:
    """Load and target of ``container[key] op= value``; container and key are evaluated once."""
    steady = isinstance(target.value, ast.Name) and r.steady(target.value) and r.steady(target.slice)
    if steady and not binds(right):
        load = at(ast.Subscript(copied(target.value), copied(target.slice), ast.Load()), target)
        return r.visit(load), assigned(r, target)
    site = r.site(target, "change item", text_of(target.slice))
    first = r.hook("gi", [r.visit(target.value), key_of(r, target.slice), site], target)
    value = r.through("getitem", first, target)
    again = r.hook("gj", [copied(site)], target)
    return value, at(ast.Subscript(again, r.hook("pop", [], target), ast.Store()), target)


RULES: Final[dict[type[ast.AST], Rule]] = {
    ast.Assign: assign,
    ast.AnnAssign: ann_assign,
    ast.AugAssign: aug_assign,
}
