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


@pytest.mark.parametrize("pause", ["time.sleep", "threading.Event().wait"])
def test_time_that_passes_while_a_child_runs_proves_nothing(shell: Shell, pause: str) -> None:
    shell.write(
        "program.py",
        f"""\
        import os
        import subprocess
        import threading
        import time


        def main():
            threads = [threading.Thread(target=int) for _ in range(2)]
            for thread in threads:
                thread.start()
            child = subprocess.Popen(["sh", "-c", "sleep 0.2; touch done"])
            for _ in range(30):
                if os.path.exists("done"):
                    break
                ({pause})(0.1)
            else:
                raise AssertionError("never done")
            child.wait()
            os.remove("done")
        """,
    )
    done = shell.run("check", "program.py::main")
    assert done.stdout.startswith("inconclusive: nothing found, but time passed while child processes ran")


def test_what_a_run_leaves_open_is_closed_once(shell: Shell) -> None:
    """Also if it ends only when its number is another one's."""
    shell.write(
        "program.py",
        """\
        import multiprocessing
        import os
        import threading
        import weakref

        kept = []


        def forget():
            kept.clear()
            file = os.open("file", os.O_CREAT | os.O_RDONLY)
            os.close(file)


        def main():
            ends = multiprocessing.Pipe()
            kept.append(ends)
            threads = [threading.Thread(target=forget) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            kept.append(ends)
        """,
    )
    done = shell.run("check", "program.py::main", status=0)
    assert "Bad file descriptor" not in done.stdout + done.stderr


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
    assert "Exception ignored" not in done.stderr
    assert not shell.folder.joinpath("ends").exists()
