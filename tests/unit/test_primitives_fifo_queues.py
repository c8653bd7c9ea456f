"""Queues: the abstract model, in which a step takes a place, against CPython's own code under the scheduler."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.program_modules import imported

from mazurka import api
from mazurka.program.python.primitives import fifo_queues, locks

HEAD = """\
import queue
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def program():
    q, few, seen, own = queue.Queue(), queue.Queue(1), [], ([], [], [])
"""

#: Body of a program -> whether its queues are run abstractly, to the end.
PROGRAMS = {
    "two that get": (
        "run(lambda: own[0].append(q.get()), lambda: own[1].append(q.get()), lambda: [q.put(1), q.put(2)])\nreturn own",
        True,
    ),
    "two that put": ("run(lambda: q.put(1), lambda: q.put(2))\nreturn q.get(), q.get()", True),
    "one that waits for ever": ("run(lambda: seen.append(q.get()), lambda: q.get(), lambda: q.put(1))", True),
    "room for one": (
        "run(lambda: [few.put(1), few.put(2), seen.append(3)], lambda: seen.append(few.get()))\nreturn seen",
        True,
    ),
    "no room": ("run(lambda: few.put(1), lambda: few.put(2))", True),
    "room for two": (
        """
        two = queue.Queue(2)
        run(lambda: [two.put(n) for n in range(3)], lambda: own[0].append(two.get()), lambda: own[1].append(two.get()))
        return own, two.get()
        """,
        True,
    ),
    "items from before": ("q.put(0)\nrun(lambda: own[0].append(q.get()), lambda: q.put(1))\nreturn own, q.get()", True),
    "tasks that are done": (
        """
        def work():
            q.get()
            seen.append(1)
            q.task_done()
        run(lambda: [q.put(1), q.join(), own[0].append(len(seen))], work)
        return own
        """,
        True,
    ),
    "a task that is never done": ("run(lambda: [q.put(1), q.join()], lambda: q.get())", True),
    "done by another": (
        "run(lambda: [q.put(1), seen.append(q.get())], lambda: seen and q.task_done())\nreturn seen",
        False,
    ),
    "done too often": ("run(lambda: q.put(1), lambda: q.task_done())", False),
    "a look when alone": (
        "run(lambda: q.put(1), lambda: q.put(2))\nreturn q.qsize(), q.empty(), q.full(), list(q.queue)",
        True,
    ),
    "got when alone": ("run(lambda: q.put(1))\nreturn q.get_nowait(), few.put_nowait(1), few.full()", True),
    "a look": ("run(lambda: q.put(1), lambda: seen.append(q.empty()))\nreturn seen", False),
    "items seen": ("run(lambda: q.put(1), lambda: seen.append(len(q.queue)))\nreturn seen", False),
    "items seen by another name": (
        "items = q.queue\nrun(lambda: q.put(1), lambda: seen.append(len(items)))\nreturn seen",
        False,
    ),
    "without waiting": (
        """
        def get():
            try:
                q.get_nowait()
            except queue.Empty:
                seen.append(1)
        run(lambda: q.put(1), get)
        return seen
        """,
        False,
    ),
    "the lock": (
        """
        def look():
            with q.mutex:
                seen.extend([q.unfinished_tasks, q.unfinished_tasks])
        run(lambda: q.put(1), look)
        return seen
        """,
        False,
    ),
    "the lock, got before": (
        """
        lock, space = q.mutex, vars(q)
        def look():
            with lock:
                seen.extend([space["unfinished_tasks"], space["unfinished_tasks"]])
        run(lambda: q.put(1), look)
        return seen
        """,
        False,
    ),
    "a condition's lock, by the dictionary": (
        """
        condition = vars(q)["not_full"]
        def look():
            condition.acquire()
            seen.append(few.qsize())
            condition.release()
        run(lambda: q.put(1), look)
        return seen
        """,
        False,
    ),
    "the last in": (
        "own = queue.LifoQueue()\nrun(lambda: [own.put(1), own.put(2)], lambda: seen.append(own.get()))\nreturn seen",
        False,
    ),
}


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    with imported(tmp_path, monkeypatch, "queue_program", HEAD) as made:
        yield made


def outcomes(module: Any, strategy: str = "mcr", abstractly: set[bool] | None = None) -> tuple[set[str], set[str], int]:
    """The results of the program, its failures, and the number of executions; ``abstractly`` gets whether some queue
    was run by the model to the end."""
    seen: set[str] = set()

    def at_end(value: object) -> None:
        seen.add(repr(value))
        if abstractly is not None:
            abstractly.add(bool(locks.guarded))

    result = api.explore(module.program, strategy=strategy, all_failures=True, jobs=1, at_end=at_end)
    assert result.report.complete, result.report.reason
    return seen, {each.failure.kind.name for each in result.failures}, result.executions


@pytest.mark.sampled
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_as_cpythons_own_code(name: str, load: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    body, abstract = PROGRAMS[name]
    module, abstractly = load(body), set[bool]()
    by_strategy = {
        strategy: outcomes(module, strategy, abstractly)[:2] for strategy in ("mcr", "se-mcr", "dpor", "dfs")
    }
    with monkeypatch.context() as patched:
        patched.setattr(fifo_queues, "_begin", lambda models, thing: None)
        expected = outcomes(module)[:2]
    assert by_strategy == dict.fromkeys(by_strategy, expected)
    assert abstractly <= {abstract}


#: Statements that drawn programs are made of.
_STATEMENTS = (
    *["{q}.put('{name}')"] * 5,
    *["seen.append({q}.get())"] * 4,
    *["seen.append({q}.get()); {q}.task_done()"] * 2,
    *["box[0] += 1", "seen.append(box[0])", "{q}.join()", "seen.append({q}.empty())"],
)


def drawn(seed: int) -> str:
    """The body of a program whose threads use two queues."""
    chance = random.Random(seed)
    lines = ["box, few = [0], queue.Queue(2)"]
    for thread in "abc"[: chance.choice((2, 2, 3))]:
        lines += [f"def {thread}(seen=own[{'abc'.index(thread)}]):"]
        for n in range(chance.choice((2, 3))):
            name = chance.choice(("q", "q", "few"))
            lines.append("    " + chance.choice(_STATEMENTS).format(q=name, name=f"{thread}{n}"))
    threads = ", ".join(line[4] for line in lines if line.startswith("def"))
    return "\n".join([*lines, f"run({threads})", "return own, box, q.qsize()"])


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(8))
def test_drawn_programs_have_the_outcomes_of_cpythons_own_code(
    seed: int, load: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = load(drawn(seed))
    found = {strategy: outcomes(module, strategy)[:2] for strategy in ("mcr", "dpor")}
    with monkeypatch.context() as patched:
        patched.setattr(fifo_queues, "_begin", lambda models, thing: None)
        expected = outcomes(module, "dpor")[:2]
    assert found == dict.fromkeys(found, expected), drawn(seed)


def test_workers_with_a_queue_of_jobs_are_verified(load: Any) -> None:
    """CPython's own code, where each operation takes the lock, has more than 7,000 classes of this."""
    module = load(
        """
        lock = threading.Lock()
        def work():
            while (job := q.get()) is not None:
                with lock:
                    seen.append(job * job)
                q.task_done()
        threads = [threading.Thread(target=work) for _ in range(2)]
        for each in threads:
            each.start()
        for job in (1, 2, 3, None, None):
            q.put(job)
        for each in threads:
            each.join()
        assert sorted(seen) == [1, 4, 9]
        """
    )
    result = api.explore(module.program, jobs=1)
    assert result.verdict is api.Verdict.VERIFIED, str(result)
    assert result.executions < 100


def test_one_that_waits_for_ever_is_told_apart_by_words(load: Any) -> None:
    result = api.explore(load("run(lambda: q.get(), lambda: q.put(1), lambda: q.get())").program, jobs=1)
    assert "an item in Queue `q`" in str(result)
    assert result.failures[0].witness is not None


@pytest.mark.parametrize("strategy", ["dpor", "mcr"])
def test_what_a_deadlock_unwinds_teaches_nothing(load: Any, strategy: str) -> None:
    """While threads that are stuck are ended, CPython's own code puts an item into the queue."""
    module = load(
        """
        first, second = threading.Lock(), threading.Lock()
        def stuck(one, other):
            with one, other:
                pass
        threads = [threading.Thread(target=stuck, args=args) for args in ((first, second), (second, first))]
        threads.append(threading.Thread(target=lambda: seen.append(q.get())))
        for each in threads:
            each.start()
        try:
            threads[0].join()
            threads[1].join()
        finally:
            q.put(1)
        threads[2].join()
        """
    )
    result = api.explore(module.program, jobs=1, strategy=strategy, all_failures=True)
    assert result.verdict is api.Verdict.VIOLATION
    assert result.executions <= 3  # with CPython's own code for the queue there are more orders
