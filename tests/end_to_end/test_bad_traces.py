"""Traces that can't be used, disks that are full: the message, the status, and that no half-written file is left."""

from __future__ import annotations

import resource
import subprocess
from typing import Any

from mazurka.trace.formats.source import LONGEST_LINE
from mazurka.trace.validated import MOST_THREADS


def test_a_long_line_is_refused_wherever_it_is(shell: Any) -> None:
    shell.write("long.std", "t|w(x)|1\n" * 9 + f"t|w({'x' * LONGEST_LINE})|2\nt|w(x)|3\n")
    assert (
        "long.std:10:1: a line of more than 1,048,576 bytes" in shell.run("trace", "info", "long.std", status=2).stderr
    )


def test_more_threads_than_can_be_told_apart(shell: Any) -> None:
    shell.write("many.std", "".join(f"t{number}|w(x)|1\n" for number in range(MOST_THREADS + 1)))
    said = shell.run("predict", "many.std", status=2).stderr
    assert "8,193 threads" in said
    assert "trace-too-large" in said


def test_a_thread_that_goes_on_after_it_was_joined_is_told(shell: Any) -> None:
    shell.write("odd.std", "a|fork(b)|1\nb|w(x)|2\na|join(b)|3\nb|w(x)|4\na|w(x)|5\n")
    done = shell.run("predict", "odd.std", status=1)
    assert done.stderr == "mazurka: event 3 (b: var x) goes on after it was joined; see `mazurka trace check`\n"


def test_who_takes_a_lock_that_is_held(shell: Any) -> None:
    shell.write("held.std", "a|acq(l)|1\nb|acq(l)|2\n")
    assert "row 1, b: lock l\n" in shell.run("trace", "check", "held.std", status=1).stdout
    assert (
        "event 1 (b: lock l) takes a lock that another thread has" in shell.run("predict", "held.std", status=2).stderr
    )


def test_a_report_that_finds_no_room_leaves_nothing_behind(shell: Any) -> None:
    shell.write("race.std", "a|w(x)|1\nb|w(x)|2\n")
    done = subprocess.run(
        shell.command("mazurka", "predict", "race.std", "--output", "report"),
        cwd=shell.folder,
        env=shell.variables(),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "report: can't be written" in done.stderr
    assert [path.name for path in shell.folder.iterdir()] == ["race.std"]


def test_a_recording_that_cannot_be_begun(shell: Any) -> None:
    shell.write("program.py", "print('ran')\n")
    shell.write("file", "")
    shell.write("broken.py", "def f(:\n")
    assert "syntax-error" in shell.run("record", "broken.py", status=2).stderr
    assert not (shell.folder / "broken.recording").exists()
    done = shell.run("record", "program.py", "-o", "file/recording", status=2)
    assert done.stdout == ""
    assert "trace-unwritable" in done.stderr
    shell.run("record", "program.py", status=0)
    assert "nothing is left to be finished" in shell.run("record", "--finish", "program.recording", status=0).stderr
