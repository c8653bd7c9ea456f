"""Visible properties of threads and primitives: attributes, texts, names with numbers."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.outside_programs import explored

from mazurka.report.check_report import Verdict

#: Programs that fail if another thread comes in between.
RACES = {
    "an event's text": """
        event = threading.Event()
        run(event.set, lambda: repr(event).index("unset"))
    """,
    "a lock's text": """
        lock = threading.Lock()
        def work():
            with lock:
                pass
        run(work, lambda: repr(lock).index("unlocked"))
    """,
    "a reentrant lock's text": """
        lock = threading.RLock()
        def work():
            with lock:
                pass
        run(work, lambda: repr(lock).index("unlocked"))
    """,
    "a semaphore's text": """
        semaphore = threading.Semaphore(1)
        run(semaphore.acquire, lambda: repr(semaphore).index("value=1"))
    """,
    "a condition's text": """
        condition = threading.Condition()
        def work():
            with condition:
                condition.wait(0.01)
        run(work, lambda: repr(condition).index(", 0)"))
    """,
    "a thread's text": """
        thread = threading.Thread(target=int)
        run(thread.start, lambda: repr(thread).index("initial"))
        thread.join()
    """,
    "a thread's identifier": """
        thread = threading.Thread(target=int)
        def look():
            assert thread.ident is None
        run(thread.start, look)
        thread.join()
    """,
    "a daemon too late": """
        thread = threading.Thread(target=int)
        def change():
            thread.daemon = True
        run(thread.start, change)
        thread.join()
    """,
    "a thread's name": """
        names = []
        thread = threading.Thread(target=lambda: names.append(threading.current_thread().name), name="x")
        thread.start()
        thread.name = "y"
        thread.join()
        assert names == ["x"]
    """,
    "where a name is kept": """
        names = []
        thread = threading.Thread(target=lambda: names.append(threading.current_thread().name), name="x")
        thread.start()
        thread._name = "y"
        thread.join()
        assert names == ["x"]
    """,
    "numbers of threads": """
        names = {}
        def work(key):
            names[key] = threading.Thread(target=int).name
        run(lambda: work("a"), lambda: work("b"))
        assert names["a"] < names["b"]
    """,
    "numbers of pools": """
        from concurrent.futures import ThreadPoolExecutor
        names = {}
        def work(key):
            with ThreadPoolExecutor(1) as pool:
                names[key] = pool.submit(lambda: threading.current_thread().name).result()
        run(lambda: work("a"), lambda: work("b"))
        assert names["a"] < names["b"]
    """,
}

#: Programs that do not, whatever comes in between.
CORRECT = {
    "texts": """
        lock, event, semaphore = threading.Lock(), threading.Event(), threading.Semaphore(2)
        def work():
            with lock:
                assert "locked" in repr(lock)
            event.set()
            assert ": set" in repr(event)
            assert "value=" in repr(semaphore)
            assert "started" in repr(threading.current_thread())
        run(work, work)
    """,
    "names": """
        names = []
        def work(name):
            threading.current_thread().name = name
            names.append(threading.current_thread().name)
            inner = threading.Thread(target=int)
            inner.start()
            assert inner.name and inner.ident and not inner.daemon
            inner.join()
        run(lambda: work("a"), lambda: work("b"))
        assert sorted(names) == ["a", "b"]
    """,
    "what a subclass calls": """
        class Worker(threading.Thread):
            def __init__(self, function):
                super().__init__()
                self._target = function
            def run(self):
                self._target()
                del self._target
        workers = [Worker(int), Worker(str)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    """,
    "a subclass": """
        class Worker(threading.Thread):
            def __init__(self, name):
                super().__init__(daemon=True)
                self._name = name
                self._state = 0
            def run(self):
                assert self.name == self._name
                self._state = self.ident
        workers = [Worker("a"), Worker("b")]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
            assert worker._state == worker.ident
    """,
}

#: Uses of private attributes of CPython.
PRIVATE = {
    "Condition._waiters": """
        condition = threading.Condition()
        def work():
            with condition:
                condition.wait(0.01)
        run(work, lambda: len(condition._waiters))
    """,
    "Thread._started": """
        thread = threading.Thread(target=int)
        run(thread.start, lambda: thread._started.is_set())
        thread.join()
    """,
    "Future._state": """
        from concurrent.futures import Future
        future = Future()
        run(lambda: future.set_result(1), lambda: future._state)
    """,
    "ThreadPoolExecutor._threads": """
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(1) as pool:
            pool.submit(int)
            len(pool._threads)
    """,
    "a thread's target or arguments": """
        thread = threading.Thread(target=int)
        thread.start()
        thread._args = (2,)
        thread.join()
    """,
    "a thread's target or arguments, once it was started": """
        timer = threading.Timer(0.01, int)
        timer.start()
        timer.args = (2,)
        timer.join()
    """,
    "assignment to Semaphore._value": """
        semaphore = threading.Semaphore(1)
        run(semaphore.acquire, lambda: setattr(semaphore, "_value", 2))
    """,
    "_at_fork_reinit() of a lock": """
        lock = threading.Lock()
        def work():
            with lock:
                pass
        run(work, lambda: lock._at_fork_reinit())
    """,
    "Event._at_fork_reinit()": """
        event = threading.Event()
        run(event.is_set, lambda: event._at_fork_reinit())
    """,
    "assignment to Queue.queue": """
        import queue
        items = queue.Queue()
        run(lambda: items.put(1), lambda: setattr(items, "queue", type(items.queue)()))
    """,
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", RACES)
def test_what_comes_in_between_is_found(name: str, tmp_path: Path) -> None:
    assert explored(tmp_path, RACES[name]).verdict is Verdict.VIOLATION


@pytest.mark.sampled
@pytest.mark.parametrize("name", CORRECT)
def test_correct_programs_are_verified(name: str, tmp_path: Path) -> None:
    result = explored(tmp_path, CORRECT[name])
    assert result.verdict is Verdict.VERIFIED, result


@pytest.mark.sampled
@pytest.mark.parametrize("use", PRIVATE)
def test_uses_of_private_attributes_are_untracked(use: str, tmp_path: Path) -> None:
    result = explored(tmp_path, PRIVATE[use])
    assert result.verdict is Verdict.INCONCLUSIVE, result
    assert use in str(result)
