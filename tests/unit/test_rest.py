"""Hooks at rest: an expression in the midst of which the first thread is started is not left without hooks."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mazurka.api import explore
from mazurka.program.python.instrument import rest

#: Starts a thread by way of the language that appends to a list, which the expression then looks at.
PROGRAM = """
import threading

class Lazy:
    def __init__(self):
        self.items = [1]
        self.thread = threading.Thread(target=self.items.append, args=(2,))

    @property
    def started(self):
        self.thread.start()
        return []

    def __bool__(self):
        self.thread.start()
        return True

    def __add__(self, other):
        self.thread.start()
        return []

    def __getitem__(self, key):
        self.thread.start()
        return []

    def __lt__(self, other):
        self.thread.start()
        return True

    def __format__(self, how):
        self.thread.start()
        return ""

    def __neg__(self):
        self.thread.start()
        return []

    def __iadd__(self, other):
        self.thread.start()
        return []

def scenario():
    lazy = Lazy()
    {statements}
    lazy.thread.join()
    return str(seen)
"""

STARTING = {
    "a property": "seen = lazy.started + lazy.items",
    "an operator": "seen = (lazy + 1) + lazy.items",
    "a sign": "seen = -lazy + lazy.items",
    "an item": "seen = lazy[0] + lazy.items",
    "a comparison": "seen = lazy < 1 and lazy.items[-1]",
    "truth": "seen = lazy and lazy.items[-1]",
    "a condition": "seen = lazy.items[-1] if lazy else 0",
    "a test": "seen = 1\n    if lazy and lazy.items[-1] == 2:\n        seen = 2",
    "an argument": "seen = str(lazy.started + lazy.items)",
    "in place": "box = [lazy, []]; lazy.held = lazy; lazy.held += 1; seen = lazy.held + lazy.items",
    "the owner of a method": "seen = (lazy.started + lazy.items).count(2)",
    "the owner of an item": "seen = (lazy.started + lazy.items)[-1]",
    "a value": "seen = [0]; seen[0] = lazy.started + lazy.items",
}


@pytest.mark.sampled
@pytest.mark.parametrize("way", STARTING)
def test_a_thread_started_amid_an_expression(way: str, tmp_path: Path) -> None:
    scenario = loaded(PROGRAM.replace("{statements}", STARTING[way]), tmp_path)
    outcomes: set[str] = set()
    result = explore(scenario, at_end=lambda seen: outcomes.add(str(seen)), jobs=1)
    assert result.report.complete
    assert not result.report.untracked
    assert len(outcomes) == 2


NESTED = """
import threading
from contextlib import contextmanager

class Box:
    def __init__(self):
        self.n = 0
        self.threads = []

    def __call__(self):
        self.start(self.threads)
        return self

    def start(self, threads, **named):
        def go():
            threads.append(threading.Thread(target=self.work))
            [each.start() for each in [*self.threads, *named]]
        go()

    def work(self):
        self.n += 1

@contextmanager
def running(box):
    with box.held():
        yield [each for each in (box() for _ in range(1))][0].n

class Held(Box):
    @contextmanager
    def held(self):
        yield self.n

def scenario():
    box = Held()
    with running(box) as n:
        for each in box.threads:
            each.join()
    return str(box.n + n)
"""


def test_a_thread_started_at_calls_only(tmp_path: Path) -> None:
    learned: set[int] = set()
    forking = rest.amid_expression
    scenario = loaded(NESTED, tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rest, "amid_expression", lambda frame: learned.add(forking(frame)))
        explore(scenario, jobs=1)
    assert learned == {False}


def loaded(text: str, folder: Path) -> Callable[[], object]:
    path = folder / "lazy.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("lazy", path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["lazy"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    scenario: Callable[[], object] = module.scenario
    return scenario
