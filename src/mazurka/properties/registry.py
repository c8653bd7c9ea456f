"""Properties by name: those that are ready, in files of ``library/``, and those of a user's file.

A name of the library is that of a file, which gives all properties of the file, or that of one property in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

from mazurka.errors import UsageError, did_you_mean
from mazurka.properties.parsing import parsed_file
from mazurka.properties.property import Property

_LIBRARY: Final = Path(__file__).resolve().parent / "library"
_SUFFIX: Final = ".mzp"


def find(name_or_file: str) -> tuple[Property, ...]:
    """The properties of a name of the library, of a file (``FILE.mzp``), or of one name in a file (``FILE.mzp:NAME``).

    Raises MazurkaError: ``no-such-property``, or a mistake in the file."""
    file, colon, name = name_or_file.rpartition(":")
    if colon and (_is_file(file) or Path(file).exists()):
        return _of(parsed_file(file), name, f"{file} states")
    if _is_file(name_or_file):
        return parsed_file(name_or_file)
    if name_or_file in files():
        return _stated_by(name_or_file)
    known = {each.name: each for file in files() for each in _stated_by(file)}
    if name_or_file in known:
        return (known[name_or_file],)
    if Path(name_or_file).is_file():
        hint = f"if the file is meant, write ./{name_or_file}, or let its name end with {_SUFFIX}"
    else:
        hint = (
            did_you_mean(name_or_file, [*files(), *known]) or f"there are {', '.join(files())}, and files FILE{_SUFFIX}"
        )
    raise UsageError("no-such-property", f"there is no property {name_or_file}", hint=hint)


def files() -> tuple[str, ...]:
    """The names of the library's files."""
    return tuple(sorted(path.stem for path in _LIBRARY.glob(f"*{_SUFFIX}")))


@cache
def _stated_by(file: str) -> tuple[Property, ...]:
    return parsed_file(_LIBRARY / f"{file}{_SUFFIX}")


def ready() -> tuple[tuple[str, tuple[Property, ...]], ...]:
    """The names of the library's files, each with its properties."""
    return tuple((file, _stated_by(file)) for file in files())


def own(properties: Iterable[Property]) -> list[Property]:
    """Those that a user states, also as a changed copy of a ready one. The ready ones are about many libraries, of
    which a program uses few."""
    known = [each for _, stated in ready() for each in stated]
    return [each for each in properties if each not in known]


def _is_file(text: str) -> bool:
    return text.endswith(_SUFFIX) or "/" in text


def _of(stated: tuple[Property, ...], name: str, where: str) -> tuple[Property, ...]:
    names = [each.name for each in stated]
    if name not in names:
        hint = did_you_mean(name, names) or f"{where} {', '.join(names)}"
        raise UsageError(
            "no-such-property", f"there is no property {name}", where=where.removesuffix(" states"), hint=hint
        )
    return tuple(each for each in stated if each.name == name)
