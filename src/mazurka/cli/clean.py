"""`mazurka clean`: remove the data that earlier checks saved in this directory."""

from __future__ import annotations

from pathlib import Path

import click

from mazurka.workflows.store import FOLDER, remove_store


@click.command()
def command() -> None:
    """Remove .mazurka: saved failures and unfinished searches."""
    removed = remove_store(Path.cwd())
    click.echo(f"removed {FOLDER}" if removed else f"there is no {FOLDER} here")
