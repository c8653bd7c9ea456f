"""Threads that change parts of one thing, at which another thread looks as a whole: every strategy sees each outcome.

A write of a part leaves the other parts as they were, so what a look shows depends on all writes before it, not only on
the last one. The expected outcomes follow from the programs.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from benchmarks.differential import OpenedProgram
from tests.oracle.shown_outcomes import explored

#: What is shared, what the threads 0 and 1 do, and what the main thread prints meanwhile.
CHANGED = {
    "long list": ("a = [0] * 100", "a[{i}] = 1", "sum(a)"),
    "large dictionary": ("a = dict.fromkeys(range(100), 0)", "a[{i}] = 1", "sum(a.values())"),
    "many lists": ("a = [[0] for _ in range(1_200)]", "a[{i}][0] = 1", "sum(sum(a, []))"),
    "object with many attributes": (
        "class A: pass\na = A()\nfor k in range(100): setattr(a, f'x{k}', 0)",
        "a.x{i} = 1",
        "sum(vars(a).values())",
    ),
    "class with many attributes": (
        "class A: pass\nfor k in range(100): setattr(A, f'x{k}', 0)",
        "A.x{i} = 1",
        "sum(value for name, value in dict(vars(A)).items() if name in ('x0', 'x1'))",
    ),
    "folder": ("d = tempfile.mkdtemp()", "os.mkdir(f'{d}/{i}')", "len(os.listdir(d))"),
    "file": (
        "d = tempfile.mkdtemp()\nf = open(f'{d}/f', 'ab', buffering=0)",
        "f.write(b'1')",
        "os.path.getsize(f'{d}/f')",
    ),
    "environment": ("n = len(os.environ)", "os.environ['MZ_{i}'] = ''", "len(os.environ) - n"),
}

#: What is shared, what thread 0 does, how thread 1 makes it large, and what it prints then.
GROWN = {
    "items": ("a = {0: 0}", "a[0] = 1", "for k in range(1, 80): a[k] = 0", "sum(a.values())"),
    "defaults": ("a = {0: 0}", "a[0] = 1", "for k in range(1, 80): a.setdefault(k, 0)", "sum(a.values())"),
    "updates": ("a = {0: 0}", "a[0] = 1", "a.update(dict.fromkeys(range(1, 80), 0))", "sum(a.values())"),
    "iterator": ("a = {0: 0}", "a[0] = 1", "a.update((k, 0) for k in range(1, 80))", "sum(a.values())"),
    "missing": ("a = defaultdict(int, {0: 0})", "a[0] = 1", "for k in range(1, 80): a[k]", "sum(a.values())"),
    "list": ("a = [0]", "a[0] = 1", "a.extend([0] * 80)", "sum(a)"),
    "attributes": (
        "class A: pass\na = A()\na.x = 0",
        "a.x = 1",
        "vars(a).update({f'x{k}': 0 for k in range(80)})",
        "sum(vars(a).values())",
    ),
}

HEAD = "import os, tempfile, threading\nfrom collections import defaultdict\n"


def outcomes(path: Path, strategy: str) -> set[str]:
    shown, outcome = explored(path, strategy)
    assert outcome.complete
    assert not any(failures for _, failures in shown)
    return {output.strip() for output, _ in shown}


@pytest.mark.parametrize("strategy", ["dfs", "dpor", "mcr", "se-mcr"])
@pytest.mark.parametrize("what", CHANGED)
def test_a_look_at_the_whole_shows_all_parts(tmp_path: Path, what: str, strategy: str) -> None:
    head, change, look = CHANGED[what]
    threads = "".join(f"def t{i}(): {change.replace('{i}', str(i))}\n" for i in range(2))
    start = "for t in (t0, t1): threading.Thread(target=t).start()\n"
    path = tmp_path / "program.py"
    path.write_text(f"{HEAD}{head}\n{threads}{start}print({look})\n")
    assert outcomes(path, strategy) == {"0", "1", "2"}


def test_what_becomes_large_has_no_race_by_that(tmp_path: Path) -> None:
    """The items that thread 1 adds are not the one that thread 0 replaces."""
    path = tmp_path / "program.py"
    grow = "def t0(): a[0] = 1\ndef t1():\n    for k in range(1, 80): a[k] = 0\n"
    path.write_text(f"{HEAD}a = {{0: 0}}\n{grow}for t in (t0, t1): threading.Thread(target=t).start()\n")
    with closing(OpenedProgram(path, with_races=True)) as program:
        assert {program.reached(strategy).races for strategy in ("dfs", "mcr", "dpor")} == {frozenset()}


@pytest.mark.parametrize("strategy", ["icb", "dpor", "mcr", "se-mcr"])
@pytest.mark.parametrize("how", GROWN)
def test_what_becomes_large_keeps_its_history(tmp_path: Path, how: str, strategy: str) -> None:
    head, change, grow, look = GROWN[how]
    threads = f"def t0(): {change}\ndef t1():\n    {grow}\n    print({look})\n"
    start = "for t in (t0, t1): threading.Thread(target=t).start()\n"
    path = tmp_path / "program.py"
    path.write_text(f"{HEAD}{head}\n{threads}{start}")
    assert outcomes(path, strategy) == {"0", "1"}
