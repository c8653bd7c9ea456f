"""Operations of semaphores as parts of events: on random programs whose threads take permits and give them back,
``dpor`` reaches the outcomes of ``dfs``.

A part of the programs breaks the discipline on which it rests; see tests/oracle/semaphore_programs.py.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.oracle.semaphore_programs import drawn_with_semaphores
from tests.oracle.shown_outcomes import compare_dpor, explored

_LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
_PROGRAMS = 3_000 if _LONG else 16


def _programs(folder: Path) -> Iterator[tuple[int, Path]]:
    for number in range(_PROGRAMS):
        path = folder / f"semaphores_{number}.py"
        path.write_text(drawn_with_semaphores(number))
        yield number, path


@pytest.mark.slow
def test_dpor_reaches_all_outcomes(tmp_path: Path) -> None:
    compared, before, after = compare_dpor(_programs(tmp_path))
    assert compared > _PROGRAMS // 3
    assert after < before / 2


#: Two producers and two consumers, who wait for each other at every item: an acquire that has to wait comes first only
#: if all that follows the event before it is left out, accesses of the same list included.
_BUFFER = """\
import threading
from collections import deque

empty, full, lock, items, got = threading.Semaphore(1), threading.Semaphore(0), threading.Lock(), deque(), []


def put(name):
    for number in range(2):
        empty.acquire()
        with lock:
            items.append((name, number))
        full.release()


def get():
    for _ in range(2):
        full.acquire()
        with lock:
            item = items.popleft()
        empty.release()
        got.append(item)


threads = [threading.Thread(target=put, args=(name,)) for name in "ab"]
threads += [threading.Thread(target=get) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(got)
"""


def test_an_acquire_that_waits_comes_before_all_that_it_depends_on(tmp_path: Path) -> None:
    path = tmp_path / "buffer.py"
    path.write_text(_BUFFER)
    shown, outcome = explored(path, "dpor")
    by_values, _ = explored(path, "mcr")
    assert outcome.complete
    assert len(by_values) == 18
    assert shown.keys() == by_values.keys()
