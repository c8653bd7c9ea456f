"""``inspect.getmembers`` of an object shows its first weak reference, which may be one of the checker's: those with a
callback of ours are left out.

Cost: a microsecond for each member.
"""

from __future__ import annotations

import functools
import types
import weakref
from collections.abc import Callable
from typing import Any, Final

from mazurka.program.python.outside.replacing import replace_method
from mazurka.program.python.primitives.run import Models

_OURS: Final = "mazurka."


def _is_ours(reference: Any) -> bool:
    """Whether the checker has made a reference, which only a callback shows."""
    callback = reference.__callback__
    if type(callback) is functools.partial:
        callback = callback.func
    if type(callback) is types.BuiltinMethodType:  # of one of our dictionaries
        return type(callback.__self__) is dict
    return str(getattr(callback, "__module__", "")).startswith(_OURS)


def _members(_models: Models, real: Any, thing: Any, predicate: Any, getter: Callable[..., Any]) -> Any:
    def get(owner: Any, name: str) -> Any:
        found = getter(owner, name)
        if name == "__weakref__" and owner is thing and isinstance(found, weakref.ref) and found() is thing:
            return next((each for each in weakref.getweakrefs(thing) if not _is_ours(each)), None)
        return found

    return real(thing, predicate, get)


replace_method("inspect", "_getmembers", _members)
