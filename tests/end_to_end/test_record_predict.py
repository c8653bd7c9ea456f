"""`mazurka record --predict`: candidates while the program runs, proofs when it has ended."""

from __future__ import annotations

import os
import subprocess
from typing import Any

_PROGRAM = """
import os
import sys
import threading

class Turns:
    def __init__(self):
        self.count = 0

def main():
    log, lock, written, over = open("log.txt", "w"), threading.Lock(), threading.Lock(), threading.Lock()
    over.acquire()
    end, ending = os.pipe()
    turns = Turns()

    def write():
        with lock:
            log.write("done")
        os.write(ending, b".")  # which the recording does not know

    def close():
        with lock:
            log.close()
        while not over.acquire(timeout=0.002):
            turns.count += 1

    threads = [threading.Thread(target=each) for each in (write, close)]
    threads[0].start()
    os.read(end, 1)
    threads[1].start()
    sys.stdin.readline()  # until the reader of standard error has seen the candidate
    over.release()
    for thread in threads:
        thread.join()
    try:
        os.wait()
    except ChildProcessError:
        print("no children")

main()
"""


def test_candidates_are_reported_while_the_program_runs(shell: Any) -> None:
    shell.write("program.py", _PROGRAM)
    running = subprocess.Popen(
        shell.command("mazurka", "record", "--predict", "program.py"),
        cwd=shell.folder, env=shell.variables(), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert running.stdin is not None
    assert running.stderr is not None
    line = running.stderr.readline()
    assert running.poll() is None
    assert line.startswith("mazurka: may come in the other order: TextIOWrapper.write at program.py:18")
    assert "TextIOWrapper.close at program.py:23" in line
    output, said = running.communicate("\n", timeout=100)
    assert running.returncode == 0
    assert output == "no children\n"  # the follower is none
    assert "1 call order violation\n" in said
    assert "which then raises ValueError" in " ".join(said.split())
    assert not list((shell.folder / "program.recording").glob("*.raw"))


def test_a_short_program_gets_its_report_at_the_end(shell: Any) -> None:
    shell.write("short.py", _PROGRAM.replace("sys.stdin.readline()", "pass"))
    done = shell.run("record", "--predict", "short.py", status=0)
    assert "1 call order violation\n" in done.stderr
    assert done.stdout == "no children\n"


def test_the_follower_ends_when_the_program_cannot_be_run(shell: Any) -> None:
    before = _descriptors()
    done = shell.run("record", "--predict", "missing.py", status=2)
    assert "missing.py" in done.stderr
    assert _descriptors() == before


def _descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))
