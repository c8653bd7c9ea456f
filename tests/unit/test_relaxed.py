"""Python programs under TSO and PSO: the stores that are held back, the operations that drain, and the runs."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from mazurka.atomics import atomic, fence
from mazurka.explore.explorer import Budget, Explorer
from mazurka.explore.outcome import Inconclusive, Verified
from mazurka.program.memory import MemoryModel
from mazurka.program.protocol import Plan, Run
from mazurka.program.python.entry import Function
from mazurka.program.python.program import Isolation, ProgramSettings, PythonProgram

SC, TSO, PSO = MemoryModel

#: Two threads; each stores to one place and then reads the other's.
_BUFFERING = """
import threading
import mazurka

{setup}

def program():
    seen = [None, None]
    {local}
    def left():
        {nonlocal_}
        {store_a}
        {between}
        seen[0] = {read_b}
    def right():
        {nonlocal_}
        {store_b}
        {between}
        seen[1] = {read_a}
    threads = [threading.Thread(target=left), threading.Thread(target=right)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return tuple(seen)
"""


class _Recorded(PythonProgram):
    results: set[Any]

    def execute(self, plan: Plan) -> Run:
        run = super().execute(plan)
        if run.divergence is None:
            self.results.add(run.result)
        return run


def explored(source: str, folder: Path, model: MemoryModel) -> tuple[set[Any], Any]:
    """The results of ``program()`` in all runs, and the outcome."""
    path = folder / "relaxed_program.py"
    path.write_text(textwrap.dedent(source))
    sys.modules.pop("relaxed_program", None)
    settings = ProgramSettings(roots=(str(folder),), isolation=Isolation.RESTORE, memory=model)
    subject = _Recorded(Function(str(path), "program"), settings)
    subject.results = set()
    try:
        outcome = Explorer(subject, "mcr", stop_at_first=False, budget=Budget(5_000)).run()
    finally:
        subject.close()
        sys.modules.pop("relaxed_program", None)
    return subject.results, outcome


def buffering(
    setup: str,
    a: str,
    b: str,
    folder: Path,
    *,
    value: str = "1",
    between: str = "",
    local: str = "",
    nonlocal_: str = "",
) -> set[Any]:
    source = _BUFFERING.format(
        setup=setup,
        local=local or "pass",
        nonlocal_=nonlocal_ or "pass",
        between=between or "pass",
        store_a=f"{a} = {value}" if value else a,
        store_b=f"{b} = {value}" if value else b,
        read_a=a,
        read_b=b,
    )
    return explored(source, folder, TSO)[0]


_BOX = "class Box:\n    a = b = 0\nbox = Box()\n"
_SLOTS = "class Box:\n    __slots__ = ('a', 'b')\nbox = Box()\nbox.a = box.b = 0\n"
_LOCAL = "a = b = 0"


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("setup", "a", "b", "more"),
    [
        pytest.param("class Box: pass\nbox = Box()\nbox.a = box.b = 0", "box.a", "box.b", {}, id="attribute"),
        pytest.param(_BOX, "box.a", "box.b", {}, id="new attribute over the class's"),
        pytest.param(_BOX, "Box.a", "Box.b", {"value": ""}, id="no store at all"),
        pytest.param(_SLOTS, "box.a", "box.b", {}, id="slot"),
        pytest.param("a = b = 0", "a", "b", {"nonlocal_": "global a, b"}, id="global"),
        pytest.param("", "a", "b", {"local": _LOCAL, "nonlocal_": "nonlocal a, b"}, id="closure"),
        pytest.param("box = [0, 0]", "box[0]", "box[-1]", {}, id="element"),
        pytest.param("box = {'a': 0, 'b': 0}", "box['a']", "box['b']", {}, id="value"),
    ],
)
def test_plain_stores_are_held_back(setup: str, a: str, b: str, more: dict[str, str], tmp_path: Path) -> None:
    results = buffering(setup, a, b, tmp_path, **more)
    assert (0, 0) in results
    if more.get("value") != "":
        assert results == {(0, 0), (0, 1), (1, 0), (1, 1)}


@pytest.mark.parametrize(
    ("setup", "a", "b"),
    [
        pytest.param("class Box: a = b = 0", "Box.a", "Box.b", id="attribute of a class"),
        pytest.param("box = {}", "box['a']", "box['b']", id="new key"),
        pytest.param(
            "class Box:\n    a = b = 0\n    def __setattr__(self, *what): object.__setattr__(self, *what)\nbox = Box()",
            "box.a",
            "box.b",
            id="class with a __setattr__ of its own",
        ),
    ],
)
def test_other_stores_are_indivisible(setup: str, a: str, b: str, tmp_path: Path) -> None:
    source = _BUFFERING.format(
        setup=setup, local="pass", nonlocal_="pass", between="pass",
        store_a=f"{a} = 1", store_b=f"{b} = 1",
        read_a=a if "[" not in a else "box.get('a', 0)", read_b=b if "[" not in b else "box.get('b', 0)",
    )  # fmt: skip
    assert (0, 0) not in explored(source, tmp_path, PSO)[0]


@pytest.mark.parametrize(
    "between",
    ["mazurka.fence()", "with lock: pass", "queue.put(1)", "things.append(1)", "event.set()", "counter.fetch_add(1)"],
)
def test_what_synchronises_drains(between: str, tmp_path: Path) -> None:
    setup = (
        "import queue as queues\nclass Box: pass\nbox = Box()\nbox.a = box.b = 0\nlock = threading.Lock()\n"
        "queue = queues.Queue()\nthings = []\nevent = threading.Event()\ncounter = mazurka.atomic(0)"
    )
    assert buffering(setup, "box.a", "box.b", tmp_path, between=between) == {(0, 1), (1, 0), (1, 1)}


_PASSING = """
import threading
import mazurka

def program():
    data, ready = mazurka.atomic(0), mazurka.atomic(0)
    seen = []
    def send():
        data.store(1, "relaxed")
        ready.{store}
    def receive():
        if ready.load("acquire"):
            seen.append(data.load("relaxed"))
    threads = [threading.Thread(target=send), threading.Thread(target=receive)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return tuple(seen)
"""


@pytest.mark.parametrize(
    ("store", "model", "stale"),
    [
        ("store(1, 'relaxed')", SC, False),
        ("store(1, 'relaxed')", TSO, False),
        ("store(1, 'relaxed')", PSO, True),
        ("store(1, 'release')", PSO, False),
        ("store(1)", PSO, False),
        ("exchange(1, 'relaxed')", PSO, False),
    ],
)
def test_memory_orders(store: str, model: MemoryModel, stale: bool, tmp_path: Path) -> None:
    results, _ = explored(_PASSING.format(store=store), tmp_path, model)
    assert results == {(), (1,)} | ({(0,)} if stale else set())


def test_a_release_does_not_hold_up_the_thread(tmp_path: Path) -> None:
    """Under PSO it only orders stores; later loads may still come first."""
    source = _BUFFERING.format(
        setup="a, b = mazurka.atomic(0), mazurka.atomic(0)", local="pass", nonlocal_="pass", between="pass",
        store_a="a.store(1, 'release')", store_b="b.store(1, 'release')", read_a="a.load()", read_b="b.load()",
    )  # fmt: skip
    assert (0, 0) in explored(source, tmp_path, PSO)[0]


def test_an_augmented_store_is_a_read_and_a_late_store(tmp_path: Path) -> None:
    source = """
    import threading

    class Box:
        n = 0

    def program():
        box = Box()
        def add():
            box.n += 1
        threads = [threading.Thread(target=add) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return box.n
    """
    assert explored(source, tmp_path, PSO)[0] == {1, 2}


def test_a_deleted_attribute_comes_back_to_the_others_until_it_is_gone_from_memory(tmp_path: Path) -> None:
    source = """
    import threading

    class Box: pass

    def program():
        box = Box()
        box.a = 1
        box.gone = 0
        seen = []
        def remove():
            del box.a
            box.gone = 1
        def look():
            seen.append((box.gone, hasattr(box, "a")))
        threads = [threading.Thread(target=remove), threading.Thread(target=look)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return tuple(seen)
    """
    orders = {((0, True),), ((0, False),), ((1, False),)}
    assert explored(source, tmp_path, TSO)[0] == orders
    assert explored(source, tmp_path, PSO)[0] == orders | {((1, True),)}


def test_a_binding_that_cannot_be_held_back_is_named(tmp_path: Path) -> None:
    source = """
    import threading

    def program():
        seen = []
        last = 0
        def count():
            nonlocal last
            import math as last
        def look():
            seen.append(last)
        threads = [threading.Thread(target=count), threading.Thread(target=look)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return tuple(seen)
    """
    _, outcome = explored(source, tmp_path, TSO)
    assert isinstance(outcome.verdict, Inconclusive)
    assert any("binding last" in what for what in outcome.untracked)


def test_a_closure_variable_that_is_one_of_several_targets_is_held_back(tmp_path: Path) -> None:
    source = """
    import threading

    def program():
        seen = []
        last = 0
        ready = False
        def count():
            nonlocal last, ready
            last, ready = 1, True
        def look():
            if ready:
                seen.append(last)
        threads = [threading.Thread(target=count), threading.Thread(target=look)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return tuple(seen)
    """
    for model, expected in ((TSO, {(), (1,)}), (PSO, {(), (0,), (1,)})):
        results, outcome = explored(source, tmp_path, model)
        assert isinstance(outcome.verdict, Verified)
        assert results == expected


def test_atomic_objects_outside_a_check() -> None:
    x = atomic(1)
    assert x.fetch_add(2) == 1
    assert x.fetch_sub(1) == 3
    assert x.exchange(5) == 2
    assert x.compare_exchange(5, 6)
    assert not x.compare_exchange(5, 7)
    x.store(8, "release")
    assert x.load("acquire") == 8
    fence()
    with pytest.raises(ValueError, match="memory order 'acquire' is none of relaxed, release, seq_cst"):
        x.store(1, "acquire")
