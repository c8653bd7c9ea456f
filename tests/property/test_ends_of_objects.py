"""Which of two threads ends an object, and so runs code of the program, is explored: all strategies reach the outcomes
of ``dfs``, and a file that only an earlier check used costs nothing."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from benchmarks.differential import difference, loaded_module, reached

from mazurka.config import Options
from mazurka.explore.explorer import Budget, Explorer
from mazurka.workflows.program_spec import open_program, subject_of

_STRATEGIES = ("dpor", "mcr", "se-mcr", "ncmc", "dpor-rf", "auto")

#: What both threads do in the program, the objects before that, and the classes.
_FINALISER = "class Counted:\n    def __del__(self):\n        box.n += 1\n"
_ASSIGNED = "class Counted: pass\nCounted.__del__ = lambda self: counted()\n"
_WEAK = "import weakref\nclass Plain: pass\n"
_GENERATOR = "def held():\n    try:\n        yield\n    finally:\n        box.n += 1\n"
_COROUTINE = (
    "class Wait:\n    def __await__(self): yield\n"
    "async def held():\n    try:\n        await Wait()\n    finally:\n        box.n += 1\n"
)
_SLOT = f"{_FINALISER}class Slot:\n    __slots__ = ('kept',)\n"

_PROGRAMS: dict[str, tuple[str, str, str]] = {
    "an attribute": (_FINALISER, "box.kept = Counted()", "box.kept = None"),
    "an attribute by name": (_FINALISER, "box.kept = Counted()", "setattr(box, 'kept', None)"),
    "an attribute by the dictionary": (_FINALISER, "box.kept = Counted()", "vars(box).update(kept=None)"),
    "a slot": (_SLOT, "s = Slot(); s.kept = Counted()", "s.kept = None"),
    "an attribute of a class": (_FINALISER, "Box.kept = Counted()", "Box.kept = None"),
    "a global": (_FINALISER, "global G; G = Counted()", "global G; G = None"),
    "a closure variable": (_FINALISER, "k = Counted()", "nonlocal k; k = None"),
    "an element": (_FINALISER, "l = [Counted()]", "l[0] = None"),
    "a slice": (_FINALISER, "l = [Counted()]", "l[:] = []"),
    "a cleared list": (_FINALISER, "l = [Counted()]", "l.clear()"),
    "a key": (_FINALISER, "d = {1: Counted()}", "d[1] = None"),
    "an updated dictionary": (_FINALISER, "d = {1: Counted()}", "d.update({1: 2})"),
    "a key removed": (_FINALISER, "d = {1: Counted()}", "d.pop(1, None)"),
    "a full deque": (f"from collections import deque\n{_FINALISER}", "q = deque([Counted()], 1)", "q.append(1)"),
    "a partial function": (
        f"from functools import partial\n{_FINALISER}",
        "box.kept = partial(print, Counted())",
        "box.kept = 0",
    ),
    "a finaliser assigned to its class": (_ASSIGNED, "box.kept = Counted()", "box.kept = None"),
    "a callback": (_WEAK, "box.kept = Plain(); r = weakref.ref(box.kept, counted)", "box.kept = None"),
    "weakref.finalize": (_WEAK, "box.kept = Plain(); r = weakref.finalize(box.kept, counted)", "box.kept = None"),
    "a generator": (_GENERATOR, "box.kept = held(); next(box.kept)", "box.kept = None"),
    "a coroutine": (_COROUTINE, "box.kept = held(); box.kept.send(None)", "box.kept = None"),
}


def _source(before: str, setup: str, does: str) -> str:
    lines = ["import threading", "class Box: pass", "box = Box()", "def counted(*_):", "    box.n += 1", before]
    lines += ["def scenario():", "    box.n = 0", *(f"    {part}" for part in setup.split("; "))]
    body = [f"        {part}" for part in does.split("; ")]
    lines += ["    def other():", *body, "    def mine():", *body, "        return box.n"]
    lines += ["    thread = threading.Thread(target=other)", "    thread.start()", "    seen = mine()"]
    return "\n".join([*lines, "    thread.join()", "    return repr((seen, box.n))"]) + "\n"


@pytest.mark.sampled
@pytest.mark.parametrize("name", _PROGRAMS)
def test_which_thread_ends_an_object_is_explored(name: str, tmp_path: Path) -> None:
    scenario = loaded_module(_source(*_PROGRAMS[name]), tmp_path).scenario
    known = reached(scenario, "dfs")
    assert known.returned == {repr("(0, 1)"), repr("(1, 1)")}  # main may go on while the other thread counts
    for strategy in _STRATEGIES:
        found = reached(scenario, strategy)
        assert difference(found, known) == "", strategy
        assert found.returned == known.returned, strategy  # also where the thread that lets go last is untracked


_SCRIPT = """\
import threading
class Counted:
{body}
class Box: pass
box = Box()
box.kept = Counted()
box.n = 0
def store():
    box.kept = None
threads = [threading.Thread(target=store) for _ in range(3)]
for each in threads: each.start()
for each in threads: each.join()
"""


def _executions(folder: Path, name: str, body: str) -> int:
    (path := folder / f"{name}.py").write_text(_SCRIPT.format(body=body))
    options = Options(strategy="mcr")
    with closing(open_program(subject_of(str(path), (), options), options)) as program:
        outcome = Explorer(program, "mcr", budget=Budget(100)).run()
    return outcome.executions


def test_stores_are_no_looks_in_a_program_after_one_with_finalisers(tmp_path: Path) -> None:
    """The file of the other one has been instrumented in this process, too, but nothing is left of it."""
    pairs = [(_executions(tmp_path, f"ends{n}", _COUNTS), _executions(tmp_path, f"plain{n}", _IDLE)) for n in (1, 2, 1)]
    assert pairs == [(ending := pairs[0][0], 1)] * 3
    assert ending > 1


_COUNTS, _IDLE = "    def __del__(self): box.n += 1", "    pass"
