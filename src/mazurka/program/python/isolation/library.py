"""Modules of the standard library that keep state of a run in their globals, as `urllib.request` its first opener.

Only modules that a trial run finds to do so are put back: the models, and the modules that the interpreter rests on,
restore their own state.

Cost: one look at the globals of all modules before and after one run.
"""

from __future__ import annotations

import sys
import types
from typing import Any, Final

from mazurka.program.python.semantics import harmless

#: Modules whose globals are put back by others, or must stay.
_SPARED: Final = frozenset(
    """builtins gc importlib io linecache logging multiprocessing posix random re signal site sys tempfile time
    traceback types typing uuid warnings weakref zipimport""".split()
)

_NAMES: Final = frozenset({"__builtins__", "__spec__", "__loader__", "__cached__", "__warningregistry__"})

#: Modules of other packages whose globals are put back as well: anyio's plugin for pytest (4.16) keeps the runner of
#: its event loop there, and an execution that is cut leaves it behind, with its loop closed.
PUT_BACK: Final = ("anyio.pytest_plugin",)

#: Module -> its globals.
_Globals = dict[str, dict[str, Any]]


def globals_now() -> _Globals:
    """The globals of all modules that may be put back."""
    return {name: dict(vars(module)) for name, module in list(sys.modules.items()) if _is_wanted(name, module)}


def changed_since(before: _Globals) -> list[str]:
    """The modules of which some global is another object than before, was added, or was removed."""
    return [
        name
        for name, module in list(sys.modules.items())
        if name in before and _is_wanted(name, module) and not _are_same(before[name], vars(module))
    ]


def _is_wanted(name: str, module: object) -> bool:
    root = harmless.root_of(name)
    if type(module) is not types.ModuleType or root.startswith("_") or root in _SPARED or root in harmless.MODELLED:
        return False
    return root in sys.stdlib_module_names


def _are_same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(
        name in one and name in other and one[name] is other[name] for name in (one.keys() | other.keys()) - _NAMES
    )
