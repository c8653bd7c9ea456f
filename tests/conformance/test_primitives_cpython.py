"""CPython's own tests of its primitives, run inside runtime runs against the models.

They are imported from the running Python's ``test`` package, each test case in a run of its own. Tests that wait by
looking at the clock assume fair threads, so a test counts as passed if it passes in the default order or in one of
a few random ones.
"""

from __future__ import annotations

import gc
import importlib
import logging
import re
import sys
import unittest
import warnings
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from importlib.util import find_spec
from inspect import getsource
from io import StringIO
from typing import Any, Final

import pytest
from tests.unit.primitive_runs import installed, random_plans, run

from mazurka.program.protocol import Plan
from mazurka.program.python import primitives
from mazurka.program.runtime.task import POOL_POINTS, Learned

MODULES = (
    "test.test_threading",
    "test.test_thread",
    "test.test_threading_local",
    "test.test_queue",
    "test.test_sched",
    "test.test_concurrent_futures.test_thread_pool",
    "test.test_concurrent_futures.test_wait",
    "test.test_concurrent_futures.test_as_completed",
    "test.test_concurrent_futures.test_future",
    "test.test_concurrent_futures.test_shutdown",
)

#: Test ids (as patterns) that say nothing about the models, and why.
EXCLUDED = {
    r"ThreadJoinOnShutdown|Subinterp|InterruptMain|AtexitTests": "look at processes and interpreters, not at threads",
    r"Process|Spawn|Fork(?!ed)|_fork|MultiprocessingQueue": "start processes",
    r"InterpreterPool": "start interpreters",
    r"test_set_name|test_change_name": "look at the names that the system knows its threads by",
    r"_sizeof": "measure objects",
    r"many_threads": "passes 65,536 messages, which is beyond a run's limit of steps",
    r"ExceptHookTests.test_excepthook(_thread_None)?$": "expects the default hook's text; a run reports instead",
    r"ExceptHookTests.test_custom_excepthook$": "compares tracebacks, which grow on the way to the runtime",
    r"test_foreign_thread|test_ident_of_no_threading|test_limbo_cleanup": "read threading._active and _limbo",
    r"test_shutdown_locks|test_tstate_lock|test_is_alive_after": "read 3.12's tstate locks",
    r"CSimpleQueueTest.test_reentrancy": "depends on when the collector runs",
    r"ThreadPoolShutdownTest.test_cancel_futures": "counts how far a real pool gets in a tenth of a second",
    r"FailingInitializer|ThreadPoolExecutorTest.test_hang|test_interpreter_shutdown": "run in a process of their own",
}

#: Names in the source of tests that leave the process or the language.
OUTSIDE = re.compile(
    r"script_helper|assert_python|os\.fork|_forked_|interpreters|run_in_subinterp|_testcapi|_testinternalcapi|signal|"
    r"subprocess|requires_fork|import_module|_run_and_join|getswitchinterval"
)


def is_excluded(case: Any) -> bool:
    name = case.id()
    if any(re.search(pattern, name) for pattern in EXCLUDED):
        return True
    try:
        source = getsource(getattr(case, case._testMethodName))
    except (OSError, TypeError):
        return False
    return OUTSIDE.search(source) is not None


def cases(suite: Any) -> Iterator[Any]:
    for entry in suite:
        if isinstance(entry, unittest.TestSuite):
            yield from cases(entry)
        else:
            yield entry


#: Marks of single objects whose models have given way are below all others.
_LEAST_MARK: Final = 1000


def complaint(case: Any, plan: Plan) -> str:
    """Why a test case does not pass in a run; empty if it does. One for which a model gives way to CPython's own code,
    as it looks into an executor, or waits with a limit for futures to be completed, begins anew."""
    learned = Learned()
    run(lambda: case.run(unittest.TestResult()), plan, learned)
    result = unittest.TestResult()
    known = {point for point in learned.points if point == POOL_POINTS or point < -_LEAST_MARK}
    outcome = run(lambda: case.run(result), plan, Learned(known))
    texts = [text for _, text in (*result.failures, *result.errors)]
    texts += [str(failure.message) for failure in outcome.failures]
    return "\n".join(texts) + outcome.runtime.truncated


#: A local of `_threading_local` that dies after its run misses its key in the main thread, which was put back.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture
def models() -> Iterator[None]:
    with installed():
        yield


@pytest.fixture
def little_to_collect() -> Iterator[None]:
    """These tests collect garbage hundreds of times: older objects need no look."""
    gc.freeze()
    yield
    gc.unfreeze()


def is_there(name: str) -> bool:
    """Older versions have other files, and some installations leave the tests out."""
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.usefixtures("models", "little_to_collect")
@pytest.mark.parametrize("name", [name for name in MODULES if is_there(name)])
def test_cpythons_own_tests_pass(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging.root, "handlers", [])  # pytest's would take the output on stderr
    with warnings.catch_warnings(), redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        warnings.simplefilter("ignore")
        module: Any = importlib.import_module(name)
        primitives.install()  # covers the modules that were imported with it
        undo = primitives.adopt(module)
        if name == "test.test_queue":  # takes the C queue from a second copy of the module, which is not replaced
            module.CSimpleQueueTest.queue = sys.modules["queue"]
        failed: dict[str, str] = {}
        passed = 0
        for case in cases(unittest.defaultTestLoader.loadTestsFromModule(module)):
            if is_excluded(case):
                continue
            text = complaint(case, Plan())
            if text and all(complaint(case, plan) for plan in random_plans(3)):
                failed[case.id()] = text[-1500:]
            else:
                passed += 1
        undo()
    assert not failed, "\n".join(f"{name}\n{text}" for name, text in failed.items())
    assert passed >= 5
