"""`mazurka view`: write a report, a saved failure or a recording as a page, and open it in the browser."""

from __future__ import annotations

import os
import sys
import webbrowser
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click

from mazurka.cli.publishing import prepare_output, write_whole
from mazurka.errors import UsageError
from mazurka.replay.codec import is_token

_FAILED: Final = 2


@click.command()
@click.argument("subject", type=click.Path(), metavar="FILE|TOKEN|RECORDING")
@click.option("--output", default=None, metavar="FILE", help="The page  [default: the name of FILE, with .html]")
@click.option("--open/--no-open", "opens", default=None, help="Open it in the browser  [default: in a terminal]")
@click.option("--from", "origin", default=None, metavar="FORMAT", help="The trace's format  [default: by its name]")
def command(subject: str, output: str | None, opens: bool | None, origin: str | None) -> int:
    """Write a page: of a report in JSON, of a saved failure, which is replayed, or of a recording or another trace."""
    page = os.path.abspath(output or _page_of(subject))
    prepare_output(page)
    status = _write(subject, page, origin)
    if status != _FAILED:
        print(page)
        if sys.stdout.isatty() if opens is None else opens:
            _open(page)
        return 0
    return status


def _page_of(subject: str) -> str:
    """The default name of a page."""
    return "failure.html" if is_token(subject) else f"{Path(subject).resolve().stem or 'page'}.html"


def _write(subject: str, page: str, origin: str | None) -> int:
    path = Path(subject)
    if is_token(subject):
        return _replayed(subject, page)
    if not path.exists():
        raise UsageError("no-such-file", "there is no such file", where=subject)
    if path.is_file() and origin is None:
        from mazurka.workflows.viewing import read_report

        data = read_report(path)
        if data is not None:
            return _of_data(data, page)
        if path.suffix == ".json":
            return _replayed(subject, page)
    from mazurka.report.recording_data import recording_data
    from mazurka.trace.reading import read_trace

    return _of_data(recording_data(read_trace(subject, origin), subject), page)


def _of_data(data: dict[str, Any], page: str) -> int:
    from mazurka.report import render_html

    write_whole(Path(page), render_html.page(data))
    return 0


def _replayed(schedule: str, page: str) -> int:
    """Replay a schedule, with the page as the report; whether it still fails is not the question here."""
    from mazurka.cli.replay import replay_one
    from mazurka.config import resolve

    with redirect_stdout(sys.stderr):  # a test's replay prints pytest's report
        return replay_one(schedule, replace(resolve(), format="html", output=(f"html:{page}",), quiet=True))


def _open(page: str) -> None:
    if not webbrowser.open(Path(page).as_uri()):
        print("mazurka: there is no browser to open it with", file=sys.stderr)
