"""The session of pytest in which `mazurka check` explores tests: it is silent, and hands over each test's report.

Tests that several arguments name are collected once, and not at all if they are checked as programs, too. A test that
fails without being explored, that can't be collected or set up, or an argument without tests, is a report with an
error.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from importlib.util import find_spec
from typing import Any, Final

import pytest

from mazurka.errors import UsageError
from mazurka.pytest_plugin import outcomes, settings
from mazurka.report.check_report import CheckReport, CoveredScope, Verdict

_OPTIONS: Final = ("-p", "no:cacheprovider", "-p", "mazurka.pytest_plugin", "--mazurka")

#: The statuses of sessions that ran to their end.
_ENDED: Final = frozenset({pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED})


def check_tests(
    arguments: Sequence[str],
    overrides: Mapping[str, Any],
    programs: Iterable[str],
    send: Callable[[CheckReport], None],
) -> bool:
    """Explore the tests that pytest collects from its ``arguments``; ``overrides`` are settings by field, ``programs``
    targets that are not to run again. Returns whether it was interrupted."""
    session = _Session(arguments, programs, send)
    settings.overrides = overrides
    outcomes.receiver = session.take
    alone = ("-n", "0") if find_spec("xdist") is not None else ()
    try:
        with _silence():
            status = pytest.main([*_OPTIONS, *alone, "--", *arguments], plugins=[session])
    finally:
        settings.overrides, outcomes.receiver = {}, None
    if status == pytest.ExitCode.INTERRUPTED and not session.failed_to_collect:
        return True
    if status not in _ENDED and not session.failed_to_collect:
        raise UsageError("no-such-test", "pytest can't run them", where=", ".join(arguments))
    if not session.met:
        raise UsageError("no-such-test", "there are no tests", where=", ".join(arguments))
    return False


@contextmanager
def _silence() -> Iterator[None]:
    """Let standard output go nowhere: pytest's own report, and texts of conftest files. Errors about its arguments are
    on standard error."""
    sys.stdout.flush()
    kept = os.dup(1)
    try:
        with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
            os.dup2(nowhere.fileno(), 1)
            yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


class _Session:
    """The plugin."""

    def __init__(self, arguments: Sequence[str], programs: Iterable[str], send: Callable[[CheckReport], None]) -> None:
        self._arguments = arguments
        self._programs = {_identity(each) for each in programs}
        self._send = send
        self._taken: set[str] = set()
        self.met = 0
        self.failed_to_collect = False

    def take(self, report: CheckReport) -> None:
        """Hand over the report of a test that was explored."""
        self._taken.add(report.target)
        self._send(report)

    # -- hooks of pytest ----------------------------------------------------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        self.met += len(items)
        folders = {each: os.path.realpath(each) for each in self._arguments if os.path.isdir(each)}
        for folder, path in folders.items():
            alone = len(self._arguments) == 1  # then the whole session has no tests
            if not (alone or self.failed_to_collect) and not any(_is_below(item, path) for item in items):
                self._send(_failed(folder, "there are no tests"))
                self.met += 1
        own = {item.nodeid: item for item in reversed(items) if self._of_item(item) not in self._programs}
        kept = [item for item in items if own.get(item.nodeid) is item]
        left_out = [item for item in items if own.get(item.nodeid) is not item]
        if left_out:
            config.hook.pytest_deselected(items=left_out)
            items[:] = kept

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.met += 1
            self.failed_to_collect = True
            self._send(_failed(report.nodeid, f"can't be collected: {_last_line(report.longreprtext)}"))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.nodeid in self._taken or (report.when != "call" and report.passed):
            return
        self._taken.add(report.nodeid)
        if report.failed:
            during = "" if report.when == "call" else f" in its {report.when}"
            self._send(
                _failed(report.nodeid, f"fails without being explored{during}: {_last_line(report.longreprtext)}")
            )
            return
        verdict, reason = next(iter(outcomes.outcomes_of(report)), (outcomes.NO_THREADS, ""))
        if verdict == outcomes.NO_THREADS:
            self._send(_without_threads(report.nodeid, "skipped" if report.skipped else "no threads were started"))
        else:
            self._send(CheckReport(report.nodeid, Verdict.INCONCLUSIVE, reason))

    @staticmethod
    def _of_item(item: pytest.Item) -> tuple[str, str]:
        return os.path.realpath(item.path), item.nodeid.partition("::")[2]


def _identity(program: str) -> tuple[str, str]:
    path, _, name = program.partition("::")
    return os.path.realpath(path), name


def _is_below(item: pytest.Item, folder: str) -> bool:
    return os.path.commonpath([os.path.realpath(item.path), folder]) == folder


def _failed(target: str, error: str) -> CheckReport:
    return CheckReport(target, Verdict.INCONCLUSIVE, f"error: {error}", error=error)


def _without_threads(target: str, reason: str) -> CheckReport:
    return CheckReport(target, Verdict.INCONCLUSIVE, reason, complete=True, scope=CoveredScope(threads=1))


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line.removeprefix("E").strip() for line in lines if line.startswith("E ")]
    return (errors or lines or [""])[0 if errors else -1]
