"""The programs and properties of the patent's figures, in Python, under `check`: the violations stated there, and no
others."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from tests.stated_properties import CHECK_THEN_ACT, UNSAFE_ITERATION, accesses, calls, checked, stated, word

from mazurka.properties.property import Anything, Equal, Moment, Named, PointcutKind
from mazurka.trace.patterns import Alternation, Letter, Parallel, Repetition

_START = """
threads = [threading.Thread(target=each) for each in ({bodies},)]
for each in threads: each.start()
for each in threads: each.join()
"""


def _program(source: str, *bodies: str) -> str:
    return "import threading\n" + textwrap.dedent(source) + _START.format(bodies=", ".join(bodies))


#: FIG. 11 of the patent: m() is to be atomic.
_ATOMICITY = stated(
    "atomicity-violation",
    [
        calls("begin", "shop.A.m", operands=[Named("o")]),
        accesses("read", PointcutKind.GET, "shop.A.s", operands=[Named("o")]),
        accesses("write", PointcutKind.SET, "shop.A.s", operands=[Named("o"), Anything()]),
        calls("end", "shop.A.m", operands=[Named("o")], moment=Moment.AFTER),
    ],
    word(
        Letter("begin", "t1", ("r1",)),
        Letter("read", "t1"),
        Letter("write", "t2"),
        Letter("write", "t1"),
        Letter("end", "t1", (), ("r1",)),
    ),
)

#: FIG. 12, with two calls of m().
_FIG_12 = """
class A:
    s = 0

    def __init__(self):
        self.s = 0
        self.lock = {lock}()

    def m(self):
        with self.lock:
            r1 = self.s
            r2 = r1 + 1
            self.s = r2

class Nothing:
    def __enter__(self): pass
    def __exit__(self, *raised): pass

a = A()
"""


@pytest.mark.parametrize("strategy", ["dpor", "se-mcr", "dfs"])
def test_an_atomic_region_that_is_interleaved(strategy: str, tmp_path: Path) -> None:
    """FIG. 12."""
    found = checked(_program(_FIG_12.format(lock="Nothing"), "a.m", "a.m"), tmp_path, _ATOMICITY, strategy=strategy)
    assert found.kinds == ["atomicity-violation"]
    assert [event.partition("(")[0] for _, event in found.events] == ["begin", "read", "write", "write", "end"]
    first, second = found.events[0][0], found.events[2][0]
    assert first != second
    assert [thread for thread, _ in found.events] == [first, first, second, first, first]


def test_an_atomic_region_with_a_lock(tmp_path: Path) -> None:
    found = checked(_program(_FIG_12.format(lock="threading.Lock"), "a.m", "a.m"), tmp_path, _ATOMICITY)
    assert found.verified


#: FIG. 16: listeners of JFreeChart, kept in a list.
_FIG_16 = """
class Series:
    def __init__(self):
        self.listeners = [Listener()]

    def add_change_listener(self, listener):
        self.listeners.append(listener)

    def fire_series_changed(self):
        for listener in {listeners}:
            listener.series_changed(self)

class Listener:
    def series_changed(self, event): pass

series = Series()
def add(): series.add_change_listener(Listener())
"""


@pytest.mark.parametrize(("listeners", "kinds"), [("self.listeners", ["unsafe-iteration"]), ("self.listeners[:]", [])])
def test_listeners(listeners: str, kinds: list[str], tmp_path: Path) -> None:
    """FIG. 16."""
    program = _program(_FIG_16.format(listeners=listeners), "series.fire_series_changed", "add")
    found = checked(program, tmp_path, UNSAFE_ITERATION)
    assert found.kinds == kinds
    assert found.verified is not bool(kinds)


#: FIG. 17: Derby's bug 2861.
_NULL_DEREFERENCE = stated(
    "null-pointer",
    [
        accesses("deref", PointcutKind.GET, "shop.TableDescriptor.columns", operands=[Named("o")]),
        accesses("set_null", PointcutKind.SET, "shop.TableDescriptor.columns", operands=[Named("o"), Equal(None)]),
    ],
    Parallel(Letter("deref", "t1"), Letter("set_null", "t2")),
)

_FIG_17 = """
class TableDescriptor:
    def __init__(self):
        self.columns = {{1}}
        self.lock = threading.Lock()

    def object_names(self):
        {lock}
        if self.columns is not None:
            1 in self.columns
        {unlock}

    def set_columns(self, columns):
        {lock}
        self.columns = columns
        {unlock}

table = TableDescriptor()
def clear(): table.set_columns({value})
"""

_LOCKED = {"lock": "self.lock.acquire()", "unlock": "self.lock.release()"}
_FREE = {"lock": "pass", "unlock": "pass"}


@pytest.mark.parametrize("strategy", ["mcr", "dpor", "se-mcr", "dfs"])
def test_a_reference_that_is_cleared(strategy: str, tmp_path: Path) -> None:
    """FIG. 17."""
    program = _program(_FIG_17.format(value="None", **_FREE), "table.object_names", "clear")
    assert checked(program, tmp_path, _NULL_DEREFERENCE, strategy=strategy).kinds == ["null-pointer"]


@pytest.mark.parametrize(("value", "locks"), [("None", _LOCKED), ("{2}", _FREE)])
def test_a_reference_that_is_not_cleared_at_once(value: str, locks: dict[str, str], tmp_path: Path) -> None:
    program = _program(_FIG_17.format(value=value, **locks), "table.object_names", "clear")
    assert checked(program, tmp_path, _NULL_DEREFERENCE, strategy="dpor").verified


#: FIG. 20: Derby's bug 3786.
_FIG_20 = """
cache = {{"statement": 1}}
lock = threading.Lock()

def remove():
    {lock}
    if cache.get("statement") is not None:
        cache.pop("statement", None)
    {unlock}
"""


@pytest.mark.parametrize("strategy", ["dpor", "se-mcr", "dfs"])
def test_check_then_act(strategy: str, tmp_path: Path) -> None:
    """FIG. 20."""
    found = checked(_program(_FIG_20.format(**_FREE), "remove", "remove"), tmp_path, CHECK_THEN_ACT, strategy=strategy)
    assert found.kinds == ["check-then-act"]
    assert [event.partition("(")[0] for _, event in found.events] == ["check", "act", "act"]


def test_check_then_act_with_a_lock(tmp_path: Path) -> None:
    locks = {"lock": "lock.acquire()", "unlock": "lock.release()"}
    assert checked(_program(_FIG_20.format(**locks), "remove", "remove"), tmp_path, CHECK_THEN_ACT).verified


#: FIG. 13 on an attribute.
_RACE = stated(
    "data-race",
    [
        accesses("read", PointcutKind.GET, "shop.A.s", operands=[Named("o")]),
        accesses("write", PointcutKind.SET, "shop.A.s", operands=[Named("o"), Anything()]),
    ],
    Alternation((Parallel(Letter("read", "t1"), Letter("write", "t2")), Parallel(Letter("write"), Letter("write")))),
)


@pytest.mark.parametrize(("lock", "kinds"), [("Nothing", ["data-race"]), ("threading.Lock", [])])
def test_a_data_race(lock: str, kinds: list[str], tmp_path: Path) -> None:
    """FIG. 13."""
    found = checked(_program(_FIG_12.format(lock=lock), "a.m", "a.m"), tmp_path, _RACE)
    assert found.kinds == kinds
    assert found.verified is not bool(kinds)


#: Two threads hold a lock at once.
_EXCLUSION = stated(
    "exclusion",
    [
        calls("take", "threading.Lock.acquire", operands=[Named("l")], moment=Moment.RETURNING),
        calls("free", "threading.Lock.release", operands=[Named("l")]),
    ],
    word(Repetition(Letter("free"), 0, False), Letter("take", "t1"), Letter("take", "t2")),  # no `free` in between
)


@pytest.mark.parametrize("strategy", ["mcr", "dpor", "se-mcr", "dfs"])
def test_events_of_a_lock_are_its_steps(strategy: str, tmp_path: Path) -> None:
    source = "lock = threading.Lock()\ndef use():\n    lock.acquire()\n    lock.release()\n"
    found = checked(_program(source, "use", "use", "use"), tmp_path, _EXCLUSION, strategy=strategy)
    assert found.kinds == []
    assert found.verified or strategy == "mcr"  # which is not sure of the steps of three threads that only take a lock


def test_events_at_once_are_no_earlier_ones(tmp_path: Path) -> None:
    """The write before there are threads is next to a read in the word of its object, and not at once with it."""
    source = _FIG_12.format(lock="Nothing") + "b = A()\n"
    assert checked(_program(source, "a.m", "b.m"), tmp_path, _RACE).verified
