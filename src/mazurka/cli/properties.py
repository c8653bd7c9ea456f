"""`mazurka properties`: the properties that are ready, and those of a user's file: listed, checked, shown."""

from __future__ import annotations

import click

from mazurka.properties.registry import find, ready


@click.command()
@click.argument("name", metavar="[NAME|FILE|FILE:NAME]", required=False)
def command(name: str | None) -> None:
    """List the properties that are ready for --property; show one of them, or check and show those in a file."""
    if name is not None:
        click.echo("\n".join(map(str, find(name))), nl=False)
        return
    for file, stated in ready():
        click.echo(f"{file}:")
        for each in stated:
            click.echo(f"  {each.name:28} {each.description}")
