"""Copies of library modules for our own use: those of the program may be instrumented, and then tell of whoever runs
them.

The functions of a copy have a file name of their own, so that nobody takes them for the program's.
"""

from __future__ import annotations

import importlib.util
import types
from typing import TYPE_CHECKING


def _copy(name: str) -> types.ModuleType:
    spec = importlib.util.find_spec(name)
    assert spec is not None
    source = spec.loader.get_source(name)  # type: ignore[union-attr]
    copy = types.ModuleType(f"mazurka's {name}")
    exec(compile(source, f"<{copy.__name__}>", "exec", dont_inherit=True), vars(copy))
    return copy


if TYPE_CHECKING:
    import contextlib
    from weakref import WeakKeyDictionary, WeakSet
else:
    contextlib = _copy("contextlib")
    WeakKeyDictionary = _copy("weakref").WeakKeyDictionary
    WeakSet = _copy("_weakrefset").WeakSet

__all__ = ["WeakKeyDictionary", "WeakSet", "contextlib"]
