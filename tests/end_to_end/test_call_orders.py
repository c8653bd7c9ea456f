"""Calls that a recording has and that may come in the other order, by commands."""

from __future__ import annotations

import json
import shutil
from typing import Any

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
