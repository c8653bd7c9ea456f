"""Operations of semaphores as parts of the events beside them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from mazurka.config import Options
from mazurka.explore.explorer import Budget, Explorer
from mazurka.workflows.program_spec import open_program, subject_of

_THREADS = """\
import threading

s, t, bounded = threading.Semaphore(2), threading.Semaphore(0), threading.BoundedSemaphore(2)
lock, done, active, n = threading.Lock(), [], set(), 0


def work(i):
    global n
    BODY


threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
for thread in threads:
    thread.start()
AFTER
for thread in threads:
    thread.join()
"""


def _executions(folder: Path, body: str, after: str = "") -> tuple[int, int]:
    """The executions of the search, once all points were known, and its failures."""
    path = folder / "program.py"
    path.write_text(_THREADS.replace("BODY", body.replace("\n", "\n    ")).replace("AFTER", after))
    options = Options(strategy="dpor")
    with closing(open_program(subject_of(str(path), (), options), options)) as program:
        program.prepare()
        outcome = Explorer(program, "dpor", budget=Budget(5_000), stop_at_first=False).run()
        outcome = Explorer(program, "dpor", budget=Budget(5_000), stop_at_first=False).run()
    assert outcome.complete
    return outcome.executions, len(outcome.found)


_COUNT = "with lock: n += 1"


@pytest.mark.parametrize(
    ("body", "after", "executions"),
    [
        (f"with s:\n    {_COUNT}", "", 1),
        (f"with bounded:\n    {_COUNT}", "", 1),
        (f"with s:\n    {_COUNT}\n    {_COUNT}", "", 30),  # releases that follow each other have no order
        ("with s:\n    with lock: active.add(i); assert len(active) < 3\n    with lock: active.remove(i)", "", 30),
        (f"{_COUNT}\nt.release()", "for _ in range(3): t.acquire()", 16),
        ("with lock:\n    n += 1\n    t.release()", "for _ in range(3): t.acquire()", 16),
    ],
)
def test_operations_are_parts_of_events(tmp_path: Path, body: str, after: str, executions: int) -> None:
    assert _executions(tmp_path, body, after) == (executions, 0)


@pytest.mark.parametrize(
    ("body", "after", "failures"),
    [
        ("with s:\n    with lock: active.add(i); assert len(active) < 2\n    with lock: active.remove(i)", "", 1),
        ("with s: done.append(i)\nassert s._value > 1", "", 1),
        ("with s: done.append(i)\nif not s.acquire(blocking=False): raise ValueError", "", 1),
        ("if i == 2: bounded.release()\nelse:\n    with bounded: done.append(i)", "", 1),
        ("s.acquire()\n" + _COUNT, "", 1),  # a deadlock
        ("with s: n += 1", "with s:\n    with s:\n        with t: pass", 1),  # left when the execution is given up
        ("s.acquire()\nlock.acquire()\nif i == 2: t.acquire()\nlock.release()\ns.release()\nt.release()", "", 1),
    ],
)
def test_what_tells_the_number_of_permits_is_found(tmp_path: Path, body: str, after: str, failures: int) -> None:
    found, shown = _executions(tmp_path, body, after)
    assert found > 1
    assert shown >= failures
