"""Time, randomness and identities agree with each other, and are the same whenever a schedule is run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

_THREADS = """\
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    """

_DATES = """\
    import pickle
    import threading
    import time
    import uuid
    from datetime import date, datetime, timezone

    now, today = datetime.now, date.today


    class Late(datetime):
        pass


    def work():
        before = time.time()
        assert 0 <= now().timestamp() - before < 1
        time.sleep(5)
        assert datetime.now().timestamp() >= before + 5
        assert type(datetime.now()) is datetime and type(Late.now()) is Late
        assert isinstance(Late.now(), datetime)
        assert type(pickle.loads(pickle.dumps(datetime.now()))) is datetime
        aware = datetime.now(timezone.utc)
        assert datetime.now() >= aware.replace(tzinfo=None)
        assert date.today() == today() == datetime.today().date() == datetime.now().date()
        seconds = uuid.uuid1().time / 1e7 - 12_219_292_800
        assert abs(time.time() - seconds) < 1


    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    """

_ONE_CLOCK = f"""\
    import threading
    import time

    shown = []


    def work():
        look = time.monotonic()
        shown.append(look)


{_THREADS}
    assert shown == sorted(shown)
    """

_LATER = f"""\
    import threading
    import time

    lock = threading.Lock()
    shown = []


    def work():
        with lock:
            shown.append(time.monotonic_ns())


{_THREADS}
    assert shown[0] < shown[1]
    """

_RANDOM = f"""\
    import os
    import random
    import secrets
    import threading
    import uuid

    source = random.SystemRandom()
    lock = threading.Lock()
    drawn = []


    class Captured:
        draw = os.urandom
        process = os.getpid


    def work():
        mine = (uuid.uuid4(), secrets.token_hex(), source.random(), Captured().draw(8), random.SystemRandom().random())
        assert Captured().process() == os.getpid()
        with lock:
            drawn.extend(mine)


{_THREADS}
    assert len(set(drawn)) == 10
    """

_KEYED = f"""\
    import copy
    import threading


    class Thing:
        pass


    early = Thing()
    known = {{id(early): "early"}}
    number = 0


    class Node:
        def __deepcopy__(self, memo):
            memo[id(self)] = made = Node()
            made.self = copy.deepcopy(self.self, memo)
            return made


    def work():
        global number
        thing = Thing()
        known[id(thing)] = thing
        mine = number
        assert known[id(thing)] is thing and known[id(early)] == "early"
        node = Node()
        node.self = node
        twin = copy.deepcopy(node)
        assert twin.self is twin
        number = mine + 1


{_THREADS}
    assert number == 2
    """


_MANY = f"""\
    import threading
    import time

    found = [0]
    seen = []


    def work():
        mine = found[0]
        found[0] = mine + 1
        began = time.monotonic()
        for _ in range(30):
            assert time.monotonic() > began
        seen.append(began)


{_THREADS}
    assert {{holds}}
    """


def test_dates_show_the_virtual_time(shell: Shell) -> None:
    assert shell.check(_DATES, status=0)["verdict"] == "verified"


def test_what_one_thread_reads_off_the_clock_is_ordered_with_what_another_does(shell: Shell) -> None:
    report = shell.check(_ONE_CLOCK, status=1)
    assert report["failures"][0]["exception"] == "AssertionError"
    assert shell.check(_LATER, status=0)["verdict"] == "verified"


def test_each_thread_draws_random_numbers_of_its_own(shell: Shell) -> None:
    assert shell.check(_RANDOM, status=0)["verdict"] == "verified"


def test_identities_as_keys_repeat(shell: Shell) -> None:
    report = shell.check(_KEYED, "--no-save", status=1)
    assert report["failures"][0]["replayed"]


def test_orders_of_too_many_looks_at_the_clock_are_left_out(shell: Shell) -> None:
    """Two times thirty looks have 10^17 orders."""
    shell.write("program.py", _MANY.replace("{holds}", "len(seen) == 2"))
    done = shell.run("check", "program.py", "--no-save", "--strategy", "mcr", "--time-limit", "4", status=0)
    assert done.stdout.splitlines()[0].endswith(
        "assuming that nothing depends on which of several threads looks at the clock first"
    )


def test_a_failure_found_without_the_orders_of_looks_at_the_clock(shell: Shell) -> None:
    """`dfs` changes the last steps first, and so does not come to the first ones before it leaves the looks out."""
    report = shell.check(_MANY.replace("{holds}", "found[0] == 2"), "--strategy", "dfs", "--time-limit", "6", status=1)
    (failure,) = report["failures"]
    assert failure["replayed"]
    again = shell.run("replay", failure["token"], status=1)
    assert "AssertionError" in again.stdout


LOOKS = """
import threading, time

lock, log = threading.Lock(), []

def work():
    for _ in range(4):
        now = time.monotonic()
        with lock:
            log.append(now)
        SLEEP

threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


@pytest.mark.parametrize("sleep", ["pass", "time.sleep(0.01)"])
def test_the_limit_of_executions_holds_for_all_searches(shell, sleep):
    report = shell.check(LOOKS.replace("SLEEP", sleep), "--max-executions", "20", "--timing", "1", status=0)
    assert report["executions"] <= 20
    assert "the limit of 20 executions was reached" in report["reason"]
