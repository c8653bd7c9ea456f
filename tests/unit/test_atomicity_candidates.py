"""Pairs of accesses that are no atomic region, and reads of a container that are no iteration."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from mazurka.predict.kinds.atomicity import candidates
from mazurka.trace.reading import read_trace

_WAITER: Final = """
A,acquire,lock,m,,s.py:1
A,read,{kind},{name},,{place}
{wait}
A,read,{kind},{name},,{place}
A,release,lock,m,,s.py:1
"""
_CHANGER: Final = """
B,acquire,lock,m,,s.py:7
B,{change},{kind},{name},,s.py:8:5
B,release,lock,m,,s.py:7
"""

#: How the waits of a condition are recorded, and what is none.
_WAITS: Final = {
    "wait": ["A,wait,cond,c,,s.py:3", "A,release,lock,m,,s.py:3", "B", "A,acquire,lock,m,,s.py:3"],
    "with a time limit": [
        *("A,rmw,hidden,c w,,s.py:3", "A,release,lock,m,,s.py:3", "B"),
        *("A,rmw,hidden,c w,,s.py:3", "A,acquire,lock,m,,s.py:3"),
    ],
}
_OTHERS: Final = {
    "another section": ["A,release,lock,m,,s.py:1", "B", "A,acquire,lock,m,,s.py:4"],
    "a notification": ["A,rmw,hidden,c w,,s.py:3", "A,release,lock,m,,s.py:1", "B", "A,acquire,lock,m,,s.py:4"],
}


def _candidates(folder: Path, between: list[str], kind: str, name: str, place: str) -> list[tuple[int, ...]]:
    change = "write" if kind == "var" else "rmw"
    changer = _CHANGER.format(change=change, kind=kind, name=name).strip().split("\n")
    wait = "\n".join(line for each in between for line in (changer if each == "B" else [each]))
    rows = _WAITER.format(kind=kind, name=name, place=place, wait=wait).strip()
    file = folder / "trace.csv"
    file.write_text(f"thread,op,kind,target,value,location\n{rows}\n")
    return [tuple(each) for each in candidates(read_trace(file), False)]


@pytest.mark.parametrize("how", _WAITS)
@pytest.mark.parametrize(("kind", "name"), [("var", "ready"), ("structure", "deque#1")])
def test_no_pair_across_a_wait(how: str, kind: str, name: str, tmp_path: Path) -> None:
    assert _candidates(tmp_path, _WAITS[how], kind, name, "s.py:2:9") == []


@pytest.mark.parametrize("how", _OTHERS)
def test_pairs_across_anything_else(how: str, tmp_path: Path) -> None:
    assert len(_candidates(tmp_path, _OTHERS[how], "var", "ready", "s.py:2:9")) == 1
    assert _candidates(tmp_path, _OTHERS[how], "structure", "deque#1", "s.py:2:9") == []


def _resizings(folder: Path, rows: list[str]) -> int:
    file = folder / "trace.csv"
    file.write_text("thread,op,kind,target,value,location\n" + "\n".join(rows) + "\n")
    return len(list(candidates(read_trace(file), False)))


def test_an_iteration_reads_at_once_in_one_place(tmp_path: Path) -> None:
    begin, step = "A,read,structure,dict#1,,s.py:2:9", "A,read,structure,dict#1,,s.py:2:9"
    change = "B,rmw,structure,dict#1,,s.py:8:5"
    assert _resizings(tmp_path, [begin, step, change]) == 1
    assert _resizings(tmp_path, [begin, "A,read,item,dict#1[1],,s.py:2:9", step, change]) == 1
    assert _resizings(tmp_path, [begin, "A,write,var,x,,s.py:3", step, change]) == 0  # `while not d: x = 1`
    assert _resizings(tmp_path, [begin, change, step]) == 0  # it went on after the change
    assert _resizings(tmp_path, [each.replace("2:9", "2") for each in (begin, step)] + [change]) == 0  # a truth test
