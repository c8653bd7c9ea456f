"""The pytest plugin: which tests are explored, with what settings, and what is told of them at the end.

`--mazurka` explores every test; `@mazurka.check(...)` and `@pytest.mark.mazurka(...)` explore those that carry them.
This module only takes options and decides; what exploring needs is imported when the first such test was collected,
so that a session without one pays for nothing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from mazurka.config import Options
    from mazurka.errors import MazurkaError
    from mazurka.pytest_plugin.session import Explorer

_ACTIVE: Final = "mazurka-explorer"
_MARK: Final = "mazurka"

#: Under this name a test's outcome travels in its report, from xdist's workers as well.
PROPERTY: Final = "mazurka"

#: The outcome of a test that was left to pytest.
NO_THREADS: Final = "no threads"

#: What `--mazurka-replay` came to: the exit status of `mazurka replay`, or why there is none.
replayed: int | MazurkaError | None = None

#: The argument of the marker that is no setting: a schedule to run the test by.
REPLAY: Final = "replay"

#: Settings that have an option of their own, `--mazurka-NAME`.
_SETTINGS: Final = {
    "strategy": "exploration algorithm: mcr, dpor, dfs, random ...",
    "include": "further packages or modules to instrument, separated by commas",
    "max-executions": "executions of a test after which to stop",
    "time-limit": "seconds per test after which to stop",
    "timing": "seconds by which enabled threads may be delayed while timeouts fire and sleeps end; or all",
    "seed": "what random and pct start from",
    "isolation": "how state is reset between executions: auto, restore, fork",
    "baseline": "a file of known failures to suppress",
    "profile": "the profile of settings to start from",
}

#: The same that are on or off.
_SWITCHES: Final = {
    "require-complete": "fail tests that could not be explored completely",
    "write-baseline": "write what is found to the baseline",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("mazurka", "finding concurrency bugs (mazurka)")
    group.addoption("--mazurka", action="store_true", help="run every test in every relevant order of its threads")
    for name, meaning in _SETTINGS.items():
        group.addoption(f"--mazurka-{name}", metavar="VALUE", default=None, help=meaning)
    for name, meaning in _SWITCHES.items():
        group.addoption(f"--mazurka-{name}", action="store_true", default=None, help=meaning)
    group.addoption("--mazurka-replay", metavar="SCHEDULE", default=None, help="run the one test by this schedule")
    group.addoption("--mazurka-replay-pdb", action="store_true", help="replay in the debugger")
    group.addoption("--mazurka-replay-times", metavar="N", type=int, default=1, help="replay so many times")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", f"{_MARK}(strategy=, max_executions=, time_limit=, ...): run in every relevant order of the threads"
    )
    if config.getoption("--mazurka"):
        settings_of(config)  # what is wrong with them should be said before anything runs


def pytest_report_header(config: pytest.Config) -> str | None:
    if not config.getoption("--mazurka") and not config.getoption("--mazurka-replay"):
        return None
    options = settings_of(config)
    limits = []
    if options.max_executions is not None:
        limits.append(f"at most {options.max_executions:,} executions")
    if options.time_limit is not None:
        limits.append(f"at most {options.time_limit:g} s a test")
    return ", ".join((f"mazurka: strategy {options.strategy}", options.memory_model, *limits))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Turn the decorator into the marker, and get ready if there is anything to explore."""
    for item in items:
        declared = getattr(getattr(item, "obj", None), "__mazurka__", None)
        if declared is not None and item.get_closest_marker(_MARK) is None:
            item.add_marker(pytest.mark.mazurka(**declared))
    everything = config.getoption("--mazurka") or config.getoption("--mazurka-replay")
    chosen = [item for item in items if everything or item.get_closest_marker(_MARK) is not None]
    if chosen and not config.option.collectonly:
        _explorer(config).take(chosen)


def pytest_unconfigure(config: pytest.Config) -> None:
    explorer = config.pluginmanager.get_plugin(_ACTIVE)
    if explorer is not None:
        explorer.close()
        config.pluginmanager.unregister(explorer)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """How many tests were explored, and which of them not to the end."""
    verdicts: dict[str, int] = {}
    open_ends = []
    for reports in terminalreporter.stats.values():
        for report in reports:
            for verdict, reason in outcomes_of(report):
                verdicts[verdict] = verdicts.get(verdict, 0) + 1
                if verdict == "inconclusive":
                    open_ends.append(f"  {report.nodeid}: {reason}")
    if not verdicts:
        return
    terminalreporter.section("mazurka", sep="-")
    idle = verdicts.pop(NO_THREADS, 0)
    counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
    number = sum(verdicts.values())
    explored = f"explored {number} test{'s' * (number != 1)}" + (f": {counts}" if counts else "")
    rest = f"; {idle} start{'s' * (idle == 1)} no threads" if idle else ""
    terminalreporter.line(explored + rest)
    for line in open_ends:
        terminalreporter.line(line)


def outcomes_of(report: Any) -> list[tuple[str, str]]:
    """The verdict and its reason that a report of a test's call carries, if the test was explored."""
    if getattr(report, "when", "") != "call":
        return []
    found = [value for name, value in getattr(report, "user_properties", ()) if name == PROPERTY]
    return [(verdict, reason) for verdict, _, reason in (str(value).partition(": ") for value in found)]


def settings_of(config: pytest.Config, arguments: Mapping[str, Any] | None = None, where: str = "") -> Options:
    """The settings in force for a test whose marker has these arguments, which outrank all the others."""
    from mazurka.config import KEYS, convert, from_arguments, resolve
    from mazurka.errors import UsageError

    try:
        given = {}
        for name in (*_SETTINGS, *_SWITCHES):
            value = config.getoption(f"--mazurka-{name}")
            if value is not None:
                given[KEYS[name].field] = convert(KEYS[name], value, f"--mazurka-{name}")
        settings = {name: value for name, value in (arguments or {}).items() if name != REPLAY}
        given |= from_arguments(settings, f"marker of {where}")
        options = resolve(given, directory=config.rootpath, environ=dict(os.environ))
        if options.include:
            _refuse_machinery(options.include)
        return options
    except UsageError as error:
        raise pytest.UsageError(f"mazurka: {error}") from None


def _refuse_machinery(include: tuple[str, ...]) -> None:
    from mazurka.program.python.instrument.loader import MACHINERY, PYTEST_MACHINERY
    from mazurka.workflows.program_spec import require_explorable

    require_explorable(include, MACHINERY)
    require_explorable(include, PYTEST_MACHINERY, "pytest")


def _explorer(config: pytest.Config) -> Explorer:
    explorer: Explorer | None = config.pluginmanager.get_plugin(_ACTIVE)
    if explorer is None:
        from mazurka.pytest_plugin.session import Explorer

        explorer = Explorer(config)
        config.pluginmanager.register(explorer, _ACTIVE)
    return explorer
