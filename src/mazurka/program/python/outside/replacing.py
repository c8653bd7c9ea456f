"""The replacement of functions and methods that act outside the Python heap.

Functions written in C are replaced wherever a module has them (:mod:`..primitives.patch` does so, from
:data:`FUNCTIONS`), except in the modules in C that the import system uses: an import is one step. Methods of classes
written in Python are replaced in their class.

The replacement of a function in C does not become a method where a class holds it, and behaves like the function
outside of runs.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable
from typing import Any, Final

from mazurka.program.python.outside import descriptor_numbers
from mazurka.program.python.primitives.run import Models, count_untracked, here
from mazurka.program.python.primitives.steps import pass_step

#: Module, name in it -> its replacement. Filled while this package is imported, before any function is replaced.
FUNCTIONS: Final[dict[tuple[str, str], Any]] = {}

#: Module, dotted name of a method -> a function that makes the replacement from the real method, once the module is
#: loaded.
METHODS: Final[dict[tuple[str, str], Callable[[Any], Any]]] = {}


class Aside:
    """A context in which replaced functions act like the real ones: our own work is no part of a run.

    No thread of the program may stop meanwhile.
    """

    depth = 0

    def __enter__(self) -> None:
        Aside.depth += 1

    def __exit__(self, *exception: object) -> None:
        Aside.depth -= 1


ASIDE: Final = Aside()


def present() -> Models | None:
    """The run that the calling thread belongs to; None during work of our own."""
    return None if Aside.depth else here()


#: A wrapper: gets the run, the real function and the call's arguments.
Wrapper = Callable[..., Any]


def stand_in(real: Any, wrapper: Wrapper) -> Any:
    """A function that calls ``wrapper(models, real, ...)`` within runs, and the real function outside."""

    @functools.wraps(real)
    def call(*args: Any, **named: Any) -> Any:
        models = present()
        if models is None:
            return real(*args, **named)
        for name in _FOLDERS & named.keys():
            if accesses := descriptor_numbers.uses(models, named[name]):
                pass_step(models, *accesses)
        runtime = models.runtime
        steps = len(runtime.log)
        try:
            return wrapper(models, real, *args, **named)
        except _OF_STATE:
            if len(runtime.log) == steps and real.__name__ not in _OF_THREADS:
                count_untracked(runtime, f"{real.__name__}(), which fails without a step")
            raise

    return call


#: Errors that may depend on a state that another thread has set: no wrapper has passed a step for that.
_OF_STATE: Final = (OSError, ValueError, RuntimeError)

#: Functions that refuse all threads but the main one.
_OF_THREADS: Final = frozenset({"signal", "siginterrupt", "set_wakeup_fd"})


#: Arguments that are descriptors of folders.
_FOLDERS: Final = frozenset({"dir_fd", "src_dir_fd", "dst_dir_fd"})


def replace_function(module: Any, name: str, wrapper: Wrapper) -> None:
    """Have a function of a module replaced wherever modules have it, if this Python has such a function."""
    real = vars(module).get(name)
    if real is not None:
        FUNCTIONS[module.__name__, name] = stand_in(real, wrapper)


def replace_method(module: str, dotted: str, wrapper: Wrapper) -> None:
    """Have a method of a class in Python replaced."""
    METHODS[module, dotted] = lambda real: stand_in(real, wrapper)


def pairs() -> list[tuple[Any, Any]]:
    """Real functions, and their replacements."""
    found = []
    for (module, name), model in FUNCTIONS.items():
        real = vars(sys.modules[module])[name]
        becomes_method = isinstance(model, types.FunctionType) and not isinstance(real, types.FunctionType)
        found.append((real, staticmethod(model) if becomes_method else model))
    return found


_INHERITED: Final = object()


class Methods:
    """The methods that are replaced; modules that are loaded later are covered by calling :meth:`extend` again."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []
        self._covered: set[tuple[str, str]] = set()

    def extend(self) -> None:
        for key, make in METHODS.items():
            if key in self._covered or (module := sys.modules.get(key[0])) is None:
                continue
            self._covered.add(key)
            *path, name = key[1].split(".")
            owner: Any = module
            for part in path:
                owner = getattr(owner, part, None)
            real = getattr(owner, name, None) if owner is not None else None
            if real is not None:
                self._replace(owner, name, make(real))

    def _replace(self, owner: Any, name: str, model: Any) -> None:
        before = vars(owner).get(name, _INHERITED)
        setattr(owner, name, model)
        if before is _INHERITED:
            self._undo.append(lambda: delattr(owner, name))
        else:
            self._undo.append(lambda: setattr(owner, name, before))

    def undo(self) -> None:
        while self._undo:
            self._undo.pop()()
        self._covered.clear()
