"""C programs for tests: from their source to executions."""

from __future__ import annotations

from pathlib import Path

from mazurka.explore.explorer import Budget, Explorer
from mazurka.explore.outcome import Outcome
from mazurka.program.llvm.program import CProgram
from mazurka.program.memory import MemoryModel
from mazurka.program.protocol import Plan, Run
from mazurka.program.settings import ProgramSettings

HEAD = """#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
"""


def started(*functions: str) -> str:
    """A ``main`` that starts a thread for each of these functions and joins them all."""
    created = "".join(f"    pthread_create(&t[{at}], 0, {name}, 0);\n" for at, name in enumerate(functions))
    joined = "".join(f"    pthread_join(t[{at}], 0);\n" for at in range(len(functions)))
    return f"int main(void) {{\n    pthread_t t[{len(functions)}];\n{created}{joined}    return 0;\n}}"


def opened(
    folder: Path,
    text: str,
    *flags: str,
    races: bool = False,
    leaks: bool = False,
    model: MemoryModel = MemoryModel.SC,
) -> CProgram:
    """The program of a text, with the usual headers."""
    path = folder / "program.c"
    path.write_text(HEAD + text)
    return CProgram(str(path), flags, (), ProgramSettings(races=races, leaks=leaks, memory=model))


def executed(folder: Path, text: str, *flags: str) -> Run:
    """One execution of a program."""
    return opened(folder, text, *flags).execute(Plan())


def explored(program: CProgram, strategy: str = "dpor") -> Outcome:
    """The outcome of a search to its end."""
    return Explorer(program, strategy, stop_at_first=False, budget=Budget(5_000)).run()
