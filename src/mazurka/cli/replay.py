"""`mazurka replay`: run exactly one saved schedule again, and say whether it still leads to the failure."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Final, assert_never

import click

from mazurka.cli.check import prepare_output, publish
from mazurka.config import FORMATS, Options, resolve
from mazurka.errors import MazurkaError
from mazurka.program.python.program import PythonProgram
from mazurka.replay.anchor import portable_path
from mazurka.replay.codec import is_token, load, to_token
from mazurka.replay.replayer import Ending, Replay, replay
from mazurka.replay.schedule import Schedule
from mazurka.report.check_report import CheckReport, Verdict
from mazurka.report.explain import describe
from mazurka.report.finding import Finding
from mazurka.store import FOLDER
from mazurka.subject import PYTEST, RUNNER, Subject, open_program, options_of

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


def diverged(result: Replay) -> MazurkaError:
    """The program did something else than recorded."""
    changed = "the source has changed since" if result.program_changed else "the source is the same"
    return MazurkaError(
        "schedule-diverged",
        f"{result.difference}\n  ({changed})",
        where=result.schedule.target,
        hint="check the program again to find out whether the bug is still there",
    )


def _tell(result: Replay, program: PythonProgram, given: str, options: Options) -> int:
    if options.format == "text" and options.output is None:
        print(summary(result))
        if result.failure is None:
            return 0
        print()
    publish(report_of(result, program, given), options)
    return _FOUND if result.failure is not None else 0


def summary(result: Replay) -> str:
    """One line: what the replay came to."""
    match result.ending:
        case Ending.REPRODUCED:
            often = f", {result.reproduced} of {result.times} times" if result.times > 1 else ""
            return f"reproduced{often}: {_first_line(result)}"
        case Ending.OTHER_FAILURE:
            return f"not reproduced: the schedule now leads to another failure: {_first_line(result)}"
        case Ending.NO_FAILURE:
            return "not reproduced: the schedule was followed to its end, and the program no longer fails there"
        case Ending.DIVERGED:
            return f"not reproduced: {result.difference}"
        case never:
            assert_never(never)


def _first_line(result: Replay) -> str:
    return result.failure.message.strip().partition("\n")[0] if result.failure is not None else ""


def report_of(result: Replay, program: PythonProgram, given: str) -> CheckReport:
    """A replay's outcome as a report."""
    findings: tuple[Finding, ...] = ()
    if result.failure is not None:
        token = to_token(result.schedule)
        path = "" if is_token(given) else portable_path(os.path.abspath(given))
        finding = describe(
            result.run, result.failure, program, schedule=path, token=token, replay=f"mazurka replay {given}"
        )
        findings = (finding,)
    return CheckReport(
        target=result.schedule.target,
        verdict=Verdict.VIOLATION if findings else Verdict.INCONCLUSIVE,
        reason=summary(result) if not findings else "",
        strategy="replay",
        memory_model=result.schedule.memory_model,
        executions=result.reproduced + (result.ending is not Ending.REPRODUCED),
        seconds=result.run.seconds,
        findings=findings,
    )


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
    outcome = pytest_plugin.replayed
    if isinstance(outcome, MazurkaError):
        raise outcome
    if outcome is None:
        raise MazurkaError(
            "schedule-not-run", f"pytest did not run the test (its status is {int(status)})", where=saved.target
        )
    return outcome
