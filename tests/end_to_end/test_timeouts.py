"""Timeouts fire when no thread can move, and then, in a search of its own, while others are held up for a while."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

_HANDSHAKE = """\
    import threading

    told = threading.Event()
    changed = threading.Condition()
    room = threading.Semaphore(0)
    number = 0


    def answer():
        global number
        assert told.wait(2)
        with changed:
            number = 1
            changed.notify()
        room.release()


    def ask():
        told.set()
        with changed:
            assert changed.wait_for(lambda: number, timeout=2)
        assert room.acquire(timeout=1)


    threads = [threading.Thread(target=target) for target in (answer, ask)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=5)
    assert not any(thread.is_alive() for thread in threads)
    """

_NOBODY_TELLS = """\
    import threading

    told = threading.Event()
    number = 0


    def wait():
        global number
        if not told.wait(1):
            number += 1


    def count():
        global number
        number += 1


    threads = [threading.Thread(target=target) for target in (wait, count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    """


_SHORT = """\
    import threading

    lock = threading.Lock()
    number = 0


    def work():
        global number
        assert lock.acquire(timeout={seconds})
        number += 1
        lock.release()


    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    """

_POLLING = """\
    import threading
    import time

    ready = []


    def work():
        ready.append(1)
        ready.append(2)


    thread = threading.Thread(target=work)
    thread.start()
    end = time.monotonic() + 5
    while len(ready) < 2:
        assert time.monotonic() < end
        time.sleep(0.5)
    thread.join()
    """

_SLEEPING = """\
    import threading
    import time

    done = []


    def work():
        done.append(1)


    thread = threading.Thread(target=work)
    thread.start()
    time.sleep({seconds})
    assert done
    """

_JOINING = """\
    import threading

    done = []


    def work():
        done.append(1)


    thread = threading.Thread(target=work)
    thread.start()
    thread.join(timeout=0.1)
    if not thread.is_alive():
        assert done
    else:
        thread.join()
    """

_LOOPING = """\
    import threading

    stop = threading.Event()
    number = 0


    def work():
        global number
        while not stop.wait(0.1):
            number += 1


    thread = threading.Thread(target=work)
    thread.start()
    stop.set()
    thread.join()
    """

_WOKEN = """\
    import concurrent.futures
    import os
    import queue
    import threading
    import time

    done = []
    it = {made}


    def work():
        {waits}
        done.append(1)


    threading.Thread(target=work).start()
    {wakes}
    time.sleep(3)
    assert done
    """

_BUSY = """\
    import datetime
    import threading
    import time

    flag = False


    def work():
        global flag
        {works}
        flag = True


    thread = threading.Thread(target=work)
    thread.start()
    end = {look} + {seconds}
    while {look} < end:
        {passes}
    assert flag
    thread.join()
    """

_BUSY_LOOP = """\
    import asyncio
    import threading

    done = []


    async def main():
        thread = threading.Thread(target=lambda: done.append(1))
        thread.start()
        end = asyncio.get_running_loop().time() + {seconds}
        while asyncio.get_running_loop().time() < end:
            await asyncio.sleep(0)
        assert done
        thread.join()


    asyncio.run(main())
    """

_BUSY_IN_C = """\
    #include <assert.h>
    #include <pthread.h>
    #include <stdatomic.h>
    #include <time.h>

    atomic_int done;

    static double now(void) {{
        struct timespec time;
        clock_gettime(CLOCK_MONOTONIC, &time);
        return time.tv_sec + time.tv_nsec / 1e9;
    }}

    static void *work(void *unused) {{
        done = 1;
        return unused;
    }}

    int main(void) {{
        pthread_t thread;
        pthread_create(&thread, 0, work, 0);
        double end = now() + {seconds};
        while (now() < end)
            ;
        assert(done);
        pthread_join(thread, 0);
    }}
    """

_COMPLETE = ["mcr", "mcr-s+", "se-mcr", "dpor", "unfolding", "dpor-rf", "dfs", "icb", "icb-dpor"]


@pytest.mark.parametrize("strategy", ["mcr", "dfs", "random"])
def test_what_comes_in_time_is_not_missed(shell: Shell, strategy: str) -> None:
    report = shell.check(_HANDSHAKE, "--strategy", strategy, "--max-executions", "2000", status=0)
    assert report["verdict"] == ("inconclusive" if strategy == "random" else "verified")


@pytest.mark.parametrize("strategy", _COMPLETE)
def test_a_timeout_that_fires_leaves_no_order_open(shell: Shell, strategy: str) -> None:
    report = shell.check(_NOBODY_TELLS, "--strategy", strategy, status=0)
    assert report["verdict"] == "verified"
    assert report["reason"].endswith("assuming that no timeout of more than 0.1 s fires while other threads can run")


@pytest.mark.sampled
@pytest.mark.parametrize("strategy", _COMPLETE)
def test_a_short_timeout_fires_early(shell: Shell, strategy: str) -> None:
    report = shell.check(_SHORT.format(seconds=0.05), "--strategy", strategy, status=1)
    (failure,) = report["failures"]
    assert failure["replayed"]
    assert failure["witness"]["checked"]
    explanation = failure["explanation"]
    assert "depends on timing" in explanation["sentence"]
    rows = [what for row in explanation["rows"] for what in row.get("what", ())]
    assert any(what.startswith("timeout of 0.05 s fires: lock is held by Thread-") for what in rows)
    shell.run("replay", failure["schedule"], status=1)
    shell.run("replay", failure["token"], "--times", "3", status=1)
    again = shell.run("check", "program.py", "--strategy", strategy, status=1)  # tries what was saved first
    assert "depends on timing" in again.stdout


def test_a_long_timeout_does_not_and_the_first_line_says_so(shell: Shell) -> None:
    shell.write("program.py", _SHORT.format(seconds=5))
    first = shell.run("check", "program.py", status=0).stdout.partition("\n")[0]
    assert first == (
        "verified: no order of the threads fails, "
        "assuming that no timeout of more than 0.1 s fires while other threads can run"
    )
    shell.run("check", "program.py", "--timing", "5", status=1)
    shell.run("check", "program.py", "--timing", "all", status=1)


def test_timing_can_be_left_out(shell: Shell) -> None:
    report = shell.check(_SHORT.format(seconds=0.05), "--timing", "0", status=0)
    assert report["reason"].endswith("assuming that no timeout fires while other threads can run")


def test_loops_that_poll_are_given_the_time_they_have(shell: Shell) -> None:
    report = shell.check(_POLLING, status=0)
    assert report["verdict"] == "verified"
    assert report["reason"].endswith("assuming that no sleep of more than 0.1 s ends while other threads can run")
    assert any("held up for 5 s" in note for note in report["notes"])
    shell.run("check", "program.py", "--timing", "5.1", status=1)


def test_a_sleep_that_is_to_order_threads_does_not(shell: Shell) -> None:
    report = shell.check(_SLEEPING.format(seconds=0.05), status=1)
    explanation = report["failures"][0]["explanation"]
    assert "held up for 0.05 s" in explanation["sentence"]
    assert explanation["rows"][0]["what"] == ["has slept 0.05 s"]
    assert shell.check(_SLEEPING.format(seconds=3), status=0)["verdict"] == "verified"


@pytest.mark.parametrize(
    ("made", "waits", "wakes"),
    [
        ("threading.Event()", "it.wait()", "it.set()"),
        ("threading.Event()", "it.wait(5)", "it.set()"),
        ("threading.Semaphore(0)", "it.acquire()", "it.release()"),
        ("threading.Barrier(2)", "it.wait()", "it.wait()"),
        ("queue.SimpleQueue()", "it.get()", "it.put(1)"),
        ("concurrent.futures.Future()", "it.result()", "it.set_result(1)"),
        ("os.pipe()", "os.read(it[0], 1)", "os.write(it[1], b'x')"),
    ],
)
def test_a_thread_that_another_lets_go_on_has_the_time_of_its_sleep(
    shell: Shell, made: str, waits: str, wakes: str
) -> None:
    assert shell.check(_WOKEN.format(made=made, waits=waits, wakes=wakes), status=0)["verdict"] == "verified"


@pytest.mark.parametrize("isolation", ["restore", "fork"])
def test_loops_that_wait_in_steps_come_to_an_end(shell: Shell, isolation: str) -> None:
    assert shell.check(_LOOPING, "--isolation", isolation, status=0)["verdict"] == "verified"


def test_a_join_that_gives_up(shell: Shell) -> None:
    assert shell.check(_JOINING, status=0)["verdict"] == "verified"
    shell.check(_JOINING.replace("if not thread.is_alive()", "if True"), status=1)


def test_timing_in_pytest(shell: Shell) -> None:
    body = "".join(f"    {line}\n" for line in textwrap.dedent(_SLEEPING.format(seconds=0.05)).splitlines())
    shell.write("test_program.py", f"def test_it():\n{body}")
    assert "depends on timing" in shell.pytest("--mazurka", "test_program.py", status=1).stdout
    shell.pytest("--mazurka", "--mazurka-timing=0", "test_program.py", status=0)


@pytest.mark.parametrize("strategy", ["mcr", "dpor", "dfs", "icb"])
@pytest.mark.parametrize("passes", ["pass", "if flag: break"])
def test_a_busy_loop_is_a_sleep(shell: Shell, strategy: str, passes: str) -> None:
    looks = {"look": "time.monotonic()", "passes": passes, "works": "pass"}
    report = shell.check(_BUSY.format(seconds=2, **looks), "--strategy", strategy, status=0)
    assert report["reason"].endswith("assuming that no sleep of more than 0.1 s ends while other threads can run")
    report = shell.check(_BUSY.format(seconds=0.05, **looks), "--strategy", strategy, status=1)
    explanation = report["failures"][0]["explanation"]
    assert "held up for 0.05 s" in explanation["sentence"]
    assert explanation["rows"][0]["what"] == ["has looked at the clock for 0.05 s"]
    shell.run("replay", report["failures"][0]["token"], "--times", "3", status=1)


@pytest.mark.parametrize("passes", ["pass", "if flag: break", "time.sleep(0)"])
def test_a_busy_loop_ends_before_longer_sleeps_of_others(shell: Shell, passes: str) -> None:
    busy = {"look": "time.monotonic()", "seconds": 1, "passes": passes}
    shell.check(_BUSY.format(works="time.sleep(3)", **busy), status=1)
    assert shell.check(_BUSY.format(works="time.sleep(0.5)", **busy), status=0)["verdict"] == "verified"


@pytest.mark.parametrize(
    ("look", "seconds"),
    [
        ("time.time()", "2"),
        ("time.perf_counter_ns()", "2_000_000_000"),
        ("datetime.datetime.now()", "datetime.timedelta(seconds=2)"),
    ],
)
def test_a_busy_loop_on_any_clock(shell: Shell, look: str, seconds: str) -> None:
    program = _BUSY.format(look=look, seconds=seconds, passes="pass", works="pass")
    assert shell.check(program, status=0)["verdict"] == "verified"


def test_a_busy_event_loop(shell: Shell) -> None:
    assert shell.check(_BUSY_LOOP.format(seconds=2), status=0)["verdict"] == "verified"
    shell.check(_BUSY_LOOP.format(seconds=0.05), status=1)


@pytest.mark.parametrize(("seconds", "status"), [("2", 0), ("0.05", 1)])
def test_a_busy_loop_in_c(shell: Shell, seconds: str, status: int) -> None:
    shell.write("program.c", _BUSY_IN_C.format(seconds=seconds))
    shell.run("check", "program.c", status=status)


def test_a_busy_loop_that_changes_something_comes_to_an_end(shell: Shell) -> None:
    busy = {"look": "time.monotonic()", "seconds": 0.5, "passes": "threading.current_thread().passes = end"}
    assert shell.check(_BUSY.format(works="pass", **busy), status=0)["verdict"] == "verified"


def test_a_saved_failure_counts_within_the_bound_only(shell: Shell) -> None:
    busy = {"look": "time.monotonic()", "seconds": 0, "passes": "pass"}
    program = _BUSY.replace("assert flag", "time.sleep(1)\n    assert flag")
    shell.check(program.format(works="time.sleep(3)", **busy), status=1)
    assert shell.check(program.format(works="time.sleep(0.5)", **busy), status=0)["verdict"] == "verified"
