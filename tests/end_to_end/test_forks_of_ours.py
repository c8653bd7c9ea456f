"""What a program does when it forks is not done when a check forks, to run it in a child."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

_LIBRARY = """\
    import os
    import threading

    gate = threading.Condition()
    closed = False


    def close():
        global closed
        closed = True


    def reopen():
        global closed
        closed = False


    os.register_at_fork(before=close, after_in_parent=reopen)


    def enter():
        with gate:
            while closed:
                gate.wait()
    """

_PROGRAM = """\
    import threading

    import library


    def main():
        threads = [threading.Thread(target=library.enter) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    """


@pytest.mark.parametrize("isolation", ["fork", "restore"])
def test_hooks_at_forks_are_the_programs_own(shell: Shell, isolation: str) -> None:
    shell.write("library.py", _LIBRARY)
    shell.write("program.py", _PROGRAM)
    done = shell.run("check", "program.py::main", "--isolation", isolation, status=0).stdout
    assert done.startswith("verified")


def test_locks_of_multiprocessing_are_each_executions_own(shell: Shell) -> None:
    """Though the module that makes them is imported only when the first one is made."""
    shell.write(
        "program.py",
        """\
        import multiprocessing
        import threading

        lock = multiprocessing.RLock()
        number = 0


        def work():
            global number
            with lock:
                number += 1
            lock.acquire()
            number += 1
            lock.release()


        def main():
            threads = [threading.Thread(target=work) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert number == 4
        """,
    )
    done = shell.run("check", "program.py::main")
    assert "verified" in done.stdout, done.stdout + done.stderr


def test_a_queue_of_multiprocessing_between_threads(shell: Shell) -> None:
    shell.write(
        "program.py",
        """\
        import multiprocessing
        import threading


        def main():
            queue = multiprocessing.Queue()
            thread = threading.Thread(target=queue.put, args=(1,))
            thread.start()
            thread.join()
            assert queue.get() == 1
            queue.close()
            queue.join_thread()
        """,
    )
    done = shell.run("check", "program.py::main", status=0)
    assert "nothing found" in done.stdout
