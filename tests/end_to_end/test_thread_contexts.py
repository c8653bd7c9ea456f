"""The context of variables that a thread runs in, and that each use of it is seen."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

_START = """\
import contextvars
import threading

lock = threading.Lock()
variable = contextvars.ContextVar("variable", default=0)
variable.set(5)
seen = []

def look():
    seen.append(variable.get())

def pause():
    with lock:
        pass
    with lock:
        pass

def main(*functions, **named):
    threads = [threading.Thread(target=each, **named) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
"""


def verdict(shell: Shell, program: str) -> tuple[str, str]:
    shell.write("program.py", _START + program)
    first, _, rest = shell.run("check", "program.py").stdout.partition(":")
    return first, rest


def test_a_thread_begins_with_an_empty_context(shell: Shell) -> None:
    assert verdict(shell, "main(look, look); assert seen == [0, 0]")[0] == "verified"


if sys.version_info >= (3, 14):

    def test_a_thread_runs_in_the_context_that_it_is_given(shell: Shell) -> None:
        program = "main(look, context=contextvars.copy_context()); assert seen == [5]"
        assert verdict(shell, program)[0] == "verified"

    def test_a_context_that_two_threads_run_in(shell: Shell) -> None:
        said, how = verdict(shell, "main(pause, pause, context=contextvars.copy_context())")
        assert said == "violation"
        assert "is already entered" in how

    def test_a_context_looked_at_while_a_thread_runs_in_it(shell: Shell) -> None:
        program = """
def change():
    variable.set(1)
    pause()
    variable.set(2)

def ask():
    assert context.get(variable) != 1

context = contextvars.Context()
threads = [threading.Thread(target=change, context=context), threading.Thread(target=ask)]
for each in threads:
    each.start()
for each in threads:
    each.join()
"""
        assert verdict(shell, program)[0] != "verified"

    def test_a_context_asked_once_the_thread_has_ended(shell: Shell) -> None:
        program = """
context = contextvars.copy_context()
main(lambda: variable.set(7), context=context)
assert context[variable] == 7
"""
        assert verdict(shell, program)[0] == "verified"

    def test_a_thread_that_inherits_its_context(shell: Shell) -> None:
        inheriting = replace(shell, environment={"PYTHON_THREAD_INHERIT_CONTEXT": "1"})
        assert verdict(inheriting, "main(look, look); assert seen == [5, 5]")[0] == "verified"
