"""A choice of names on the command line; the error about a misspelt one suggests the nearest."""

from __future__ import annotations

from typing import Any

import click

from mazurka.errors import did_you_mean


class SuggestingChoice(click.Choice):  # type: ignore[type-arg]  # generic only in later versions of click
    """A :class:`click.Choice` with a suggestion."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The choice of that name; the error about an unknown name suggests the nearest one."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            hint = did_you_mean(str(value), [str(each) for each in self.choices])
            if not hint:
                raise
            raise click.BadParameter(f"{error.message} {hint[0].upper()}{hint[1:]}", ctx=ctx, param=param) from None
