"""Imports by threads of modules that each run imports anew (:mod:`..instrument.late_imports`).

The thread that comes first executes the module, and others wait for it. For that `importlib` has a lock for each
module, which finds out whether threads wait for each other's modules; one of them then goes on with a module that is
not complete. This is CPython's code in Python, here with the models of its locks. An import first looks whether the
module is there, without a lock: that is a read of one location, which stands for all of these modules, and that the
module comes is a change of it. Other imports are single steps.

The locks of modules share one inner lock, which is held for no longer than a look at the owners: it orders these looks,
which would be races otherwise.
"""

from __future__ import annotations

import _thread
import builtins
import functools
import importlib
import importlib.util
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from mazurka.program.python.instrument import late_imports
from mazurka.program.python.primitives import locks, thread_functions
from mazurka.program.python.primitives.run import Models, here
from mazurka.program.python.primitives.steps import change, pass_step, read
from mazurka.trace.targets import Kind, Target

_MODULES: Final[tuple[Target, str]] = (Kind.PROCESS.tag, "modules"), "the modules that are loaded"

_bootstrap: Final = sys.modules["_frozen_importlib"]


def _with_models(kind: type) -> type:
    """A class in Python of `importlib`, with the models of locks."""
    thread = types.SimpleNamespace(**{**vars(_thread), **_OF_THREAD})
    space = {**vars(_bootstrap), "_thread": thread}
    methods = {
        name: types.FunctionType(each.__code__, space, name, each.__defaults__)
        for name, each in vars(kind).items()
        if isinstance(each, types.FunctionType)
    }
    return type(kind.__name__, (), methods)


_OF_THREAD: Final = {
    "allocate_lock": locks.allocate_lock,
    "RLock": locks.RLock,
    "get_ident": thread_functions.get_ident,
}

_ModuleLock: Final = _with_models(vars(_bootstrap)["_ModuleLock"])


class _Locks:
    """The locks of modules in one run."""

    def __init__(self, models: Models) -> None:
        self.models = models
        self.inner = locks.RLock()
        self.by_name: dict[str, Any] = {}

    def find(self, name: str) -> Any:
        """The lock of a module."""
        if name not in self.by_name:
            made = self.by_name[name] = _ModuleLock(name)
            made.lock = self.inner
        return self.by_name[name]


_locks: _Locks | None = None


def _get_module_lock(real: Callable[[str], Any], name: str) -> Any:
    global _locks
    models = here() if name in late_imports.again else None
    if models is None or models.runtime.solo:
        return real(name)
    if _locks is None or _locks.models is not models:
        _locks = _Locks(models)
        models.undo.append(_forget)
    return _locks.find(name)


def _forget() -> None:
    global _locks
    _locks = None


def _look(models: Models, names: Iterator[str]) -> None:
    """Whether modules are there is about to be looked up."""
    wanted = [name for name in names if name in late_imports.again]
    if wanted and not models.runtime.solo:
        pass_step(models, (read if all(map(_is_there, wanted)) else change)(*_MODULES))


def _is_there(name: str) -> bool:
    spec = getattr(sys.modules.get(name), "__spec__", None)
    return spec is not None and not getattr(spec, "_initializing", False)


def _asked_for(name: str, space: Mapping[str, Any] | None, fromlist: Sequence[str] | None, level: int) -> Iterator[str]:
    """The modules that an import statement may import."""
    if level:
        name = importlib.util.resolve_name("." * level + name, (space or {}).get("__package__") or "")
    parts = name.split(".")
    yield from (".".join(parts[:length]) for length in range(1, len(parts) + 1))
    yield from (f"{name}.{each}" for each in fromlist or ())


def install() -> Callable[[], None]:
    """Put the models in place; returns the function that undoes this."""
    import_, import_module = builtins.__import__, importlib.import_module
    get_lock = vars(_bootstrap)["_get_module_lock"]

    @functools.wraps(import_)
    def importing(
        name: str,
        globals: Mapping[str, Any] | None = None,  # noqa: A002  # its name is the real one's
        locals: Mapping[str, Any] | None = None,  # noqa: A002  # likewise
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        if late_imports.again and (models := here()) is not None:
            _look(models, _asked_for(name, globals, fromlist, level))
        return import_(name, globals, locals, fromlist, level)

    @functools.wraps(import_module)
    def importing_module(name: str, package: str | None = None) -> Any:
        if late_imports.again and (models := here()) is not None:
            full = importlib.util.resolve_name(name, package) if name.startswith(".") else name
            _look(models, _asked_for(full, None, None, 0))
        return import_module(name, package)

    builtins.__import__ = importing
    importlib.import_module = importing_module
    vars(_bootstrap)["_get_module_lock"] = functools.partial(_get_module_lock, get_lock)

    def undo() -> None:
        builtins.__import__ = import_
        importlib.import_module = import_module
        vars(_bootstrap)["_get_module_lock"] = get_lock

    return undo
