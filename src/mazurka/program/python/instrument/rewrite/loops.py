"""Loops and comprehensions: iterables enter the runtime before each native step; iterations of ``while`` are
counted."""

from __future__ import annotations

import ast
from typing import Final

from mazurka.program.python.analysis.scopes import VariableKind
from mazurka.program.python.instrument.rewrite import wait_loops
from mazurka.program.python.instrument.rewrite.assignments import is_nested
from mazurka.program.python.instrument.rewrite.items import assigned, bound
from mazurka.program.python.instrument.rewrite.names import stored
from mazurka.program.python.instrument.rewrite.nodes import at, constant, reading
from mazurka.program.python.instrument.rewrite.operators import tested, used
from mazurka.program.python.instrument.rewrite.rewriter import Rewriter, Rule

_LOOP_VARIABLES = ast.For | ast.AsyncFor


def while_(r: Rewriter, node: ast.While) -> list[ast.stmt]:
    """A loop that reports each iteration, so that livelocks are found; leaving it is reported, too."""
    site = r.number(node, "loop")
    wait_loops.note_while(r, node)
    node.test = tested(r, node.test, True)
    r.loops.append(site)
    body = r.statements(node.body)
    r.loops.pop()
    node.body = [at(ast.Expr(r.hook("l", [constant(site, node)], node.test)), node.test), *body]
    node.orelse = r.statements(node.orelse)
    return [node, leave(r, site, node.test)]


def leave(r: Rewriter, site: int, like: ast.AST) -> ast.stmt:
    """The statement that reports that a loop is left."""
    return at(ast.Expr(r.hook("x", [constant(site, like)], like)), like)


def for_(r: Rewriter, node: _LOOP_VARIABLES) -> ast.stmt:
    """A loop over an iterable whose reads are announced."""
    iterable = r.visit(node.iter)
    if isinstance(node, ast.For):
        iterable = iterated(r, iterable, node.iter, node.target)
    else:
        iterable = awaited(r, iterable, node.iter)
    kept = bound(r, node.target)
    node.iter, node.target = iterable, assigned(r, node.target)
    node.body = [*r.statements(node.body), *kept]
    node.orelse = r.statements(node.orelse)
    return node


def iterated(r: Rewriter, value: ast.expr, original: ast.expr, target: ast.expr) -> ast.expr:
    """An iterable, with its elements announced as unpacked if the target unpacks them."""
    if r.weaver is not None and (made := r.weaver.iterated(value, original)) is not None:
        value = made
    elif r.is_shared(original):
        value = r.hook("it", [value, r.site(original, "iterate")], original)
    nested = is_nested(target)
    tuples = isinstance(original, ast.Call) and r.is_builtin(original.func, ("enumerate", "zip"))
    if not isinstance(target, (ast.Tuple, ast.List)) or (tuples and not nested) or r.plain(original):
        return value
    if is_items(original) and not nested:
        return value
    return r.hook("iu", [value, constant(nested, original), r.site(original, "unpack")], original)


def is_items(node: ast.expr) -> bool:
    """Whether an iterable is most likely the items of a dictionary; other calls are classified at run time."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "items"


def comprehension(r: Rewriter, node: ast.expr) -> ast.expr:
    """A comprehension; the outermost iterable belongs to the scope around it."""
    generators: list[ast.comprehension] = node.generators  # type: ignore[attr-defined]  # only comprehensions get here
    first = generators[0]
    outermost = iterator(r, first)
    outer, r.scope = r.scope, r.scopes.of[node]
    node.generators = []  # type: ignore[attr-defined]  # see above
    for generator in generators:
        generator.iter = outermost if generator is first else iterator(r, generator)
        node.generators += bound_by(r, generator)  # type: ignore[attr-defined]  # see above
        generator.ifs = [tested(r, each, False) for each in generator.ifs]
    if (
        isinstance(node, ast.DictComp) and getattr(node, "value", None) is None
    ):  # {**each for each in ...}, from Python 3.15 on
        node.key = used(r, r.visit(node.key), node.key, "unpack")
    elif isinstance(node, ast.GeneratorExp) and isinstance(node.elt, ast.Starred):
        hand_out_each(r, node, node.elt)
    else:
        for field in ("key", "value", "elt"):
            if hasattr(node, field):
                setattr(node, field, r.visit(getattr(node, field)))
    if isinstance(node, ast.GeneratorExp):
        node.elt = r.hook("y", [node.elt, r.site(node, "yield")], node.elt)
    r.scope = outer
    first = node.generators[0]  # type: ignore[attr-defined]  # see above
    if isinstance(node, ast.GeneratorExp) and not first.is_async:
        first.iter = r.hook("yi", [first.iter, r.site(node, "yield")], first.iter)
    return node


def hand_out_each(r: Rewriter, node: ast.GeneratorExp, elements: ast.Starred) -> None:
    """``(*elements for ...)``, from Python 3.15 on: one more ``for`` over the elements."""
    each = at(ast.Name("__mz_each__", ast.Store()), elements)
    iterable = iterated(r, r.visit(elements.value), elements.value, each)
    node.generators.append(ast.comprehension(each, iterable, [], 0))
    node.elt = reading("__mz_each__", elements)


def bound_by(r: Rewriter, generator: ast.comprehension) -> list[ast.comprehension]:
    """A ``for`` of a comprehension, and one more over each single value if its target needs a hook."""
    target = generator.target
    names = [each.id for each in ast.walk(target) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]
    shared = [name for name in names if r.resolve(name)[0] is VariableKind.CELL and not name.startswith("@")]
    generator.target = assigned(r, target)
    if not shared:
        return [generator]
    whole = f"__mz_{shared[0]}__"
    value = reading(whole, target)
    for name in shared:
        value = stored(r, name, value, target)
    one = at(ast.Tuple([value], ast.Load()), target)
    outer = ast.comprehension(at(ast.Name(whole, ast.Store()), target), generator.iter, [], generator.is_async)
    generator.iter, generator.is_async = one, 0
    return [outer, generator]


def yield_(r: Rewriter, node: ast.Yield) -> ast.expr:
    """A generator yields a value: until it has, no other thread can run it."""
    value = r.visit(node.value) if node.value is not None else constant(None, node)
    node.value = r.hook("y", [value, r.site(node, "yield")], node)
    return node


def yield_from(r: Rewriter, node: ast.YieldFrom) -> ast.expr:
    """``yield from`` reads its iterable."""
    original = node.value
    node.value = r.hook("yf", [r.visit(original), r.site(original, "iterate")], original)
    if r.weaver is not None:
        node.value = r.weaver.delegated(node.value, original)
    return node


def await_(r: Rewriter, node: ast.Await) -> ast.expr:
    """``await`` reads its operand."""
    node.value = awaited(r, r.visit(node.value), node.value)
    return node


def awaited(r: Rewriter, value: ast.expr, original: ast.expr) -> ast.expr:
    """The operand of ``await``, or of ``async for``."""
    return r.hook("aw", [value, r.site(original, "iterate")], original)


def iterator(r: Rewriter, generator: ast.comprehension) -> ast.expr:
    """The iterable of one ``for`` of a comprehension."""
    value = r.visit(generator.iter)
    if generator.is_async:
        return awaited(r, value, generator.iter)
    return iterated(r, value, generator.iter, generator.target)


RULES: Final[dict[type[ast.AST], Rule]] = {
    ast.While: while_,
    **dict.fromkeys((ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp), comprehension),
    ast.For: for_,
    ast.AsyncFor: for_,
    ast.Yield: yield_,
    ast.YieldFrom: yield_from,
    ast.Await: await_,
}
