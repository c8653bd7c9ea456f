"""The pytest plugin: the tests to explore, their settings, and the summary at the end.

`--mazurka` explores every test; `@mazurka.check(...)` and `@pytest.mark.mazurka(...)` explore those that carry them.
This module only reads options and decides; the modules for exploring are imported when the first such test is
collected, so that a session without one does not pay for them.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Iterator
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

import pytest

from mazurka.pytest_plugin import outcomes
from mazurka.pytest_plugin.outcomes import NO_THREADS, PROPERTY, is_repetition, outcomes_of
from mazurka.pytest_plugin.settings import SETTINGS, SWITCHES, option_of, settings_of

if TYPE_CHECKING:
    from mazurka.cli.publishing import Output
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
    group.addoption(
        "--mazurka-output",
        metavar="[FORMAT:]FILE",
        action="append",
        default=[],
        help="write the report on the tests explored to a file: json, sarif, junit, html, markdown ...; repeatable",
    )
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
    if not hasattr(config, "workerinput"):
        _outputs(config)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Hook of pytest-xdist: a worker has ended; its reports are taken over."""
    outcomes.reports += pickle.loads(getattr(node, "workeroutput", {}).get(_MARK, pickle.dumps([])))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hook of pytest: hand the reports over to the controller of pytest-xdist, or write them to files."""
    config: Any = session.config
    reports, outcomes.reports = outcomes.reports, []
    if hasattr(config, "workeroutput"):
        config.workeroutput[_MARK] = pickle.dumps(reports)
    elif wanted := _outputs(config):
        from mazurka.cli.publishing import publish
        from mazurka.report.check_report import CheckReport, Verdict, combined

        nothing = CheckReport(str(config.rootpath), Verdict.INCONCLUSIVE, "no test was explored")
        publish(combined(reports) if reports else nothing, wanted)


def _outputs(config: pytest.Config) -> tuple[Output, ...]:
    """The files to write; a ``UsageError`` if one can't be written."""
    named = tuple(config.getoption("--mazurka-output"))
    if not named:
        return ()
    from mazurka.cli.publishing import outputs_of
    from mazurka.config import Options
    from mazurka.errors import UsageError

    try:
        return outputs_of(Options(output=named, quiet=True))
    except UsageError as error:
        raise pytest.UsageError(f"mazurka: {error}") from None


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
    if not chosen or config.option.collectonly:
        return
    if config.getoption("--mazurka") and outcomes.receiver is None:
        chosen = _without_the_idle(config, chosen)
    if chosen:
        _explorer(config).take(chosen)


def _without_the_idle(config: pytest.Config, items: list[pytest.Item]) -> list[pytest.Item]:
    """The tests that may start threads, or have to be explored; the others run as they are, and are watched."""
    from mazurka.pytest_plugin.starting import Starters

    include = settings_of(config).include
    starters, chosen = Starters(_modules_of_project(config, include)), []
    for item in items:
        if item.get_closest_marker(_MARK) is not None or starters.may_start(item):
            chosen.append(item)
        else:
            item.runtest = partial(_run_watched, item)  # type: ignore[method-assign]  # only of this item
    return chosen


def _modules_of_project(config: pytest.Config, include: tuple[str, ...]) -> Iterator[ModuleType]:
    """The modules under the root folder that are not installed there, and the included ones."""
    root = str(config.rootpath) + os.sep
    modules: dict[str, Any] = dict(sys.modules)  # some of these are none
    for name, module in modules.items():
        file = getattr(module, "__file__", None)
        if isinstance(module, ModuleType) and isinstance(file, str) and file.endswith(".py"):
            own = file.startswith(root) and f"{os.sep}site-packages{os.sep}" not in file
            if own or any(name == each or name.startswith(each + ".") for each in include):
                yield module


def _run_watched(item: pytest.Item) -> None:
    """In place of the `runtest` of a test that is not expected to start threads: it runs as without us."""
    from mazurka.pytest_plugin.starting import watching

    with watching() as started:
        try:
            type(item).runtest(item)
        finally:
            item.user_properties.append((PROPERTY, NO_THREADS))
    if started:
        reason = f"a library starts threads at {started[0]}; to have it explored, mark it with pytest.mark.mazurka"
        item.user_properties[-1] = PROPERTY, f"inconclusive: {reason}"
        options = settings_of(item.config)
        if options.require_complete or options.require is not None:
            pytest.fail(f"mazurka: inconclusive: {reason}", pytrace=False)


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
    of_tests = {}  # the last report of a test comes after those of its subtests
    for reports in terminalreporter.stats.values():
        of_tests.update({report.nodeid: report for report in reports if outcomes_of(report)})
    for report in of_tests.values():
        for verdict, reason in outcomes_of(report):
            verdicts[verdict] = verdicts.get(verdict, 0) + 1
            if verdict == "inconclusive":
                open_ends.append(f"  {report.nodeid}: {reason}")
    repetitions = sum(map(is_repetition, of_tests.values()))
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
