"""The options that `check` shares with the configuration file, made from the one table of keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

from mazurka.cli.choice import SuggestingChoice
from mazurka.config import KEYS, Key, Options, convert

_F = TypeVar("_F", bound=Callable[..., Any])

_METAVARS: Final = {
    "include": "PKG",
    "jobs": "N",
    "invariant": "EXPR",
    "properties": "NAME|FILE",
    "max-executions": "N",
    "max-steps": "N",
    "max-memory": "MB",
    "seed": "N",
    "time-limit": "SECONDS",
    "timing": "SECONDS",
    "require": "preemptions=N",
    "only": "KIND",
    "ignore": "RULE",
    "baseline": "FILE",
    "output": "[FORMAT:]FILE",
    "profile": "NAME",
}

#: Settings that have other names as options, which are given once for each.
_SPELLED: Final = {"properties": "property"}

#: Settings that are on or off, with their spellings on the command line.
_SWITCHES: Final = {
    "all-failures": "--all-failures/--first",
    "races": "--races/--no-races",
    "leaks": "--leaks/--no-leaks",
    "cutoffs": "--cutoffs/--no-cutoffs",
    "require-complete": "--require-complete/--no-require-complete",
    "write-baseline": "--write-baseline",
    "fresh": "--fresh",
    "quiet": "-q --quiet",
    "save": "--save/--no-save",
}


def setting_options(function: _F) -> _F:
    """Add an option per setting to a command; options that are not given are None, except those that can be
    repeated."""
    for key in reversed(list(KEYS.values())):
        if key.is_option:
            function = _option(key)(function)
    return function


def _option(key: Key) -> Callable[[_F], _F]:
    default = getattr(Options(), key.field)
    shown = "" if default in (None, (), False) else f"  [default: {_plain(default)}]"
    help_text = f"{key.help[0].upper()}{key.help[1:]}{shown}"
    if key.name in _SWITCHES:
        return click.option(*_SWITCHES[key.name].split(), key.field, default=None, is_flag=True, help=help_text)
    if key.choices:
        return click.option(
            f"--{key.name}", key.field, type=SuggestingChoice(key.choices), default=None, help=help_text
        )
    metavar, spelled = _METAVARS[key.name], _SPELLED.get(key.name, key.name)
    if isinstance(default, tuple):
        return click.option(f"--{spelled}", key.field, multiple=True, metavar=metavar, help=help_text)
    return click.option(f"--{key.name}", key.field, default=None, metavar=metavar, help=help_text)


def _plain(default: object) -> str:
    if default is True:
        return "on"
    return f"{default:g}" if isinstance(default, float) else str(default)


def given(values: dict[str, Any]) -> dict[str, Any]:
    """The settings among a command's parameters that were given, converted, by field."""
    result: dict[str, Any] = {}
    for key in KEYS.values():
        value = values.get(key.field)
        if value not in (None, ()):
            result[key.field] = convert(key, value, f"--{_SPELLED.get(key.name, key.name)}")
    return result
