"""Looks at `sys.modules` for one module by its name: their results do not depend on the imports of other modules."""

from __future__ import annotations

import ast

from mazurka.program.python.instrument.rewrite.nodes import walk

#: The attribute of `sys`, and the method of its value that looks for one key.
ATTRIBUTE = "modules"


def asked_for(tree: ast.Module) -> dict[int, str]:
    """The only key that is looked for at each node that reads ``....modules``, by the ids of the nodes."""
    found: dict[int, str] = {}
    for node in walk(tree):
        match node:
            case ast.Call(ast.Attribute(ast.Attribute(attr=name) as asked, "get"), [ast.Constant(str(key)), *_]):
                pass
            case ast.Subscript(ast.Attribute(attr=name) as asked, ast.Constant(str(key)), ast.Load()):
                pass
            case ast.Compare(ast.Constant(str(key)), [ast.In() | ast.NotIn()], [ast.Attribute(attr=name) as asked]):
                pass
            case _:
                continue
        if name == ATTRIBUTE:
            found[id(asked)] = key
    return found
