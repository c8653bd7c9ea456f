"""`mazurka explain`: the meaning of an error and its remedy, from the documentation.

The page is `docs/reference/errors.md`; a wheel carries it as `mazurka/errors.md`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import click

from mazurka.errors import UsageError, did_you_mean

_PACKAGE: Final = Path(__file__).resolve().parent.parent
_PLACES: Final = (_PACKAGE / "errors.md", _PACKAGE.parent.parent / "docs" / "reference" / "errors.md")

_HEADING: Final = re.compile(r"^## ([a-z0-9-]+)\n", re.MULTILINE)
_LINK: Final = re.compile(r"\[([^\]]*)\]\([^)]*\)")


@click.command()
@click.argument("name", metavar="[ERROR]", required=False)
def command(name: str | None) -> None:
    """Explain ERROR, the name in brackets after a message; without it, list all errors."""
    explained = explanations()
    if name is None:
        for each in explained:
            click.echo(each)
        return
    if name not in explained:
        hint = did_you_mean(name, explained) or "`mazurka explain` lists them"
        raise UsageError("no-such-error", f"there is no error {name!r}", hint=hint)
    click.echo(f"{name}\n\n{explained[name]}")


def explanations() -> dict[str, str]:
    """The meaning of each error, by its name, as text without links."""
    page = next(place for place in _PLACES if place.exists()).read_text(encoding="utf-8")
    _, *parts = _HEADING.split(page)
    return {name: _LINK.sub(r"\1", text).strip() for name, text in zip(parts[::2], parts[1::2], strict=True)}
