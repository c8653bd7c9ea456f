"""`mazurka convert`: a trace in another format."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import click

from mazurka.errors import UsageError
from mazurka.trace.columns import Columns, Parts, assemble, parts_of
from mazurka.trace.formats.format import FORMATS, Format, format_for, named
from mazurka.trace.formats.source import STANDARD
from mazurka.trace.reading import opened
from mazurka.trace.writing import write_trace

_KNOWN = click.Choice([known.name for known in FORMATS])


@click.command()
@click.argument("source", type=click.Path(), metavar="IN")
@click.argument("target", type=click.Path(), metavar="OUT")
@click.option("--from", "from_", type=_KNOWN, default=None, help="The format of IN  [default: by name and content]")
@click.option("--to", type=_KNOWN, default=None, help="The format of OUT  [default: by its name]")
@click.option("--repair", is_flag=True, help="Mend the faults that `mazurka trace check` finds; list the changes")
@click.option("--per-thread", is_flag=True, help="OUT is a folder, which gets a log of each thread  [format: csv]")
def command(source: str, target: str, from_: str | None, to: str | None, repair: bool, per_thread: bool) -> None:
    """Write the trace IN to OUT (`-` for standard input or output) in another format. Reports data that the format
    can't hold."""
    tell = partial(click.echo, err=target == str(STANDARD))
    if per_thread:
        _write_logs(source, from_, Path(target), named(to or "csv"), repair)
        return
    into = named(to) if to else format_for(target)
    with opened(source, from_) as (_, parts):
        if repair:
            parts = _repaired(parts, tell)
        counted = _Counted(parts)
        losses = write_trace(counted.parts, target, into)
    tell(f"wrote {counted.rows:,} events to {target} ({into.name})")
    for loss in losses:
        tell(f"  lost: {loss}")


def _write_logs(source: str, from_: str | None, folder: Path, into: Format, repair: bool) -> None:
    """Write a log of each thread into a folder that has no files yet."""
    from mazurka.trace.thread_logs import logs_of_threads

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError("output", "it exists, and is no empty folder", where=str(folder), hint="name another one")
    with opened(source, from_) as (_, parts):
        trace = assemble(_repaired(parts, click.echo) if repair else parts)
    folder.mkdir(parents=True, exist_ok=True)
    losses: dict[str, None] = {}
    for number, (thread, log) in enumerate(logs_of_threads(trace)):
        name = re.sub(r"[^\w.-]", "_", f"{number:04}-{thread}")
        path = folder / f"{name}.{into.name}"
        losses.update(dict.fromkeys(write_trace(parts_of(log), path, into)))
        click.echo(f"wrote {len(log.op):,} events to {path}")
    for loss in losses:
        click.echo(f"  lost: {loss}")


def _repaired(parts: Parts, tell: Callable[[str], None]) -> Parts:
    from mazurka.trace.repair import repaired

    done = repaired(assemble(parts))
    for mend in done.mends:
        tell(f"mended: {mend}")
    for mend in done.left:
        tell(f"left as it is: {mend}")
    return parts_of(done.trace)


class _Counted:
    """Counts the rows that pass."""

    def __init__(self, parts: Parts) -> None:
        self.rows = 0
        self.parts = Parts(parts.names, map(self._pass, parts.rows))

    def _pass(self, rows: Columns) -> Columns:
        self.rows += rows.rows
        return rows
