"""A time limit holds for every program, and the findings until then are reported."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

#: Two threads, and the code before and after them.
_PROGRAM = """\
    import ctypes, hashlib, re, socket, threading

    number = 0

    def work():
        global number
        number += 1

    def bad():
        if number == 1:
            raise KeyError(number)

    def hang():
        {hang}

    {before}
    threads = [threading.Thread(target=each) for each in ({threads})]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    {after}
    """

#: Seconds in which the program certainly has got to where it hangs, on a busy machine too.
_ENOUGH = "6"


def _program(hang: str = "sum(range(10**11))", before: str = "", threads: str = "work, work", after: str = "") -> str:
    return _PROGRAM.format(hang=hang, before=before, threads=threads, after=after)


@pytest.mark.sampled
@pytest.mark.parametrize(
    "hang",
    [
        "sum(range(10**11))",
        "hashlib.pbkdf2_hmac('sha256', b'', b'', 2**31 - 1)",
        "sorted([0] * 10, key=lambda _: sum(range(10**11)))",
        "ctypes.CDLL(None).sleep(600)",
    ],
)
def test_in_c_code(shell: Shell, hang: str) -> None:
    report = shell.check(_program(hang, threads="work, hang"), "--time-limit", "2", status=0)
    assert report["verdict"] == "inconclusive"
    assert report["reason"].startswith("the time limit of 2 s was reached")


def test_in_c_code_that_answers_signals(shell: Shell) -> None:
    """The run is cut first."""
    report = shell.check(
        _program("re.match('(a+)+$', 'a' * 60 + 'b')", threads="work, hang"), "--time-limit", "2", status=0
    )
    assert report["reason"].startswith("the time limit of 2 s was reached")


@pytest.mark.parametrize("isolation", ["restore", "fork"])
def test_in_some_orders_only(shell: Shell, isolation: str) -> None:
    """The search got somewhere, and what it learnt is kept whole."""
    source = _program(after="if number == 1: hang()", threads="work, work, print")
    report = shell.check(source, "--time-limit", _ENOUGH, "--isolation", isolation, status=0)
    assert report["reason"].startswith(f"the time limit of {_ENOUGH} s was reached at program.py:14 in hang")
    for database in (shell.folder / ".mazurka").glob("**/*.sqlite"):
        with contextlib.closing(sqlite3.connect(database)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    shell.check(source, "--max-executions", "1", status=0)  # nobody holds the search any more


def test_when_the_module_is_imported(shell: Shell) -> None:
    report = shell.check(_program(before="hang()"), "--time-limit", _ENOUGH, status=0)
    assert "program.py:14 in hang" in report["reason"]


def test_failures_met_before_are_explained(shell: Shell) -> None:
    """The orders in which updates get lost hang; what was found in others is shown as it was found."""
    source = _program(after="if number == 1: hang()", threads="work, work, bad")
    report = shell.check(source, "--all-failures", "--time-limit", _ENOUGH, status=1)
    assert "program.py:14 in hang" in report["reason"]
    (failure,) = report["failures"]
    assert failure["exception"] == "KeyError"
    assert failure["replayed"]
    shell.run("replay", failure["schedule"], status=1)


def test_failures_that_there_is_no_time_to_explain(shell: Shell) -> None:
    """Having hung once, the program hangs from the start."""
    hang = "ctypes.CDLL(None).creat(b'hung', 0o600); sum(range(10**11))"
    before = "if ctypes.CDLL(None).access(b'hung', 0) == 0: hang()"
    shell.write("program.py", _program(hang, before, "work, work, bad", "if number == 1: hang()"))
    options = ["--all-failures", "--time-limit", _ENOUGH]
    done = shell.run("check", "program.py", *options, "--output", "report.json", status=1)
    assert "violation: KeyError: 1" in done.stdout
    assert "No time was left to explain this failure" in done.stdout
    (failure,) = json.loads((shell.folder / "report.json").read_text())["failures"]
    assert failure["location"]["line"] == 11


def test_files_are_put_back(shell: Shell) -> None:
    shell.write("kept.txt", "as it was")
    source = _program("open('kept.txt', 'w').write('changed'); sum(range(10**11))", threads="work, hang")
    shell.check(source, "--time-limit", "2", status=0)
    assert (shell.folder / "kept.txt").read_text() == "as it was"


def test_a_process_that_dies_is_told_of(shell: Shell) -> None:
    source = _program("ctypes.string_at(1)", after="if number == 1: hang()")
    report = shell.check(source, "--isolation", "restore", status=2)
    assert report["verdict"] == "inconclusive"
    assert "was killed by SIGSEGV" in report["reason"]


def test_a_second_interrupt_ends_c_code(shell: Shell) -> None:
    shell.write("program.py", _program("open('started', 'w').close(); sum(range(10**11))", threads="work, hang"))
    process = shell.start("check", "program.py")
    while not (shell.folder / "started").exists():
        time.sleep(0.02)
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=10)
    assert process.returncode == -signal.SIGINT


def test_nothing_is_left_when_the_command_is_killed(shell: Shell) -> None:
    source = _program("open('started', 'w').write(str(__import__('posix').getpid())); sum(range(10**11))")
    shell.write("program.py", source.replace("work, work", "work, hang"))
    process = shell.start("check", "program.py", "--isolation", "restore")
    process_id = ""
    while not process_id:
        time.sleep(0.02)
        with contextlib.suppress(FileNotFoundError):  # whoever checks something meanwhile puts files back, too
            process_id = (shell.folder / "started").read_text()
    process.kill()
    process.communicate()
    end = time.monotonic() + 10
    while os.path.exists(f"/proc/{process_id}"):
        assert time.monotonic() < end
        time.sleep(0.02)
