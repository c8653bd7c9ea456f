"""Methods that descriptors return: the result of ``__get__`` passes through a hook, with a function that calls it.

The interpreter calls the result of a descriptor for a special method (``__add__ = Lookup(operator.add)``) by itself. If
it is a function in C, no step reports the call. So a ``return`` in a method ``__get__`` becomes
``return hook(value, self, instance, lambda f: lambda *args, **named: f(*args, **named))``, before anything else is
rewritten: the call in the inner lambda is instrumented like any other one of the program, and the hook
(:mod:`mazurka.program.python.semantics.given_methods`) returns that lambda where it is needed.

Not rewritten are generators, and methods that have fewer than two parameters, or assign to one of them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from mazurka.program.python.instrument.rewrite.nodes import at

#: The name of the hook.
GIVEN: Final = "__mz_given__"

#: Its name until all is rewritten: the rewriter does not change calls of names that begin with ``@``.
_MARK: Final = "@mz_given"

_CALLING: Final = ast.parse("lambda f: lambda *args, **named: f(*args, **named)", mode="eval").body
_INNER: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def prepare(tree: ast.Module) -> bool:
    """Rewrite the methods ``__get__`` of a module, in place, before all else; whether there are any."""
    found = False
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for each in node.body:
                if isinstance(each, ast.FunctionDef) and each.name == "__get__":
                    found = _pass_through(each) or found
    return found


def finish(tree: ast.Module) -> None:
    """Give the hook its name, when all is rewritten."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == _MARK:
            node.id = GIVEN


def _pass_through(function: ast.FunctionDef) -> bool:
    names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)][:2]
    own = [*_own(function)]
    assigned = {each.id for each in own if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)}
    assigned |= {name for each in ast.walk(function) if isinstance(each, ast.Nonlocal) for name in each.names}
    assigned |= {each.name for each in own if isinstance(each, ast.ExceptHandler) and each.name}
    if len(names) < 2 or assigned & {*names} or any(isinstance(each, (ast.Yield, ast.YieldFrom)) for each in own):
        return False
    found = False
    for each in own:
        if isinstance(each, ast.Return) and each.value is not None:
            given = [ast.Name(name, ast.Load()) for name in names]
            hook = ast.Call(ast.Name(_MARK, ast.Load()), [each.value, *given, _copied(_CALLING)], [])
            for part in ast.walk(hook):
                if part is each.value:
                    continue
                if isinstance(part, (ast.expr, ast.arg)) and not hasattr(part, "lineno"):
                    at(part, each.value)
            each.value, found = hook, True
    return found


def _own(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """The nodes of a function, without those of functions and classes in it."""
    waiting: list[ast.AST] = [*function.body]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _INNER):
            waiting += ast.iter_child_nodes(node)


def _copied(node: ast.expr) -> ast.expr:
    """A copy of an expression without positions."""
    text = ast.unparse(node)
    copied = ast.parse(text, mode="eval").body
    for each in ast.walk(copied):
        for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
            each.__dict__.pop(name, None)
    return copied
