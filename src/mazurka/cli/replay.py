"""`mazurka replay`: run exactly one saved schedule again, and say whether it still leads to the failure."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Final

import click

from mazurka.cli.check import prepare_output, publish
from mazurka.config import FORMATS, Options, resolve
from mazurka.errors import MazurkaError
from mazurka.program.python.program import PythonProgram
from mazurka.replay.codec import is_token, load
from mazurka.replay.replayer import Ending, Replay, replay
from mazurka.replay.schedule import Schedule
from mazurka.replaying import diverged, report_of, summary
from mazurka.store import FOLDER
from mazurka.subject import PYTEST, PYTHON, RUNNER, Subject, open_program, options_of

_FOUND: Final = 1


@click.command()
@click.argument("schedule", metavar="FILE|TOKEN")
@click.option("--pdb", is_flag=True, help="Stop in the debugger where the failure happens")
@click.option("--times", type=click.IntRange(min=1), default=1, metavar="N", help="Replay so many times")
@click.option("--format", "format_", type=click.Choice(FORMATS), default="text", help="How to report  [default: text]")
@click.option("--output", default=None, metavar="FILE", help="Where to write the report")
def command(schedule: str, pdb: bool, times: int, format_: str, output: str | None) -> int:
    """Run exactly one saved schedule again, from its FILE or its TOKEN. Status 1: the failure is still there."""
    saved = load(schedule)
    if output is not None:
        prepare_output(output)
    _go_where_it_was_made(schedule)
    if saved.options.get(RUNNER) == PYTEST:
        return _with_pytest(saved, schedule, pdb, times)
    if saved.options.get(RUNNER) == PYTHON:
        raise MazurkaError(
            "schedule-of-a-call",
            "this is the schedule of a call of mazurka.api.explore, which only its own program can make",
            where=saved.target,
            hint="pass it to mazurka.api.replay there",
        )
    options = replace(options_of(saved, resolve()), format=format_, output=output)
    if pdb:
        options = replace(options, isolation="restore")  # a debugger needs the failing thread in this process
    program = open_program(Subject(saved.target, saved.arguments, saved.options), options)
    try:
        if pdb:
            from mazurka.cli.debugger import attach

            attach(program)
        result = replay(program, saved, times=times)
        if result.ending is Ending.DIVERGED:
            raise diverged(result)
        return _tell(result, program, schedule, options)
    finally:
        program.close()


def _go_where_it_was_made(schedule: str) -> None:
    """A schedule names files relative to the directory that holds its `.mazurka`."""
    if is_token(schedule):
        return
    path = Path(schedule).resolve()
    if path.parent.parent.name == FOLDER:
        os.chdir(path.parent.parent.parent)


def _tell(result: Replay, program: PythonProgram, given: str, options: Options) -> int:
    if options.format == "text" and options.output is None:
        print(summary(result))
        if result.failure is None:
            return 0
        print()
    publish(report_of(result, program, given), options)
    return _FOUND if result.failure is not None else 0


def _with_pytest(saved: Schedule, given: str, pdb: bool, times: int) -> int:
    """Have pytest run the one test by the schedule; its own output tells the rest."""
    import pytest

    from mazurka import pytest_plugin

    plugins = ["-p", "mazurka.pytest_plugin"]
    arguments = [saved.target, "--mazurka-replay", given, "--mazurka-replay-times", str(times), "--no-header", "-q"]
    if pdb:
        arguments += ["-s", "--mazurka-replay-pdb"]
    pytest_plugin.replayed = None
    status = pytest.main([*plugins, *arguments])
    outcome: int | MazurkaError | None = pytest_plugin.replayed
    if isinstance(outcome, MazurkaError):
        raise outcome
    if outcome is None:
        raise MazurkaError(
            "schedule-not-run", f"pytest did not run the test (its status is {int(status)})", where=saved.target
        )
    return outcome
