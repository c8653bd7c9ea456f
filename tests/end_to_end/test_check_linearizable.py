"""`mazurka spec check-linearizable`: marked classes are explored inside, two calls at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

_HEAD = """\
    import threading

    import mazurka


"""

_SET = """\
    @mazurka.linearizable("concurrent_set", "add", "contains", "size", state=lambda bag: frozenset(bag.items))
    class Bag:
        def __init__(self):
            self.items = []
            self.lock = threading.Lock()

        def add(self, item):
            {with_lock}
                if item in self.items:
                    return False
                self.items.append(item)
                return True

        def contains(self, item):
            return item in self.items

        def size(self):
            return len(self.items)
"""

#: Each call is right by itself, whichever is made first, but `read` goes by what its own thread has seen.
_STALE = """\
    @mazurka.linearizable("counter", "inc", "read", state=lambda counter: counter.value)
    class Stale:
        def __init__(self):
            self.value = 0
            self.lock = threading.Lock()
            self.local = threading.local()

        def inc(self):
            with self.lock:
                self.value += 1

        def read(self):
            if not hasattr(self.local, "value"):
                self.local.value = 0
            return self.local.value
"""

_RAISING = """\
    @mazurka.linearizable("queue", "enq", "deq", state=lambda queue: tuple(queue.items))
    class Queue:
        def __init__(self):
            self.items = []

        def enq(self, item):
            self.items.append(item)

        def deq(self):
            return self.items.pop(0) if self.items else None
"""

_WITHOUT_STATE = """\
    @mazurka.linearizable("counter", "inc")
    class Counter:
        def inc(self):
            self.value = 1
"""


def _said(shell: Shell, source: str, status: int) -> str:
    shell.write("marked.py", _HEAD + source)
    return shell.run("spec", "check-linearizable", "marked.py", status=status).stdout


def test_calls_under_a_lock(shell: Shell) -> None:
    told = _said(shell, _SET.format(with_lock="with self.lock:"), 0)
    assert told.startswith(
        "Bag (concurrent_set): linearizable, for any two of 5 calls at once in 4 states (60 clients, "
    )


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (
            _SET.format(with_lock="if True:"),
            "Bag (concurrent_set): not linearizable: add(0) || add(0) return True and True, and leave frozenset({0}): "
            "no order of the two has this outcome\n",
        ),
        (
            _STALE,
            "Stale (counter): not linearizable: inc() || read() return None and 0, and leave 1: "
            "the outcome of the other order of the two\n",
        ),
        (
            _RAISING,
            "Queue (queue): not linearizable: deq() || deq() after enq(0) return 0 and raised('IndexError'), and leave "
            "(): no order of the two has this outcome\n",
        ),
    ],
    ids=["no lock", "stale", "raises"],
)
def test_calls_that_are_no_steps(shell: Shell, source: str, words: str) -> None:
    assert _said(shell, source, 1) == words


def test_what_can_not_be_known(shell: Shell) -> None:
    told = _said(shell, _WITHOUT_STATE, 0)
    assert told == "Counter (counter): inconclusive: it has no `state=`, or no object can be made without arguments\n"


def test_a_file_without_marked_classes(shell: Shell) -> None:
    shell.write("plain.py", "value = 1\n")
    done = shell.run("spec", "check-linearizable", "plain.py", status=2)
    assert "no class is marked in this file" in done.stderr
