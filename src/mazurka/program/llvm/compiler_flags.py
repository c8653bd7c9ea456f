"""Which of the arguments after ``--`` are the compiler's, and the flags that a compilation database has for a file.

The format of databases is clang's (clang.llvm.org/docs/JSONCompilationDatabase.html).
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Sequence
from typing import Final

from mazurka.errors import UsageError

#: Flags that may have their value as the next argument.
_WITH_VALUE: Final = ("-I", "-D", "-U", "-isystem", "-idirafter", "-iquote", "-include")

#: Of these the values are files or folders.
_PATHS: Final = ("-I", "-isystem", "-idirafter", "-iquote", "-include")

#: The beginnings of other flags that go to the compiler.
_OTHERS: Final = ("-O", "-W", "-std=")

#: Libraries that programs may name: their functions are modelled, or refused when they are called.
_LIBRARIES: Final = frozenset({"pthread", "m", "rt", "c", "dl", "atomic", "stdc++", "gcc", "gcc_s"})

#: What a file of a compilation database is called.
DATABASE: Final = "compile_commands.json"


def flags_among(arguments: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The compiler's flags among arguments, with their values joined to them where these are the next ones; and the
    other arguments. Libraries are left out.

    Raises UsageError for a library that is not the compiler's or the C library's."""
    flags, others = [], []
    given = iter(arguments)
    for each in given:
        if each in _WITH_VALUE:
            flags += [each, *(value for value in [next(given, None)] if value is not None)]
        elif each.startswith((*_WITH_VALUE, *_OTHERS)):
            flags.append(each)
        elif each.startswith("-l") and len(each) > 2:
            if each[2:] not in _LIBRARIES:
                hint = "name its sources instead, or its LLVM IR; an argument of the program follows a second --"
                raise UsageError("does-not-link", "there is no model of this library", where=each, hint=hint)
        elif each != "-pthread":
            others.append(each)
    return tuple(flags), tuple(others)


def flags_in(database: str, path: str) -> tuple[str, ...]:
    """The flags that a compilation database has for a file, but for those of optimisation and warnings.

    Raises UsageError if the file is not in it, or it is no database."""
    try:
        with open(database, encoding="utf-8") as stream:
            entries = json.load(stream)
        for each in entries:
            folder = os.path.join(os.path.dirname(os.path.abspath(database)), each.get("directory", ""))
            if os.path.realpath(os.path.join(folder, each["file"])) == os.path.realpath(path):
                words = each["arguments"] if "arguments" in each else shlex.split(each["command"])
                return tuple(_placed(flags_among(tuple(_known(words)))[0], folder))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError("config-syntax", f"this is no compilation database: {error}", where=database) from None
    raise UsageError("no-such-file", f"the file is not in {database}", where=path)


def _known(words: Sequence[str]) -> Iterator[str]:
    """The words of a command that decide what the program means."""
    given = iter(words[1:])
    for each in given:
        if each in _WITH_VALUE:
            yield each
            yield next(given, "")
        elif each.startswith((*_WITH_VALUE, "-std=")):
            yield each


def _placed(flags: Sequence[str], folder: str) -> Iterator[str]:
    """Flags whose files and folders are those of ``folder``."""
    given = iter(flags)
    for each in given:
        name = next((name for name in sorted(_PATHS, key=len, reverse=True) if each.startswith(name)), "")
        if not name:
            yield each
            continue
        yield name
        yield os.path.join(folder, next(given) if each == name else each.removeprefix(name))
