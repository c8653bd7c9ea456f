"""Barriers: the abstract model, in which arrivals are in no order, against CPython's own code under the scheduler."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from benchmarks.differential import OpenedProgram
from tests.unit.program_modules import imported

from mazurka import api
from mazurka.program.python.primitives import barriers, locks
from mazurka.report.check_report import Verdict

HEAD = """\
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def program():
    gate, seen, own, box = threading.Barrier(2), [], ([], [], []), [0]
"""

#: Body of a program -> whether its barrier is run abstractly, to the end.
PROGRAMS = {
    "a round": (
        "def work():\n    seen.append(1)\n    gate.wait()\n    seen.append(2)\nrun(work, work)\nreturn seen",
        True,
    ),
    "two rounds": (
        """
        def work(mine):
            box[0] += 1
            gate.wait()
            mine.append(box[0])
            gate.wait()
            box[0] -= 1
        run(lambda: work(own[0]), lambda: work(own[1]))
        return [*map(list, own)], box[0]
        """,
        True,
    ),
    "numbers": (
        "run(lambda: own[0].append(gate.wait()), lambda: own[1].append(gate.wait()))\nreturn [*map(list, own)]",
        True,
    ),
    "numbers by another name": (
        """
        wait = gate.wait
        def work(mine):
            gate.wait()
            mine.append(wait())
        run(lambda: work(own[0]), lambda: work(own[1]))
        return [*map(list, own)]
        """,
        True,
    ),
    "as a target": ("run(gate.wait, gate.wait)\nreturn seen", True),
    "more threads than parties": (
        """
        def work(mine):
            gate.wait()
            box[0] += 1
            mine.append(box[0])
        run(*[lambda mine=mine: work(mine) for mine in own])
        return [*map(list, own)]
        """,
        True,
    ),
    "more threads, of which one comes last": (
        """
        def work(mine):
            gate.wait()
            mine.append(1)
        def late():
            if own[0]:
                gate.wait()
        run(lambda: work(own[0]), lambda: work(own[1]), late)
        return [*map(list, own)]
        """,
        True,
    ),
    "one that waits for ever": ("run(lambda: [gate.wait(), gate.wait()] and None, lambda: gate.wait())", True),
    "one is enough": (
        "one = threading.Barrier(1)\ndef work():\n    one.wait()\n    box[0] += 1\nrun(work, work)\nreturn box[0]",
        True,
    ),
    "a look when alone": (
        "def work():\n    gate.wait()\nrun(work, work)\nreturn gate.n_waiting, gate.broken, gate.parties",
        True,
    ),
    "a look": (
        "def work():\n    gate.wait()\nrun(work, work, lambda: seen.append(gate.n_waiting))\nreturn seen",
        False,
    ),
    "broken": (
        """
        def work():
            try:
                gate.wait()
            except threading.BrokenBarrierError:
                box[0] += 1
        run(work, work, gate.abort)
        return box[0]
        """,
        False,
    ),
    "an action": (
        "gate = threading.Barrier(2, lambda: box.append(1))\nrun(gate.wait, gate.wait)\nreturn box[0]",
        False,
    ),
    "a limit": (
        """
        def work():
            try:
                gate.wait(1)
            except threading.BrokenBarrierError:
                seen.append(1)
        run(work, work)
        return seen
        """,
        False,
    ),
    "the condition": (
        """
        def look():
            with gate._cond:
                box[0] += 1
        def work():
            gate.wait()
        run(work, work, look)
        return box[0]
        """,
        False,
    ),
}


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    with imported(tmp_path, monkeypatch, "barrier_program", HEAD) as made:
        yield made


def outcomes(module: Any, strategy: str, abstractly: set[bool] | None = None) -> tuple[set[str], set[str]]:
    """The results of the program, and its failures; ``abstractly`` gets whether the model ran a barrier to the end."""
    seen: set[str] = set()

    def at_end(value: object) -> None:
        seen.add(repr(value))
        if abstractly is not None:
            abstractly.add(bool(locks.guarded))

    result = api.explore(module.program, strategy=strategy, all_failures=True, jobs=1, at_end=at_end)
    assert result.report.complete, result.report.reason
    return seen, {each.failure.kind.name for each in result.failures}


@pytest.mark.sampled
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_as_cpythons_own_code(name: str, load: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    body, abstract = PROGRAMS[name]
    module, abstractly = load(body), set[bool]()
    found = {strategy: outcomes(module, strategy, abstractly) for strategy in ("mcr", "se-mcr", "dpor", "dfs")}
    with monkeypatch.context() as patched:
        patched.setattr(barriers, "_begin", lambda models, thing: None)
        expected = outcomes(module, "dpor")
    assert found == dict.fromkeys(found, expected)
    assert abstractly <= {abstract}


#: Statements that drawn programs are made of.
_STATEMENTS = (*["gate.wait()"] * 4, "mine.append(gate.wait())", "box[0] += 1", "mine.append(box[0])", "box[0] *= 2")


def drawn(seed: int) -> str:
    """The body of a program whose threads use a barrier."""
    chance = random.Random(seed)
    threads = chance.choice((2, 2, 3))
    statements = _STATEMENTS if chance.random() < 0.3 else [each for each in _STATEMENTS if each != _STATEMENTS[4]]
    lines = [f"gate = threading.Barrier({chance.choice((2, threads))})"]
    for thread in range(threads):
        lines += [f"def work{thread}(mine=own[{thread}]):"]
        lines += ["    " + chance.choice(statements) for _ in range(chance.choice((2, 3)))]
    return "\n".join(
        [*lines, f"run({', '.join(f'work{thread}' for thread in range(threads))})", "return [*map(list, own)], box[0]"]
    )


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(16))
def test_drawn_programs_have_the_outcomes_of_cpythons_own_code(
    seed: int, load: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = load(drawn(seed))
    found = {strategy: outcomes(module, strategy) for strategy in ("mcr", "dpor")}
    with monkeypatch.context() as patched:
        patched.setattr(barriers, "_begin", lambda models, thing: None)
        expected = outcomes(module, "dpor")
    assert found == dict.fromkeys(found, expected), drawn(seed)


def test_phases_are_verified(load: Any) -> None:
    """CPython's own code, where each thread takes the lock, has 6,048 traces of this."""
    module = load(
        """
        gate, data = threading.Barrier(3), [0] * 3
        def work(number):
            data[number] = number + 1
            gate.wait()
            total = sum(data)
            gate.wait()
            seen.append(total)
        run(*[lambda number=number: work(number) for number in range(3)])
        assert seen == [6, 6, 6]
        """
    )
    result = api.explore(module.program, jobs=1)
    assert result.verdict is api.Verdict.VERIFIED, str(result)
    assert result.executions < 20  # the last step has six orders


def test_one_that_waits_for_ever_is_told_apart_by_words(load: Any) -> None:
    result = api.explore(load("run(lambda: gate.wait())").program, jobs=1)
    assert "waits for Barrier `gate`" in str(result)
    assert result.failures[0].witness is not None


def test_what_a_deadlock_unwinds_teaches_nothing(load: Any) -> None:
    """While threads that are stuck are ended, one of them comes to the barrier."""
    module = load(
        """
        def stuck():
            try:
                gate.wait()
            finally:
                gate.wait()
        run(stuck)
        """
    )
    result = api.explore(module.program, jobs=1, strategy="dpor", all_failures=True)
    assert result.verdict is api.Verdict.VIOLATION
    assert result.executions == 1


BARRIER = """\
import threading

barrier = threading.Barrier(2)
seen = []


def arrive():
    seen.append(barrier.wait())


def look():
    seen.append(barrier.n_waiting)


for each in (arrive, look):
    threading.Thread(target=each).start()
seen.append(barrier.wait())
"""

QUEUE = """\
import queue
import threading

items = queue.Queue()
seen = []


def take():
    items.get()


def look():
    seen.append(items.qsize())


for each in (take, look):
    threading.Thread(target=each).start()
items.put(1)
"""


@pytest.mark.parametrize("text", [BARRIER, QUEUE], ids=["barrier", "queue"])
def test_a_run_in_which_the_model_is_given_up_does_not_count(text: str, tmp_path: Path) -> None:
    """`OpenedProgram` forgets what earlier strategies have learnt: a thread is in a call by the model when another one
    looks at the state for the first time (number 5738 of the random programs)."""
    path = tmp_path / "program.py"
    path.write_text(text)
    with closing(OpenedProgram(path, 2_000)) as program:
        assert {program.reached(strategy).verdict for strategy in ("dfs", "dpor", "auto")} == {Verdict.VERIFIED}
