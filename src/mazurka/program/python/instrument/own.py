"""Copies of library modules for our own use: the modules that the program uses may be instrumented, and then report the
accesses of every caller, including ours.

The functions of a copy have a file name of their own, so that they are not taken for functions of the program.
"""

from __future__ import annotations

import importlib.util
import types
from typing import TYPE_CHECKING, Any


def copy_of(name: str) -> Any:
    """A copy of a module, executed again."""
    spec = importlib.util.find_spec(name)
    assert spec is not None
    copy = types.ModuleType(f"mazurka's {name}")
    exec(_renamed(spec.loader.get_code(name), f"<{copy.__name__}>"), vars(copy))  # type: ignore[union-attr]
    return copy


def _renamed(code: types.CodeType, file: str) -> types.CodeType:
    """The same code, as if from another file."""
    constants = [_renamed(each, file) if isinstance(each, types.CodeType) else each for each in code.co_consts]
    return code.replace(co_filename=file, co_consts=tuple(constants))


if TYPE_CHECKING:
    import contextlib
    from weakref import WeakKeyDictionary, WeakSet
else:
    contextlib = copy_of("contextlib")
    WeakKeyDictionary = copy_of("weakref").WeakKeyDictionary
    WeakSet = copy_of("_weakrefset").WeakSet

__all__ = ["WeakKeyDictionary", "WeakSet", "contextlib", "copy_of"]
