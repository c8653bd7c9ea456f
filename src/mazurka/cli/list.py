"""`mazurka list`: the failures saved in this directory, and how to replay them."""

from __future__ import annotations

from pathlib import Path

import click

from mazurka.errors import MazurkaError
from mazurka.workflows.store import FOLDER, saved_failures


@click.command()
def command() -> None:
    """List the failures saved in .mazurka, each with the command that replays it."""
    found = False
    for path, schedule in saved_failures(Path(FOLDER)):
        found = True
        if isinstance(schedule, MazurkaError):
            click.echo(f"{path}: unreadable: {schedule.what}")
            continue
        failure = schedule.failure
        message = failure.message.splitlines()[0]
        where = f" at {failure.location}"
        where = where if failure.location and where not in message else ""  # waits have their places in the message
        click.echo(f"{schedule.target}: {failure.kind}: {message}{where}")
        click.echo(f"  mazurka replay {path}")
    if not found:
        click.echo(f"no failures saved in {FOLDER}")
