"""`mazurka check`: run a program in every relevant order of its threads, and report."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import click

from mazurka.checking import check
from mazurka.cli.interrupt import Interrupt
from mazurka.cli.progress import Progress, is_wanted
from mazurka.cli.settings import given, setting_options
from mazurka.config import Options, resolve
from mazurka.errors import UsageError
from mazurka.report.check_report import CheckReport, Verdict
from mazurka.report.render import DEFAULT_WIDTH, renderer
from mazurka.store import open_store
from mazurka.subject import open_program, subject_of

_FOUND: Final = 1
_ERROR: Final = 2
_INCOMPLETE: Final = 3
_INTERRUPTED: Final = 130


@click.command()
@click.argument("program", metavar="PROGRAM[::FUNCTION]")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- ARGS]...")
@setting_options
@click.option("--progress/--no-progress", default=None, help="Show progress [default: in a terminal]")
def command(program: str, arguments: tuple[str, ...], progress: bool | None, **values: Any) -> int:
    """Run PROGRAM (a Python file), or one function of it, in every relevant order of its threads; report what fails."""
    options = resolve(given(values))
    if options.output is not None:
        prepare_output(options.output)
    watcher = Watcher(Progress(is_wanted(progress, sys.stderr), options.time_limit))
    directory = Path.cwd()
    subject = subject_of(program, arguments, options)
    store = open_store(directory, watcher.note) if options.save else None
    loaded = open_program(subject, options, store.cache if store else None)
    with watcher:
        try:
            report = check(loaded, subject, options, store=store, watcher=watcher)
        finally:
            loaded.close()
    publish(report, options)
    return status_of(report, options, watcher.interrupted())


class Watcher:
    """Shows progress, and takes Ctrl-C for a wish to stop."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._interrupt = Interrupt()

    def __enter__(self) -> Watcher:
        self._interrupt.__enter__()
        self._progress.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._progress.__exit__(*exception)
        self._interrupt.__exit__(*exception)

    def interrupted(self) -> bool:
        return self._interrupt.requested

    def progress(self, executions: int, found: int, total: float | None) -> None:
        self._progress.update(executions, found, total)

    def note(self, text: str) -> None:
        self._progress.note(text)


def status_of(report: CheckReport, options: Options, interrupted: bool) -> int:
    """The exit status that a report amounts to."""
    if report.verdict is Verdict.VIOLATION:
        return _FOUND
    if report.inconsistencies:
        return _ERROR
    if interrupted:
        return _INTERRUPTED
    if report.verdict is Verdict.INCONCLUSIVE and options.require_complete:
        return _INCOMPLETE
    return 0


def prepare_output(name: str) -> None:
    """Say now, not after a long check, that a report can't be written."""
    path = Path(name)
    if path.is_dir():
        raise UsageError("output", "this is a directory", where=name, hint="name a file")
    if not os.access(path.parent, os.W_OK):
        raise UsageError("output", "a file can't be written there", where=name)


def publish(report: CheckReport, options: Options) -> None:
    """Write the report to where it is wanted."""
    if options.output is not None:
        write_whole(Path(options.output), renderer(options.format).render(report))
        return
    terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns if terminal else DEFAULT_WIDTH
    colour = terminal and not os.environ.get("NO_COLOR")
    sys.stdout.write(renderer(options.format, width=width, colour=colour).render(report))
    sys.stdout.flush()


def write_whole(path: Path, text: str) -> None:
    """All of it or nothing."""
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        os.replace(temporary, path)
    except OSError as error:
        if temporary:
            os.unlink(temporary)
        raise UsageError("output", f"can't be written: {error.strerror}", where=str(path)) from None
