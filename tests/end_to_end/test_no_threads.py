"""Where no threads are started there is nothing to verify, and a file that only defines functions runs none of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

_TESTS = """\
    import threading

    LIMIT = 2


    def test_race():
        number = 0

        def work():
            nonlocal number
            number += 1

        threads = [threading.Thread(target=work) for _ in range(LIMIT)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert number == LIMIT
    """


def test_a_file_that_only_defines_functions(shell: Shell) -> None:
    report = shell.check(_TESTS, status=5)
    assert report["verdict"] == "inconclusive"
    assert report["reason"] == (
        "no threads were started: the file only defines functions; check program.py::test_race, for example"
    )
    shell.run("check", "program.py::test_race", status=1)


def test_a_program_without_threads(shell: Shell) -> None:
    shell.write("program.py", "print(sum(range(10)))\n")
    said = shell.run("check", "program.py", status=5).stdout
    assert "no threads were started: there is nothing to explore" in said
    assert "verified" not in said


def test_a_session_of_pytest_says_which_tests_start_no_threads(shell: Shell) -> None:
    shell.write(
        "test_program.py", _TESTS.replace("assert number == LIMIT", "assert number") + "\n    def test_sum(): pass\n"
    )
    done = shell.pytest("--mazurka", "test_program.py", status=0)
    assert "explored 1 test: 1 verified; 1 starts no threads" in done.stdout
    done = shell.pytest("--mazurka", "test_program.py::test_sum", status=0)
    assert "explored 0 tests; 1 starts no threads" in done.stdout
