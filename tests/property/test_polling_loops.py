"""Threads that poll a variable may miss the value that they wait for, and poll for ever: all strategies find the same
livelocks."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest
from benchmarks.differential import OpenedProgram, Reached, difference
from tests.drawn import some_of
from tests.oracle.polling_programs import polling_program
from tests.unit.c_programs import explored, opened

#: Programs in all; ``make test-long`` asks for more.
_PROGRAMS = {"long": 1_000}.get(os.environ.get("HYPOTHESIS_PROFILE", ""), some_of(24))
_EXECUTIONS = 1_500

_STRATEGIES = ("mcr", "mcr-s+", "dpor-rf", "dpor")

_SCRIPT = """\
import threading, time
class State: x = y = 0
def poll():
    while not {}
def hide(): {}
def show(): {}
for target in (poll, hide, show{}): threading.Thread(target=target).start()
"""

_LIVELOCKS = {
    "a variable": ("State.x: pass", "State.x = 0", "State.x = 7", ""),
    "with sleeps": ("State.x: time.sleep(0.01)", "State.x = 0", "State.x = 7", ""),
    "two variables": ("(State.x or State.y): pass", "State.y = 0", "State.y = 7", ""),
    "two threads": ("State.x: pass", "State.x = 0", "State.x = 7", ", poll"),
}

_IN_C = """
#include <sched.h>
#include <stdatomic.h>
atomic_int f;
void *poll(void *unused) { (void)unused; while (!f) sched_yield(); return 0; }
void *hide(void *unused) { (void)unused; f = 0; return 0; }
void *show(void *unused) { (void)unused; f = 7; return 0; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, hide, 0);
    pthread_create(&thread, 0, show, 0);
    pthread_create(&thread, 0, poll, 0);
    pthread_join(thread, 0);
    return 0;
}
"""


def _compared(text: str, folder: Path) -> tuple[Reached, list[str]]:
    file = folder / "program.py"
    file.write_text(text)
    with closing(OpenedProgram(file, _EXECUTIONS)) as program:
        known = program.reached("dfs")
        if not known.complete:
            return known, []
        return known, [f"{name}: {told}" for name in _STRATEGIES if (told := difference(program.reached(name), known))]


@pytest.mark.parametrize("name", _LIVELOCKS)
def test_a_thread_polls_for_ever(name: str, tmp_path: Path) -> None:
    known, differences = _compared(_SCRIPT.format(*_LIVELOCKS[name]), tmp_path)
    assert {kind for kind, *_ in known.failures} == {"livelock"}
    assert differences == []


@pytest.mark.parametrize("strategy", _STRATEGIES)
def test_a_thread_in_c_polls_for_ever(strategy: str, tmp_path: Path) -> None:
    outcome = explored(opened(tmp_path, _IN_C), strategy)
    assert {each.failure.kind.value for each in outcome.found} == {"livelock"}


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(_PROGRAMS))
def test_random_programs_with_threads_that_poll(seed: int, tmp_path: Path) -> None:
    assert _compared(polling_program(seed), tmp_path)[1] == []
