"""Modules of the standard library are instrumented from the run on that is the first to enter them."""

from __future__ import annotations

import re
import sys
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


@pytest.mark.sampled
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
    if sys.version_info < (3, 14):  # later versions issue a warning there, which is a step
        assert done.stdout.startswith("verified")
        assert "2 executions" in done.stdout


_USER_DICT: Final = """\
    import threading
    from collections import UserDict


    class Slow(UserDict):
        def __setitem__(self, key, value):
            self.data[key] = value


    def in_two_threads(*functions):
        threads = [threading.Thread(target=each) for each in functions]
        for each in threads:
            each.start()
        for each in threads:
            each.join()


    def verified_one_key():
        kept = Slow()
        in_two_threads(lambda: kept.update([("x", 1)]), lambda: kept.update({"x": 2}))
        assert kept.data in ({"x": 1}, {"x": 2})


    def verified_with_a_lock():
        kept, lock = UserDict(), threading.Lock()

        def put(value):
            with lock:
                kept.update(a=value, b=value)

        in_two_threads(lambda: put(1), lambda: put(2))
        assert kept["a"] == kept["b"]


    def verified_get_beside_a_change():
        kept, got = Slow(x=1), []
        in_two_threads(lambda: got.append(kept.get("x", 0)), lambda: kept.update(x=2))
        assert got[0] in (1, 2)


    def violation_by_get():
        kept = Slow()
        in_two_threads(*[lambda: kept.update(x=kept.get("x", 0) + 1)] * 2)
        assert kept["x"] == 2


    def violation_by_update():
        kept, seen = Slow(), []
        in_two_threads(lambda: kept.update({"x": 1, "y": 1}), lambda: seen.append(len(kept.data)))
        assert seen[0] != 1


    def violation_by_pop():
        kept, got = UserDict(x=1), []
        in_two_threads(*[lambda: got.append(kept.pop("x", 0))] * 2)
        assert sorted(got) == [0, 1]


    def violation_by_setdefault():
        kept, got = Slow(), []
        in_two_threads(lambda: got.append(kept.setdefault("x", 1)), lambda: got.append(kept.setdefault("x", 2)))
        assert got[0] == got[1]


    def violation_by_another_dictionary():
        kept = Slow()
        in_two_threads(lambda: kept.update([("x", 1), ("y", 1)]), lambda: setattr(kept, "data", {}))
        assert len(kept.data) != 1


    def violation_by_a_change_of_the_argument():
        kept, given = Slow(), [("x", 1), ("y", 1)]
        in_two_threads(lambda: kept.update(given), lambda: given.__setitem__(slice(0, 2), [("x", 2), ("y", 2)]))
        assert kept["x"] == kept["y"]


    def violation_by_its_own_dictionary():
        kept = Slow(x=1)
        in_two_threads(lambda: kept.update(kept.data), lambda: kept.update(y=2))
    """


@pytest.mark.sampled
@pytest.mark.parametrize("strategy", ["auto", "dfs"])
@pytest.mark.parametrize("name", re.findall(r"def ((?:verified|violation)\w+)", _USER_DICT))
def test_methods_of_a_user_dict_take_several_steps(shell: Shell, name: str, strategy: str) -> None:
    shell.write("program.py", _USER_DICT)
    verdict = name.partition("_")[0]
    done = shell.run("check", f"program.py::{name}", "--strategy", strategy, status=int(verdict == "violation"))
    assert done.stdout.startswith(verdict), done.stdout
