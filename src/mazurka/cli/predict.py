"""`mazurka predict`: find the bugs that another order of a recorded trace would show, and report."""

from __future__ import annotations

import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Final

import click

from mazurka.cli.check import prepare_output, write_whole
from mazurka.cli.progress import Progress, is_wanted
from mazurka.errors import MazurkaError, UsageError
from mazurka.report.render import DEFAULT_WIDTH

if TYPE_CHECKING:
    from mazurka.predict.engines import Found
    from mazurka.predicting import Numbered
    from mazurka.trace.faults import Fault, Findings

_FOUND: Final = 1
_ERROR: Final = 2
_INCOMPLETE: Final = 3
_INTERRUPTED: Final = 130

#: The names of engines, the default first (a test compares them with the engines, which take time to import).
ENGINES: Final = ("auto", "hb", "shb", "wcp", "dc", "wdc", "syncp", "seqcheck", "maximal")

#: What can be looked for, and what it is called in findings.
KINDS: Final = {"races": "race", "deadlocks": "deadlock", "atomicity": "atomicity", "inversions": "inversion"}

#: Of each event it is known which events of each thread came before it, if there are no more threads than this.
MOST_THREADS: Final = 1 << 13

_FORMATS: Final = ("text", "json", "sarif")


@click.command()
@click.argument("trace", metavar="TRACE")
@click.option("--engine", type=click.Choice(ENGINES), default=ENGINES[0], show_default=True, help="How to look")
@click.option(
    "--kind", default="races,deadlocks", show_default=True, metavar="KIND,...", help=f"What for: {', '.join(KINDS)}"
)
@click.option("--window", type=click.IntRange(min=2), default=None, metavar="N", help="Reorder N events at a time")
@click.option(
    "--time-limit", type=click.FloatRange(min=0), default=60.0, show_default=True, metavar="SECONDS", help="0: no limit"
)
@click.option("--suppressions", default=None, metavar="FILE", help="Findings not to report")
@click.option("--format", "form", type=click.Choice(_FORMATS), default="text", show_default=True, help="How to report")
@click.option("--output", default=None, metavar="FILE", help="Where to write the report")
@click.option(
    "--from", "origin", default=None, metavar="FORMAT", help="The trace's format  [default: what it looks like]"
)
@click.option("--repair", is_flag=True, help="Mend what `mazurka trace check` finds; say what was done")
@click.option("--confirm", is_flag=True, help="Run what is found on the program that was recorded")
@click.option("--require-complete", is_flag=True, help="Status 3 if anything was left undecided")
@click.option("--progress/--no-progress", default=None, help="Show progress [default: in a terminal]")
def command(
    trace: str,
    engine: str,
    kind: str,
    window: int | None,
    time_limit: float,
    suppressions: str | None,
    form: str,
    output: str | None,
    origin: str | None,
    repair: bool,
    confirm: bool,
    require_complete: bool,
    progress: bool | None,
) -> int:
    """Find the bugs that another order of the events in TRACE (a file, or what `mazurka record` wrote) would show."""
    from mazurka.predict.engines import ENGINES as TIERS
    from mazurka.predict.suppressions import read_suppressions
    from mazurka.predicting import Request, predict

    kinds = _kinds(kind)
    if output is not None:
        prepare_output(output)
    if not any(each in TIERS[engine] for each in kinds):
        raise UsageError("no-such-kind", f"engine {engine} finds no {kind}", hint="take --engine auto")
    rules = read_suppressions(suppressions) if suppressions is not None else []
    request = Request(
        trace, engine, tuple(each for each in kinds if each in TIERS[engine]), window, time_limit or None, rules
    )
    numbered = _read(trace, origin, repair)
    with (
        _Watcher(Progress(is_wanted(progress, sys.stderr))) as watcher,
        _confirmer(trace, numbered, confirm) as happens,
    ):
        try:
            report = predict(numbered, request, watcher, happens)
        except MemoryError:
            what, hint = "there is not enough memory for it", "take fewer events at a time: --window 20000"
            raise MazurkaError("trace-too-large", what, where=trace, hint=hint) from None
    text = import_module(f"mazurka.report.predictions_{form}").render(report, _width())
    if output is not None:
        write_whole(Path(output), text)
    else:
        sys.stdout.write(text)
        sys.stdout.flush()
    if report.findings:
        return _FOUND
    if report.refused:
        return _ERROR
    if watcher.stopped():
        return _INTERRUPTED
    return _INCOMPLETE if require_complete and report.undecided else 0


@contextmanager
def _confirmer(path: str, numbered: Numbered, wanted: bool) -> Iterator[Callable[[Found], bool] | None]:
    """What runs findings on the program, if that is wanted."""
    if not wanted:
        yield None
        return
    from mazurka.confirming import Confirmer

    confirmer = Confirmer(Path(path), numbered.trace)
    try:
        yield confirmer.happens
    finally:
        confirmer.close()


def _read(path: str, origin: str | None, repair: bool) -> Numbered:
    """A trace whose locks can be relied upon; says so if there is something odd about its threads."""
    from mazurka.predicting import Numbered
    from mazurka.trace.columns import parts_of
    from mazurka.trace.faults import Fault, findings_of
    from mazurka.trace.reading import read_trace
    from mazurka.trace.repair import repaired

    trace = read_trace(path, origin)
    if len(trace.threads) > MOST_THREADS:
        what = f"{len(trace.threads):,} threads; no more than {MOST_THREADS:,} can be looked at"
        raise MazurkaError("trace-too-large", what, where=path)
    if repair:
        done = repaired(trace)
        for mend in (*done.mends, *(f"left as it is: {each}" for each in done.left)):
            print(f"mazurka: {mend}", file=sys.stderr)
        return Numbered(done.trace, done.rows)
    found = findings_of(parts_of(trace))
    for fault in (Fault.TAKEN_WHILE_HELD, Fault.NOT_HELD):
        if found.counts[fault]:
            raise MazurkaError(
                "trace-locks",
                f"{_first(found, fault)}, so nothing can be said of other orders",
                where=path,
                hint="mend the trace with --repair",
            )
    for fault in (Fault.STARTED_TWICE, Fault.STARTED_LATE, Fault.AFTER_END, Fault.AFTER_JOIN):
        if found.counts[fault]:
            print(f"mazurka: {_first(found, fault)}; see `mazurka trace check`", file=sys.stderr)
    return Numbered(trace)


def _first(found: Findings, fault: Fault) -> str:
    row = found.first[fault][0]
    return f"event {row} ({found.words[row]}) {fault.words}"


def _kinds(given: str) -> tuple[str, ...]:
    """The kinds of findings that are asked for, in the order in which they are looked for."""
    names = [name.strip() for name in given.split(",")]
    unknown = [name for name in names if name not in KINDS]
    if unknown:
        raise UsageError("no-such-kind", f"there is no kind {unknown[0]!r}", hint=f"take some of {', '.join(KINDS)}")
    return tuple([KINDS[name] for name in KINDS if name in names])


def _width() -> int:
    return shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns if sys.stdout.isatty() else DEFAULT_WIDTH


class _Watcher:
    """Shows progress, and takes the first Ctrl-C for a wish to see what has been found so far."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._stopped = False

    def __enter__(self) -> _Watcher:
        self._before = signal.signal(signal.SIGINT, self._stop)
        self._progress.__enter__()
        self._progress.tell("looking (the first time, what goes through long traces is compiled)")
        return self

    def __exit__(self, *exception: object) -> None:
        self._progress.__exit__(*exception)
        signal.signal(signal.SIGINT, self._before)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._stopped = True
        signal.signal(number, signal.SIG_DFL)

    def found(self, number: int, tier: str) -> None:
        self._progress.tell(f"{number} found, {tier}")

    def stopped(self) -> bool:
        return self._stopped
