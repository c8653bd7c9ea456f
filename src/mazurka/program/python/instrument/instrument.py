"""Rewrites a module's syntax tree so that shared accesses announce themselves.

The principle: the native operation stays where it is, and a hook is called just before it, through which its
operand passes (``x.a`` becomes ``__mz_ra__(x, 'a', site).a``). So evaluation order, exceptions, tracebacks and
frames stay exactly Python's. New nodes take the position of the nodes that they replace, so that tracebacks point to
the same places as before.

An operand may be written twice (once for the hook, once for the operation) only if it is *steady*: a constant, or a
name that no other code can rebind. For any other operand, one of the ways described in :mod:`hooks` is used.
The rules are in :mod:`mazurka.program.python.instrument.rewrite`, a module for each family of nodes.

Not rewritten are annotations, patterns, names starting with ``@`` (pytest's), and calls of modules known to be
harmless.

Cost: about as much again as compiling the module; the result can be kept (see :mod:`loader`).
"""

from __future__ import annotations
import __future__

import ast
import functools
import operator
from dataclasses import replace
from types import CodeType
from typing import Final

from mazurka.program.python.instrument import sites, woven_names
from mazurka.program.python.instrument.rewrite import (
    assignments,
    calls,
    definitions,
    descriptors,
    items,
    loops,
    names,
    operators,
    weaving,
)
from mazurka.program.python.instrument.rewrite.rewriter import EventOptions, Rewriter, Rules

_EXPLORING: Final = EventOptions()

#: Flags of code that has asked for a feature of a future version. That of nested scopes also marks nested functions.
FUTURE_FEATURES: Final[int] = functools.reduce(
    operator.or_,
    [getattr(__future__, name).compiler_flag for name in __future__.all_feature_names if name != "nested_scopes"],
)

RULES: Final[Rules] = {
    **names.RULES,
    **items.RULES,
    **operators.RULES,
    **assignments.RULES,
    **calls.RULES,
    **loops.RULES,
    **definitions.RULES,
}


#: ... with hooks at operations that may be events of properties.
_WEAVING_RULES: Final[Rules] = weaving.woven(RULES)


def _present(options: EventOptions) -> EventOptions:
    """The options with the names that are woven now."""
    return options if not any(woven_names.active) else replace(options, woven=woven_names.active)


def instrument_source(source: str | bytes, filename: str, options: EventOptions = _EXPLORING) -> CodeType:
    """Compile a module's text, instrumented."""
    code, entries = compile_instrumented(source, filename, options)
    sites.register(filename, entries)
    return code


def instrument_expression(source: str, filename: str) -> CodeType:
    """Compile the text of an expression, instrumented."""
    tree = ast.parse(source.strip(" \t"), filename, "eval")
    module = instrument_tree(ast.Module([ast.Expr(tree.body, lineno=1, col_offset=0)], []), filename)
    (statement,) = module.body
    assert isinstance(statement, ast.Expr)
    code: CodeType = compile(ast.Expression(statement.value), filename, "eval", dont_inherit=True)
    return code


def compile_instrumented(
    source: str | bytes,
    filename: str,
    options: EventOptions = _EXPLORING,
) -> tuple[CodeType, list[sites.Entry]]:
    """Compile a module's text, instrumented, without making its sites known: for code to be kept."""
    return _compile(source, filename, _present(options))


# Programs explored in one process share the library's modules, and those of their project. All are compiled each time:
# if they were one more than the cache holds, each would be compiled again.
@functools.lru_cache(maxsize=2048)
def _compile(source: str | bytes, filename: str, options: EventOptions) -> tuple[CodeType, list[sites.Entry]]:
    tree = compile(source, filename, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    assert isinstance(tree, ast.Module)
    result, rewriter = _rewritten(tree, filename, options)
    code: CodeType = compile(result, filename, "exec", dont_inherit=True)
    return code, rewriter.numbering.entries


def _rewritten(tree: ast.Module, filename: str, options: EventOptions) -> tuple[ast.Module, Rewriter]:
    has_descriptors = descriptors.prepare(tree)
    rewriter = Rewriter(tree, filename, options, _WEAVING_RULES if any(options.woven) else RULES)
    if any(options.woven):
        rewriter.weaver = weaving.Weaver(rewriter, options.woven, tree, RULES)
    result = rewriter.rewrite(tree)
    if has_descriptors:
        descriptors.finish(result)
    return result, rewriter


def instrument_tree(tree: ast.Module, filename: str, options: EventOptions = _EXPLORING) -> ast.Module:
    """Instrument a tree, in place, and make its sites known; the caller compiles it."""
    result, rewriter = _rewritten(tree, filename, _present(options))
    sites.register(filename, rewriter.numbering.entries)
    return result


__all__ = [
    "FUTURE_FEATURES",
    "EventOptions",
    "compile_instrumented",
    "instrument_expression",
    "instrument_source",
    "instrument_tree",
]
