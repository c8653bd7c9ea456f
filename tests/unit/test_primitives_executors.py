"""Executors: the abstract model, in which each task is a thread, against CPython's own code under the scheduler."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.program_modules import imported

from mazurka import api
from mazurka.program.python.primitives import executors

HEAD = """\
import concurrent.futures
import contextvars
import threading
import time
from concurrent.futures import ThreadPoolExecutor


def program():
    seen, lock, event, own = [], threading.Lock(), threading.Event(), threading.local()
    reentrant, variable = threading.RLock(), contextvars.ContextVar("variable")
"""

#: Body of a program -> whether each task is a thread of its own in it, to the end.
PROGRAMS = {
    "results": (
        """
        with ThreadPoolExecutor(2) as pool:
            futures = [pool.submit(pow, 2, n) for n in range(2)]
            return [each.result() for each in futures]
        """,
        True,
    ),
    "map": (
        """
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(seen.append, "ab")), seen
        """,
        True,
    ),
    "one worker takes turns": (
        """
        with ThreadPoolExecutor(1) as pool:
            for n in range(3):
                pool.submit(seen.append, n)
        return seen
        """,
        True,
    ),
    "none to cancel": (
        """
        pool = ThreadPoolExecutor(2)
        futures = [pool.submit(pow, 2, n) for n in range(2)]
        found = [each.result() for each in futures]
        pool.shutdown(cancel_futures=True)
        return found
        """,
        True,
    ),
    "errors": (
        """
        with ThreadPoolExecutor(2) as pool:
            future = pool.submit(int, "x")
            try:
                future.result()
            except ValueError as error:
                return str(error), future.done(), str(future.exception())
        """,
        True,
    ),
    "done": (
        """
        with ThreadPoolExecutor(1) as pool:
            future = pool.submit(seen.append, 1)
            return future.done()
        """,
        True,
    ),
    "running": (
        """
        with ThreadPoolExecutor(1) as pool:
            future = pool.submit(seen.append, 1)
            return future.running(), future.done()
        """,
        False,
    ),
    "the state, in words": (
        """
        with ThreadPoolExecutor(1) as pool:
            future = pool.submit(seen.append, 1)
            return repr(future).split("state=")[1]
        """,
        False,
    ),
    "the condition of a future": (
        """
        with ThreadPoolExecutor(1) as pool:
            future = pool.submit(int)
            with future._condition:
                return future._state, future._state
        """,
        False,
    ),
    "as they end, more than there are workers": (
        """
        with ThreadPoolExecutor(1) as pool:
            futures = [pool.submit(abs, n) for n in range(2)]
            return [each.result() for each in concurrent.futures.as_completed(futures)]
        """,
        True,
    ),
    "a callback": (
        """
        with ThreadPoolExecutor(1) as pool:
            future = pool.submit(seen.append, 1)
            future.add_done_callback(lambda done: seen.append(2))
            future.result()
            seen.append(3)
        return seen
        """,
        True,
    ),
    "cancelled": (
        """
        with ThreadPoolExecutor(1) as pool:
            futures = [pool.submit(seen.append, n) for n in range(2)]
            return futures[1].cancel(), seen
        """,
        False,
    ),
    "a value of its own": (
        """
        def task():
            seen.append(getattr(own, "value", None))
            own.value = 1
        with ThreadPoolExecutor(1) as pool:
            for n in range(2):
                pool.submit(task)
        return seen
        """,
        False,
    ),
    "a context variable": (
        """
        def task():
            seen.append(variable.get(None))
            variable.set(1)
        with ThreadPoolExecutor(1) as pool:
            for n in range(2):
                pool.submit(task)
        return seen
        """,
        False,
    ),
    "a lock left locked": (
        """
        with ThreadPoolExecutor(1) as pool:
            for n in range(2):
                pool.submit(reentrant.acquire)
        return "ended"
        """,
        False,
    ),
    "a name": (
        """
        with ThreadPoolExecutor(1) as pool:
            for n in range(2):
                pool.submit(lambda: seen.append(threading.current_thread().name))
        return seen
        """,
        False,
    ),
    "how many threads": (
        """
        with ThreadPoolExecutor(1) as pool:
            pool.submit(int)
            return threading.active_count()
        """,
        False,
    ),
    "a task that another one waits for, with one worker": (
        """
        with ThreadPoolExecutor(1) as pool:
            pool.submit(lambda: event.wait())
            pool.submit(event.set)
        """,
        True,
    ),
    "a task that submits": (
        """
        with ThreadPoolExecutor(1) as pool:
            pool.submit(lambda: pool.submit(int).result())
        """,
        True,
    ),
    "the queue": (
        """
        with ThreadPoolExecutor(1) as pool:
            pool.submit(int)
            return pool._work_queue.qsize()
        """,
        False,
    ),
}


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    with imported(tmp_path, monkeypatch, "executor_program", HEAD) as made:
        yield made


def outcomes(module: Any, strategy: str = "mcr") -> tuple[set[str], set[str], int]:
    """The results of the program, its failures, and the number of executions. (Threads of tasks that wait for one
    another in a cycle would otherwise wait for a worker.)"""
    seen: set[str] = set()
    result = api.explore(
        module.program,
        strategy=strategy,
        all_failures=True,
        jobs=1,
        at_end=lambda value: seen.add(repr(value)),
    )
    assert result.report.complete, result.report.reason
    kinds = {each.failure.kind.name for each in result.failures}
    return seen, {"BLOCKED" if each == "DEADLOCK" else each for each in kinds}, result.executions


@pytest.mark.sampled
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_as_cpythons_own_code(name: str, load: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    body, is_abstract = PROGRAMS[name]
    module = load(body)
    seen, failures, executions = outcomes(module)
    monkeypatch.setattr(executors, "_pool_of", lambda executor, models: None)
    *reached, concrete = outcomes(module)
    assert reached == [seen, failures]
    assert executions <= concrete
    assert (executions < concrete) == is_abstract or "waits" in name, (executions, concrete)


def explored(module: Any) -> Any:
    return api.explore(module.program, jobs=1, time_limit=5)


def test_tasks_that_share_nothing_need_one_execution(load: Any) -> None:
    result = explored(
        load(
            """
            with ThreadPoolExecutor(4) as pool:
                assert sum(pool.map(abs, range(8))) == 28
            """
        )
    )
    assert result.verdict is api.Verdict.VERIFIED
    assert result.executions == 1


def test_a_shared_counter_is_found_beyond_the_number_of_workers(load: Any) -> None:
    result = explored(
        load(
            """
            count = [0]
            def task():
                count[0] += 1
            with ThreadPoolExecutor(2) as pool:
                for n in range(4):
                    pool.submit(task)
            assert count[0] == 4
            """
        )
    )
    assert result.verdict is api.Verdict.VIOLATION, str(result)
    (found,) = result.failures
    assert found.witness is not None
    assert found.replayed


def test_too_few_workers_for_tasks_that_wait(load: Any) -> None:
    """The third task would set the event, but both workers wait for it."""
    result = explored(
        load(
            """
            pool = ThreadPoolExecutor(2)
            for task in (event.wait, event.wait, event.set):
                pool.submit(task)
            """
        )
    )
    assert [each.failure.kind.name for each in result.failures] in (["DEADLOCK"], ["BLOCKED"])


def test_too_few_workers_while_the_caller_holds_the_lock(load: Any) -> None:
    result = explored(
        load(
            """
            def task():
                with lock:
                    pass
            pool = ThreadPoolExecutor(2)
            with lock:
                for n in range(2):
                    pool.submit(task)
                pool.submit(int).result()
            """
        )
    )
    assert result.failures


def test_orders_that_the_workers_do_not_allow_are_no_failures(load: Any) -> None:
    """With two workers one of the first two tasks ends before the third begins."""
    result = explored(
        load(
            """
            def begin(number):
                seen.append(number)
                seen.append(-number)
            with ThreadPoolExecutor(2) as pool:
                for number in (1, 2, 3):
                    pool.submit(begin, number)
            before = seen[: seen.index(3)]
            assert -1 in before or -2 in before
            """
        )
    )
    assert not result.failures


def test_what_is_learnt_in_a_run_makes_its_failures_none(load: Any) -> None:
    """Only in one order the tasks look at what is the worker's own: the second one finds what the first has left."""
    result = explored(
        load(
            """
            def task():
                if seen:
                    own.count = getattr(own, "count", 0) + 1
                    seen.append(own.count)
            def begin():
                seen.append(0)
            with ThreadPoolExecutor(1) as pool:
                for n in range(2):
                    pool.submit(task)
                other = threading.Thread(target=begin)
                other.start()
                other.join()
            assert seen in ([0], [0, 1], [0, 1, 2])
            """
        )
    )
    assert result.verdict is api.Verdict.VERIFIED, str(result)


def test_a_task_submitted_after_something_was_learnt_is_run(load: Any) -> None:
    result = explored(
        load(
            """
            other = threading.Thread(target=seen.append, args=(0,))
            other.start()
            with ThreadPoolExecutor(1) as pool:
                first = pool.submit(int)
                if seen:
                    first.cancel()
                assert pool.submit(int).result() == 0
            other.join()
            """
        )
    )
    assert result.verdict is api.Verdict.VERIFIED, str(result)


@pytest.mark.parametrize(
    "way", ["wait(futures, return_when=concurrent.futures.FIRST_COMPLETED).done", "as_completed(futures)"]
)
def test_sets_of_futures_have_one_order(way: str, load: Any) -> None:
    """By address they had another one in each run: orders could not be followed, or were executed again and again."""
    result = explored(
        load(
            f"""
            with ThreadPoolExecutor(2) as pool:
                futures = [pool.submit(abs, n) for n in (1, 2)]
                assert [each.result() for each in concurrent.futures.{way}]
            """
        )
    )
    assert result.verdict is api.Verdict.VERIFIED, str(result)
    assert result.executions < 150


@pytest.mark.parametrize("strategy", ["dfs", "dpor", "mcr", "se-mcr", "auto"])
def test_the_end_of_main_refuses_later_submissions_of_other_threads(strategy: str, load: Any) -> None:
    module = load(
        """
        pool = ThreadPoolExecutor(1)

        def work():
            try:
                pool.submit(seen.append, "taken")
            except RuntimeError:
                seen.append("refused")

        threading.Thread(target=work).start()
        return seen
        """
    )
    ends: set[str] = set()
    result = api.explore(module.program, strategy=strategy, jobs=1, at_end=ends.update)
    assert result.verdict is api.Verdict.VERIFIED, str(result)
    assert ends == {"taken", "refused"}


def test_submissions_by_threads_that_are_joined_need_one_execution(load: Any) -> None:
    result = explored(
        load(
            """
            pool = ThreadPoolExecutor(1)
            thread = threading.Thread(target=lambda: pool.submit(int).result())
            thread.start()
            thread.join()
            """
        )
    )
    assert result.verdict is api.Verdict.VERIFIED
    assert result.executions == 1
