"""`mazurka reproduce`: search for an order of the threads that fails as a recorded run did."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Final

import click

from mazurka.cli.choice import SuggestingChoice
from mazurka.cli.progress import ProgressLine, is_wanted
from mazurka.cli.publishing import TEXT, outputs_of, publish
from mazurka.config import FORMATS, MEMORY_MODELS, resolve
from mazurka.explore.registry import STRATEGIES
from mazurka.workflows.checking import NullObserver
from mazurka.workflows.reproducing import Answer, Attempt, reproduce
from mazurka.workflows.store import open_store

_FOUND: Final = 1
_ERROR: Final = 2
_NOT_FOUND: Final = 3


@click.command()
@click.argument("file", type=click.Path(), metavar="FILE")
@click.option(
    "--seconds", type=click.FloatRange(min=0), default=60.0, show_default=True, help="Stop after that (0: never)"
)
@click.option(
    "--memory-model",
    type=SuggestingChoice(MEMORY_MODELS),
    default="sc",
    help="How late other threads may see a write  [default: sc]",
)
@click.option(
    "--strategy", type=SuggestingChoice(tuple(STRATEGIES)), default="auto", help="How to search  [default: auto]"
)
@click.option("--max-executions", type=click.IntRange(min=1), default=None, metavar="N", help="Stop after so many")
@click.option("--seed", type=click.IntRange(min=0), default=0, metavar="N", help="For strategies that sample")
@click.option("--path/--no-path", "steers", default=True, help="Follow the recorded paths (else only inputs are given)")
@click.option(
    "--format", "format_", type=SuggestingChoice(FORMATS), default="text", help="Report format  [default: text]"
)
@click.option("--output", multiple=True, metavar="[FORMAT:]FILE", help="A report file")
@click.option("--save/--no-save", default=True, help="Save the schedule in .mazurka")
@click.option("-q", "--quiet", is_flag=True, help="Print only errors")
@click.option("--progress/--no-progress", default=None, help="Show progress [default: in a terminal]")
def command(
    file: str,
    seconds: float,
    memory_model: str,
    strategy: str,
    max_executions: int | None,
    seed: int,
    steers: bool,
    format_: str,
    output: tuple[str, ...],
    save: bool,
    quiet: bool,
    progress: bool | None,
) -> int:
    """Search for an order of the threads in which the program fails as it did when FILE was recorded by `record
    --control-flow`; save it for `replay`. Status 1: a failure was found, 3: none was, 2: FILE can't be followed."""
    options = replace(
        resolve(),
        time_limit=seconds or None,
        memory_model=memory_model,
        strategy=strategy,
        max_executions=max_executions,
        seed=seed,
        format=format_,
        output=output,
        quiet=quiet,
    )
    outputs = outputs_of(options)
    with ProgressLine(is_wanted(progress, sys.stderr), options.time_limit) as shown:
        store = open_store(Path.cwd(), shown.note) if save else None
        attempt = reproduce(file, options, store=store, watcher=_Observer(shown), steers=steers)
    if TEXT in outputs:
        click.echo(f"{_words(attempt, file)}\n")
    publish(attempt.report, outputs)
    if attempt.report.inconsistencies:
        return _ERROR
    return _NOT_FOUND if attempt.answer is Answer.NOT_FOUND else _FOUND


class _Observer(NullObserver):
    """Shows how far the search is."""

    def __init__(self, shown: ProgressLine) -> None:
        self._shown = shown

    def progress(self, executions: int, found: int, total: float | None, deciding: bool) -> None:
        self._shown.update(executions, found, total, deciding)

    def note(self, text: str) -> None:
        self._shown.note(text)


def _words(attempt: Attempt, file: str) -> str:
    """The answer, in one line."""
    report = attempt.report
    tried = f"{report.executions:,} execution{'s' * (report.executions != 1)} in {report.seconds:.1f} s"
    name = os.path.relpath(file)
    match attempt.answer:
        case Answer.REPRODUCED:
            return f"reproduced {name}: {tried}"
        case Answer.OTHER_FAILURE:
            return f"{name} was not reproduced: another failure was found ({tried}; {report.reason})"
    return (
        f"{name} was not reproduced: {tried}, which followed {attempt.followed:.0%} of the recorded paths at most; "
        f"{report.reason}"
    )
