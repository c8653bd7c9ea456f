"""Instruments a module that is already imported, where it is.

Its text is compiled again, instrumented, and every function that came from it gets the code of its counterpart: the
one with the same qualified name, first line and free variables. Functions with no counterpart stay as they are.
Module level and class bodies are not executed again.

Cost: one compilation, and one walk over the interpreter's objects unless the caller has made it (:func:`functions`).
"""

from __future__ import annotations

import gc
import inspect
import os
import types
from collections.abc import Callable, Iterable, Iterator

from mazurka.program.python import sites
from mazurka.program.python.instrument import instrument_source

_Key = tuple[str, int, tuple[str, ...]]


def swap_module(
    module: types.ModuleType,
    compiler: Callable[[str, str], types.CodeType] = instrument_source,
    failed: Callable[[str], object] = lambda reason: None,
    among: Iterable[types.FunctionType] | None = None,
) -> Callable[[], None]:
    """Instrument a module's functions; calling the result puts the old code back.

    ``compiler`` makes instrumented code of the module's text and file name. A module without source, or whose source
    can't be rewritten, is left as it is; ``failed`` is told why. ``among`` are all functions there are.
    """
    file = getattr(module, "__file__", None)
    already = file in sites.instrumented
    try:
        source = "" if _is_empty(file) else inspect.getsource(module)
        if not isinstance(file, str):
            failed("no Python source")
            return _nothing
        code = compiler(source, file)
    except (OSError, TypeError, SyntaxError, ValueError, RecursionError) as error:
        failed(f"{type(error).__name__}: {error}")
        return _nothing
    counterparts = {_key(each): each for each in _codes(code)}
    files = (file, f"<frozen {module.__name__}>")  # the second one if the module is frozen into the interpreter
    swapped: list[tuple[types.FunctionType, types.CodeType]] = []
    for function in functions() if among is None else among:
        old = function.__code__
        if old.co_filename in files:
            new = counterparts.get(_key(old))
            if new is not None:
                swapped.append((function, old))
                function.__code__ = new

    def undo() -> None:
        while swapped:
            function, old = swapped.pop()
            function.__code__ = old
        if not already:  # it is plain code again: taken for instrumented, it would not be seen to be entered
            sites.instrumented.discard(str(file))

    return undo


def functions() -> list[types.FunctionType]:
    """Every function there is; the collector does not list what has been frozen."""
    frozen = gc.get_freeze_count() > 0
    if frozen:
        gc.unfreeze()
    kind = types.FunctionType
    found = [each for each in gc.get_objects() if type(each) is kind]
    if frozen:
        gc.freeze()
    return found


def _is_empty(file: object) -> bool:
    """Whether there is nothing in a file, which `inspect` takes for no source."""
    return isinstance(file, str) and os.path.isfile(file) and not os.path.getsize(file)


def _nothing() -> None:
    """There is nothing to undo."""


def _key(code: types.CodeType) -> _Key:
    return code.co_qualname, code.co_firstlineno, code.co_freevars


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """A code object's functions, at any depth, without the ones that instrumenting added."""
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            if constant.co_varnames[:1] != ("__mz__",):
                yield constant
            yield from _codes(constant)
