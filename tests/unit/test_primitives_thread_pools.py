"""``multiprocessing.pool.ThreadPool``: the abstract model, in which each task is a thread, against CPython's own code.

CPython's pool has so many threads that no search of it ends. So its orders are sampled, under the scheduler and on real
threads: the model has to reach all their outcomes, and each program lists the possible ones.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.program_modules import imported

from mazurka import api
from mazurka.program.python.primitives import thread_pools

HEAD = """\
import multiprocessing
import threading
import time
from multiprocessing.pool import ThreadPool


def program():
    seen, lock, event = [], threading.Lock(), threading.Event()
    def fail(number):
        raise ValueError(number)
    def numbers(count):
        for number in range(count):
            seen.append(number)
            yield number
"""

#: Body of a program -> all that it may return.
PROGRAMS: dict[str, tuple[str, set[str]]] = {
    "map": (
        """
        with ThreadPool(2) as pool:
            return pool.map(abs, [-1, 2])
        """,
        {"[1, 2]"},
    ),
    "starmap": (
        """
        with ThreadPool(2) as pool:
            return pool.starmap(pow, [(2, 3), (3, 2)])
        """,
        {"[8, 9]"},
    ),
    "map with effects": (
        """
        with ThreadPool(2) as pool:
            pool.map(seen.append, "ab")
        return "".join(seen)
        """,
        {"'ab'", "'ba'"},
    ),
    "an empty map": (
        """
        with ThreadPool(2) as pool:
            pool.apply(abs, (1,))
            result = pool.map_async(abs, [])
            return result.ready(), result.get()
        """,
        {"(True, [])"},
    ),
    "one worker": (
        """
        with ThreadPool(1) as pool:
            pool.map(seen.append, "abc", 1)
        return "".join(seen)
        """,
        {"'abc'"},
    ),
    "results": (
        """
        with ThreadPool(2) as pool:
            results = [pool.apply_async(pow, (2, n)) for n in range(2)]
            return [each.get(timeout=5) for each in results]
        """,
        {"[1, 2]"},
    ),
    "a failure": (
        """
        with ThreadPool(2) as pool:
            result = pool.apply_async(fail, (1,))
            result.wait()
            return result.successful(), result._value.args
        """,
        {"(False, (1,))"},
    ),
    "the first failure": (
        """
        with ThreadPool(2) as pool:
            try:
                pool.map(fail, [1, 2])
            except ValueError as error:
                return error.args
        """,
        {"(1,)", "(2,)"},
    ),
    "StopIteration": (
        """
        def stop(number):
            if number == 2:
                raise StopIteration
            return number
        with ThreadPool(1) as pool:
            return pool.map(stop, [1, 2], 2)
        """,
        {"[1]"},
    ),
    "a list that changes": (
        """
        numbers = [1, 2]
        with ThreadPool(2) as pool:
            result = pool.map_async(abs, numbers)
            numbers[1] = 5
            return result.get()
        """,
        {"[1, 2]", "[1, 5]"},
    ),
    "callbacks": (
        """
        with ThreadPool(2) as pool:
            for each in [pool.apply_async(int, (n,), callback=seen.append) for n in "12"]:
                each.wait()
        return seen
        """,
        {"[1, 2]", "[2, 1]"},
    ),
    "a callback beside the next task": (
        """
        with ThreadPool(1) as pool:
            first = pool.apply_async(seen.append, "a", callback=lambda _: seen.append("called"))
            second = pool.apply_async(seen.append, "b")
            first.wait()
            second.wait()
        return seen
        """,
        {"['a', 'called', 'b']", "['a', 'b', 'called']"},
    ),
    "callbacks of maps, and of failures": (
        """
        with ThreadPool(3) as pool:
            done = pool.map_async(abs, [1, 2], 1, callback=seen.append)
            failed = pool.apply_async(fail, (3,), error_callback=lambda error: seen.append(error.args[0]))
            done.wait()
            failed.wait()
        return seen
        """,
        {"[[1, 2], 3]", "[3, [1, 2]]"},
    ),
    "imap": (
        """
        with ThreadPool(2) as pool:
            return list(pool.imap(abs, [3, 2]))
        """,
        {"[3, 2]"},
    ),
    "imap_unordered": (
        """
        with ThreadPool(2) as pool:
            return list(pool.imap_unordered(abs, range(2)))
        """,
        {"[0, 1]", "[1, 0]"},
    ),
    "imap in chunks": (
        """
        with ThreadPool(2) as pool:
            return list(pool.imap(abs, range(3), chunksize=2))
        """,
        {"[0, 1, 2]"},
    ),
    "imap goes through a generator meanwhile": (
        """
        with ThreadPool(2) as pool:
            results = pool.imap(abs, numbers(2))
            next(results)
            taken = len(seen)
            list(results)
        return taken
        """,
        {"1", "2"},
    ),
    "imap of a generator that fails": (
        """
        def number():
            yield 1
            raise ValueError(2)
        with ThreadPool(2) as pool:
            results = pool.imap(abs, number())
            try:
                while True:
                    seen.append(next(results))
            except ValueError as error:
                return seen, error.args
        """,
        {"([1], (2,))"},
    ),
    "closed": (
        """
        pool = ThreadPool(2)
        pool.apply_async(seen.append, "a")
        pool.close()
        try:
            pool.apply(abs, (1,))
        except ValueError as error:
            seen.append(str(error))
        pool.join()
        return sorted(seen)
        """,
        {"['Pool not running', 'a']"},
    ),
    "polling": (
        """
        with ThreadPool(2) as pool:
            result = pool.apply_async(abs, (1,))
            while not result.ready():
                time.sleep(0.1)
            return result.get()
        """,
        {"1"},
    ),
    "a task that submits": (
        """
        with ThreadPool(2) as pool:
            return pool.apply(lambda: pool.apply(abs, (-1,)))
        """,
        {"1"},
    ),
    "terminated with tasks under way": (
        """
        with ThreadPool(1) as pool:
            pool.apply_async(seen.append, "a")
            pool.apply_async(seen.append, "b")
        pool.join()
        return "".join(seen)
        """,
        {"''", "'a'", "'ab'"},
    ),
    "multiprocessing.dummy": (
        """
        import multiprocessing.dummy
        with multiprocessing.dummy.Pool(2) as pool:
            return pool.map(abs, (1, 2))
        """,
        {"[1, 2]"},
    ),
}


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    with imported(tmp_path, monkeypatch, "thread_pool_program", HEAD) as made:
        yield made


@pytest.mark.sampled
@pytest.mark.parametrize("name", PROGRAMS)
def test_all_that_cpythons_own_code_comes_to(name: str, load: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    body, expected = PROGRAMS[name]
    module = load(body)
    seen: set[str] = set()
    result = api.explore(module.program, strategy="auto", jobs=1, at_end=lambda value: seen.add(repr(value)))
    assert result.verdict is api.Verdict.VERIFIED, str(result)
    assert seen == expected
    monkeypatch.setattr(thread_pools, "_is_covered", lambda *_: False)
    sampled: set[str] = set()
    sampling = {"strategy": "random", "max_executions": 25, "jobs": 1}
    result = api.explore(module.program, **sampling, at_end=lambda value: sampled.add(repr(value)))
    assert not result.failures, str(result)
    assert sampled
    assert sampled <= expected


@pytest.mark.parametrize("name", PROGRAMS)
def test_all_that_real_threads_come_to(name: str, load: Any) -> None:
    body, expected = PROGRAMS[name]
    module, before = load(body), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        seen = {repr(module.program()) for _ in range(20)}
    finally:
        sys.setswitchinterval(before)
    assert seen <= expected


#: Programs of which CPython's own code decides.
BEYOND = {
    "an initializer": "ThreadPool(1, seen.append, (1,)).apply(abs, (1,))",
    "a result of a pool that is terminated": (
        "pool = ThreadPool(1); result = pool.apply_async(abs, (1,)); pool.terminate(); result.wait(1)"
    ),
    "who runs a task": "ThreadPool(1).apply(threading.current_thread)",
    "closed beside a submission": """
        pool = ThreadPool(2)
        closing = threading.Thread(target=pool.close)
        closing.start()
        try:
            return pool.apply(abs, (1,))
        except ValueError as error:
            return str(error)
        finally:
            closing.join()
            pool.join()
    """,
    "a worker that ends": "ThreadPool(1).apply_async(exit).wait(1)",
    "a subclass": "type('Other', (ThreadPool,), {})(1).apply(abs, (1,))",
    "a timeout of imap": "ThreadPool(1).imap(abs, [1]).next(timeout=1)",
}


@pytest.mark.sampled
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", BEYOND)
def test_what_the_model_does_not_cover_is_never_verified(name: str, load: Any) -> None:
    result = api.explore(load(BEYOND[name]).program, strategy="mcr", jobs=1, max_executions=20)
    assert result.verdict is not api.Verdict.VERIFIED, str(result)


def test_a_pool_in_a_forked_child_is_terminated(load: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """`multiprocessing` finalizes nothing in a process that is not the one which made it."""
    monkeypatch.setattr(thread_pools, "_is_covered", lambda *_: False)
    body = """
        with ThreadPool(1) as pool:
            pool.apply_async(seen.append, "a")
        pool.join()
    """
    result = api.explore(load(body).program, strategy="random", max_executions=10, isolation="fork", jobs=1)
    assert not result.failures, str(result)


def test_a_race_between_tasks(load: Any) -> None:
    result = api.explore(
        load(
            """
            count = {"tasks": 0}
            def task(number):
                count["tasks"] += 1
            with ThreadPool(4) as pool:
                pool.map(task, range(8))
            assert count["tasks"] == 8
            """
        ).program,
        jobs=1,
    )
    (found,) = result.failures
    assert found.witness is not None
    assert found.replayed


def test_tasks_that_share_nothing_need_one_execution(load: Any) -> None:
    result = api.explore(
        load(
            """
            with ThreadPool(4) as pool:
                assert sum(pool.map(abs, range(8))) == 28
            """
        ).program,
        jobs=1,
    )
    assert result.verdict is api.Verdict.VERIFIED, str(result)
    assert result.executions == 1
