"""Primitives that code captured before the models came, under each command: a real one that a hook meets is adopted."""

from __future__ import annotations

import subprocess
import sys

LIBRARY = """\
import threading

class Registry:
    def __init__(self):
        self.lock, self.made = threading.Lock(), []

    def register(self, make):
        with self.lock:
            self.made.append(make())

class Slotted:
    __slots__ = ("lock", "made")
    __init__, register = Registry.__init__, Registry.register

class Shared:
    locks = {"a": threading.RLock()}

    def register(self, make):
        with self.locks["a"]:
            make()

def closed():
    lock = threading.Lock()

    def register(_, make):
        with lock:
            make()
    return register

Closed = type("Closed", (), {"register": closed()})
"""

CAPTURED = """\
import collections, functools, queue, threading, time
from dataclasses import dataclass, field
from threading import Condition, Lock, RLock

import library

@dataclass
class Stats:
    done: int = 0
    lock: object = field(default_factory=Lock)
    again: object = field(default_factory=RLock)

class Slotted:
    __slots__ = ("lock",)

    def __init__(self):
        self.lock = Lock()

class Attributes:
    lock, again, condition = Lock(), RLock(), Condition()
    table = collections.defaultdict(Lock)

def default(lock=Lock()): return lock
def factory(make=Lock): return make()

pair = (Lock(), Lock())
again = {"a": (RLock(),)}
Named = collections.namedtuple("Named", "lock")
named = Named(Lock())
part, part_of_table, pause = functools.partial(Lock), collections.defaultdict(RLock), functools.partial(time.sleep, 60)
slotted = Slotted()
cached = functools.lru_cache(Lock)
queues = (queue.SimpleQueue(),)
queues[0].put(1)

GIVEN = {
    "dataclass": lambda: Stats().lock,
    "reentrant of a dataclass": lambda: Stats().again,
    "slots": lambda: slotted.lock,
    "class attribute": lambda: Attributes.lock,
    "reentrant class attribute": lambda: Attributes.again,
    "condition": lambda: Attributes.condition,
    "table of a class": lambda: Attributes.table["a"],
    "default": default,
    "factory": factory,
    "tuple": lambda: pair[0],
    "tuple in a table": lambda: again["a"][0],
    "named tuple": lambda: named.lock,
    "partial": part,
    "table": lambda: part_of_table["a"],
    "made by C": lambda: next(map(lambda make: make(), [cached])),
}
kept = []

def both(function):
    threads = [threading.Thread(target=function) for _ in range(2)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()

def count(name):
    lock, done = GIVEN[name](), [0]
    def add():
        with lock:
            done[0] += 1
    both(add)
    assert done == [2]

def bound():
    lock, done = collections.defaultdict(Lock)["a"], [0]
    acquire, release = lock.acquire, lock.release
    def add():
        acquire()
        done[0] += 1
        release()
    both(add)
    assert done == [2]

def held_before():
    lock, done = pair[0], []
    lock.acquire()
    def add():
        lock.acquire()
        done.append(1)
        lock.release()
    thread = threading.Thread(target=add)
    thread.start()
    assert not done
    lock.release()
    thread.join()

def put_on():
    shared = queues[0]
    both(lambda: shared.put(shared.get() + 1))
    assert shared.get() == 3

def wait():
    condition, done = Condition(functools.partial(RLock)()), []
    def add():
        with condition:
            done.append(1)
            condition.notify()
    thread = threading.Thread(target=add)
    thread.start()
    with condition:
        while not done: condition.wait()
    thread.join()

def sleeps():
    both(pause)

RIGHT = {name: functools.partial(count, name) for name in GIVEN}
RIGHT.update(bound=bound, held_before=held_before, put_on=put_on, wait=wait, sleeps=sleeps)

def crossed():
    def take(a, b):
        with pair[a]:
            with pair[b]:
                pass
    one = threading.Thread(target=take, args=(0, 1))
    one.start()
    take(1, 0)
    one.join()

def a_lock_each():
    table, done = collections.defaultdict(Lock), [0]
    names = list("ab")
    def add():
        with table[names.pop()]:
            done[0] += 1
    both(add)
    assert done == [2]

def register(thing):
    kept.clear()
    both(lambda: thing.register(lambda: kept.append(len(kept))))
    assert kept == [0, 1]

things = {name: getattr(library, name)() for name in ("Registry", "Slotted", "Shared", "Closed")}
BY_LIBRARY = {name: functools.partial(register, thing) for name, thing in things.items()}
"""

TESTS = """\
import pytest

from captured import BY_LIBRARY, RIGHT

@pytest.mark.parametrize("name", RIGHT)
def test_right(name): RIGHT[name]()

@pytest.mark.parametrize("name", BY_LIBRARY)
def test_by_library(name): BY_LIBRARY[name]()
"""

SCRIPT = """\
from captured import BY_LIBRARY, RIGHT, a_lock_each, crossed
from mazurka.api import explore

for name, run in RIGHT.items():
    report = explore(run, save=False, time_limit=20).report
    assert report.verdict.value == "verified" and report.executions < 10, (name, report.reason, report.executions)
for name, run in BY_LIBRARY.items():
    report = explore(run, save=False, time_limit=20, include=["library"]).report
    assert report.verdict.value == "verified", (name, report.reason)
    report = explore(run, save=False, time_limit=20).report
    assert report.reason.startswith("entered but not explored: library"), (name, report.reason)
found = explore(crossed, save=False)
assert "Lock-order deadlock" in str(found) and "Lock first used at" in str(found), str(found)
assert explore(a_lock_each, save=False).report.verdict.value == "violation"
"""


def write(shell) -> None:
    """The files, the library in a folder outside the project."""
    library = shell.folder.parent / f"{shell.folder.name}_library"
    library.mkdir()
    (library / "library.py").write_text(LIBRARY)
    found = f"import sys\nsys.path.insert(0, {str(library)!r})\n"
    shell.write("conftest.py", found + "import captured")
    shell.write("captured.py", CAPTURED)
    shell.write("test_captured.py", TESTS)
    shell.write("script.py", found + SCRIPT)


def test_before_exploring_from_python(shell):
    write(shell)
    subprocess.run([sys.executable, "script.py"], cwd=shell.folder, check=True, timeout=100)


def test_before_pytest_explores(shell):
    write(shell)
    done = shell.pytest("--mazurka", "-k", "test_right", status=0)
    assert "explored 20 tests: 20 verified" in done.stdout
    done = shell.pytest("--mazurka", "-k", "test_by_library", "--mazurka-include", "library", status=0)
    assert "explored 4 tests: 4 verified" in done.stdout


def test_in_a_checked_test(shell):
    shell.write("captured.py", CAPTURED.replace("import library", "").partition("things = ")[0])
    shell.write("test_one.py", "from captured import count\n\ndef test_one():\n    count('dataclass')\n")
    assert "verified" in shell.run("check", "test_one.py::test_one", status=0).stdout
