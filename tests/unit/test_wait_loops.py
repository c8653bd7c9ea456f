"""Loops that wait for conditions: searches by conflicts leave out passes that wait again, and nothing that shows.

Each program is held to ``dfs``. ``executions`` is the number of those of ``dpor``, or None for programs in which loops
are executed as they are.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.oracle.shown_outcomes import explored

from mazurka.program.python.primitives.wait_loops import WaitLoop

_HEAD = """\
import threading

condition = threading.Condition()
n, out, items, d = 0, [], [], {}


class Box:
    pass


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads: each.start()
    for each in threads: each.join()


def wait():
    with condition:
        while n < 1: condition.wait()
        out.append(n)


def change():
    global n
    with condition: n += 1; condition.notify_all()


"""

#: By name: the program, and the number of executions with `dpor`.
_PROGRAMS: dict[str, tuple[str, int | None]] = {
    "one waits": ("run(wait, change)", 1),
    "the one that notifies is a loop, too": (
        """
def put():
    with condition:
        while items: condition.wait()
        items.append(1); condition.notify_all()
def get():
    with condition:
        while not items: condition.wait()
        out.append(items.pop()); condition.notify_all()
run(get, put, get, put)
print(out)
""",
        1,
    ),
    "a lock taken twice": (
        """
def get():
    with condition:
        with condition:
            while "k" not in d: condition.wait()
            out.append(d.pop("k")); condition.notify_all()
def put():
    with condition: d["k"] = 1; condition.notify_all()
run(get, put)
print(out)
""",
        2,
    ),
    "a barrier: the first pass is made": (
        """
def arrive():
    global n
    with condition:
        n += 1; condition.notify_all()
        while n < 2: condition.wait()
    out.append(n)
run(arrive, arrive)
print(out)
""",
        2,
    ),
    "a lock": (
        """
def take():
    global n
    with condition:
        while n: condition.wait()
        n = 1
    out.append(0)
    with condition: n = 0; condition.notify_all()
run(take, take)
print(out)
""",
        1,
    ),
    "an attribute of a thread": (
        """
class Worker(threading.Thread):
    def __init__(self):
        super().__init__()
        self._ready = 0
    def run(self):
        with condition:
            while not self._ready: condition.wait()
            out.append(self._ready)
def allow():
    with condition: worker._ready = 1; condition.notify_all()
worker = Worker()
worker.start()
run(allow)
worker.join()
""",
        1,
    ),
    "an attribute of a module": (
        """
import sys
me = sys.modules[__name__]
def get():
    with condition:
        while not me.n: condition.wait()
        out.append(n)
def quiet():
    global n
    with condition: n = 1
run(get, quiet, change)
""",
        None,
    ),
    "a turn is taken, of which only others hear": (
        """
def take(k):
    global n
    with condition:
        while n != k: condition.wait()
        n += 1
    out.append(n)
run(lambda: take(0), lambda: take(1))
""",
        None,
    ),
    "no notification": ("def quiet():\n    global n\n    with condition: n += 1\nrun(wait, change, quiet)", None),
    "not under the lock": ("def quiet():\n    global n\n    n = 1\nrun(wait, change, quiet)", None),
    "the notification comes later": (
        "def later():\n    global n\n    with condition: n = 1\n    change()\nrun(wait, later)",
        None,
    ),
    "notify": (
        "def one():\n    global n\n    with condition: n += 1; condition.notify()\nrun(wait, wait, one)",
        None,
    ),
    "single notifications": (
        """
def get():
    with condition:
        while not items: condition.wait()
        out.append(items.pop(0))
def put():
    with condition: items.append(1); condition.notify()
run(get, get, put, put)
print(out)
""",
        3,
    ),
    "single notifications of two conditions": (
        """
full = threading.Condition(condition._lock)
def get():
    with condition:
        while not items and n < 2: condition.wait()
        out.append(items.pop(0) if items else None); full.notify()
def put():
    global n
    with condition:
        while len(items) >= 1: full.wait()
        items.append(1); condition.notify()
    with condition:
        n += 1
        if n == 2: condition.notify_all(); full.notify_all()
run(get, put, put)
print(out)
""",
        5,
    ),
    "one notification for the only one that waits": (
        "def one():\n    global n\n    with condition: n = 1; condition.notify()\nrun(wait, one)",
        2,
    ),
    "one notification for two items": (
        """
def get():
    with condition:
        while not items: condition.wait()
        out.append(items.pop(0))
def put():
    with condition: items.extend((1, 2)); condition.notify()
run(get, get, put)
print(out)
""",
        None,
    ),
    "one that goes on leaves the item to others": (
        """
def get():
    with condition:
        while not items: condition.wait()
        out.append(items[0])
def put():
    with condition: items.append(1); condition.notify()
run(get, get, put)
print(out)
""",
        None,
    ),
    "one that waits without a loop takes the notification": (
        """
def get():
    with condition:
        while not items: condition.wait()
        out.append(items.pop(0))
def put():
    with condition: items.append(1); condition.notify()
def rest():
    with condition: condition.wait()
run(get, rest, put, put)
print(out)
""",
        None,
    ),
    "single notifications, and a method of the class that is not asked": (
        """
class Full(Box): pass
box = Full()
box.items = items
def get():
    with condition:
        while not box.items: condition.wait()
        out.append(box.items.pop(0))
def put(other):
    with condition: other.append(1); condition.notify()
run(get, get, lambda: put(items), lambda: put([]))
print(out)
""",
        None,
    ),
    "a wait_for of the program on the condition": (
        """
condition.wait_for = lambda test: out.append(test())
def get():
    with condition: condition.wait_for(lambda: n > 0)
run(get, change)
print(out)
""",
        None,
    ),
    "a wait_for of the program on the class": (
        """
threading.Condition.wait_for = lambda self, test: out.append(test())
def get():
    with condition: condition.wait_for(lambda: n > 0)
run(get, change)
print(out)
""",
        None,
    ),
    "a wait_for of a subclass": (
        """
class Impatient(threading.Condition):
    def wait_for(self, test): out.append(test())
condition = Impatient()
def get():
    with condition: condition.wait_for(lambda: n > 0)
run(get, change)
print(out)
""",
        None,
    ),
    "a wait of the program on the condition": (
        """
condition.wait = lambda: out.append(n) or condition.release() or condition.acquire()
def get():
    with condition:
        while n < 1 and len(out) < 2: condition.wait()
run(get, change)
print(out[:1])
""",
        None,
    ),
    "another name of a container": (
        """
def get():
    with condition:
        while not items: condition.wait()
        out.append(items.pop())
other = items
run(get, lambda: other.append(1), change)
print(out)
""",
        None,
    ),
    "a container is replaced": (
        """
box = Box()
box.items = items
def get():
    with condition:
        while not box.items: condition.wait()
        out.append(len(box.items))
def replace():
    with condition: box.items = [1]; condition.notify_all()
run(get, replace, lambda: items.append(1))
print(out)
""",
        None,
    ),
    "a captured variable": (
        """
def main():
    k = 0
    def get():
        with condition:
            while not k: condition.wait()
            out.append(k)
    def put():
        nonlocal k
        k = 1
    run(get, put, change)
main()
print(out)
""",
        None,
    ),
    "another condition is waited for": (
        """
box, other = Box(), threading.Condition(condition._lock)
box.c = condition
def get():
    with box.c:
        while not n: box.c.wait()
        out.append(n)
def replace(): box.c = other
run(get, replace, change)
""",
        None,
    ),
    "a method and a property": (
        """
class Box:

    def has(self, number): return n >= number
    @property
    def open(self):
        "a docstring"
        return self.has(self.bound)
box = Box()
box.bound = 2
def get():
    with condition:
        while not box.open: condition.wait()
        out.append(n)
run(get, change, change)
print(out)
""",
        1,
    ),
    "a function of the enclosing one": (
        """
def main():
    least = 1
    def few(): return n < least
    def get():
        with condition:
            while few(): condition.wait()
            out.append(n)
    run(get, get, change)
main()
print(out)
""",
        1,
    ),
    "a loop that is left in the middle": (
        """
def get():
    with condition:
        while not items:
            if n: return
            condition.wait(timeout=None)
run(get, change)
""",
        1,
    ),
    "an endless loop that is left in the middle": (
        """
def get():
    with condition:
        while True:
            if n:
                out.append(n)
                break
            condition.wait()
run(get, get, change)
""",
        1,
    ),
    "only the last one notifies": (
        """
def count():
    global n
    with condition:
        n += 1
        if n == 3: condition.notify_all()
def get():
    with condition:
        while n < 3: condition.wait()
run(get, get, count, count, count)
""",
        2,
    ),
    "the wrong one notifies": (
        """
def count():
    global n
    with condition:
        n += 1
        if n == 1: condition.notify_all()
def get():
    with condition:
        while n < 2: condition.wait()
run(get, count, count)
""",
        None,
    ),
    "a method is replaced": (
        """
class Box:
    def ready(self): return n > 0
box = Box()
def get():
    with condition:
        while not box.ready(): condition.wait()
    out.append(n)
def replace():
    setattr(Box, "rea" + "dy", lambda self: True)
    with condition: condition.notify_all()
run(get, replace)
print(out)
""",
        None,
    ),
    "an object hides a method": (
        """
class Box:
    def ready(self): return n > 0
box = Box()
def get():
    with condition:
        while not box.ready(): condition.wait()
    out.append(n)
def replace():
    vars(box)["ready"] = lambda: True
    with condition: condition.notify_all()
run(get, replace)
print(out)
""",
        None,
    ),
    "a decorator returns another function": (
        """
@lambda function: lambda: out.append(0) or n > 0
def ready(): return n > 0
def get():
    with condition:
        while not ready(): condition.wait()
run(get, change)
print(out)
""",
        None,
    ),
    "a function that calls itself": (
        """
def ready(): return n > 0 or ready()
def get():
    with condition:
        while not ready(): condition.wait()
run(get, change)
""",
        None,
    ),
    "a loop that goes on in the middle": (
        """
def get():
    with condition:
        while not n:
            if items:
                items.pop()
                continue
            condition.wait()
items.append(0)
run(get, change)
print(items)
""",
        None,
    ),
    "a test that counts": (
        """
def test():
    out.append(0)
    return n < 1
def get():
    with condition:
        while test(): condition.wait()
run(get, change)
print(out)
""",
        None,
    ),
    "a property that counts": (
        """
class Counting:
    @property
    def ready(self):
        out.append(0)
        return n > 0
box = Counting()
def get():
    with condition:
        while not box.ready: condition.wait()
run(get, change)
print(out)
""",
        None,
    ),
    "truth that counts": (
        """
class Counting:
    def __bool__(self):
        out.append(0)
        return n > 0
box = Box()
box.ready = Counting()
def get():
    with condition:
        while not box.ready: condition.wait()
run(get, change)
print(out)
""",
        None,
    ),
    "len is another function": (
        """
def len(found):
    out.append(0)
    return n
def get():
    with condition:
        while len(items) < 1: condition.wait()
run(get, change)
print(out)
""",
        None,
    ),
    "a body that counts": (
        """
def get():
    passes = 0
    with condition:
        while n < 1:
            passes += 1
            condition.wait()
    out.append(passes)
run(get, change)
print(out)
""",
        None,
    ),
    "the number of waiting threads is looked at": (
        """
def look():
    with condition: out.append(len(condition._waiters))
run(wait, change, look)
print(out)
""",
        None,
    ),
    "the lock is tried": (
        """
def look():
    if condition.acquire(False):
        out.append(0)
        condition.release()
run(wait, change, look)
print(out)
""",
        None,
    ),
    "a time limit": (
        """
def look():
    with condition: out.append(condition.wait(1))
run(wait, look, change)
print(out)
""",
        None,
    ),
    "one waits for ever": ("run(wait)", None),
    "a daemon waits for ever": (
        "threading.Thread(target=wait, daemon=True).start()\nout.append(2)\nprint(out)",
        None,
    ),
    "local variables are shown": (
        """
def get():
    k = 1
    seen = locals()
    k = 2
    with condition:
        while n < 1: condition.wait()
    out.append(seen["k"])
run(get, change)
print(out)
""",
        None,
    ),
    "the test may fail": (
        """
def get():
    with condition:
        while items[0] < 1: condition.wait()
def put():
    with condition: items.append(1); condition.notify_all()
run(get, put)
""",
        None,
    ),
    "objects of local variables end": (
        """
class Ending:
    def __del__(self): out.append("end")
def get():
    ending = Ending()
    with condition:
        while n < 1: condition.wait()
        del ending
        out.append("got")
    with condition:
        while n < 2: condition.wait()
run(get, lambda: [change(), change()])
print(out)
""",
        2,
    ),
}


@pytest.mark.parametrize("name", _PROGRAMS)
def test_searches_show_all_that_dfs_shows(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, wanted = _PROGRAMS[name]
    path = tmp_path / "program.py"
    path.write_text(_HEAD + text.lstrip("\n"))
    given_up: list[WaitLoop] = []
    give_up = WaitLoop.give_up
    monkeypatch.setattr(WaitLoop, "give_up", lambda loop: (given_up.append(loop), give_up(loop)))
    all_shown, by_dfs = explored(path, "dfs")
    assert by_dfs.complete
    shown, by_dpor = explored(path, "dpor")
    assert by_dpor.complete
    assert shown.keys() == all_shown.keys()
    if wanted is not None:
        assert (by_dpor.executions, given_up) == (wanted, [])
    for bound in (0, 1, 2):
        bounded, _ = explored(path, "icb-dpor", bound)
        by_icb, _ = explored(path, "icb", bound)
        assert {what for what, cost in by_icb.items() if cost <= bound} <= bounded.keys() <= all_shown.keys()
