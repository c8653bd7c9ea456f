"""Appends of one value by several threads to a list are no steps, as long as no other step could see their order."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent, indent

import pytest

from mazurka.explore.explorer import Explorer
from mazurka.explore.outcome import Outcome, Verified, Violation
from mazurka.program.protocol import Plan
from mazurka.program.python.entry import Script
from mazurka.program.python.instrument.instrument import instrument_source
from mazurka.program.python.program import ProgramSettings, PythonProgram
from mazurka.program.runtime.task import CLOCKS_APART

_HEAD = """
import threading

def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()

def main():
"""

#: Programs that fail in some order.
FAILING = {
    "length": """
        a = []
        def first():
            a.append(1)
        def second():
            assert not len(a)
        run(first, second)
    """,
    "length before the append": """
        a = []
        def first():
            assert a
        def second():
            a.append(1)
        run(second, first)
    """,
    "another value": """
        a = []
        run(lambda: a.append(1), lambda: a.append(2))
        assert a == [1, 2]
    """,
    "another value, of those that are equal": """
        a = []
        run(lambda: a.append(1), lambda: a.append(True))
        assert a[0] is not True
    """,
    "another value later": """
        a = []
        def first():
            a.append(1)
            a.append(2)
        def second():
            a.append(1)
        run(first, second)
        assert a[1] == 1
    """,
    "another one by another site": """
        a = []
        def first():
            a.append(1)
        def second():
            a.insert(0, 2)
            a.append(1)
        run(first, second)
        assert a[0] == 2 and len(a) == 3 and a[2] == 1
        assert a == [2, 1, 1]
        assert False
    """,
    "taken out": """
        a = []
        def first():
            a.append(1)
        def second():
            if a:
                a.pop()
        run(first, second)
        assert a
    """,
    "iterated over": """
        a = [0]
        def first():
            a.append(1)
        def second():
            assert sum(a) == 0
        run(first, second)
    """,
    "an iterator made before": """
        a = [0]
        i = iter(a)
        def first():
            a.append(1)
        def second():
            next(i)
            assert next(i, None) is None
        run(first, second)
    """,
    "shown": """
        a = []
        def first():
            a.append(1)
        def second():
            assert f"{a}" == "[]"
        run(first, second)
    """,
    "in another container": """
        import json
        a = []
        b = {"a": (a,)}
        def first():
            a.append(1)
        def second():
            assert json.dumps(b) == '{"a": [[]]}'
        run(first, second)
    """,
    "copied": """
        import copy
        a = []
        def first():
            a.append(1)
        def second():
            assert copy.deepcopy({1: a}) == {1: []}
        run(first, second)
    """,
    "replaced": """
        class Box:
            items = []
        def first():
            Box.items.append(1)
        def second():
            Box.items = []
            Box.items.append(1)
        run(first, second)
        assert len(Box.items) == 1
    """,
    "cleared": """
        a = []
        def first():
            a.append(1)
        def second():
            a.clear()
        run(first, second)
        assert a
    """,
    "extended": """
        a = []
        def first():
            a.append(1)
        def second():
            a.extend([2])
        run(first, second)
        assert a == [1, 2]
    """,
    "a bound method": """
        a = []
        def first():
            a.append(1)
        def second():
            add = a.append
            add(2)
        run(first, second)
        assert a == [1, 2]
    """,
    "a map": """
        a = []
        def first():
            a.append(1)
        def second():
            list(map(a.append, [2]))
        run(first, second)
        assert a == [1, 2]
    """,
    "under a lock": """
        import threading
        a, lock = [], threading.Lock()
        def first():
            with lock:
                a.append(1)
        def second():
            with lock:
                assert not a
        run(first, second)
    """,
    "a loop that waits": """
        import threading
        a = []
        done = False
        def first():
            nonlocal done
            a.append(1)
            done = True
        def second():
            if done:
                a.append(1)
        run(first, second)
        assert len(a) == 1
    """,
    "a loop that fills": """
        a = []
        done = False
        def first():
            nonlocal done
            done = True
        def second():
            for _ in range(3):
                if done:
                    break
                a.append(1)
        run(first, second)
        assert len(a) == 3
    """,
    "before the join": """
        import threading
        a = []
        one = threading.Thread(target=lambda: a.append(1))
        one.start()
        assert not a
        one.join()
    """,
    "a daemon": """
        import threading
        a = []
        def outer():
            inner = threading.Thread(target=lambda: a.append(1), daemon=True)
            inner.start()
        run(outer, lambda: None)
        assert not a
    """,
    "the values of an order": """
        a, b = [], []
        def first():
            a.append(1)
            b.append(1)
        def second():
            if len(b) == 1:
                a.append(1)
        run(first, second)
        assert len(a) == 1
    """,
    "the state that a thread leaves": """
        a = []
        n = 0
        def work():
            nonlocal n
            a.append(True)
            n = n + 1
        run(work, work)
        assert n == len(a)
    """,
}

#: Correct programs, and how many executions they need at most.
CORRECT = {
    "results": (
        1,
        """
        seen = []
        run(lambda: seen.append(True), lambda: seen.append(True))
        assert seen == [True, True]
        """,
    ),
    "before and after": (
        1,
        """
        seen = [3]
        assert len(seen) == 1
        run(lambda: seen.append("a"), lambda: seen.append("a"))
        seen.insert(0, 5)
        run(lambda: seen.append("a"), lambda: seen.append("a"))
        assert seen == [5, 3, "a", "a", "a", "a"]
        """,
    ),
}


def _explored(folder: Path, source: str, strategy: str) -> Outcome:
    path = folder / "program.py"
    path.write_text(_HEAD + indent(dedent(source), "    ") + "\nmain()\n")
    program = PythonProgram(Script(str(path), [], instrument_source), ProgramSettings(roots=(str(folder),)))
    try:
        program.prepare()
        program.learned.points.add(CLOCKS_APART)
        outcome = Explorer(program, strategy, learned=program.learned.points).run()
        for found in outcome.found:  # also while values are recorded
            program.learned.points.intersection_update(found.points)
            assert program.execute(Plan(found.schedule, detail=True)).failures
        return outcome
    finally:
        program.close()


@pytest.mark.sampled
@pytest.mark.parametrize("strategy", ["mcr", "dpor"])
@pytest.mark.parametrize("name", FAILING)
def test_orders_of_appends_are_explored(name: str, strategy: str, tmp_path: Path) -> None:
    assert isinstance(_explored(tmp_path, FAILING[name], strategy).verdict, Violation)


@pytest.mark.parametrize("strategy", ["mcr", "dpor"])
@pytest.mark.parametrize("name", CORRECT)
def test_appends_of_one_value_have_no_orders(name: str, strategy: str, tmp_path: Path) -> None:
    most, source = CORRECT[name]
    outcome = _explored(tmp_path, source, strategy)
    assert isinstance(outcome.verdict, Verified)
    assert outcome.executions <= most
