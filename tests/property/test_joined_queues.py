"""Numbers of unfinished tasks: on random programs whose threads put items into queues, finish them and wait for the end
of all, ``dpor`` reaches the outcomes of ``dfs``.

A part of the programs breaks the discipline on which it rests; see tests/oracle/joined_queue_programs.py.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.oracle.joined_queue_programs import drawn_with_joined_queues
from tests.oracle.shown_outcomes import compare_dpor, explored

_LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
_PROGRAMS = range(3_000) if _LONG else range(16, 32)


def _programs(folder: Path) -> Iterator[tuple[int, Path]]:
    for number in _PROGRAMS:
        path = folder / f"joined_queues_{number}.py"
        path.write_text(drawn_with_joined_queues(number))
        yield number, path


@pytest.mark.slow
def test_dpor_reaches_all_outcomes(tmp_path: Path) -> None:
    compared, before, after = compare_dpor(_programs(tmp_path))
    assert compared > len(_PROGRAMS) // 3
    assert after < before / 2


_SERVICE = """\
import queue
import threading

tasks, done, lock = queue.Queue(), {}, threading.Lock()


def work():
    while (number := tasks.get()) is not None:
        with lock:
            done[number] = number * number
        tasks.task_done()


workers = [threading.Thread(target=work) for _ in range(2)]
for each in workers:
    each.start()
for number in range(3):
    tasks.put(number)
tasks.join()
assert len(done) == 3
for _ in workers:
    tasks.put(None)
for each in workers:
    each.join()
"""


def test_the_orders_of_tasks_that_end_are_one(tmp_path: Path) -> None:
    path = tmp_path / "service.py"
    path.write_text(_SERVICE)
    shown, by_dpor = explored(path, "dpor")
    assert by_dpor.complete
    assert set(shown) == {("", ())}
    assert by_dpor.executions == 8  # 68 before


#: A join that returns early, between the end of one task and the next ``put``, in whichever order they are executed.
_EARLY = """\
import queue
import threading

tasks, seen = queue.Queue(), []


def work():
    for _ in range(2):
        tasks.get()
        tasks.task_done()
        seen.append(1)


def wait():
    tasks.join()
    print(len(seen))


threads = [threading.Thread(target=each) for each in (work, wait)]
tasks.put(1)
for each in threads:
    each.start()
tasks.put(2)
for each in threads:
    each.join()
"""


@pytest.mark.parametrize("first", ["work, wait", "wait, work"])
def test_a_join_may_return_between_two_tasks(first: str, tmp_path: Path) -> None:
    path = tmp_path / "early.py"
    path.write_text(_EARLY.replace("work, wait", first))
    shown, by_dpor = explored(path, "dpor")
    assert by_dpor.complete
    assert {output for output, _ in shown} == {"0\n", "1\n", "2\n"}
