"""An event before an operation of several rows takes place once the operation begins, also if its first rows give other
values than in the trace. The trace does not show how such an operation goes on, so the search may not refute it."""

from __future__ import annotations

from pathlib import Path

from mazurka.causal.solver import Infeasible, Unknown
from mazurka.predict.property_search import PropertySearch, Verdict
from mazurka.properties.parsing import parsed
from mazurka.trace.reading import read_trace
from mazurka.witness import Witness

_EARLY = """
property early(o):
    event act(o): before call act(o)
    event note(o): call note(o)
    pattern: act(t1) note(t2)
"""


def verdicts(folder: Path, *rows: str) -> list[Verdict]:
    """The answers to all candidates; a row is a thread, an operation, a target, a value and a location."""
    file = folder / "trace.csv"
    file.write_text("\n".join(["thread,op,target,value,location", *rows, ""]))
    trace = read_trace(file)
    (stated,) = parsed(_EARLY)
    search = PropertySearch(trace, stated.stated)
    return [search.decide(candidate) for several in search.groups().values() for candidate in several]


_WROTE = ("T1,point,early.note(1),,p:1", "T1,write,x,1,p:2")


def test_the_first_row_may_give_another_value(tmp_path: Path) -> None:
    operation = ("T2,read,x,1,p:3", "T2,read,y,0,p:3", "T2,point,early.act(1)^,,p:3")
    (answer,) = verdicts(tmp_path, *_WROTE, *operation)
    assert isinstance(answer, Unknown)


def test_an_operation_of_one_row(tmp_path: Path) -> None:
    (answer,) = verdicts(tmp_path, *_WROTE, "T2,read,x,1,p:3", "T2,point,early.act(1)^,,p:3")
    assert isinstance(answer, Witness)


def test_an_operation_whose_first_row_comes_too_late(tmp_path: Path) -> None:
    """It depends on the value read before it, which is written after the other event."""
    operation = ("T2,read,z,1,p:4", "T2,read,x,1,p:3", "T2,read,y,0,p:3", "T2,point,early.act(1)^,,p:3")
    found = verdicts(tmp_path, *_WROTE, "T1,write,z,1,p:2", *operation)
    assert all(isinstance(answer, Infeasible) for answer in found)


def test_an_operation_whose_last_row_gives_another_value(tmp_path: Path) -> None:
    operation = ("T2,read,y,0,p:3", "T2,read,x,1,p:3", "T2,point,early.act(1)^,,p:3")
    (answer,) = verdicts(tmp_path, *_WROTE, *operation)
    assert isinstance(answer, Witness)
