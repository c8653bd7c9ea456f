"""Loops that only wait are held until a location that they read changes; loops that make progress are not."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

import pytest
from tests.in_progress import in_progress

from mazurka.program.protocol import Plan, TailPolicy
from mazurka.program.python.instrument import instrument
from mazurka.program.python.liveness.deadlock import stuck_python as stuck
from mazurka.program.python.semantics import hooks
from mazurka.program.runtime.runtime import Runtime
from mazurka.program.runtime.task import Learned, Limits


@pytest.fixture(autouse=True)
def _hooks() -> Iterator[None]:
    hooks.install()
    yield
    hooks.uninstall()


def run(source: str, *bodies: str, tail: TailPolicy = TailPolicy.STAY) -> tuple[Runtime, dict[str, Any]]:
    """Run the functions named at the same time, each until it has to wait."""
    space: dict[str, Any] = {"__name__": "m", "result": []}
    exec(instrument.instrument_source(textwrap.dedent(source), "/m.py"), space)
    running = Runtime(Plan(tail=tail), Learned(), Limits(steps=5000, passes=5000))
    running.on_stuck = stuck

    def main() -> None:
        for task in [running.fork(space[name], daemon=False) for name in bodies]:
            running.join(task)

    hooks.restart(running)
    with in_progress(running):
        running.run(main)
        hooks.finish(running)
    return running, space


WAITING = """
    class Flag: up = False
    flag, table, queue = Flag(), {}, []
    flag.up = False
    go = False
    def attribute():
        while not flag.up: pass
        result.append(1)
    def variable():
        while True:
            if go: break
        result.append(1)
    def item():
        while 'k' not in table:
            x = 5
        result.append(1)
    def elements():
        while not queue:
            for _ in queue: pass
        result.append(1)
    def nested():
        while not flag.up:
            while len(queue) > 5: pass
        result.append(1)
    def called():
        def look(): return flag.up
        while not look(): continue
        result.append(1)
    def release():
        global go
        flag.up = True
        go = True
        table['k'] = 1
        queue.append(1)
    """


@pytest.mark.parametrize("name", ["attribute", "variable", "item", "elements", "nested", "called"])
def test_a_waiting_loop_is_held_and_let_go(name: str) -> None:
    running, space = run(WAITING, name, "release")
    assert space["result"] == [1]
    assert not running.truncated
    assert not running.failures
    assert len(running.log) < 60


@pytest.mark.parametrize("name", ["attribute", "variable", "item", "elements", "nested", "called"])
def test_a_loop_that_waits_for_ever_is_a_livelock(name: str) -> None:
    running, space = run(WAITING, name)
    assert space["result"] == []
    assert [failure.kind.value for failure in running.failures] == ["livelock"]
    assert not running.truncated


def test_a_loop_that_reads_nothing_waits_for_ever() -> None:
    running, _ = run("def f():\n    while True: pass\n", "f")
    assert [failure.kind.value for failure in running.failures] == ["livelock"]


GETTING_ON = {
    "a local changes": "n = 0\nwhile n < 50:\n    n += 1",
    "an iterator gets on": "it = iter([0] * 30 + [1])\nwhile not next(it): pass",
    "an iterator gets on unseen": "it = iter([0] * 30 + [1])\nwhile True:\n    for x in it: break\n    if x: break",
    "a generator gets on": "g = (i > 30 for i in range(90))\nwhile not next(g): pass",
    "a generator with a loop is driven": "for _, x in zip(range(50), endless()): pass",
    "a method of a generator": "g = (i > 30 for i in range(90))\nwhile not g.__next__(): pass",
    "a file is read": "import io\nf = io.StringIO('a\\n' * 30)\nwhile f.readline(): pass",
    "a method bound before": "import io\nread = io.StringIO('a' * 30).read\nwhile read(1): pass",
    "a random number": "import random\nr = random.Random(5)\nwhile r.random() < 0.9: pass",
    "something written": "while len(queue) < 20: queue.append(1)",
    "something written by a call": "def more(): queue.append(1)\nwhile len(queue) < 20: more()",
    "what another loop did": "for i in range(20):\n    find(i)",
    "an exception leaves the loop": "for i in range(20):\n    try: failing()\n    except KeyError: pass",
    "a deque of its own": "from collections import deque\nq = deque([0] * 30)\nwhile q: q.pop()",
    "a local in a closure": "n = 0\ndef more():\n    nonlocal n\n    n += 1\nwhile n < 20: more()",
    "itertools": "import itertools\nc = itertools.count()\nwhile next(c) < 30: pass",
    "unpacking an iterator": "it = zip([0] * 30 + [1], [0] * 31)\nwhile True:\n    x, y = next(it)\n    if x: break",
}


@pytest.mark.parametrize("name", GETTING_ON)
def test_a_loop_that_gets_on_is_not_held(name: str) -> None:
    source = "queue = []\nflag = {'a': 1}\ndef endless():\n    while True: yield 1\n"
    source += "def find(i):\n    while True:\n        if flag['a']: return None\n"
    source += "def failing():\n    while True: flag['missing']\n"
    source += "def f():\n" + textwrap.indent(GETTING_ON[name], "    ") + "\n    result.append(1)\n"
    running, space = run(source, "f")
    assert space["result"] == [1], running.failures


def test_loops_over_endless_iterators_are_counted() -> None:
    running, _ = run("import itertools\ndef f():\n    for i in itertools.count(): pass\n", "f")
    assert "passes through loops" in running.truncated


def test_nothing_is_kept_of_loops_that_were_left() -> None:
    running, _ = run(WAITING, "attribute", "variable", "item", "nested", "release")
    assert all(not task.loops and not task.reads for task in running.tasks)
