"""Code that a program makes with `compile` while it runs, as engines for templates and routers do.

It is instrumented like the program's modules, if a module makes it while it is imported, or in a trial run: then its
sites are known before the first execution (:meth:`PythonProgram.prepare`). Code that only a later run makes is not
instrumented, and is untracked where threads share it. Each text gets a file name of its own, since several may be
compiled under the same name.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import contextlib
import copy
import dataclasses
import functools
import linecache
import sys
from collections.abc import Callable, Iterable
from hashlib import blake2b
from types import CodeType
from typing import Any, Final

from mazurka.program.python.instrument import sites
from mazurka.program.python.instrument.instrument import FUTURE_FEATURES, instrument_tree
from mazurka.program.python.outside.replacing import FUNCTIONS, present
from mazurka.program.python.outside.streams import Preparing

#: File name -> text, or tree, of code that was made in runs and is not instrumented.
noticed: Final[dict[str, str | ast.Module]] = {}

_made: Final[dict[str, CodeType]] = {}  # file name -> instrumented code
_real: Final[Any] = builtins.compile

_ANNOTATIONS: Final = __future__.annotations.compiler_flag


@functools.wraps(_real)
def _compile(
    source: Any, filename: Any, mode: Any, flags: int = 0, dont_inherit: Any = False, optimize: int = -1, **named: Any
) -> Any:
    caller = sys._getframe(1).f_code
    if not dont_inherit:
        flags |= caller.co_flags & FUTURE_FEATURES
    plain = mode in ("exec", "single") and type(filename) is str and optimize == -1 and not named
    plain = plain and not flags & ~_ANNOTATIONS
    here = Preparing.on or present() is not None
    if here and plain and caller.co_filename in sites.instrumented:
        text = _text(source, mode == "single")
        if text is not None:
            file = f"{filename} {blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=4).hexdigest()}"
            if Preparing.on:
                instrument([(file, source)])
            if file in _made:
                return _made[file]
            noticed[file] = source
    return _real(source, filename, mode, flags, True, optimize, **named)


def _text(source: Any, shows: bool) -> str | None:
    """The text that identifies the source to compile; None if it is no source of a module, or has annotations, which
    flags may turn into texts, or if the code would print the values of expressions."""
    try:
        tree = _real(source, "<text>", "exec", ast.PyCF_ONLY_AST, True) if type(source) is str else source
        if type(tree) is not ast.Module or any(map(_is_annotated, ast.walk(tree))):
            return None
        if shows and not (type(source) is str and len(tree.body) == 1 and isinstance(tree.body[0], ast.FunctionDef)):
            return None  # a single definition is the same in both modes
        return source if type(source) is str else ast.dump(tree, include_attributes=True)
    except (SyntaxError, ValueError, AttributeError, RecursionError):  # the compilation below reports it
        return None


def _is_annotated(node: ast.AST) -> bool:
    return bool(getattr(node, "annotation", None) or getattr(node, "returns", None))


def instrument(sources: Iterable[tuple[str, str | ast.Module]]) -> bool:
    """Instrument the code that was noticed, by file; returns whether any was not instrumented before."""
    fresh = False
    for file, source in sources:
        if file in _made:
            continue
        with contextlib.suppress(SyntaxError, ValueError, RecursionError):  # it is left without instrumentation
            text = isinstance(source, str)
            tree: Any = _real(source, file, "exec", ast.PyCF_ONLY_AST, True) if text else copy.deepcopy(source)
            sites.names_of_compiled[file] = frozenset(_names_in(tree))
            _made[file] = _real(instrument_tree(tree, file), file, "exec", 0, True)
            if isinstance(source, str):
                linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
            fresh = True
    return fresh


def _names_in(tree: ast.Module) -> Iterable[str]:
    """The names of variables in a text, including those that it only declares."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            yield from node.names


def forget() -> None:
    """Forget all generated code: the program that has made it is no longer checked."""
    noticed.clear()
    while _made:
        file, _ = _made.popitem()
        sites.instrumented.discard(file)
        sites.names_of_compiled.pop(file, None)
        linecache.cache.pop(file, None)


FUNCTIONS["builtins", "compile"] = _compile


@functools.lru_cache(maxsize=4096)
def _compiled(text: str) -> CodeType:
    return _real(text, "<string>", "exec", 0, True)  # type: ignore[no-any-return]


def _execute(text: str, /, *spaces: Any) -> None:
    exec(_compiled(text), *spaces)


def install() -> Callable[[], object]:
    """Have `dataclasses` compile each text once: each execution of a script makes its classes anew. The result undoes
    it."""
    space: dict[str, Any] = vars(dataclasses)
    space["exec"] = _execute
    return functools.partial(space.pop, "exec", None)
