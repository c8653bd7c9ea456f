"""The arguments of a C program: those of the compiler, further files, and compilation databases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mazurka.errors import UsageError
from mazurka.program.llvm.compiler_flags import flags_among
from mazurka.program.llvm.opening import open_program
from mazurka.program.protocol import Plan
from mazurka.program.settings import ProgramSettings

#: Exits with what its macros, its header and its arguments say.
MAIN = """
#include "size.h"
int more(void);
int main(int count, char **given) {
#ifndef FIRST
#define FIRST 0
#endif
    return FIRST + SIZE + more() + 100 * (count - 1);
}
"""
MORE = """
#ifndef SECOND
#define SECOND 0
#endif
int more(void) { return SECOND; }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {"src/main.c": MAIN, "src/more.c": MORE, "include/size.h": "#define SIZE 1\n"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def _status(folder: Path, *arguments: str) -> int:
    """The exit status of the program with these arguments."""
    placed = tuple(each.replace("@", str(folder)) for each in arguments)
    program = open_program(str(folder / "src" / "main.c"), (str(folder / "src/more.c"), *placed), ProgramSettings())
    run = program.execute(Plan())
    assert not run.truncated
    return int(run.failures[0].message.removeprefix("the program exits with ")) if run.failures else 0


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("-I@/include",), 1),
        (("-I", "@/include", "-D", "FIRST=10", "-pthread", "-lpthread", "-lm"), 11),
        (("-isystem", "@/include", "-DFIRST=10", "-U", "FIRST", "-DSECOND=4"), 5),
        (("-include", "@/include/size.h", "-I@/include", "-std=gnu99", "own"), 101),
        (("-I@/include", "--", "-lfoo"), 101),
    ],
)
def test_flags_are_taken_as_the_compiler_takes_them(arguments: tuple[str, ...], status: int, folder: Path) -> None:
    assert _status(folder, *arguments) == status


def test_another_library_is_refused() -> None:
    with pytest.raises(UsageError, match="no model of this library"):
        flags_among(("-lfoo",))


def _database(folder: Path, *, with_more: bool = True) -> str:
    entries = [
        {"directory": str(folder / "src"), "file": "main.c", "command": "cc -O2 -I../include -D FIRST=20 -c main.c"},
        {
            "directory": str(folder),
            "file": str(folder / "src" / "more.c"),
            "arguments": ["cc", "-Wall", "-DSECOND=30", "-o", "more.o", "-c", "src/more.c"],
        },
    ]
    path = folder / "compile_commands.json"
    path.write_text(json.dumps(entries[: 1 + with_more]))
    return str(path)


def test_a_compilation_database_has_the_flags_of_each_file(folder: Path) -> None:
    database = _database(folder)
    assert _status(folder, database) == 51
    assert _status(folder, database, "-DSECOND=3", "own") == 124


def test_a_file_that_is_not_in_the_database_is_an_error(folder: Path) -> None:
    database = _database(folder, with_more=False)
    with pytest.raises(UsageError, match="the file is not in"):
        _status(folder, database)
    Path(database).write_text("{}[]")
    with pytest.raises(UsageError, match="no compilation database"):
        _status(folder, database)
