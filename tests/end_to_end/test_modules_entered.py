"""Modules of the standard library are instrumented from the run on that is the first to enter them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

#: Both threads change the parser only if they took turns in one order, which no trial run tries.
_LATE = """\
    import configparser
    import threading

    turns = []
    parser = configparser.ConfigParser()
    parser.add_section("main")


    def work(me):
        for _ in range(2):
            turns.append(me)
        if turns[:4] == [1, 0, 1, 0]:
            parser.set("main", "key", str(me))


    def main():
        threads = [threading.Thread(target=work, args=(each,)) for each in (0, 1)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    """

_CHECKED = """\
        assert parser.get("main", "key", fallback="1") == "1"
    """


@pytest.mark.parametrize("options", ["", "--strategy dfs", "--strategy se-mcr", "--jobs 2", "--isolation fork"])
def test_by_some_order_only(shell: Shell, options: str) -> None:
    shell.write("program.py", _LATE)
    done = shell.run("check", "program.py::main", *options.split(), status=0)
    assert done.stdout.startswith("verified"), done.stdout


@pytest.mark.parametrize("strategy", ["auto", "dfs", "random"])
def test_a_failure_is_replayed(shell: Shell, strategy: str) -> None:
    """The executions that simplify the failure's schedule teach points that the failing one did not have."""
    shell.write("program.py", _LATE + _CHECKED)
    done = shell.run("check", "program.py::main", "--strategy", strategy, status=1)
    assert done.stdout.startswith("violation: AssertionError")
    (saved,) = (shell.folder / ".mazurka" / "failures").glob("*.json")
    assert "AssertionError" in shell.run("replay", str(saved), status=1).stdout


_MARKS: Final = """\
    import asyncio
    import threading


    class Thing:
        pass


    def main(marks=True):
        thing, found = Thing(), []

        def ask():
            found.append(asyncio.iscoroutinefunction(thing))

        def mark():
            if marks:
                thing._is_coroutine = asyncio.coroutines._is_coroutine
            ask()

        threads = [threading.Thread(target=each) for each in (ask, mark)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert not found[0] or found == [True, True]
        assert found.count(True) < (2 if marks else 1)


    def unmarked():
        main(False)
    """


@pytest.mark.parametrize("strategy", ["auto", "dfs"])
def test_to_ask_for_a_coroutine_function_reads_its_attributes_only(shell: Shell, strategy: str) -> None:
    shell.write("program.py", _MARKS)
    shell.run("check", "program.py::main", "--strategy", strategy, status=1)
    done = shell.run("check", "program.py::unmarked", "--strategy", "mcr", status=0)
    assert done.stdout.startswith("verified")
    assert "2 executions" in done.stdout
