"""Loads the types that a user's file specifies: the classes in it that are shared types.

The file is a Python module, which is executed, since its models are code; or a file in TOML
(:mod:`mazurka.commute.toml_files`). Problems are errors ``specification`` with the line.
"""

from __future__ import annotations

import importlib.util
import sys
import traceback
from pathlib import Path

from mazurka.commute.registry import TYPES, shared_type
from mazurka.commute.shared_type import SharedType
from mazurka.commute.toml_files import types_in
from mazurka.errors import MazurkaError

#: The name of a file's module while it is loaded.
_MODULE = "mazurka_specification"


def types_of(name: str) -> list[type[SharedType]]:
    """The types of a file, in the order of their definition; or the type of the library with this name."""
    if not name.endswith((".py", ".toml")) and name in TYPES:
        return [shared_type(name)]
    path = Path(name)
    if not path.is_file():
        known = "it is no type of the library, either: `mazurka spec list` lists these"
        raise MazurkaError("specification", "there is no such file", where=name, hint=known)
    if path.suffix == ".toml":
        return types_in(path, types_of)
    found = [
        value
        for value in vars(_module(path)).values()
        if isinstance(value, type) and issubclass(value, SharedType) and value.__module__ == _MODULE
    ]
    if not found:
        hint = "a type is a subclass of `mazurka.commute.SharedType`"
        raise MazurkaError("specification", "no type in this file", where=name, hint=hint)
    return list(dict.fromkeys(found))


def _module(path: Path) -> object:
    spec = importlib.util.spec_from_file_location(_MODULE, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[_MODULE] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        line = error.lineno if isinstance(error, SyntaxError) else _line(error, path)
        message = f"{type(error).__name__}: {error.msg if isinstance(error, SyntaxError) else error}"
        raise MazurkaError("specification", message, where=f"{path}:{line}") from error
    return module


def _line(error: BaseException, path: Path) -> int:
    frames = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno or 0 for frame in reversed(frames) if frame.filename == str(path)), 0)
