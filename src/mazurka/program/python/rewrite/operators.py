"""Operators, tests and displays: what looks at its operands, which may be containers."""

from __future__ import annotations

import ast
from typing import Final

from mazurka.program.python.rewrite.nodes import MAYBE_CONTAINER, at, copied, is_ours, text_of
from mazurka.program.python.rewrite.rewriter import Rewriter, Rule

_COMPARING: Final = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def used(r: Rewriter, value: ast.expr, original: ast.expr, kind: str, hook: str = "u") -> ast.expr:
    """``value``, announced as looked at as a whole (``us``: gone through) if it may be a container."""
    if isinstance(original, ast.Name) and (original.id.startswith("@") or original.id in r.scope.parameters):
        return value
    if isinstance(original, (*MAYBE_CONTAINER, ast.BoolOp)):
        return r.hook(hook, [value, r.site(original, kind)], original)
    return value


def starred(r: Rewriter, node: ast.Starred) -> ast.expr:
    node.value = used(r, r.visit(node.value), node.value, "unpack", "us")
    return node


def dict_(r: Rewriter, node: ast.Dict) -> ast.expr:
    node.keys = [key and r.visit(key) for key in node.keys]
    node.values = [
        used(r, r.visit(value), value, "unpack") if key is None else r.visit(value)
        for key, value in zip(node.keys, node.values, strict=True)
    ]
    return node


def formatted_value(r: Rewriter, node: ast.FormattedValue) -> ast.expr:
    node.value = used(r, r.visit(node.value), node.value, "format")
    if node.format_spec is not None:
        node.format_spec = r.visit(node.format_spec)
    return node


def compare(r: Rewriter, node: ast.Compare) -> ast.expr:
    originals = [node.left, *node.comparators]
    operator = node.ops[0]
    if any(isinstance(each, (ast.Is, ast.IsNot)) for each in node.ops) and not any(map(is_one_of_a_kind, originals)):
        r.said.add("identity")
    if len(node.ops) > 1:
        return chain(r, node)
    left, right = originals
    if isinstance(operator, (ast.In, ast.NotIn)):
        return membership(r, node, left, right, isinstance(operator, ast.NotIn))
    compares = isinstance(operator, _COMPARING) and compared(r, left, right)
    steady = r.steady(left)
    node.left = r.visit(left)
    node.comparators = [r.visit(right)]
    if not compares:
        return node
    site = r.site(node, "compare")
    if steady:
        node.comparators = [r.hook("o", [node.comparators[0], copied(left), site], right)]
        return node
    function = type(operator).__name__.lower().replace("noteq", "ne").replace("lte", "le").replace("gte", "ge")
    return r.through(function, r.hook("op", [node.left, node.comparators[0], site], node), node)


def chain(r: Rewriter, node: ast.Compare) -> ast.expr:
    left = node.left
    node.left = r.visit(left)
    for index, right in enumerate(node.comparators):
        again = copied(left) if r.steady(left) else None
        value = r.visit(right)
        if isinstance(node.ops[index], (ast.In, ast.NotIn)):
            value = used(r, value, right, "search", "us")
        elif isinstance(node.ops[index], _COMPARING) and compared(r, left, right):
            site = r.site(right, "compare")
            value = r.hook("o", [value, again, site], right) if again else r.hook("u", [value, site], right)
        node.comparators[index] = value
        left = right
    return node


def compared(r: Rewriter, left: ast.expr, right: ast.expr) -> bool:
    """Whether what is compared may be more than values."""
    if is_ours(left) or is_ours(right):
        return False
    return not (r.plain(left) and r.plain(right)) and not (is_nothing(left) or is_nothing(right))


def is_one_of_a_kind(node: ast.expr) -> bool:
    """Whether it is something that nothing else equals: None, a class, a constant by its name."""
    if isinstance(node, ast.Constant):
        return not isinstance(node.value, (str, bytes, float, complex))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id == "type"
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return name.lstrip("_")[:1].isupper() or name in ("self", "cls", "__class__")


def is_nothing(node: ast.expr) -> bool:
    """Whether it is None, True or False."""
    return isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool))


def membership(r: Rewriter, node: ast.Compare, left: ast.expr, right: ast.expr, negated: bool) -> ast.expr:
    steady = r.steady(left)
    node.left, container = r.visit(left), r.visit(right)
    node.comparators = [container]
    if not isinstance(right, (*MAYBE_CONTAINER, ast.BoolOp)):
        return node
    site = r.site(node, "search", text_of(left))
    if steady:
        node.comparators = [r.hook("in", [container, copied(left), site], right)]
        return node
    found = r.through("contains", r.hook("inp", [node.left, container, site], node), node)
    return at(ast.UnaryOp(ast.Not(), found), node) if negated else found


def is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)))


def bin_op(r: Rewriter, node: ast.BinOp) -> ast.expr:
    left, right = node.left, node.right
    if isinstance(node.op, ast.Mod) and is_text(left):
        node.left, node.right = r.visit(left), r.visit(right)
        if isinstance(right, (*MAYBE_CONTAINER, ast.Tuple, ast.Dict)):
            node.right = r.hook("u", [node.right, r.site(node, "format")], right)
        return node
    combines = not (r.plain(left) and r.plain(right)) and not (is_ours(left) or is_ours(right))
    steady, plain = r.steady(left), r.plain(left)
    unnamed = r.plain(right) and not steady
    node.left, node.right = r.visit(left), r.visit(right)
    if not combines:
        return node
    site = r.site(node, "combine")
    if unnamed and not plain:
        node.left = r.hook("u1", [node.left, site], left)
    elif steady:
        node.right = r.hook("o", [node.right, copied(left), site], right)
    else:
        return r.through(f"bin{type(node.op).__name__}", r.hook("op", [node.left, node.right, site], node), node)
    return node


def tested(r: Rewriter, node: ast.expr, branches: bool) -> ast.expr:
    """An expression whose truth is asked for."""
    value: ast.expr = r.visit(node)
    if branches and r.options.branches and not isinstance(node, ast.Constant):
        return r.hook("br", [value, r.site(node, "branch")], node)
    if isinstance(node, ast.Name) and (node.id.startswith("@") or node.id in ("__debug__", "TYPE_CHECKING")):
        return value
    if isinstance(node, MAYBE_CONTAINER):
        return r.hook("b", [value, r.site(node, "test")], node)
    return value


def bool_op(r: Rewriter, node: ast.BoolOp) -> ast.expr:
    node.values = [*(tested(r, each, False) for each in node.values[:-1]), r.visit(node.values[-1])]
    return node


def unary_op(r: Rewriter, node: ast.UnaryOp) -> ast.expr:
    if isinstance(node.op, ast.Not):
        node.operand = tested(r, node.operand, False)
        return node
    operand = node.operand
    node.operand = r.visit(operand)
    if not r.plain(operand) and not is_ours(operand):
        node.operand = r.hook("u1", [node.operand, r.site(node, "combine")], operand)
    return node


def if_exp(r: Rewriter, node: ast.IfExp) -> ast.expr:
    node.test = tested(r, node.test, True)
    node.body, node.orelse = r.visit(node.body), r.visit(node.orelse)
    return node


def if_(r: Rewriter, node: ast.If) -> ast.stmt:
    node.test = tested(r, node.test, True)
    node.body, node.orelse = r.statements(node.body), r.statements(node.orelse)
    return node


def asserted(r: Rewriter, node: ast.Assert) -> ast.stmt:
    node.test = tested(r, node.test, True)
    node.msg = node.msg and r.visit(node.msg)
    return node


RULES: Final[dict[type[ast.AST], Rule]] = {
    ast.Starred: starred,
    ast.Dict: dict_,
    ast.FormattedValue: formatted_value,
    ast.Compare: compare,
    ast.BinOp: bin_op,
    ast.BoolOp: bool_op,
    ast.UnaryOp: unary_op,
    ast.IfExp: if_exp,
    ast.If: if_,
    ast.Assert: asserted,
}
