"""Functions that only compute: as their source shows, the result follows from the arguments, if these are integers,
texts or None, and nobody notices that they are called.

Such a function consists of tests, assignments to its own variables, and returns. Its expressions are arithmetic,
comparisons, parts of texts, and calls of itself, of a few builtin functions, and of a few methods of texts. All values
in it are plain ones, so that no code of the program runs in between.

Cost: the file is parsed once in a process.
"""

from __future__ import annotations

import ast
import builtins
import linecache
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any, Final

#: The classes of arguments and results. (`True` is a key for what was computed for 1.)
PLAIN: Final = frozenset({int, str, type(None)})

#: Builtin functions of plain values.
_FUNCTIONS: Final = frozenset(
    {"abs", "bool", "chr", "divmod", "int", "len", "max", "min", "ord", "pow", "round", "str"}
)

#: Methods of texts whose results are plain.
_METHODS: Final = frozenset(
    {
        *("capitalize", "casefold", "count", "endswith", "find", "isalpha", "isdigit", "isspace", "ljust", "lower"),
        *("lstrip", "replace", "rfind", "rjust", "rstrip", "startswith", "strip", "title", "upper", "zfill"),
    }
)

_EXPRESSIONS: Final = (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.IfExp, ast.Subscript, ast.Slice, ast.operator)
_PARTS: Final = (ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context, ast.JoinedStr, ast.FormattedValue)


@lru_cache(maxsize=64)
def _definitions(file: str) -> dict[tuple[str, int], ast.FunctionDef]:
    """The functions of a file, by name and line: that of the definition, or of its first decorator."""
    try:
        module = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return {}
    return {
        (each.name, line): each
        for each in ast.walk(module)
        if isinstance(each, ast.FunctionDef)
        for line in (each.lineno, *[one.lineno for one in each.decorator_list[:1]])
    }


@lru_cache(maxsize=256)
def _names_if_pure(code: CodeType) -> frozenset[str] | None:
    """The builtin functions that a function calls, and its own name if it calls itself; None if it may do more."""
    found = _definitions(code.co_filename).get((code.co_name, code.co_firstlineno))
    if found is None:
        return None
    given = found.args
    if given.vararg or given.kwarg or given.defaults or any(given.kw_defaults):
        return None
    parameters = tuple([each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)])
    if parameters != code.co_varnames[: len(parameters)]:
        return None  # the file is another one by now
    own = set(parameters)
    own |= {each.id for each in ast.walk(found) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    called: set[str] = set()
    if own & {found.name, *_FUNCTIONS} or not all(_is_statement(each, own, called) for each in found.body):
        return None
    return frozenset(called) if called <= {found.name, *_FUNCTIONS} else None


def _is_statement(node: ast.stmt, own: set[str], called: set[str]) -> bool:
    match node:
        case ast.Return(value=None) | ast.Pass():
            return True
        case ast.Return(value=value) | ast.Expr(value=value) if value is not None:
            return _is_pure(value, own, called)
        case ast.Assign(targets=targets, value=value):
            return all(isinstance(each, ast.Name) for each in targets) and _is_pure(value, own, called)
        case ast.AugAssign(target=ast.Name(), value=value):
            return _is_pure(value, own, called)
        case ast.If(test=test, body=body, orelse=otherwise):
            inner = all(_is_statement(each, own, called) for each in (*body, *otherwise))
            return inner and _is_pure(test, own, called)
        case _:
            return False


def _is_pure(node: ast.AST, own: set[str], called: set[str]) -> bool:
    """Whether an expression is one of these; enters the functions that it calls."""
    match node:
        case ast.Constant(value=value):
            return type(value) in (int, str, bool, type(None))
        case ast.Name(id=name):
            return name in own
        case ast.Call(func=function, args=args, keywords=[]):
            if isinstance(function, ast.Name) and function.id not in own:
                called.add(function.id)
            elif not (
                isinstance(function, ast.Attribute)
                and function.attr in _METHODS
                and _is_pure(function.value, own, called)
            ):
                return False
            return all(_is_pure(each, own, called) for each in args)
        case ast.Compare(ops=ops):
            if any(isinstance(each, (ast.Is, ast.IsNot)) for each in ops):
                return False
        case ast.BinOp(op=ast.MatMult()):
            return False
        case _ if not isinstance(node, (*_EXPRESSIONS, *_PARTS)):
            return False
    return all(_is_pure(each, own, called) for each in ast.iter_child_nodes(node))


def is_pure(function: Any, stands_for: object) -> bool:
    """Whether a function only computes, in a program in which ``stands_for`` is called by its name (itself with a
    cache), now."""
    if type(function) is not FunctionType or function.__kwdefaults__ or function.__defaults__:
        return False
    code = function.__code__
    names = _names_if_pure(code)
    return names is not None and all(_is_bound(function, name, stands_for) for name in names)


def _is_bound(function: FunctionType, name: str, stands_for: object) -> bool:
    """Whether a name in a function stands for what it seems to."""
    own = name == function.__code__.co_name and name not in _FUNCTIONS
    if name in function.__code__.co_freevars:
        cell = (function.__closure__ or ())[function.__code__.co_freevars.index(name)]
        try:
            return own and cell.cell_contents is stands_for
        except ValueError:
            return False
    if name in function.__globals__:
        return own and function.__globals__[name] is stands_for
    typed: Any = function  # mypy knows this attribute or not, depending on its cache
    shown: dict[str, Any] = typed.__builtins__
    return not own and shown.get(name) is _BUILTINS[name]


_BUILTINS: Final = {name: builtins.__dict__[name] for name in _FUNCTIONS}
