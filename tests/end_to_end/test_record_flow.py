"""`mazurka record --control-flow`, `mazurka recording`: whole runs, and everything that can be wrong with them."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mazurka.flow.decoding import Decoder
from mazurka.flow.files import read
from mazurka.flow.reading import plan_of

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

#: Each compiles a program, and links it.
pytestmark = pytest.mark.slow

LOST = """\
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int count;
int limit(void) { return getenv("LIMIT") ? atoi(getenv("LIMIT")) : 2; }
void *work(void *unused) {
    for (int i = 0; i < 3; i++) {
        if (count < 100) count++;
    }
    return 0;
}
int main(int argc, char **argv) {
    pthread_t one, other;
    pthread_create(&one, 0, work, 0);
    pthread_create(&other, 0, work, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    if (argc > 1 && argv[1][0] == 'x') exit(3);
    assert(count < limit());
}
"""

#: Branches on shared memory, a number each time; then it waits for ever.
LASTING = """\
#include <stdio.h>
#include <unistd.h>
volatile int shared, other;
int main(void) {
    for (long i = 0; i < 300000; i++) {
        if (shared) other = shared = 0; else shared = 1;
    }
    puts("running");
    fflush(stdout);
    pause();
}
"""


def test_failure(shell: Shell) -> None:
    shell.write("lost.c", LOST)
    done = shell.run("record", "--control-flow", "lost.c", "--", "-O2", status=128 + signal.SIGABRT)
    assert "3 threads to lost.flow; killed by SIGABRT" in done.stderr
    assert "thread 0 failed, last seen in main() at lost.c:20" in done.stderr
    told = shell.run("recording", "info", "lost.flow", status=0).stdout
    assert "lost.c -O2" in told
    assert "its files are as they were" in told
    assert told.count(", returned") == 2
    shown = shell.run("recording", "path", "lost.flow", "--thread", "0", "-n", "2", status=0).stdout
    assert "lost.c:20    assert(count < limit());" in shown
    assert "thread 0.1" not in shown


def test_exit_status_and_arguments(shell: Shell) -> None:
    shell.write("lost.c", LOST)
    done = shell.run("record", "--control-flow", "lost.c", "-o", "other.flow", "--", "x", status=3)
    assert "to other.flow; exit status 3" in done.stderr
    assert "lost.c x" in shell.run("recording", "info", "other.flow", status=0).stdout
    again = shell.run("record", "--control-flow", "lost.c", "-o", "other.flow", status=2)
    assert "it exists already" in again.stderr


def test_environment_that_is_asked_for_is_recorded(shell: Shell) -> None:
    shell.write("lost.c", LOST)
    shell.environment["LIMIT"] = "100"
    shell.run("record", "--control-flow", "lost.c", status=0)
    assert "2 inputs" in shell.run("recording", "info", "lost.flow", status=0).stdout
    recording = read(str(shell.folder / "lost.flow"))
    decoder = Decoder(plan_of(recording), recording.threads[0].following)
    assert len(list(decoder.certain())) > 5
    assert [(name, found.data) for _, name, found in decoder.inputs] == [("getenv", b"100"), ("getenv", b"100")]


def test_crash_at_a_null_pointer(shell: Shell) -> None:
    shell.write("crash.c", "int shared;\nint main(void) {\n  int *p = shared ? &shared : 0;\n  return *p;\n}\n")
    done = shell.run("record", "--control-flow", "crash.c", status=128 + signal.SIGSEGV)
    assert "thread 0 failed" in done.stderr
    assert "up to" in shell.run("recording", "info", "crash.flow", status=0).stdout


def test_hang_is_ended_after_its_time(shell: Shell) -> None:
    shell.write(
        "hang.c",
        """\
        #include <pthread.h>
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        int main(void) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); }
        """,
    )
    done = shell.run("record", "--control-flow", "--seconds", "1", "hang.c", status=124)
    assert "ended by the recorder, after its time" in done.stderr
    assert "pthread_mutex_lock(&m);" in shell.run("recording", "path", "hang.flow", status=0).stdout


def test_what_is_not_recorded_is_named(shell: Shell) -> None:
    shell.write(
        "odd.c",
        """\
        #include <pthread.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <sys/wait.h>
        #include <unistd.h>
        int shared = 1;
        void *work(void *unused) { if (shared) shared++; return 0; }
        int main(void) {
            int (*volatile create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = pthread_create;
            pthread_t t;
            int n = 0;
            create(&t, 0, work, 0);
            pthread_join(t, 0);
            sscanf("2", "%d", &n);
            int child = fork();
            if (child == 0) { for (int i = 0; i < 1000; i++) if (shared) shared++; exit(n); }
            int status;
            waitpid(child, &status, 0);
            return shared;
        }
        """,
    )
    told = shell.run("record", "--control-flow", "odd.c", status=2).stderr
    assert "not known: waitpid(); only its result is recorded" in told
    assert "not recorded: what sscanf() brings in beside its result" in told
    assert "not recorded: 1 process that it forked" in told
    assert "not known: where 1 thread was started that the program didn't start by name" in told
    assert ", returned" not in shell.run("recording", "info", "odd.flow", status=0).stdout


def test_ring_that_has_lost_the_beginning_is_named(shell: Shell) -> None:
    shell.write("lasting.c", LASTING.replace("pause();", "").replace("300000", "600000"))
    done = shell.run("record", "--control-flow", "--ring", "128K", "lasting.c", "--", "-O2", status=0)
    assert "the ring has lost the beginning of 1 of 1 threads" in done.stderr
    told = shell.run("recording", "info", "lasting.flow", status=0).stdout
    assert "its beginning is lost" in told
    assert (shell.folder / "lasting.flow").stat().st_size < 400_000


def test_thousand_threads(shell: Shell) -> None:
    shell.write(
        "many.c",
        """\
        #include <pthread.h>
        int shared;
        void *work(void *p) { if (shared < 5) shared++; return 0; }
        int main(void) {
            static pthread_t t[1000];
            pthread_attr_t small;
            pthread_attr_init(&small);
            pthread_attr_setstacksize(&small, 65536);
            for (int i = 0; i < 1000; i++) if (pthread_create(&t[i], &small, work, 0)) return 9;
            for (int i = 0; i < 1000; i++) pthread_join(t[i], 0);
        }
        """,
    )
    done = shell.run("record", "--control-flow", "many.c", status=0)
    assert "of 1001 threads" in done.stderr
    assert shell.run("recording", "info", "many.flow", status=0).stdout.count(", returned") == 1000


def test_nothing_is_lost_when_the_program_is_killed(shell: Shell) -> None:
    shell.write("lasting.c", LASTING)
    process = shell.start("record", "--control-flow", "lasting.c", "--", "-O2")
    assert process.stdout is not None
    assert process.stdout.readline() == "running\n"
    os.kill(_child_of(process.pid), signal.SIGKILL)
    _, told = process.communicate(timeout=100)
    assert process.returncode == 128 + signal.SIGKILL
    assert "killed by SIGKILL" in told
    assert _blocks(shell, "lasting.flow") > 500_000


def test_nothing_is_lost_when_the_recorder_is_killed(shell: Shell) -> None:
    shell.write("lasting.c", LASTING)
    process = shell.start("record", "--control-flow", "lasting.c", "--", "-O2")
    assert process.stdout is not None
    assert process.stdout.readline() == "running\n"
    child = _child_of(process.pid)
    process.kill()
    process.wait(timeout=100)
    os.kill(child, signal.SIGTERM)
    process.communicate(timeout=100)  # the program has the other end of the pipe
    assert _blocks(shell, "lasting.flow") > 500_000
    assert "killed by SIGTERM" in shell.run("recording", "info", "lasting.flow", status=0).stdout


def _child_of(pid: int) -> int:
    """The program that a recorder runs."""
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[-1])


def _blocks(shell: Shell, name: str) -> int:
    told = shell.run("recording", "info", name, status=0).stdout
    line = next(line for line in told.splitlines() if "thread 0:" in line)
    return int(line.split("bytes, ")[1].split(" blocks")[0].replace(",", ""))


def test_disk_that_fills(shell: Shell) -> None:
    """As if it did: no file may grow beyond some megabytes. The program itself isn't disturbed."""
    shell.write("lasting.c", LASTING.replace("pause();", "").replace("300000", "60000000"))
    done = subprocess.run(
        shell.command("mazurka", "record", "--control-flow", "lasting.c", "--", "-O2"),
        cwd=shell.folder,
        env=shell.variables(),
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 24, 1 << 24)),
    )
    assert (done.returncode, done.stdout) == (2, "running\n"), done.stderr
    assert "bytes could be written: File too large" in done.stderr
    assert read(str(shell.folder / "lasting.flow")).size > 1 << 24


def _recorded(shell: Shell) -> Path:
    shell.write("lost.c", LOST)
    shell.run("record", "--control-flow", "lost.c", "--", "x", status=3)
    return shell.folder / "lost.flow"


def test_damaged(shell: Shell) -> None:
    path = _recorded(shell)
    content = path.read_bytes()
    for damaged, slug in (
        (content[:200], "recording-corrupt"),
        (content[:-1], "recording-corrupt"),
        (content[:100] + bytes([content[100] ^ 1]) + content[101:], "recording-corrupt"),
        (content[:-60] + bytes([content[-60] ^ 1]) + content[-59:], "recording-corrupt"),
        (b"not a recording" + content, "not-a-recording"),
        (b"", "not-a-recording"),
    ):
        path.write_bytes(damaged)
        done = shell.run("recording", "info", "lost.flow", status=2)
        assert f"mazurka explain {slug}" in done.stderr
        assert "lost.flow" in done.stderr


def test_changed_program(shell: Shell) -> None:
    _recorded(shell)
    shell.write("lost.c", LOST.replace("i < 3", "i < 4"))
    assert "changed since: lost.c" in shell.run("recording", "info", "lost.flow", status=0).stdout
    refused = shell.run("recording", "path", "lost.flow", status=2)
    assert "mazurka explain program-changed" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "slug"),
    [
        (("x.cpp",), "not-recordable"),
        (("x.py",), "not-recordable"),
        (("missing.c",), "no-such-file"),
        (("lost.c", "--", "-O3"), "not-recordable"),
        (("lost.c", "--ring", "64K"), "not-recordable"),
        (("lost.c", "--values"), "only-for-python"),
        (("lost.c::main",), "no-such-target"),
        (("handler.c",), "not-recordable"),
        (("undefined.c",), "does-not-link"),
    ],
)
def test_refused(shell: Shell, arguments: tuple[str, ...], slug: str) -> None:
    for name in ("x.cpp", "lost.c"):
        shell.write(name, LOST)
    shell.write("x.py", "pass\n")
    shell.write("handler.c", "#include <signal.h>\nvoid h(int s) {}\nint main(void) { signal(SIGINT, h); }\n")
    shell.write("undefined.c", "int other(void);\nint main(void) { return other(); }\n")
    done = shell.run("record", "--control-flow", *arguments, status=2)
    assert f"mazurka explain {slug}" in done.stderr
    assert not list(shell.folder.glob("*.flow"))


def test_options_that_need_control_flow(shell: Shell) -> None:
    shell.write("lost.c", LOST)
    assert "no-control-flow" in shell.run("record", "--ring", "1M", "lost.c", status=2).stderr
    assert "is no size" in shell.run("record", "--control-flow", "--ring", "much", "lost.c", status=2).stderr
    _recorded(shell)
    assert "no-such-thread" in shell.run("recording", "path", "lost.flow", "--thread", "0.7", status=2).stderr
