"""Calls that a recording has and that may come in the other order, by commands."""

from __future__ import annotations

import json
import queue
import shutil
from typing import Any

import pytest

_LIBRARY = """
import threading

def main():
    stopping, log, lock = threading.Event(), open("log.txt", "w"), threading.Lock()

    def work():
        try:
            with lock:
                log.write("done")
        except ValueError:
            pass
        stopping.set()

    def end():
        with lock:
            log.close()

    def look():
        return stopping.is_set() or stopping.wait(0.001)

    threads = [threading.Thread(target=each) for each in (work, end, look)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

main()
"""


def test_calls_of_the_library_need_no_marks(shell: Any) -> None:
    """Whichever comes first when it is recorded, the other order is another one; locks do not help."""
    shell.write("library.py", _LIBRARY)
    shell.run("record", "library.py")
    report = json.loads(
        shell.run(
            "predict", "library.recording", "--kind", "call-orders", "--confirm", "--format", "json", status=1
        ).stdout
    )
    calls = {
        frozenset(target.split(".")[-1].partition("(")[0] for target in each["targets"]) for each in report["findings"]
    }
    assert frozenset({"write", "close"}) in calls
    assert {frozenset({"set", "is_set"})} & calls
    assert all(finding["witness"]["checked"] for finding in report["findings"])
    assert not report["refused"]
    assert all(finding["replayed"] for finding in report["findings"])


_QUEUES = """
import queue, threading

def main():
    jobs, results, last = queue.Queue(), queue.SimpleQueue(), queue.PriorityQueue()

    def work():
        jobs.put(max(1, 2))
        results.put(["done"])
        add = last.put
        add((1, None))

    def take(each):
        try:
            each.get(timeout=min(0.1, 0.2))
        except queue.Empty:
            pass

    def look():
        take(jobs), take(results), take(last)

    def write(log):
        try:
            log.write("done")
        except ValueError:
            pass

    def log():
        with open("log.txt", "w") as file:
            threads.append(threading.Thread(target=write, args=(file,)))
            threads[-1].start()

    threads = [threading.Thread(target=each) for each in (work, look, log)]
    for thread in list(threads):
        thread.start()
    for thread in threads:
        thread.join()

main()
"""


def test_queues_and_the_end_of_a_with_need_no_marks(shell: Any) -> None:
    shell.write("queues.py", _QUEUES)
    shell.run("record", "queues.py")
    command = ("predict", "queues.recording", "--kind", "call-orders", "--confirm", "--format", "json")
    report = json.loads(shell.run(*command, status=1).stdout)
    calls = {
        (target.partition("#")[0], target.split(".")[-1].partition("(")[0])
        for each in report["findings"]
        for target in each["targets"]
    }
    assert calls == {
        *((kind, method) for kind in ("Queue", "SimpleQueue", "PriorityQueue") for method in ("put", "get_nowait")),
        *(("TextIOWrapper", method) for method in ("write", "close")),
    }
    assert not report["refused"]
    assert all(finding["replayed"] for finding in report["findings"])


_SHUT_DOWN = """
import queue, threading

def main():
    jobs = queue.Queue()

    def work():
        try:
            jobs.put("job")
        except queue.ShutDown:
            pass

    threads = [threading.Thread(target=each) for each in (work, lambda: jobs.shutdown(immediate=False))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

main()
"""

if hasattr(queue.Queue, "shutdown"):

    def test_a_job_after_the_shutdown_of_a_queue(shell: Any) -> None:
        shell.write("shut.py", _SHUT_DOWN)
        shell.run("record", "shut.py")
        said = shell.run("predict", "shut.recording", "--kind", "call-orders", "--confirm", status=1).stdout
        assert "ShutDown" in said
        assert "confirmed by a replay" in said


_CONDITION = """
import threading

def main():
    condition = threading.Condition()

    def wait():
        with condition:
            condition.wait()

    def notify():
        while not condition._waiters:  # this the recording does not know
            pass
        with condition:
            condition.notify()

    threads = [threading.Thread(target=each) for each in (wait, notify)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

main()
"""


def test_a_notification_before_the_wait_is_lost(shell: Any) -> None:
    shell.write("condition.py", _CONDITION)
    shell.run("record", "condition.py")
    said = shell.run("predict", "condition.recording", "--kind", "call-orders", status=1).stdout
    assert "which then is not woken by it: the notification is lost" in " ".join(said.split())
    assert "1 call order violation\n" in said
    assert "0 undecided" in said


@pytest.mark.parametrize("waiting", ["condition.wait_for(lambda: True)", "condition.wait(0.001)"])
def test_of_a_condition_with_other_waits_nothing_is_said(shell: Any, waiting: str) -> None:
    """Who is woken then is not known."""
    program = _CONDITION.replace("condition.wait()", waiting).replace("not condition._waiters", "False")
    shell.write("condition.py", program)
    shell.run("record", "condition.py")
    said = shell.run("predict", "condition.recording", "--kind", "call-orders", "--confirm").stdout
    assert "notification is lost" not in said


_POOL = """
import threading
from concurrent.futures import ThreadPoolExecutor

def main():
    pool, lock = ThreadPoolExecutor(2), threading.Lock()

    def work():
        with lock:
            pool.submit(abs, 1)

    def end():
        with lock:
            pool.shutdown(wait=False)

    threads = [threading.Thread(target=each) for each in (work, end)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

main()
"""


def test_a_task_after_the_pool_was_shut_down(shell: Any) -> None:
    """As soon as a recording has the task submitted first, which is nearly always."""
    shell.write("pool.py", _POOL)
    for _ in range(20):
        shell.run("record", "pool.py")
        said = shell.run("predict", "pool.recording", "--kind", "call-orders").stdout
        if "submit('abs')" in said:
            break
        shutil.rmtree(shell.folder / "pool.recording")
    assert "ThreadPoolExecutor#1.submit('abs'), which then raises RuntimeError" in " ".join(said.split())


_MARKED = """
import mazurka, threading

@mazurka.linearizable("stack", "push", "pop")
class Stack:
    def __init__(self): self.items, self.lock = [], threading.Lock()
    def push(self, v):
        with self.lock: self.items.append(v)
    def pop(self):
        with self.lock: return self.items.pop() if self.items else None

def main():
    stack = Stack()
    threads = [threading.Thread(target=stack.push, args=(1,)), threading.Thread(target=stack.pop)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()

main()
"""


def test_calls_of_marked_classes_are_taken_for_what_they_mean(shell: Any) -> None:
    shell.write("marked.py", _MARKED)
    shell.run("record", "marked.py")
    said = shell.run("predict", "marked.recording", "--kind", "call-orders", "--confirm", status=1).stdout
    assert "call order: " in said
    assert "which then returns" in said
    assert "1 call order violation\n" in said
    assert "0 undecided" in said
    assert "confirmed by a replay" in said
