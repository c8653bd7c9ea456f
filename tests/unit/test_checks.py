"""The checks that are found in a program's source, and that executions in which they are to fail are made first."""

from __future__ import annotations

import contextlib
import inspect
import multiprocessing
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from benchmarks import predicted

from mazurka.api import Result, explore
from mazurka.program.conditions import CheckKind
from mazurka.program.python.analysis.checks import uses_of
from mazurka.program.python.instrument import sites

shared: Any = SimpleNamespace(item="a", count=0, table={})


def assertions() -> None:
    count = shared.count
    assert 0 <= count < 5 - shared.count


def guarded() -> None:
    if shared.item is None:
        return
    shared.item.upper()
    item = shared.item
    if item:
        item.lower()


def handled() -> None:
    try:
        shared.item.upper()
        del shared.table["key"]
    except (AttributeError, KeyError):
        pass
    if "key" in shared.table and shared.table.get("key", 1) > 3:
        raise ValueError


def _checks(function: Callable[[], object]) -> Iterator[tuple[CheckKind, int, int]]:
    """Kind, line within the function, and number of conditions of each check of a function."""
    explore(function)
    lines, first = inspect.getsourcelines(function)
    seen = set()
    for site in sites.numbers(__file__):
        for check in uses_of(site).checks:
            if first <= check.line < first + len(lines) and id(check) not in seen:
                seen.add(id(check))
                yield check.kind, check.line - first, len(check.under)


def test_an_assertion_is_a_term_over_what_is_read() -> None:
    assert (CheckKind.ASSERTION, 2, 0) in _checks(assertions)


def test_what_may_be_none_is_used_under_conditions() -> None:
    uses = [(line, under) for kind, line, under in _checks(guarded) if kind is CheckKind.NONE]
    assert (3, 1) in uses
    assert (6, 2) in uses


def test_what_a_handler_catches_is_no_failure() -> None:
    found = list(_checks(handled))
    assert not [line for kind, line, _ in found if kind in (CheckKind.NONE, CheckKind.MISSING) and line in (2, 3)]
    assert (CheckKind.RAISE, 7, 0) in found


def _run(*bodies: Callable[[], object]) -> None:
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_a_guard_that_is_read_once_predicts_nothing() -> None:
    """The same read decides whether the use is met: nothing fails if it is None."""
    box: Any = SimpleNamespace(item="a")

    def use() -> None:
        item = box.item
        if item is not None:
            item.upper()

    def scenario() -> None:
        box.item = "a"
        _run(use, lambda: setattr(box, "item", None))

    result = explore(scenario)
    assert not result.failures
    assert result.report.predictions.predicted == 0


def _predictions_in(name: str) -> tuple[bool, int, int, int, bool]:
    result: Result = explore(getattr(predicted, name), jobs=1, strategy="mcr")
    made = result.report.predictions
    return bool(result.failures), result.executions, made.predicted, made.confirmed, bool(made.ahead)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("program", "most", "predicted_failures"),
    [
        ("use_after_close", 2, 1),
        ("look_up_after_delete", 2, 1),
        ("torn_range", 20, 1),
        ("lost_payment", 5, 1),
        ("oversold", 20, 0),
        ("overdrawn", 40, 1),
    ],
)
def test_predicted_failures_come_true(program: str, most: int, predicted_failures: int) -> None:
    # In a process without other tests, which have finalisers: beside these each store is a look, too.
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as alone:
        fails, executions, made, confirmed, ahead = alone.submit(_predictions_in, program).result()
    assert fails
    assert executions <= most
    assert (made, confirmed) == (predicted_failures, predicted_failures)
    assert ahead


def test_a_prediction_that_does_not_come_true_is_no_failure() -> None:
    """Whoever calls what raises catches it, which is out of sight: then nothing fails."""
    stock: Any = SimpleNamespace(left=1)

    def take() -> None:
        if stock.left < 1:
            raise LookupError
        stock.left = stock.left - 1

    def careful() -> None:
        with contextlib.suppress(LookupError):
            take()

    def scenario() -> None:
        stock.left = 1
        _run(careful, careful)

    result = explore(scenario, jobs=1, strategy="auto")
    assert not result.failures
    assert result.report.verdict.value == "verified"
    assert result.report.predictions.confirmed == 0


def test_expressions_nested_by_the_hundred_are_left_alone(tmp_path: Path) -> None:
    """As generated code has them: neither the analysis nor what it makes may exhaust the stack."""
    program = tmp_path / "nested.py"
    chain = " + ".join(["total"] * 200)
    program.write_text(
        "import threading\n"
        "total = 0\n"
        f"def add():\n    global total\n    total = {chain} + 1\n    assert {' + '.join(['total'] * 30)} >= 0\n"
        "threads = [threading.Thread(target=add) for _ in range(2)]\n"
        "for thread in threads:\n    thread.start()\n"
        "for thread in threads:\n    thread.join()\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mazurka", "check", str(program), "--no-save", "--max-executions", "20", "--jobs", "1"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "20 executions" in done.stdout, done.stderr
