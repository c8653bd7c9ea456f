"""From the target that a user names to a C program."""

from __future__ import annotations

import os
from typing import Final

from mazurka.errors import UsageError
from mazurka.program.llvm.building import IR, SOURCES
from mazurka.program.llvm.program import CProgram
from mazurka.program.settings import ProgramSettings

#: The beginnings of arguments that go to the compiler.
_FLAGS: Final = ("-I", "-D", "-U", "-O", "-W", "-std=")


def open_program(target: str, arguments: tuple[str, ...], settings: ProgramSettings) -> CProgram:
    """The program, not yet compiled. Arguments that begin as those of the compiler do go to it, source files and files
    of LLVM IR are linked to the program, all others are the program's own, as are all those after a ``--``."""
    path, _, function = target.partition("::")
    if function:
        raise UsageError("no-such-target", "a C program is checked whole, from its main()", where=target)
    for name, given_value in (
        ("--include", settings.include),
        ("--invariant", settings.invariant),
    ):
        if given_value:
            raise UsageError("only-for-python", f"{name} is for programs in Python only", where=path)
    if settings.properties:
        from mazurka.program.llvm.property_events import not_about_c

        for name in not_about_c(settings.properties):
            hint = "names of C begin with `c:`, as in c:free or c:account.balance"
            raise UsageError("only-for-python", f"no event of the property {name} is about C", where=path, hint=hint)
    if not os.path.isfile(path):
        raise UsageError("no-such-file", "there is no such file", where=path)
    flags, others, own = divided(arguments)
    return CProgram(path, flags, own, settings, others)


def divided(arguments: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Arguments as those of the compiler, the program's further files, and those of the program itself."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    mixed, own = arguments[:end], arguments[end + 1 :]
    flags = tuple(each for each in mixed if each.startswith(_FLAGS))
    others = tuple(each for each in mixed if each.endswith((*SOURCES, *IR)) and os.path.isfile(each))
    given = tuple(each for each in mixed if each not in (*flags, *others))
    return flags, others, (*given, *own)
