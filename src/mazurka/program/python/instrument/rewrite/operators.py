"""Operators, tests and displays, which look at their operands; these may be containers."""

from __future__ import annotations

import ast
from typing import Final

from mazurka.program.python.analysis.scopes import VariableKind
from mazurka.program.python.instrument.rewrite.nodes import at, binds, copied, is_ours, text_of
from mazurka.program.python.instrument.rewrite.rewriter import Rewriter, Rule
from mazurka.program.python.instrument.sites import COMPARED, TRUTH_TEST

#: Kinds of use that read a container's elements, too.
_INSIDE: Final = ("format", "match", "unpack all")
_COMPARING: Final = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def used(r: Rewriter, value: ast.expr, original: ast.expr, kind: str, hook: str = "u") -> ast.expr:
    """``value``, announced as read as a whole (``us``: iterated over) if it may be a container."""
    if kind == "unpack" and r.weaver is not None and (made := r.weaver.gone_through(value, original)) is not None:
        return made
    if isinstance(original, ast.Name) and kind == "unpack" and original.id in r.scope.parameters:
        return value
    if not r.is_shared(original, inside=kind in _INSIDE):
        return value
    return r.hook(hook, [value, r.site(original, kind)], original)


def starred(r: Rewriter, node: ast.Starred) -> ast.expr:
    """``*value`` reads the value's elements."""
    node.value = used(r, r.visit(node.value), node.value, "unpack", "us")
    return node


def dict_(r: Rewriter, node: ast.Dict) -> ast.expr:
    """A display; ``**mapping`` in it reads the mapping."""
    node.keys = [key and r.visit(key) for key in node.keys]
    node.values = [
        used(r, r.visit(value), value, "unpack") if key is None else r.visit(value)
        for key, value in zip(node.keys, node.values, strict=True)
    ]
    return node


def formatted_value(r: Rewriter, node: ast.FormattedValue) -> ast.expr:
    """A replacement field: formatting may look into the value."""
    value = node.value
    if r.is_shared(value, inside=True):
        node.value = r.doubled(value, lambda: r.hook("u", [r.visit(value), r.site(value, "format")], value))
    else:
        node.value = r.visit(value)
    if node.format_spec is not None:
        node.format_spec = r.visit(node.format_spec)
    return node


def compare(r: Rewriter, node: ast.Compare) -> ast.expr:
    """A comparison with a hook for its operands; ``is`` of objects that are not unique is noted."""
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
    if isinstance(operator, _COMPARING):
        for each in originals:
            note_copy(r, each)
    steady = r.steady(left) and not binds(right)
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


def note_copy(r: Rewriter, node: ast.expr) -> None:
    """Note a call that copies a container, if it is one: the copy is compared, or counted, and gone then."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("dict", "set", "frozenset"):
        r.site(node, COMPARED)


def chain(r: Rewriter, node: ast.Compare) -> ast.expr:
    """``a < b < c``: each operand is evaluated once, and a hook stands before each comparison."""
    left = node.left
    node.left = kept(r, r.visit(left), left, node.ops[0])
    for index, right in enumerate(node.comparators):
        again = copied(left) if r.steady(left) and not binds(right) else None
        value = r.visit(right)
        if isinstance(node.ops[index], (ast.In, ast.NotIn)):
            value = used(r, value, right, "search", "us")
        elif isinstance(node.ops[index], _COMPARING) and compared(r, left, right):
            site = r.site(right, "compare")
            value = r.hook("o", [value, again, site], right) if again else r.hook("u", [value, site], right)
        if index + 1 < len(node.ops):
            value = kept(r, value, right, node.ops[index + 1])
        node.comparators[index] = value
        left = right
    return node


def kept(r: Rewriter, value: ast.expr, original: ast.expr, operator: ast.cmpop) -> ast.expr:
    """An operand of a chain: it is read once more when the next operand is known, without a report."""
    if not isinstance(operator, _COMPARING) or r.steady(original) or r.plain(original) or is_ours(original):
        return value
    return r.hook("uk", [value, r.site(original, "compare")], original)


def compared(r: Rewriter, left: ast.expr, right: ast.expr) -> bool:
    """Whether an operand may be more than a plain value."""
    if is_ours(left) or is_ours(right):
        return False
    return not (r.plain(left) and r.plain(right)) and not (is_nothing(left) or is_nothing(right))


def is_one_of_a_kind(node: ast.expr) -> bool:
    """Whether an expression is an object that equals no other: None, a class, a constant by its name."""
    if isinstance(node, ast.Constant):
        return not isinstance(node.value, (str, bytes, float, complex))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id == "type"
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return name.lstrip("_")[:1].isupper() or name in ("self", "cls", "__class__")


def is_nothing(node: ast.expr) -> bool:
    """Whether an expression is None, True or False."""
    return isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool))


def membership(r: Rewriter, node: ast.Compare, left: ast.expr, right: ast.expr, negated: bool) -> ast.expr:
    """``in``, which reads the container on the right."""
    steady = r.steady(left) and not binds(right)
    quiet = is_string(right) or (r.plain(left) and not r.is_shared(right, inside=True))
    node.left, container = r.visit(left), r.visit(right)
    node.comparators = [container]
    if quiet or is_ours(right):
        return node
    site = r.site(node, "search", text_of(left))
    if steady:
        node.comparators = [r.hook("ino" if r.is_own(right) else "in", [container, copied(left), site], right)]
        return node
    found = r.through("contains", r.hook("inp", [node.left, container, site], node), node)
    return at(ast.UnaryOp(ast.Not(), found), node) if negated else found


def is_string(node: ast.expr) -> bool:
    """Whether an expression is a string by its form: then a value that ``in`` looks for in it is a string, too."""
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def is_text(node: ast.expr) -> bool:
    """Whether the expression is a string or bytes by its form."""
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)))


def bin_op(r: Rewriter, node: ast.BinOp) -> ast.expr:
    """An operator; ``text % value`` looks into the value."""
    left, right = node.left, node.right
    if isinstance(node.op, ast.Mod) and is_text(left):
        looked_into = r.is_shared(right, inside=True)
        node.left, node.right = r.visit(left), r.visit(right)
        if looked_into:
            node.right = r.hook("u", [node.right, r.site(node, "format")], right)
        return node
    combines = not (r.plain(left) and r.plain(right)) and not (is_ours(left) or is_ours(right))
    if isinstance(node.op, ast.Mult) and isinstance(left, ast.List) and r.plain(right):
        combines = False  # nobody else has the list, and its elements are not looked at
    steady, plain = r.steady(left) and not binds(right), r.plain(left)
    unnamed = r.plain(right) and not steady
    node.left, node.right = r.visit(left), r.visit(right)
    if not combines:
        return node
    site = r.site(node, "matmul" if isinstance(node.op, ast.MatMult) else "combine")
    if unnamed and not plain:
        node.left = r.hook("u1", [node.left, site], left)
    elif steady:
        node.right = r.hook("o", [node.right, copied(left), site], right)
    else:
        return r.through(f"bin{type(node.op).__name__}", r.hook("op", [node.left, node.right, site], node), node)
    return node


def tested(r: Rewriter, node: ast.expr, branches: bool) -> ast.expr:
    """An expression that is tested for truth."""
    return r.doubled(node, lambda: _tested(r, node, branches))


def _tested(r: Rewriter, node: ast.expr, branches: bool) -> ast.expr:
    if r.weaver is not None and (made := r.weaver.tested(node)) is not None:
        return made
    if branches and r.options.branches and not isinstance(node, ast.Constant):
        return r.hook("br", [r.visit(node), r.site(node, "branch")], node)
    if isinstance(node, ast.BoolOp):
        node.values = [tested(r, each, False) for each in node.values]
        return node
    asked = is_asked(r, node)
    value: ast.expr = r.visit(node)
    return r.hook("b", [value, r.site(node, TRUTH_TEST)], node) if asked else value


def is_asked(r: Rewriter, node: ast.expr) -> bool:
    """Whether the tested value may be a container: comparisons report their results (`definitions.return_`)."""
    if isinstance(node, ast.Name) and (node.id == "TYPE_CHECKING" or r.resolve(node.id)[0] is VariableKind.BUILTIN):
        return False
    return not isinstance(node, ast.Compare) and r.is_shared(node)


def bool_op(r: Rewriter, node: ast.BoolOp) -> ast.expr:
    """``and``, ``or``: all values but the last are tested for truth."""
    node.values = [*(tested(r, each, False) for each in node.values[:-1]), r.visit(node.values[-1])]
    return node


def unary_op(r: Rewriter, node: ast.UnaryOp) -> ast.expr:
    """``not`` tests truth; the others are operators."""
    if isinstance(node.op, ast.Not):
        node.operand = tested(r, node.operand, False)
        return node
    operand = node.operand
    node.operand = r.visit(operand)
    if not r.plain(operand) and not is_ours(operand):
        node.operand = r.hook("u1", [node.operand, r.site(node, "combine")], operand)
    return node


def if_exp(r: Rewriter, node: ast.IfExp) -> ast.expr:
    """A conditional expression tests its condition."""
    node.test = tested(r, node.test, True)
    node.body, node.orelse = r.visit(node.body), r.visit(node.orelse)
    return node


def if_(r: Rewriter, node: ast.If) -> ast.stmt:
    """A branch tests its condition."""
    node.test = tested(r, node.test, True)
    node.body, node.orelse = r.statements(node.body), r.statements(node.orelse)
    return node


def asserted(r: Rewriter, node: ast.Assert) -> ast.stmt:
    """An assertion tests its condition."""
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
