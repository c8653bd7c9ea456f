"""`mazurka recording`: what is in a recording of control flow, and the lines that its threads executed."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

from mazurka.cli.control_flow import losses
from mazurka.errors import UsageError
from mazurka.flow.files import read
from mazurka.flow.reading import ThreadFlow, flow_of, lines_of, names_of, plan_of, require_unchanged
from mazurka.flow.recording import Ended, Recording
from mazurka.trace.event import Location


@click.group()
def command() -> None:
    """Look into a recording of control flow."""


_file = click.argument("file", type=click.Path(), metavar="FILE")


@command.command()
@_file
def info(file: str) -> None:
    """The contents of FILE: program, end, threads, what isn't in it."""
    recording = read(file)
    about, ending = recording.about, recording.ending
    arguments = " ".join([*about["flags"], *about["arguments"]])
    click.echo(f"{file}: {os.path.relpath(about['target'])}{' ' * bool(arguments)}{arguments}")
    click.echo(f"  {ending.words}")
    changed = recording.changed_files()
    click.echo(f"  program {about['identity'][:12]}, build {about['build'][:12]}, {_changes(changed)}")
    kept = f"a ring of {about['ring']:,} bytes a thread" if about["ring"] else "all of each thread"
    stamps = f", a time stamp after {about['stamps']} numbers" if about["stamps"] else ""
    click.echo(f"  {kept}{stamps}; inputs up to {about['inputs']:,} bytes a thread")
    plan = plan_of(recording)
    for thread in recording.threads:
        flow = flow_of(recording, plan, thread)
        click.echo(f"  thread {flow.name}: {thread.size:,} bytes, {len(flow.blocks):,} blocks{_rest(recording, flow)}")
    for words in losses(recording):
        click.echo(f"  {words}")


def _changes(changed: Sequence[str]) -> str:
    if not changed:
        return "its files are as they were"
    return f"changed since: {', '.join(os.path.relpath(path) for path in changed)}"


def _rest(recording: Recording, flow: ThreadFlow) -> str:
    """The end of a thread, and what is in its record beside blocks."""
    parts = [f"{flow.inputs:,} inputs"] if flow.inputs else []
    parts += [f"{flow.stamps:,} time stamps"] if flow.stamps else []
    if not flow.is_whole:
        parts.append("its beginning is lost")
    ending = recording.ending
    if flow.record.ended is Ended.RETURNED:
        parts.append("returned")
    elif flow.record.ended is Ended.OTHERWISE:
        parts.append("left by pthread_exit, or was cancelled")
    elif ending.thread == flow.record.number and ending.status is not None:
        parts.append("failed" if ending.status < 0 else "ended the process")
    if open_blocks := max((len(way) for way in flow.ways), default=0):
        parts.append(
            f"up to {open_blocks:,} more, one of {len(flow.ways)} ways"
            if len(flow.ways) > 1
            else f"up to {open_blocks:,} more"
        )
    return "".join(f", {part}" for part in parts)


@command.command()
@_file
@click.option("--thread", default=None, metavar="NAME", help="A thread, as `info` names it  [default: all]")
@click.option("-n", "--last", type=click.IntRange(min=1), default=20, show_default=True, help="How many lines")
def path(file: str, thread: str | None, last: int) -> None:
    """The last lines that the threads of FILE executed; a line that a thread may have executed has a question mark."""
    recording = read(file)
    require_unchanged(recording, file)
    names = {name: number for number, name in names_of(recording).items() if number}
    if thread is not None and thread not in names:
        raise UsageError(
            "no-such-thread", f"there is no thread {thread}", where=file, hint=f"there are {', '.join(names)}"
        )
    plan = plan_of(recording)
    for each in recording.threads:
        flow = flow_of(recording, plan, each)
        if thread is not None and flow.name != thread:
            continue
        click.echo(f"thread {flow.name}")
        certain = list(lines_of(plan, flow.blocks[-50 * last :]))
        shown = [(" ", line) for line in certain]
        shown += [("?", line) for line in lines_of(plan, flow.tentative)]
        for mark, line in shown[-last:]:
            click.echo(f"  {mark} {os.path.relpath(line.file)}:{line.line:<5} {_text(line)}")
        if len(flow.ways) > 1:
            click.echo(f"  ? then one of {len(flow.ways)} ways")


def _text(line: Location) -> str:
    try:
        with open(line.file, encoding="utf-8", errors="replace") as stream:
            return stream.read().splitlines()[line.line - 1].strip()
    except (OSError, IndexError):
        return line.function
