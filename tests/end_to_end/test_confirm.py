"""A prediction from a recording is followed to the place where it happens, however the program gets there."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from tests import preloaded

_THREADS = """
threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""

#: Difficulty -> a program with it.
_PROGRAMS = {
    "a class says what its locks are": """
import threading
class Account:
    lock_class = threading.Lock
    def __init__(self): self.lock = self.lock_class()
accounts = [Account(), Account()]
def work():
    one, other = accounts if threading.current_thread() is threads[0] else reversed(accounts)
    with one.lock:
        with other.lock: pass
""",
    "a class gets what it had not": """
import threading
class Base: pass
class Bar(Base):
    @classmethod
    def get_lock(cls):
        if not hasattr(cls, "_lock"): cls._lock = threading.Lock()
        return cls._lock
def work():
    with Bar.get_lock(): pass
""",
    "an instance hides a method": """
import threading
class Proxy:
    def bind(self):
        self.bind = lambda: 1
        return 0
proxy = Proxy()
def work(): proxy.bind()
""",
    "an attribute's item is looked up, and stored under a lock": """
import threading
class Cache:
    def __init__(self): self.kept, self.lock = {}, threading.Lock()
    def get(self, key):
        found = self.kept.get(key)
        if found is None:
            with self.lock: self.kept[key] = found = 1
        return found
cache = Cache()
def work(): cache.get("k")
""",
    "a dictionary is emptied and filled anew": """
import threading
class Calls: pass
calls = Calls()
calls.statistics = {}
def work():
    statistics = calls.statistics
    statistics.clear()
    statistics["number"] = 1
    calls.statistics.get("number")
""",
    "one line stores many attributes": """
import threading
class memoized:
    def __init__(self, make): self.make, self.name = make, make.__name__
    def __get__(self, thing, kind):
        thing.__dict__[self.name] = result = self.make(thing)
        return result
class Table:
    @memoized
    def one(self): return 1
    @memoized
    def two(self): return self.one + 1
    @memoized
    def three(self): return self.two + 1
table = Table()
def work(): table.three; table.two; table.one
""",
}


def _mazurka(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return preloaded.run(arguments, folder, preloaded.environment(), timeout=60)


@pytest.mark.parametrize("what", _PROGRAMS)
def test_what_is_predicted_is_confirmed(what: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(_PROGRAMS[what] + _THREADS)
    assert _mazurka(tmp_path, "record", "program.py").returncode == 0
    done = _mazurka(tmp_path, "predict", "program.recording", "--confirm", "--format", "json")
    findings = json.loads(done.stdout)["findings"]
    assert findings, done.stderr
    assert all(each["replayed"] for each in findings), done.stdout
    assert "RecordedLock" not in done.stdout


#: Tasks of an executor, mostly done by one worker, since they are done so soon.
_POOL = """
import threading
from concurrent.futures import ThreadPoolExecutor
class Box: pass
box, {kept} = Box(), {local}
box.n = 0
def task(number):
    {kept}.n = getattr({kept}, "n", 0) + number
with ThreadPoolExecutor({workers}) as pool:
    {submit}
"""


@pytest.mark.parametrize(
    ("kept", "local", "workers", "submit", "races"),
    [
        ("box", "0", 2, "list(pool.map(task, range(2)))", True),
        ("box", "0", 1, "list(pool.map(task, range(2)))", False),  # one after the other
        ("box", "0", 2, "pool.submit(task, 1).result(); box.n = 2; pool.submit(task, 1)", False),
        ("own", "threading.local()", 2, "list(pool.map(task, range(2)))", False),
    ],
)
def test_tasks_are_only_ordered_by_what_is_sure(
    kept: str, local: str, workers: int, submit: str, races: bool, tmp_path: Path
) -> None:
    program = _POOL.format(kept=kept, local=local, workers=workers, submit=submit)
    (tmp_path / "pool.py").write_text(program.replace("box, box = Box(), 0", "box = Box()"))
    assert _mazurka(tmp_path, "record", "pool.py").returncode == 0
    done = _mazurka(tmp_path, "predict", "pool.recording", "--confirm", "--format", "json")
    findings = json.loads(done.stdout)["findings"]
    assert bool(findings) == races, done.stdout
    assert all(each["replayed"] for each in findings), done.stdout
