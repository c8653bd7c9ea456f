"""Sizes as users write them: 64M."""

from __future__ import annotations

import re
from typing import Final

import click

_UNITS: Final = {"": 0, "K": 10, "M": 20, "G": 30}


def size(ctx: click.Context, param: click.Parameter, value: str) -> int:
    """The number of bytes that an option's text, a number with or without K, M or G, stands for."""
    match = re.fullmatch(r"(\d+)([KMG]?)", value.upper())
    if match is None:
        raise click.BadParameter(f"{value!r} is no size; write 64M or the like", ctx, param)
    return int(match[1]) << _UNITS[match[2]]
