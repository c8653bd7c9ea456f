"""Kinds of order violations, one test each: from an execution that passes, by commands, with a message in the user's
terms, confirmed by a replay. Programs are recorded until the first thread comes first, as it nearly always does."""

from __future__ import annotations

import json
from typing import Any

import pytest

_PROGRAM = """
import os, queue, socket, threading
from concurrent.futures import ThreadPoolExecutor

import mazurka

{more}

def main():
    lock = threading.Lock()
    {made}

    def first():
        {first}

    def second():
        {second}

    threads = [threading.Thread(target=each) for each in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

main()
"""

_TOKEN = """
@mazurka.linearizable("context", "cancel", "err")
class Token:
    def __init__(self):
        self.error, self.lock = None, threading.Lock()

    def cancel(self):
        with self.lock:
            self.error = "canceled"

    def err(self):
        with self.lock:
            return self.error
"""

_POOL = """
@mazurka.linearizable("connection", "send", "close")
class Connection:
    def __init__(self):
        self.open, self.lock = True, threading.Lock()

    def send(self):
        with self.lock:
            if not self.open:
                raise OSError("closed")

    def close(self):
        with self.lock:
            self.open = False
"""


def _check(shell: Any, kind: str, sentence: str, made: str, first: str, second: str, more: str = "") -> None:
    program = _PROGRAM
    for name, text in {"made": made, "first": first, "second": second, "more": more}.items():
        program = program.replace(f"{{{name}}}", text)
    shell.write("program.py", program)
    found = _predicted(shell, kind, sentence)
    assert list(found) == [sentence]
    assert found[sentence]


def _predicted(shell: Any, kind: str, sentence: str) -> dict[str, bool]:
    """The sentences of all findings, and whether they are confirmed; of the first recording that has this one."""
    found: dict[str, bool] = {}
    for number in range(20):
        shell.run("record", "program.py", "-o", f"{number}.recording", status=0)
        command = ("predict", f"{number}.recording", "--kind", kind, "--confirm", "--format", "json")
        report = json.loads(shell.run(*command).stdout)
        assert not report["refused"]
        found = {each["explanation"]["sentence"]: each["replayed"] for each in report["findings"]}
        if sentence in found:
            break
    return found


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("made", "first", "second", "more", "sentence"),
    [
        pytest.param(
            'log = open("log.txt", "w")', 'with lock: log.write("done")', "with lock: log.close()", "",
            "0.2 calls TextIOWrapper#1.close() before 0.1 calls TextIOWrapper#1.write(), which then raises ValueError",
            id="file-used-after-close",
        ),
        pytest.param(
            "one, other = socket.socketpair()", 'with lock: one.send(b"x")', "with lock: one.close()", "",
            "0.2 calls socket#1.close() before 0.1 calls socket#1.send(), which then raises OSError",
            id="socket-used-after-close",
        ),
        pytest.param(
            "pool = ThreadPoolExecutor(1)", "pool.submit(abs, 1)", "pool.shutdown(wait=False)", "",
            "0.2 calls ThreadPoolExecutor#1.shutdown() before 0.1 calls ThreadPoolExecutor#1.submit('abs'), "
            "which then raises RuntimeError",
            id="task-submitted-after-shutdown",
        ),
        pytest.param(
            "ready = threading.Event()", "ready.set()", "ready.is_set()", "",
            "0.2 calls Event#1.is_set(), which then returns False and not True before 0.1 calls Event#1.set()",
            id="event-tested-before-it-is-set",
        ),
        pytest.param(
            "jobs = queue.SimpleQueue()", "jobs.put(1)", "jobs.empty()", "",
            "0.2 calls SimpleQueue#1.empty(), which then returns True and not False before "
            "0.1 calls SimpleQueue#1.put(1)",
            id="queue-found-empty",
        ),
        pytest.param(
            "token = Token()", "token.cancel()", "token.err()", _TOKEN,
            "0.2 calls Token#1.err(), which then returns None and not 'canceled' before 0.1 calls Token#1.cancel()",
            id="cancellation-read-too-early",
        ),
        pytest.param(
            "connection = Connection()", "connection.send()", "connection.close()", _POOL,
            "0.2 calls Connection#1.close() before 0.1 calls Connection#1.send(), which then raises OSError",
            id="object-of-the-users-own-used-after-close",
        ),
    ],
)  # fmt: skip
def test_calls_in_the_other_order(shell: Any, made: str, first: str, second: str, more: str, sentence: str) -> None:
    _check(shell, "call-orders", sentence, made, first, second, more)


def test_a_container_is_resized_while_a_thread_iterates_over_it(shell: Any) -> None:
    _check(
        shell,
        "atomicity",
        "0.2 changes the size of dict#1 while 0.1 iterates over it",
        "table = {1: 1, 2: 2}",
        "pass\n        for key in table:\n            with lock:\n                pass",
        "with lock:\n            table[3] = 3",
    )


def test_a_list_is_emptied_between_a_test_of_it_and_its_use(shell: Any) -> None:
    _check(
        shell,
        "atomicity",
        "0.2 gets between two accesses of list#1 by 0.1",
        "live = ['one', 'two']",
        "pass\n        if live:\n            live[1 % len(live)]",
        "live.remove('one')\n        live.remove('two')",
    )


def test_a_test_of_a_list_and_its_use_under_a_lock_belong_together(shell: Any) -> None:
    first = """with lock:
            if live:
                live[1 % len(live)]"""
    program = _PROGRAM.replace("{more}", "").replace("{made}", "live = ['one', 'two']").replace("{first}", first)
    shell.write("program.py", program.replace("{second}", "with lock: live.remove('one')"))
    shell.run("record", "program.py", status=0)
    said = shell.run("predict", "program.recording", "--kind", "atomicity", status=0).stdout
    assert "0 atomicity violations" in said


def test_two_iterations_are_not_taken_for_one(shell: Any) -> None:
    """A change between two iterations at one place is no error: here each has a lock around it."""
    first = """for _ in range(2):
            with lock:
                for key in table:
                    pass"""
    program = _PROGRAM.replace("{more}", "").replace("{made}", "table = {1: 1, 2: 2}").replace("{first}", first)
    shell.write("program.py", program.replace("{second}", "with lock: table[3] = 3"))
    shell.run("record", "program.py", status=0)
    said = shell.run("predict", "program.recording", "--kind", "atomicity", status=0).stdout
    assert "0 atomicity violations" in said


def test_an_object_is_published_before_it_is_complete(shell: Any) -> None:
    shell.write(
        "program.py",
        """
        import os, threading

        class Settings: ...

        class Holder:
            current = None

        holder = Holder()

        def publish():
            settings = Settings()
            holder.current = settings
            settings.size = 1

        def use():
            if holder.current is not None:
                print(holder.current.size)

        threads = [threading.Thread(target=each) for each in (publish, use)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        """,
    )
    sentence = "0.2 uses Settings#1.size before 0.1 has initialised it"
    assert _predicted(shell, "order-violations", sentence)[sentence]
