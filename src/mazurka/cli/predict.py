"""`mazurka predict`: find the bugs that another order of a recorded trace would show, and report."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Final

import click

from mazurka.cli.choice import SuggestingChoice
from mazurka.cli.progress import ProgressLine, is_wanted
from mazurka.cli.publishing import Output, output_of, publish
from mazurka.config import FORMATS
from mazurka.errors import MazurkaError, UsageError, did_you_mean
from mazurka.predict.kinds.registry import CALL_ORDER, ENGINES, KINDS, need_no_order

if TYPE_CHECKING:
    from mazurka.predict.engines import ProvenBug
    from mazurka.predict.warm_up import Compiling
    from mazurka.properties.property import Property
    from mazurka.workflows.predicting import Numbered

_FOUND: Final = 1
_ERROR: Final = 2
_INCOMPLETE: Final = 3
_INTERRUPTED: Final = 130

#: The formats that show the steps around a prediction.
_DETAILED: Final = frozenset({"html", "json", "perfetto", "dot", "mermaid", "github"})

#: The kinds that are reported by default.
_DEFAULT: Final = "races,deadlocks"

#: Names of kinds on the command line: those in findings.
_KINDS: Final = {kind.option: kind.name for kind in KINDS.values()}


@click.command()
@click.argument("trace", type=click.Path(), metavar="TRACE")
@click.option(
    "--engine",
    type=SuggestingChoice(tuple(ENGINES)),
    default=next(iter(ENGINES)),
    show_default=True,
    help="Prediction algorithm",
)
@click.option(
    "--kind",
    default=None,
    metavar="KIND,...",
    help=f"Bug kinds to report: {', '.join(_KINDS)}  [default: races,deadlocks, unless --property is given]",
)
@click.option(
    "--property",
    "properties",
    multiple=True,
    metavar="NAME|FILE",
    help="Report violations of a property  [default: those that the recording names]",
)
@click.option("--window", type=click.IntRange(min=2), default=None, metavar="N", help="Reorder N events at a time")
@click.option(
    "--time-limit", type=click.FloatRange(min=0), default=60.0, show_default=True, metavar="SECONDS", help="0: no limit"
)
@click.option("--spec", multiple=True, metavar="FILE", help="Specification whose models in Python may be run")
@click.option("--suppressions", default=None, metavar="FILE", help="Findings not to report")
@click.option(
    "--format", "form", type=SuggestingChoice(FORMATS), default="text", show_default=True, help="Report format"
)
@click.option(
    "--output",
    default=None,
    metavar="[FORMAT:]FILE",
    help="Report file; its format is given before its name or by its suffix",
)
@click.option(
    "--from", "origin", default=None, metavar="FORMAT", help="The trace's format  [default: by name and content]"
)
@click.option("--repair", is_flag=True, help="Mend the faults that `mazurka trace check` finds; list the changes")
@click.option("--complete", is_flag=True, help="No thread goes on after its last event in the trace")
@click.option(
    "--per-thread", is_flag=True, help="TRACE has an order for each thread only, or is a folder of logs of threads"
)
@click.option("--confirm", is_flag=True, help="Run each finding on the recorded program")
@click.option("--require-complete", is_flag=True, help="Status 3 if anything was left undecided")
@click.option("--progress/--no-progress", default=None, help="Show progress [default: in a terminal]")
def command(
    trace: str,
    engine: str,
    kind: str | None,
    properties: tuple[str, ...],
    window: int | None,
    time_limit: float,
    spec: tuple[str, ...],
    suppressions: str | None,
    form: str,
    output: str | None,
    origin: str | None,
    repair: bool,
    complete: bool,
    per_thread: bool,
    confirm: bool,
    require_complete: bool,
    progress: bool | None,
) -> int:
    """Find the bugs that another order of the events in TRACE (a file, or a recording by `mazurka record`) would
    show."""
    from mazurka.causal.thread_logs import merged
    from mazurka.predict.kinds.registry import add_property
    from mazurka.predict.suppressions import read_suppressions
    from mazurka.predict.warm_up import Compiling
    from mazurka.trace.validated import read_reliably
    from mazurka.workflows.predicting import Numbered, Request, predict
    from mazurka.workflows.recorded_properties import recorded_properties, require_events

    wanted = _properties(properties)
    stated = [each for of_name in wanted.values() for each in of_name] or recorded_properties(Path(trace))
    names = dict.fromkeys(add_property(each).name for each in stated)
    kinds = (*_kinds(kind if kind is not None else "" if properties else _DEFAULT), *names)
    told = output_of(output, form) if output is not None else Output(form)
    if not any(each in ENGINES[engine] for each in kinds):
        raise UsageError("no-such-kind", f"engine {engine} finds no {', '.join(kinds)}", hint="take --engine auto")
    rules = read_suppressions(suppressions) if suppressions is not None else []
    searched = tuple(each for each in kinds if each in ENGINES[engine])
    request = Request(trace, engine, searched, window, time_limit or None, rules, told.form in _DETAILED)
    compiling = Compiling(Path(trace))
    if compiling.is_lacking:
        _tell("numba, which compiles the search of long traces, is not installed; pip install 'mazurka[numba]'")
    if per_thread:
        need_no_order(kinds)
    numbered = Numbered(*read_reliably(trace, origin, repair, _tell, complete, merged if per_thread else None))
    require_events(Path(trace), numbered.trace, wanted)
    if CALL_ORDER in kinds:
        for why in _left_out(numbered, spec):
            _tell(why)
    with (
        _PredictObserver(ProgressLine(is_wanted(progress, sys.stderr)), compiling) as watcher,
        _confirmer(trace, numbered, confirm) as happens,
    ):
        watcher.waits()
        try:
            report = predict(numbered, request, watcher, happens)
        except MemoryError:
            message, hint = "there is not enough memory for it", "take fewer events at a time: --window 20000"
            raise MazurkaError("trace-too-large", message, where=trace, hint=hint) from None
    publish(report, [told])
    if report.findings:
        return _FOUND
    if report.refused:
        return _ERROR
    if watcher.stopped():
        return _INTERRUPTED
    return _INCOMPLETE if require_complete and report.is_incomplete else 0


@contextmanager
def _confirmer(path: str, numbered: Numbered, wanted: bool) -> Iterator[Callable[[ProvenBug], bool | None] | None]:
    """A function that runs findings on the program, if that is wanted."""
    if not wanted:
        yield None
        return
    from mazurka.workflows.confirming import Confirmer

    confirmer = Confirmer(Path(path), numbered.trace)
    try:
        yield confirmer.happens
    finally:
        confirmer.close()
        if confirmer.trouble:
            print(f"mazurka: the program can't be followed: {confirmer.trouble}", file=sys.stderr)


def _left_out(numbered: Numbered, specifications: Iterable[str]) -> Iterator[str]:
    """Messages about types whose calls are left out; the specifications named on the command line may be run."""
    from mazurka.commute.named import shared_type, trust
    from mazurka.trace.invocations import called_types

    for file in specifications:
        if not Path(file).is_file():
            raise UsageError("no-such-file", "there is no such file", where=file)
        trust(file)
    for name in called_types(numbered.trace):
        try:
            shared_type(name)
        except MazurkaError as error:
            if "/" in name:
                yield f"calls of {name.rpartition('/')[2]} are left out: {error}"


def _tell(message: str) -> None:
    print(f"mazurka: {message}", file=sys.stderr)


def _kinds(given: str) -> tuple[str, ...]:
    """The requested kinds of findings, in the order in which they are searched for."""
    names = [name.strip() for name in given.split(",") if given]
    unknown = [name for name in names if name not in _KINDS]
    if unknown:
        hint = did_you_mean(unknown[0], _KINDS) or f"take some of {', '.join(_KINDS)}"
        raise UsageError("no-such-kind", f"there is no kind {unknown[0]!r}", hint=hint)
    return tuple([_KINDS[name] for name in _KINDS if name in names])


def _properties(names: Iterable[str]) -> dict[str, tuple[Property, ...]]:
    """The properties of these names and files."""
    if not names:
        return {}
    from mazurka.properties.registry import find

    return {name: find(name) for name in names}


class _PredictObserver:
    """Shows progress, and takes the first Ctrl-C for a request to report the findings so far."""

    def __init__(self, progress: ProgressLine, compiling: Compiling) -> None:
        self._progress = progress
        self._compiling = compiling
        self._stopped = False

    def __enter__(self) -> _PredictObserver:
        self._before = signal.signal(signal.SIGINT, self._stop)
        self._progress.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._progress.__exit__(*exception)
        signal.signal(signal.SIGINT, self._before)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._stopped = True
        signal.signal(number, signal.SIG_DFL)

    def waits(self) -> None:
        """Show that the kernels for long traces are being compiled."""
        if self._compiling.is_under_way():
            self._progress.show("compiling the kernels for long traces, this once")
        self._compiling.wait()
        self._progress.show("looking")

    def compiles(self) -> None:
        self._compiling.begin()
        self.waits()

    def found(self, number: int, stage: str) -> None:
        self._progress.show(f"{number} found, {stage}")

    def confirming(self, number: int, of: int) -> None:
        self._progress.show(f"running the program: finding {number} of {of}")

    def stopped(self) -> bool:
        return self._stopped
