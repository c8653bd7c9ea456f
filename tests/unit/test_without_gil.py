"""Which operations that threads share are one step on interpreters without a global lock, too."""

from __future__ import annotations

import sys
import sysconfig
import textwrap
from collections.abc import Iterator
from typing import Any

import pytest
from tests.in_progress import in_progress

from mazurka.program.protocol import Plan
from mazurka.program.python.instrument import instrument
from mazurka.program.python.semantics import hooks, without_gil
from mazurka.program.runtime.runtime import Runtime
from mazurka.program.runtime.task import Learned

_SETUP = """
import collections, random, re
class P: pass
p = P(); p.x = 1
n = 1
d, l, s, q = {"a": 1, "b": 2}, [3, 1, 2], {1, 2}, collections.deque([1, 2])
o, c = collections.OrderedDict(a=1), collections.Counter("ab")
chance, handed = random.Random(1), (each for each in range(9))
"""


@pytest.fixture(autouse=True)
def _hooks() -> Iterator[None]:
    hooks.install()
    yield
    hooks.uninstall()


def lines(statement: str) -> list[int]:
    """The lines of steps that take place in parts, if two threads execute a statement."""
    space: dict[str, Any] = {"__name__": "m"}
    body = "def body():\n    global n, l, s\n" + textwrap.indent(statement, "    ")
    exec(instrument.instrument_source(_SETUP + body, "/m.py"), space)
    running = Runtime(Plan(), Learned())

    def main() -> None:
        for _ in range(2):
            running.join(running.fork(space["body"], daemon=False))

    hooks.restart(running)
    with in_progress(running):
        running.run(main)
        found = [site for _, site in without_gil.divisible(running)]
        hooks.finish(running)
    return found


@pytest.mark.parametrize(
    "statement",
    [
        "p.x += 1",
        "n += 1",
        "d['a'] += 1",
        "d['c'] = d.get('c', 0) + len(d)",
        "d.setdefault('z', 1); d.pop('z', None)",
        "d['e'] = 1; d.copy(); d.clear()",
        "for key in d.copy(): d['a'] = key in d",
        "del d['a']; d['a'] = 1",
        "if l: l[0] = 1",
        "l[0] = l[1]",
        "l.append(len(l))",
        "l.append(1); l.copy(); l.clear()",
        "for each in l: l[0] = each",
        "s.add(7); s.discard(7)",
        "q.append(1); q.popleft()",
    ],
)
def test_one_step(statement: str) -> None:
    assert lines(statement) == []


@pytest.mark.parametrize(
    "statement",
    [
        "l.sort()",
        "l.insert(0, 1)",
        "l.pop(0)",
        "del l[0]",
        "l += [1]",
        "l *= 2",
        "l.reverse()",
        "l.append(1); l == [1]",
        "s |= {7}",
        "d.update({'y': 1})",
        "l.append(1); 9 in l",
        "l.append(1); l.index(1)",
        "l.extend([1, 2])",
        "l.append(1); sorted(l)",
        "l[0:2] = [5, 6]",
        "o['b'] = 1",
        "c['a'] += 1",
        "chance.random()",
        "next(handed)",
    ],
)
def test_several(statement: str) -> None:
    assert lines(statement)


def test_this_interpreter() -> None:
    free = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    assert without_gil.has_lock() == (not free or sys.flags.gil == 1)
