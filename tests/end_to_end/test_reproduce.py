"""`mazurka reproduce`: failures of programs that ran natively, with real threads, from the paths of their threads."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mazurka.flow.building import opened
from mazurka.flow.files import finish, read
from mazurka.flow.recording import Recording
from mazurka.flow.running import Limits, record

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

#: Each compiles a program, links it, and runs it until it fails.
pytestmark = pytest.mark.slow

_PROGRAMS = Path(__file__).parents[2] / "benchmarks" / "programs" / "reproduce"

#: A native run fails by chance; mostly the first one does.
_ATTEMPTS = 200
#: Recordings of a program that fails in several ways, of which some can't be reproduced.
_RECORDINGS = 4

LOST = """\
#include <assert.h>
#include <pthread.h>
int count;
void *work(void *unused) {
    for (int each = 0; each < 3; each++) if (count < 100) count++;
    return 0;
}
int main(int argc, char **argv) {
    pthread_t one, other;
    pthread_create(&one, 0, work, 0);
    pthread_create(&other, 0, work, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(count == WANTED);
}
"""


def _record(shell: Shell, name: str, flags: tuple[str, ...] = (), *, hangs: bool = False) -> None:
    """Record a program natively until it is killed by a signal, or, if it ``hangs``, has to be ended."""
    source = opened(str(shell.folder / name), (), flags)
    output = shell.folder / f"{Path(name).stem}.flow"
    for _ in range(_ATTEMPTS):
        ending = record(source, (), str(output), Limits(seconds=1.0)).ending
        if ending.timed_out is hangs and ending.status:
            return
        output.unlink()
    raise AssertionError(f"{name} has not failed in {_ATTEMPTS} runs")


@pytest.mark.parametrize(
    ("name", "hangs", "words"),
    [
        ("bbuf", False, "assertion failed: b->count > 0"),
        ("sbuf", False, "assertion failed: end <= b->length"),
        ("pfscan", False, "assertion failed: matches == 5"),
        ("pbzip2", False, ""),  # one of several invalid accesses
        ("deadlock", True, "deadlock: threads wait for one another"),
        ("lost_wakeup", True, "blocked: a thread waits for ever"),
        ("use_after_free", False, "use after free: "),
    ],
)
def test_reproduced_from_a_native_run(shell: Shell, name: str, hangs: bool, words: str) -> None:
    shutil.copy(_PROGRAMS / f"{name}.c", shell.folder)
    for _ in range(1 if words else _RECORDINGS):
        _record(shell, f"{name}.c", hangs=hangs)
        done = shell.run("reproduce", f"{name}.flow", status=1)
        if done.stdout.startswith("reproduced"):
            break  # else executions end with another invalid access, before the recorded one
        (shell.folder / f"{name}.flow").unlink()
    assert done.stdout.startswith(f"reproduced {name}.flow: ")
    assert f"violation: {words}" in done.stdout
    assert re.search(r"Proof:  witness checked \(\d+ events\), replayed", done.stdout)
    assert shell.run("replay", status=1).stdout.startswith("reproduced: ")


def test_optimised_program(shell: Shell) -> None:
    shutil.copy(_PROGRAMS / "bbuf.c", shell.folder)
    _record(shell, "bbuf.c", ("-O2",))
    done = shell.run("reproduce", "bbuf.flow", status=1)
    assert done.stdout.startswith("reproduced bbuf.flow: ")
    assert "bbuf.c -O2" in done.stdout
    assert shell.run("replay", status=1).stdout.startswith("reproduced: ")


def test_bug_that_needs_pso(shell: Shell) -> None:
    """Figure 6.1. Processors here don't let stores overtake each other, so the program that runs has them in the other
    order; its control flow is the same."""
    source = shell.folder / "telescope.c"
    text = (_PROGRAMS / "telescope.c").read_text()
    overtaken = text.replace("y = y + 1;", "LATER").replace("z = 1;", "y = y + 1;").replace("LATER", "z = 1;")
    assert overtaken != text
    source.write_text(overtaken)
    _record(shell, "telescope.c")
    path = shell.folder / "telescope.flow"
    failed = read(str(path))
    path.unlink()
    source.write_text(text)
    own = record(opened(str(source), (), ()), (), str(path), Limits())
    finish(str(path), Recording(own.about, own.text, failed.threads, failed.ending))
    for model in ("sc", "tso"):
        told = shell.run("reproduce", "telescope.flow", "--memory-model", model, status=3).stdout
        assert f"no execution under {model} follows the recorded paths to the failure" in told
    done = shell.run("reproduce", "telescope.flow", "--memory-model", "pso", status=1)
    assert done.stdout.startswith("reproduced telescope.flow: ")
    assert shell.run("replay", status=1).stdout.startswith("reproduced: ")


def test_inputs_are_given_again(shell: Shell) -> None:
    """Without them the program would not start a second thread, nor fail."""
    shell.write(
        "given.c",
        """\
        #include <assert.h>
        #include <pthread.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        int count, stands;
        void *work(void *unused) { if (count < 9) count++; stands = 1; return 0; }
        int main(int argc, char **argv) {
            char line[20];
            pthread_t one, other;
            if (argc != 2 || strcmp(argv[1], "go") || !getenv("HOW") || strcmp(getenv("HOW"), "twice")) return 0;
            if (!fgets(line, sizeof line, stdin) || strcmp(line, "please\\n") || rand() == rand()) return 0;
            pthread_create(&one, 0, work, 0);
            pthread_create(&other, 0, work, 0);
            pthread_join(one, 0);
            pthread_join(other, 0);
            assert(count == 7 * stands);
        }
        """,
    )
    shell.write("in.txt", "please\n")
    command = shell.command("mazurka", "record", "--control-flow", "given.c", "--", "go")
    with open(shell.folder / "in.txt") as given:
        ended = subprocess.run(
            command, cwd=shell.folder, env={**shell.variables(), "HOW": "twice"}, stdin=given, check=False, timeout=100
        )
    assert ended.returncode == 128 + signal.SIGABRT
    done = shell.run("reproduce", "given.flow", status=1)
    assert done.stdout.startswith("reproduced given.flow: ")
    assert shell.run("replay", status=1).stdout.startswith("reproduced: ")


def test_exit_status_is_a_failure(shell: Shell) -> None:
    source = LOST.replace("assert(count == WANTED);", "if (count != 7) return 4;")
    shell.write("lost.c", source)
    shell.run("record", "--control-flow", "lost.c", status=4)
    done = shell.run("reproduce", "lost.flow", status=1)
    assert "the program exits with 4" in done.stdout


def test_spinning_thread_leaves_passes_out(shell: Shell) -> None:
    """It goes round natively as often as it likes."""
    shell.write(
        "spin.c",
        """\
        #include <assert.h>
        #include <pthread.h>
        #include <stdatomic.h>
        #include <unistd.h>
        atomic_int started, ready, value;
        void *work(void *unused) {
            atomic_store(&started, 1);
            while (!atomic_load(&ready)) usleep(100);
            assert(atomic_load(&value) == 3);
            return 0;
        }
        int main(void) {
            pthread_t one;
            pthread_create(&one, 0, work, 0);
            while (!atomic_load(&started));
            usleep(20000);
            atomic_store(&ready, 1);
            pthread_join(one, 0);
        }
        """,
    )
    shell.run("record", "--control-flow", "spin.c", status=128 + signal.SIGABRT)
    assert _blocks(shell, "spin.flow", "0.1") > 10
    done = shell.run("reproduce", "spin.flow", status=1)
    assert done.stdout.startswith("reproduced spin.flow: ")


def _blocks(shell: Shell, name: str, thread: str) -> int:
    told = shell.run("recording", "info", name, status=0).stdout
    found = re.search(rf"thread {thread}: .* bytes, ([\d,]+) blocks", told)
    assert found is not None
    return int(found[1].replace(",", ""))


def test_another_failure(shell: Shell) -> None:
    """The recorded run ends elsewhere; here the first access of freed memory is a failure by itself."""
    shell.write(
        "after.c",
        """\
        #include <assert.h>
        #include <pthread.h>
        #include <stdlib.h>
        int *shared, sink;
        void *work(void *unused) { sink = *shared; return 0; }
        int main(void) {
            pthread_t one;
            shared = malloc(sizeof *shared);
            *shared = 1;
            free(shared);
            pthread_create(&one, 0, work, 0);
            pthread_join(one, 0);
            assert(sink == 77);
        }
        """,
    )
    shell.run("record", "--control-flow", "after.c", status=128 + signal.SIGABRT)
    done = shell.run("reproduce", "after.flow", status=1)
    assert "after.flow was not reproduced: another failure was found" in done.stdout
    assert "use after free" in done.stdout


def test_not_found_within_the_limit(shell: Shell) -> None:
    shell.write("lost.c", LOST.replace("WANTED", "7"))
    shell.run("record", "--control-flow", "lost.c", status=128 + signal.SIGABRT)
    path = shell.folder / "lost.flow"
    recording = read(str(path))
    recording.ending = replace(recording.ending, thread=2)  # the first worker, which doesn't fail
    finish(str(path), recording)
    told = shell.run("reproduce", "lost.flow", "--max-executions", "1", "--strategy", "random", status=3).stdout
    assert "lost.flow was not reproduced: 1 execution in " in told
    assert "of the recorded paths at most" in told


def test_what_cannot_be_followed_is_refused(shell: Shell) -> None:
    shell.write("lost.c", LOST.replace("WANTED", "6"))
    path = shell.folder / "lost.flow"
    for _ in range(_ATTEMPTS):
        if not shell.run("record", "--control-flow", "lost.c").returncode:
            break
        path.unlink()
    assert "nothing failed when it was recorded" in shell.run("reproduce", "lost.flow", status=2).stderr
    content = path.read_bytes()
    for damaged, slug in ((content[:-1], "recording-corrupt"), (b"x" + content, "not-a-recording")):
        path.write_bytes(damaged)
        assert f"mazurka explain {slug}" in shell.run("reproduce", "lost.flow", status=2).stderr
    path.write_bytes(content)
    shell.write("lost.c", LOST.replace("WANTED", "5"))
    refused = shell.run("reproduce", "lost.flow", status=2).stderr
    assert "lost.c is not as it was when this was recorded" in refused
    assert "mazurka explain program-changed" in refused
    assert "mazurka explain no-such-file" in shell.run("reproduce", "missing.flow", status=2).stderr


def test_ring_that_lost_its_beginning_is_refused(shell: Shell) -> None:
    shell.write(
        "long.c",
        """\
        #include <stdlib.h>
        volatile int shared, other;
        int main(void) {
            for (long i = 0; i < 600000; i++) if (shared) other = shared = 0; else shared = 1;
            abort();
        }
        """,
    )
    shell.run("record", "--control-flow", "--ring", "128K", "long.c", status=128 + signal.SIGABRT)
    refused = shell.run("reproduce", "long.flow", status=2).stderr
    assert "the beginning of thread 0 is lost" in refused
    assert "mazurka explain recording-incomplete" in refused
