"""Instruments a module that is already imported, in place.

Its text is compiled again with hooks, and every function that came from it gets the code of its counterpart: the one
with the same qualified name, first line and free variables. Where several functions have the same (lambdas on one
line), the counterpart is the one at the same position among them. Functions with no counterpart stay as they are.
Module level and class bodies are not executed again.

Cost: one compilation, and one search for the functions of a module unless the caller has made it (:func:`functions`).
"""

from __future__ import annotations

import inspect
import os
import types
from collections.abc import Callable, Iterable, Iterator, Mapping

from mazurka.program.python.instrument import known_functions, sites
from mazurka.program.python.instrument.instrument import instrument_source

_Key = tuple[str, int, tuple[str, ...]]

#: Functions by the file that their code comes from.
Functions = Mapping[str, list[types.FunctionType]]


def swap_module(
    module: types.ModuleType,
    compiler: Callable[[str, str], types.CodeType] = instrument_source,
    failed: Callable[[str], object] = lambda reason: None,
    among: Functions | None = None,
) -> Callable[[], None]:
    """Instrument a module's functions; calling the result puts the old code back.

    ``compiler`` makes instrumented code of the module's text and file name. A module without source, or whose source
    can't be rewritten, is left as it is; ``failed`` is called with the reason. ``among`` are the functions of the
    module, and possibly of others: to instrument several modules, find the functions of all of them once.
    """
    file = getattr(module, "__file__", None)
    already = file in sites.instrumented
    if not isinstance(file, str):
        failed("no Python source")
        return _nothing
    try:
        source = "" if _is_empty(file) else inspect.getsource(module)
        code = compiler(source, file)
    except (OSError, TypeError, SyntaxError, ValueError, RecursionError) as error:
        failed(f"{type(error).__name__}: {error}")
        return _nothing
    counterparts = _Counterparts(source, file, code)
    swapped: list[tuple[types.FunctionType, types.CodeType]] = []
    among = functions([module]) if among is None else among
    for function in [each for name in _files_of(module) for each in among.get(name, ())]:
        old = function.__code__
        try:
            new = counterparts.of(old)
        except ValueError as error:
            failed(str(error))
            continue
        if new is not None:
            swapped.append((function, old))
            function.__code__ = _with_flag_of(old, new)

    def undo() -> None:
        while swapped:
            function, old = swapped.pop()
            function.__code__ = old
        if not already:  # it is plain code again: if it counted as instrumented, entering it would not be noticed
            sites.instrumented.discard(str(file))

    return undo


def _with_flag_of(old: types.CodeType, new: types.CodeType) -> types.CodeType:
    """The new code, with the mark by which it can be awaited if the old code has it: `types.coroutine` marks
    generators."""
    flag = old.co_flags & inspect.CO_ITERABLE_COROUTINE
    return new.replace(co_flags=new.co_flags | flag) if flag else new


def functions(modules: Iterable[types.ModuleType]) -> Functions:
    """All existing functions that come from the files of these modules."""
    return known_functions.of({name for module in modules for name in _files_of(module)})


def _files_of(module: types.ModuleType) -> tuple[str, str]:
    """The names of files that code of a module may have; the second one if it is frozen into the interpreter."""
    return str(getattr(module, "__file__", None)), f"<frozen {module.__name__}>"


def _is_empty(file: object) -> bool:
    """Whether a file is empty, which `inspect` takes for no source."""
    return isinstance(file, str) and os.path.isfile(file) and not os.path.getsize(file)


def _nothing() -> None:
    """Undo nothing."""


class _Counterparts:
    """The instrumented code of each function of a module."""

    def __init__(self, source: str, file: str, instrumented: types.CodeType) -> None:
        self._source = source
        self._file = file
        self._instrumented = _by_key(instrumented)
        self._plain: dict[_Key, list[types.CodeType]] | None = None  # for the plain code; made when needed

    def of(self, old: types.CodeType) -> types.CodeType | None:
        """The instrumented counterpart of a function's code; None if there is none; ValueError if it is ambiguous."""
        key = _key(old)
        found = self._instrumented.get(key, [])
        if len(found) < 2:
            return found[0] if found else None
        if self._plain is None:
            self._plain = _by_key(compile(self._source, self._file, "exec", dont_inherit=True))
        plain = self._plain.get(key, [])
        places = [place for place, each in enumerate(plain) if _is_alike(each, old)]
        if not places or len(plain) != len(found):
            raise ValueError(f"several functions {old.co_qualname} in line {old.co_firstlineno}")
        return found[places[0]]


def _by_key(code: types.CodeType) -> dict[_Key, list[types.CodeType]]:
    found: dict[_Key, list[types.CodeType]] = {}
    for each in _codes(code):
        found.setdefault(_key(each), []).append(each)
    return found


def _is_alike(one: types.CodeType, other: types.CodeType) -> bool:
    """Whether two code objects are equal; versions of Python other than 3.11 compare positions in the source, too."""
    return (one.co_code, one.co_consts, one.co_names, one.co_varnames, one.co_cellvars) == (
        *(other.co_code, other.co_consts, other.co_names, other.co_varnames, other.co_cellvars),
    )


def _key(code: types.CodeType) -> _Key:
    return code.co_qualname, code.co_firstlineno, code.co_freevars


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """A code object's functions, at any depth, without the functions that the rewriter added."""
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            if constant.co_varnames[:1] != ("__mz__",):
                yield constant
            yield from _codes(constant)
