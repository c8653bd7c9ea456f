"""Accesses of objects that only one thread has touched leave nothing in the log, and what others could notice of them
is found nevertheless."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from mazurka.config import Options
from mazurka.explore.explorer import Budget, Explorer
from mazurka.explore.outcome import Outcome
from mazurka.program.protocol import Plan, Run
from mazurka.program.python.instrument import sites
from mazurka.program.runtime.task import PRIVATE_POINTS
from mazurka.workflows.program_spec import open_program, subject_of

_THREADS = """\
import copy
import threading


class Box:
    def __init__(self, x=0):
        self.x = x


shared = Box()
shared.box = None


def one():
    ONE


def two():
    TWO


threads = [threading.Thread(target=each) for each in (one, two)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of other tests in this process that notice ends of objects are no part of the programs here."""
    monkeypatch.setattr(sites, "finalizing", set())
    monkeypatch.setattr(sites, "referring_weakly", set())


def _written(folder: Path, one: str, two: str = "pass") -> Path:
    path = folder / "program.py"
    source = _THREADS.replace("ONE", one.replace("\n", "\n    ")).replace("TWO", two.replace("\n", "\n    "))
    path.write_text(source)
    return path


def _searched(folder: Path, one: str, two: str = "pass", strategy: str = "dpor") -> tuple[Outcome, Run, set[int]]:
    """The search, one more execution, and the points."""
    options = Options(strategy=strategy)
    subject = subject_of(str(_written(folder, one, two)), (), options)
    with closing(open_program(subject, options)) as program:
        program.prepare()
        outcome = Explorer(program, strategy, budget=Budget(1_000)).run()
        return outcome, program.execute(Plan()), set(program.learned.points)  # type: ignore[attr-defined]  # of Python


@pytest.mark.parametrize(
    "body",
    [
        "for each in range(100): Box(each).x += 1",
        "box = Box()\nwhile box.x < 100: box.x += 1",
        "boxes = [Box() for _ in range(100)]\nfor each in boxes: each.x, each.y = 1, each.x",
    ],
)
def test_steps(tmp_path: Path, body: str) -> None:
    outcome, run, _ = _searched(tmp_path, body, body)
    assert outcome.complete
    assert not outcome.found
    assert not [step for step in run.log if step.target[0] == "a" and step.task]  # of the threads that make boxes


@pytest.mark.parametrize("strategy", ["dpor", "mcr", "se-mcr"])
@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("box = Box(); shared.box = box; box.x = 1", "assert not shared.box or shared.box.x"),
        ("box = Box(); box.y = 0; shared.box = box; box.y = 1", "assert not shared.box or shared.box.y"),
        (
            "box = Box(); box.next = Box(); shared.box = box; box.next.x = 1",
            "assert not shared.box or shared.box.next.x",
        ),
        ("box = shared.box or Box(); box.x = 1; shared.box = box", "shared.box = box = Box(); assert not box.x"),
    ],
)
def test_published_half_made(tmp_path: Path, strategy: str, one: str, two: str) -> None:
    outcome, _, _ = _searched(tmp_path, one, two, strategy)
    assert outcome.found


def test_a_class_that_changes_meanwhile(tmp_path: Path) -> None:
    """A property of the class stands in the way of accesses that were plain before."""
    one = """\
box = Box()
for each in range(3):
    box.x
    if each == 1: Box.x = property(lambda self: setattr(shared, "x", shared.x + 1))"""
    outcome, _, _ = _searched(tmp_path, one, "before = shared.x; shared.x = before + 1; assert shared.x == before + 1")
    assert outcome.found or not outcome.complete or outcome.untracked


def test_objects_of_code_that_is_not_instrumented(tmp_path: Path) -> None:
    """It may look at parts that only their maker has touched: all accesses are logged."""
    one = "shared.box = box = Box(); box.y = 1; box.z = 2"
    _, run, points = _searched(tmp_path, one, "box = shared.box\nif box: copy.copy(box)")
    assert PRIVATE_POINTS in points or {step.target[2] for step in run.log if step.target[0] == "a"} >= {"y", "z"}
