"""`mazurka replay`: run saved schedules again, exactly, and report whether they still lead to their failures.

If there are several schedules, each is replayed in a process of its own, since each loads its own program.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import click

from mazurka.cli.choice import SuggestingChoice
from mazurka.cli.exit_status import status_of
from mazurka.cli.publishing import TEXT, Output, outputs_of, publish
from mazurka.config import FORMATS, Options, resolve
from mazurka.errors import MazurkaError, UsageError
from mazurka.program.protocol import Program
from mazurka.replay.codec import is_token, load
from mazurka.replay.replayer import Ending, Replay, exported, replay
from mazurka.replay.schedule import Schedule
from mazurka.report.check_report import CheckReport
from mazurka.workflows.certifying import orders_wanted
from mazurka.workflows.program_spec import PYTEST, PYTHON, RUNNER, ProgramSpec, open_program, options_of
from mazurka.workflows.replaying import diverged, report_of, summary
from mazurka.workflows.store import FOLDER, saved_failures

_FOUND: Final = 1
_FAILED: Final = 2


@click.command()
@click.argument("schedules", type=click.Path(), metavar="[FILE|TOKEN]...", nargs=-1)
@click.option("--pdb", is_flag=True, help="Stop in the debugger where the failure happens")
@click.option("--times", type=click.IntRange(min=1), default=1, metavar="N", help="Replay so many times")
@click.option(
    "--format", "format_", type=SuggestingChoice(FORMATS), default="text", help="Report format  [default: text]"
)
@click.option("--output", multiple=True, metavar="[FORMAT:]FILE", help="A report file")
@click.option("--export", metavar="FILE", help="Write a C program that fails in this order, without Mazurka")
@click.option("-q", "--quiet", is_flag=True, help="Print only errors")
def command(
    schedules: tuple[str, ...],
    pdb: bool,
    times: int,
    format_: str,
    output: tuple[str, ...],
    export: str | None,
    quiet: bool,
) -> int:
    """Run a saved schedule again, exactly, from its FILE or its TOKEN; if none is named, the last failure saved here.
    Status 1: the failure is still there.

    Several are replayed one after the other."""

    schedules = schedules or (_latest(Path(FOLDER)),)
    options = replace(resolve(), format=format_, output=output, quiet=quiet)
    if len(schedules) == 1:
        return replay_one(schedules[0], options, pdb=pdb, times=times, export=export)
    if format_ != "text" or output or quiet or export:
        raise UsageError(
            "output",
            "a report is about one schedule",
            where="replay",
            hint="name one, or leave out --format, --output, --export and --quiet",
        )
    return _each(schedules, lambda schedule: replay_one(schedule, options, pdb=pdb, times=times))


def _latest(folder: Path) -> str:
    """The file of the failure that was saved last."""
    found = [path for path, _ in saved_failures(folder)]
    if not found:
        raise UsageError(
            "no-such-file",
            "no schedule was named, and no failure is saved here",
            where=str(folder),
            hint="name a saved schedule or a token, or run `mazurka check` first",
        )
    return str(max(found, key=lambda path: path.stat().st_mtime_ns))


def _each(schedules: tuple[str, ...], command: Callable[[str], int]) -> int:
    """The worst result of the replays: an error, then a failure that is still there, then neither."""
    statuses = []
    for number, schedule in enumerate(schedules):
        print(f"{chr(10) if number else ''}{schedule}", flush=True)
        statuses.append(_in_a_child(partial(command, schedule)))
    again = statuses.count(_FOUND)
    print(f"\n{again} of {len(schedules)} failures happened again")
    return next((status for status in statuses if status not in (0, _FOUND)), max(statuses))


def _in_a_child(command: Callable[[], int]) -> int:
    """The exit status of a command, made in a child of this process."""
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    status = _FAILED
    try:
        status = status_of(command)
        sys.stdout.flush()
    finally:
        os._exit(status)


def replay_one(schedule: str, options: Options, *, pdb: bool = False, times: int = 1, export: str | None = None) -> int:
    """Replay a schedule and write the reports; the exit status."""
    saved = load(schedule)
    outputs = outputs_of(options)
    export = os.path.abspath(export) if export else None
    _go_where_it_was_made(schedule)
    if saved.options.get(RUNNER) == PYTEST:
        return _with_pytest(saved, schedule, pdb, times, outputs, orders_wanted(options))
    if saved.options.get(RUNNER) == PYTHON:
        raise MazurkaError(
            "schedule-of-a-call",
            "this is the schedule of a call of mazurka.api.explore, which only the calling program can replay",
            where=saved.target,
            hint="pass it to mazurka.api.replay there",
        )
    options = options_of(saved, options)
    if pdb:
        options = replace(options, isolation="restore")  # a debugger needs the failing thread in this process
    program = open_program(ProgramSpec(saved.target, saved.arguments, saved.options), options)
    try:
        if pdb:
            from mazurka.cli.debugger import attach, debuggable

            attach(debuggable(program))
        result = replay(program, saved, times=times)
        if result.ending is Ending.DIVERGED:
            raise diverged(result)
        if export:
            _write(export, exported(program, result))
        return _tell(result, program, schedule, outputs, orders_wanted(options))
    finally:
        program.close()


def _write(file: str, text: str) -> None:
    try:
        Path(file).write_text(text)
    except OSError as error:
        raise UsageError("output", error.strerror or str(error), where=file) from None


def _go_where_it_was_made(schedule: str) -> None:
    """Change to the directory that holds the `.mazurka` of a schedule, which names files relative to it."""
    if is_token(schedule):
        return
    path = Path(schedule).resolve()
    if path.parent.parent.name == FOLDER:
        os.chdir(path.parent.parent.parent)


def _tell(result: Replay, program: Program, given: str, outputs: Sequence[Output], orders: bool) -> int:
    if TEXT in outputs:
        print(summary(result))
        if result.failure is None:
            outputs = [each for each in outputs if each != TEXT]
        else:
            print()
    publish(report_of(result, program, given, orders=orders), outputs)
    return _FOUND if result.failure is not None else 0


def _with_pytest(saved: Schedule, given: str, pdb: bool, times: int, outputs: Sequence[Output], orders: bool) -> int:
    """Let pytest run the one test by the schedule; pytest's own output is the report as text."""
    import pytest

    from mazurka.pytest_plugin import outcomes

    plugins = ["-p", "mazurka.pytest_plugin"]
    arguments = [saved.target, "--mazurka-replay", given, "--mazurka-replay-times", str(times), "--no-header", "-q"]
    if pdb:
        arguments += ["-s", "--mazurka-replay-pdb"]
    outcomes.replayed = outcomes.report = None
    outcomes.orders = orders
    status = pytest.main([*plugins, *arguments])
    outcome: int | MazurkaError | None = outcomes.replayed
    if isinstance(outcome, MazurkaError):
        raise outcome
    if outcome is None:
        raise MazurkaError(
            "schedule-not-run", f"pytest did not run the test (its status is {int(status)})", where=saved.target
        )
    report: CheckReport | None = outcomes.report
    if report is not None:
        publish(report, [each for each in outputs if each != TEXT])
    return outcome
