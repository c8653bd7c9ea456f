"""`mazurka check`: run programs and tests in every relevant order of their threads, and report.

Arguments before ``--`` are targets (:mod:`mazurka.cli.targets`), those after it are the program's. One program is
checked and reported alone; several targets have one report, whose text ends with a table (:mod:`mazurka.cli.several`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import click

from mazurka.cli.choice import SuggestingChoice
from mazurka.cli.live.sender import LiveSender
from mazurka.cli.progress import ProgressLine, is_wanted
from mazurka.cli.publishing import TEXT, Output, outputs_of, publish, publish_part, publish_summary
from mazurka.cli.settings import given, setting_options
from mazurka.cli.targets import Targets, targets_of
from mazurka.cli.watched import checked, get_ready
from mazurka.config import Options, resolve
from mazurka.errors import UsageError
from mazurka.explore.registry import import_strategy
from mazurka.program.front_ends import FRONT_ENDS
from mazurka.report.check_report import CheckReport, Verdict
from mazurka.workflows.asked import settings_for
from mazurka.workflows.program_spec import import_front_end, subject_of

if TYPE_CHECKING:
    from mazurka.cli.several import SeveralChecks

_FOUND: Final = 1
_ERROR: Final = 2
_CRASHED: Final = _ERROR
_INCOMPLETE: Final = 3
_NOTHING_TO_EXPLORE: Final = 5  # the status by which pytest says that it has run no tests
_INTERRUPTED: Final = 130

#: The statuses of several targets, the worst first; only if all have the last one, so has the check.
_WORST_FIRST: Final = (_ERROR, _FOUND, _INCOMPLETE, 0, _NOTHING_TO_EXPLORE)

_CHANGED: Final = "--changed"
_LIVE: Final = "--live"

#: Options whose value may be left out, with the value that it has then.
_UNSAID: Final = {_CHANGED: "HEAD", _LIVE: "0"}

_ARGUMENTS: Final = "arguments"

#: Leaves out the findings that are not asked for.
_Filter = Callable[[CheckReport], CheckReport]


#: The options that `--help` shows first, and the others in groups; those of no group come last.
_GROUPS: Final = {
    "Options": "-m --time-limit --include --all-failures --races --require --format --output",
    "Search": "--strategy --memory-model --max-executions --max-steps --jobs --seed --timing --isolation --solver "
    "--search-order --cutoffs --max-memory",
    "Findings": "--property --invariant --leaks --only --ignore --baseline --write-baseline --changed",
}


class _CheckCommand(click.Command):
    """A command that knows which of its arguments come after ``--``, and whose option ``--changed`` takes a value only
    in the form ``--changed=COMMIT``, as ``--live`` does a port: otherwise it would take the next target for one."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        own = [f"{each}={_UNSAID[each]}" if each in _UNSAID else each for each in args[:end]]
        ctx.meta[_ARGUMENTS] = tuple(args[end + 1 :])
        return super().parse_args(ctx, own)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups = {name: group for group, names in _GROUPS.items() for name in names.split()}
        found: dict[str, list[tuple[str, str]]] = {group: [] for group in (*_GROUPS, "Other")}
        for each in self.get_params(ctx):
            if (record := each.get_help_record(ctx)) is not None:
                found[groups.get(each.opts[0], "Other")].append(record)
        for group, records in found.items():
            with formatter.section(group):
                formatter.write_dl(records)


@click.command(cls=_CheckCommand)
@click.argument("targets", nargs=-1, type=click.Path(), metavar="TARGET... [-- ARGS]")
@click.option("-m", "modules", multiple=True, metavar="MODULE", help="Run this module, as `python -m` does")
@setting_options
@click.option(
    "--program",
    "front_end",
    type=SuggestingChoice(tuple(FRONT_ENDS)),
    default=None,
    help="The language of programs  [default: by name or first line]",
)
@click.option(_CHANGED, default=None, metavar="[=COMMIT]", help="Report findings in lines changed since COMMIT (HEAD)")
@click.option(
    _LIVE,
    default=None,
    metavar="[=PORT]",
    type=click.IntRange(0, 65535),
    help="Show the check in a browser while it runs",
)
@click.option("--progress/--no-progress", default=None, help="Show progress [default: in a terminal]")
@click.pass_context
def command(
    context: click.Context,
    /,
    targets: tuple[str, ...],
    modules: tuple[str, ...],
    front_end: str | None,
    changed: str | None,
    live: int | None,
    progress: bool | None,
    **values: Any,
) -> int:
    """Run each TARGET in every relevant order of its threads; report failures. Targets are Python files
    (PROGRAM[::FUNCTION]), tests (FILE::TEST), and folders of tests."""
    overrides = given(values | {"targets": (*targets, *(f"-m {each}" for each in modules))})
    overrides["properties"], asked = settings_for(overrides.get("properties", ()))
    overrides |= {**asked, "only": (*overrides.get("only", ()), *asked.get("only", ()))}
    overrides = {name: value for name, value in overrides.items() if value != () or name == "targets"}
    wanted = _only_changed(changed)
    if changed is not None:
        overrides["all_failures"] = True  # the first one may be no change's
    options = resolve(overrides)
    if not options.targets:
        raise UsageError(
            "no-such-file",
            "no target was named",
            where="check",
            hint="name a Python file, or targets in [tool.mazurka]",
        )
    arguments: tuple[str, ...] = context.meta[_ARGUMENTS]
    chosen = targets_of(options.targets)
    outputs = outputs_of(options)
    shows = is_wanted(progress, sys.stderr)
    sender = LiveSender(live is not None, live or 0)
    if chosen.is_one_program and len(set(options.targets)) == 1:
        return _one(chosen.programs[0], arguments, front_end or "", options, outputs, shows, wanted, sender)
    _require_no_arguments(arguments, chosen)
    from mazurka.cli.several import SeveralChecks

    overrides.pop("targets", None)
    import_strategy(options.strategy)
    checks = SeveralChecks(chosen, options, overrides, arguments, front_end or "", shows, sender)
    with sender:
        _show_address(sender)
        return _several(checks, options, outputs, wanted)


def _show_address(sender: LiveSender) -> None:
    if sender.address:
        print(f"mazurka: live page: {sender.address}", file=sys.stderr, flush=True)


def _one(
    program: str,
    arguments: tuple[str, ...],
    front_end: str,
    options: Options,
    outputs: Sequence[Output],
    shows: bool,
    wanted: _Filter,
    sender: LiveSender,
) -> int:
    subject = subject_of(program, arguments, options, front_end)
    import_front_end(subject)  # before the clock starts, like all other imports
    import_strategy(options.strategy)
    get_ready()
    started = perf_counter()
    with sender:
        _show_address(sender)
        with ProgressLine(shows, options.time_limit) as shown:
            done = checked(subject, options, shown, started, sender)
        report = wanted(done.report)
        sender.send(("report", report, True))
    publish(report, outputs)
    return _CRASHED if done.crashed and not report.findings else status_of(report, options, done.interrupted)


def _several(checks: SeveralChecks, options: Options, outputs: Sequence[Output], wanted: _Filter) -> int:
    """Check several targets; text on standard output appears as targets are done."""
    from mazurka.report.check_report import combined

    reports: list[CheckReport] = []
    for report in checks.reports():
        reports.append(wanted(report))
        if checks.live.wanted:
            checks.live.send(("report", combined(reports), False))
        if TEXT in outputs:
            publish_part(reports[-1])
        elif report.error:
            print(f"mazurka: error: {report.target}: {report.error}", file=sys.stderr)
    if not reports:
        return _INTERRUPTED
    whole = combined(reports)
    checks.live.send(("report", whole, True))
    if TEXT in outputs:
        publish_summary(whole)
    publish(whole, [each for each in outputs if each != TEXT])
    if checks.crashed:
        return _CRASHED
    statuses = [status_of(report, options, False) for report in reports]
    worst = next(each for each in _WORST_FIRST if each in statuses)
    return _INTERRUPTED if checks.interrupted and worst not in (_ERROR, _FOUND) else worst


def _require_no_arguments(arguments: tuple[str, ...], chosen: Targets) -> None:
    """Raise the error that arguments were given for several targets, which differ in their meaning of them."""
    if arguments:
        number = len(chosen.programs) + len(chosen.tests)
        problem = f"arguments after -- are for one program, not for {number} targets"
        raise UsageError("no-such-file", problem, where="check", hint="check the program alone")


def _only_changed(commit: str | None) -> _Filter:
    if commit is None:
        return lambda report: report
    from mazurka.workflows.changes import changes_since, touched

    changes = changes_since(commit)
    return lambda report: touched(report, changes)


def status_of(report: CheckReport, options: Options, interrupted: bool) -> int:
    """The exit status for a report."""
    if report.error:
        return _ERROR
    if report.verdict is Verdict.VIOLATION:
        return _FOUND
    if report.inconsistencies:
        return _ERROR
    if interrupted:
        return _INTERRUPTED
    if report.explored_nothing:
        return _NOTHING_TO_EXPLORE
    if not report.covers(options.require_complete, options.require):
        return _INCOMPLETE
    return 0
