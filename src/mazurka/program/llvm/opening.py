"""From the target that a user names to a C program."""

from __future__ import annotations

import os

from mazurka.errors import UsageError
from mazurka.program.llvm.building import IR, SOURCES
from mazurka.program.llvm.compiler_flags import DATABASE, flags_among, flags_in
from mazurka.program.llvm.program import CProgram
from mazurka.program.settings import ProgramSettings


def open_program(target: str, arguments: tuple[str, ...], settings: ProgramSettings) -> CProgram:
    """The program, not yet compiled. Arguments that begin as those of the compiler do go to it, source files and files
    of LLVM IR are linked to the program, a compilation database has the flags of each of them, all others are the
    program's own, as are all those after a ``--``."""
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
    mixed = _mixed(arguments)
    databases = [each for each in mixed if os.path.basename(each) == DATABASE and os.path.isfile(each)]
    after = max(len(arguments) - len(mixed) - 1, 0)  # the arguments that are the program's own in any case
    sources = [each for each in (path, *others) if each.endswith(SOURCES)]
    of_files = {source: flags_in(each, source) for each in databases for source in sources}
    given = tuple(each for at, each in enumerate(own) if at >= len(own) - after or each not in databases)
    return CProgram(path, flags, given, settings, others, of_files)


def _mixed(arguments: tuple[str, ...]) -> tuple[str, ...]:
    """The arguments before a ``--``, which are not all the program's own."""
    return arguments[: arguments.index("--") if "--" in arguments else len(arguments)]


def divided(arguments: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Arguments as those of the compiler, the program's further files, and those of the program itself."""
    mixed = _mixed(arguments)
    flags, left = flags_among(mixed)
    others = tuple(each for each in left if each.endswith((*SOURCES, *IR)) and os.path.isfile(each))
    given = tuple(each for each in left if each not in others)
    return flags, others, (*given, *arguments[len(mixed) + 1 :])
