"""From the target that a user names to a Python program: a script, or a function of a file."""

from __future__ import annotations

from dataclasses import replace

from mazurka.errors import UsageError
from mazurka.program.python.entry import MODULE, Entry, Function, Script, file_of
from mazurka.program.python.instrument.instrument import instrument_source
from mazurka.program.python.program import PythonProgram, default_roots
from mazurka.program.settings import ProgramSettings


def open_program(target: str, arguments: tuple[str, ...], settings: ProgramSettings) -> PythonProgram:
    """The program, not yet loaded; its project's modules are tracked."""
    if settings.leaks:
        raise UsageError("only-for-c", "leaks are those of memory that programs in C allocate", where=target)
    roots = default_roots(file_of(target))
    return PythonProgram(entry_of(target, arguments), replace(settings, roots=roots))


def entry_of(target: str, arguments: tuple[str, ...]) -> Entry:
    """The entry of a target that a user names: a script, a module to be run, or a function of a file."""
    path, _, function = target.partition("::")
    if target.startswith(MODULE):
        return Script(file_of(target), arguments, instrument_source, target.removeprefix(MODULE))
    return Function(path, function, arguments) if function else Script(path, arguments, instrument_source)
