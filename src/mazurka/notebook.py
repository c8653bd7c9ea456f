"""`%%mazurka`: check a cell of a notebook, with the options of `mazurka check`.

    %load_ext mazurka

    %%mazurka --all-failures
    import threading
    ...

The cell is a program of its own, as with ``%%python``: names of other cells are unknown in it, and it does not change
theirs. It runs in a process of its own, in the folder of the kernel, whose modules it can import; a check within the
kernel would meet the kernel's own threads. The cell is kept in `.mazurka/cells`, so that its failures can be replayed,
and has the lines there that it has in the notebook, where ``%%mazurka`` is the first.

Interrupting the kernel ends the check with the report until then.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from dataclasses import field
from pathlib import Path
from typing import IO, Any, Final

from mazurka.errors import MazurkaError
from mazurka.lazy_dataclass import dataclass
from mazurka.report.framed_page import framed

#: The folder of the cells, in that of the kernel.
CELLS: Final = os.path.join(".mazurka", "cells")

_WRONG: Final = 2

#: The end of an error that may be due to another cell.
_UNKNOWN: Final = "NameError: name "
_HINT: Final = "A cell with %%mazurka is a program of its own, without the names of other cells."


@dataclass(frozen=True, slots=True)
class CheckedCell:
    """The result of the check of a cell; its text is the report. ``data`` is the report as JSON has it, ``page``
    as HTML."""

    data: dict[str, Any] = field(repr=False)
    text: str = field(repr=False)
    page: str = field(repr=False)

    @property
    def verdict(self) -> str:
        """``violation``, ``verified`` or ``inconclusive``."""
        return str(self.data["verdict"])

    @property
    def failures(self) -> list[dict[str, Any]]:
        """The distinct failures found, as in the JSON report."""
        found: list[dict[str, Any]] = self.data["failures"]
        return found

    def _repr_html_(self) -> str:
        return framed(self.page, self.text)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text("..." if cycle else self.text)

    def __str__(self) -> str:
        return self.text


def register(shell: Any) -> None:
    """Add the magic to a shell of IPython."""

    def mazurka(line: str, cell: str) -> CheckedCell | None:
        """Check the cell in every relevant order of its threads; the options are those of `mazurka check`."""
        try:
            return check_cell(line, cell, len(shell.history_manager.input_hist_parsed) - 1)  # the number of this cell
        except MazurkaError as error:
            from IPython.core.error import UsageError  # printed without a traceback

            raise UsageError(str(error)) from None

    shell.register_magic_function(mazurka, magic_kind="cell", magic_name="mazurka")


def check_cell(line: str, cell: str, number: int) -> CheckedCell | None:
    """Check a cell whose magic has the options in ``line``; None if only help was asked for."""
    try:
        options = shlex.split(line)
    except ValueError as error:
        raise MazurkaError("cell", f"the options can't be read: {error}", where=f"%%mazurka {line}") from None
    end = options.index("--") if "--" in options else len(options)
    name = _written(f"# %%mazurka {line}\n{cell}", number)
    with tempfile.TemporaryDirectory(prefix="mazurka-") as folder:
        report, page, printed = Path(folder, "report.json"), Path(folder, "page.html"), Path(folder, "printed")
        outputs = ["--output", f"json:{report}", "--output", f"html:{page}"]
        arguments = [name, *options[:end], *outputs, *options[end:]]
        status, said = _run(arguments, printed)
        text = printed.read_text(encoding="utf-8", errors="replace")
        if not report.exists():
            if status not in (0, 130):
                raise MazurkaError("cell", said.strip() or f"the check ended with status {status}")
            print(text, end="")
            return None
        found = CheckedCell(json.loads(report.read_text(encoding="utf-8")), text, page.read_text(encoding="utf-8"))
    if any(_UNKNOWN in each["message"] for each in found.failures):
        print(f"mazurka: {_HINT}", file=sys.stderr)
    return found


def _written(source: str, number: int) -> str:
    """The file that gets the cell."""
    name = os.path.join(CELLS, f"cell-{number}.py")
    try:
        os.makedirs(CELLS, exist_ok=True)
        Path(name).write_text(source, encoding="utf-8", errors="surrogatepass")
    except (OSError, UnicodeError) as error:
        raise MazurkaError("cell", f"the cell can't be written: {error}", where=name) from None
    return name


def _run(arguments: list[str], printed: Path) -> tuple[int, str]:
    """The exit status, and the messages unless they have been shown: those of a request that is wrong."""
    path = os.pathsep.join(filter(None, (os.getcwd(), os.environ.get("PYTHONPATH"))))
    with printed.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "mazurka", "check", *arguments],
            env=os.environ | {"PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,  # an interrupted kernel passes it on, once
        )
    assert process.stderr is not None
    with process:
        said = _said(process, process.stderr)
    if process.returncode != _WRONG:
        return process.returncode, ""
    return process.returncode, said


def _said(process: subprocess.Popen[str], messages: IO[str]) -> str:
    """Show the notes of a running check; returns all its messages."""
    said = []
    while True:
        try:
            for line in messages:
                said.append(line)
                if line.startswith("mazurka: live page:"):
                    print(line, end="", file=sys.stderr, flush=True)
            process.wait()
            return "".join(said)
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)
