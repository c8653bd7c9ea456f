"""The figures of the patent on properties (FIG. 8, 10 to 14, 16, 17, 19 and 20) as Python programs: from one run each,
the violations that the patent states are predicted, and no others.

Each program runs with real threads, so slowly that it happens in one order; a line's comment names the event there.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from tests.conformance import test_property_figures as figures

from mazurka.predict.engines import EngineRun, run
from mazurka.predict.kinds.registry import add_property
from mazurka.program import forked
from mazurka.program.python.instrument.loader import Loader
from mazurka.program.python.opening import entry_of
from mazurka.program.python.recording.record import record
from mazurka.properties.parsing import parsed
from mazurka.trace.reading import read_trace
from mazurka.witness import PropertyViolation

#: Two threads, one after the other; then the first, which may go on while the second runs.
_TOGETHER = """
import threading, time
def together(first, second):
    threads = [threading.Thread(target=each) for each in (first, second)]
    for each in threads:
        each.start()
        time.sleep(0.05)
    for each in threads:
        each.join()
"""


def violations(program: str, text: str, folder: Path) -> set[str]:
    """The violations predicted from a recording of a program: the marks (`# mark`) of the lines of their events, in
    the order in which these happen."""
    source = _TOGETHER + textwrap.dedent(program)
    file = folder / "shop.py"
    file.write_text(source)
    marks = {n: found[1] for n, line in enumerate(source.splitlines(), 1) if (found := re.search(r"# (\w+)$", line))}
    return forked.call(lambda: _violations(file, text, marks))


def _violations(file: Path, text: str, marks: dict[int, str]) -> set[str]:
    (stated,) = parsed(text)
    out = file.parent / "recording"
    known = {"version": 1, "program": str(file), "arguments": [], "include": [], "directory": "", "python": ""}
    made = record(entry_of(str(file), ()), Loader((str(file.parent),)), out, known, properties=(stated,))
    assert made.error is None, made.error
    assert not made.untracked
    trace = read_trace(out)
    add_property(stated)
    found = set()
    search = EngineRun(trace)
    for bug in run(search, "auto", (stated.name,)):
        claim = bug.witness.claim
        assert isinstance(claim, PropertyViolation)
        assert not bug.objections
        found.add(" ".join(marks[trace.locations[int(trace.site[row])].line] for row in claim.steps))
    assert sum(stage.undecided for stage in search.stages) == 0
    return found


_COLLECTION = """
shared = []
def second():
    shared.append("B")        # five
    for _ in shared:          # six
        pass
shared.append("A")            # one
thread = threading.Thread(target=second)
thread.start()
for _ in shared:              # three
    pass
thread.join()
"""


def test_fig_8_and_10(tmp_path: Path) -> None:
    """The violating schedule 1-2-3-5-4: in Python iterator and its steps are on one line."""
    assert violations(_COLLECTION, figures._UNSAFE_ITERATOR, tmp_path) == {"three five three"}


_M = """
class Counter:
    def __init__(self):
        self.s = 0
        self.lock = threading.Lock()
    def m(self):
        one = self.s
        self.s = one + 1
counter = Counter()
def first():
    counter.m()
    counter.m()
def second():
    counter.m()
together(first, second)
"""


def _marked(program: str, *marks: tuple[str, str]) -> str:
    for line, mark in marks:
        program = program.replace(line + "\n", f"{line}  # {mark}\n")
    return program


_M_MARKS = (("    def m(self):", "m"), ("        one = self.s", "read"), ("        self.s = one + 1", "write"))


def test_fig_11_and_12(tmp_path: Path) -> None:
    """The call of the second thread comes between the read and the write of a call of the first. (As an addition in
    place: the recorder knows that the write takes place whatever number was read.)"""
    program = _M.replace("        one = self.s\n        self.s = one + 1\n", "        self.s += 1\n")
    marked = _marked(program, ("    def m(self):", "m"), ("        self.s += 1", "add"))
    assert violations(marked, figures._ATOMICITY_VIOLATION, tmp_path) == {"m add add add m"}


def test_fig_12_with_a_synchronised_method(tmp_path: Path) -> None:
    """No violation, also not from the begin of the first call to the end of the second."""
    locked = _M.replace(
        "        one = self.s\n        self.s = one + 1\n",
        "        with self.lock:\n            one = self.s\n            self.s = one + 1\n",
    )
    marks = (("    def m(self):", "m"), ("            one = self.s", "read"), ("            self.s = one + 1", "write"))
    assert violations(_marked(locked, *marks), figures._ATOMICITY_VIOLATION, tmp_path) == set()


def test_fig_13(tmp_path: Path) -> None:
    program = _marked(_M, *_M_MARKS)
    assert violations(program, figures._DATA_RACE, tmp_path) == {"read write"}


def test_fig_13_with_a_lock(tmp_path: Path) -> None:
    program = """
    class Counter:
        s = 0
    counter, lock = Counter(), threading.Lock()
    def first():
        with lock:
            counter.s = 1
    def second():
        with lock:
            counter.s
    together(first, second)
    """
    assert violations(program, figures._DATA_RACE, tmp_path) == set()


def test_fig_16(tmp_path: Path) -> None:
    """JFreeChart: listeners are added while they are notified."""
    program = """
    class Series:
        def __init__(self):
            self.listeners = [print]
        def add(self, listener):
            self.listeners.append(listener)  # add
        def fire(self):
            for listener in self.listeners:  # notify
                listener("", end="")
    series = Series()
    together(series.fire, lambda: series.add(print))
    """
    assert violations(program, figures._UNSAFE_ITERATOR, tmp_path) == {"notify add notify"}


def test_fig_17(tmp_path: Path) -> None:
    """Derby: a field is tested, and used after another thread may have set it to None."""
    program = """
    class TableDescriptor:
        def __init__(self):
            self.referenced_columns = [1]
        def names(self):
            if self.referenced_columns is None:         # test
                return []
            return self.referenced_columns[0]           # use
        def forget(self):
            self.referenced_columns = None              # forget
    table = TableDescriptor()
    together(table.names, table.forget)
    """
    text = figures._NONE_DEREFERENCE.replace("TableDescriptor.", "shop.TableDescriptor.")
    assert violations(program, text, tmp_path) == {"test forget", "use forget"}


_DATABASE = """
class Connection:
    def close(self): pass                          # close
    def create_table(self, table): pass            # create
    def delete_table(self, table): pass            # delete
    def execute(self, table, sql): pass            # update
def connect(name):                                 # open
    return Connection()                            # open
connection = connect("")
{setup}
def first():
    {first}
def second():
    {second}
together(first, second)
connection.close()
"""
_UNSAFE_DATABASE_ACCESS = figures._UNSAFE_DATABASE_ACCESS.replace("sqlite3.connect", "*.connect").replace(
    "sqlite3.Connection", "*.Connection"
)
_CREATE = 'connection.create_table("t")'
_UPDATE = 'connection.execute("t", "update t")'
_DELETE = 'connection.delete_table("t")'


def test_fig_19(tmp_path: Path) -> None:
    """The order of creation and update is left to chance."""
    program = _DATABASE.format(setup="", first=_CREATE, second=f"{_UPDATE}\n    {_DELETE}")
    assert violations(program, _UNSAFE_DATABASE_ACCESS, tmp_path) == {"open update"}


def test_fig_19_in_order(tmp_path: Path) -> None:
    program = _DATABASE.format(setup=_CREATE, first="pass", second=f"{_UPDATE}\n    {_DELETE}")
    assert violations(program, _UNSAFE_DATABASE_ACCESS, tmp_path) == set()


def test_fig_20(tmp_path: Path) -> None:
    """Derby: two threads remove a statement that both have found."""
    program = """
    cache = {"statement": 1}
    def remove():
        if cache.get("statement") is not None:      # check
            cache.pop("statement", None)            # act
    def other():
        cache.pop("statement", None)                # other
    together(remove, other)
    """
    assert violations(program, figures._CHECK_THEN_ACT, tmp_path) == {"check other act"}
