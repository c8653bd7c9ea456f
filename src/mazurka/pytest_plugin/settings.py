"""The settings of explored tests: from options of the command line, markers, files and the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from mazurka.config import Options

#: The argument of the marker that is no setting: a schedule to run the test by.
REPLAY: Final = "replay"

#: Settings of this process, by field, that outrank the command line's: those of `mazurka check` for tests.
overrides: Mapping[str, Any] = {}

#: Settings that have an option of their own, `--mazurka-NAME`.
SETTINGS: Final = {
    "strategy": "exploration algorithm: mcr, dpor, dfs, random ...",
    "include": "further packages or modules to instrument, separated by commas",
    "properties": "properties to look for: names, or files, separated by commas",
    "max-executions": "executions of a test after which to stop",
    "time-limit": "seconds per test after which to stop",
    "timing": "seconds by which enabled threads may be delayed while timeouts fire and sleeps end; or all",
    "seed": "random seed of the sampling strategies",
    "isolation": "how state is reset between executions: auto, restore, fork",
    "require": "preemptions=N: fail tests of which not every order with up to N preemptions could be covered",
    "baseline": "a file of known failures to suppress",
    "profile": "the profile of settings to start from",
}

#: Such settings that are on or off.
SWITCHES: Final = {
    "require-complete": "fail tests that could not be explored completely",
    "write-baseline": "write the failures found to the baseline",
}


def option_of(name: str) -> str:
    """The option of the command line for a setting."""
    return f"--mazurka-{'property' if name == 'properties' else name}"


def settings_of(config: pytest.Config, arguments: Mapping[str, Any] | None = None, where: str = "") -> Options:
    """The settings in force for a test whose marker has these arguments, which outrank all the others."""
    from mazurka.config import KEYS, convert, from_arguments, resolve
    from mazurka.errors import UsageError

    try:
        given = {}
        for name in (*SETTINGS, *SWITCHES):
            option = option_of(name)
            value = config.getoption(option)
            if value is not None:
                given[KEYS[name].field] = convert(KEYS[name], value, option)
        given |= overrides
        settings = {name: value for name, value in (arguments or {}).items() if name != REPLAY}
        given |= from_arguments(settings, f"marker of {where}")
        options = resolve(given, directory=config.rootpath, environ=dict(os.environ))
        if options.include:
            _refuse_machinery(options.include)
        return options
    except UsageError as error:
        raise pytest.UsageError(f"mazurka: {error}") from None


def _refuse_machinery(include: tuple[str, ...]) -> None:
    from mazurka.program.python.included import require_explorable
    from mazurka.program.python.instrument.loader import MACHINERY, PYTEST_MACHINERY

    require_explorable(include, MACHINERY)
    require_explorable(include, PYTEST_MACHINERY, "pytest")
