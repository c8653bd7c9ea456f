"""`mazurka trace`: a summary of a trace file, its faults, and its first rows."""

from __future__ import annotations

from collections import Counter
from typing import Final

import click
import numpy as np

from mazurka.trace.columns import Columns, Parts, assemble, joined
from mazurka.trace.event import Event, Op
from mazurka.trace.formats.format import FORMATS
from mazurka.trace.malformed import Fault, Findings, findings_of
from mazurka.trace.reading import opened
from mazurka.trace.targets import kind_of_tag
from mazurka.trace.trace import NO_VALUE, NOTHING

_FOUND: Final = 1
_KNOWN = click.Choice([known.name for known in FORMATS])
_from = click.option("--from", "from_", type=_KNOWN, default=None, help="Its format  [default: by name and content]")


@click.group()
def command() -> None:
    """Look into a trace file."""


@command.command()
@click.argument("file", type=click.Path(), metavar="FILE")
@_from
def info(file: str, from_: str | None) -> None:
    """The contents of FILE: events, threads, targets, operations."""
    rows, valued, located = 0, 0, 0
    ops: Counter[Op] = Counter()
    with opened(file, from_) as (known, parts):
        for part in parts.rows:
            rows += part.rows
            ops.update({Op(op): count for op, count in enumerate(np.bincount(part.op).tolist()) if count})
            valued += int((part.value != NO_VALUE).sum())
            located += int((part.site >= 0).sum())
    names = parts.names
    kinds = Counter(kind for kind, _ in names.targets)
    click.echo(f"{file}: {known.name}, {_count(rows, 'event')}, {_count(len(names.threads), 'thread')}")
    for kind, count in sorted(kinds.items()):
        if kind != NOTHING[0]:
            kind_row = kind_of_tag(kind)
            click.echo(f"  {count:>12,} {f'targets of kind {kind}' if kind_row is None else kind_row.words}")
    for op, count in ops.most_common():
        click.echo(f"  {count:>12,} {op.name.lower()}")
    click.echo(
        f"  {_count(len(names.locations), 'location')}, of {_share(located, rows)}; {_share(valued, rows)} have values"
    )


@command.command()
@click.argument("file", type=click.Path(), metavar="FILE")
@_from
def check(file: str, from_: str | None) -> int:
    """Whether FILE can be read and is well-formed; lists faults with their rows, and then ends with status 1."""
    with opened(file, from_) as (known, parts):
        findings = findings_of(parts)
    for fault in Fault:
        if findings.counts[fault] and fault.is_reported:
            _tell(fault, findings)
    if findings.is_odd:
        click.echo(f"{file}: {known.name}, not well-formed; `mazurka convert --repair` mends most of it")
        return _FOUND
    click.echo(f"{file}: {known.name}, well-formed")
    return 0


@command.command()
@click.argument("file", type=click.Path(), metavar="FILE")
@click.option("-n", "--rows", type=click.IntRange(min=0), default=10, show_default=True, help="Number of rows")
@click.option("--first", type=click.IntRange(min=0), default=0, show_default=True, help="First row")
@_from
def head(file: str, rows: int, first: int, from_: str | None) -> None:
    """Rows of FILE: number, thread, operation, target, value, location."""
    with opened(file, from_) as (_, parts):
        shown = _rows(parts, first, rows)
        trace = assemble(Parts(parts.names, iter([shown])))
    for event in trace.events():
        click.echo(_line(event, first + event.number))


def _rows(parts: Parts, first: int, count: int) -> Columns:
    """``count`` rows from ``first`` on; reads no further."""
    taken, before = [], 0
    for part in parts.rows:
        taken.append(part.select(slice(max(first - before, 0), max(first + count - before, 0))))
        before += part.rows
        if before >= first + count:
            break
    return joined(taken)


def _line(event: Event, number: int) -> str:
    value = "" if event.value is None else f" = {event.value}"
    place = "" if event.location is None else f"  ({event.location})"
    return f"{number:>10}  {event.thread:8} {event.op.name.lower():10} {event.target}{value}{place}".rstrip()


def _tell(fault: Fault, findings: Findings) -> None:
    click.echo(f"{findings.counts[fault]:,} x {fault.words}:")
    for row in findings.first[fault]:
        click.echo(f"  row {row}, {findings.words[row]}")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _share(part: int, whole: int) -> str:
    return "no events" if not part else "all events" if part == whole else f"{part:,} events"
