"""Programs are held to the properties that are ready: for each a program that violates it in some order of its
threads, and for some one that looks the same and does not."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from mazurka.explore.explorer import Explorer
from mazurka.program.python.entry import Function
from mazurka.program.python.program import PythonProgram
from mazurka.program.settings import Isolation, ProgramSettings
from mazurka.properties.parsing import parsed
from mazurka.properties.property import Property
from mazurka.properties.registry import find


class Case(NamedTuple):
    """``kind`` is the property that is violated, "" for none; ``source`` defines `program`."""

    name: str
    title: str
    kind: str
    source: str


_HEAD = """
import threading


def both(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
"""

_CASES = [
    Case(
        "double-close",
        "fd",
        "double-close",
        """
import os
def program():
    fd = os.open("/dev/null", os.O_RDONLY)
    def close():
        try: os.close(fd)
        except OSError: pass
    both(close, close)
""",
    ),
    Case(
        "check-then-act",
        "file",
        "check-then-act-file",
        """
import os, tempfile
def program():
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "f")
    open(path, "w").close()
    def go():
        if os.path.exists(path):
            try: os.remove(path)
            except FileNotFoundError: pass
    both(go, go)
""",
    ),
    Case(
        "unsafe-iteration",
        "deque",
        "unsafe-iteration",
        """
import collections
d = collections.deque([1, 2])
def go():
    try:
        for k in d: pass
    except RuntimeError: pass
def change(): d.append(3)
def program(): both(go, change)
""",
    ),
    Case(
        "use-after-close",
        "StringIO called",
        "use-after-close",
        """
import io
def program():
    f = io.StringIO()
    def go():
        try: f.write("x")
        except ValueError: pass
    def close(): f.close()
    both(go, close)
""",
    ),
    Case(
        "data-race",
        "attribute",
        "data-race",
        """
class C:
    pass


c = C()
c.n = 0


def go():
    c.n += 1


def program():
    both(go, go)
""",
    ),
    Case(
        "data-race",
        "before the thread starts",
        "",
        """
class C:
    pass


c = C()


def go():
    c.n += 1


def program():
    c.n = 1
    both(go)
    c.n = 2
""",
    ),
    Case(
        "unsafe-iteration",
        "dict set new",
        "unsafe-iteration",
        """
d = {1: 1, 2: 2}
def go():
    try:
        for k in d: pass
    except RuntimeError: pass
def change(): d[3] = 3
def program(): both(go, change)
""",
    ),
    Case(
        "unsafe-iteration",
        "dict set old",
        "",
        """
d = {1: 1, 2: 2}
def go():
    try:
        for k in d: pass
    except RuntimeError: pass
def change(): d[2] = 3
def program(): both(go, change)
""",
    ),
    Case(
        "unsafe-iteration",
        "items pop",
        "unsafe-view-iteration",
        """
d = {1: 1, 2: 2}
def go():
    try:
        for k, v in d.items(): pass
    except RuntimeError: pass
def change(): d.pop(2)
def program(): both(go, change)
""",
    ),
    Case(
        "unsafe-iteration",
        "set add",
        "unsafe-iteration",
        """
d = {1, 2}
def go():
    try:
        for k in d: pass
    except RuntimeError: pass
def change(): d.add(3)
def program(): both(go, change)
""",
    ),
    Case(
        "unsafe-iteration",
        "list(d)",
        "",
        """
d = {1: 1, 2: 2}
def go():
    for k in list(d): pass
def change(): d[3] = 3
def program(): both(go, change)
""",
    ),
    Case(
        "unsafe-iteration",
        "OrderedDict",
        "unsafe-iteration",
        """
import collections
d = collections.OrderedDict({1: 1, 2: 2})
def go():
    try:
        for k in d: pass
    except RuntimeError: pass
def change(): d[3] = 3
def program(): both(go, change)
""",
    ),
    Case(
        "check-then-act",
        "dict del",
        "check-then-act",
        """
d = {1: 1}
def go():
    if 1 in d:
        try: del d[1]
        except KeyError: pass
def program(): both(go, go)
""",
    ),
    Case(
        "check-then-act",
        "setdefault",
        "",
        """
d = {}
def go():
    if 1 not in d:
        d.setdefault(1, 2)
def program(): both(go, go)
""",
    ),
    Case(
        "check-then-act",
        "locked",
        "",
        """
d = {1: 1}
lock = threading.Lock()
def go():
    with lock:
        if 1 in d: del d[1]
def program(): both(go, go)
""",
    ),
    Case(
        "check-then-act",
        "list",
        "check-then-act-sequence",
        """
d = [1]
def go():
    if len(d) > 0:
        try: d.pop()
        except IndexError: pass
def program(): both(go, go)
""",
    ),
    Case(
        "check-then-act",
        "if list",
        "check-then-act-sequence",
        """
d = [1]
def go():
    if d:
        try: d.pop()
        except IndexError: pass
def program(): both(go, go)
""",
    ),
    Case(
        "check-then-act",
        "queue",
        "check-then-act-queue",
        """
import queue
q = queue.Queue()
q.put(1)
def go():
    if not q.empty():
        try: q.get_nowait()
        except queue.Empty: pass
def program(): both(go, go)
""",
    ),
    Case(
        "use-after-close",
        "executor",
        "use-after-close",
        """
from concurrent.futures import ThreadPoolExecutor
def program():
    e = ThreadPoolExecutor(1)
    def go():
        try: e.submit(len, "x")
        except RuntimeError: pass
    def close(): e.shutdown()
    both(go, close)
""",
    ),
    Case(
        "use-after-close",
        "sqlite",
        "use-after-close",
        """
import sqlite3
def program():
    c = sqlite3.connect(":memory:", check_same_thread=False)
    def go():
        try: c.execute("select 1")
        except sqlite3.ProgrammingError: pass
    def close(): c.close()
    both(go, close)
""",
    ),
    Case(
        "double-release",
        "lock",
        "double-release",
        """
lock = threading.Lock()
def release():
    try: lock.release()
    except RuntimeError: pass
def program():
    lock.acquire()
    both(release, release)
""",
    ),
    Case(
        "double-release",
        "with",
        "",
        """
lock = threading.Lock()
def go():
    with lock: pass
def program():
    both(go, go)
""",
    ),
    Case(
        "unauthenticated-use",
        "template",
        "unauthenticated-use",
        """
class C:
    def authenticate(self, who): pass
    def access_authenticated(self): pass
def program():
    c = C()
    def a(): c.authenticate("me")
    def b(): c.access_authenticated()
    both(a, b)
""",
    ),
    Case(
        "unauthenticated-use",
        "ftp",
        "unauthenticated-use",
        """
import ftplib
class Client(ftplib.FTP):
    def login(self, user="", passwd=""): pass
    def voidcmd(self, command): pass
    def quit(self): self.voidcmd("QUIT")
def program():
    client = Client()
    def a():
        client.login()
        client.voidcmd("TYPE I")
        client.quit()
    def b(): client.voidcmd("TYPE A")
    both(a, b)
""",
    ),
    Case(
        "unauthenticated-use",
        "ftp, a command for which no login is needed",
        "",
        """
import ftplib
class Client(ftplib.FTP):
    def login(self, user="", passwd=""): pass
    def voidcmd(self, command): pass
    def quit(self): self.voidcmd("QUIT")
def program():
    client = Client()
    def a():
        client.login()
        client.voidcmd("TYPE I")
        client.quit()
    def b(): client.voidcmd("OPTS UTF8 ON")
    both(a, b)
""",
    ),
    Case(
        "uninitialised-use",
        "init",
        "uninitialised-use",
        """
box = []
class C:
    def __init__(self):
        box.append(self)
        self.x = 1
def a(): C()
def b():
    if box: getattr(box[0], "x", None)
def program(): both(a, b)
""",
    ),
    Case(
        "callback-after-unsubscribe",
        "x",
        "callback-after-unsubscribe",
        """
class L:
    def notify(self): pass
class S:
    def __init__(self): self.l = []
    def subscribe(self, l): self.l.append(l)
    def unsubscribe(self, l): self.l.remove(l)
    def fire(self):
        for l in list(self.l): l.notify()
def program():
    s = S(); l = L(); s.subscribe(l)
    def a(): s.fire()
    def b(): s.unsubscribe(l)
    both(a, b)
""",
    ),
    Case(
        "sqlite-across-threads",
        "x",
        "sqlite-across-threads",
        """
import sqlite3
def program():
    c = sqlite3.connect(":memory:")
    def go():
        try: c.execute("select 1")
        except sqlite3.ProgrammingError: pass
    both(go)
""",
    ),
    Case(
        "sqlite-across-threads",
        "allowed",
        "",
        """
import sqlite3
def program():
    c = sqlite3.connect(":memory:", check_same_thread=False)
    def go():
        try: c.execute("select 1")
        except sqlite3.ProgrammingError: pass
    both(go)
""",
    ),
    Case(
        "lost-update",
        "dict",
        "lost-update",
        """
d = {"n": 0}
def go(): d["n"] = d["n"] + 1
def program(): both(go, go)
""",
    ),
    Case(
        "lost-update",
        "attribute",
        "lost-update-attribute",
        """
class C: pass
c = C()
c.n = 0
def go(): c.n += 1
def program(): both(go, go)
""",
    ),
    Case(
        "lost-update",
        "two attributes",
        "",
        """
class C: pass
c = C()
c.n = c.m = 0
def go(): c.n += 1
def go2(): c.m += 1
def program(): both(go, go2)
""",
    ),
    Case(
        "atomic-region",
        "rww",
        "read-write-write",
        """
class C:
    def __init__(self): self.n = 0
    def atomic_add(self): self.n += 1
def program():
    c = C()
    both(c.atomic_add, c.atomic_add)
""",
    ),
    Case(
        "none-dereference",
        "x",
        "none-dereference",
        """
class C: pass
c = C()
c.n = "x"
def use():
    if c.n is not None:
        try: c.n.upper()
        except AttributeError: pass
def forget(): c.n = None
def program(): both(use, forget)
""",
    ),
    Case(
        "lock-order",
        "x",
        "lock-order",
        """
a = threading.Lock(); b = threading.Lock(); g = threading.Lock()
def one():
    with g:
        with a:
            with b: pass
def two():
    with g:
        with b:
            with a: pass
def program(): both(one, two)
""",
    ),
    Case(
        "lock-order",
        "same",
        "",
        """
a = threading.Lock(); b = threading.Lock(); g = threading.Lock()
def one():
    with g:
        with a:
            with b: pass
def two():
    with g:
        with a:
            with b: pass
def program(): both(one, two)
""",
    ),
]


_AGAIN = """
lock = threading.RLock()
def once():
    with lock: pass
def twice():
    with lock:
        with lock: pass
def program(): both(once, twice)
"""


@pytest.mark.parametrize("distinct", [False, True])
def test_a_lock_that_is_taken_again_is_no_second_lock(distinct: bool, tmp_path: Path) -> None:
    (ready,) = find("lock-order")
    text = str(ready).replace("{threading.Lock, _thread.lock}", "_thread.RLock")
    (stated,) = parsed(text if distinct else text.replace("distinct: a, b", ""))
    file = tmp_path / f"again_{distinct}.py"
    file.write_text(_HEAD + _AGAIN)
    assert _kinds(file, (stated,)) == (set() if distinct else {"lock-order"})
    assert _kinds(file, (ready,)) == set()


@pytest.mark.parametrize("case", _CASES, ids=[f"{each.name}: {each.title}" for each in _CASES])
def test_a_program_is_held_to_a_ready_property(case: Case, tmp_path: Path) -> None:
    file = tmp_path / f"ready_{_CASES.index(case)}.py"
    file.write_text(_HEAD + case.source)
    assert _kinds(file, find(case.name)) == ({case.kind} if case.kind else set())


def _kinds(file: Path, properties: tuple[Property, ...]) -> set[str]:
    settings = ProgramSettings(roots=(str(file.parent),), isolation=Isolation.RESTORE, properties=properties)
    program = PythonProgram(Function(str(file), "program"), settings)
    try:
        program.prepare()
        explorer = Explorer(program, "dpor")
        for _ in explorer.progress():
            pass
    finally:
        program.close()
        sys.modules.pop(file.stem, None)
    return {each.failure.kind_name for each in explorer.outcome.found}
