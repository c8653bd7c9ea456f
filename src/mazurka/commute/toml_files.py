"""Specifications in TOML: conditions of a file, for the model of a type that is defined elsewhere.

::

    [bag]
    model = "concurrent_set"          # a type of the library; or "bag.py:Bag", a class in a file beside this one

    [bag.coarse]
    "add || add" = "v1 != v2 or not r1 and not r2"
    "contains, size || contains, size" = "True"

Conditions have the syntax of those of classes (:mod:`mazurka.commute.parsing`), and are checked like them when they are
loaded. Only a model in Python is executed, no part of the file itself. Mistakes are errors ``specification`` with file,
line and column.
"""

from __future__ import annotations

import io
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from mazurka.commute.parsing import wrong
from mazurka.commute.registry import TYPES, shared_type
from mazurka.commute.shared_type import VARIANTS, Place, SharedType
from mazurka.errors import did_you_mean

_KEYS: Final = ("model", *VARIANTS)
_WHERE: Final = re.compile(r" \(at line (\d+), column (\d+)\)$")

#: The types of a Python file.
_Loading = Callable[[str], list[type[SharedType]]]


def types_in(path: Path, load: _Loading) -> list[type[SharedType]]:
    """The types of a file, in its order; ``load`` gives those of a Python file."""
    with io.open_code(str(path.resolve())) as file:  # as for modules: no step of a program that marks a class
        text = file.read().decode("utf-8")
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _WHERE.search(str(error))
        where = f"{path}:{found[1]}:{found[2]}" if found else str(path)
        raise wrong(where, f"not valid TOML: {_WHERE.sub('', str(error))}") from None
    source = _Source(path, text.splitlines())
    types = [_type(source, name, table, load) for name, table in document.items()]
    if not types:
        raise wrong(str(path), "no type in this file", "a type is a table with a `model`")
    return types


class _Source:
    """The text of a file, for errors."""

    def __init__(self, path: Path, lines: list[str]) -> None:
        self.path, self._lines = path, lines

    def of_table(self, *names: str) -> str:
        """The place of the header of a table."""
        wanted = ".".join(names)
        for number, line in enumerate(self._lines, 1):
            header = line.partition("#")[0].strip()
            if header.startswith("[") and header.strip("[]").replace('"', "").replace(" ", "") == wanted:
                return f"{self.path}:{number}:{line.index('[') + 1}"
        return str(self.path)

    def of_key(self, table: str, key: str) -> str:
        """The place of a key of a table; ``table`` is the place that :meth:`of_table` gives."""
        _, _, place = table.removeprefix(str(self.path)).partition(":")
        start = int(place.partition(":")[0]) if place else 0
        for number, line in enumerate(self._lines[start:], start + 1):
            if any(line.strip().startswith(f"{quote}{key}{quote}") for quote in "\"'") or _is_bare(line, key):
                return f"{self.path}:{number}:{line.index(key) + 1}"
        return table


def _is_bare(line: str, key: str) -> bool:
    """Whether a line assigns to a key that is not quoted."""
    return line.partition("=")[0].strip() == key


def _type(source: _Source, name: str, table: Any, load: _Loading) -> type[SharedType]:
    where = source.of_table(name)
    if not isinstance(table, dict):
        raise wrong(source.of_key(str(source.path), name), f"{name} is no table", "a type is a table with a `model`")
    for key in table:
        if key not in _KEYS:
            hint = did_you_mean(key, _KEYS) or f"there are {', '.join(_KEYS)}"
            header = source.of_table(name, key)
            place = source.of_key(where, key) if header == str(source.path) else header
            raise wrong(place, f"there is no key {key}", hint)
    if not isinstance(table.get("model"), str):
        raise wrong(where, f"{name} has no `model`", "a type of the library, or FILE.py:CLASS")
    model = _model(source, table["model"], source.of_key(where, "model"), load)
    tables, places = {}, {}
    for variant in VARIANTS:
        tables[variant], places[variant] = _conditions(source, (name, variant), table.get(variant, {}))
    made = type(name, (model,), {"name": name, "__doc__": model.__doc__, **tables})
    made.place = Place(str(source.path), lines=places)  # type: ignore[attr-defined]
    return made


def _model(source: _Source, name: str, where: str, load: _Loading) -> type[SharedType]:
    if name in TYPES:
        return shared_type(name)
    file, colon, attribute = name.rpartition(":")
    if not colon:
        hint = did_you_mean(name, TYPES) or "`mazurka spec list` lists the types of the library"
        raise wrong(where, f"no type of the library is called {name}", hint)
    found = {kind.__name__: kind for kind in load(str(source.path.parent / file))}
    if attribute not in found:
        hint = did_you_mean(attribute, found) or f"there are {', '.join(found)}"
        raise wrong(where, f"{file} has no type {attribute}", hint)
    return found[attribute]


def _conditions(source: _Source, names: tuple[str, str], table: Any) -> tuple[str, list[str]]:
    """A table of conditions in the form of classes, and the places of its lines."""
    header = source.of_table(*names)
    if not isinstance(table, dict):
        raise wrong(source.of_key(source.of_table(names[0]), names[1]), f"{names[1]} is no table of conditions")
    lines, places = list[str](), list[str]()
    for pair, formula in table.items():
        where = source.of_key(header, pair)
        if not isinstance(formula, str):
            raise wrong(where, f"{pair}: a condition is a text", 'True is written "True"')
        if "||" not in pair:
            raise wrong(where, f"{pair}: no pair of methods", 'such as "add || add"')
        lines.append(f"{pair} : {' '.join(formula.split())}")
        places.append(where)
    return "\n".join(lines), places
