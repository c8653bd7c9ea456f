"""Types by the names that calls have in programs and traces: those of the library, and those of users' files.

With ``mazurka.linearizable(..., spec=FILE)`` the name of a type is ``FILE.toml``, or ``FILE.toml:TYPE`` if the file has
several; blanks and percent signs of a path are escaped (``%20``), since names of types have no blanks.

A file in TOML whose models are those of the library is data, and may be read whenever it is named. A model in Python is
code, which is not executed because a trace names it. Such files are read only if :func:`trust` has been called for
them: by ``mazurka predict --spec``, and for classes that a program marks in this process.

Cost: a file is read once.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from mazurka.commute import registry
from mazurka.commute.loading import types_of
from mazurka.commute.shared_type import SharedType, name_of
from mazurka.commute.specification import Specification, specifications_of
from mazurka.commute.toml_files import types_in
from mazurka.errors import MazurkaError

_SUFFIXES: Final = (".toml", ".py")

_trusted: Final[set[Path]] = set()


def trust(name: str) -> None:
    """Allow models in Python to be executed to which a type's name, or a file, refers; also those beside it that it
    uses."""
    file, _ = _parts(name)
    if file is not None and file.resolve() not in _trusted:
        _trusted.add(file.resolve())
        _type.cache_clear()


def is_known(name: str) -> bool:
    """Whether there is a type of this name whose model may be executed."""
    try:
        shared_type(name)
    except MazurkaError:
        return False
    return True


def shared_type(name: str) -> type[SharedType]:
    """The type of this name; an error ``specification`` if there is none, or its model may not be executed."""
    found = _type(name)
    if isinstance(found, MazurkaError):
        raise found
    return found


@cache
def specification(name: str, variant: str) -> Specification:
    """The specification of the type; ``variant`` as in :func:`mazurka.commute.registry.specification`."""
    found = specifications_of(shared_type(name))
    return found.get(variant) or next(iter(found.values()))


@cache
def _type(name: str) -> type[SharedType] | MazurkaError:
    try:
        return _found(name)
    except MazurkaError as error:
        return error


def _found(name: str) -> type[SharedType]:
    file, wanted = _parts(name)
    if file is None or name in registry.TYPES:
        return registry.shared_type(name)
    if not file.is_file():
        raise MazurkaError("specification", "there is no such file", where=str(file))
    types = types_of(str(file)) if file.resolve() in _trusted else _as_data(file)
    if not wanted and len(types) > 1:
        names = ", ".join(map(name_of, types))
        raise MazurkaError("specification", f"it has several types: {names}", where=str(file), hint="FILE:TYPE")
    for each in types:
        if not wanted or wanted == name_of(each):
            return each
    raise MazurkaError("specification", f"it has no type {wanted}", where=str(file))


def _as_data(file: Path) -> list[type[SharedType]]:
    """The types of a file, without executing code; an error if it needs code."""
    if file.suffix != ".toml":
        raise _code(file)

    def refuse(_: str) -> list[type[SharedType]]:
        raise _code(file)

    return types_in(file, refuse)


def _code(file: Path) -> MazurkaError:
    hint = f"to run them, name the file: --spec {file}"
    return MazurkaError(
        "specification", "it has models in Python, which are not run unasked", where=str(file), hint=hint
    )


def _parts(name: str) -> tuple[Path | None, str]:
    """The file that a name refers to, and the type in it, if the name has one."""
    file, colon, wanted = name.rpartition(":")
    if colon and file.endswith(_SUFFIXES):
        return Path(unquote(file)), wanted
    return (Path(unquote(name)), "") if name.endswith(_SUFFIXES) else (None, "")
