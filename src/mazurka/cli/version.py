"""`mazurka version`: the versions of Mazurka and of its environment, to name in a bug report."""

from __future__ import annotations

import platform

import click

from mazurka import __version__


@click.command()
def command() -> None:
    """Show the versions of Mazurka, Python and the system."""
    click.echo(f"mazurka {__version__}")
    click.echo(f"{platform.python_implementation()} {platform.python_version()} on {platform.platform()}")
