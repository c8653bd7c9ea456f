"""The pytest plugin: the tests to explore, their settings, and the summary at the end.

`--mazurka` explores every test; `@mazurka.check(...)` and `@pytest.mark.mazurka(...)` explore those that carry them.
This module only reads options and decides; the modules for exploring are imported when the first such test is
collected, so that a session without one does not pay for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from mazurka.pytest_plugin.outcomes import NO_THREADS, is_repetition, outcomes_of
from mazurka.pytest_plugin.settings import SETTINGS, SWITCHES, option_of, settings_of

if TYPE_CHECKING:
    from mazurka.pytest_plugin.session import SessionExplorer

_ACTIVE: Final = "mazurka-explorer"
_MARK: Final = "mazurka"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Hook of pytest: the options ``--mazurka...``."""
    group = parser.getgroup("mazurka", "finding concurrency bugs (mazurka)")
    group.addoption("--mazurka", action="store_true", help="run every test in every relevant order of its threads")
    for name, meaning in SETTINGS.items():
        group.addoption(option_of(name), metavar="VALUE", default=None, help=meaning)
    for name, meaning in SWITCHES.items():
        group.addoption(f"--mazurka-{name}", action="store_true", default=None, help=meaning)
    group.addoption("--mazurka-replay", metavar="SCHEDULE", default=None, help="run the one test by this schedule")
    group.addoption("--mazurka-replay-pdb", action="store_true", help="replay in the debugger")
    group.addoption("--mazurka-replay-times", metavar="N", type=int, default=1, help="replay so many times")


def pytest_configure(config: pytest.Config) -> None:
    """Hook of pytest: the marker; with ``--mazurka``, wrong settings are a ``UsageError`` before any test."""
    config.addinivalue_line(
        "markers", f"{_MARK}(strategy=, max_executions=, time_limit=, ...): run in every relevant order of the threads"
    )
    if config.getoption("--mazurka"):
        settings_of(config)  # errors in them should be reported before any test runs


def pytest_report_header(config: pytest.Config) -> str | None:
    """Hook of pytest: strategy and budget, if tests are checked."""
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
    """Hook of pytest: end the worker processes and undo the instrumentation."""
    explorer = config.pluginmanager.get_plugin(_ACTIVE)
    if explorer is not None:
        explorer.close()
        config.pluginmanager.unregister(explorer)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print how many tests were explored, and which of them not to the end."""
    verdicts: dict[str, int] = {}
    open_ends = []
    repetitions = 0
    for reports in terminalreporter.stats.values():
        for report in reports:
            repetitions += is_repetition(report)
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
    again = f"; {repetitions} of them repeated another one" if repetitions else ""
    terminalreporter.line(explored + again + rest)
    for line in open_ends:
        terminalreporter.line(line)


def _explorer(config: pytest.Config) -> SessionExplorer:
    explorer: SessionExplorer | None = config.pluginmanager.get_plugin(_ACTIVE)
    if explorer is None:
        from mazurka.errors import UsageError

        try:
            from mazurka.pytest_plugin.session import SessionExplorer
        except UsageError as error:
            raise pytest.UsageError(f"mazurka: {error}") from None

        explorer = SessionExplorer(config)
        config.pluginmanager.register(explorer, _ACTIVE)
    return explorer
