"""The languages that programs under test may be written in, by name. A new one is one package and one row here.

A program's front end is the one that its user names; otherwise the file's name ends as that front end's files do, or
its first line names the interpreter. A front end is imported when a program of it is opened.
"""

from __future__ import annotations

import os
from typing import Any, Final

from mazurka.errors import UsageError
from mazurka.importing import import_quickly
from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import Program
from mazurka.program.settings import ProgramSettings


@dataclass(frozen=True, slots=True)
class FrontEnd:
    """A language: ``opener`` is a module and its function that makes a :class:`Program` of a target, arguments and
    :class:`ProgramSettings`. ``suffixes`` may hold the empty one."""

    name: str
    suffixes: tuple[str, ...]
    interpreter: str  # the name in the first line of its scripts, after ``#!``
    opener: str

    def load(self) -> Any:
        """Import the module of the front end, and return its function."""
        module, _, function = self.opener.partition(":")
        return getattr(import_quickly(module), function)

    def open(self, target: str, arguments: tuple[str, ...], settings: ProgramSettings) -> Program:
        """The program that ``target`` names, not yet loaded."""
        program: Program = self.load()(target, arguments, settings)
        return program


#: The default, whose error about a missing file is the best, first.
FRONT_ENDS: Final[dict[str, FrontEnd]] = {
    each.name: each
    for each in (
        FrontEnd("python", (".py", ".pyw", ""), "python", "mazurka.program.python.opening:open_program"),
        FrontEnd(
            "c",
            (".c", ".i", ".cc", ".cpp", ".cxx", ".ii", ".ll", ".bc"),
            "",
            "mazurka.program.llvm.opening:open_program",
        ),
    )
}


def front_end_of(target: str, name: str = "") -> FrontEnd:
    """The front end of that name; without a name, the one that the file's name or first line indicates."""
    if name:
        return FRONT_ENDS[name]
    path = target.partition("::")[0]
    suffix = os.path.splitext(path)[1]
    default = next(iter(FRONT_ENDS.values()))
    if not os.path.isfile(path):
        return default
    for each in FRONT_ENDS.values():
        if suffix in each.suffixes:
            return each
    first = _first_line(path)
    for each in FRONT_ENDS.values():
        if each.interpreter and first.startswith(b"#!") and each.interpreter.encode() in first:
            return each
    known = "; ".join(f"{each.name}: {', '.join(filter(None, each.suffixes))}" for each in FRONT_ENDS.values())
    raise UsageError(
        "unknown-program-type",
        f"nothing here runs files that end in {suffix} ({known})",
        where=path,
        hint=f"name the front end: --program {default.name}",
    )


def _first_line(path: str) -> bytes:
    try:
        with open(path, "rb") as stream:
            return stream.readline(200)
    except OSError:
        return b""
