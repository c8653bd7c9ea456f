"""`mazurka check`: run a program in every relevant order of its threads, and report."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import Any, Final

import click

from mazurka.cli.choice import SuggestingChoice
from mazurka.cli.progress import ProgressLine, is_wanted
from mazurka.cli.publishing import outputs_of, publish
from mazurka.cli.settings import given, setting_options
from mazurka.cli.watched import checked
from mazurka.config import Options, resolve
from mazurka.explore.registry import import_strategy
from mazurka.program.front_ends import FRONT_ENDS
from mazurka.report.check_report import CheckReport, Verdict
from mazurka.workflows.program_spec import import_front_end, subject_of

_FOUND: Final = 1
_ERROR: Final = 2
_CRASHED: Final = _ERROR
_INCOMPLETE: Final = 3
_NOTHING_TO_EXPLORE: Final = 5  # the status by which pytest says that it has run no tests
_INTERRUPTED: Final = 130


@click.command()
@click.argument("program", metavar="PROGRAM[::FUNCTION]")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- ARGS]...")
@setting_options
@click.option(
    "--program",
    "front_end",
    type=SuggestingChoice(tuple(FRONT_ENDS)),
    default=None,
    help="The language of PROGRAM  [default: by its name or first line]",
)
@click.option("--progress/--no-progress", default=None, help="Show progress [default: in a terminal]")
def command(
    program: str, arguments: tuple[str, ...], front_end: str | None, progress: bool | None, **values: Any
) -> int:
    """Run PROGRAM (a Python file), or one function of it, in every relevant order of its threads; report failures."""
    options = resolve(given(values))
    outputs = outputs_of(options)
    subject = subject_of(program, arguments, options, front_end or "")
    import_front_end(subject)  # before the clock starts, like all other imports
    import_strategy(options.strategy)
    started = perf_counter()
    with ProgressLine(is_wanted(progress, sys.stderr), options.time_limit) as shown:
        done = checked(subject, options, shown, started)
    publish(done.report, outputs)
    return _CRASHED if done.crashed and not done.report.findings else status_of(done.report, options, done.interrupted)


def status_of(report: CheckReport, options: Options, interrupted: bool) -> int:
    """The exit status for a report."""
    if report.verdict is Verdict.VIOLATION:
        return _FOUND
    if report.inconsistencies:
        return _ERROR
    if interrupted:
        return _INTERRUPTED
    if report.explored_nothing:
        return _NOTHING_TO_EXPLORE
    if report.verdict is Verdict.INCONCLUSIVE and options.require_complete:
        return _INCOMPLETE
    return 0
