"""Accesses that no other thread notices leave nothing in the models of a run."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from mazurka.causal.history import History
from mazurka.config import Options
from mazurka.explore.thread_models.labelled_runs import LabelledRun
from mazurka.program.protocol import Access, Plan, Run
from mazurka.trace.event import Op
from mazurka.trace.own_accesses import is_own_access
from mazurka.workflows.program_spec import open_program, subject_of

SITE = 7
ITEM = ("i", 5, 0)
OWN = (0, Op.READ, ITEM, SITE, False, None, (Access(Op.READ, ("s", 5)),))
SHARED: list[Any] = [
    (0, Op.WRITE, ("a", 5, "x"), SITE, True, None, ()),
    (0, Op.READ, ("a", 5, "x"), SITE, True, None, ()),
]


@pytest.mark.parametrize(
    ("op", "target", "site", "more", "own"),
    [
        (Op.READ, ITEM, SITE, (), True),
        (Op.READ, ITEM, SITE, (Access(Op.READ, ("s", 5)),), True),
        (Op.READ, ITEM, SITE, (Access(Op.RMW, ("s", 5)),), True),
        (Op.READ, ITEM, SITE, (Access(Op.RMW, ("o", 5)),), False),
        (Op.READ, ITEM, SITE, (Access(Op.READ, ("lock", "0#1")),), False),
        (Op.WRITE, ITEM, SITE, (), True),
        (Op.WRITE, ("g", "m", "x"), SITE, (), False),
        (Op.READ, ("queued", "0#1", 0), SITE, (), False),
        (Op.READ, ITEM, 0, (), False),
    ],
)
def test_it_is_an_access_of_data_at_a_site(op: Op, target: Any, site: int, more: tuple[Access, ...], own: bool) -> None:
    assert is_own_access(op, target, site, more) is own


def test_the_state_of_a_thread_does_not_depend_on_its_own_accesses() -> None:
    with_read = History(["0"], [SHARED[0], OWN, SHARED[1]])
    without = History(["0"], SHARED)
    assert with_read.signature() == without.signature()
    assert with_read.reads == [(), (), ((SHARED[0][2], 0),)]
    assert ITEM not in with_read.looks


BOXES = """
import threading
class Box:
    def __init__(self):
        self.x = 0
class Holder:
    def __init__(self):
        self.box = Box()
holders = [Holder(), Holder()]
total = 0
def work(number):
    global total
    box = holders[number].box
    box.x = number
    box.y = box.x + 1
    total += box.y
threads = [threading.Thread(target=work, args=(number,)) for number in (0, 1)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


def test_values_that_are_recorded_make_no_difference(tmp_path: Path) -> None:
    (tmp_path / "boxes.py").write_text(BOXES)
    options = Options(strategy="mcr")
    with closing(open_program(subject_of(str(tmp_path / "boxes.py"), (), options), options)) as program:
        program.prepare()
        for _ in range(3):  # until all points are known
            program.execute(Plan())
        some, all_of_them = [program.execute(Plan(keys=True, arguments=wanted)) for wanted in (False, True)]
    assert len(some.log) < len(all_of_them.log)
    assert _model(some).signature() == _model(all_of_them).signature()
    assert LabelledRun(some).histories() == LabelledRun(all_of_them).histories()


def _model(run: Run) -> History:
    return History(run.tasks, run.entries(), run.blocked)
