"""Under ``pytest --mazurka``, tests that start no threads run once, as without it; which these are, names show."""

from __future__ import annotations

import pytest

SHOP = """\
import functools
import threading as t
from threading import Lock, Thread as Worker

def in_thread(function):
    @functools.wraps(function)
    def wrapper(*args):
        worker = Worker(target=function, args=args)
        worker.start()
        worker.join()
    return wrapper

class Cart:
    def __init__(self):
        self.lock, self.items = Lock(), []

    def put(self, item):
        with self.lock:
            self.items.append(item)

class Loader(Worker):
    pass

class Shop:
    def __enter__(self): return self
    def __exit__(self, *_): pass
    def open(self):
        t.Thread(target=print).start()

class Branch(Shop):
    pass

@in_thread
def job(): pass

def total(*numbers): return sum(numbers)
def nested():
    def inner(): return t.Thread(target=print)
    return inner().start()

HANDLERS = {"nested": nested, "total": total}
TOTALS = {"total": total}
"""

TESTS = """\
import contextvars, sys, unittest
import pytest
from shop import HANDLERS, TOTALS, Branch, Cart, Loader as L, job as renamed, nested, total
import shop

@pytest.fixture
def cart():
    return Cart()

@pytest.fixture
def branch():
    return Branch()

def helper(): return nested()

def test_idle_1(): assert total(1, 2) == 3
def test_idle_2(cart, tmp_path): cart.put(1); assert cart.items == [1]
@pytest.mark.parametrize("function", [total])
def test_idle_3(function): assert function() == 0
def test_idle_4(): assert TOTALS["total"](1) == 1
class TestIdle(unittest.TestCase):
    def setUp(self): self.cart = Cart()
    def test_idle_5(self): self.cart.put(2)

def test_threads_1(): renamed()
def test_threads_2(): helper()
def test_threads_3(branch): branch.open()
def test_threads_4(): L(target=print).start()
def test_threads_5(): HANDLERS["nested"]()
@pytest.mark.parametrize("function", [nested])
def test_threads_6(function): function()
@pytest.mark.parametrize("name", ["nested"])
def test_threads_7(name): getattr(shop, name)()
class TestThreads(unittest.TestCase):
    def setUp(self): self.branch = Branch()
    def test_threads_8(self): self.branch.open()
"""


def test_names_show_which_tests_start_threads(shell):
    shell.write("shop.py", SHOP)
    shell.write("test_shop.py", TESTS)
    done = shell.pytest("--mazurka", "-v", status=0)
    assert "explored 8 tests: 8 verified; 5 start no threads" in done.stdout
    assert "explored 0 tests; 5 start no threads" in shell.pytest("--mazurka", "-k", "idle", status=0).stdout


@pytest.mark.parametrize("option", [(), ("--mazurka-require-complete",)])
def test_threads_that_a_library_starts_are_seen(shell, option):
    library = shell.folder.parent / f"{shell.folder.name}_library"
    library.mkdir()
    (library / "library.py").write_text("import threading\ndef serve(): threading.Thread(target=print).start()\n")
    shell.write("conftest.py", f"import sys\nsys.path.insert(0, {str(library)!r})\n")
    shell.write("test_it.py", "import library\n\ndef test_it(): library.serve()\n")
    done = shell.pytest("--mazurka", *option, status=int(bool(option)))
    assert "explored 1 test: 1 inconclusive" in done.stdout
    assert f"a library starts threads at {library}/library.py:2; to have it explored, mark it" in done.stdout
    shell.write("test_it.py", "import library, pytest\n@pytest.mark.mazurka\ndef test_it(): library.serve()\n")
    assert "explored 1 test: 1 verified" in shell.pytest("--mazurka", *option, status=0).stdout


def test_many_tests_without_threads_need_none_of_the_machinery(shell):
    shell.write("conftest.py", "import sys\ndef pytest_unconfigure(): print(sorted(sys.modules), end='.')\n")
    shell.write("test_many.py", "".join(f"def test_{n}(): assert {n} + 1 == {n + 1}\n" for n in range(300)))
    done = shell.pytest("--mazurka", "-q", status=0)
    assert "explored 0 tests; 300 start no threads" in done.stdout
    assert "mazurka.pytest_plugin.starting" in done.stdout
