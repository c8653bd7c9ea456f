"""Processes that a check forks to run a program in, and those that the program forks."""

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


@pytest.mark.parametrize("options", ["--isolation fork", "--isolation restore", "--isolation fork --jobs 2"])
def test_hooks_at_forks_are_the_programs_own(shell: Shell, options: str) -> None:
    shell.write("library.py", _LIBRARY)
    shell.write("program.py", _PROGRAM)
    done = shell.run("check", "program.py::main", *options.split(), status=0).stdout
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


_FORKS = """\
    import os
    import threading


    def fork():
        reading, writing = os.pipe()
        if os.fork() == 0:
            AS_CHILD
        os.close(reading)
        os.close(writing)


    def main():
        threads = [threading.Thread(target=fork), threading.Thread(target=len, args=("",))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with open("ends", "a") as file:
            file.write("|")
    """


@pytest.mark.parametrize("isolation", ["fork", "restore"])
@pytest.mark.parametrize("as_child", ["os.read(reading, 1)", "return", "raise ValueError", "os._exit(3)"])
def test_a_process_that_the_program_forks_is_no_part_of_the_run(shell: Shell, isolation: str, as_child: str) -> None:
    """One that waits for ever is killed at the run's end; one whose thread ends does not go on with the others."""
    shell.write("program.py", _FORKS.replace("AS_CHILD", as_child))
    done = shell.run("check", "program.py::main", "--isolation", isolation, "--max-executions", "3", status=0)
    assert "os.fork" in done.stdout
    assert "violation" not in done.stdout
    assert not shell.folder.joinpath("ends").exists()
