"""`mazurka man`: the manual page, made of the help of all verbs, in the macros of man(7).

`make man` writes it into ``build/``. The page has no date, so that the same version always makes the same page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import click

from mazurka import __version__

_STATUSES: Final = {
    "0": "nothing found",
    "1": "a failure was found, or happened again",
    "2": "a wrong request, or an error in Mazurka",
    "3": "inconclusive, with --require-complete, or less than --require asks for",
    "5": "no threads were started",
    "130": "interrupted",
}


@click.command()
def command() -> None:
    """Print the manual page: `mazurka man | man -l -`."""
    commands = click.get_current_context().find_root().command
    assert isinstance(commands, click.Group)
    click.echo("\n".join(page(commands)))


def page(commands: click.Group) -> Iterator[str]:
    """The lines of the page."""
    yield f'.TH MAZURKA 1 "" "mazurka {__version__}" "User Commands"'
    yield ".ad l"
    yield from (".SH NAME", r"mazurka \- find, explain and replay concurrency bugs in threaded Python programs")
    yield from (".SH SYNOPSIS", r".B mazurka", r"\fIVERB\fR [\fIARGUMENTS\fR]...")
    yield from (".SH DESCRIPTION", _escaped(str(commands.help)))
    context = click.Context(commands, info_name="mazurka")
    for verb in commands.list_commands(context):
        found = commands.get_command(context, verb)
        assert found is not None
        yield f".SH {verb.upper()}"
        yield from _verb(found, click.Context(found, info_name=verb, parent=context))
    yield ".SH EXIT STATUS"
    for status, meaning in _STATUSES.items():
        yield from (".TP", rf"\fB{status}\fR", _escaped(meaning))
    yield from (".SH FILES", ".TP", r"\fI.mazurka/\fR", "saved searches and failing schedules")
    yield from (".TP", r"\fIpyproject.toml\fR", "settings, in [tool.mazurka]")
    yield from (".SH ENVIRONMENT", ".TP", r"\fBMAZURKA_*\fR", "settings, in capital letters (MAZURKA_TIME_LIMIT)")


def _verb(found: click.Command, context: click.Context) -> Iterator[str]:
    yield from (
        ".PP",
        rf"\fB{_escaped(context.command_path)}\fR {_escaped(' '.join(found.collect_usage_pieces(context)))}",
    )
    yield from (".PP", _escaped(_prose(found.help or "")))
    for parameter in found.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            yield from (".TP", rf"\fB{_escaped(record[0])}\fR", _escaped(record[1]))
    if isinstance(found, click.Group):
        for name in found.list_commands(context):
            part = found.get_command(context, name)
            if part is not None:
                yield from _verb(part, click.Context(part, info_name=name, parent=context))


def _prose(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _escaped(text: str) -> str:
    """A text without a meaning for the formatter: no backslashes, hyphens of options, or dots that begin a line."""
    plain = text.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{plain}" if plain.startswith((".", "'")) else plain
