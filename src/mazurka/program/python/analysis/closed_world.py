"""The test whether the source of the instrumented modules shows all accesses of their attributes and globals.

It does not if a module accesses attributes by computed names (``getattr``, ``exec``, ``vars``), defines methods that
Python calls implicitly at each access (``__getattr__``, ``__set_name__``), looks into frames or functions, or imports a
module that is not instrumented and may go through objects of the program, like ``copy`` or ``pickle``. Modules that
surely do not are listed.

A *word* is a name that occurs in another way than as an access: in a string, a keyword, a pattern, an import. An
attribute or global of that name may be reached by it.

Cost: one pass over each tree.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Final

#: Says whether an absolute name is that of an instrumented module, or of an object in one.
Tracked = Callable[[str], bool]

#: Uninstrumented modules that look at no attributes of their arguments.
BLIND: Final = frozenset(
    """__future__ _thread abc array atexit bisect builtins collections concurrent contextlib datetime decimal enum
    errno fractions functools heapq io itertools logging math mazurka numbers operator os pytest queue random re
    secrets statistics string struct sys textwrap threading time typing typing_extensions uuid warnings zlib""".split()
)

#: Names that allow any access, wherever they occur.
_DYNAMIC: Final = frozenset(
    """__annotations__ __builtins__ __class__ __class_getitem__ __closure__ __code__ __defaults__ __delattr__
    __delete__ __dict__ __dir__ __func__ __get__ __getattr__ __getattribute__ __getstate__ __globals__ __import__
    __init_subclass__ __instancecheck__ __kwdefaults__ __new__ __prepare__ __reduce__ __reduce_ex__ __self__ __set__
    __set_name__ __setattr__ __setstate__ __subclasses__ __traceback__ _current_frames _getframe attrgetter
    call_tracing cell_contents cr_frame currentframe delattr eval exc_info exec f_back f_globals f_locals getattr
    gi_frame globals hasattr import_module importlib locals methodcaller modules setattr setprofile settrace tb_frame
    type update_abstractmethods vars walk_stack walk_tb""".split()
)

#: Of these, those that are harmless if called with the attribute's name as a constant, which is a word then.
_BY_NAME: Final = frozenset({"getattr", "setattr", "delattr", "hasattr"})

#: Methods of texts that contain names, which are known if the text is in the source.
_TEMPLATES: Final = frozenset({"format", "format_map", "vformat"})

_WORD: Final = re.compile(r"[^\W\d]\w*")


def is_open(tree: ast.Module, package: str, tracked: Tracked) -> bool:
    """Whether the module, of that package, can reach attributes and globals in ways that its source does not show."""
    named = {id(e.func) for e in ast.walk(tree) if isinstance(e, ast.Call) and _says_name(e)}
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in _DYNAMIC and id(node) not in named:
                return True
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if name in _DYNAMIC:
                return True
            case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()) if name.startswith("__") and name.endswith("__"):
                return True
            case ast.Attribute(value=template, attr=name) if name in _TEMPLATES and not isinstance(
                template, ast.Constant
            ):
                return True
            case ast.Import() | ast.ImportFrom():
                if any(name not in BLIND and not tracked(name) for name in _imported(node, package)):
                    return True
    return False


def _imported(node: ast.Import | ast.ImportFrom, package: str) -> Iterator[str]:
    """The names that have to be those of blind or tracked modules; for a blind one, the name of its package
    suffices."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield from _with_parents(alias.name)
        return
    parts = package.split(".")
    base = parts[: len(parts) - node.level + 1] if node.level else []
    module = ".".join([*base, *([node.module] if node.module else [])])
    yield from _with_parents(module)
    for alias in node.names:
        if alias.name == "*":
            yield "*"  # no module has this name
        elif module.partition(".")[0] not in BLIND:
            yield f"{module}.{alias.name}"  # if it is a module


def _with_parents(module: str) -> Iterator[str]:
    parts = module.split(".")
    if parts[0] in BLIND:
        yield parts[0]
        return
    yield from (".".join(parts[:count]) for count in range(1, len(parts) + 1))


def _says_name(call: ast.Call) -> bool:
    match call:
        case ast.Call(func=ast.Name(id=function), args=[_, ast.Constant(value=str()), *_]):
            return function in _BY_NAME
    return False


def words(tree: ast.Module) -> set[str]:
    """The names that occur in other ways than as an access."""
    found: set[str] = set()
    silent = {id(e.value) for e in ast.walk(tree) if isinstance(e, ast.Expr)}  # docstrings
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if id(node) not in silent:
                found.update(_WORD.findall(text))
            case ast.keyword(arg=str(word)) | ast.alias(asname=str(word)):
                found.add(word)
            case ast.MatchClass(kwd_attrs=said):
                found.update(said)
        if isinstance(node, ast.ImportFrom):
            found.update(alias.name for alias in node.names)
    return found
