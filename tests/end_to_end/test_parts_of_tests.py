"""Parts of a test (`subTest` of `unittest`, the fixture `subtests`) belong to it: a failure in one fails the test."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

_UNITTEST = """\
    import threading
    import unittest


    def both(work):
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


    class Test(unittest.TestCase):
        def test_waiting(self):
            for part in (1, 2):
                with self.subTest(part=part):
                    seen, go = [], threading.Event()

                    def work():
                        seen.append(1)
                        go.wait()

                    threads = [threading.Thread(target=work) for _ in range(2)]
                    for thread in threads:
                        thread.start()
                    go.set()
                    for thread in threads:
                        thread.join()
                    self.assertEqual(len(seen), 2)

        def test_skipping(self):
            with self.subTest("not here"):
                self.skipTest("not here")
            both(int)

        def test_race(self):
            number = 0
            with self.subTest("a race"):

                def work():
                    nonlocal number
                    number += 1

                both(work)
                self.assertEqual(number, 2)

        def test_long(self):
            lock, number = threading.Lock(), 0

            def work():
                nonlocal number
                for _ in range(100):
                    with lock:
                        number += 1

            both(work)
            self.assertEqual(number, 200)
    """

_FIXTURE = """\
    import threading

    import pytest


    def test_waiting(subtests):
        for part in (1, 2):
            with subtests.test(part=part):
                seen, go = [], threading.Event()

                def work():
                    seen.append(1)
                    go.wait()

                threads = [threading.Thread(target=work) for _ in range(2)]
                for thread in threads:
                    thread.start()
                go.set()
                for thread in threads:
                    thread.join()
                assert len(seen) == 2


    def test_race(subtests):
        number = 0
        with subtests.test("skipped"):
            pytest.skip("not here")
        with subtests.test("a race"):

            def work():
                nonlocal number
                number += 1

            threads = [threading.Thread(target=work) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert number == 2
    """


def test_parts_of_unittest(shell: Shell) -> None:
    shell.write("test_program.py", _UNITTEST)
    done = shell.pytest("--mazurka", "test_program.py", "-k", "not long", status=1).stdout
    assert "explored 3 tests: 2 verified, 1 violation" in done
    assert "FAILED test_program.py::Test::test_race" in done
    assert "GreenletExit" not in done
    assert "SUBFAIL" not in done


def test_parts_by_fixture(shell: Shell) -> None:
    shell.write("test_program.py", _FIXTURE)
    done = shell.pytest("--mazurka", "test_program.py", status=1).stdout
    assert "explored 2 tests: 1 verified, 1 violation" in done
    assert "FAILED test_program.py::test_race" in done
    assert "GreenletExit" not in done
    assert "SUBFAIL" not in done


def test_a_unittest_that_is_cut_short_is_inconclusive(shell: Shell) -> None:
    shell.write("test_program.py", _UNITTEST)
    shell.write("pyproject.toml", "[tool.mazurka]\nmax-steps = 300\nmax-executions = 3\n")
    done = shell.pytest("--mazurka", "test_program.py", "-k", "long", status=0).stdout
    assert "explored 1 test: 1 inconclusive" in done
    assert "the run was cut after 300 steps" in done


def test_packages_whose_init_is_empty(shell: Shell) -> None:
    shell.write("package/__init__.py", "")
    shell.write("package/part.py", "counts = []\n")
    shell.write("conftest.py", "import package.part\n")
    shell.write(
        "test_program.py",
        """\
        import threading
        from package import part

        lock = threading.Lock()


        def work():
            with lock:
                part.counts.append(1)


        def test_it():
            threads = [threading.Thread(target=work) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert len(part.counts) == 2
        """,
    )
    assert "explored 1 test: 1 verified" in shell.pytest("--mazurka", "test_program.py", status=0).stdout


def test_events_that_outlive_their_run(shell: Shell) -> None:
    source = """\
        import atexit
        import threading

        event, semaphore = threading.Event(), threading.Semaphore()
        atexit.register(event.set)
        atexit.register(semaphore.acquire)
        thread = threading.Thread(target=event.is_set)
        thread.start()
        thread.join()
        """
    shell.write("program.py", source)
    assert "Traceback" not in shell.run("check", "program.py", status=0).stderr
