"""``pytest --mazurka`` with other plugins, each as it is installed: pytest-timeout, pytest-cov, Hypothesis."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

SHOP = """\
import threading

class Cart:
    def __init__(self):
        self.lock, self.items = threading.Lock(), {}

    def add(self, name):
        with self.lock:
            before = self.items.get(name, 0)
            self.items[name] = before + 1

def in_threads(function, *args):
    threads = [threading.Thread(target=function, args=args) for _ in range(3)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
"""

TIMED = """\
import threading, time
import pytest
from shop import in_threads

lock = threading.Lock()

@pytest.mark.timeout(1, method="METHOD", func_only=FUNC_ONLY)
def test_search():
    log = []
    def work():
        for number in range(5):
            with lock:
                log.append(number)
            len(log)
    in_threads(work)

@pytest.mark.timeout(1, method="signal")
def test_alone():
    time.sleep(30)
"""


@pytest.mark.parametrize(("method", "func_only"), [("signal", False), ("thread", False), ("signal", True)])
def test_a_timeout_does_not_end_a_search(shell, method, func_only):
    shell.write("shop.py", SHOP)
    shell.write("test_timed.py", TIMED.replace("METHOD", method).replace("FUNC_ONLY", str(func_only)))
    done = shell.pytest("--mazurka", "--mazurka-time-limit", "3", status=1)
    assert "test_search: the time limit of 3 s was reached" in done.stdout
    assert "explored 1 test: 1 inconclusive; 1 starts no threads" in done.stdout
    assert "FAILED test_timed.py::test_alone - Failed: Timeout" in done.stdout


@pytest.mark.parametrize("options", [(), ("--cov-branch",), ("--mazurka-isolation", "fork")])
def test_lines_that_threads_run_are_covered(shell, options):
    shell.write("shop.py", SHOP)
    test = "import shop\n\ndef test_cart():\n    cart = shop.Cart()\n    shop.in_threads(cart.add, 'tea')\n"
    shell.write("test_cart.py", test + "    assert cart.items['tea'] == 3\n")
    done = shell.pytest("--mazurka", "--cov=shop", "--cov-report=term-missing", *options, status=0)
    assert "explored 1 test: 1 verified" in done.stdout
    assert re.search(r"^shop\.py .* 100%\s*$", done.stdout, re.MULTILINE)


@pytest.mark.parametrize("isolation", ["restore", "fork"])
def test_lines_of_a_test_that_fails_are_covered(shell, isolation):
    shell.write("shop.py", SHOP.replace("with self.lock", "if self.lock"))
    test = "import shop\n\ndef test_cart():\n    cart = shop.Cart()\n    shop.in_threads(cart.add, 'tea')\n"
    shell.write("test_cart.py", test + "    assert cart.items['tea'] == 3\n")
    options = ("--cov=shop", "--cov-report=term-missing", "--mazurka-isolation", isolation)
    done = shell.pytest("--mazurka", *options, status=1)
    assert "explored 1 test: 1 violation" in done.stdout
    assert re.search(r"^shop\.py .* 100%\s*$", done.stdout, re.MULTILINE)


DRAWN_LATER = """\
from hypothesis import given, settings, strategies as st
from shop import Cart, in_threads

def add_twice(number):
    state = [0]
    def add(): state[0] = state[0] + number
    in_threads(add)
    assert state[0] == 3 * number

@given(is_new=st.booleans(), data=st.data())
def test_lost(is_new, data): add_twice(data.draw(st.integers(0, 9)))

@given(st.data())
def test_right(data):
    cart, names = Cart(), data.draw(st.lists(st.sampled_from("ab"), max_size=2))
    for name in names:
        in_threads(cart.add, name)
    assert set(cart.items.values()) <= {3 * names.count(name) for name in names}
"""


def test_values_that_hypothesis_draws_later(shell):
    shell.write("shop.py", SHOP)
    shell.write("test_drawn.py", DRAWN_LATER)
    arguments = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--mazurka", "test_drawn.py"]
    done = subprocess.run(arguments, cwd=shell.folder, capture_output=True, text=True, timeout=110, check=False)
    assert "explored 2 tests: 1 verified, 1 violation" in done.stdout, done.stdout + done.stderr
    assert re.search(r"test_drawn.py::test_lost example [2-5]: is_new=(True|False), data=data", done.stdout)
    (failure,) = shell.folder.glob(".mazurka/failures/*")
    assert "reproduced: AssertionError" in shell.run("replay", str(failure), status=1).stdout


ONLY_AS_IT_IS = """\
import unittest
import pytest
from hypothesis import example, given, settings, strategies as st
from shop import Cart, in_threads

def test_record(record_property):
    cart = Cart()
    in_threads(cart.add, "tea")
    record_property("items", len(cart.items))

@settings(derandomize=True, database=None)
@given(st.integers(0, 10**6))
@example(1)
@example(2)
@example(3)
@example(4)
@example(5)
def test_later_example(number):
    in_threads(Cart().add, "tea")
    assert number < 6

class TestCart(unittest.TestCase):
    def test_parts(self):
        for name in "ab":
            with self.subTest(name):
                in_threads(Cart().add, name)
"""


def test_a_test_that_fails_in_no_order_runs_as_it_is(shell):
    shell.write("shop.py", SHOP)
    shell.write("test_cart.py", ONLY_AS_IT_IS)
    done = shell.pytest("--mazurka", "--junit-xml=outcomes.xml", "-q", status=1)
    assert "explored 3 tests: 3 verified" in done.stdout
    assert re.search(r"1 failed, 2 passed, (\d+ warnings, )?2 subtests passed", done.stdout)
    assert "FAILED test_cart.py::test_later_example - assert " in done.stdout
    assert (shell.folder / "outcomes.xml").read_text().count('<property name="items" value="1"') == 1


TWO = """\
import pytest, shop

@pytest.mark.parametrize("names", ["a", "b"])
def test_right(names):
    cart = shop.Cart()
    shop.in_threads(cart.add, names)
    assert cart.items[names] == 3

def test_lost():
    numbers = []
    def add(): numbers.append(len(numbers))
    shop.in_threads(add)
    assert numbers == [0, 1, 2]

def test_alone(): assert 1 + 1 == 2
"""


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_reports_are_written_to_files(shell, workers):
    shell.write("shop.py", SHOP)
    shell.write("test_two.py", TWO)
    outputs = ("--mazurka-output", "report.json", "--mazurka-output=junit:report.txt")
    shell.pytest("--mazurka", *outputs, *workers, status=1)
    report = json.loads((shell.folder / "report.json").read_text())
    verdicts = {each["target"]: each["verdict"] for each in report["targets"]}
    assert verdicts == {
        "test_two.py::test_right[a]": "verified",
        "test_two.py::test_right[b]": "verified",
        "test_two.py::test_lost": "violation",
    }
    assert (shell.folder / "report.txt").read_text().startswith("<?xml")


def test_reports_that_are_not_written(shell):
    shell.write("shop.py", SHOP)
    shell.write("test_two.py", TWO)
    done = shell.pytest("--mazurka", "--mazurka-output", "json:nowhere/report.json", status=4)
    assert "nowhere/report.json: a file can't be written there" in done.stderr
    shell.pytest("--mazurka", "--mazurka-output", "report.json", "-k", "alone", status=0)
    assert json.loads((shell.folder / "report.json").read_text())["reason"] == "no test was explored"


DRAWN = """\
import threading
import pytest
from hypothesis import HealthCheck, assume, example, given, note, settings, strategies as st
from shop import Cart, in_threads

@pytest.fixture
def cart(): return Cart()

def add_twice(number):
    state = [0]
    def add(): state[0] = state[0] + number
    in_threads(add)
    assert state[0] == 3 * number

@given(number=st.integers(0, 9))
@example(0)
def test_lost(number): add_twice(number)

class TestCart:
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.lists(st.sampled_from("ab"), max_size=2))
    def test_right(self, cart, names):
        assume(len(names) != 1)
        note(f"{names}")
        for name in names:
            in_threads(cart.add, name)
        assert set(cart.items.values()) <= {3 * names.count(name) for name in names}
        names.clear()
"""


def test_hypothesis_gives_the_assertion(shell):
    shell.write("shop.py", SHOP)
    shell.write("test_drawn.py", DRAWN)
    arguments = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--mazurka", "test_drawn.py"]
    done = subprocess.run(arguments, cwd=shell.folder, capture_output=True, text=True, timeout=110, check=False)
    assert "explored 2 tests: 1 verified, 1 violation" in done.stdout, done.stdout + done.stderr
    assert "FlakyFailure" not in done.stdout
    assert re.search(r"test_drawn.py::test_lost example [2-5]: number=[1-9]", done.stdout)  # with 0, no order fails
    (failure,) = shell.folder.glob(".mazurka/failures/*")
    again = subprocess.run(
        [sys.executable, "-m", "mazurka", "replay", str(failure)],
        cwd=shell.folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "reproduced: AssertionError" in again.stdout, again.stdout + again.stderr
