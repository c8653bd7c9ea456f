"""Features of newer versions of Python, among threads."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

_START = """\
import threading
import warnings

def main(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
"""

#: By the version that programs need: the rest of a program -> its verdict.
_PROGRAMS: dict[tuple[int, int], dict[str, tuple[str, str]]] = {
    (3, 11): {
        "filters of warnings": (
            """
def work():
    with warnings.catch_warnings(action="ignore"):
        warnings.warn("x")
work()
main(work)
""",
            "inconclusive",
        ),
    },
    (3, 14): {
        "other interpreters": (
            """
from concurrent import interpreters
def work():
    interpreters.create().exec("x = 1")
main(work, work)
""",
            "inconclusive",
        ),
        "queues of other interpreters": (
            """
from concurrent import interpreters
queue = interpreters.create_queue()
main(lambda: queue.put(1), lambda: queue.put(2))
""",
            "inconclusive",
        ),
        "a condition that is asked whether it is locked": (
            """
condition = threading.Condition()
def hold():
    with condition:
        pass
def ask():
    assert not condition.locked()
main(hold, ask)
""",
            "violation",
        ),
    },
    (3, 15): {
        "a name that is resolved where it is first used": (
            """
lazy from helper import change, value
def use():
    assert value == 1
main(lambda: change(), use)
""",
            "inconclusive",
        ),
        "a name that is only read": (
            """
lazy from helper import value
def use():
    assert value == 1
main(use, use)
""",
            "verified",
        ),
        "a generator in parts": (
            """
parts = [[1], [2]]
handed = (*each for each in parts)
main(lambda: next(handed), lambda: next(handed))
""",
            "violation",
        ),
        "the same behind a lock": (
            """
handed = threading.serialize_iterator(*each for each in [[1], [2]])
main(lambda: next(handed), lambda: next(handed))
""",
            "verified",
        ),
        "a mapping that nobody can change": (
            """
fixed = frozendict(a=1, b=[])
def use():
    assert fixed["a"] == 1 and "c" not in fixed and list(fixed) == ["a", "b"]
main(use, use)
""",
            "verified",
        ),
        "a list in such a mapping": (
            """
fixed = frozendict(seen=[])
def use():
    fixed["seen"].append(len(fixed["seen"]))
main(use, use)
assert fixed["seen"] == [0, 1]
""",
            "violation",
        ),
    },
}


@pytest.mark.parametrize("name", [n for since, found in _PROGRAMS.items() if since <= sys.version_info for n in found])
def test_programs(shell: Shell, name: str) -> None:
    rest, expected = next(found[name] for found in _PROGRAMS.values() if name in found)
    shell.write("helper.py", "value = 1\n\ndef change():\n    global value\n    value = 2\n")
    shell.write("program.py", _START + rest)
    done = shell.run("check", "program.py")
    assert done.stdout.partition(":")[0] == expected, done.stdout + done.stderr
