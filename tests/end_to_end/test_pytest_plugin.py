"""The pytest plugin, run by pytest in a process of its own on tests as people write them."""

from __future__ import annotations

import re

import pytest

IN_TWO_THREADS = """\
import threading

import pytest


def in_two_threads(function):
    threads = [threading.Thread(target=function) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Counter:
    def __init__(self):
        self.value = 0
        self.lock = threading.Lock()

    def count(self):
        self.value += 1

    def count_safely(self):
        with self.lock:
            self.value += 1
"""

UNSAFE = """

def test_unsafe():
    counter = Counter()
    in_two_threads(counter.count)
    assert counter.value == 2
"""

SAFE = UNSAFE.replace("counter.count)", "counter.count_safely)").replace("test_unsafe", "test_safe")


def outcome(done):
    """The closing line's counts."""
    last = [line for line in done.stdout.splitlines() if re.search(r"\d+ (passed|failed|error|skipped)", line)][-1]
    return {
        kind: int(count) for count, kind in re.findall(r"(\d+) (passed|failed|errors?|skipped|xfailed|xpassed)", last)
    }


def test_finds_explains_and_replays(shell):
    shell.write("test_it.py", IN_TWO_THREADS + UNSAFE + SAFE)
    done = shell.pytest("--mazurka", status=1)
    assert outcome(done) == {"failed": 1, "passed": 1}
    assert "mazurka: strategy auto, sc" in done.stdout
    assert "assert 1 == 2" in done.stdout
    assert "self.value += 1" in done.stdout
    assert "explored 2 tests: 1 verified, 1 violation" in done.stdout
    schedule = re.search(r"mazurka replay (\S+\.json)", done.stdout)[1]
    again = shell.run("replay", schedule, "--times", "5", status=1)
    assert "5 of 5" in again.stdout
    assert "assert 1 == 2" in again.stdout


def test_records_come_from_the_test(shell):
    shell.write(
        "test_it.py",
        """
import logging
import threading

import pytest


@pytest.mark.parametrize("starts", [True, False])
def test_it(caplog, starts):
    caplog.set_level(logging.INFO)

    def work():
        logging.getLogger("x").info("text %d", 1)
        logging.getLogger("x").info("object %s", object())

    if starts:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    else:
        work()
    assert {(each.filename, each.funcName) for each in caplog.records} == {("test_it.py", "work")}
""",
    )
    assert outcome(shell.pytest("--mazurka", status=0)) == {"passed": 2}


def test_without_flag_and_marker_nothing_happens(shell):
    shell.write("test_it.py", IN_TWO_THREADS + UNSAFE)
    done = shell.pytest(status=0)
    assert "mazurka:" not in done.stdout
    shell.write(
        "test_cost.py",
        "import sys\n\ndef test_cost():\n    assert not {'greenlet', 'z3', 'mazurka.explore'} & set(sys.modules)\n",
    )
    shell.pytest("test_cost.py", status=0)


def test_marker_and_decorator(shell):
    shell.write(
        "test_it.py",
        IN_TWO_THREADS
        + UNSAFE.replace("\ndef", "\n@pytest.mark.mazurka(strategy='dfs')\ndef")
        + UNSAFE.replace("\ndef", "\nimport mazurka\n\n@mazurka.check(max_executions=500)\ndef").replace(
            "unsafe", "decorated"
        )
        + UNSAFE.replace("unsafe", "unmarked"),
    )
    done = shell.pytest(status=1)
    assert outcome(done) == {"failed": 2, "passed": 1}
    assert "explored 2 tests: 2 violation" in done.stdout


def test_decorator_with_a_schedule(shell):
    """The token pins the failing order down; once the test is repaired, only a file can tell where it differs."""
    shell.write("test_it.py", IN_TWO_THREADS + UNSAFE)
    said = shell.pytest("--mazurka", status=1).stdout
    token, path = re.search(r"mz1-\S+", said)[0], re.search(r"mazurka replay (\S+)", said)[1]
    pinned = IN_TWO_THREADS + UNSAFE.replace("\ndef", f"\nimport mazurka\n\n@mazurka.check(replay='{token}')\ndef")
    for schedule in (token, path):
        shell.write("test_it.py", pinned.replace(token, schedule))
        assert "reproduced: AssertionError: assert 1 == 2" in shell.pytest(status=1).stdout
    repaired = pinned.replace("counter.count)", "counter.count_safely)")
    shell.write("test_it.py", repaired)
    assert "the token was made from another program" in shell.pytest(status=1).stdout
    shell.write("test_it.py", repaired.replace(token, path))
    assert "diverges" in shell.pytest(status=1).stdout


def test_decorator_with_an_unknown_setting(shell):
    shell.write("test_it.py", "import mazurka\n\n@mazurka.check(max_execution=5)\ndef test_it(): pass\n")
    assert "did you mean max_executions" in shell.pytest().stdout
    shell.write("test_it.py", "import pytest\n\n@pytest.mark.mazurka(max_execution=5)\ndef test_it(): pass\n")
    done = shell.pytest()
    assert "did you mean max_executions" in done.stdout + done.stderr
    assert done.returncode != 0


def test_function_scoped_fixtures_are_set_up_for_every_execution(shell):
    shell.write(
        "test_it.py",
        IN_TWO_THREADS
        + """

made = []


@pytest.fixture(scope="module")
def shared():
    made.append("shared")
    yield {"executions": 0}
    made.append("shared down")


@pytest.fixture
def counter(shared):
    counter = Counter()
    assert counter.value == 0
    yield counter
    counter.value = None


class TestClass:
    @pytest.fixture(autouse=True)
    def prepare(self):
        self.log = []

    def test_safe(self, counter, tmp_path, monkeypatch):
        monkeypatch.setenv("SOME", "thing")
        assert self.log == []
        self.log.append(1)
        (tmp_path / "x").mkdir()
        in_two_threads(counter.count_safely)
        assert counter.value == 2

    def test_unsafe(self, counter):
        in_two_threads(counter.count)
        assert counter.value == 2


def test_higher_scopes_are_set_up_once(shared):
    assert made.count("shared") == 1
""",
    )
    done = shell.pytest("--mazurka", status=1)
    assert outcome(done) == {"failed": 1, "passed": 2}
    assert "assert 1 == 2" in done.stdout


def test_parametrize(shell):
    shell.write(
        "test_it.py",
        IN_TWO_THREADS
        + """

@pytest.mark.parametrize("method", ["count", "count_safely"])
@pytest.mark.parametrize("start", [0, 5])
def test_it(method, start):
    counter = Counter()
    counter.value = start
    in_two_threads(getattr(counter, method))
    assert counter.value == start + 2
""",
    )
    done = shell.pytest("--mazurka", status=1)
    assert outcome(done) == {"failed": 2, "passed": 2}
    schedule = re.search(r"mazurka replay (\S+\.json)", done.stdout)[1]
    shell.run("replay", schedule, status=1)


def test_variants_share_knowledge_but_no_verdict(shell):
    """Each variant is prepared with the points of the earlier ones, and with the modules that they enter; another test
    is not."""
    shell.write(
        "test_it.py",
        IN_TWO_THREADS
        + """
from collections import UserDict


@pytest.mark.parametrize("method", ["get", "pop", "setdefault", "get", "pop"])
def test_it(method):
    kept, found = UserDict({"a": 1}), []
    in_two_threads(lambda: found.append(getattr(kept, method)("a", 0)))
    assert found == [1, 1]


def test_other():
    kept, lock = UserDict({"a": 1}), threading.Lock()

    def double():
        with lock:
            kept["a"] *= 2

    in_two_threads(double)
    assert kept["a"] == 4


@pytest.mark.parametrize("starts", [True, False])
def test_some_without_threads(starts):
    counter = Counter()
    in_two_threads(counter.count) if starts else counter.count()
    assert counter.value == 1 + starts
""",
    )
    done = shell.pytest("--mazurka", status=1)
    assert "explored 7 tests: 4 verified, 3 violation; 1 starts no threads" in done.stdout
    for schedule in re.findall(r"mazurka replay (\S+\.json)", done.stdout):
        shell.run("replay", schedule, status=1)


def test_test_that_takes_longer_than_half_of_the_time_limit(shell):
    shell.write(
        "test_it.py",
        IN_TWO_THREADS
        + """

def test_long():
    ended = [False]

    def work():
        for number in range(10 ** 9):
            ended[0] = number
            if threading.current_thread() is None:
                break

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(0.01)
""",
    )
    done = shell.pytest("--mazurka", "--mazurka-time-limit", "4", status=0)
    assert "explored 1 test: 1 inconclusive" in done.stdout
    assert re.search("::test_long: the (run was cut after|time limit of 4 s)", done.stdout)
    shell.pytest("--mazurka", "--mazurka-time-limit", "4", "--mazurka-require-complete", status=1)


def test_captured_output(shell):
    shell.write(
        "test_it.py",
        IN_TWO_THREADS
        + """

def test_capsys(capsys):
    counter = Counter()
    in_two_threads(lambda: (counter.count_safely(), print("hello")))
    assert capsys.readouterr().out == "hello\\nhello\\n"


def test_shown():
    counter = Counter()
    in_two_threads(lambda: (print("counting"), counter.count()))
    assert counter.value == 2
""",
    )
    done = shell.pytest("--mazurka", status=1)
    assert outcome(done) == {"failed": 1, "passed": 1}
    assert done.stdout.count("counting\n") <= 6


def test_stop_at_first_select_and_last_failed(shell):
    shell.write("test_it.py", IN_TWO_THREADS + UNSAFE + UNSAFE.replace("unsafe", "unsafe_too") + SAFE)
    assert outcome(shell.pytest("--mazurka", "-x", status=1)) == {"failed": 1}
    assert outcome(shell.pytest("--mazurka", "-k", "test_safe", status=0)) == {"passed": 1}
    shell.pytest("--mazurka", "--lf", status=1)
    assert outcome(shell.pytest("--mazurka", "--lf", status=1)) == {"failed": 2}


def test_xdist(shell):
    shell.write("test_it.py", IN_TWO_THREADS + UNSAFE + UNSAFE.replace("unsafe", "unsafe_too") + SAFE)
    done = shell.pytest("--mazurka", "-n", "2", status=1)
    assert outcome(done) == {"failed": 2, "passed": 1}
    assert "self.value += 1" in done.stdout
    assert "explored 3 tests: 1 verified, 2 violation" in done.stdout


def test_deadlock(shell):
    shell.write(
        "test_it.py",
        """
        import threading

        def test_deadlock():
            a, b = threading.Lock(), threading.Lock()

            def work(first, second):
                with first, second:
                    pass

            threads = [threading.Thread(target=work, args=pair) for pair in ((a, b), (b, a))]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        """,
    )
    done = shell.pytest("--mazurka", status=1)
    assert "deadlock" in done.stdout


def test_modules_of_the_project_are_tracked(shell):
    shell.write("package/__init__.py", "")
    shell.write("package/counting.py", IN_TWO_THREADS.replace("import pytest\n", ""))
    shell.write(
        "conftest.py",
        """
        import pytest
        from package.counting import Counter

        @pytest.fixture
        def counter():
            return Counter()
        """,
    )
    shell.write(
        "tests/test_it.py",
        """
        from package.counting import in_two_threads

        def test_it(counter):
            in_two_threads(counter.count)
            assert counter.value == 2
        """,
    )
    shell.write("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = ['.']\n")
    done = shell.pytest("--mazurka", status=1)
    assert "counting.py" in done.stdout


@pytest.mark.parametrize("flag", ["--mazurka", ""])
def test_outcomes_without_threads_are_pytests_own(shell, flag):
    shell.write(
        "test_it.py",
        """
        import unittest
        import pytest

        def test_passes(): pass
        def test_fails(): assert [1, 2] == [1, 3]
        def test_skips(): pytest.skip("not today")
        @pytest.mark.skip
        def test_marked(): raise ValueError
        @pytest.mark.xfail(strict=True)
        def test_xfails(): raise ValueError
        def test_xfails_inside(): pytest.xfail("known")
        @pytest.fixture
        def broken(): raise ValueError
        def test_error(broken): pass
        def test_raises():
            with pytest.raises(KeyError): {}["x"]
        class TestCase(unittest.TestCase):
            def test_passes(self): self.assertTrue(True)
            def test_fails(self): self.assertEqual(1, 2)
            def test_skips(self): self.skipTest("not today")
        """,
    )
    done = shell.pytest(*[flag] * bool(flag), status=1)
    assert outcome(done) == {"failed": 2, "passed": 3, "skipped": 3, "xfailed": 2, "error": 1}
    assert "At index 1 diff: 2 != 3" in done.stdout


def test_unittest_test_case(shell):
    shell.write(
        "test_it.py",
        IN_TWO_THREADS
        + """

import unittest


class Case(unittest.TestCase):
    def setUp(self):
        self.counter = Counter()

    def test_unsafe(self):
        in_two_threads(self.counter.count)
        self.assertEqual(self.counter.value, 2)

    def test_safe(self):
        in_two_threads(self.counter.count_safely)
        self.assertEqual(self.counter.value, 2)
""",
    )
    done = shell.pytest("--mazurka", status=1)
    assert outcome(done) == {"failed": 1, "passed": 1}
    assert "1 != 2" in done.stdout


def test_inconclusive_passes_with_a_note_or_fails_when_asked_to(shell):
    shell.write(
        "test_it.py",
        IN_TWO_THREADS
        + SAFE.replace("counter.count_safely)", "lambda: [counter.count_safely() for _ in range(9)])").replace(
            "== 2", "== 18"
        ),
    )
    done = shell.pytest("--mazurka", "--mazurka-max-executions", "5", status=0)
    assert "explored 1 test: 1 inconclusive" in done.stdout
    assert "test_it.py::test_safe: " in done.stdout
    done = shell.pytest("--mazurka", "--mazurka-max-executions", "5", "--mazurka-require-complete", status=1)
    assert outcome(done) == {"failed": 1}


def test_wrong_settings_are_usage_errors(shell):
    shell.write("test_it.py", "def test_it(): pass\n")
    done = shell.pytest("--mazurka", "--mazurka-strategy", "bfs", status=4)
    assert "one of auto, mcr, mcr-s, mcr-s+, se-mcr, " in done.stdout + done.stderr
    shell.write("pyproject.toml", "[tool.mazurka]\nseeed = 1\n")
    done = shell.pytest("--mazurka", status=4)
    assert "did you mean seed?" in done.stdout + done.stderr


def test_repaired_test_passes_again_and_the_saved_schedule_is_tried_first(shell):
    shell.write("test_it.py", IN_TWO_THREADS + UNSAFE)
    shell.pytest("--mazurka", status=1)
    shell.write("test_it.py", IN_TWO_THREADS + UNSAFE.replace("counter.count)", "counter.count_safely)"))
    shell.pytest("--mazurka", status=0)


FED = (
    IN_TWO_THREADS
    + """
import queue


def feed(numbers, ended):
    while not ended.wait(0.001):
        numbers.put(1)


def feeder():
    numbers, ended = queue.Queue(), threading.Event()
    thread = threading.Thread(target=feed, args=(numbers, ended))
    thread.start()
    yield numbers
    ended.set()
    thread.join()


def test_fed(feeder):
    in_two_threads(lambda: feeder.get(timeout=60))
    feeder.get(timeout=60)
"""
)


def test_threads_of_before_are_named_and_not_waited_for(shell):
    shell.write("test_it.py", FED.replace("def feeder", '@pytest.fixture(scope="module")\ndef feeder'))
    done = shell.pytest("--mazurka", status=0)
    assert outcome(done) == {"passed": 1}
    assert (
        "a thread that was started before the check runs code of the program, which nothing controls: Thread-"
        in done.stdout
    )
    assert "(feed), in feed() at test_it.py:" in done.stdout


#: A thread of the session that waits at a pipe.
SERVED = (
    IN_TWO_THREADS
    + """
import os
import threading
import time
import pytest


class Server:
    def __init__(self):
        self.requests, self.asks = os.pipe()
        self.answered, self.count, self.lock = threading.Event(), 0, threading.Lock()
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        with self.lock:
            while os.read(self.requests, 1):
                self.count += 1
                self.answered.set()


@pytest.fixture(scope="session")
def server():
    server = Server()
    time.sleep(0.2)
    return server


def test_idle(server):
    alive = []
    in_two_threads(lambda: alive.append((server.thread.is_alive(), server.thread in threading.enumerate())))
    assert alive == [(True, True)] * 2


def test_asked(server):
    in_two_threads(lambda: os.write(server.asks, b"?"))
    server.answered.wait()
    while server.count < 2:
        time.sleep(0.01)
    assert server.count == 2


def test_waited_for(server):
    in_two_threads(lambda: server.thread.join(0.01))


def test_lock_that_it_has(server):
    taken = []
    in_two_threads(lambda: taken.append(server.lock.acquire(blocking=False)))
    assert taken == [False, False]
"""
)


def test_a_thread_of_before_may_wait_for_a_file(shell):
    shell.write("test_it.py", SERVED)
    done = shell.pytest("--mazurka", status=0)
    assert outcome(done) == {"passed": 4}
    assert "2 verified" in done.stdout
    assert "test_asked: a thread that was started before the check runs code of the program" in done.stdout
    assert "test_waited_for: a thread waits for Thread-" in done.stdout


def test_a_thread_that_ended_before_is_no_new_one(shell):
    shell.write(
        "test_it.py",
        IN_TWO_THREADS
        + (
            "ended = threading.Thread(target=int)\nended.start()\nended.join()\n"
            "def test_ended():\n"
            "    seen = []\n"
            "    def look():\n"
            "        ended.join()\n"
            "        seen.append((ended.is_alive(), 'stopped' in repr(ended), ended.ident is None))\n"
            "    in_two_threads(look)\n"
            "    assert seen == [(False, True, False)] * 2\n"
        ),
    )
    assert "1 verified" in shell.pytest("--mazurka", status=0).stdout


@pytest.mark.parametrize(
    ("opened", "write", "read"),
    [
        ("r, w = os.pipe()\nos.set_blocking(r, False)", "os.write(w, b'x')", "os.read(r, 1)"),
        ("a, b = os.pipe()\nr, w = open(a, 'rb', 0), open(b, 'wb', 0)", "w.write(b'x')", "r.read(0)"),
    ],
)
def test_a_pipe_of_before_is_not_controlled(shell, opened, write, read):
    shell.write(
        "test_it.py",
        "import contextlib, os, threading\n"
        f"{opened}\n"
        "def look():\n    with contextlib.suppress(BlockingIOError):\n        " + read + "\n"
        "def test_it():\n"
        f"    threads = [threading.Thread(target=each) for each in (lambda: {write}, look)]\n"
        "    for each in threads:\n        each.start()\n"
        "    for each in threads:\n        each.join()\n",
    )
    out = shell.pytest("--mazurka", status=0).stdout
    assert "1 inconclusive" in out
    assert "that was open before" in out


def test_threads_of_modules_are_named(shell):
    shell.write(
        "thing.py",
        IN_TWO_THREADS
        + (
            "box = Counter()\n"
            "ended = threading.Event()\n"
            "def work():\n    while not ended.wait(0.001): box.count()\n"
            "threading.Thread(target=work, daemon=True).start()\n"
            "def main():\n    seen = box.value\n    in_two_threads(int)\n    assert seen == box.value\n"
        ),
    )
    done = shell.run("check", "thing.py::main")
    assert done.stdout.startswith(
        "inconclusive: nothing found, but a thread that was started before the check runs code"
    )


def test_a_fixture_may_need_the_test_to_have_run(shell):
    shell.write(
        "test_it.py",
        """\
        import threading
        import pytest

        @pytest.fixture
        def worker():
            thread = threading.Thread(target=print)
            yield thread
            thread.join()

        def test_started(worker):
            worker.start()
        """,
    )
    out = shell.pytest("-q", "--mazurka", status=0).stdout
    assert "1 verified" in out


def test_sessions_keep_the_code_of_a_project_and_see_its_changes(shell):
    shell.write("counters.py", IN_TWO_THREADS)
    shell.write("conftest.py", "import counters\n")
    shell.write("test_it.py", "from counters import *\n" + UNSAFE.replace("counter.count", "counter.count_safely"))
    assert "1 verified" in shell.pytest("--mazurka", status=0).stdout
    assert list((shell.folder / ".mazurka" / "cache").iterdir())
    assert "1 verified" in shell.pytest("--mazurka", status=0).stdout
    shell.write("counters.py", IN_TWO_THREADS.replace("with self.lock:", "if self.lock:"))
    assert "1 violation" in shell.pytest("--mazurka", status=1).stdout


def test_a_test_without_threads_is_run_once(shell):
    shell.write("counters.py", "CALLS = []\n")
    test = """
import counters, sys


def test_alone(tmp_path):
    counters.CALLS.append(1)
    with open("calls", "a") as stream:
        stream.write("x")
    assert len(counters.CALLS) == 1


def test_after_it():
    assert counters.CALLS == [1]
    assert open("calls").read() == "x"
"""
    shell.write("test_it.py", test)
    done = shell.pytest("--mazurka", status=0)
    assert outcome(done) == {"passed": 2}
    assert "2 start no threads" in done.stdout


_IN_CYCLES = """
closed = []


class Node(Counter):
    def __init__(self):
        super().__init__()
        self.me = self

    def __del__(self):
        closed.append(1)


@pytest.fixture
def given(tmp_path, monkeypatch): return 1


@pytest.fixture
def torn_down():
    yield
    assert not closed


@pytest.fixture
def finalised(request): request.addfinalizer(lambda: closed.clear())


def both():
    node = Node()
    in_two_threads(node.count_safely)


class Torn:
    def teardown_method(self): assert not closed
"""

_COUNTS = """
    node = Node()
    in_two_threads(node.count_safely)
    assert node.value == 2
"""


@pytest.mark.parametrize(
    "head",
    [
        "def test_it():",
        "def test_it(given):",
        "class TestIt:\n  def test_it(self):",
    ],
)
def test_finalisers_in_cycles_do_not_matter_if_nothing_follows_the_test(shell, head):
    shell.write("test_it.py", IN_TWO_THREADS + _IN_CYCLES + head + _COUNTS)
    assert "explored 1 test: 1 verified" in shell.pytest("--mazurka", status=0).stdout


@pytest.mark.sampled
@pytest.mark.parametrize(
    "head",
    [
        "def test_it(torn_down):",
        "def test_it(finalised):",
        "def test_it(request):\n    request.getfixturevalue('torn_down')",
        "def test_it(request):\n    request.addfinalizer(closed.clear)",
        "class TestIt(Torn):\n  def test_it(self):",
        "def test_it():\n    both()",
    ],
)
def test_finalisers_in_cycles_matter_to_what_follows_the_test(shell, head):
    shell.write("test_it.py", IN_TWO_THREADS + _IN_CYCLES + head + _COUNTS)
    done = shell.pytest("--mazurka", status=0)
    assert "explored 1 test: 1 inconclusive" in done.stdout
    assert "the end of objects in cycles" in done.stdout


def test_finalisers_in_cycles_matter_to_hooks(shell):
    shell.write("conftest.py", "def pytest_fixture_post_finalizer(): pass\n")
    shell.write("test_it.py", IN_TWO_THREADS + _IN_CYCLES + "def test_it(given):" + _COUNTS)
    assert "explored 1 test: 1 inconclusive" in shell.pytest("--mazurka", status=0).stdout


#: As pytest-repeat does it.
_REPEATING = """
import pytest

@pytest.fixture
def __pytest_repeat_step_number(request):
    return request.param

@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc):
    metafunc.fixturenames.append("__pytest_repeat_step_number")
    metafunc.parametrize("__pytest_repeat_step_number", range(3), indirect=True)
"""


def test_repetitions_are_explored_once(shell):
    shell.write("conftest.py", _REPEATING)
    shell.write("test_it.py", IN_TWO_THREADS + UNSAFE + SAFE)
    done = shell.pytest("--mazurka", status=1)
    assert "explored 6 tests: 3 verified, 3 violation; 4 of them repeated another one" in done.stdout
    assert "3 failed, 3 passed" in done.stdout


def test_tests_with_other_parameters_are_no_repetitions(shell):
    shell.write("conftest.py", _REPEATING)
    counts = (
        IN_TWO_THREADS
        + """
@pytest.mark.parametrize("expected", [2, 3])
def test_it(expected):
    node = Counter()
    in_two_threads(node.count_safely)
    assert node.value == expected
"""
    )
    shell.write("test_it.py", counts)
    done = shell.pytest("--mazurka", status=1)
    assert "explored 6 tests: 3 verified, 3 violation; 4 of them repeated another one" in done.stdout


def test_another_test_in_between_ends_repetition(shell):
    shell.write("conftest.py", _REPEATING)
    shell.write("test_it.py", IN_TWO_THREADS + SAFE + "def test_other(): pass\n")
    name = SAFE.split("def ")[1].split("(")[0]
    done = shell.pytest(
        "--mazurka", f"test_it.py::{name}[0]", "test_it.py::test_other[0]", f"test_it.py::{name}[1]", status=0
    )
    assert "explored 2 tests: 2 verified; 1 starts no threads" in done.stdout


@pytest.mark.parametrize("fails", ['pytest.fail("nothing was raised")', "with pytest.raises(KeyError): {}.get(1)"])
def test_a_thread_may_fail_as_tests_of_pytest_do(shell, fails):
    # pytest's own failures derive from BaseException; pytest-race 0.2.0 loses them (findings/pytest-race-raises.sh).
    shell.write(
        "test_it.py", IN_TWO_THREADS + f"\n\ndef work():\n    {fails}\n\ndef test_it():\n    in_two_threads(work)\n"
    )
    done = shell.pytest("--mazurka", status=1)
    assert outcome(done) == {"failed": 1}
    assert "violation: Failed:" in done.stdout
