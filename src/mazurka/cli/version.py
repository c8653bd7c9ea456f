"""`mazurka version`: which Mazurka this is, and on what it runs, as a report of a fault should say."""

from __future__ import annotations

import platform

import click

from mazurka import __version__


@click.command()
def command() -> None:
    """Show Mazurka's version, and what it runs on."""
    click.echo(f"mazurka {__version__}")
    click.echo(f"{platform.python_implementation()} {platform.python_version()} on {platform.platform()}")
