"""Which expressions may use the status of a file as a tuple: then its times and number are among the elements.

By the source alone, so for names rather than objects; an expression that is in doubt counts as such a use.

Cost: a pass over the nodes of a module that mentions a status.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final


def may_unpack_status(targets: list[ast.expr]) -> bool:
    """Whether the status of a file, which has ten elements, can be unpacked into these targets."""
    return len(targets) == len(_STATUS) or any(isinstance(each, ast.Starred) for each in targets)


#: The elements of the status of a file, as a tuple.
_STATUS: Final = ("mode", "ino", "dev", "nlink", "uid", "gid", "size", "atime", "mtime", "ctime")


def made_by_displays(tree: ast.Module) -> set[str]:
    """The variables of functions that are bound to displays of lists and dictionaries alone, wherever in a module."""
    bound: set[str] = set()
    at_display: set[int] = set()
    names: list[ast.Name] = []
    for node in ast.walk(tree):
        match node:
            case ast.Assign([ast.Name() as name], value) | ast.AnnAssign(ast.Name() as name, _, value):
                if isinstance(value, _DISPLAYS):
                    at_display.add(id(name))
            case ast.Name(ctx=ast.Store() | ast.Del()):
                names.append(node)
            case ast.arg(name) | ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                bound.add(name)
            case ast.alias(name, other):
                bound.add(other or name.partition(".")[0])
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(str(name)):
                bound.add(name)
            case ast.MatchMapping(rest=str(name)):
                bound.add(name)
            case ast.Global(declared) | ast.Nonlocal(declared):
                bound.update(declared)
    bound |= {each.id for each in names if id(each) not in at_display}
    bound |= {each.id for each in _names_outside_functions(tree)}
    return {each.id for each in names} - bound


_DISPLAYS: Final = (ast.List, ast.ListComp, ast.Dict, ast.DictComp)


def _names_outside_functions(node: ast.AST) -> Iterator[ast.Name]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Name):
            yield child
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield from _names_outside_functions(child)
