"""Critical sections as single events of a search."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from mazurka.config import Options
from mazurka.explore.explorer import Budget, Explorer
from mazurka.program.python.instrument import sites
from mazurka.workflows.program_spec import open_program, subject_of


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of other tests in this process that run code at the ends of objects are no part of the programs here."""
    monkeypatch.setattr(sites, "RUNNING_CODE_AT_ENDS", ())


_THREADS = """\
import os
import threading
from collections import Counter, defaultdict, deque


class Box:
    n = 0


x, d, seen, counted, found = Box(), {}, [], Counter(), defaultdict(int)
x.n, line, last, names = 0, deque(), deque(maxlen=1), set()
lock, other = threading.Lock(), threading.RLock()
path = __file__ + ".txt"
file = open(path, "w")


def work(i):
    BODY


threads = [threading.Thread(target=work, args=(i,)) for i in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
file.close()
"""


def _executions(folder: Path, body: str, threads: int = 3, after: str = "", strategy: str = "dpor") -> int:
    """The executions of the search, once all points were known."""
    source = _THREADS.replace("BODY", body.replace("\n", "\n    ")) + after
    source = source.replace("THREADS", str(threads))
    path = folder / "program.py"
    path.write_text(source)
    options = Options(strategy=strategy)
    with closing(open_program(subject_of(str(path), (), options), options)) as program:
        program.prepare()
        explorer = Explorer(program, strategy, budget=Budget(500), stop_at_first=False)
        outcome = explorer.run()
        assert outcome.complete, outcome
        return len(explorer.paths)


@pytest.mark.parametrize("strategy", ["dpor", "icb-dpor"])
@pytest.mark.parametrize(
    "body",
    [
        "with lock: x.n += 1",
        "with lock: x.n -= i",
        "with other: x.n += 1",
        "with other:\n    with other: x.n += 1",
        "for _ in range(3):\n    with lock: x.n += 1",
        "with lock: d[i] = i * i",
        "for word in 'ab':\n    with lock: counted[word] += 1",
        "for word in 'ab':\n    with lock: found[word] += i",
        "with lock: d[i] = 1\nwith other: x.n += 1",
        "with lock: x.n += 1; file.write('line')",
        "with lock: x.n += 1; file.write('line'); file.flush()",
    ],
)
def test_sections_that_commute_have_no_order(tmp_path: Path, body: str, strategy: str) -> None:
    after = "assert x.n >= -99 and len(d) in (0, THREADS) and d != {9: 9} and sorted(d) != [9]\nassert d or x.n\n"
    assert _executions(tmp_path, body, 8, after, strategy) == 1


@pytest.mark.parametrize("strategy", ["dpor", "icb-dpor"])
@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("with lock: d.setdefault(i, i)", "assert dict(d) == {each: each for each in range(5)}"),
        ("with lock: d[i] = d.get(i, 0) + 1", "assert sum(d.values()) == len(d) == d[0] * 5"),
        ("with lock: found[i] += 1", "assert set(found) == {*range(5)} and max(found.values()) == found[4]"),
        ("with lock: seen.append(i)", "assert sorted(seen) == [*range(5)] and sum(seen) == 10 and len(set(seen)) == 5"),
        ("with lock: seen.append(('a', i))", "assert seen and len(seen) == 5 and min(seen) == ('a', 0)"),
        ("seen.append(i > 0)", "assert any(seen) and not all(seen)"),
        ("with lock: line.append(i)", "assert max(line) == 4 and not seen"),
        ("with lock: names.add(i)\nwith lock: names.remove(i)", "assert not names and names == {*()}"),
        ("with lock: d[i] = i\nwith lock: i in d\nwith lock: del d[i]", "assert len(d) == 0"),
    ],
)
def test_looks_without_order_show_none(tmp_path: Path, body: str, after: str, strategy: str) -> None:
    assert _executions(tmp_path, body, 5, after + "\n", strategy) <= 2  # of 120


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("with lock: x.n += 0.1", ""),  # rounding
        ("with lock: x.n = i", ""),
        ("with lock: x.n *= 2", ""),
        ("with lock: x.n += x.n", ""),
        ("with lock:\n    x.n += 1\n    seen.append(x.n)", ""),
        ("with lock: seen.append(i)", "print(seen)\n"),
        ("with lock: seen.append(i)", "assert seen != [0.5]\n"),
        ("with lock: seen.append(i)", "for each in seen: each.real\n"),
        ("with lock: seen.append(i)", "sorted(seen, key=lambda each: 0)\n"),
        ("with lock: seen.append(i)", "max(seen, key=lambda each: 0)\n"),
        ("with lock: seen.append([0.5, 1][i])", "sum(seen)\n"),
        ("with lock: seen.append({i})", "sorted(seen)\n"),
        ("with lock: seen.append(i); len(seen)", ""),
        ("with lock: seen.append(i)\nwith lock: seen.pop()", ""),
        ("with lock: last.append(i)", "len(last)\n"),
        ("with lock: names.add(i)", "print(list(names))\n"),
        ("with lock: names.add(i); len(names)", ""),
        ("with lock: names.add(0)\nwith lock: names.discard(0)", ""),
        ("with lock: names.add(i)\nwith lock: names.pop()", ""),
        ("with lock: d[i] = i", "print(list(d))\n"),
        ("with lock: d[i] = [0.5, 1][i]", "print(sorted(d.values()))\n"),
        ("with lock: d[i] = i", "print(set(d))\n"),
        ("with lock: d[i] = i", "for key in d: print(key)\n"),
        ("with lock: d[i] = len(d)", ""),
        ("with lock: globals()[f'k{i}'] = 1", "print([key for key in globals()])\n"),
        ("with lock: counted[i] += 1", "print(list(counted))\n"),
        ("with lock: counted[i] += len(counted)", ""),
        ("with lock: found['a'] += 0.1", ""),
        ("with lock: found[i] += 1; seen.append(1 - i in found)", ""),
        ("with lock: found['a'] += 1\nwith lock: found.pop('a', 0)", ""),
        ("with lock:\n    with other: x.n += 1", ""),
        ("if lock.acquire(blocking=False):\n    x.n += 1\n    lock.release()", ""),
        ("with lock: x.n += 1\nlock.locked()", ""),
        ("with lock: x.n += 1\nif not i: x.n", ""),
        ("with lock: file.write(str(i)); file.flush()", "with open(path) as read: read.read()\n"),
        ("with lock: file.write('-'); i or file.flush()", "os.path.getsize(path)\n"),
        ("with lock: file.write('-'); x.n = file.tell()", ""),
        ("with lock: i and file.close(); file.closed or file.write('-')", ""),
    ],
)
def test_others_do(tmp_path: Path, body: str, after: str) -> None:
    assert _executions(tmp_path, body, 2, after) >= 2


@pytest.mark.parametrize("strategy", ["dpor", "icb-dpor"])
@pytest.mark.parametrize(
    "body",
    ["d[i] = i", "d[i] = i\nd[i, 2] = i", "d.setdefault(i, i)", "found[i] += 1", "with lock: x.n += 1\nd[i] = i"],
)
def test_insertions_without_a_lock_have_no_order(tmp_path: Path, body: str, strategy: str) -> None:
    after = "assert len(d) in (0, THREADS, 2 * THREADS) and d != {9: 9}\n"
    assert _executions(tmp_path, body, 5, after, strategy) <= 2  # of 120, or many more


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("d[i] = i", "print(list(d))\n"),
        ("d[i] = i; seen.append(len(d))", ""),
        ("d[i] = i; d.pop(1 - i, None)", ""),
        ("d[i] = i; d.get(1 - i)", ""),
        ("d[0] = i", ""),
        ("d[i] = i\nwith lock: x.n = len(d)", ""),
        ("d[i] = i\nfor each in d: pass", ""),
        ("d[frozenset({i})] = i", "print(sorted(d))\n"),
        ("d[[2.0, float('nan')][i]] = i", "print(sorted(d))\n"),
    ],
)
def test_what_looks_at_insertions_without_a_lock_has_one(tmp_path: Path, body: str, after: str) -> None:
    assert _executions(tmp_path, body, 2, after) >= 2


_JOBS = """\
import queue, threading
jobs, lock, done, results = queue.Queue(), threading.Lock(), [0], {}
def work():
    while (job := jobs.get()) is not None:
        with lock: done[0] += 1
        results[job] = job
for job in (1, 2, 3, None, None): jobs.put(job)
threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert done == [3] and len(results) == 3
"""


def test_a_lock_is_considered_though_one_thread_does_all_in_the_first_execution(tmp_path: Path) -> None:
    path = tmp_path / "jobs.py"
    path.write_text(_JOBS)
    options = Options(strategy="dpor")
    with closing(open_program(subject_of(str(path), (), options), options)) as program:
        program.prepare()
        explorer = Explorer(program, "dpor", budget=Budget(500), stop_at_first=False)
        assert explorer.run().complete
        assert len(explorer.paths) <= 10  # 42 with the lock
