"""``mcr-s+`` from the command line and from Python: counters are left out, unless code looks at them."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

_CACHE = """\
import threading


class Cache:
    def __init__(self):
        self.requests = 0
        self.value = None

    def get(self):
        self.requests += 1
        if self.value is None:
            self.requests += 1
            self.value = 42
        return self.value


cache = Cache()


def main():
    threads = [threading.Thread(target=cache.get) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return cache


if __name__ == "__main__":
    main()
"""

#: Combinations of values that are read in it.
_ALL = 23

_EXPLORING = """\
from functools import partial

from mazurka.api import explore
from program import main

looks = (None, id, partial(print, end=""), lambda cache: None)
print(*(explore(main, strategy="mcr-s+", at_end=look).executions for look in looks))
"""

_LOOKING = """
def few(cache):
    assert cache.requests < 4

print(len(explore(main, strategy="mcr-s+", at_end=few).failures))
"""


def _executions(shell: Shell, source: str, strategy: str, *options: str, status: int = 0) -> int:
    report = shell.check(source, "--strategy", strategy, "--jobs", "1", "--all-failures", *options, status=status)
    executions: int = report["executions"]
    return executions


def test_orders_that_differ_in_a_counter_only_are_left_out(shell: Shell) -> None:
    assert _executions(shell, _CACHE, "mcr") == _ALL
    assert _executions(shell, _CACHE, "mcr-s") == _ALL
    assert _executions(shell, _CACHE, "mcr-s+") == 3


@pytest.mark.parametrize("looking", ["assert cache.requests > 0", "print(vars(cache))", "import pickle"])
def test_unless_the_program_looks_at_it_or_may(shell: Shell, looking: str) -> None:
    assert _executions(shell, f"{_CACHE}    {looking}\n", "mcr-s+") >= _ALL


def test_or_the_invariant_does(shell: Shell) -> None:
    assert _executions(shell, _CACHE, "mcr-s+", "--invariant", "cache.requests < 4", status=1) >= _ALL


def test_or_somebody_may_who_is_not_instrumented(shell: Shell) -> None:
    assert _explored(shell, _EXPLORING) == f"3 {_ALL} {_ALL} 3\n"


def test_or_the_caller_does(shell: Shell) -> None:
    """Whatever function of its module it has look at the end: another one there may be what looks."""
    assert _explored(shell, _EXPLORING + _LOOKING) == f"3 {_ALL} {_ALL} {_ALL}\n1\n"


def _explored(shell: Shell, source: str) -> str:
    """The output of a script that explores the program."""
    shell.write("program.py", _CACHE)
    command = [sys.executable, str(shell.write("exploring.py", source))]
    done = subprocess.run(command, env=shell.variables(), capture_output=True, text=True, check=False, timeout=60)
    assert not done.stderr
    return done.stdout
