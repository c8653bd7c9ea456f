"""Finalisers run where CPython runs them, and those of one execution never during the next."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from tests import preloaded

_PROGRAM = """\
import sys
import threading


class Handle:
    closed = []

    def __del__(self):
        Handle.closed.append(1)
        print("closed", file=sys.stderr)


def work(fail):
    handle = Handle()
    if fail:
        raise KeyError("the traceback holds the handle")


left_open = Handle()
thread = threading.Thread(target=work, args=(%s,))
thread.start()
thread.join()
assert len(Handle.closed) == 1
"""


def _check(folder: Path, source: str, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "program.py").write_text(source)
    command = ("check", "program.py", "--format", "json", *options)
    return preloaded.run(command, folder, preloaded.environment(), timeout=60)


def test_what_an_execution_leaves_is_finalised_before_the_next(tmp_path: Path) -> None:
    options = ("--strategy", "random", "--max-executions", "30", "--isolation", "restore")
    done = _check(tmp_path, _PROGRAM % False, *options)
    report = json.loads(done.stdout)
    assert report["failures"] == []
    assert report["executions"] == 30
    assert done.stderr == ""


def test_what_a_thread_that_died_held_is_finalised_at_once(tmp_path: Path) -> None:
    done = _check(tmp_path, _PROGRAM % True, "--all-failures")
    failures = json.loads(done.stdout)["failures"]
    assert [failure["exception"] for failure in failures] == ["KeyError"]  # and the assertion holds
    assert failures[0]["output"].splitlines() == ["closed", "closed"]
    assert done.stderr == ""


def test_what_is_written_about_a_finaliser_that_fails_is_no_step(tmp_path: Path) -> None:
    source = """\
import threading


class Handle:
    def __del__(self):
        raise KeyError("late")


def work():
    Handle()
    raise ValueError


threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
"""
    done = _check(tmp_path, source + "#\n" * 3000, "--all-failures")
    (failure,) = json.loads(done.stdout)["failures"]
    assert failure["exception"] == "ValueError"
    assert failure["output"].splitlines().count("KeyError: 'late'") == 2
    assert json.loads(done.stdout)["executions"] < 10


_ENDED_BY_EITHER = """\
import threading


class Counted:
    def __del__(self):
        box.n += 1


class Box:
    n = 0


box = Box()
box.kept = Counted()


def work():
    box.kept = None


threading.Thread(target=work).start()
box.kept = None
assert box.n == 1
"""


@pytest.mark.parametrize("strategy", ["auto", "mcr", "se-mcr", "dpor-rf", "dpor"])
def test_which_of_two_stores_ends_an_object_is_explored(tmp_path: Path, strategy: str) -> None:
    """The finaliser runs in the thread that stores first; if that is not main, main may go on in its midst."""
    report = json.loads(_check(tmp_path, _ENDED_BY_EITHER, "--strategy", strategy).stdout)
    assert [failure["kind"] for failure in report["failures"]] == ["assertion"]


_BESIDE_A_BARRIER = """\
import threading


class Ending:
    def __del__(self):
        pass


barrier = threading.Barrier(2)
for change in (barrier.abort, barrier.reset):
    threading.Thread(target=change, daemon=True).start()
barrier.wait()
"""


def test_wake_ups_beside_finalisers_are_as_without(tmp_path: Path) -> None:
    report = json.loads(_check(tmp_path, _BESIDE_A_BARRIER, "--strategy", "dfs", "--all-failures").stdout)
    assert report["inconsistencies"] == []
    without = json.loads(_check(tmp_path, _BESIDE_A_BARRIER.replace("__del__", "end"), "--all-failures").stdout)
    assert {each["kind"] for each in report["failures"]} == {each["kind"] for each in without["failures"]}


_ENDED_WITH_A_THREAD = """\
import threading


class Box:
    n = 0


class Counted:
    def __del__(self):
        box.n += 1


box = Box()


def work():
    kept = []
    kept.append(Counted())


threading.Thread(target=work).start()
print(box.n)
"""


def test_objects_written_last_end_with_their_thread_where_values_are_recorded(tmp_path: Path) -> None:
    """The execution that is explained records values, and does the same as the one that showed the race."""
    report = json.loads(_check(tmp_path, _ENDED_WITH_A_THREAD, "--races", "--strategy", "dpor").stdout)
    assert report["inconsistencies"] == []
    assert [each["kind"] for each in report["failures"]] == ["race"]


_IN_COLLECTIONS = """\
import threading
from collections import UserDict


class Ending:
    def __del__(self):
        pass


kept, found = UserDict(key=1), []
threads = [threading.Thread(target=lambda: found.append(kept.pop("key", 0))) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert sum(found) == 1
"""


def test_code_of_collections_beside_finalisers(tmp_path: Path) -> None:
    """That of named tuples is instrumented, too, if a program enters the module."""
    report = json.loads(_check(tmp_path, _IN_COLLECTIONS).stdout)
    assert [each["exception"] for each in report["failures"]] == ["KeyError"]
